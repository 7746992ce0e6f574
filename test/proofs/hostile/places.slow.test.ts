import { beforeAll, expect, test } from '@jest/globals';
import { isOfRefused, isOfWebhooks } from '../../../infra/publish/contract/calls.ts';
import { type ApiResponse, eventOf, OPERATIONS, type Operation, type Request, STATUSES } from '../../support/api.ts';
import {
  INVALID_IDEMPOTENCY_KEY,
  NO_BRANCH,
  NO_REFUSED_REQUEST,
  NO_TERMINAL,
  NO_WEBHOOK,
  NOTHING_FOUND,
} from '../../support/constants.ts';
import { hasBody, parametersOf } from '../../support/contract.ts';
import { cursorOf, type ListOfEvents } from '../../support/cursors.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { FREE_TEXTS, newRequests } from '../../support/requests.ts';
import type { Caller } from '../../support/world.ts';
import { fieldOf, placesIn, withJson } from './places.ts';
import { ONCE, rejected, send } from './send.ts';
import { NAMES_OF_PROGRAMS, NO_IDENTIFIERS, NO_NAMES, NO_VALUES, NUMBERS } from './values.ts';

/*
 * Every hostile value in every place of every operation, in an otherwise valid request. Events have the form in which
 * API Gateway's HTTP APIs pass them on (payload 2.0): header names in lower case, repeated headers and query parameters
 * joined by commas, path parameters decoded.
 */

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
let provider: Caller;
let session: SignedIn['session'];
beforeAll(async () => {
  const { world, ...made } = await newRequests();
  requestOf = made.requestOf;
  provider = world.provider;
  ({ session } = await personOf(provider.id, 'admin'));
});

const ALL: Operation[] = [...OPERATIONS, 'unknownRoute'];
/** Operations that reject any value of a credential, of which all others share the middleware. */
const SOME: Operation[] = ['listBranches', 'createBranch', 'unknownRoute'];

/** Changes to a text that identifies something, after which it identifies nothing. */
const CHANGES: ((text: string) => string)[] = [
  ...['\n', '\0', ' ', ',', '='].flatMap((more) => [(text: string) => text + more, (text: string) => more + text]),
  ...[(text: string) => `${text},${text}`, (text: string) => `${text}A`, (text: string) => `"${text}"`],
];
const changed = (text: string): string[] => CHANGES.map((change) => change(text));

/** A request with a hostile value, and its problem: code and detail, or code and pointers of the field errors. */
type Case = readonly [what: string, request: Request, problem: string | RegExp];

const inShort = ({ status, body }: ApiResponse): string => {
  const pointers = body.errors?.map(({ pointer }: { pointer: string }) => pointer).join(' ');
  return status < 300 ? 'success' : `${body.code} ${pointers ?? body.detail}`;
};

/** Texts that are not a number, or too large or too small a one. */
const NO_NUMBERS = [
  ...['0', '-1', '1.0', '1e1', '0x1', '+1', ' 1', '1\n', '1,2', '1,1', '1_0', 'Infinity', '9'.repeat(10_000), '१'],
  ...NO_NAMES,
];
/** Invalid values of query parameters. */
const INVALID: Record<string, string[]> = {
  page: NO_NUMBERS,
  per_page: NO_NUMBERS,
  limit: [...NO_NUMBERS, '1001'],
  sort: ['ASC', 'asc,desc', 'asc,asc', ' asc', 'asc\0', ...NO_NAMES],
  status: ['ACTIVE', 'active,archived', 'deleted', ...NO_NAMES],
  validate_only: ['TRUE', 'yes', '1', 'true,false', ...NO_NAMES.filter((name) => name !== 'true')],
};
/** The lists that a cursor can be of. */
const LISTS: Partial<Record<Operation, ListOfEvents[0]>> = {
  listEvents: 'events',
  getBranchHistory: 'branch',
  getTerminalHistory: 'terminal',
};

