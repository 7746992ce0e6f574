/*
 * The words of texts, by which branches and master merchants are searched: see docs/decisions/0028-search.md.
 */

/** Letters that Unicode does not decompose: those with a stroke, and ligatures. */
const LETTERS: Record<string, string> = {
  ...{ Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Ħ: 'H', Ŧ: 'T' },
  ...{ Þ: 'TH', Æ: 'AE', Œ: 'OE', ẞ: 'SS' },
};

/**
 * Folds a text, so that texts that differ only in case, accents or width are the same. In upper case, because `ß` and
 * `SS`, or `σ` and `ς`, are the same only there. Of combining marks, only those of Latin, Greek and Cyrillic letters
 * are accents: vowels of Indian and Thai scripts stay.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .replace(/[ØŁĐÐĦŦÞÆŒẞ]/g, (letter) => LETTERS[letter] as string)
    .normalize('NFC');

/** Letters and digits, with apostrophes within. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’ʼ][\p{L}\p{M}\p{N}]+)*/gu;
const APOSTROPHE = /['’ʼ]/u;

const join = (parts: string[]): string => parts.join('');

/** How many of a word's letters count. */
const MOST_LETTERS = 32;
/** Whether a word has enough letters to be searched. */
export const isLong = (word: string): boolean => [...word].length >= 2;
export const cut = (word: string): string =>
  word.length <= MOST_LETTERS ? word : [...word].slice(0, MOST_LETTERS).join('');

/** The most words by which something is found, and the most bytes that they take. An entry for each is stored. */
const MOST_WORDS = 12;
const MOST_BYTES = 256;

/**
 * The words by which texts are found: at most {@link MOST_WORDS} of at least two letters, in the order of the texts.
 * `L'Aquila` has two, `LAQUILA` and `AQUILA`. Omits a word that is the beginning of another: every search that finds it
 * finds the other.
 *
 * @param ids Texts that are one word each, whatever their characters.
 */
export function wordsOf(ids: string[], texts: (string | undefined)[]): string[] {
  const runs = texts.flatMap((text = '') =>
    (fold(text).match(WORD) ?? []).flatMap((word) => {
      const parts = word.split(APOSTROPHE);
      return parts.length > 1 ? [join(parts), ...parts] : parts;
    }),
  );
  const words = [...new Set([...ids.map(fold), ...runs].map(cut).filter(isLong))];
  const fits = (_: string, at: number) => Buffer.byteLength(words.slice(0, at + 1).join(' ')) <= MOST_BYTES;
  const counted = words.slice(0, MOST_WORDS).filter(fits);
  return counted.filter((word) => !counted.some((other) => other !== word && other.startsWith(word)));
}

/**
 * The beginning of a UUID, from its first hyphen on. Two groups without a letter are two numbers, like those of
 * `20240105-1200`.
 */
const UUID_START = /^(?:(?=.*[A-F])[\dA-F]{8}-[\dA-F]{0,4}|[\dA-F]{8}-[\dA-F]{4}-[-\dA-F]*)$/;

/** The most words of a search. */
const MOST_SEARCHED = 5;

/** What a search must have, for messages. */
export const SEARCHED_WORDS = `1 to ${MOST_SEARCHED} words, each of at least 2 letters or digits`;

/** The words of a search; `undefined` unless it has {@link SEARCHED_WORDS}. */
export function searchedWords(text: string): string[] | undefined {
  const words = fold(text)
    .split(/\s+/)
    .flatMap((part) =>
      UUID_START.test(part) ? [part] : (part.match(WORD) ?? []).map((word) => join(word.split(APOSTROPHE))),
    );
  const distinct = [...new Set(words)];
  return distinct.length >= 1 && distinct.length <= MOST_SEARCHED && distinct.every(isLong) ? distinct : undefined;
}
