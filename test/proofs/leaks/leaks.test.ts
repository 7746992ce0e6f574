import { randomInt } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { table } from '../../../lib/table/client.ts';
import { call, eventOf, expectProblem, invoke, OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { SERVICE_FAILED } from '../../support/constants.ts';
import { cursorOf } from '../../support/cursors.ts';
import { FREE_TEXTS, IDENTIFIERS, newRequests } from '../../support/requests.ts';
import { eventsIn, stored } from '../../support/stored.ts';
import { type Caller, unique } from '../../support/world.ts';

/*
 * Secret-leak checks. Sends card numbers, API keys and e-mail addresses in every place of every request. None may be in
 * a log line or an error, or in the table outside the fields that are specified for them.
 */

/** A new card number with an issuer's prefix, length and check digit (ISO/IEC 7812). */
function cardNumber(): string {
  const digits = `4${String(randomInt(10 ** 14)).padStart(14, '0')}`;
  const sum = [...digits].reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits + ((10 - (sum % 10)) % 10);
}

const KINDS = {
  'card number': cardNumber,
  'card number in groups': () => cardNumber().replace(/(?!^)(?=(?:\d{4})+$)/g, ' '),
  'API key': newApiKey,
  'e-mail address': () => `${unique('somebody')}@example.com`,
};
type Kind = keyof typeof KINDS;

/** Fields that may store such a text: an identifier can be any digits, and a name can be an address. */
const STORABLE: Record<Kind, string[]> = {
  'card number': IDENTIFIERS,
  'card number in groups': [],
  'API key': [],
  'e-mail address': ['email', ...FREE_TEXTS],
};

let provider: Caller;
let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  const { world, ...requests } = await newRequests();
  ({ provider } = world);
  requestOf = async (operation) => {
    const { path, query, ...request } = await requests.requestOf(operation);
    const before = cursors[operation]?.(path ?? {});
    return { path, ...request, query: { ...query, ...(before && { before }) } };
  };
});

/** A cursor is valid for one branch or terminal only, so the requests in common have none. */
const cursors: { [K in Operation]?: (path: Record<string, string>) => string } = {
  getBranchHistory: ({ mid = '' }) => cursorOf(provider, ['branch', mid]),
  getTerminalHistory: ({ id = '' }) => cursorOf(provider, ['terminal', id]),
};

/** Everything that the process writes. */
let written: string[];
beforeEach(() => {
  written = [];
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  process.env['LOG_LEVEL'] = 'DEBUG';
});
afterEach(() => {
  process.env['LOG_LEVEL'] = 'ERROR';
  table.middlewareStack.remove('quoting');
  jest.restoreAllMocks();
});

const HEADERS = ['user-agent', 'authorization', 'cookie', 'content-type', 'x-forwarded-for', 'x-request-id', 'referer'];

/** Replaces one leaf of a JSON value, found by its path. */
const replaced = (value: unknown, [key, ...rest]: string[], by: unknown): unknown => {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
};

/** Paths of all leaves of a JSON value. */
const leaves = (value: unknown): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => leaves(each).map((path) => [key, ...path]))
    : [[]];

type Place = [name: string, put: (event: APIGatewayProxyEventV2, secret: string) => APIGatewayProxyEventV2];

