import { beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';
import { eventOf, OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { newRequests } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { placesIn, withJson } from './places.ts';
import { send, takesBody } from './send.ts';
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
    const request = await requestOf(operation);
    harmless[operation] = {
      ...request,
      ...(request.path && { path: Object.fromEntries(Object.keys(request.path).map((name) => [name, UNKNOWN])) }),
    };
  }
  // Takes its MID, its master merchant and its terminal.
  await send('createBranch', [eventOf('createBranch', harmless.createBranch)]);
});

/** Any text, including halves of characters. */
const text = fc.oneof(
  fc.array(fc.nat(0x10ffff), { maxLength: 12 }).map((points) => String.fromCodePoint(...points)),
  fc.array(fc.nat(0xffff), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', ...NAMES_OF_PROGRAMS, ...NO_IDENTIFIERS.map(([, each]) => each)),
);
/** Any JSON text, with numbers in any spelling. */
const json = fc.oneof(
  fc
    .anything({ key: text, values: [text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)], maxDepth: 4 })
    .map((value) => JSON.stringify(value)),
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom('null', '-0', '1e400', '-1E-400', '0.1e+1', '[[]]', '{"":{}}'),
);

/** Sends `count` random requests. They must store nothing and return one of these error codes, if any. */
async function sendAny<T>(
  operation: Operation,
  count: number,
  anything: fc.Arbitrary<T>,
  eventOfAny: (any: T) => APIGatewayProxyEventV2,
  codes?: (string | undefined)[],
): Promise<void> {
  const several = fc.array(anything, { minLength: count, maxLength: count });
  const { changed } = await storedBy(() =>
    fc.assert(
      fc.asyncProperty(several, async (all) => {
        const responses = await send(operation, all.map(eventOfAny));
        for (const { body } of codes ? responses : []) expect(codes).toContain(body.code);
      }),
      { numRuns: 1 },
    ),
  );
  expect(changed).toEqual({});
}

test.each(ALL)('%s responds to anything in path, query, headers and body', async (operation) => {
  const names = (...known: string[]) => fc.oneof(text, fc.constantFrom(...known));
  await sendAny(
    operation,
    20,
    fc.record({
      name: text,
      query: fc.dictionary(names('page', 'per_page', 'sort', 'search', 'after', 'before', 'limit'), text, {
        maxKeys: 4,
      }),
      headers: fc.dictionary(names('content-type', 'cookie', 'host'), text, { maxKeys: 4 }),
      body: fc.oneof(text, json),
      isBase64Encoded: fc.boolean(),
    }),
    ({ name, query, headers, body, isBase64Encoded }) => {
      const { path = {}, key = '' } = harmless[operation];
      const named = Object.fromEntries(Object.keys(path).map((each) => [each, name]));
      const event = eventOf(operation, { path: named, query, headers: { ...headers, 'api-key': key }, body });
      return { ...event, isBase64Encoded };
    },
  );
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

  test('responds to any value in any field', async () => {
    const { body } = harmless[operation];
    const places = placesIn(body);
    await sendAny(
      operation,
      20 + 2 * places.length,
      fc.record({ place: fc.constantFrom(...places), value: json }),
      ({ place, value }) => eventOf(operation, { ...harmless[operation], body: withJson(body, place, value) }),
      codes,
    );
  });

  test('responds to any set of fields', async () => {
    const body = harmless[operation].body as Record<string, unknown>;
    const name = fc.oneof(fc.constantFrom('__proto__', ...NAMES_OF_PROGRAMS, ...Object.keys(body)), text);
    await sendAny(
      operation,
      20,
      fc.dictionary(name, json, { maxKeys: 6 }),
      (members) => {
        const own = Object.entries(body).map(([field, value]) => [field, JSON.stringify(value)]);
        // The taken MID stays, or several other values together could make the request valid.
        const others = Object.entries(members).filter(([field]) => operation !== 'createBranch' || field !== 'mid');
        const written = [...own, ...others].map(([field, value]) => `${JSON.stringify(field)}:${value}`);
        return eventOf(operation, { ...harmless[operation], body: `{${written}}` });
      },
      codes,
    );
  });

  test('responds to texts that make regular expressions backtrack', async () => {
    const { body } = harmless[operation];
    const events = LABORIOUS.flatMap((value, at) => {
      const places = placesIn(body);
      return eventOf(operation, {
        ...harmless[operation],
        body: withJson(body, places[at % places.length] as string, JSON.stringify(value)),
      });
    });
    const { response: responses, changed } = await storedBy(() => send(operation, events));
    for (const response of responses) expect(codes).toContain(response.body.code);
    expect(changed).toEqual({});
  });
});
