import { Fragment } from 'react';
import { marksIn } from './marksIn.ts';

/** A text in which what a search has found it by is marked: see {@link marksIn}. */
export function Marked({ text, typed, isWithin = false }: { text: string; typed: string; isWithin?: boolean }) {
  const marks = marksIn(text, typed, { isWithin });
  if (marks.length === 0) return text;
  return marks.map(([from, to], at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text
    <Fragment key={at}>
      {text.slice(marks[at - 1]?.[1] ?? 0, from)}
      <mark>{text.slice(from, to)}</mark>
      {at === marks.length - 1 && text.slice(to)}
    </Fragment>
  ));
}
