import { randomBytes, randomInt } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { newSecret } from '../../../lib/webhooks/secret.ts';
import { eventOf, invoke, OPERATIONS, type Operation, type Request } from '../../support/api.ts';
import { cursorOf, type ListOfEvents } from '../../support/cursors.ts';
import { deep } from '../../support/depth.ts';
import '../../../infra/local/patient.ts';
import { personOf } from '../../support/people.ts';
import { FREE_TEXTS, IDENTIFIERS, newRequests } from '../../support/requests.ts';
import { eventsIn, stored } from '../../support/stored.ts';
import { checkEach } from '../../support/walk.ts';
import { type Caller, unique } from '../../support/world.ts';
import { fieldOf, placesIn, valueAt, withJson } from '../hostile/places.ts';

/*
 * Secret-leak checks. Sends card numbers, API keys and e-mail addresses in every place of every request. None may be in
 * a log line or an error, or in the table outside the fields that are specified for them. The secrets that responses
 * give to webhooks are in those responses alone. What an error of the table
 * quotes is redacted: see test/lib/http/loggedCauses.unit.test.ts.
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
  'session cookie': () => `${randomBytes(16).toString('base64url')}.${randomBytes(32).toString('base64url')}`,
  'webhook secret': newSecret,
  'e-mail address': () => `${unique('somebody')}@example.com`,
  /** No secret, and an id of nothing. Longer than the name of an unknown field that a response shows. */
  'marked text': () => unique('MarkedByThisTest'),
};
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** Fields with any text, of webhooks too. */
const TEXTS = [...FREE_TEXTS, 'description'];

/** Fields that may store such a text: an identifier can be any digits, and a name can be an address. */
const STORABLE: Record<Kind, string[]> = {
  'card number': IDENTIFIERS,
  'card number in groups': [],
  'API key': [],
  // A name can be any text, and nothing tells a cookie from it.
  'session cookie': TEXTS,
  'webhook secret': TEXTS,
  'e-mail address': ['email', ...TEXTS],
  'marked text': [...IDENTIFIERS, ...TEXTS],
};

let provider: Caller;
let session: { cookie: string; actingAs: string };
let newRequest: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  const { world, requestOf } = await newRequests();
  ({ provider } = world);
  newRequest = requestOf;
  ({ session } = await personOf(provider.id, 'admin'));
});

/** The valid requests of histories have no cursor, because it is valid for one branch or terminal only. */
async function requestOf(operation: Operation): Promise<Request> {
  const { path = {}, query, ...request } = await newRequest(operation);
  const list = { getBranchHistory: 'branch', getTerminalHistory: 'terminal' }[operation as string];
  const [id = ''] = Object.values(path);
  const before = list && cursorOf(provider, [list, id] as ListOfEvents);
  return { ...request, path, query: { ...query, ...(before && { before }) } };
}

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
  jest.restoreAllMocks();
});

const HEADERS = ['user-agent', 'authorization', 'cookie', 'content-type', 'x-forwarded-for', 'x-request-id', 'referer'];

/**
 * A place of a request that a partner can write to, and what to change of the request so that it has a secret there.
 */
type Place = [name: string, put: (secret: string) => Partial<Request>];

