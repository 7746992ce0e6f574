import { useDebouncedValue } from '@mantine/hooks';

/** At most four requests a second. */
const PAUSE_MS = 250;

/** The longest text that a search of the service takes. */
export const MOST_CHARACTERS = 255;

/** What a search says of a text that the service refuses. */
export const UNSEARCHABLE = 'Type at least one letter or digit.';
/** Whether the service takes a text as a search. */
export const isSearchable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/**
 * A text that is searched for while it is typed.
 *
 * @returns What is typed, as it can be searched for, and what to search for now.
 */
export function useSearchedText(text: string): [typed: string, search: string] {
  const typed = text.trim().slice(0, MOST_CHARACTERS);
  const [search] = useDebouncedValue(typed, PAUSE_MS);
  return [typed, search];
}
