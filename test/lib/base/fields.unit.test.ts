import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { fieldErrorsOf } from '../../../lib/base/fieldErrors.ts';
import {
  alphanumeric,
  clearable,
  currency,
  email,
  keyName,
  listOf,
  mcc,
  mid,
  name,
  objectOf,
  optional,
  phone,
  searchText,
  storedCode,
  storedText,
  text,
  url,
  uuid,
} from '../../../lib/base/fields.ts';

type Schema = v.GenericSchema<unknown, unknown>;

/** The parsed value, or the field errors. */
function outcome(
  schema: Schema,
  value: unknown,
): { output: unknown } | [pointer: string, code: string, detail: string][] {
  const { success, output, issues = [] } = v.safeParse(schema, value);
  return success ? { output } : fieldErrorsOf(issues).map(({ pointer, code, detail }) => [pointer, code, detail]);
}

const STRING = ['invalid_type', 'Must be a string.'] as const;
const OBJECT = ['invalid_type', 'Must be an object.'] as const;
const REQUIRED = ['required', 'Is required.'] as const;
const LONG = ['too_long', 'Must have at most 255 characters.'] as const;
const CONTROLS = [
  'invalid_format',
  'Must not have control characters, unpaired surrogates, noncharacters such as U+FFFE, or U+FFFD.',
] as const;

const UUID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
const CARD = '4111111111111111';

