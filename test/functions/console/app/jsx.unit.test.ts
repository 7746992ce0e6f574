import { expect, test } from '@jest/globals';

/** Imported by its path, because with its types React declares a DOM for all tests. */
const RUNTIME: string = '../../../../functions/console/app/jsx.ts';
type Jsx = (type: unknown, props: { children?: unknown }) => { props: { children?: unknown } };
const { Fragment, jsx }: { Fragment: symbol; jsx: Jsx } = await import(RUNTIME);

/** The children of an element, by its type and the children that it is made with. */
const inside = (type: unknown, ...children: unknown[]): unknown =>
  jsx(type, { children: children.length === 1 ? children[0] : children }).props.children;
const span = (text: string) => jsx('span', { children: text });
const icon = jsx('svg', {});

test('texts that are all of an element are one text', () => {
  expect(inside('b', 'text')).toBe('text');
  expect(inside('b', 9, ' of ', 12n, false, null, undefined, ' terminals')).toBe('9 of 12 terminals');
  expect(inside(() => null, 'for ', 'a component')).toBe('for a component');
  expect(inside('p', ['a', ' list'])).toBe('a list');
});

test('a text beside an element gets one of its own, and the others keep their places', () => {
  expect(inside('p', icon, 'text')).toEqual([icon, span('text')]);
  expect(inside('p', 3, ' of ', icon, ' more', '.')).toEqual([span('3 of '), null, icon, span(' more.'), null]);
  expect(inside('p', false, 'text', null, icon)).toEqual([false, span('text'), null, icon]);
  expect(inside('p', icon, [icon, 'text'])).toEqual([icon, [icon, span('text')]]);
  expect(inside(() => null, icon, 'text')).toEqual([icon, span('text')]);
});

test('a text in a fragment gets an element, because the fragment is none', () => {
  expect(inside(Fragment, 'text')).toEqual([span('text')]);
  expect(inside(Fragment, 1, ' text')).toEqual([span('1 text'), null]);
});

test('spaces between elements, and what is no text, stay as they are', () => {
  expect(inside('p', icon, ' ', icon)).toEqual([icon, ' ', icon]);
  expect(inside('p', icon)).toBe(icon);
  expect(jsx('input', {}).props).toEqual({});
  const render = () => icon;
  expect(inside(() => null, render)).toBe(render);
});
