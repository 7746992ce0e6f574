import { expect, test } from '@jest/globals';
import { suggestion } from '../../../../infra/operate/cli/names.ts';

const suggestedFor = (text: string, ...names: string[]) =>
  suggestion(
    text,
    names.map((name) => ({ name })),
  );

test.each([
  ['two letters of seven differ', 'Peyfeir', ['Quickpay', 'Payfair'], ' Did you mean Payfair?'],
  ['one letter of three differs', 'Pai', ['Pay', 'Pax', 'Par'], ' Did you mean Pay or Pax or Par?'],
  ['two letters of three differ', 'Pai', ['Pax1', 'Tax'], ''],
  ['one of two letters differs', 'Pa', ['Po'], ''],
  [
    'it is part of a name',
    'north',
    ['Northgate Distribution', 'Northg'],
    ' Did you mean Northg or Northgate Distribution?',
  ],
  ['two acquirers have the same name', 'north', ['Northgate', 'Northgate'], ' Did you mean Northgate?'],
])('names are suggested for a text by the letters that differ: %s', (_, text, names, expected) => {
  expect(suggestedFor(text, ...names)).toBe(expected);
});

test('at most five names are suggested, the most similar ones first', () => {
  const names = ['Aardvark Pay', 'Banana', 'A1', 'Alpha', 'Java', 'Data', 'A'];
  expect(suggestedFor('a', ...names)).toBe(' Did you mean A or A1 or Java or Data or Alpha?');
});
