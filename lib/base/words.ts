/*
 * The words of texts, by which branches and master merchants are searched: see docs/decisions/0028-search.md, also
 * before you change them. The console finds terminals of its estate by the same words, so this runs in browsers too.
 */

const join = (parts: string[]): string => parts.join('');

/**
 * Letters that Unicode does not decompose: those with a stroke, ligatures, and forms of Arabic letters that people use
 * for one another (as Lucene's ArabicNormalizer and PersianNormalizer).
 */
const LETTERS: Record<string, string> = {
  ...{ Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Ħ: 'H', Ŧ: 'T' },
  ...{ Þ: 'TH', Æ: 'AE', Œ: 'OE', ẞ: 'SS' },
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه' },
};
const LETTER = new RegExp(`[${join(Object.keys(LETTERS))}]`, 'g');

/** Apostrophes, and what people type or paste for them: quotation marks, accents, primes, modifier letters. */
const APOSTROPHES =
  /['`\u00b4\u0384\u02b9-\u02cf\u05f3\u1fbd\u1fbf\u1fef\u1ffd\u2018\u2019\u201b\u2032\u2035\ua78b\ua78c\uff40]/g;

/**
 * What does not make another word: accents, points of Arabic, Hebrew and Syriac, the tatweel, and characters that are
 * not shown. Vowels of Indian and Thai scripts and the voicing marks of kana do.
 */
const ACCENTS =
  /[\p{Script=Inherited}--[\u3099\u309a]]|[\p{Mn}&&[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Greek}\p{sc=Cyrillic}]]|\p{Default_Ignorable_Code_Point}|\u0640/gv;

const ASCII = /^[ -~]*$/;

/** Folds a text, with each apostrophe as `'`. In capitals, because `ß` and `SS`, or `σ` and `ς`, are the same there. */
function foldWithApostrophes(text: string): string {
  // Most texts are ASCII, and this takes a fifth of the time.
  if (ASCII.test(text)) return text.replaceAll('`', "'").toUpperCase();
  return text
    .replace(APOSTROPHES, "'")
    .normalize('NFKD')
    .replace(APOSTROPHES, "'")
    .replace(ACCENTS, '')
    .toUpperCase()
    .replace(LETTER, (letter) => LETTERS[letter] as string)
    .normalize('NFC');
}

/** Folds a text, so that texts that differ only in case, accents, apostrophes or width are the same. */
export const fold = (text: string): string => foldWithApostrophes(text).replaceAll("'", '');

/** Letters and digits, with apostrophes within. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:'+[\p{L}\p{M}\p{N}]+)*/gu;

