import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../../lib/base/fieldErrors.ts';
import {
  alphanumeric,
  clearable,
  keyName,
  listOf,
  optional,
  storedText,
  text,
  uuid,
} from '../../../lib/base/fields.ts';
import { call, expectProblem } from '../../support/api.ts';
import { NO_TEXT_CONTROLS } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';

const LONG = 'Must have at most 255 characters.';

let provider: Caller;
beforeAll(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});

/** Sends a create and asserts that it is rejected with these field errors and stores nothing. */
async function expectFieldErrors(
  body: Record<string, unknown>,
  fieldErrors: [string, string, string][],
): Promise<void> {
  const { response, changed } = await storedBy(() =>
    call('createBranch', {
      key: provider.key,
      body: { mid: unique('MID'), master_merchant_id: unique('MM'), ...body },
    }),
  );
  expectProblem(response, 'validation_failed', fieldErrors);
  expect(changed).toEqual({});
}

/**
 * Any sequence of UTF-16 code units, including broken surrogate pairs, with many at the edges of the allowed ranges.
 */
const codeUnit = fc.oneof(
  fc.nat(0xffff),
  fc.nat(0xff),
  fc.constantFrom(
    0x00,
    0x09,
    0x0a,
    0x0d,
    0x1f,
    0x20,
    0x7e,
    0x7f,
    0x80,
    0x9f,
    0xa0,
    0xd800,
    0xdc00,
    0xdfff,
    0xfffd,
    0xfffe,
    0xffff,
  ),
);
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.array(codeUnit, { maxLength: 8 }).map((units) => String.fromCharCode(...units)) },
  { weight: 1, arbitrary: fc.nat(600).map((length) => 'é'.repeat(length)) },
);
const isControl = (character: string): boolean => {
  const code = character.codePointAt(0) ?? 0;
  return (code < 0x20 && !'\t\n\r'.includes(character)) || (code >= 0x7f && code <= 0x9f) || code === 0xfffd;
};
/** Whether a text is accepted; a blank one then counts as missing. */
const isAllowed = (value: string): boolean => {
  const characters = Array.from(value);
  return value.isWellFormed() && characters.length <= 255 && !characters.some(isControl);
};
/** Any accepted text that is not blank. */
const written = fc
  .string({ unit: 'binary', maxLength: 255 })
  .filter((value) => isAllowed(value) && value.trim() !== '');

const outcome = (schema: v.GenericSchema<unknown, unknown>, value: unknown) => {
  const { success, output } = v.safeParse(schema, value);
  return success ? { output } : 'rejected';
};

