import { plain } from '../../../../docs/client/estate/search.ts';
import { withoutLabel } from '../../../../lib/base/words.ts';

/** The words of a typed text, and it as a whole: an ID can have spaces. Those of one letter would mark too much. */
function wordsOf(typed: string): string[] {
  const words = [...typed.split(/\s+/), withoutLabel(typed)].map(plain).filter((word) => word !== '');
  const long = words.filter(({ length }) => length > 1);
  return long.length > 0 ? long : words;
}

/**
 * The parts of a shown text that a search has found: letters and digits as they are typed, whatever their case and
 * accents, also across the dashes of an ID.
 *
 * @param options.isWithin Whether the search finds what is within a word, not only its beginning. Of an ID, it always does.
 * @returns Where each part begins and ends, in their order. They do not overlap.
 */
export function marksIn(text: string, typed: string, { isWithin = false } = {}): [from: number, to: number][] {
  const words = wordsOf(typed);
  if (words.length === 0) return [];
  let folded = '';
  /** For each character of the folded text, where it is in the text. */
  const places: [from: number, to: number][] = [];
  for (const { 0: character, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const letters = /\s/.test(character) ? ' ' : plain(character);
    folded += letters;
    for (const _ of letters.split('')) places.push([index, index + character.length]);
  }
  const isInWord = (at: number) => /[\p{L}\p{M}\p{N}]$/u.test(text.slice(0, places[at]?.[0]));
  const isMarked = new Uint8Array(text.length);
  for (const word of words) {
    const isAnywhere = isWithin || /\p{N}/u.test(word);
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1))
      if (isAnywhere || !isInWord(at)) isMarked.fill(1, places[at]?.[0], places[at + word.length - 1]?.[1]);
  }
  return [...isMarked.join('').matchAll(/1+/g)].map(({ 0: run, index }) => [index, index + run.length]);
}
