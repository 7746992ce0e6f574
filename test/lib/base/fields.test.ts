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

/** A create that must be refused with these faults, and store nothing. */
async function expectFieldErrors(body: Record<string, unknown>, faults: [string, string, string][]): Promise<void> {
  const { response, changed } = await storedBy(() =>
    call('createBranch', {
      key: provider.key,
      body: { mid: unique('MID'), master_merchant_id: unique('MM'), ...body },
    }),
  );
  expectProblem(response, 'validation_failed', faults);
  expect(changed).toEqual({});
}

/** Any sequence of UTF-16 code units, broken surrogate pairs included, with many at the edges of what is allowed. */
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
/** Whether it is not refused; a blank one is then missing. */
const isAllowed = (value: string): boolean => {
  const characters = Array.from(value);
  return value.isWellFormed() && characters.length <= 255 && !characters.some(isControl);
};
/** What people may write, in any script, and more than white space. */
const written = fc
  .string({ unit: 'binary', maxLength: 255 })
  .filter((value) => isAllowed(value) && value.trim() !== '');

const outcome = (schema: v.GenericSchema<unknown, unknown>, value: unknown) => {
  const { success, output } = v.safeParse(schema, value);
  return success ? { output } : 'refused';
};

describe('text', () => {
  test('is up to 255 characters of any script but control characters and half surrogate pairs, without white space at its ends', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const kept = isAllowed(value) && value.trim();
        expect(outcome(text, value)).toEqual(kept ? { output: kept } : 'refused');
        expect(outcome(v.object({ field: optional(text) }), { field: value })).toEqual(
          isAllowed(value) ? { output: { field: kept || undefined } } : 'refused',
        );
        expect(outcome(v.object({ field: clearable(text) }), { field: value })).toEqual(
          isAllowed(value) ? { output: { field: kept || null } } : 'refused',
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('comes back from where it is stored as it was sent, but for white space at its ends', async () => {
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
    ['composed and decomposed letters apart', 'é', 'e\u0301'],
    ['line breaks', 'a\r\nb', 'c\n\nd'],
    ['what has no width', '\u200b', 'a\u200d\u202eb'],
    ['what looks like markup or a key', '<b>&amp;</b>', "ACQUIRER#1'); --"],
    ['what is not text to JavaScript', 'null', '__proto__'],
  ])('keeps %s', async (_, branch_name, area) => {
    const { mid } = await newBranch(provider, { branch_name, area });
    const { body } = await call('getBranch', { key: provider.key, path: { mid } });
    expect(body.data).toMatchObject({ merchant_name: branch_name, area });
  });

  test('counts characters as people do: 255 emoji are not too long', async () => {
    const branch_name = '🏪'.repeat(255);
    const { mid, merchant_name } = await newBranch(provider, { branch_name });
    expect(merchant_name).toBe(branch_name);
    expect((await call('getBranch', { key: provider.key, path: { mid } })).body.data.merchant_name).toBe(branch_name);
  });

  test.each([
    ['256 emoji', '🏪'.repeat(256), 'too_long', LONG],
    ['256 letters', 'x'.repeat(256), 'too_long', LONG],
    ['a very long text', 'x'.repeat(1_000_000), 'too_long', LONG],
    ['what a gateway puts for broken UTF-8', 'Caf\ufffd', 'invalid_format', NO_TEXT_CONTROLS],
    ['a vertical tab, which some take for white space', '\v', 'invalid_format', NO_TEXT_CONTROLS],
    ['the control character NUL', 'a\u0000b', 'invalid_format', NO_TEXT_CONTROLS],
    ['the control character ESC', '\u001b[31mred', 'invalid_format', NO_TEXT_CONTROLS],
    ['the control character DEL', 'a\u007f', 'invalid_format', NO_TEXT_CONTROLS],
    ['a control character of C1', 'a\u0085', 'invalid_format', NO_TEXT_CONTROLS],
    ['the first half of a surrogate pair', 'a\ud83c', 'invalid_format', NO_TEXT_CONTROLS],
    ['the second half of a surrogate pair', '\udfeaa', 'invalid_format', NO_TEXT_CONTROLS],
    ['a surrogate pair the wrong way round', '\udfea\ud83c', 'invalid_format', NO_TEXT_CONTROLS],
    ['a number', 5, 'invalid_type', 'Must be a string.'],
    ['a boolean', false, 'invalid_type', 'Must be a string.'],
    ['an array', ['x'], 'invalid_type', 'Must be a string.'],
    ['an object', { x: 1 }, 'invalid_type', 'Must be a string.'],
  ])('is not %s', async (_, branch_name, code, detail) => {
    await expectFieldErrors({ branch_name }, [['/branch_name', code, detail]]);
  });
});

describe('an alphanumeric text', () => {
  const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

  test('is 1 to 255 digits and unaccented letters, and nothing else', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...ALPHABET, ...'-_. \n\u0000é٣Aß'), maxLength: 4 });
    const long = fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: 300 });
    fc.assert(
      fc.property(fc.oneof(anyText, nearly, long), (value) => {
        const kept = value.trim();
        const fits = isAllowed(value) && kept !== '' && [...kept].every((each) => ALPHABET.includes(each));
        expect(outcome(alphanumeric, value)).toEqual(fits ? { output: kept } : 'refused');
      }),
      { numRuns: 2000 },
    );
  });

  test.each(['A-1', 'A 1', 'A\n1', 'Á1', '１', '٣', 'A1#'])('is not %j', async (master_merchant_id) => {
    await expectFieldErrors({ master_merchant_id }, [
      ['/master_merchant_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'],
    ]);
  });
});

