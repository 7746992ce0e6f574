const WORD = /([\p{L}\p{M}\p{N}]+)/u;
const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase();

export interface Part {
  text: string;
  isMarked: boolean;
}

/** The words of what was typed. Those of one letter would mark too much. */
function wordsOf(typed: string): string[] {
  const words = fold(typed)
    .split(WORD)
    .filter((_, at) => at % 2 === 1);
  const long = words.filter(({ length }) => length > 1);
  return long.length > 0 ? long : words;
}

/** The letters of a word that are those of a typed one: from its beginning or, of an ID, anywhere. */
function lettersOf(word: string, typed: string): [from: number, to: number] {
  // Folding can make a letter longer or shorter.
  const starts = [0];
  for (const letter of word) starts.push((starts.at(-1) as number) + fold(letter).length);
  const at = /\p{N}/u.test(typed) ? fold(word).indexOf(typed) : fold(word).startsWith(typed) ? 0 : -1;
  if (at === -1) return [0, 0];
  return [starts.findLastIndex((start) => start <= at), starts.findIndex((start) => start >= at + typed.length)];
}

/** A text in parts, of which those are marked that have what was typed. */
export function markedParts(text: string, typed: string): Part[] {
  const words = wordsOf(typed);
  const parts = text.split(WORD).flatMap((word, at) => {
    const letters = [...word];
    const places = at % 2 === 1 ? words.map((each) => lettersOf(word, each)) : [];
    const [from, to] = places.reduce((one, other) => (other[1] - other[0] > one[1] - one[0] ? other : one), [0, 0]);
    return [
      { text: letters.slice(0, from).join(''), isMarked: false },
      { text: letters.slice(from, to).join(''), isMarked: true },
      { text: letters.slice(to).join(''), isMarked: false },
    ];
  });
  return parts.filter((part) => part.text !== '');
}

/** Whether a text has what was typed. */
export const isMarked = (text: string, typed: string): boolean =>
  markedParts(text, typed).some((part) => part.isMarked);
