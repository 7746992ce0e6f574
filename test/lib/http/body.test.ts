import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, eventOf, expectProblem, invoke, type Request } from '../../support/api.ts';
import { MALFORMED, unknownField } from '../../support/constants.ts';
import { branchBody } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { addNames, type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';

let provider: Caller;
beforeAll(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});

const newBody = () => ({ mid: unique('MID'), branch_name: 'Café 東京 🏪', master_merchant_id: unique('MM') });

/** Calls createBranch with an event that differs from what API Gateway usually sends. */
const create = (body: Request['body'], event: Record<string, unknown> = {}) =>
  invoke('createBranch', { ...eventOf('createBranch', { key: provider.key, body }), ...event });

const NAMELESS = {
  pointer: '',
  code: 'unknown_field',
  detail: 'A field here is unknown and was ignored. Its name is not shown.',
};

/** Calls createBranch and asserts that nothing is stored. */
async function rejected(body: unknown, event: Record<string, unknown> = {}) {
  const { response, changed } = await storedBy(() => create(body, event));
  expect(changed).toEqual({});
  return response;
}

describe('a body is parsed as JSON', () => {
  test('when API Gateway encodes it in base64', async () => {
    const body = newBody();
    const encoded = Buffer.from(JSON.stringify(body)).toString('base64');
    const response = await create(undefined, { body: encoded, isBase64Encoded: true });
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ mid: body.mid, merchant_name: body.branch_name });
  });

  test.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['JSON with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['none', {}],
  ])('whatever its content type: %s', async (_, headers) => {
    const body = newBody();
    const response = await create(body, { headers: { 'api-key': provider.key, ...headers } });
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ mid: body.mid, merchant_name: body.branch_name });
  });

  test('with white space around it, using the last of two equal keys', async () => {
    const { mid, master_merchant_id } = newBody();
    const response = await create(
      `\r\n\t {"mid":"FIRST", "mid":"${mid}",\n"master_merchant_id":"${master_merchant_id}"} \n`,
    );
    expect(response.status).toBe(201);
    expect(response.body.data.mid).toBe(mid);
  });

  test('with unknown fields, which are ignored with a warning whatever their names', async () => {
    const body = newBody();
    const { response, changed } = await storedBy(() =>
      create({ ...body, status: 'archived', terminal_count: 9, pk: 'X', constructor: 'x', toString: null, '': [] }),
    );
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ mid: body.mid, status: 'active', terminal_count: 0 });
    expect(response.body.warnings).toEqual([
      ...['/status', '/terminal_count', '/pk', '/constructor', '/toString'].map(unknownField),
      NAMELESS,
    ]);
    const branch = changed[`BRANCH#${body.mid} BRANCH`];
    expect(Object.keys(branch ?? {}).sort()).toEqual([
      'created_at',
      'existing_master_merchant',
      'master_merchant_id',
      'merchant_name',
      'mid',
      'payment_provider',
      'provider_position',
      'terminals_changed_at',
      'updated_at',
    ]);
  });
});

describe('warnings', () => {
  const typos = (count: number) => Array.from({ length: count }, (_, at) => `typo${at}`);
  const LISTED = typos(100).map((name) => unknownField(`/${name}`));
  const LEFT_OUT = {
    pointer: '',
    code: 'unknown_field',
    detail: '1 more unknown fields or parameters were ignored.',
  };

  test.each([
    [100, LISTED],
    [101, [...LISTED, LEFT_OUT]],
  ])('list at most 100 unknown fields, and the number of others: %i', async (count, warnings) => {
    const unknown = Object.fromEntries(typos(count).map((name) => [name, true]));
    const response = await create({ ...newBody(), ...unknown });
    expect([response.status, response.body.warnings]).toEqual([201, warnings]);
  });
});

describe('a body of the maximum size', () => {
  const MOST = 262_144;
  const TOO_LARGE =
    'The request body has more than 262,144 bytes. Leave out unknown fields, or send fewer terminals per request.';

  /** A create with white space after it up to so many bytes. */
  const ofBytes = (bytes: number, body: object = newBody()): string => {
    const json = JSON.stringify(body);
    return json + ' '.repeat(bytes - Buffer.byteLength(json));
  };
  const inBase64 = (body: string) => ({ body: Buffer.from(body).toString('base64'), isBase64Encoded: true });

  test('is accepted, as text and in base64', async () => {
    expect((await create(ofBytes(MOST))).status).toBe(201);
    expect((await create(undefined, inBase64(ofBytes(MOST)))).status).toBe(201);
  });

  test.each<[string, () => Record<string, unknown>]>([
    ['one byte more', () => ({ body: ofBytes(MOST + 1) })],
    ['one byte more in base64', () => inBase64(ofBytes(MOST + 1))],
    // Has as many characters as the limit has bytes.
    ['one character more than fits, of several bytes each', () => ({ body: `"${'🏪'.repeat(MOST / 4)}"` })],
    ['one byte more that is not JSON', () => ({ body: '['.repeat(MOST + 1) })],
  ])('is exceeded by %s', async (_, event) => {
    expectProblem(await rejected(undefined, event()), 'body_too_large', TOO_LARGE);
  });

  test('applies to operations without a body, whose API key and query are checked first', async () => {
    const { mid } = await newBranch(provider);
    const request = { key: provider.key, path: { mid } };
    const send = async (more: object) => (await call('archiveBranch', { ...request, ...more })).body.code;
    const { response, changed } = await storedBy(async () => [
      await send({ body: ofBytes(MOST + 1), key: 'apk_wrong' }),
      await send({ body: ofBytes(MOST + 1) }),
      (await call('listBranches', { ...request, body: ofBytes(MOST + 1), query: { page: '0' } })).body.code,
    ]);
    expect([response, changed]).toEqual([['invalid_api_key', 'body_too_large', 'invalid_query'], {}]);
    expect(await send({ body: ofBytes(MOST) })).toBeUndefined();
  });

  test('holds the largest valid create, of 40 terminals with their longest values', async () => {
    const id = (prefix: string) => unique(prefix).padEnd(255, 'x');
    const text = '🏪'.repeat(255);
    const name = '🏪'.repeat(250);
    await addNames(provider, { paymentApps: [name], masterAcquirers: [name] });
    const { mid, mcc, ...texts } = branchBody();
    const body = {
      ...Object.fromEntries(Object.keys(texts).map((field) => [field, text])),
      mid: unique('MID').padEnd(64, 'x'),
      payment_provider: provider.id,
      mcc,
      master_merchant_id: id('MM'),
      email: `${'a'.repeat(64)}@${'a.'.repeat(94)}aa`,
      phone: `+${'1 '.repeat(126)}12`,
      terminals: Array.from({ length: 40 }, () => ({
        terminal_id: id('T'),
        serial_no: id('S'),
        terminal_model: text,
        payment_app: name,
        acquirer_name: name,
      })),
    };
    expect([Buffer.byteLength(JSON.stringify(body)), (await create(body)).status]).toEqual([151_984, 201]);
  });
});