/** Scripts that put no spaces between words. */
const SPACELESS =
  /([\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+)/u;
const LETTER_WITH_MARKS = /\P{M}\p{M}*|\p{M}+/gu;

/** Overlapping pairs of letters. Not a segmenter's words: its dictionary changes with the runtime. */
function pairsOf(text: string): string[] {
  const letters = text.match(LETTER_WITH_MARKS) ?? [];
  return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

const splitScripts = (word: string): string[] =>
  SPACELESS.test(word)
    ? word.split(SPACELESS).flatMap((part, at) => (at % 2 === 1 ? pairsOf(part) : part || []))
    : [word];

const split = (folded: string): string[] =>
  (folded.match(WORD) ?? []).flatMap((word) => splitScripts(word.replaceAll("'", '')));

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const MOST_LETTERS = 32;
const MOST_LETTER_BYTES = 40;
export const isLong = (word: string): boolean => word.length > 2 || [...word].length >= 2;
export function cut(word: string): string {
  // UTF-8 has at most three bytes for each unit of UTF-16.
  if (3 * word.length <= MOST_LETTERS || bytesOf(word) <= MOST_LETTERS) return word;
  const letters = [...word].slice(0, MOST_LETTERS);
  while (bytesOf(join(letters)) > MOST_LETTER_BYTES) letters.pop();
  return join(letters);
}

/**
 * Runs of words of one letter, joined with the next word: `7ELEVEN`, `HMCHIADO`; at the end of a text, with the word
 * before: `FILIALE3`. Not a single such word between others, as in `Pane e Vino`.
 */
function joinedRuns(words: string[]): string[] {
  const joined: string[] = [];
  for (let from = 0; from < words.length; from += 1) {
    if (isLong(words[from] as string)) continue;
    const end = words.findIndex((word, at) => at > from && isLong(word));
    const next = end === -1 ? words.length : end;
    const run = join(words.slice(from, next + 1));
    if (next - from > 1 || from === 0) joined.push(run);
    else if (end === -1) joined.push(`${words[from - 1]}${run}`);
    from = next;
  }
  return joined.filter(isLong);
}

/**
 * The beginning of a UUID, from its first hyphen on. Two groups without a letter are two numbers, like those of
 * `20240105-1200`.
 */
const UUID_START = /^(?:(?=.*[A-F])[\dA-F]{8}-[\dA-F]{0,4}|[\dA-F]{8}-[\dA-F]{4}-[-\dA-F]*)$/;

/** The words of a folded text, of which each beginning of a UUID is one, as it is in a search. */
const splitStored = (folded: string): string[] =>
  folded.split(/\s+/).flatMap((part) => {
    const words = split(part);
    return [...(/^[\dA-F]{8}-[-\dA-F]*/.exec(part) ?? words.slice(0, 1)), ...words.slice(1)];
  });

/** The words by which a text is found; those first that a search for the text, or its beginning, needs. */
export function wordsIn(text: string): string[] {
  const folded = foldWithApostrophes(text);
  const words = splitStored(folded);
  const long = [...new Set(words.filter(isLong).map(cut))];
  const short = words.filter((word) => !isLong(word));
  const runs = joinedRuns(words);
  const first = isLong(words[0] ?? '') ? [] : runs.splice(0, 1);
  const parts = folded.includes("'")
    ? (folded.match(WORD) ?? []).filter((word) => word.includes("'")).flatMap((word) => word.split(/'+/))
    : [];
  return [
    ...long.splice(0, 1),
    ...first,
    ...long.splice(0, 1),
    ...parts.flatMap(splitScripts).filter(isLong),
    ...runs,
    ...long,
    ...short,
  ];
}

/** The most words by which something is found, and the most bytes that they take. An entry for each is stored. */
const MOST_WORDS = 16;
const MOST_BYTES = 400;

export interface Words {
  words: string[];
  /** If it has more words than are stored: for each text of which words are missing, its first word. */
  firsts?: string[];
}

/**
 * The words by which texts are found: at most {@link MOST_WORDS}, the first of each text before the second of one.
 * `L'Aquila` has two, `LAQUILA` and `AQUILA`. Omits a word that is the beginning of another, unless it has one letter:
 * every search that finds it finds the other.
 *
 * @param ids Texts that are one word each, whatever their characters.
 */
export function wordsOf(ids: string[], texts: (string | undefined)[]): Words {
  const all = texts.map((text = '') => wordsIn(text).map(cut));
  const rows = Array.from({ length: Math.max(0, ...all.map(({ length }) => length)) }, (_, at) =>
    all.flatMap((words) => words[at] ?? []),
  );
  let words: string[] = [];
  const has = (word: string) => (isLong(word) ? words.some((own) => own.startsWith(word)) : words.includes(word));
  for (const word of [...ids.map((id) => cut(fold(id))), ...rows.flat()]) {
    if (has(word)) continue;
    const more = [...words.filter((own) => !isLong(own) || !word.startsWith(own)), word];
    if (more.length <= MOST_WORDS && bytesOf(more.join(' ')) <= MOST_BYTES) words = more;
  }
  const lacking = all.filter((own) => !own.every(has));
  if (lacking.length === 0) return { words };
  const firsts = lacking.flatMap((own) => words.find((word) => own[0] !== undefined && word.startsWith(own[0])) ?? []);
  return { words, firsts: [...new Set(firsts)] };
}

export const SEARCHED_WORDS = 'a letter or digit';

/** The words of a search, in its order; `undefined` unless it has {@link SEARCHED_WORDS}. */
export function searchedWords(text: string): string[] | undefined {
  const words = foldWithApostrophes(text)
    .split(/\s+/)
    .flatMap((part) => (UUID_START.test(part) ? [part] : split(part)));
  return words.length > 0 ? words : undefined;
}

/** The most words of a search whose entries are compared. */
const MOST_LEADS = 5;

/** The words of a search that lead to entries: the longest, or if each has one letter, the first two as one. */
export function leadsOf(words: string[]): string[] {
  const long = [...new Set(words.filter(isLong).map(cut))];
  return long.length > 0
    ? long.sort((one, other) => other.length - one.length).slice(0, MOST_LEADS)
    : [join(words.slice(0, 2))];
}

/** What people write before an identifier: `S/N 401735882`, `TID: …`. */
const LABEL = /^(?:[\p{L}/. ]{1,30}[:#]|s\/n)\s*/iu;

/** A text that may be an identifier, without the label before it. */
export const withoutLabel = (text: string): string => text.replace(LABEL, '').trim();