describe('text', () => {
  test('accepts up to 255 characters of any script and trims white space, but rejects control characters and unpaired surrogates', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const trimmed = isAllowed(value) && value.trim();
        expect(outcome(text, value)).toEqual(trimmed ? { output: trimmed } : 'rejected');
        expect(outcome(v.object({ field: optional(text) }), { field: value })).toEqual(
          isAllowed(value) ? { output: { field: trimmed || undefined } } : 'rejected',
        );
        expect(outcome(v.object({ field: clearable(text) }), { field: value })).toEqual(
          isAllowed(value) ? { output: { field: trimmed || null } } : 'rejected',
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('is returned as it was sent, except for white space at its ends', async () => {
    await fc.assert(
      fc.asyncProperty(written, written, async (branch_name, area) => {
        const { mid } = await newBranch(provider, { branch_name, area });
        const { body } = await call('getBranch', { key: provider.key, path: { mid } });
        expect(body.data).toMatchObject({ merchant_name: branch_name.trim(), area: area.trim() });
      }),
      { numRuns: 25 },
    );
  });

  test.each([
    ['composed and decomposed letters', 'é', 'e\u0301'],
    ['line breaks', 'a\r\nb', 'c\n\nd'],
    ['characters without width', '\u200b', 'a\u200d\u202eb'],
    ['markup and table keys', '<b>&amp;</b>', "ACQUIRER#1'); --"],
    ['words with a meaning in JavaScript', 'null', '__proto__'],
  ])('stores %s unchanged', async (_, branch_name, area) => {
    const { mid } = await newBranch(provider, { branch_name, area });
    const { body } = await call('getBranch', { key: provider.key, path: { mid } });
    expect(body.data).toMatchObject({ merchant_name: branch_name, area });
  });

  test('counts characters, not code units: 255 emoji are not too long', async () => {
    const branch_name = '🏪'.repeat(255);
    const { mid, merchant_name } = await newBranch(provider, { branch_name });
    expect(merchant_name).toBe(branch_name);
    expect((await call('getBranch', { key: provider.key, path: { mid } })).body.data.merchant_name).toBe(branch_name);
  });

  test.each([
    ['256 emoji', '🏪'.repeat(256), 'too_long', LONG],
    ['256 letters', 'x'.repeat(256), 'too_long', LONG],
    ['a very long text', 'x'.repeat(200_000), 'too_long', LONG],
    ['the replacement character of a gateway for broken UTF-8', 'Caf\ufffd', 'invalid_format', NO_TEXT_CONTROLS],
    ['a vertical tab', '\v', 'invalid_format', NO_TEXT_CONTROLS],
    ['the control character NUL', 'a\u0000b', 'invalid_format', NO_TEXT_CONTROLS],
    ['the control character ESC', '\u001b[31mred', 'invalid_format', NO_TEXT_CONTROLS],
    ['the control character DEL', 'a\u007f', 'invalid_format', NO_TEXT_CONTROLS],
    ['a control character of C1', 'a\u0085', 'invalid_format', NO_TEXT_CONTROLS],
    ['the first half of a surrogate pair', 'a\ud83c', 'invalid_format', NO_TEXT_CONTROLS],
    ['the second half of a surrogate pair', '\udfeaa', 'invalid_format', NO_TEXT_CONTROLS],
    ['a surrogate pair in the wrong order', '\udfea\ud83c', 'invalid_format', NO_TEXT_CONTROLS],
    ['a number', 5, 'invalid_type', 'Must be a string.'],
    ['a boolean', false, 'invalid_type', 'Must be a string.'],
    ['an array', ['x'], 'invalid_type', 'Must be a string.'],
    ['an object', { x: 1 }, 'invalid_type', 'Must be a string.'],
  ])('rejects %s', async (_, branch_name, code, detail) => {
    await expectFieldErrors({ branch_name }, [['/branch_name', code, detail]]);
  });
});

describe('an alphanumeric text', () => {
  const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

  test('accepts 1 to 255 digits and unaccented letters and nothing else', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...ALPHABET, ...'-_. \n\u0000é٣Aß'), maxLength: 4 });
    const long = fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: 300 });
    fc.assert(
      fc.property(fc.oneof(anyText, nearly, long), (value) => {
        const trimmed = value.trim();
        const fits = isAllowed(value) && trimmed !== '' && [...trimmed].every((each) => ALPHABET.includes(each));
        expect(outcome(alphanumeric, value)).toEqual(fits ? { output: trimmed } : 'rejected');
      }),
      { numRuns: 2000 },
    );
  });

  test.each(['A-1', 'A 1', 'A\n1', 'Á1', '１', '٣', 'A1#'])('rejects %j', async (master_merchant_id) => {
    await expectFieldErrors({ master_merchant_id }, [
      ['/master_merchant_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
    ]);
  });
});

describe('a UUID', () => {
  test('is accepted in any case and converted to lower case', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), (value, upper) => {
        expect(outcome(uuid, upper ? value.toUpperCase() : value)).toEqual({ output: value });
      }),
    );
  });

  test('rejects any other text', () => {
    const broken = fc
      .tuple(fc.uuid(), fc.nat(35), fc.constantFrom('', 'g', '-', ' ', 'aa'))
      .map(([value, at, instead]) => value.slice(0, at) + instead + value.slice(at + 1))
      .filter((value) => !/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(value));
    fc.assert(
      fc.property(fc.oneof(fc.string(), broken), (value) => {
        expect(outcome(uuid, value)).toBe('rejected');
      }),
    );
  });
});

describe('a name that becomes part of a key', () => {
  test.each([
    ['accepts 250 emoji (1,000 bytes)', '🏪'.repeat(250), { output: '🏪'.repeat(250) }],
    ['rejects 250 emoji and a letter (1,001 bytes)', `${'🏪'.repeat(250)}x`, 'rejected'],
    ['accepts 255 letters', 'x'.repeat(255), { output: 'x'.repeat(255) }],
  ])('%s', (_, value, expected) => {
    expect(outcome(keyName, value)).toEqual(expected);
  });

  test('fits into a key at its maximum length: the lookup of the name succeeds', async () => {
    const { mid } = await newBranch(provider);
    const name = '🏪'.repeat(250);
    const { response, changed } = await storedBy(() =>
      call('createTerminals', {
        key: provider.key,
        path: { id: mid },
        body: { terminals: [{ terminal_id: unique('T'), payment_app: name, acquirer_name: name }] },
      }),
    );
    expectProblem(response, 'validation_failed', [
      ['/terminals/0/payment_app', 'not_found', 'Must be one of your payment apps; see lookup paymentApp.'],
      ['/terminals/0/acquirer_name', 'not_found', 'Must be one of your master acquirers; see lookup acquirers.'],
    ]);
    expect(changed).toEqual({});
  });
});