function placesOf({ path = {}, query = {}, body }: Request): Place[] {
  const leaves = placesIn(body).filter((place) => !(valueAt(body, place) instanceof Object));
  const fields = [
    ...leaves.map(
      (place): Place => [fieldOf(place), (secret) => ({ body: withJson(body, place, JSON.stringify(secret)) })],
    ),
    ['unknown field', (secret) => ({ body: { ...(body as object), unknown: { deep: [secret] } } })],
    ['field name', (secret) => ({ body: { ...(body as object), [secret]: 1 } })],
    ['name of a list', (secret) => ({ body: { ...(body as object), [secret]: [{ dry_run: true }] } })],
  ] satisfies Place[];
  return [
    ...Object.keys(path).map((name): Place => ['path', (secret) => ({ path: { ...path, [name]: secret } })]),
    ...[...Object.keys(query), 'unknown'].map(
      (name): Place => [`query ${name}`, (secret) => ({ query: { ...query, [name]: secret } })],
    ),
    ['headers', (secret) => ({ headers: Object.fromEntries(HEADERS.map((name) => [name, secret])) })],
    ...(body === undefined ? [] : fields),
    ['body that is not JSON', (secret) => ({ body: `{"card": ${secret}` })],
    ['body that is a string', (secret) => ({ body: JSON.stringify(secret) })],
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

/** The secrets that were given to webhooks. */
const given = new Set<string>();

/** Operations whose responses have the secret of a webhook. */
const GIVES: Operation[] = ['createWebhook', 'rotateWebhookSecret'];

/** Keeps the secret that a response gives. */
function expectGiven(operation: Operation, response: string): void {
  const found = (response.match(/whsec_[\w+/]{43}=/g) ?? []).filter((secret) => !sent.has(secret));
  expect(found.length).toBe(GIVES.includes(operation) ? 1 : 0);
  for (const secret of found) given.add(secret);
}

/** On a push, a place gets the kind that is its turn, and any kind that it may store. */
const isSent = (kind: Kind, place: string, at: number): boolean => isTurn(kind, at) || STORABLE[kind].includes(place);
const isTurn = (kind: Kind, at: number): boolean => deep || at % KIND_NAMES.length === KIND_NAMES.indexOf(kind);

test.each(OPERATIONS)('%s leaks no secret into errors or the log', async (operation) => {
  let request = await requestOf(operation);
  const { key } = request;
  // The callers with access, and those without: without a key, with a mistyped one, and with the secret as the key.
  const callers: ((secret: string) => Pick<Request, 'key' | 'session'>)[] = [
    () => ({}),
    // A member check takes no session.
    () => (operation === 'memberCheck' ? {} : { session, key: undefined }),
    () => ({ key: undefined }),
    () => ({ key: key?.slice(0, -1) }),
    (secret) => ({ key: secret }),
  ];
  const cases = placesOf(request).flatMap(([name], at) =>
    KIND_NAMES.filter((kind) => isSent(kind, name, at)).flatMap((kind) =>
      [at % 2, ...(isTurn(kind, at) ? [2 + (at % 3)] : [])].map(
        (by) => [`a ${kind} in ${name}, by caller ${by}`, { kind, at, by }] as const,
      ),
    ),
  );
  await checkEach<{ kind: Kind; at: number; by: number }>(cases, async ({ kind, at, by }) => {
    written = [];
    const [place, put] = placesOf(request)[at] as Place;
    const secret = KINDS[kind]();
    sent.set(secret, { kind, place });
    const event = eventOf(operation, { ...request, ...put(secret), ...callers[by]?.(secret) });
    // Before the session's own, where a browser would send it.
    if (place === 'headers') event.cookies = [`other=${secret}`, ...(event.cookies ?? [])];
    const { status, body, headers } = await invoke(operation, { ...event, rawPath: encodeURI(event.rawPath) });
    expect([status === 401, written.length > 0]).toEqual([by >= 2, true]);
    // A success may return stored fields, and links repeat the query. It may be possible only once.
    if (status < 300) {
      expectGiven(operation, JSON.stringify({ body, headers }));
      request = await requestOf(operation);
    } else expect(isIn(JSON.stringify({ body, headers }))(secret)).toBe(false);
    expect([secret, ...given].filter(isIn(written.join('')))).toEqual([]);
  });
});

test('what is kept of refused requests has nothing that was sent', async () => {
  const items = Object.entries(await stored()).filter(([key]) => key.startsWith('REFUSED_REQUESTS#'));
  const text = JSON.stringify(items);
  expect([...sent].filter(([secret]) => isIn(text)(secret))).toEqual([]);
  expect([...given].filter(isIn(text))).toEqual([]);
  // Nothing that is sent to these is wrong.
  const refused = OPERATIONS.filter((operation) => !['listWebhooks', 'getCaller'].includes(operation));
  expect(new Set(items.flatMap(([, { operation }]) => operation ?? []))).toEqual(new Set(refused));
});

test('the table stores secrets only in the fields that are specified for them', async () => {
  const items = await stored();
  // Events are stored deflated.
  const texts = JSON.stringify([items, eventsIn(items)]);
  const found = [...sent].filter(([secret]) => isIn(texts)(secret)).map(([, each]) => each);
  expect([...given].filter(isIn(texts))).toEqual([]);
  const strays = found.filter(({ kind, place }) => !STORABLE[kind].includes(place));
  expect(strays).toEqual([]);
  // Without any of these, the check itself would not work.
  expect(given.size).toBeGreaterThan(0);
  expect(new Set(found.map(({ place }) => place))).toEqual(new Set([...IDENTIFIERS, 'email', ...TEXTS]));
});