/** Texts that only resemble a cursor. */
function noCursors(cursor: string, list: ListOfEvents[0]): string[] {
  const place = Buffer.from(cursor, 'base64url').toString();
  const [position = ''] = place.split('.');
  return [
    ...[...NO_NAMES, ...changed(cursor), cursor.toUpperCase(), cursor.repeat(1_000)],
    ...['NOW', 'now,now', 'now ', `before=${cursor}`, place],
    // With one character removed or changed, at each position.
    ...Array.from(cursor, (_, at) => cursor.slice(0, at) + cursor.slice(at + 1)),
    ...Array.from(cursor, (letter, at) => cursor.slice(0, at) + (letter === 'A' ? 'B' : 'A') + cursor.slice(at + 1)),
    // The position without its checksum, a request for everything stored, and a cursor of another list.
    ...[position, `${position}.`, `${place}.`, '.', '~', 'EVENTS#', '00000000-0000.~'].map((text) =>
      Buffer.from(text).toString('base64url'),
    ),
    cursorOf(provider, list === 'events' ? ['branch', 'A1'] : ['events']),
  ];
}

function inPath(operation: Operation, { path = {}, ...request }: Request): Case[] {
  // A cursor is of the webhook in the path.
  const others = operation === 'listDeliveries' ? { ...request, query: {} } : request;
  const isOfTerminal = /Terminal/.test(operation) && !OF_BRANCHES.test(operation);
  const nothing = isOfWebhooks(operation) ? NO_WEBHOOK : isOfTerminal ? NO_TERMINAL : NO_BRANCH;
  const problem = `not_found ${isOfRefused(operation) ? NO_REFUSED_REQUEST : nothing}`;
  return Object.entries(path).flatMap(([name, value]) =>
    [...NO_NAMES, ...changed(value), `${value}#`, `/${value}`, `${value}%20`, `{${value}`, `urn:${value}`].map(
      (id): Case => [`path ${id}`, { ...others, path: { [name]: id } }, name === 'method' ? NO_LOOKUP : problem],
    ),
  );
}
/** Operations with the MID of a branch in their path. */
const OF_BRANCHES = /^(list|create)Terminals$/;
const NO_LOOKUP = /^not_found Unknown lookup\. /;

function inQuery(operation: Operation, request: Request): Case[] {
  const withQuery = (query: object): Request => ({ ...request, query: { ...request.query, ...query } });
  const names = parametersOf(operation).flatMap(({ in: part, name }) => (part === 'query' ? [name] : []));
  return names.flatMap((name): Case[] => {
    if (INVALID[name])
      return INVALID[name].map((value) => [
        `${name} ${value}`,
        withQuery({ [name]: value }),
        new RegExp(`^invalid_query ${name}: Must be [^:]*\\.$`),
      ]);
    const list = LISTS[operation];
    if (list && /^(after|before)$/.test(name)) {
      const own = cursorOf(provider, [list, ...Object.values(request.path ?? {})] as ListOfEvents);
      const problem = `invalid_query ${name}: Must be a cursor from this list.`;
      return [
        ['its own cursor', withQuery({ [name]: own }), 'success'],
        ...noCursors(own, list).map((each): Case => [`${name} ${each}`, withQuery({ [name]: each }), problem]),
      ];
    }
    if (operation !== 'find' || name === 'payment_provider')
      return NO_NAMES.map((text) => [
        `${name} ${text}`,
        // Most texts are valid reasons. The request only validates, so that nothing is stored.
        withQuery({ [name]: text, ...(name === 'reason' && { validate_only: 'true' }) }),
        new RegExp(`^(success|not_found|invalid_query ${name}: ).*`),
      ]);
    return NO_NAMES.map((text) => [
      `${name} ${text}`,
      { ...request, query: { [name]: text } },
      text.trim() === '' ? `invalid_query ${name}: Must not be empty.` : `not_found ${NOTHING_FOUND}`,
    ]);
  });
}

function inHeaders(operation: Operation, request: Request): Case[] {
  const once = [
    ...['', ' ', 'a b', 'a, b', ' a', 'a ', '\t', 'a\n', 'a\r\nx: y', '\0', '\x7f', '\u0085', 'é', '\ud800', '🏪'],
    ...['\ufeffa', 'a\u200b', 'A'.repeat(256), 'A'.repeat(16_384), '🏪'.repeat(255)],
  ].map(
    (each): Case => [
      `Idempotency-Key ${each}`,
      { ...request, headers: { 'idempotency-key': each } },
      `invalid_idempotency_key ${INVALID_IDEMPOTENCY_KEY}`,
    ],
  );
  return [...(ONCE.includes(operation) ? once : []), ...(SOME.includes(operation) ? credentials(request) : [])];
}

