import { Fragment, type ReactNode } from 'react';

/** Puts values into a text at `{name}`, so that a translation can order them as its language does. */
export const fill = (text: string, values: Record<string, ReactNode>): ReactNode[] =>
  text.split(/\{(\w+)\}/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    <Fragment key={at}>{at % 2 === 0 ? part : values[part]}</Fragment>
  ));
