import { marksIn } from './marksIn.ts';

/** A text in which what a search has found it by is marked: see {@link marksIn}. */
export function Marked({ text, typed, isWithin = false }: { text: string; typed: string; isWithin?: boolean }) {
  // Every other part is a mark.
  const places = [0, ...marksIn(text, typed, { isWithin }).flat(), text.length];
  return places.slice(1).map((to, at) => {
    const Part = at % 2 === 1 ? 'mark' : 'span';
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is told by its place alone
    return <Part key={at}>{text.slice(places[at], to)}</Part>;
  });
}
