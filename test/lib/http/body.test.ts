import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { call, eventOf, expectProblem, invoke } from '../../support/api.ts';
import { malformed, unknownField } from '../../support/constants.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { storedBy } from '../../support/stored.ts';
import { newBranch, newTerminal, unique, useProvider } from '../../support/world.ts';

const provider = useProvider();

const newBody = () => ({ mid: unique('MID'), branch_name: 'Café 東京 🏪', master_merchant_id: unique('MM') });

/** Calls createBranch with an event that may differ from what API Gateway usually sends. */
const create = (body: unknown, event: Record<string, unknown> = {}) =>
  invoke('createBranch', { ...eventOf('createBranch', { key: provider.key, body }), ...event });

/** Asserts that createBranch refuses such an event. */
const expectRejected = (event: Record<string, unknown>, ...problem: Problem) =>
  expectRefused(() => create(undefined, event), ...problem);
type Problem = Parameters<typeof expectRefused> extends [unknown, ...infer P] ? P : never;
const inBase64 = (body: string) => ({ body: Buffer.from(body).toString('base64'), isBase64Encoded: true });

describe('a body is parsed as JSON', () => {
  test.each<[string, (json: string) => Record<string, unknown>]>([
    ['in base64', inBase64],
    ['of the type text', (body) => ({ body, headers: { 'api-key': provider.key, 'content-type': 'text/plain' } })],
    ['without a type', (body) => ({ body, headers: { 'api-key': provider.key } })],
    ['with white space around it', (json) => ({ body: `\r\n\t ${json} \n` })],
    ['after a byte order mark', (json) => ({ body: `\ufeff${json}` })],
    ['after a byte order mark in base64', (json) => inBase64(`\ufeff${json}`)],
    [
      'with a key in several objects',
      (json) => ({ body: json.replace('{', '{"a":[{"mid":1},{"mid":2}],"b":{"mid":3},') }),
    ],
    [
      'with texts like keys',
      (json) => ({ body: json.replace('{', '{"a":["mid","mid",":","{\\"mid\\":"],"b":"mid" ,') }),
    ],
  ])('%s', async (_, event) => {
    const body = newBody();
    const response = await create(undefined, event(JSON.stringify(body)));
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ mid: body.mid, merchant_name: body.branch_name });
  });

  test('with texts that are stored and returned as they were sent, but in NFC', async () => {
    const texts = { merchant_name: '\u00e9 é', area: 'a\r\nb\u200d\u202e', city: "<b>&amp;</b> #1'); --" };
    const { mid } = await newBranch(provider, { ...texts, branch_name: 'e\u0301 é' });
    expect((await call('getBranch', { key: provider.key, path: { mid } })).body.data).toMatchObject(texts);
  });

  test('with unknown fields, which are ignored with a warning whatever their names', async () => {
    const body = newBody();
    const unknown = {
      status: 'archived',
      terminal_count: 9,
      pk: 'X',
      constructor: 'x',
      toString: null,
      '"__proto__': 1,
    };
    // Empty, too long, unprintable.
    const notShown = { '': [], ['x'.repeat(41)]: 1, 'a\nb': 1 };
    const { response, changed } = await storedBy(() => create({ ...body, ...unknown, ...notShown }));
    expect(response.status).toBe(201);
    expect(response.body.data).toMatchObject({ mid: body.mid, status: 'active', terminal_count: 0 });
    const detail = 'A field here is unknown and was ignored. Its name is not shown.';
    expect(response.body.warnings).toEqual([
      ...Object.keys(unknown).map((name) => unknownField(`/${name}`)),
      ...Object.keys(notShown).map(() => ({ ...unknownField(''), detail })),
    ]);
    const stored = Object.keys(changed[`BRANCH#${body.mid} BRANCH`] ?? {});
    for (const name of Object.keys({ ...unknown, ...notShown })) expect(stored).not.toContain(name);
  });

  test.each([100, 101])('with %i unknown fields, of which at most 100 are listed', async (count) => {
    const typos = Array.from({ length: count }, (_, at) => `typo${at}`);
    const { status, body } = await create({ ...newBody(), ...Object.fromEntries(typos.map((name) => [name, true])) });
    const others = { ...unknownField(''), detail: '1 more unknown fields or parameters were ignored.' };
    const listed = typos.slice(0, 100).map((name) => unknownField(`/${name}`));
    expect([status, body.warnings]).toEqual([201, [...listed, ...(count > 100 ? [others] : [])]]);
  });
});

