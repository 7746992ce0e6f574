import type { ElementType, ReactNode } from 'react';
import { jsx as elementOf, Fragment } from 'react/jsx-runtime';

/*
 * React's JSX runtime, for the console and all components that it uses (vite.config.ts), with one
 * difference: a text is never beside an element. `<b>{n} of {all}</b>` has one child, and in `<p><b>Note</b>
 * {text}</p>` the text gets a <span>.
 *
 * Translators of browsers put elements of their own in place of text nodes. React would go on with a node that is in
 * the page no more: what it changes there nobody sees, and removing it, or inserting before it, throws
 * (https://github.com/facebook/react/issues/11538). A text that is all of an element has no node of React's: React sets
 * and removes the contents of the element.
 */

export { Fragment };

const isText = (child: ReactNode): child is string | number | bigint =>
  typeof child === 'string' || typeof child === 'number' || typeof child === 'bigint';
const isNothing = (child: ReactNode): boolean => child === null || child === undefined || typeof child === 'boolean';

/**
 * Children in which texts beside each other are one `<span>`, at the place of the first. Elements keep their places.
 */
function apart(children: ReactNode[]): ReactNode[] {
  const kept: ReactNode[] = [];
  let [text, place] = ['', 0];
  const end = () => {
    // Translators leave spaces alone, and in a row or a grid they would take a place of their own as elements.
    if (text !== '') kept[place] = text.trim() === '' ? text : elementOf('span', { children: text });
    text = '';
  };
  for (const child of children) {
    if (isText(child) && text === '') place = kept.length;
    if (isText(child)) text += child;
    else if (!isNothing(child)) end();
    kept.push(isText(child) ? null : Array.isArray(child) ? apart(child) : child);
  }
  end();
  return kept;
}

/** Children of which none is a text beside others, and none at all in a fragment: it is no element. */
function withTextsApart(type: ElementType, children: ReactNode): ReactNode {
  const all = Array.isArray(children) ? children : [children];
  if (!all.some((child) => isText(child) || Array.isArray(child))) return children;
  const isAll = type !== Fragment && all.every((child) => isText(child) || isNothing(child));
  return isAll ? all.filter(isText).join('') : apart(all);
}

export const jsx: typeof elementOf = (type, props, key) => {
  const { children } = props as { children?: ReactNode };
  const kept = withTextsApart(type, children);
  return elementOf(type, kept === children ? props : { ...(props as object), children: kept }, key);
};
/** The same: React's two differ only in development. */
export const jsxs: typeof elementOf = (type, props, key) => jsx(type, props, key);
