import { markedParts } from './markedParts.ts';
import { Verbatim } from './Verbatim.tsx';

/** A name or an ID, in which what was typed is marked. */
export const Marked = ({ text, typed }: { text: string; typed: string }) => (
  <Verbatim>
    {markedParts(text, typed).map((part, at) => {
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is told by its place alone
      return part.isMarked ? <mark key={at}>{part.text}</mark> : <span key={at}>{part.text}</span>;
    })}
  </Verbatim>
);
