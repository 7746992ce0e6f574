import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cut, fold, isLong, leadsOf, searchedWords, wordsOf } from '../../../lib/base/words.ts';
import { runs, seed } from '../../support/depth.ts';
import shopNames from './shopNames.json' with { type: 'json' };

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
  ['which apostrophe it is', 'Kāneʻohe Hawai‘i McDonald`s McDonald´s', "kaneohe hawaii mcdonald's mcdonalds"],
  ['other apostrophes', 'O’Neill Noʼam Ma\u2032or Qurʾan צ׳יפס', 'ONeill noam maor quran ציפס'],
  ['forms of alef', 'أحمد إسلام آسيا ٱلله', 'احمد اسلام اسيا الله'],
  ['points of Arabic and Hebrew', 'مُحَمَّد שָׁלוֹם', 'محمد שלום'],
  ['a tatweel, and forms of yeh, kaf and teh marbuta', 'مـــقهى کافه شركة', 'مقهي كافه شركه'],
  ['characters that are not shown', 'می\u200cخواهم Ca\u00adfé', 'ميخواهم cafe'],
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
  ['a word with an apostrophe', 'l’aquila', ['LAQUILA']],
  ['words with other characters between', 'porto,faro-24/7a', ['PORTO', 'FARO', '24', '7A']],
  ['words of one letter', 'T.J. Maxx', ['T', 'J', 'MAXX']],
  ['six words', 'aa bb cc dd ee ff', ['AA', 'BB', 'CC', 'DD', 'EE', 'FF']],
  ['a text without spaces', '東京駅カフェ24', ['東京', '京駅', '駅カ', 'カフ', 'フェ', '24']],
  ['Thai', 'ร้านน้ำ', ['ร้า', 'าน', 'นน้ํ', 'น้ํา']],
  ['a UUID', '8D3e9c1a-ab12-4f00-8000-0123456789ab', ['8D3E9C1A-AB12-4F00-8000-0123456789AB']],
  ['the beginning of a UUID', '8d3e9c1a-a', ['8D3E9C1A-A']],
  ['the beginning of a UUID of digits', '12345678-1234-', ['12345678-1234-']],
  ['two numbers', '20240105-1200', ['20240105', '1200']],
])('a search for %s: "%s" has the words %j', (_, search, words) => {
  expect(searchedWords(search)).toEqual(words);
});

test.each([
  ['no word', ' - '],
  ['a picture', '☕'],
])('a search for %s is invalid', (_, search) => {
  expect(searchedWords(search)).toBeUndefined();
});

test.each([
  ['are each counted once', ['A1'], ['Casa Verde', 'casa'], ['A1', 'CASA', 'VERDE']],
  ['can have one letter', ['A'], ['Pane e Vino'], ['A', 'PANE', 'VINO', 'E']],
  ['are also runs of one letter, with the next word', [], ['H&M Chiado'], ['CHIADO', 'HMCHIADO', 'H', 'M']],
  ['are also such a word at the end, with the one before', [], ['Filiale 3'], ['FILIALE3', '3']],
  ['are pairs of letters where there are no spaces', [], ['駅前カフェ'], ['駅前', '前カ', 'カフ', 'フェ']],
  ['are first those that begin each text', [], ['One Two', 'Three'], ['ONE', 'THREE', 'TWO']],
  ['with an apostrophe count with their parts', [], ['L’Aquila'], ['LAQUILA', 'AQUILA']],
  ['are no beginnings of others', [], ['Bar Barcelona', undefined], ['BARCELONA']],
  ['have at most 32 letters', [], ['x'.repeat(255)], ['X'.repeat(32)]],
])('the words of a branch %s', (_, ids, texts, words) => {
  expect(wordsOf(ids, texts)).toEqual({ words });
});

test('of a branch, sixteen words with at most 400 bytes count, and it says if it has more', () => {
  const numbered = Array.from({ length: 20 }, (__, at) => `WORD${String.fromCharCode(65 + at)}`);
  expect(wordsOf(['A1'], [numbered.join(' '), 'Porto'])).toEqual({
    words: ['A1', 'WORDA', 'PORTO', ...numbered.slice(1, 14)],
    firsts: ['WORDA'],
  });
  const long = numbered.map((word) => word.padEnd(32, 'X'));
  expect(wordsOf([], [long.join(' ')])).toEqual({ words: long.slice(0, 12), firsts: [long[0]] });
});