/** Every place of a request that a partner can write to, with a function that writes it. */
function placesOf({ path = {}, query = {}, body }: Request): Place[] {
  const withBody = (change: (body: unknown, secret: string) => unknown): Place[1] => {
    return (event, secret) => ({ ...event, body: JSON.stringify(change(JSON.parse(event.body ?? 'null'), secret)) });
  };
  return [
    ...Object.keys(path).map(
      (name): Place => [
        name === 'mid' || name === 'id' ? 'path' : name,
        (event, secret) => ({
          ...event,
          rawPath: event.rawPath.replace(path[name] as string, encodeURIComponent(secret)),
          pathParameters: { ...event.pathParameters, [name]: secret },
        }),
      ],
    ),
    ...[...Object.keys(query), 'unknown'].map(
      (name): Place => [
        `query ${name}`,
        (event, secret) => {
          const queryStringParameters: Record<string, string> = { ...query, [name]: secret };
          return {
            ...event,
            queryStringParameters,
            rawQueryString: String(new URLSearchParams(queryStringParameters)),
          };
        },
      ],
    ),
    [
      'headers',
      (event, secret) => ({
        ...event,
        headers: { ...event.headers, ...Object.fromEntries(HEADERS.map((name) => [name, secret])) },
      }),
    ],
    ...(body === undefined
      ? []
      : [
          ...leaves(body).map(
            (leaf): Place => [leaf.at(-1) ?? '', withBody((json, secret) => replaced(json, leaf, secret))],
          ),
          [
            'unknown field',
            withBody((json, secret) => ({ ...(json as object), unknown: { deep: [secret] } })),
          ] as Place,
          ['field name', withBody((json, secret) => ({ ...(json as object), [secret]: 1 }))] as Place,
        ]),
    ['body that is not JSON', (event, secret) => ({ ...event, body: `{"card": ${secret}` })],
    ['body that is a string', (event, secret) => ({ ...event, body: JSON.stringify(secret) })],
  ];
}

/** Spellings of a secret that still reveal it. */
const spellings = (secret: string): string[] => {
  const bare = secret.replace(/[ -](?=\d)/g, '');
  return [
    ...new Set([secret, bare, encodeURIComponent(secret), Buffer.from(bare).toString('base64').replace(/=+$/, '')]),
  ];
};
const isIn = (text: string) => (secret: string) => spellings(secret).some((spelling) => text.includes(spelling));

/** The place to which each secret was sent. */
const sent = new Map<string, { kind: Kind; place: string }>();

describe.each(OPERATIONS)('%s', (operation) => {
  test.each(Object.keys(KINDS) as Kind[])('does not leak a %s into errors or the log', async (kind) => {
    const { key } = provider;
    const secrets: string[] = [];
    // Callers without access: without a key, with a mistyped one, and with the secret as the key.
    const strangers = [() => undefined, () => key.slice(0, -1), (secret: string) => secret];
    for (const [at, [place, put]] of placesOf(await requestOf(operation)).entries()) {
      const request = await requestOf(operation);
      for (const keyOf of [() => key, strangers[at % strangers.length] as (secret: string) => string | undefined]) {
        const secret = KINDS[kind]();
        secrets.push(secret);
        sent.set(secret, { kind, place });
        const event = eventOf(operation, { ...request, key: keyOf(secret) });
        const { status, body, headers } = await invoke(operation, put(event, secret));
        expect(status === 401).toBe(keyOf(secret) !== key);
        // A success may return stored fields, and links repeat the query.
        if (status >= 300) expect([place, isIn(JSON.stringify({ body, headers }))(secret)]).toEqual([place, false]);
      }
    }
    expect(written.length).toBeGreaterThanOrEqual(secrets.length);
    expect(secrets.filter(isIn(written.join('')))).toEqual([]);
  });

  test('does not leak a secret into the log when an error of the table quotes it', async () => {
    const { key } = provider;
    const request = await requestOf(operation);
    const secrets = Object.values(KINDS).map((make) => make());
    const error = new Error(`Invalid: ${secrets.join(', ')}.`);
    table.middlewareStack.add(() => () => Promise.reject(error), { step: 'initialize', name: 'quoting' });
    const response = await call(operation, { ...request, key });
    expectProblem(response, 'server_error', SERVICE_FAILED);
    expect(written.join('')).toContain(`Invalid: ${secrets.map(() => '[redacted]').join(', ')}`);
    expect(secrets.filter(isIn(written.join('')))).toEqual([]);
  });
});

test('the table stores secrets only in the fields that are specified for them', async () => {
  const items = await stored();
  // Events are stored deflated.
  const texts = JSON.stringify([items, eventsIn(items)]);
  const found = [...sent].filter(([secret]) => isIn(texts)(secret)).map(([, each]) => each);
  const strays = found.filter(({ kind, place }) => !STORABLE[kind].includes(place));
  expect(strays).toEqual([]);
  // Without any of these, the check itself would not work.
  expect(new Set(found.map(({ place }) => place))).toEqual(new Set([...IDENTIFIERS, 'email', ...FREE_TEXTS]));
});