describe('a UUID', () => {
  test('may be in any case, and is lower case from then on', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), (value, upper) => {
        expect(outcome(uuid, upper ? value.toUpperCase() : value)).toEqual({ output: value });
      }),
    );
  });

  test('is no other text', () => {
    const broken = fc
      .tuple(fc.uuid(), fc.nat(35), fc.constantFrom('', 'g', '-', ' ', 'aa'))
      .map(([value, at, instead]) => value.slice(0, at) + instead + value.slice(at + 1))
      .filter((value) => !/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(value));
    fc.assert(
      fc.property(fc.oneof(fc.string(), broken), (value) => {
        expect(outcome(uuid, value)).toBe('refused');
      }),
    );
  });
});

describe('a name that becomes part of a key', () => {
  test.each([
    ['250 emoji, 1,000 bytes', '🏪'.repeat(250), { output: '🏪'.repeat(250) }],
    ['250 emoji and a letter, 1,001 bytes', `${'🏪'.repeat(250)}x`, 'refused'],
    ['255 letters', 'x'.repeat(255), { output: 'x'.repeat(255) }],
  ])('%s', (_, value, expected) => {
    expect(outcome(keyName, value)).toEqual(expected);
  });

  test('fits into a key at its longest: it is looked for, and not found', async () => {
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
    ['left out', {}],
    ['null', { field: null }],
    ['empty', { field: '' }],
    ['white space', { field: ' \u00a0\r\n' }],
  ])('that is %s is absent', (_, value) => {
    expect(v.parse(v.object({ field: optional(text) }), value)).toEqual({});
  });

  test('is held to its schema when it is given', () => {
    expect(outcome(v.object({ field: optional(text) }), { field: 'x'.repeat(256) })).toBe('refused');
    expect(outcome(v.object({ field: optional(text) }), { field: 'x' })).toEqual({ output: { field: 'x' } });
  });
});

describe('a list', () => {
  const terminals = listOf({ id: alphanumeric, serial: optional(alphanumeric) }, 'id', 'serial');
  const faults = (value: unknown) => fieldErrorsOf(v.safeParse(terminals, value).issues ?? []);
  const items = (length: number) => Array.from({ length }, (_, at) => ({ id: `T${at}` }));

  test.each([1, 2, 39, 40])('has up to 40 items: %d', (length) => {
    expect(outcome(terminals, items(length))).toEqual({ output: items(length) });
  });

  test.each<[string, unknown, string, string]>([
    ['no items', [], 'too_short', 'Must have at least 1 item.'],
    ['41 items', items(41), 'too_long', 'Must have at most 40 items.'],
    ['a hundred thousand items, all wrong', Array(100_000).fill(null), 'too_long', 'Must have at most 40 items.'],
    ['an object in its place', { 0: { id: 'T1' }, length: 1 }, 'invalid_type', 'Must be an array.'],
    ['null in its place', null, 'required', 'Is required.'],
  ])('is refused with one fault for %s', (_, value, code, detail) => {
    expect(faults(value)).toEqual([{ pointer: '', code, detail }]);
  });

  test('is refused just where one of its items repeats an earlier one', () => {
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
        expect(faults(list)).toEqual([...repeats('id'), ...repeats('serial')]);
      }),
    );
  });
});

