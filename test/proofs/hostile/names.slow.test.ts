import { beforeAll, expect, test } from '@jest/globals';
import { call } from '../../support/api.ts';
import '../../support/patient.ts';
import { addNames, type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { NAMES_OF_PROGRAMS, NO_IDENTIFIERS } from './values.ts';

/*
 * Valid names that may look like an attack: names of shops in any script and with any character that people write. They
 * are returned as they were sent everywhere, and a search for them finds them.
 */

const NAMES: string[] = [
  // Characters that are special to some program on the way.
  ...["Sainsbury's", 'Marks & Spencer', 'The "Corner" Shop', 'No. #1 / Nº 2', 'A\\B', '100 % Bio', 'C:\\>'],
  ...['50% %zz %00', "Robert'); DROP TABLE students;--", '<b>Bold</b> & <i>co</i>', '&amp; &lt; &#39;', '=1+1'],
  ...['{{7*7}} #{7*7} %{7*7}', '@SUM(A1)', '-1', '+1', '../../etc/passwd', '%s%n', '$(id) `id` | & ; !', '[]', '{}'],
  ...['{"S":"x"}', '"', "'", '`', '~!@#$%^&*()_+-=[]{}|;:,.<>/?', 'ACQUIRER#1', 'MASTER_MERCHANT#', ':x', '#x'],
  ...NAMES_OF_PROGRAMS,
  ...NO_IDENTIFIERS.map(([, text]) => text),
  // Scripts: right to left with points and marks, without letter case, with combining marks, of 4 bytes.
  ...['מַכֹּלֶת', 'مَتْجَر الزاوية ١٢٣', 'بقالة 24/7 (القاهرة)', 'ร้านค้า', 'दुकान १२', 'ক্ষুদ্র দোকান'],
  ...['점포', '商店', '東京 カフェ', '𠮷野家', '𝔊𝔬𝔱𝔥', '𞤀𞤁'],
  ...['Ğİüşöçı', 'ISPARTA ışık', 'İstanbul', 'Straße', 'ŁÓDŹ', 'Ångström', 'Øl & Æbler', 'Đà Nẵng', 'Þór', 'ŉ ǰ ﬁ'],
  ...['ΟΔΟΣ ΣΟΦΟΣ', 'ΜΟΥΣΑΚΑΣ', 'Ελλάς', 'МОЛОКО ЁЖ', 'Ⴀⴀ', 'ᏣᎳᎩ', '𐐔𐐇𐐝𐐀𐐡𐐇𐐓'],
  // Composed and decomposed, and with more marks than usual.
  ...['Café', 'Cafe\u0301', '\u1100\u1161\u11a8'],
  'Z\u0351\u036b\u0343a\u0363\u0363l\u033b\u033c\u0323g\u0321o\u0337\u0321',
  // Several code points drawn as one: families, skin tones, flags, keycaps.
  ...['👨‍👩‍👧‍👦 Family', '👍🏽👩🏿‍🔬', '🏴󠁧󠁢󠁥󠁮󠁧󠁿🇵🇹', '#️⃣1️⃣', '☕️', '❤︎'],
  // Blanks within a name, and characters without width anywhere.
  ...['tab\tstop', 'two\nlines', 'two\r\nlines', 'no\u00a0break', '全\u3000角', '\u200e\u200fmarks\u202c'],
  ...['byte\ufefforder', 'a\u2028b', '\u00ad', '\ufffe\uffff', '\ue000', '\u{10ffff}', '.', '-'],
  ...['🏪'.repeat(255), 'é'.repeat(255), 'e\u0301'.repeat(127), `a${'\u0301\u0323'.repeat(127)}`, '\ufdfa'.repeat(255)],
];

/** The fields of a branch that responses show. */
const FIELDS = ['branch_name', 'area', 'city', 'master_merchant_name'] as const;
const MOST_TERMINALS = 40;

/** Splits names into lists of at most so many. */
const inLists = (names: string[], most: number): string[][] =>
  names.length > 0 ? [names.slice(0, most), ...inLists(names.slice(most), most)] : [];

/** Names that fit into a key of the table, as names of payment apps and master acquirers are part of one. */
const KEY_NAMES = NAMES.filter((name) => Buffer.byteLength(name) <= 1000);

let provider: Caller;
beforeAll(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  for (const names of inLists(KEY_NAMES, 99)) await addNames(provider, { paymentApps: names, masterAcquirers: names });
});

test('a name of a branch or master merchant is returned as it was sent when it is created, listed and looked up', async () => {
  const { key } = provider;
  const owners: string[] = [];
  for (const names of inLists(NAMES, FIELDS.length)) {
    const sent = Object.fromEntries(names.map((name, at) => [FIELDS[at], name]));
    const { mid, ...created } = await newBranch(provider, sent);
    const { branch_name, ...others } = sent;
    const shown = { merchant_name: branch_name, ...others };
    expect(created).toMatchObject(shown);
    const [listed] = (await call('listBranches', { key, query: { per_page: '1' } })).body.data;
    expect(listed).toMatchObject({ mid, ...shown });
    owners.push(sent['master_merchant_name'] ?? created.master_merchant_id);
  }
  const { data } = (await call('lookup', { key, path: { method: 'masterMerchants' } })).body;
  expect(data.map(({ text }: { text: string }) => text).sort()).toEqual(owners.sort());
});

test('a name of a terminal, payment app or master acquirer is returned as it was sent when it is created, listed and looked up', async () => {
  const { key } = provider;
  const { mid } = await newBranch(provider);
  const named = (name: string) => ({ terminal_model: name, payment_app: name, acquirer_name: name });
  for (const names of inLists(KEY_NAMES, MOST_TERMINALS)) {
    const terminals = names.map((name) => ({ terminal_id: unique('T'), ...named(name) }));
    const { body } = await call('createTerminals', { key, path: { id: mid }, body: { terminals } });
    expect(body.data).toMatchObject(terminals);
  }
  for (const [at, page] of inLists(KEY_NAMES, 100).entries()) {
    const query = { sort: 'asc', per_page: '100', page: String(at + 1) };
    const { body } = await call('listTerminals', { key, path: { id: mid }, query });
    expect(body.data).toMatchObject(page.map(named));
  }
  for (const method of ['paymentApp', 'acquirers']) {
    const { data } = (await call('lookup', { key, path: { method } })).body;
    expect(data).toEqual(expect.arrayContaining(KEY_NAMES.map((name) => ({ key: name, text: name }))));
  }
});

/** Letters as people see them, so none loses its marks. */
const letters = (name: string): string[] =>
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name)].map(({ segment }) => segment);
const half = (name: string): number => Math.ceil(letters(name).length / 2);

test('a name with letters beyond English is found in a lookup in any case, by each half, composed and decomposed', async () => {
  const written = KEY_NAMES.filter((name) => /(?![ -~])\p{Cased}/u.test(name) && name.normalize('NFD').length <= 255);
  const { key } = provider;
  const searchesOf = (name: string): string[] => [
    ...[name.toUpperCase(), name.toLowerCase(), name.toUpperCase().toLowerCase(), name.normalize('NFD')],
    letters(name).slice(0, half(name)).join(''),
    letters(name).slice(-half(name)).join('').normalize('NFC'),
  ];
  const lost: string[] = [];
  for (const name of written)
    for (const search of searchesOf(name)) {
      const { body } = await call('lookup', { key, path: { method: 'paymentApp' }, query: { search } });
      if (!body.data.some(({ text }: { text: string }) => text === name)) lost.push(`${name} by ${search}`);
    }
  expect(lost).toEqual([]);
});
