import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { eventOf, expectProblem, OPERATIONS, type Operation, type Request, STATUSES } from '../../support/api.ts';
import { INVALID_KEY, MALFORMED } from '../../support/constants.ts';
import { newRequests } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { placesIn, valueAt, withJson } from './places.ts';
import { ONCE, rejected, send, takesBody } from './send.ts';
import { NAMES_OF_PROGRAMS, nested } from './values.ts';

/* Whole bodies: text that is not JSON, unusual JSON, and the order of validation. */

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  ({ requestOf } = await newRequests());
});

const inBase64 = (event: APIGatewayProxyEventV2, bytes: Uint8Array | string): APIGatewayProxyEventV2 => ({
  ...event,
  body: Buffer.from(bytes as string).toString('base64'),
  isBase64Encoded: true,
});

/** Texts that are not JSON. `{…}` is a valid body. */
const NO_JSON = [
  ...[
    ' ',
    '\0',
    '\ufeff{…}',
    '{…}\0',
    '{…}}',
    '{…}{…}',
    '{…}\n{…}',
    '/* mine */ {…}',
    '{…} // mine',
    '['.repeat(100_000),
  ],
  ...[
    ")]}',\n{…}",
    'callback({…})',
    'json={…}',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "c">]><a>&b;</a>',
  ],
  '--a\r\ncontent-disposition: form-data; name="a"\r\n\r\n{…}\r\n--a--\r\n',
];
/** Ends of an object, after its other members, with which it is not JSON. */
const NO_ENDS = [
  ...['', ',}', ',a:1}', ",'a':1}", ',"a":"\\x41"}', ',"a":"\\u00"}', ',"a":"\u0001"}', ',"a":"\n"}'],
  ...['NaN', 'Infinity', '-Infinity', 'undefined', '01', '+1', '.5', '1.', '1e', '0x10', '1_0', '1n'].map(
    (value) => `,"a":${value}}`,
  ),
  ...[',"__proto__":{"polluted":true}}', ',"\\u005f_proto\\u005f_":{}}', ',"a":[{"a":{"__proto__":null}}]}'],
];
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
/** Encodings of a body that are not UTF-8 without a byte order mark (RFC 8259 §8.1). */
const ENCODINGS: ((json: string) => Uint8Array)[] = [
  ...[utf16, (json: string) => utf16(json).swap16(), gzipSync, deflateSync, brotliCompressSync],
  (json) => Buffer.from(Buffer.from(json).toString('base64')),
];
/** Bytes that UTF-8 never has: ISO 8859-1, truncated, overlong, half a surrogate pair, beyond Unicode. */
const NO_UTF_8 = [[0xe9], [0xf0, 0x9f, 0x8f], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff, 0xfe]];

const NO_OBJECTS = ['null', 'true', '0', '-0', '1e400', '""', '"{}"', '[]', '[{}]', '[null]', nested(1000)];

