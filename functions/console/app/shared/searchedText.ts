import { useDebouncedValue } from '@mantine/hooks';

/** At most four requests a second. */
const PAUSE_MS = 250;

export const MOST_CHARACTERS = 255;

export const UNSEARCHABLE = 'Type at least one letter or digit.';
export const isSearchable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** A text that is searched for while it is typed: as it can be searched for, and what to search for now. */
export function useSearchedText(text: string): [typed: string, search: string] {
  const typed = text.trim().slice(0, MOST_CHARACTERS);
  const [search] = useDebouncedValue(typed, PAUSE_MS);
  return [typed, search];
}
