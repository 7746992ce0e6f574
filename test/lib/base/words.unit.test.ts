import { expect, test } from '@jest/globals';
import { fold, searchedWords, wordsOf } from '../../../lib/base/words.ts';

test.each([
  ['case', 'Porto', 'pORTO'],
  ['accents', 'Ação', 'Acao'],
  ['how accents are composed', 'Café', 'Cafe\u0301'],
  ['a sharp s', 'Straße', 'STRASSE'],
  ['a capital sharp s', 'STRAẞE', 'strasse'],
  ['letters with a stroke', 'Łódź Ħal Ŧ', 'lodz hal t'],
  ['ligatures', 'Cœur Æ ﬁ', 'coeur ae fi'],
  ['width', 'ＷＩＤＥ', 'wide'],
  ['a final sigma', 'ΗΛΙΟΣ', 'ήλιος'],
])('folding a text ignores %s', (_, one, other) => {
  expect(fold(one)).toBe(fold(other));
});

/** Names whose letters have more than one form: of case, of composition, with many marks. */
const NAMES = [
  ...['Ğİüşöçı', 'ISPARTA ışık', 'İstanbul', 'Straße', 'ŁÓDŹ', 'Ångström', 'Øl & Æbler', 'Đà Nẵng', 'Þór', 'ŉ ǰ ﬁ'],
  ...['ΟΔΟΣ ΣΟΦΟΣ', 'ΜΟΥΣΑΚΑΣ', 'Ελλάς', 'МОЛОКО ЁЖ', 'Ⴀⴀ', 'ᏣᎳᎩ', '𐐔𐐇𐐝𐐀𐐡𐐇𐐓', '𝔊𝔬𝔱𝔥', '𞤀𞤁', 'Café', 'Cafe\u0301'],
  ...['Z\u0351\u036b\u0343a\u0363\u0363l\u033b\u033c\u0323g\u0321o\u0337\u0321', 'é'.repeat(255)],
];

test.each(NAMES)('a name is found in any case, by each half, composed and decomposed: %s', (name) => {
  // Letters as people see them, so none loses its marks.
  const letters = Array.from(
    new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name),
    (each) => each.segment,
  );
  const half = Math.ceil(letters.length / 2);
  const searches = [
    ...[name.toUpperCase(), name.toLowerCase(), name.toUpperCase().toLowerCase(), name.normalize('NFD')],
    ...[letters.slice(0, half).join(''), letters.slice(-half).join('').normalize('NFC')],
  ];
  expect(searches.filter((search) => !fold(name).includes(fold(search)))).toEqual([]);
});

test.each([
  ['words', ' café  PORTO ', ['CAFE', 'PORTO']],
  ['a word that is sent twice', 'porto Porto', ['PORTO']],
  ['a word with an apostrophe', 'l’aquila', ['LAQUILA']],
  ['words with other characters between', 'porto,faro-24/7a', ['PORTO', 'FARO', '24', '7A']],
  ['a UUID', '8D3e9c1a-ab12-4f00-8000-0123456789ab', ['8D3E9C1A-AB12-4F00-8000-0123456789AB']],
  ['the beginning of a UUID', '8d3e9c1a-a', ['8D3E9C1A-A']],
  ['the beginning of a UUID of digits', '12345678-1234-', ['12345678-1234-']],
  ['two numbers', '20240105-1200', ['20240105', '1200']],
])('a search for %s: "%s" has the words %j', (_, search, words) => {
  expect(searchedWords(search)).toEqual(words);
});

test.each([
  ['no word', ' - '],
  ['a word of one letter', 'porto a'],
  ['six words', 'aa bb cc dd ee ff'],
])('a search for %s is invalid', (_, search) => {
  expect(searchedWords(search)).toBeUndefined();
});

test.each([
  ['are each counted once', ['A1'], ['Casa Verde', 'casa'], ['A1', 'CASA', 'VERDE']],
  ['have at least two letters', ['A'], ['O Café'], ['CAFE']],
  ['with an apostrophe count with their parts', [], ['L’Aquila'], ['LAQUILA', 'AQUILA']],
  ['are no beginnings of others', [], ['Bar Barcelona', undefined], ['BARCELONA']],
  ['have at most 32 letters', [], ['x'.repeat(255)], ['X'.repeat(32)]],
])('the words of a branch %s', (_, ids, texts, words) => {
  expect(wordsOf(ids, texts)).toEqual(words);
});

test('of a branch, the first twelve words count, and of these those that take at most 256 bytes', () => {
  const numbered = Array.from({ length: 20 }, (__, at) => `word${String.fromCharCode(97 + at)}`);
  expect(wordsOf(['A1'], [numbered.join(' ')])).toEqual([
    'A1',
    ...numbered.slice(0, 11).map((word) => word.toUpperCase()),
  ]);
  const long = numbered.map((word) => word.padEnd(32, 'x'));
  expect(wordsOf([], [long.join(' ')])).toHaveLength(7);
});