/** Unknown members with names that JavaScript uses, or with odd values. */
const ODD_MEMBERS = [
  ...NAMES_OF_PROGRAMS.map((name) => `"${name}":{"name":"hostile"}`),
  ...['', ' ', '\\u0000', '\\ud800', 'proto__', '__defineGetter__', '🏪', 'pk', 'status', 'terminal_count'].map(
    (name) => `"${name}":"hostile"`,
  ),
  ...['1e400', '-1e400', '-0', '1e-400', '9'.repeat(400), '"\\u0000\\ud800hostile"', nested(10_000)].map(
    (value, at) => `"odd${at}":${value}`,
  ),
  `"objects":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
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
  test('returns 400 for anything that is not JSON in UTF-8', async () => {
    const request = await requestOf(operation);
    const json = JSON.stringify(request.body);
    const [event, open] = [eventOf(operation, request), json.slice(0, -1)];
    const texts = [...NO_JSON.map((text) => text.replaceAll('{…}', () => json)), ...NO_ENDS.map((end) => open + end)];
    const noUtf8 = NO_UTF_8.map((bytes) =>
      Buffer.concat([`${open},"a":"`, bytes, '"}'].map((part) => Buffer.from(part as string))),
    );
    const responses = await rejected(operation, [
      ...texts.flatMap((body) => [{ ...event, body }, inBase64(event, body)]),
      ...[...ENCODINGS.map((encode) => encode(json)), ...noUtf8].map((bytes) => inBase64(event, bytes)),
      // Neither base64 nor a body.
      { ...event, body: '!"{}', isBase64Encoded: true },
    ]);
    for (const response of responses) expectProblem(response, 'malformed_json', MALFORMED);
  });

  test('returns 422 for JSON that is not an object', async () => {
    const request = await requestOf(operation);
    const responses = await rejected(
      operation,
      NO_OBJECTS.map((body) => eventOf(operation, { ...request, body })),
    );
    for (const [at, response] of responses.entries())
      expectProblem(response, 'validation_failed', [
        NO_OBJECTS[at] === 'null' ? ['', 'required', 'Is required.'] : ['', 'invalid_type', 'Must be an object.'],
      ]);
  });

  test('returns one field error for a list that is empty or too long, however many items it has', async () => {
    const request = await requestOf(operation);
    for (const place of placesIn(request.body)) {
      const list = valueAt(request.body, place);
      if (!Array.isArray(list)) continue;
      const items = [JSON.stringify(list[0]), 'null', '{}', '[]', '0'];
      const lists = [[], ...items.map((item) => Array(41).fill(item)), Array(80_000).fill('{}')];
      const bodies = lists.map((each) => withJson(request.body, place, `[${each}]`));
      const responses = await rejected(
        operation,
        bodies.map((body) => eventOf(operation, { ...request, body })),
      );
      for (const [at, response] of responses.entries())
        expectProblem(response, 'validation_failed', [
          at === 0
            ? [place, 'too_short', 'Must have at least 1 item.']
            : [place, 'too_long', 'Must have at most 40 items.'],
        ]);
    }
  });

  test('accepts valid fields in odd JSON, in base64, and stores nothing of the rest', async () => {
    const { body: fields, ...request } = await requestOf(operation);
    const inner = placesIn(fields).filter((place) => valueAt(fields, place)?.constructor === Object);
    const body = inner.reduce(
      (json, place) => json.replace(JSON.stringify(valueAt(fields, place)), (object) => odd(JSON.parse(object))),
      odd(fields as object),
    );
    const event = inBase64(eventOf(operation, request), body);
    const { response: responses, changed } = await storedBy(() => send(operation, [event]));
    const [{ status, body: accepted } = { status: 0, body: {} }] = responses;
    expect(status).toBe(STATUSES[operation][0]);
    expect(JSON.stringify([accepted.data, changed])).not.toContain('hostile');
    // A hundred warnings, and one with the number of the rest.
    expect(accepted.warnings).toHaveLength(101);
    expect(JSON.stringify(responses).length).toBeLessThan(20_000);
  });
});

test.each<Operation>([...OPERATIONS, 'unknownRoute'])(
  'an entirely invalid %s is rejected for its API key, then its query, JSON, fields, Idempotency-Key and path',
  async (operation) => {
    const { key = '', path = {}, query = {}, body } = await requestOf(operation);
    const wrongPath = Object.fromEntries(Object.keys(path).map((name) => [name, '__proto__']));
    const wrongQuery = Object.fromEntries(Object.keys(query).map((name) => [name, ' ']));
    /** Each is invalid in one place less than the one before. */
    const requests: Request[] = [
      {
        key: `${key},${key}`,
        path: wrongPath,
        query: wrongQuery,
        headers: { 'idempotency-key': '\0' },
        body: '{"__proto__":0',
      },
    ];
    for (const valid of [{ key }, { query }, { body: '[]' }, { body }, { headers: {} }])
      requests.push({ ...(requests.at(-1) as Request), ...valid });
    const { response: responses, changed } = await storedBy(() =>
      send(
        operation,
        requests.map((request) => eventOf(operation, request)),
      ),
    );
    // If a part of the request cannot be invalid, the next one is rejected, and nothing in the end.
    const path404 = Object.keys(path).length > 0 || operation === 'unknownRoute' ? 'not_found' : undefined;
    const once = ONCE.includes(operation) ? 'invalid_idempotency_key' : path404;
    const fields = takesBody(operation) ? 'validation_failed' : once;
    const json = takesBody(operation) ? 'malformed_json' : fields;
    const page = 'page' in query || 'limit' in query || operation === 'find' ? 'invalid_query' : json;
    const codes = responses.map((response) => response.body.code);
    expect(codes).toEqual(['invalid_api_key', page, json, fields, once, path404]);
    if (path404) expect(changed).toEqual({});
    expectProblem(responses[0] as (typeof responses)[0], 'invalid_api_key', INVALID_KEY);
  },
);