/** Letters and digits of twelve scripts, those with marks, and what stands between words. */
const SCRIPTS = {
  Latin: 'abcdeoszAÉÑÖŁßığ7',
  Greek: 'αβγδσςάήΩ',
  Cyrillic: 'абвгдёйжЯї',
  Arabic: ['ا', 'أ', 'إ', 'ب', 'حَ', 'مُ', 'ى', 'ة', 'ک', '٣'],
  Hebrew: ['א', 'ב', 'שָׁ', 'לוֹ', 'ם'],
  Devanagari: ['क', 'कि', 'क्ष', 'मुं', 'ई', 'ड़', '३'],
  Bengali: ['ক', 'কো', 'বাং', 'লা'],
  Thai: ['ร้า', 'น', 'น้ำ', 'เ', 'กี่', '๓'],
  Khmer: ['ក', 'ខ្ម', 'រ៉ូ', 'ភ្នំ'],
  Han: '東京駅前店北',
  Kana: ['カ', 'フェ', 'ガ', 'が', 'ー', 'ﾊﾟ'],
  Hangul: '서울한국점',
};
const SEPARATORS = [' ', ' ', ' ', '', '', '-', '&', '. ', '/', '’', "'", 'ʻ', '´', ' 3 ', ' é ', '☕'];
const name = fc
  .constantFrom(...Object.values(SCRIPTS).map((letters) => [...letters]))
  .chain((letters) =>
    fc.array(
      fc.tuple(
        fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 8 }),
        fc.constantFrom(...SEPARATORS),
      ),
      { minLength: 1, maxLength: 20 },
    ),
  )
  .map((words) => words.flat().join('').slice(0, 255).toWellFormed());
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Whether a search as lib/table/wordSearch.ts does it finds something, whichever of its leading words has the fewest
 * entries.
 */
function isFound(search: string, { words, firsts }: ReturnType<typeof wordsOf>): boolean {
  const searched = searchedWords(search) ?? [];
  const [distinct, leads] = [[...new Set(searched.map(cut))], leadsOf(searched)];
  const begins = (word: string) => words.some((own) => own.startsWith(word));
  const leadsTo = (word: string) => (isLong(word) ? begins(word) : words.includes(word));
  const whole = distinct.some(isLong) ? [] : distinct.slice(0, -1);
  if (!firsts) return leads.every(leadsTo) && distinct.every(begins) && whole.every((word) => words.includes(word));
  const first = distinct.length > 2 ? distinct.find(isLong) : undefined;
  const isLed = leads.every(leadsTo) || firsts.some((own) => first && own.startsWith(first));
  return isLed && distinct.filter(begins).length >= Math.min(2, distinct.filter(isLong).length);
}

/** The searches by a name and its beginnings that do not find what has these words. */
function missed(text: string, words: ReturnType<typeof wordsOf>): string[] {
  const letters = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
  const beginnings = letters.map((_, at) => letters.slice(0, at + 1).join(''));
  const searches = [
    ...beginnings.filter((each) => (fold(each).match(/[\p{L}\p{N}]/gu) ?? []).length >= 2),
    ...(searchedWords(text) ? [text, text.toUpperCase(), text.normalize('NFD')] : []),
  ];
  return searches.filter((search) => !isFound(search, words));
}

test('every name of 12 scripts is found by itself, and by its beginnings of at least two letters or digits', () => {
  fc.assert(
    fc.property(name, name, fc.constantFrom('Porto', '東京', 'القاهرة'), (branch, business, city) => {
      const words = wordsOf(['MID0001', 'MM00001'], [branch, city, 'Baixa', business]);
      expect(words.words.length).toBeLessThanOrEqual(16);
      expect(Buffer.byteLength(words.words.join(' '))).toBeLessThanOrEqual(400);
      for (const text of [branch, city, business]) expect([text, missed(text, words)]).toEqual([text, []]);
    }),
    // Two words that are the same once they are cut.
    {
      numRuns: runs(300, 70),
      seed,
      examples: [['Ł ğ a 3 7 z', 'বাংবাংকোবাংবাংক বাংবাংকোবাংবাংকো কক কবাং’লা কʻকোক ক 3', 'Porto']],
    },
  );
});

/**
 * Names of brands by the country that alone has them, from the name-suggestion-index of 2026-08-22, which has the
 * licence BSD 3-Clause (https://github.com/osmlab/name-suggestion-index); and others, as shops write them.
 */
const BRANDS = Object.values(shopNames.brands).map((names) => names.split('|'));
const SHOPS = [...BRANDS.flat(), ...shopNames.others.split('|')];

test(`each of ${SHOPS.length} names of shops in ${BRANDS.length} countries is found by itself and its beginnings`, () => {
  expect(new Set(BRANDS.flat()).size).toBeGreaterThan(500);
  for (const [at, shop] of SHOPS.entries()) {
    const business = SHOPS[(at * 7 + 1) % SHOPS.length] as string;
    const words = wordsOf(['MID0001', 'MM00001'], [shop, 'São João da Madeira', 'Praça 8 de Maio', business]);
    expect([shop, missed(shop, words), missed(business, words)]).toEqual([shop, [], []]);
  }
});