interface Kind {
  schema: Schema;
  /** Values that are accepted and not changed. */
  accepts: string[];
  /** Values that are texts but not of this kind. */
  rejects?: string[];
  error?: readonly [code: string, detail: string];
}
const KINDS: Record<string, Kind> = {
  'a text': { schema: text, accepts: ['a\tb\r\nc', '東京 🏪', 'a\u200d\u202eb', '🏪'.repeat(255)] },
  'a stored text': { schema: storedText, accepts: ['Café', '東京 🏪', '🏪'.repeat(255)] },
  'a name in a key': {
    schema: keyName,
    accepts: ['Café', 'x'.repeat(255), '🏪'.repeat(250)],
    rejects: [`${'🏪'.repeat(250)}x`],
    error: ['too_long', 'Must have at most 1000 bytes in UTF-8.'],
  },
  'an alphanumeric id': {
    schema: alphanumeric,
    accepts: ['0', '9', 'A', 'Z', 'a', 'z', CARD, 'x'.repeat(255)],
    rejects: ['A-1', 'A 1', 'A\n1', 'A_1', 'Á1', '１', '٣', 'A1#'],
    error: ['invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
  },
  'a MID': {
    schema: mid,
    accepts: ['0', '9', 'A', 'Z', 'a', 'z', CARD, 'X'.repeat(64), UUID],
    rejects: ['x'.repeat(65), 'M-1', 'M 1', 'MÄ1', `${UUID}0`, UUID.slice(1), UUID.replace('-', '')],
    error: ['invalid_format', 'Must be a UUID, or alphanumeric (0-9, A-Z, a-z) with at most 64 characters.'],
  },
  'a UUID': {
    schema: uuid,
    accepts: [UUID, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-9fff-ffff-ffffffffffff'],
    rejects: ['x', `${UUID}0`, `0${UUID}`, UUID.slice(1), UUID.replaceAll('-', ''), UUID.replace('a', 'g')],
    error: ['invalid_format', 'Must be a UUID.'],
  },
  'a currency code': {
    schema: currency,
    // Funds and units of account too.
    accepts: ['EUR', 'USD', 'XTS', 'UYW', 'JPY', 'BHD', 'XAF', 'VED', 'CLF', 'CHE', 'XUA'],
    rejects: ['eur', 'EURO', 'EU', 'AAA', '978'],
    error: ['invalid_format', 'Must be an ISO 4217 code, such as EUR.'],
  },
  'a merchant category code': {
    schema: mcc,
    accepts: ['0000', '5812', '9999'],
    rejects: ['581', '58123', '58 2', '５８１２', 'abcd'],
    error: ['invalid_format', 'Must be four digits.'],
  },
  'an e-mail address': {
    schema: email,
    accepts: [
      ...["Az09.!#$%&'*+/=?^_`{|}~-@example.com", 'a@b.co', '1@2.3', 'a@b--c.d-e', 'office@mail.example.co.uk'],
      ...`a@${'b'.repeat(63)}.${'c'.repeat(63)} info@müller.de josé@exemplo.pt 店@例え.テスト ä@b.de почта@пример.рф`.split(
        ' ',
      ),
    ],
    rejects: [
      ...'nobody @example.com office@ office@localhost office.porto@example a@b@c.de a,b@c.de ä@b ä@ü@b.de'.split(' '),
      ...'a@-ü.de a@ü-.de a@.de a@b..de a@b.de. a@-b.de a@b-.de a@b.-d a@b.d- a@b_c.de <a@b.de>'.split(' '),
      ...[
        'a b@c.de',
        'a\tb@c.de',
        'a[@b.de',
        'a\\@b.de',
        'a@[1].de',
        'a@b.de, c@d.ef',
        `a@${'b'.repeat(64)}.de`,
        `a@b.${'d'.repeat(64)}`,
      ],
    ],
    error: ['invalid_format', 'Must be an e-mail address, such as name@example.com.'],
  },
  'a phone number': {
    schema: phone,
    accepts: ['1', '+1', '112', '+351 210 000 000', '00 49 1'],
    rejects: ['+', '++1', '+ 1', '1+', '1\t2', '1\n2', '1\u06002', '12-34', '(0) 12', '12a', '١'],
    error: [
      'invalid_format',
      'Must be digits, with spaces allowed between them, after an optional +, such as +351 210 000 000.',
    ],
  },
};

describe.each(Object.entries(KINDS))('%s', (_, { schema, accepts, rejects = [], error }) => {
  test('accepts its own values unchanged and rejects any other text', () => {
    expect(accepts.map((value) => outcome(schema, value))).toEqual(accepts.map((output) => ({ output })));
    const errors = rejects.map((value) => [value, outcome(schema, value)]);
    expect(errors).toEqual(rejects.map((value) => [value, [['', ...(error ?? [])]]]));
  });

  test('is trimmed', () => {
    expect(outcome(schema, ` \n${accepts[0]}\u00a0`)).toEqual({ output: accepts[0] });
  });

  test.each([
    ['null', null, REQUIRED],
    ['an empty text', '', REQUIRED],
    ['white space', ' \u00a0\u3000\r\n', REQUIRED],
    ['a number', 5, STRING],
    ['a boolean', false, STRING],
    ['an array', ['x'], STRING],
    ['an object', { x: 1 }, STRING],
    ['256 letters', 'x'.repeat(256), LONG],
    ['256 emoji', '🏪'.repeat(256), LONG],
    ['a very long text', 'x'.repeat(200_000), LONG],
    ['the replacement character of a gateway for broken UTF-8', 'Caf\ufffd', CONTROLS],
    ['a vertical tab', '\v', CONTROLS],
    ['a control character', '\u001b[31mred', CONTROLS],
    ['half of a surrogate pair', 'a\ud83c', CONTROLS],
    ['a noncharacter', 'Shop \ufffe', CONTROLS],
    ['a noncharacter of another plane', 'Shop \u{10ffff}', CONTROLS],
    ['only what is invisible', '\u200b \u3164\ufeff', REQUIRED],
  ])('rejects %s', (_, value, [code, detail]) => {
    expect(outcome(schema, value)).toEqual([['', code, detail]]);
  });
});

test.each([
  ['a MID', mid],
  ['a UUID', uuid],
])('%s in the form of a UUID is converted to lower case, also from braces and a URN', (_, schema) => {
  const upper = UUID.toUpperCase();
  for (const written of [upper, `{${upper}}`, `urn:uuid:${UUID}`, `URN:UUID:${upper}`, `uuid:${UUID}`])
    expect(outcome(schema, written)).toEqual({ output: UUID });
  for (const other of [`{${UUID}`, `${UUID}}`, `{{${UUID}}}`, `urn:${UUID}`, `"${UUID}"`])
    expect(v.is(schema, other)).toBe(false);
});

/** All that Unicode says is ignorable, as regular expressions of the runtime know it. */
const INVISIBLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character));

