import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import {
  type ApiResponse,
  eventOf,
  expectProblem,
  OPERATIONS,
  type Operation,
  type Request,
  STATUSES,
} from '../../support/api.ts';
import { INVALID_KEY, MALFORMED } from '../../support/constants.ts';
import { newRequests } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { placesIn, valueAt, withJson } from './places.ts';
import { ONCE, send, takesBody } from './send.ts';
import { NAMES_OF_PROGRAMS, nested } from './values.ts';

/* Whole bodies: text that is not JSON, unusual JSON, and the order of validation. */

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  ({ requestOf } = await newRequests());
});

const inBase64 = (event: APIGatewayProxyEventV2, bytes: Uint8Array): APIGatewayProxyEventV2 => ({
  ...event,
  body: Buffer.from(bytes).toString('base64'),
  isBase64Encoded: true,
});

const withMember = (object: string, member: string): string => `${object.slice(0, -1)},${member}}`;
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Changes to the JSON text of a valid body after which it is not JSON any more. */
const NO_JSON: [title: string, make: (json: string) => string][] = [
  ['a blank', () => ' '],
  ['NUL', () => '\0'],
  ['a byte order mark before it', (json) => `\ufeff${json}`],
  ['NUL after it', (json) => `${json}\0`],
  ['a bracket too many', (json) => `${json}}`],
  ['a bracket too few', (json) => json.slice(0, -1)],
  ['the same JSON twice', (json) => json + json],
  ['two lines of JSON', (json) => `${json}\n${json}`],
  ['a comment before it', (json) => `/* mine */ ${json}`],
  ['a comment after it', (json) => `${json} // mine`],
  ['a comma too many', (json) => `${json.slice(0, -1)},}`],
  ['single quotes', (json) => json.replaceAll('"', "'")],
  ['a name without quotes', (json) => withMember(json, 'a:1')],
  ...['NaN', 'Infinity', '-Infinity', 'undefined', '01', '+1', '.5', '1.', '1e', '0x10', '1_0', '1n'].map(
    (value): [string, (json: string) => string] => [value, (json) => withMember(json, `"a":${value}`)],
  ),
  ['an escape that JSON does not have', (json) => withMember(json, '"a":"\\x41"')],
  ['half an escape', (json) => withMember(json, '"a":"\\u00"')],
  ['a control character in a text', (json) => withMember(json, '"a":"\u0001"')],
  ['a line break in a text', (json) => withMember(json, '"a":"\n"')],
  ['a prefix against JSON hijacking', (json) => `)]}',\n${json}`],
  ['a JSONP call', (json) => `callback(${json})`],
  ['a form', (json) => String(new URLSearchParams({ json }))],
  ['a file in a form', (json) => `--a\r\ncontent-disposition: form-data; name="a"\r\n\r\n${json}\r\n--a--\r\n`],
  ['XML', () => '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ['nothing but 100,000 brackets', () => '['.repeat(100_000)],
  ['a key __proto__', (json) => withMember(json, '"__proto__":{"polluted":true}')],
  ['an escaped key __proto__', (json) => withMember(json, '"\\u005f_proto\\u005f_":{"polluted":true}')],
  ['a key __proto__ deep inside', (json) => withMember(json, '"a":[{"a":{"__proto__":null}}]')],
];

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const withBytes = (json: string, ...bytes: number[]): Buffer =>
  Buffer.concat([Buffer.from(`${json.slice(0, -1)},"a":"`), Buffer.from(bytes), Buffer.from('"}')]);

/** Bytes that are not JSON, which must be UTF-8 without a byte order mark (RFC 8259 §8.1). */
const NO_UTF_8: [title: string, make: (json: string) => Uint8Array][] = [
  ['UTF-16', utf16],
  ['UTF-16 with the high byte first', (json) => utf16(json).swap16()],
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['Brotli', brotliCompressSync],
  ['base64 in base64', (json) => Buffer.from(Buffer.from(json).toString('base64'))],
  ['an image', () => Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')],
  ['a letter of ISO 8859-1', (json) => withBytes(json, 0xe9)],
  ['a truncated character', (json) => withBytes(json, 0xf0, 0x9f, 0x8f)],
  ['an overlong character', (json) => withBytes(json, 0xc0, 0xaf)],
  ['half a surrogate pair', (json) => withBytes(json, 0xed, 0xa0, 0x80)],
  ['a code point beyond Unicode', (json) => withBytes(json, 0xf4, 0x90, 0x80, 0x80)],
  ['bytes that UTF-8 never has', (json) => withBytes(json, 0xff, 0xfe)],
];

const NO_OBJECTS = ['null', 'true', '0', '-0', '1e400', '""', '"{}"', '[]', '[{}]', '[null]', nested(1000)];

/** Unknown members with names that JavaScript uses, or with odd values. */
const ODD_MEMBERS = [
  ...NAMES_OF_PROGRAMS.map((name) => `"${name}":{"name":"hostile"}`),
  ...['', ' ', '\\u0000', '\\ud800', 'proto__', '__defineGetter__', '🏪', 'pk', 'status', 'terminal_count'].map(
    (name) => `"${name}":"hostile"`,
  ),
  ...[
    '1e400',
    '-1e400',
    '-0',
    '1e-400',
    '9'.repeat(400),
    '"\\u0000\\ud800hostile"',
    nested(10_000),
    objects(5_000),
  ].map((value, at) => `"odd${at}":${value}`),
  '"constructor":{"prototype":{"polluted":"hostile"}}',
  `"${'hostile'.repeat(1_000)}":1`,
  ...Array.from({ length: 1_000 }, (_, at) => `"hostile${at}":${at}`),
];

/** An object's JSON text with odd members around its own. Its own come twice, first with other values. */
function odd(object: object): string {
  const others = Object.keys(object).map((name) => `"${name}":[{"hostile":-0}]`);
  return `\r\n\t {${[...others, ...ODD_MEMBERS].join(' ,\n ')},${JSON.stringify(object).slice(1)} \n`;
}

describe.each(OPERATIONS.filter(takesBody))('%s', (operation) => {
  /** Sends events that must store nothing, and returns the responses. */
  async function rejected(events: APIGatewayProxyEventV2[]): Promise<ApiResponse[]> {
    const { response: responses, changed } = await storedBy(() => send(operation, events));
    expect(changed).toEqual({});
    return responses;
  }

  test('returns 400 for anything that is not JSON', async () => {
    const request = await requestOf(operation);
    const json = JSON.stringify(request.body);
    const responses = await rejected([
      ...NO_JSON.map(([, make]) => eventOf(operation, { ...request, body: make(json) })),
      ...NO_JSON.map(([, make]) => inBase64(eventOf(operation, request), Buffer.from(make(json)))),
      // Neither base64 nor a body.
      { ...eventOf(operation, request), body: '!"{}', isBase64Encoded: true },
    ]);
    for (const response of responses) expectProblem(response, 'malformed_json', MALFORMED);
  });

  test('returns 400 for bytes that are not UTF-8', async () => {
    const request = await requestOf(operation);
    const json = JSON.stringify(request.body);
    const responses = await rejected(NO_UTF_8.map(([, make]) => inBase64(eventOf(operation, request), make(json))));
    expect(NO_UTF_8.map(([title], at) => `${title}: ${responses[at]?.body.code}`)).toEqual(
      NO_UTF_8.map(([title]) => `${title}: malformed_json`),
    );
  });

  test('returns 422 for JSON that is not an object, and for no body', async () => {
    const request = await requestOf(operation);
    const responses = await rejected(NO_OBJECTS.map((body) => eventOf(operation, { ...request, body })));
    expect(responses.map(({ body }) => [body.code, body.errors])).toEqual(
      NO_OBJECTS.map((body) => [
        'validation_failed',
        [
          body === 'null'
            ? { pointer: '', code: 'required', detail: 'Is required.' }
            : { pointer: '', code: 'invalid_type', detail: 'Must be an object.' },
        ],
      ]),
    );
  });

  test('returns one field error for a list that is empty or too long, however many items it has', async () => {
    const request = await requestOf(operation);
    for (const place of placesIn(request.body)) {
      const list = valueAt(request.body, place);
      if (!Array.isArray(list)) continue;
      const items = [JSON.stringify(list[0]), 'null', '{}', '[]', '0'];
      const lists = [...items.map((item) => Array(41).fill(item)), Array(80_000).fill('{}')];
      const responses = await rejected(
        [[], ...lists].map((each) =>
          eventOf(operation, { ...request, body: withJson(request.body, place, `[${each}]`) }),
        ),
      );
      expect(responses.map(({ body }) => body.errors)).toEqual([
        [{ pointer: place, code: 'too_short', detail: 'Must have at least 1 item.' }],
        ...lists.map(() => [{ pointer: place, code: 'too_long', detail: 'Must have at most 40 items.' }]),
      ]);
    }
  });

  test('accepts valid fields in odd JSON and stores nothing of the rest', async () => {
    const request = await requestOf(operation);
    const inner = placesIn(request.body).filter((place) => valueAt(request.body, place)?.constructor === Object);
    const body = inner.reduce(
      (json, place) => json.replace(JSON.stringify(valueAt(request.body, place)), (object) => odd(JSON.parse(object))),
      odd(request.body as object),
    );
    const { response, changed } = await storedBy(() => send(operation, [eventOf(operation, { ...request, body })]));
    expect(response.map(({ status }) => status)).toEqual([STATUSES[operation][0]]);
    expect(JSON.stringify([response.map(({ body: { data } }) => data), changed])).not.toContain('hostile');
    // A hundred warnings, and one with the number of the rest.
    expect(response[0]?.body.warnings).toHaveLength(101);
    expect(JSON.stringify(response).length).toBeLessThan(20_000);
  });

  test('accepts a valid body in base64', async () => {
    const { body, ...request } = await requestOf(operation);
    const [response] = await send(operation, [
      inBase64(eventOf(operation, request), Buffer.from(JSON.stringify(body))),
    ]);
    expect(response?.status).toBe(STATUSES[operation][0]);
  });
});

describe('an amount', () => {
  test.each(['0', '-0', '1e-400', '-1e-400', '0.1', '1e308', '12345678901234567890', '1E+2'])(
    'may be %s',
    async (amount) => {
      const request = await requestOf('memberCheck');
      const body = withJson(request.body, '/amount', amount);
      const [response] = await send('memberCheck', [eventOf('memberCheck', { ...request, body })]);
      expect(response).toMatchObject({ status: 200, body: { data: { member_identified: true } } });
    },
  );

  test.each([
    ['1e400', 'invalid_type', 'Must be a finite number.'],
    ['-1e400', 'invalid_type', 'Must be a finite number.'],
    ['-1', 'too_small', 'Must be at least 0.'],
    ['-5e-324', 'too_small', 'Must be at least 0.'],
    ['"1"', 'invalid_type', 'Must be a number.'],
    ['"1e400"', 'invalid_type', 'Must be a number.'],
    ['{"valueOf":1}', 'invalid_type', 'Must be a number.'],
    ['null', 'required', 'Is required.'],
  ])('is not %s', async (amount, code, detail) => {
    const request = await requestOf('memberCheck');
    const body = withJson(request.body, '/amount', amount);
    const [response] = await send('memberCheck', [eventOf('memberCheck', { ...request, body })]);
    expectProblem(response as ApiResponse, 'validation_failed', [['/amount', code, detail]]);
  });
});

describe('an entirely invalid request', () => {
  test.each<Operation>([...OPERATIONS, 'unknownRoute'])(
    'to %s is rejected for its API key, then its query, JSON, fields, Idempotency-Key and path',
    async (operation) => {
      const { key = '', path = {}, query = {}, body, ...request } = await requestOf(operation);
      const wrongKey = `${key},${key}`;
      const wrongPath = Object.fromEntries(Object.keys(path).map((name) => [name, '__proto__']));
      const wrongQuery = Object.fromEntries(Object.keys(query).map((name) => [name, ' ']));
      const idempotencyKey = { 'idempotency-key': '\0' };
      const requests: Request[] = [
        { key: wrongKey, path: wrongPath, query: wrongQuery, headers: idempotencyKey, body: '{"__proto__":0' },
        { key, path: wrongPath, query: wrongQuery, headers: idempotencyKey, body: '{"__proto__":0' },
        { key, path: wrongPath, query, headers: idempotencyKey, body: '{"__proto__":0' },
        { key, path: wrongPath, query, headers: idempotencyKey, body: '[]' },
        { key, path: wrongPath, query, headers: idempotencyKey, body },
        { key, path: wrongPath, query, body },
      ];
      const { response: responses, changed } = await storedBy(() =>
        send(
          operation,
          requests.map((wrong) => eventOf(operation, { ...request, ...wrong })),
        ),
      );
      // If a part of the request cannot be invalid, the next one is rejected, and nothing in the end.
      const path404 = Object.keys(path).length > 0 || operation === 'unknownRoute' ? 'not_found' : undefined;
      const once = ONCE.includes(operation) ? 'invalid_idempotency_key' : path404;
      const fields = takesBody(operation) ? 'validation_failed' : once;
      const json = takesBody(operation) ? 'malformed_json' : fields;
      const page = 'page' in query || 'limit' in query || operation === 'find' ? 'invalid_query' : json;
      expect(responses.map((response) => response.body.code)).toEqual([
        ...['invalid_api_key', page, json, fields, once],
        path404,
      ]);
      if (path404) expect(changed).toEqual({});
      expectProblem(responses[0] as ApiResponse, 'invalid_api_key', INVALID_KEY);
    },
  );
});
