import { expect, test } from '@jest/globals';
import { isMarked, markedParts } from '../../../../functions/console/app/shared/markedParts.ts';

/** The parts of a text, with those in brackets that are marked. */
const marked = (text: string, typed: string): string =>
  markedParts(text, typed)
    .map((part) => (part.isMarked ? `[${part.text}]` : part.text))
    .join('');

test.each([
  ['the beginnings of words', 'casa ver', 'Casa Verde · Casablanca', '[Casa] [Ver]de · [Casa]blanca'],
  ['no ends of words', 'verde', 'Monteverde', 'Monteverde'],
  ['the longest of several beginnings', 'ca casa', 'Casa', '[Casa]'],
  ['letters with and without accents', 'sao', 'Padaria São João', 'Padaria [São] João'],
  ['letters that are folded to two', 'strass', 'Straße 7', '[Straß]e 7'],
  ['names of other scripts', 'شركة', 'شركة النور', '[شركة] النور'],
  ['parts of an ID, in either case', '0042', 'pt5000427', 'pt50[0042]7'],
  ['an ID behind its label', 'S/N: mv53', 'MV5300', '[MV53]00'],
  ['one letter if there is no more', 'c', 'Casa de Chá', '[C]asa de [C]há'],
  ['nothing without letters and digits', '·', 'Casa · Verde', 'Casa · Verde'],
])('of what is found, these are marked: %s', (_, typed, text, expected) => {
  expect(marked(text, typed)).toBe(expected);
  expect(isMarked(text, typed)).toBe(expected.includes('['));
});