describe('a code, number or address', () => {
  const CODES = Object.entries(KINDS).filter(([kind]) => !/text|name/.test(kind));

  test.each([
    ...CODES,
    ['a country code', { schema: storedCode, accepts: ['PT'] }] as const,
    ['a URL', { schema: url, accepts: ['https://hooks.example.com/a?b=%20'] }] as const,
  ])('is stored without what is invisible, wherever it is: %s', (_, { schema, accepts }) => {
    const sprinkled = fc.constantFrom(...accepts.filter((value) => /^[ -~]{1,60}$/.test(value))).chain((value) =>
      fc
        .array(fc.array(fc.constantFrom(...INVISIBLE), { maxLength: 2 }), {
          minLength: value.length + 1,
          maxLength: value.length + 1,
        })
        .map((added) => [value, added.map((each, at) => each.join('') + (value[at] ?? '')).join('')] as const),
    );
    fc.assert(
      fc.property(sprinkled, ([value, sent]) => {
        expect(outcome(schema, sent)).toEqual({ output: value });
      }),
    );
  });

  test('is what a phone, a web page and a spreadsheet make of it', () => {
    expect(outcome(phone, '\u202d+351 220 000 000\u202c')).toEqual({ output: '+351 220 000 000' });
    expect(outcome(phone, '\u200e+49\u00a01512\u00a03456789\u2069')).toEqual({ output: '+49 1512 3456789' });
    for (const schema of [mid, alphanumeric])
      expect(outcome(schema, '\ufeff PORTO\u200b0001\u00ad ')).toEqual({ output: 'PORTO0001' });
    expect(outcome(currency, 'EUR\u200b')).toEqual({ output: 'EUR' });
  });

  test('is absent if it has nothing visible, also where it is optional', () => {
    expect(outcome(alphanumeric, '\u200b\u2060')).toEqual([['', ...REQUIRED]]);
    for (const schema of [phone, alphanumeric, storedText])
      expect(outcome(optional(schema), ' \u200b\ufeff')).toEqual({ output: undefined });
    expect(outcome(clearable(alphanumeric), '\u200b')).toEqual({ output: null });
  });

  test('is checked for blanks in time that does not grow with its length', () => {
    expect(v.is(optional(alphanumeric), `${'\ufeff'.repeat(254)}-`)).toBe(false);
  });

  test('is stored without what is invisible also in a list, so that two that look the same are duplicates', () => {
    const ids = [{ id: 'A1' }, { id: 'A\u200b1' }];
    expect(outcome(listOf({ id: alphanumeric }, 'id'), ids)).toMatchObject([['/1/id', 'duplicate', expect.anything()]]);
  });

  test('has other format characters refused: they are visible', () => {
    for (const schema of [alphanumeric, mid, phone, mcc]) expect(v.is(schema, '\u06001234')).toBe(false);
  });
});

test.each([
  ['a no-break space', 'ä\u00a0b@c.de'],
  ['a wide space', 'a@ü\u3000b.de'],
  ['a Kelvin sign', '\u212aim@b.de'],
  ['a grave accent that NFC makes ASCII', 'a\u1fefb@c.de'],
  // نامه‌ای.com and نامهای.com are two domains.
  ['a joiner between letters of another script', 'a@\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com'],
  ['a joiner after a letter with an accent', 'é\u200d@b.de'],
])('an e-mail address with %s is refused: it would be another one', (_, value) => {
  const detail =
    'Must be an e-mail address without spaces, joiners (U+200C, U+200D) and characters that turn into others.';
  expect(outcome(email, value)).toEqual([['', 'invalid_format', detail]]);
});

test('an e-mail address of letters of another script is stored without what is invisible, but for joiners', () => {
  expect(outcome(email, '\u202aпочта\u00ad@пример.рф\u202c')).toEqual({ output: 'почта@пример.рф' });
});

test('a phone number has spaces of any kind, which become single spaces', () => {
  const spaces = [' ', '\u00a0', '\u2007', '\u2009', '\u202f', '\u3000', '  ', ' \u00a0 '];
  for (const space of spaces) expect(outcome(phone, `+351${space}912${space}345`)).toEqual({ output: '+351 912 345' });
});

