import { beforeAll, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';
import { MOST_WEBHOOKS } from '../../../lib/webhooks/webhook.ts';
import { eventOf, expectProblem, OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { INVALID_KEY } from '../../support/constants.ts';
import { hasBody, parametersOf } from '../../support/contract.ts';
import { runs, seed } from '../../support/depth.ts';
import { newRequests } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { placesIn, withJson } from './places.ts';
import { ONCE, rejected, send } from './send.ts';
import { NAMES_OF_PROGRAMS, NO_NAMES, NO_VALUES, NUMBERS } from './values.ts';

/*
 * Whole requests: the order of validation, and requests with random and hostile values in any place. Which value of a field
 * leads to which error is in test/infra/publish/contract/requests.slow.test.ts, unusual JSON in test/lib/http/body.test.ts.
 */

const ALL: Operation[] = [...OPERATIONS, 'unknownRoute'];
const WITH_BODY = OPERATIONS.filter(hasBody);

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  ({ requestOf } = await newRequests());
});

test.each(ALL)(
  'an entirely invalid %s is rejected for its API key, then its query, JSON, fields, Idempotency-Key and path',
  async (operation) => {
    const { key = '', path = {}, query = {}, body } = await requestOf(operation);
    // A cursor of another webhook is refused before the path is.
    if (operation === 'listDeliveries') delete query['after'];
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
    const fields = hasBody(operation) ? 'validation_failed' : once;
    const json = hasBody(operation) ? 'malformed_json' : fields;
    const page = 'page' in query || 'limit' in query || operation === 'find' ? 'invalid_query' : json;
    const codes = responses.map((response) => response.body.code);
    expect(codes).toEqual(['invalid_api_key', page, json, fields, once, path404]);
    if (path404) expect(changed).toEqual({});
    expectProblem(responses[0] as (typeof responses)[0], 'invalid_api_key', INVALID_KEY);
  },
);

/** A UUID of no terminal and a MID of no branch. */
const UNKNOWN = '3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87';

/** A request that stores nothing, even if one place in it is changed. */
async function harmless(operation: Operation): Promise<Request & { path: Record<string, string> }> {
  const { path = {}, ...request } = await requestOf(operation);
  // Takes its MID, its master merchant and its terminal.
  if (operation === 'createBranch') await send(operation, [eventOf(operation, request)]);
  // Its acquirer has as many as there can be.
  if (operation === 'createWebhook') await send(operation, Array(MOST_WEBHOOKS).fill(eventOf(operation, request)));
  return { ...request, path: Object.fromEntries(Object.keys(path).map((name) => [name, UNKNOWN])) };
}

const ODD = ['__proto__', ...NAMES_OF_PROGRAMS];
/** Any text, including halves of characters. */
const text = fc.oneof(
  fc.array(fc.nat(0x10ffff), { maxLength: 12 }).map((points) => String.fromCodePoint(...points)),
  fc.array(fc.nat(0xffff), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(...ODD, ...NO_NAMES),
);
/** Any text, and often one of some names. */
const nameOr = (...known: string[]) => fc.oneof(text, fc.constantFrom(...known));
/** Any JSON text, with numbers in any spelling. */
const json = fc.oneof(
  fc
    .anything({ key: text, values: [text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)], maxDepth: 4 })
    .map((value) => JSON.stringify(value)),
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom('null', '0.1e+1', '{"":{}}', ...[...NO_VALUES, ...NUMBERS].map(([, each]) => each)),
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
  const { path, key = '' } = await harmless(operation);
  const parameters = parametersOf(operation).flatMap(({ in: part, name }) => (part === 'query' ? [name] : []));
  const parts = fc.record({
    name: text,
    query: fc.dictionary(nameOr('page', ...parameters), text, {
      maxKeys: 4,
    }),
    headers: fc.dictionary(nameOr('content-type', 'cookie', 'host'), text, { maxKeys: 4 }),
    body: fc.oneof(text, json),
    isBase64Encoded: fc.boolean(),
  });
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

test.each(WITH_BODY)('%s responds to any value in any field, and to any set of fields', async (operation) => {
  const request = await harmless(operation);
  const body = request.body as Record<string, unknown>;
  const codes = [
    ...['malformed_json', 'validation_failed', 'not_found'],
    // memberCheck stores nothing when it succeeds.
    ...(operation === 'memberCheck' ? [undefined] : []),
    ...(operation === 'createWebhook' ? ['too_many_webhooks'] : []),
  ];
  const eventWith = (each: string) => eventOf(operation, { ...request, body: each });
  const places = placesIn(body);
  const values = fc.tuple(fc.constantFrom(...places), json).map(([place, value]) => withJson(body, place, value));
  await sendAny(operation, 12 + places.length, values.map(eventWith), codes);

  const own = Object.entries(body).map(([field, value]) => [field, JSON.stringify(value)]);
  // The taken MID stays, or several other values together could make the request valid.
  const names = nameOr(...ODD, ...Object.keys(body)).filter((name) => operation !== 'createBranch' || name !== 'mid');
  const sets = fc.dictionary(names, json, { maxKeys: 6 }).map((members) => {
    const all = [...own, ...Object.entries(members)];
    return `{${all.map(([field, value]) => `${JSON.stringify(field)}:${value}`)}}`;
  });
  await sendAny(operation, 12, sets.map(eventWith), codes);

  const laborious = LABORIOUS.map((value, at) =>
    withJson(body, places[at % places.length] as string, JSON.stringify(value)),
  );
  for (const response of await rejected(operation, laborious.map(eventWith)))
    expect(codes).toContain(response.body.code);
});