describe('400: malformed JSON', () => {
  test.each([
    ['only white space', ' \n'],
    ['a form', 'mid=1&branch_name=2'],
    ['a truncated object', '{"mid":"A1"'],
    ['more than one value', '{} {}'],
    ['a trailing comma', '{"mid":"A1",}'],
    ['single quotes', "{'mid':'A1'}"],
    ['a comment', '{} // mine'],
    ['NaN', '{"mid":NaN}'],
    ['a raw control character in a string', '{"mid":"A\n1"}'],
  ])('rejects %s', async (_, body) => {
    expectProblem(await rejected(undefined, { body }), 'malformed_json', MALFORMED);
  });

  test.each([
    ['at the top', '{"__proto__":{"mid":"A1"}}'],
    ['deep inside', '{"terminals":[{"x":{"__proto__":null}}]}'],
    ['in escaped form', '{"\\u005f_proto__":{"mid":"A1"}}'],
  ])('rejects a key __proto__ %s', async (_, body) => {
    expectProblem(await rejected(body), 'malformed_json', MALFORMED);
  });

  test('rejects base64 of a body that is not JSON', async () => {
    const body = Buffer.from('mid=A1').toString('base64');
    expectProblem(await rejected(undefined, { body, isBase64Encoded: true }), 'malformed_json', MALFORMED);
  });
});

describe('a missing or empty body', () => {
  test.each<[string, Record<string, unknown>]>([
    ['absent', { body: undefined }],
    ['null', { body: null }],
    ['empty', { body: '' }],
    ['empty in base64', { body: '', isBase64Encoded: true }],
  ])('counts as an object without fields: %s', async (_, event) => {
    expectProblem(await rejected(undefined, event), 'validation_failed', [
      ['/mid', 'required', 'Is required.'],
      ...['/existing_master_merchant', '/master_merchant_id'].map((pointer): [string, string, string] => [
        pointer,
        'required',
        'One of existing_master_merchant and master_merchant_id is required.',
      ]),
    ]);
  });
});

describe('422: JSON that is not an object', () => {
  test.each([
    ['null', 'null', 'required', 'Is required.'],
    ['a string', '"mid"', 'invalid_type', 'Must be an object.'],
    ['a number', '1', 'invalid_type', 'Must be an object.'],
    ['a boolean', 'true', 'invalid_type', 'Must be an object.'],
    ['an array', '[]', 'invalid_type', 'Must be an object.'],
  ])('rejects %s', async (_, body, code, detail) => {
    expectProblem(await rejected(body), 'validation_failed', [['', code, detail]]);
  });

  test('rejects an array even where no field is required', async () => {
    const { mid } = await newBranch(provider);
    const { tid } = await newTerminal(provider, mid);
    expectProblem(
      await call('updateTerminal', { key: provider.key, path: { id: tid }, body: [] }),
      'validation_failed',
      [['', 'invalid_type', 'Must be an object.']],
    );
  });
});

describe('a deeply nested body', () => {
  const arrays = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const withField = (body: object, field: string, json: string) =>
    `${JSON.stringify(body).slice(0, -1)},"${field}":${json}}`;

  const NESTED = [
    ['1,000 arrays', arrays(1_000)],
    ['1,000 objects', objects(1_000)],
    ['100,000 arrays', arrays(100_000)],
    ['40,000 objects', objects(40_000)],
  ] as const;

  test.each(NESTED)('is ignored in an unknown field: %s', async (_, nested) => {
    const body = newBody();
    const response = await create(withField(body, 'unknown', nested));
    expect(response.status).toBe(201);
    expect(response.body.warnings).toEqual([unknownField('/unknown')]);
    expect(response.body.data).toMatchObject({ mid: body.mid, merchant_name: body.branch_name });
  });

  test.each(NESTED)('is a single field error in a known field: %s', async (_, nested) => {
    expectProblem(await rejected(withField(newBody(), 'area', nested)), 'validation_failed', [
      ['/area', 'invalid_type', 'Must be a string.'],
    ]);
  });
});