test.each([
  ['a stored text', storedText],
  ['a name', name],
  ['a name in a key', keyName],
])('%s is converted to NFC, in which it may be longer', (_, schema) => {
  const long = ['', ...LONG];
  expect(outcome(schema, 'Cafe\u0301 Sa\u0303o')).toEqual({ output: 'Caf\u00e9 S\u00e3o' });
  expect(outcome(schema, '\u1112\u1161\u11ab \u30ab\u3099 \u0e01\u0e33')).toEqual({
    output: '\ud55c \u30ac \u0e01\u0e33',
  });
  expect(outcome(schema, 'e\u0301'.repeat(127))).toEqual({ output: '\u00e9'.repeat(127) });
  expect(outcome(schema, '\u0958'.repeat(127))).toEqual({ output: '\u0915\u093c'.repeat(127) });
  expect(outcome(schema, '\u0958'.repeat(128))).toEqual([long]);
});

test('an e-mail address is converted to NFC', () => {
  expect(outcome(email, 'jose\u0301@mu\u0308ller.de')).toEqual({ output: 'jos\u00e9@m\u00fcller.de' });
});

test('an identifier with a character that NFC converts to ASCII is rejected', () => {
  for (const schema of [alphanumeric, mid]) expect(v.is(schema, '\u212a1')).toBe(false);
});

test.each([
  ['nothing', ' ', { output: '' }],
  ['characters that no text may have', ' \u0000\ufffd ', { output: '\u0000\ufffd' }],
  ['255 emoji', '🏪'.repeat(255), { output: '🏪'.repeat(255) }],
  ['256 letters', 'x'.repeat(256), [['', ...LONG]]],
  ['a list', ['x'], [['', ...STRING]]],
])('a text to search for is up to 255 characters of any kind, trimmed: %s', (_, value, expected) => {
  expect(outcome(searchText, value)).toEqual(expected);
});

test('a text has any character but control characters, unpaired surrogates, noncharacters and U+FFFD', () => {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const endsOfPlanes = range(1, 16).flatMap((plane) => range(0x10000 * plane + 0xfff0, 0x10000 * plane + 0xffff));
  const rejected = [...range(0, 0xffff), ...endsOfPlanes].filter(
    (code) => !v.is(text, `a${String.fromCodePoint(code)}b`),
  );
  const controls = [...range(0, 8), 0xb, 0xc, ...range(0xe, 0x1f), ...range(0x7f, 0x9f)];
  // The 66 noncharacters (Unicode §23.7).
  const lastOfPlanes = range(1, 16).flatMap((plane) => [0x10000 * plane + 0xfffe, 0x10000 * plane + 0xffff]);
  const ofFirstPlane = [...range(0xfdd0, 0xfdef), 0xfffd, 0xfffe, 0xffff];
  expect(rejected).toEqual([...controls, ...range(0xd800, 0xdfff), ...ofFirstPlane, ...lastOfPlanes]);
});

test('a name keeps what is invisible: joiners make other words, and emoji', () => {
  for (const value of [
    '\u0646\u0627\u0645\u0647\u200c\u0627\u06cc',
    '\u{1f469}\u200d\u{1f373} Caf\u00e9',
    '\u2764\ufe0f',
  ])
    for (const schema of [text, name, storedText]) expect(outcome(schema, value)).toEqual({ output: value });
});