describe('faults', () => {
  test('are all told at once, each by a pointer to where it is in the body', async () => {
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

  test('have pointers in which / and ~ are escaped (RFC 6901)', () => {
    const schema = v.object({ 'a/b': v.object({ 'c~d': v.array(v.string()) }) });
    const { issues = [] } = v.safeParse(schema, { 'a/b': { 'c~d': ['x', 5] } });
    expect(fieldErrorsOf(issues)).toEqual([
      { pointer: '/a~1b/c~0d/1', code: 'invalid_type', detail: 'Must be a string.' },
    ]);
  });

  test('never repeat what was sent', async () => {
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

describe('a text that is stored', () => {
  const CARD = 'Must not contain a payment card number.';
  const KEY = 'Must not contain an API key. If it is yours, have it revoked.';

  test.each([
    ['alone', '4111111111111111'],
    ['in groups', '4111 1111 1111 1111'],
    ['with hyphens', '5555-5555-5555-4444'],
    ['with dots', '4111.1111.1111.1111'],
    ['over lines', '4111 1111\r\n1111 1111'],
    ['with blanks that do not break', '4111\u00a01111\u00a01111\u00a01111'],
    ['in full-width digits', '４１１１１１１１１１１１１１１１'],
    ['of 15 digits, as on the card', '3782 822463 10005'],
    ['and its expiry', '4111 1111 1111 1111 05/26'],
    ['of 15 digits', '378282246310005'],
    ['of 19 digits', '4000000000000000006'],
    ['of 19 digits, in groups', '4000 0000 0000 0000 006'],
    ['in a sentence', 'Paid with 4111 1111 1111 1111.'],
    ['after another number', 'till 12 4111 1111 1111 1111 3'],
    ['between letters', 'A4111111111111111Z'],
    ['twice', '4111111111111112 4111111111111111'],
  ])('may not have a card number %s', async (_, branch_name) => {
    await expectFieldErrors({ branch_name }, [['/branch_name', 'card_number', CARD]]);
  });

  test('may not have an API key, whoever’s it is', async () => {
    for (const area of [provider.key, `key: "${provider.key}".`])
      await expectFieldErrors({ area }, [['/area', 'api_key', KEY]]);
  });

  test.each([
    ['another check digit', '4111111111111112'],
    ['no issuer’s prefix', '0000000000000000'],
    ['14 digits, as a reference', '30569309025904'],
    ['14 digits in groups', '3056 930902 5904'],
    ['15 digits of no scheme that has as many', '305693090259043'],
    ['13 digits, as a telephone number', '+49 1512 3456 789 / 4917112345678'],
    ['20 digits', '41111111111111111111'],
    ['groups that are on no card', '411 111 111 111 111 1'],
    ['two telephone numbers', '+351 22 411 1111, +49 1512 3456 789'],
    ['numbers of a street and a date', 'No. 4111, 1111 Porto, 2026-11-20'],
    ['more than two characters between groups', '4111 - 1111 - 1111 - 1111'],
    ['the beginning of a key', 'apk_ is how our keys begin'],
    ['a key that is mistyped', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['an e-mail address', 'shop@example.com'],
  ])('may have %s', (_, value) => {
    expect(v.safeParse(storedText, value)).toMatchObject({ success: true, output: value });
  });

  test('is judged in bounded time, however many digits it has', () => {
    expect(v.is(storedText, Array(128).fill('0').join(' '))).toBe(true);
    expect(v.is(storedText, '4'.repeat(255))).toBe(true);
    expect(v.is(storedText, '4444 '.repeat(51))).toBe(true);
  });
});

test.each(['mid', 'master_merchant_id'])('an identifier may be any digits, also those of a card: %s', async (field) => {
  const body = { [field]: '4111111111111111' };
  expect(await newBranch(provider, body)).toMatchObject(body);
});