describe('a body of the maximum size', () => {
  const MOST = 262_144;
  const TOO_LARGE =
    'The request body has more than 262,144 bytes. Leave out unknown fields, or send fewer terminals per request.';

  /** A create with white space after it up to so many bytes. */
  const ofBytes = (bytes: number): string => {
    const json = JSON.stringify(newBody());
    return json + ' '.repeat(bytes - Buffer.byteLength(json));
  };

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
    await expectRejected(event(), 'body_too_large', TOO_LARGE);
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
});

describe('400: malformed JSON', () => {
  const repeats = (named: string) => `An object of the body has ${named} more than once. Send each key once.`;
  const DEEP = 'The body is nested more than 1,000 levels deep.';
  test.each([
    ['only white space', ' \n', 'Unexpected end of JSON input.'],
    ['a form', 'mid=1&branch_name=2', "Unexpected token 'm'."],
    ['UTF-16 as a gateway passes it on', '\ufffd\ufffd{\0"\0m\0i\0d\0"\0', "Unexpected token '\ufffd'."],
    ['NaN', '{"mid":"A1","amount":NaN}', "Unexpected token 'N'."],
    ['undefined alone', 'undefined', 'The body is not JSON.'],
    ['single quotation marks', "{'mid':'A1'}", "Expected property name or '}' in JSON at position 1."],
    ['a comma at the end', '{"mid":"A1", }', 'Expected double-quoted property name in JSON at position 13.'],
    ['a text that is cut off', '{"mid":"A1","city":"Lis', 'Unterminated string in JSON at position 23.'],
    [
      'more than JSON',
      '{"mid":"A1"} 4111111111111111',
      'Unexpected non-whitespace character after JSON at position 13.',
    ],
    [
      'a text that imitates the parser',
      '"x JSON at position 4111111111111111',
      'Unterminated string in JSON at position 36.',
    ],
    ['a value that imitates the parser', 'x "4111111111111111 JSON at position 1', "Unexpected token 'x'."],
    ['100,000 nested arrays', '['.repeat(100_000) + ']'.repeat(100_000), DEEP],
    ['40,000 nested objects in an unknown field', `{"unknown":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`, DEEP],
  ])('rejects %s, as text and in base64, and says what is wrong where', async (_, body, wrong) => {
    for (const event of [{ body }, inBase64(body)]) await expectRejected(event, 'malformed_json', malformed(wrong));
  });

  const COMPRESSED = malformed('The body is compressed. Send it without compression and without Content-Encoding.');
  const ENCODERS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync };
  test.each(Object.entries(ENCODERS))('says that a body is compressed: %s', async (encoding, compress) => {
    const bytes = compress(JSON.stringify(newBody()));
    const headers = { 'api-key': provider.key, 'content-encoding': encoding };
    // A gateway passes bytes on in base64, or as text if the content type is JSON.
    for (const event of [{ body: bytes.toString('base64'), isBase64Encoded: true }, { body: bytes.toString() }])
      await expectRejected({ ...event, headers }, 'malformed_json', COMPRESSED);
  });

  test('says that a body is compressed also without Content-Encoding, if it is gzip', async () => {
    const bytes = gzipSync(JSON.stringify(newBody()));
    for (const event of [{ body: bytes.toString('base64'), isBase64Encoded: true }, { body: bytes.toString() }])
      await expectRejected(event, 'malformed_json', COMPRESSED);
  });

  test.each(['identity', 'gzip', ''])(
    'says what is wrong with JSON, or takes it, whatever Content-Encoding says: %s',
    async (encoding) => {
      const headers = { 'api-key': provider.key, 'content-encoding': encoding };
      expect((await create(newBody(), { headers })).status).toBe(201);
      const detail = encoding === 'gzip' ? COMPRESSED : malformed("Unexpected token 'm'.");
      await expectRejected({ body: 'mid=1', headers }, 'malformed_json', detail);
      const twice = { body: '{"mid":"A1","mid":"A2"}', headers };
      await expectRejected(twice, 'malformed_json', repeats('the key mid'));
    },
  );

  test.each([
    ['Latin-1', Buffer.from('{"mid":"A1","city":"\xe9"}', 'latin1')],
    ['UTF-16', Buffer.from('\ufeff{"mid":"A1"}', 'utf16le')],
  ])('rejects bytes in %s', async (_, bytes) => {
    const event = { body: bytes.toString('base64'), isBase64Encoded: true };
    await expectRejected(event, 'malformed_json', malformed('The body is not in UTF-8.'));
  });

  test.each([
    ['twice', '{"mid":"A1","mid":"A2"}', 'the key mid'],
    ['twice with the same value', '{"mid":"A1", "mid" :"A1"}', 'the key mid'],
    ['in escaped form', '{"mid":"A1","\\u006did":"A2"}', 'the key mid'],
    ['around others', '{"terminals":[{"terminal_id":"T1"}],"mid":"A1","terminals":[]}', 'the key terminals'],
    [
      'deep inside',
      '{"mid":"A1","terminals":[{"serial_no":"1"},{"serial_no":"1","x":{},"serial_no":"2"}]}',
      'the key serial_no',
    ],
    ['that is empty', '{"":1,"":2}', 'a key, whose name is not shown,'],
    ['that may be a card number', '{"4111111111111111":1,"4111111111111111":2}', 'a key, whose name is not shown,'],
    ['with quotation marks', '{"a\\"{":1,"a\\"{":2}', 'the key a"{'],
  ])('rejects a key %s, and names it', async (_, body, named) => {
    for (const event of [{ body }, inBase64(body)]) await expectRejected(event, 'malformed_json', repeats(named));
  });

  const PROTO = 'Leave out the key __proto__.';
  test.each([
    ['a key __proto__', '{"__proto__":{"mid":"A1"}}', PROTO],
    ['a key __proto__ deep inside', '{"terminals":[{"x":{"__proto__":null}}]}', PROTO],
    ['a key __proto__ in escaped form', '{"\\u005f_proto__":{"mid":"A1"}}', PROTO],
    [
      'a key constructor that holds a prototype',
      '{"x":[{"constructor":{"prototype":{"mid":"A1"}}}]}',
      'Leave out the key prototype, or the key constructor that holds it.',
    ],
  ])('rejects %s, which could pollute a prototype, and names it', async (_, body, detail) => {
    for (const event of [{ body }, inBase64(body)]) await expectRejected(event, 'malformed_json', detail);
  });
});