describe('an optional field', () => {
  test.each([
    ['omitted', {}],
    ['null', { field: null }],
    ['empty', { field: '' }],
    ['white space', { field: ' \u00a0\r\n' }],
  ])('that is %s counts as absent', (_, value) => {
    expect(v.parse(v.object({ field: optional(text) }), value)).toEqual({});
  });

  test('is validated when it is present', () => {
    expect(outcome(v.object({ field: optional(text) }), { field: 'x'.repeat(256) })).toBe('rejected');
    expect(outcome(v.object({ field: optional(text) }), { field: 'x' })).toEqual({ output: { field: 'x' } });
  });
});

describe('a list', () => {
  const terminals = listOf({ id: alphanumeric, serial: optional(alphanumeric) }, 'id', 'serial');
  const fieldErrors = (value: unknown) => fieldErrorsOf(v.safeParse(terminals, value).issues ?? []);
  const items = (length: number) => Array.from({ length }, (_, at) => ({ id: `T${at}` }));

  test.each([1, 2, 39, 40])('accepts up to 40 items: %d', (length) => {
    expect(outcome(terminals, items(length))).toEqual({ output: items(length) });
  });

  test.each<[string, unknown, string, string]>([
    ['no items', [], 'too_short', 'Must have at least 1 item.'],
    ['41 items', items(41), 'too_long', 'Must have at most 40 items.'],
    ['100,000 invalid items', Array(100_000).fill(null), 'too_long', 'Must have at most 40 items.'],
    ['an object instead', { 0: { id: 'T1' }, length: 1 }, 'invalid_type', 'Must be an array.'],
    ['null instead', null, 'required', 'Is required.'],
  ])('rejects %s with a single field error', (_, value, code, detail) => {
    expect(fieldErrors(value)).toEqual([{ pointer: '', code, detail }]);
  });

  test('reports exactly the items that repeat an earlier one', () => {
    const few = fc.record(
      { id: fc.constantFrom('A', 'B', 'C', 'D', 'a'), serial: fc.constantFrom('1', '2', '3', null) },
      { requiredKeys: ['id'] },
    );
    fc.assert(
      fc.property(fc.array(few, { minLength: 1, maxLength: 6 }), (list) => {
        const repeats = (field: 'id' | 'serial') =>
          list.flatMap((item, at) =>
            item[field] && list.slice(0, at).some((earlier) => earlier[field] === item[field])
              ? [
                  {
                    pointer: `/${at}/${field}`,
                    code: 'duplicate',
                    detail: `Appears twice in this request; each ${field} must differ.`,
                  },
                ]
              : [],
          );
        expect(fieldErrors(list)).toEqual([...repeats('id'), ...repeats('serial')]);
      }),
    );
  });
});

describe('field errors', () => {
  test('are all returned at once, each with a pointer to its place in the body', async () => {
    await expectFieldErrors(
      {
        mid: 'no mid',
        branch_name: '\u0000',
        distributor: 'nobody',
        master_merchant_id: null,
        email: 'nobody',
        phone: '++1',
        mcc: '12345',
        terminals: [
          { terminal_id: 'SAME1' },
          { terminal_id: 'SAME1', terminal_model: 7 },
          { terminal_model: 'no id' },
          'T3',
          null,
        ],
      },
      [
        ['/mid', 'invalid_format', 'Must be a UUID, or alphanumeric (0-9, A-Z, a-z) with at most 64 characters.'],
        ['/branch_name', 'invalid_format', NO_TEXT_CONTROLS],
        ['/email', 'invalid_format', 'Must be an e-mail address, such as name@example.com.'],
        ['/phone', 'invalid_format', 'Must be digits, with single spaces allowed between them, after an optional +.'],
        ['/mcc', 'invalid_format', 'Must be four digits.'],
        ['/terminals/1/terminal_model', 'invalid_type', 'Must be a string.'],
        ['/terminals/2/terminal_id', 'required', 'Is required.'],
        ['/terminals/3', 'invalid_type', 'Must be an object.'],
        ['/terminals/4', 'required', 'Is required.'],
        ['/terminals/1/terminal_id', 'duplicate', 'Appears twice in this request; each terminal_id must differ.'],
        ['/distributor', 'invalid_format', 'Must be a UUID.'],
        ...['/existing_master_merchant', '/master_merchant_id'].map((pointer): [string, string, string] => [
          pointer,
          'required',
          'One of existing_master_merchant and master_merchant_id is required.',
        ]),
      ],
    );
  });

  test('escape / and ~ in pointers (RFC 6901)', () => {
    const schema = v.object({ 'a/b': v.object({ 'c~d': v.array(v.string()) }) });
    const { issues = [] } = v.safeParse(schema, { 'a/b': { 'c~d': ['x', 5] } });
    expect(fieldErrorsOf(issues)).toEqual([
      { pointer: '/a~1b/c~0d/1', code: 'invalid_type', detail: 'Must be a string.' },
    ]);
  });

  test('never repeat the input', async () => {
    const secret = 'SECRET VALUE\u0000';
    const body = Object.fromEntries(
      ['mid', 'branch_name', 'area', 'city', 'distributor', 'master_merchant_id', 'email', 'phone', 'mcc'].map(
        (name) => [name, secret],
      ),
    );
    const response = await call('createBranch', { key: provider.key, body: { ...body, terminals: secret } });
    expect(response.body.errors).toHaveLength(10);
    expect(JSON.stringify(response)).not.toContain('SECRET');
  });
});

