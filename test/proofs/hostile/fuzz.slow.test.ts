import { beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';
import { eventOf, OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { runs, seed } from '../../support/depth.ts';
import { newRequests } from '../../support/requests.ts';
import { placesIn, withJson } from './places.ts';
import { rejected, send, takesBody } from './send.ts';
import { NAMES_OF_PROGRAMS, NO_IDENTIFIERS } from './values.ts';

/*
 * Random input. Any request returns a documented response and stores nothing. `send` checks what holds for every
 * response.
 */

const ALL: Operation[] = [...OPERATIONS, 'unknownRoute'];
/** A UUID of no terminal and a MID of no branch. */
const UNKNOWN = '3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87';

/** For each operation a request that stores nothing, even if one place in it is changed. */
const harmless = {} as Record<Operation, Request>;
beforeAll(async () => {
  const { requestOf } = await newRequests();
  for (const operation of ALL) {
    const { path, ...request } = await requestOf(operation);
    const unknown = path && Object.fromEntries(Object.keys(path).map((name) => [name, UNKNOWN]));
    harmless[operation] = { ...request, path: unknown };
  }
  // Takes its MID, its master merchant and its terminal.
  await send('createBranch', [eventOf('createBranch', harmless.createBranch)]);
});

const ODD = ['__proto__', ...NAMES_OF_PROGRAMS];
/** Any text, including halves of characters. */
const text = fc.oneof(
  fc.array(fc.nat(0x10ffff), { maxLength: 12 }).map((points) => String.fromCodePoint(...points)),
  fc.array(fc.nat(0xffff), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...ODD, ...NO_IDENTIFIERS.map(([, each]) => each)),
);
/** Any text, and often one of some names. */
const nameOr = (...known: string[]) => fc.oneof(text, fc.constantFrom(...known));
/** Any JSON text, with numbers in any spelling. */
const json = fc.oneof(
  fc
    .anything({ key: text, values: [text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)], maxDepth: 4 })
    .map((value) => JSON.stringify(value)),
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom('null', '-0', '1e400', '-1E-400', '0.1e+1', '[[]]', '{"":{}}'),
);

/** Sends `count` random requests. They must store nothing and return one of these error codes, if any. */
async function sendAny(
  operation: Operation,
  count: number,
  events: fc.Arbitrary<APIGatewayProxyEventV2>,
  codes?: (string | undefined)[],
): Promise<void> {
  const several = fc.array(events, { minLength: count, maxLength: count });
  const property = fc.asyncProperty(several, async (all) => {
    const responses = await rejected(operation, all);
    for (const { body } of codes ? responses : []) expect(codes).toContain(body.code);
  });
  await fc.assert(property, { numRuns: runs(1), seed });
}

test.each(ALL)('%s responds to anything in path, query, headers and body', async (operation) => {
  const parts = fc.record({
    name: text,
    query: fc.dictionary(nameOr('page', 'per_page', 'sort', 'search', 'after', 'before', 'limit'), text, {
      maxKeys: 4,
    }),
    headers: fc.dictionary(nameOr('content-type', 'cookie', 'host'), text, { maxKeys: 4 }),
    body: fc.oneof(text, json),
    isBase64Encoded: fc.boolean(),
  });
  const { path = {}, key = '' } = harmless[operation];
  const events = parts.map(({ name, isBase64Encoded, ...request }) => {
    const named = Object.fromEntries(Object.keys(path).map((each) => [each, name]));
    const headers = { ...request.headers, 'api-key': key };
    return { ...eventOf(operation, { ...request, path: named, headers }), isBase64Encoded };
  });
  await sendAny(operation, 12, events);
});

/** Texts that make regular expressions backtrack, about as long as a text may be. */
const LABORIOUS = ['4', '1 ', '4444 ', '4444  ', 'a', 'a.', 'a-', 'a@', 'apk_', '\u0301\u0323', '\ufdfa'].flatMap(
  (part) => {
    const long = part.repeat(250 / part.length);
    return [long, `a@${long}!`, `${long}1`];
  },
);

describe.each(OPERATIONS.filter(takesBody))('%s', (operation) => {
  const codes = [
    ...['malformed_json', 'validation_failed', 'not_found'],
    // memberCheck stores nothing when it succeeds.
    ...(operation === 'memberCheck' ? [undefined] : []),
  ];
  const eventWith = (body: string) => eventOf(operation, { ...harmless[operation], body });

  test('responds to any value in any field', async () => {
    const { body } = harmless[operation];
    const places = placesIn(body);
    const values = fc.tuple(fc.constantFrom(...places), json).map(([place, value]) => withJson(body, place, value));
    await sendAny(operation, 12 + places.length, values.map(eventWith), codes);
  });

  test('responds to any set of fields', async () => {
    const body = harmless[operation].body as Record<string, unknown>;
    const own = Object.entries(body).map(([field, value]) => [field, JSON.stringify(value)]);
    // The taken MID stays, or several other values together could make the request valid.
    const names = nameOr(...ODD, ...Object.keys(body)).filter((name) => operation !== 'createBranch' || name !== 'mid');
    const bodies = fc.dictionary(names, json, { maxKeys: 6 }).map((members) => {
      const all = [...own, ...Object.entries(members)];
      return `{${all.map(([field, value]) => `${JSON.stringify(field)}:${value}`)}}`;
    });
    await sendAny(operation, 12, bodies.map(eventWith), codes);
  });

  test('responds to texts that make regular expressions backtrack', async () => {
    const { body } = harmless[operation];
    const places = placesIn(body);
    const bodies = LABORIOUS.map((value, at) =>
      withJson(body, places[at % places.length] as string, JSON.stringify(value)),
    );
    for (const response of await rejected(operation, bodies.map(eventWith)))
      expect(codes).toContain(response.body.code);
  });
});