describe('a stored text', () => {
  const CARD_NUMBER = ['', 'card_number', 'Must not contain a payment card number.'];
  const API_KEY = ['', 'api_key', 'Must not contain an API key. If it is yours, have it revoked.'];

  test.each([
    ['alone', CARD],
    ['in groups', '4111 1111 1111 1111'],
    ['with hyphens', '5555-5555-5555-4444'],
    ['across lines', '4111 1111\r\n1111 1111'],
    ['in full-width digits', '４１１１１１１１１１１１１１１１'],
    ['of 15 digits, as on the card', '3782 822463 10005'],
    ['with its expiry date', '4111 1111 1111 1111 05/26'],
    ['of 15 digits', '378282246310005'],
    ['of 19 digits', '4000000000000000006'],
    ['of 19 digits, in groups', '4000 0000 0000 0000 006'],
    ['after another number', 'till 12 4111 1111 1111 1111 3'],
    ['between letters', 'A4111111111111111Z'],
    ['twice', '4111111111111112 4111111111111111'],
    ['with spaced hyphens', '4111 - 1111 - 1111 - 1111'],
    ['with dashes', '5555\u2013 5555 \u2014 5555 \u2015 4444'],
    ['in a table', '4111 | \t| 1111 | \t| 1111 | \t| 1111'],
    ['with eight characters between groups', `4111${'. . . . '}1111 ... ...1111........1111`],
    [
      'in Arabic digits',
      '\u0664\u0661\u0661\u0661 \u0661\u0661\u0661\u0661 \u0661\u0661\u0661\u0661 \u0661\u0661\u0661\u0661',
    ],
    ['in digits of several scripts', '4111 \u0661\u0661\u0661\u0661 \u06f1\u06f1\u06f1\u06f1 \u0967\u0967\u0967\u0967'],
    ['with what is invisible between the digits', [...CARD].join('\u200b')],
  ])('rejects a card number %s', (_, value) => {
    expect(outcome(storedText, value)).toEqual([CARD_NUMBER]);
  });

  test.each([
    ['a phone number', phone],
    ['an e-mail address', email],
  ])('is what %s is too', (_, schema) => {
    expect(outcome(schema, CARD)).toEqual([CARD_NUMBER]);
  });

  test('rejects a card number and an API key that it would become', () => {
    expect(outcome(phone, '4111   1111\u00a0\u00a0\u00a01111   1111')).toEqual([CARD_NUMBER]);
    const key = Array.from({ length: 500 }, newApiKey).find((each) => each.includes('K')) as string;
    expect(outcome(storedText, key.replace('K', '\u212a'))).toEqual([API_KEY]);
  });

  test('rejects an API key of any acquirer', () => {
    const key = newApiKey();
    for (const value of [key, [...key].join('\u200b'), `key: "${key}".`, `apk_${'A'.repeat(48)} ${key}`])
      expect(outcome(storedText, value)).toEqual([API_KEY]);
  });

  test.each([
    ['a wrong check digit', '4111111111111112'],
    ['a prefix of no issuer', '0000000000000000'],
    ['a reference of 14 digits', '30569309025904'],
    ['14 grouped digits', '3056 930902 5904'],
    ['15 digits of no card scheme', '305693090259043'],
    ['a telephone number of 13 digits', '+49 1512 3456 789 / 4917112345678'],
    ['20 digits that begin like a card number', '40000000000000000060'],
    ['20 digits that end like a card number', '14000000000000000006'],
    ['groups unlike those on a card', '411 111 111 111 111 1'],
    ['two telephone numbers', '+351 22 411 1111, +49 1512 3456 789'],
    ['a street number and a date', 'No. 4111, 1111 Porto, 2026-11-20'],
    ['more than eight characters between groups', '4111 . . . . . 1111 . . . . . 1111 . . . . . 1111'],
    ['words between groups', '4111 and 1111 and 1111 and 1111'],
    ['a wrong check digit in Arabic digits', '\u0664111 1111 1111 1112'],
    ['times of opening', 'Mon 0900 - 1300 / 1500 - 1900, Tue 0900 - 1300'],
    ['the prefix of a key', 'apk_ is how our keys begin'],
    ['a key with a wrong checksum', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ])('accepts %s', (_, value) => {
    expect(outcome(storedText, value)).toEqual({ output: value });
  });

  test('rejects a card number in the digits of every script that the runtime writes', () => {
    const systems = Intl.supportedValuesOf('numberingSystem').flatMap((system) => {
      const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
      const digits = Array.from({ length: 10 }, (_, digit) => format.format(digit));
      return digits.every((digit) => /^\p{Nd}$/u.test(digit)) ? [digits] : [];
    });
    expect(systems.length).toBeGreaterThan(60);
    const written = (digits: string[]) =>
      '5425 2334 3010 9903'.replace(/\d/g, (digit) => digits[Number(digit)] as string);
    for (const digits of systems) expect(outcome(storedText, written(digits))).toEqual([CARD_NUMBER]);
  });

  test('is rejected with any separators, as long as none is long or has a letter or digit', () => {
    const separator = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .filter(
        (text) =>
          v.is(name, `a${text}b`) && /^[^\p{L}\p{N}]{1,8}$/u.test(text.normalize('NFKC')) && !/\p{DI}/u.test(text),
      );
    fc.assert(
      fc.property(separator, separator, separator, (a, b, c) => {
        expect(outcome(storedText, `4111${a}1111${b}1111${c}1111`)).toEqual([CARD_NUMBER]);
      }),
    );
  });

  test('is checked in bounded time, however many digits it has', () => {
    for (const value of [Array(128).fill('0').join(' '), '4'.repeat(255), '4444 '.repeat(51)])
      expect(v.is(storedText, value)).toBe(true);
  });
});

describe('a field', () => {
  const fields = {
    required: text,
    optional: optional(text),
    preset: optional(text, 'preset'),
    clearable: clearable(text),
  };
  const valid = { required: 'x', preset: 'preset' };

  test.each([
    ['is omitted', undefined, undefined],
    ['is null', null, null],
    ['is empty', '', null],
    ['is white space', ' \u00a0\r\n', null],
    ['has a text', ' a ', 'a'],
  ])('that may be absent and %s', (_, value, cleared) => {
    const sent = { required: 'x', ...(value !== undefined && { optional: value, preset: value, clearable: value }) };
    const present = cleared ?? undefined;
    const output = { ...valid, optional: present, preset: present ?? 'preset', clearable: cleared };
    expect(outcome(objectOf(fields), sent)).toEqual({ output });
  });

  test.each([
    ['256 spaces', ' '.repeat(256), LONG],
    ['a vertical tab', ' \v', CONTROLS],
    ['false', false, STRING],
  ])('that may be absent is validated if it is present: %s', (_, value, error) => {
    const errors = ['optional', 'preset', 'clearable'].map((name) => [`/${name}`, ...error]);
    const sent = { optional: value, preset: value, clearable: value };
    expect(outcome(objectOf(fields), sent)).toEqual([['/required', ...REQUIRED], ...errors]);
  });

  test.each([
    ['null', null, REQUIRED],
    ['a string', 'required', OBJECT],
    ['an array', [{ required: 'x' }], OBJECT],
  ])('needs an object around it, which may not be %s', (_, value, error) => {
    expect(outcome(objectOf(fields), value)).toEqual([['', ...error]]);
  });

  test('is dropped if the object does not have it', () => {
    expect(outcome(objectOf(fields), { ...valid, toString: 'x', typo: 1 })).toEqual({ output: valid });
  });
});

describe('a list', () => {
  const terminals = listOf({ id: alphanumeric, serial: optional(alphanumeric) }, 'id', 'serial');
  const repeated = (at: number, field: string) => [
    `/${at}/${field}`,
    'duplicate',
    `Appears twice in this request; each ${field} must differ.`,
  ];

  test.each<[string, unknown, string, string]>([
    ['100,000 invalid items', Array(100_000).fill(null), 'too_long', 'Must have at most 40 items.'],
    ['an object instead', { 0: { id: 'T1' }, length: 1 }, 'invalid_type', 'Must be an array.'],
    ['null instead', null, ...REQUIRED],
  ])('rejects %s with a single field error', (_, value, code, detail) => {
    expect(outcome(terminals, value)).toEqual([['', code, detail]]);
  });

  test('reports exactly the items that repeat an earlier one', () => {
    const list = [
      { id: 'A', serial: '1' },
      { id: 'B', serial: null },
      { id: 'A', serial: '1' },
      { id: 'a', serial: null },
      { id: 'A', serial: '2' },
      { id: 'C', serial: '1' },
    ];
    const repeats = [repeated(2, 'id'), repeated(4, 'id'), repeated(2, 'serial'), repeated(5, 'serial')];
    expect(outcome(terminals, list)).toEqual(repeats);
  });
});

test('a field error has a pointer in which / and ~ are escaped (RFC 6901)', () => {
  const schema = v.object({ 'a/b': v.object({ 'c~d': v.array(v.string()) }) });
  expect(outcome(schema, { 'a/b': { 'c~d': ['x', 5] } })).toEqual([['/a~1b/c~0d/1', ...STRING]]);
});