/** Texts that only resemble a key, the cookie of a session or one of its acquirers. */
function credentials({ key = '', ...request }: Request): Case[] {
  const { cookie, actingAs } = session;
  const [encoded] = cookie.split('.');
  const keys = [
    ...[...changed(key), `${key}, ${key}`, `${key},apk_wrong`, `Bearer ${key}`, `${key}AAAA`, `apk_${key}`],
    ...[key.toUpperCase(), key.toLowerCase(), key.slice(4), 'apk_', 'apk_=', encodeURIComponent(`${key}\n`)],
    ...[`apk_${'A'.repeat(16_384)}`, `apk_${'🏪'.repeat(12)}`, '', ' ', '=', '\0', '\ud800', '🏪', '__proto__'],
  ];
  const cookies = [
    ...[...changed(cookie), ...NO_NAMES, '', '.', `${encoded}`, `${encoded}.`, `.${cookie.slice(23)}`],
    ...[`${cookie}.${cookie}`, cookie.toLowerCase()],
  ];
  const acquirers = [
    ...[...changed(actingAs).filter((each) => each.trim() !== actingAs), ...NO_NAMES],
    ...['', 'none', '-', 'null', '*', actingAs.replaceAll('-', ''), `{${actingAs}}`],
  ];
  const headers = { 'api-key ': key, api_key: key, 'x-api-key': key };
  const [noKey, noSession] = [/^invalid_api_key /, /^invalid_session /];
  return [
    ...keys.map((each): Case => [`key ${each}`, { ...request, key: each }, noKey]),
    ['other headers', { ...request, headers }, noKey],
    ...cookies.map((each): Case => [`cookie ${each}`, { ...request, session: { cookie: each, actingAs } }, noSession]),
    ...acquirers.map((each): Case => [`as ${each}`, { ...request, session: { cookie, actingAs: each } }, noSession]),
  ];
}

/** Fields that take any text: those that are stored and those that are only compared. */
const TEXTS = new Set([
  ...FREE_TEXTS,
  ...['memberCheck card_id', 'memberCheck card_pseudo_token', 'memberCheck terminal_id', 'memberCheck acquirer_id'],
]);
const NO_TEXTS = NO_IDENTIFIERS.map(([title, text]): [string, string] => [title, JSON.stringify(text)]);

function inBody(operation: Operation, { body, ...request }: Request): Case[] {
  return placesIn(body).flatMap((place) => {
    const field = fieldOf(place);
    const isText = TEXTS.has(field) || TEXTS.has(`${operation} ${field}`);
    const values = [...NO_VALUES, ...(field === 'amount' ? [] : NUMBERS), ...(isText ? [] : NO_TEXTS)];
    return values.map(([title, json]): Case => {
      // Any text may be looked up as a MID, and one that cannot be a MID is not found.
      const looksFor = operation === 'reassignTerminal' && json.startsWith('"') && !/\\u|.{257}/u.test(json);
      // If an item is not an object, the field errors may be those of its missing fields.
      const problem = looksFor ? /^not_found / : new RegExp(`^validation_failed( ${place}(/\\S*)?)+$`);
      return [`${place} is ${title}`, { ...request, body: withJson(body, place, json) }, problem];
    });
  });
}

test.each(ALL)('%s rejects every hostile value in every place, and stores nothing', async (operation) => {
  const request = await requestOf(operation);
  const cases = [inPath, inQuery, inHeaders]
    .flatMap((place) => place(operation, request))
    .concat(hasBody(operation) ? inBody(operation, request) : []);
  const responses = await rejected(
    operation,
    [['no key', { ...request, key: undefined }, /^invalid_api_key /] as Case, ...cases].map(([, each]) =>
      eventOf(operation, each),
    ),
  );
  const outcomes = responses.slice(1).map(inShort);
  const isRight = (problem: string | RegExp, outcome = '') =>
    typeof problem === 'string' ? outcome === problem : problem.test(outcome);
  expect(
    cases.flatMap(([what, , problem], at) =>
      isRight(problem, outcomes[at]) ? [] : `${JSON.stringify(what).slice(0, 80)}: ${outcomes[at]} is not ${problem}`,
    ),
  ).toEqual([]);
});

