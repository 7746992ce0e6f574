import { withoutLabel } from '../../../../lib/base/words.ts';
import { plain } from './filterRows.ts';

/**
 * The parts of a shown text that a search has found: letters and digits as they are typed, whatever their case and
 * accents, also across the dashes of an ID.
 *
 * @returns Where each part begins and ends, in their order. They do not overlap.
 */
export function marksIn(text: string, typed: string): [from: number, to: number][] {
  const words = [...typed.split(/\s+/), withoutLabel(typed)].map(plain).filter((word) => word !== '');
  if (words.length === 0) return [];
  let folded = '';
  /** For each character of the folded text, where it is in the text. */
  const places: [from: number, to: number][] = [];
  for (const { 0: character, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const letters = /\s/.test(character) ? ' ' : plain(character);
    folded += letters;
    for (const _ of letters.split('')) places.push([index, index + character.length]);
  }
  const isMarked = new Uint8Array(text.length);
  for (const word of words)
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1))
      isMarked.fill(1, places[at]?.[0], places[at + word.length - 1]?.[1]);
  return [...isMarked.join('').matchAll(/1+/g)].map(({ 0: run, index }) => [index, index + run.length]);
}