describe('a stored text', () => {
  const CARD = 'Must not contain a payment card number.';
  const KEY = 'Must not contain an API key. If it is yours, have it revoked.';

  test.each([
    ['alone', '4111111111111111'],
    ['in groups', '4111 1111 1111 1111'],
    ['with hyphens', '5555-5555-5555-4444'],
    ['with dots', '4111.1111.1111.1111'],
    ['across lines', '4111 1111\r\n1111 1111'],
    ['with non-breaking spaces', '4111\u00a01111\u00a01111\u00a01111'],
    ['in full-width digits', '４１１１１１１１１１１１１１１１'],
    ['of 15 digits, as on the card', '3782 822463 10005'],
    ['with its expiry date', '4111 1111 1111 1111 05/26'],
    ['of 15 digits', '378282246310005'],
    ['of 19 digits', '4000000000000000006'],
    ['of 19 digits, in groups', '4000 0000 0000 0000 006'],
    ['in a sentence', 'Paid with 4111 1111 1111 1111.'],
    ['after another number', 'till 12 4111 1111 1111 1111 3'],
    ['between letters', 'A4111111111111111Z'],
    ['twice', '4111111111111112 4111111111111111'],
  ])('rejects a card number %s', async (_, branch_name) => {
    await expectFieldErrors({ branch_name }, [['/branch_name', 'card_number', CARD]]);
  });

  test('rejects an API key of any acquirer', async () => {
    for (const area of [provider.key, `key: "${provider.key}".`])
      await expectFieldErrors({ area }, [['/area', 'api_key', KEY]]);
  });

  test.each([
    ['a wrong check digit', '4111111111111112'],
    ['a prefix of no issuer', '0000000000000000'],
    ['a reference of 14 digits', '30569309025904'],
    ['14 grouped digits', '3056 930902 5904'],
    ['15 digits of no card scheme', '305693090259043'],
    ['a telephone number of 13 digits', '+49 1512 3456 789 / 4917112345678'],
    ['20 digits', '41111111111111111111'],
    ['groups unlike those on a card', '411 111 111 111 111 1'],
    ['two telephone numbers', '+351 22 411 1111, +49 1512 3456 789'],
    ['a street number and a date', 'No. 4111, 1111 Porto, 2026-11-20'],
    ['more than two characters between groups', '4111 - 1111 - 1111 - 1111'],
    ['the prefix of a key', 'apk_ is how our keys begin'],
    ['a key with a wrong checksum', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['an e-mail address', 'shop@example.com'],
  ])('accepts %s', (_, value) => {
    expect(v.safeParse(storedText, value)).toMatchObject({ success: true, output: value });
  });

  test('is checked in bounded time, however many digits it has', () => {
    expect(v.is(storedText, Array(128).fill('0').join(' '))).toBe(true);
    expect(v.is(storedText, '4'.repeat(255))).toBe(true);
    expect(v.is(storedText, '4444 '.repeat(51))).toBe(true);
  });
});

test.each(['mid', 'master_merchant_id'])(
  'an identifier accepts any digits, including those of a card number: %s',
  async (field) => {
    const body = { [field]: '4111111111111111' };
    expect(await newBranch(provider, body)).toMatchObject(body);
  },
);