/** An event with a thousand unknown query parameters. */
function withUnknown(operation: Operation, request: Request) {
  const unknown = [
    ...['__proto__', ...NAMES_OF_PROGRAMS, '', ' ', '\0', '%', 'page[]', 'PAGE', 'sort\0', '🏪'],
    ...Array.from({ length: 1_000 }, (_, at) => `p${at}`),
  ];
  const query = Object.fromEntries([...Object.entries(request.query ?? {}), ...unknown.map((name) => [name, '1'])]);
  return eventOf(operation, { ...request, query });
}

const isRead = (operation: Operation): boolean => eventOf(operation, {}).routeKey.startsWith('GET');

test.each(OPERATIONS.filter((operation) => !isRead(operation)))(
  '%s refuses a thousand unknown parameters with one short problem',
  async (operation) => {
    const [response] = await rejected(operation, [withUnknown(operation, await requestOf(operation))]);
    expect(response?.body.detail).toMatch(
      /^Unknown query parameters: .*, 1\d\d\d whose names are not shown\. .{1,80}$/,
    );
  },
);

test.each(OPERATIONS.filter(isRead))(
  '%s may have a thousand unknown parameters, as many as the gateway accepts',
  async (operation) => {
    const event = withUnknown(operation, await requestOf(operation));
    const [response] = await send(operation, [event]);
    expect(response?.status).toBe(200);
    // Links repeat the whole query, and nothing else grows with it. The last warning has the number of the rest.
    const { links, warnings, ...rest } = response?.body ?? {};
    expect(warnings).toHaveLength(101);
    expect(warnings[100].detail).toMatch(/^9\d\d more unknown fields or parameters were ignored\.$/);
    expect(JSON.stringify(rest).length).toBeLessThan(5_000);
    for (const link of Object.values(links ?? {}))
      expect(String(link ?? '').length).toBeLessThan(event.rawQueryString.length + 100);
  },
);

const filled = (value: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, value]));
/** Headers that have a meaning elsewhere but not here. */
const HEADERS: Record<string, string> = {
  ...filled('{"polluted":true}', '__proto__', ...NAMES_OF_PROGRAMS),
  ...filled('evil.example', 'host', 'forwarded', 'x-forwarded-host', 'x-forwarded-prefix', 'x-original-url', 'origin'),
  ...{ 'x-rewrite-url': 'evil.example', 'x-request-id': 'evil.example\r\nset-cookie: a=b', 'content-length': '-1' },
  ...{ 'x-forwarded-proto': 'gopher', 'x-http-method-override': 'DELETE', 'x-amzn-trace-id': 'Root=\0' },
  ...{ 'content-type': 'text/html; charset=utf-16, image/png', 'transfer-encoding': 'chunked, identity' },
  ...{ 'content-encoding': 'gzip, br', accept: 'application/xml;q=nan', 'accept-encoding': '*;q=0' },
  ...{ range: 'bytes=0-0,-1', 'if-none-match': '*', 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
  ...{ expect: '100-continue', cookie: 'a=b; '.repeat(2_000), 'x-large': 'A'.repeat(16_384), 'x-odd': 'é\ud800\0🏪' },
};

test.each(ALL)('%s ignores other headers, and a body if it expects none', async (operation) => {
  const request = await requestOf(operation);
  const event = {
    ...eventOf(operation, {
      ...request,
      headers: { ...HEADERS, ...(!ONCE.includes(operation) && { 'idempotency-key': '\0' }) },
      ...(!hasBody(operation) && { body: '{"mid":\0' }),
    }),
    cookies: Array(500).fill('api-key=a; __proto__=b'),
    isBase64Encoded: !hasBody(operation),
  };
  const [response] = await send(operation, [event]);
  expect(response?.status).toBe(STATUSES[operation][0]);
  expect(JSON.stringify(response)).not.toContain('evil.example');
});
