import { withoutInvisible } from '../../../lib/base/invisible.ts';
import { cut, fold, searchedWords, withoutLabel, wordsIn } from '../../../lib/base/words.ts';

/*
 * What a typed text finds: parts of IDs, and names as the search of the service finds them.
 */

/** An ID or serial number without what does not count, such as spaces, dashes and what is not shown. */
export const plainId = (text: string): string =>
  withoutInvisible(text)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();

/** Letters and digits alone: `0172-55` is a part of an ID. */
export const plain = (text: string): string => fold(text).replace(/[^\p{L}\p{M}\p{N}]/gu, '');

/** An ID as one word, without its dashes. */
export const idWord = (id: string | null): string => (id === null ? '' : ` ${id.toUpperCase().replaceAll('-', '')}`);

/** The words by which the service finds a text. */
export const nameWords = (text: string | null): string => (text === null ? '' : ` ${wordsIn(text).map(cut).join(' ')}`);

/**
 * What a word of a search must be in a row: these letters anywhere, or words that begin so, as the service finds them.
 */
interface Sought {
  part: string;
  /** Each after a space. A word that is too long for the service is all of a word, and not the beginning of an ID. */
  beginnings: string[];
}

const beginningsOf = (text: string): string[] =>
  (searchedWords(text) ?? []).map((word) => (cut(word) === word ? ` ${word}` : ` ${cut(word)} `));

const UUID = /^[0-9A-F]{32}$/;

/** What is sought by a typed text. */
export interface Search {
  /** Each of them must be found. None if the text has no letter or digit, so that everything is found. */
  words: Sought[];
  /** An ID that was typed with spaces or a label, which is enough. */
  whole: string | undefined;
  /** A TID, which is enough. */
  tid: string | undefined;
}

export function searchFor(typed: string): Search {
  const words = typed
    .split(/\s+/)
    .map((text) => ({ part: plain(text), beginnings: beginningsOf(text) }))
    .filter(({ part }) => part !== '')
    // What the part finds, its beginning finds too.
    .map(({ part, beginnings }) => ({ part, beginnings: beginnings.join() === ` ${part}` ? [] : beginnings }));
  const whole = plain(withoutLabel(typed));
  const isNew = whole !== '' && (words.length !== 1 || words[0]?.part !== whole);
  const tid = UUID.test(whole) ? whole.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : undefined;
  return { words, whole: isNew ? whole : undefined, tid };
}
