import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, eventOf, expectProblem, invoke, type Request } from '../../support/api.ts';
import { MALFORMED, unknownField } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';

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
      'terminal_changes',
      'terminal_count',
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

  test.each([
    ['arrays', arrays(1000)],
    ['objects', objects(1000)],
  ])('is ignored in an unknown field: 1,000 %s', async (_, nested) => {
    const body = newBody();
    const response = await create(withField(body, 'unknown', nested));
    expect(response.status).toBe(201);
    expect(response.body.warnings).toEqual([unknownField('/unknown')]);
    expect(response.body.data).toMatchObject({ mid: body.mid, merchant_name: body.branch_name });
  });

  test.each([
    ['arrays', arrays(1000)],
    ['objects', objects(1000)],
  ])('is a single field error in a known field: 1,000 %s', async (_, nested) => {
    expectProblem(await rejected(withField(newBody(), 'area', nested)), 'validation_failed', [
      ['/area', 'invalid_type', 'Must be a string.'],
    ]);
  });

  test.each([
    ['arrays', 'unknown', arrays(10_000)],
    ['objects', 'unknown', objects(10_000)],
    ['arrays', 'area', arrays(10_000)],
    ['objects', 'terminals', objects(10_000)],
  ])('is rejected beyond what a parser must support (RFC 8259 §9): 10,000 %s in %s', async (_, field, nested) => {
    expectProblem(await rejected(withField(newBody(), field, nested)), 'malformed_json', MALFORMED);
  });
});