describe('422', () => {
  const OBJECT = ['', 'invalid_type', 'Must be an object.'] as [string, string, string];

  test.each<[string, Record<string, unknown>]>([
    ['absent', { body: undefined }],
    ['null', { body: null }],
    ['empty', { body: '' }],
    ['empty in base64', { body: '', isBase64Encoded: true }],
  ])('treats a body that is %s as an object without fields', async (_, event) => {
    await expectRejected(event, 'validation_failed', [
      ['/mid', 'required', 'Is required.'],
      ...['/existing_master_merchant', '/master_merchant_id'].map((pointer): [string, string, string] => [
        pointer,
        'required',
        'One of existing_master_merchant and master_merchant_id is required.',
      ]),
    ]);
  });

  test('rejects JSON that is not an object', async () => {
    await expectRejected({ body: 'null' }, 'validation_failed', [['', 'required', 'Is required.']]);
    for (const body of ['"mid"', '1', 'true', '[]']) await expectRejected({ body }, 'validation_failed', [OBJECT]);
  });

  test('rejects an array even where no field is required', async () => {
    const { tid } = await newTerminal(provider, (await newBranch(provider)).mid);
    const response = await call('updateTerminal', { key: provider.key, path: { id: tid }, body: [] });
    expectProblem(response, 'validation_failed', [OBJECT]);
  });
});
