import { useDebouncedValue } from '@mantine/hooks';

/** At most four requests a second. */
const PAUSE_MS = 250;

/** The longest text that a search of the service takes. */
export const MOST_CHARACTERS = 255;

/** What a search of branches says of words that the service refuses. */
export const UNSEARCHABLE = 'Type 1 to 5 words, each of at least 2 letters or digits.';

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
