import { beforeAll, describe, expect, test } from '@jest/globals';
import { fold } from '../../../lib/base/words.ts';
import { type ApiResponse, eventOf, expectProblem, OPERATIONS, type Operation, STATUSES } from '../../support/api.ts';
import { INVALID_IDEMPOTENCY_KEY, INVALID_KEY, NOTHING_FOUND } from '../../support/constants.ts';
import { cursorOf, type ListOfEvents } from '../../support/cursors.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { FREE_TEXTS, newRequests } from '../../support/requests.ts';
import type { Caller } from '../../support/world.ts';
import { fieldOf, placesIn, withJson } from './places.ts';
import { ONCE, rejected, send, takesBody } from './send.ts';
import { NAMES_OF_PROGRAMS, NO_IDENTIFIERS, NO_NAMES, NO_VALUES, NUMBERS } from './values.ts';

/*
 * Every hostile value in every place of every operation, in an otherwise valid request. Events have the form in which
 * API Gateway's HTTP APIs pass them on (payload 2.0): header names in lower case, repeated headers and query parameters
 * joined by commas, path parameters decoded.
 */

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
let key: string;
let provider: Caller;
let session: SignedIn['session'];
beforeAll(async () => {
  const { world, ...made } = await newRequests();
  requestOf = made.requestOf;
  provider = world.provider;
  key = provider.key;
  ({ session } = await personOf(provider.id, 'admin'));
});

const ALL: Operation[] = [...OPERATIONS, 'unknownRoute'];
const WITH_PATH = OPERATIONS.filter((operation) => eventOf(operation, {}).routeKey.includes('{'));

/** A problem without its request_id. */
const problemOf = ({ body: { request_id: _, ...body } }: ApiResponse) => body;

/** Changes to a text that identifies something, after which it identifies nothing. */
const CHANGES: ((text: string) => string)[] = [
  ...['\n', '\0', ' ', ',', '='].flatMap((more) => [(text: string) => text + more, (text: string) => more + text]),
  ...[(text: string) => `${text},${text}`, (text: string) => `${text}A`, (text: string) => `"${text}"`],
];

test.each(WITH_PATH)('%s returns 404 for any value in its path that cannot be an id', async (operation) => {
  const { path = {}, ...request } = await requestOf(operation);
  for (const [name, value] of Object.entries(path)) {
    const alike = [...CHANGES.map((change) => change(value)), `${value}#`, `/${value}`, `${value}%20`, `{${value}}`];
    const names = ['NOSUCHNAME', ...NO_NAMES, ...alike, `urn:uuid:${value}`];
    const events = names.map((each) => eventOf(operation, { ...request, path: { ...path, [name]: each } }));
    const [unknown, ...others] = await rejected(operation, events);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(others.map(problemOf)).toEqual(others.map(() => problemOf(unknown as ApiResponse)));
  }
});

describe('a query', () => {
  /** Texts that are not a number, or too large or too small a one. */
  const NO_NUMBERS = [
    ...['0', '-1', '1.0', '1e1', '0x1', '+1', ' 1', '1\n', '1,2', '1,1', '1_0', 'Infinity', '9'.repeat(10_000), '१'],
    ...NO_NAMES,
  ];
  /** Invalid values of each parameter. */
  const INVALID: Record<string, string[]> = {
    page: NO_NUMBERS,
    per_page: NO_NUMBERS,
    sort: ['ASC', 'asc,desc', 'asc,asc', ' asc', 'asc\0', ...NO_NAMES],
    limit: [...NO_NUMBERS, '101'],
  };

  test.each(['listBranches', 'listTerminals', 'listEvents', 'getBranchHistory', 'getTerminalHistory'] as const)(
    '%s names each invalid parameter and no other',
    async (operation) => {
      const { query = {}, ...request } = await requestOf(operation);
      const sent = Object.keys(query).flatMap((name) => (INVALID[name] ?? []).map((value) => ({ name, value })));
      expect(sent.length).toBeGreaterThanOrEqual(NO_NUMBERS.length);
      const responses = await rejected(
        operation,
        sent.map(({ name, value }) => eventOf(operation, { ...request, query: { ...query, [name]: value } })),
      );
      expect(responses.map(({ body }) => [body.code, body.detail.replace(/ Must be [^:]*\.$/, '')])).toEqual(
        sent.map(({ name }) => ['invalid_query', `${name}:`]),
      );
    },
  );

  test.each<[operation: Operation, parameter: string, list: ListOfEvents[0]]>([
    ['listEvents', 'after', 'events'],
    ['getBranchHistory', 'before', 'branch'],
    ['getTerminalHistory', 'before', 'terminal'],
  ])('%s accepts its own cursor and no text that only resembles one', async (operation, name, list) => {
    const { query, ...request } = await requestOf(operation);
    const own = Object.values(request.path ?? {});
    const cursor = cursorOf(provider, [list, ...own] as ListOfEvents);
    const eventWith = (value: string) => eventOf(operation, { ...request, query: { ...query, [name]: value } });
    const [taken] = await rejected(operation, [eventWith(cursor)]);
    expect(taken?.status).toBe(200);

    const place = Buffer.from(cursor, 'base64url').toString();
    const [position = ''] = place.split('.');
    const cursors = [
      ...[...NO_NAMES, ...CHANGES.map((change) => change(cursor)), cursor.toUpperCase(), cursor.repeat(1_000)],
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
    const responses = await rejected(operation, cursors.map(eventWith));
    expect(responses.map(({ body }) => [body.code, body.detail])).toEqual(
      cursors.map(() => ['invalid_query', `${name}: Must be a cursor from this list.`]),
    );
  });

  test('of find returns 404 for anything that cannot exist, and 400 if it is empty', async () => {
    for (const by of ['tid', 'terminal_id', 'serial_no', 'mid', 'master_merchant_id']) {
      const responses = await rejected(
        'find',
        NO_NAMES.map((name) => eventOf('find', { key, query: { [by]: name } })),
      );
      expect(responses.map(({ body }) => [body.code, body.detail])).toEqual(
        NO_NAMES.map((name) =>
          name.trim() === '' ? ['invalid_query', `${by}: Must not be empty.`] : ['not_found', NOTHING_FOUND],
        ),
      );
    }
  });

  test('of lookup searches for any text of up to 255 characters literally, and finds nothing', async () => {
    const { query: _, ...request } = await requestOf('lookup');
    // Words of programs could be in an id of this test, also in wide letters.
    const searches = NO_NAMES.filter((text) => !/^\w*$/.test(fold(text).trim()));
    const events = searches.map((search) => eventOf('lookup', { ...request, query: { search } }));
    const responses = await rejected('lookup', events);
    const isLong = (text: string): boolean => [...text].length > 255;
    expect(responses.map(({ body }) => body.data ?? body.detail)).toEqual(
      searches.map((search) => (isLong(search) ? 'search: Must have at most 255 characters.' : [])),
    );
  });

  test.each(ALL.filter((operation) => STATUSES[operation][0] === 200 && !takesBody(operation)))(
    'of %s may have a thousand unknown parameters, as many as the gateway accepts',
    async (operation) => {
      const request = await requestOf(operation);
      const unknown = [
        ...['__proto__', ...NAMES_OF_PROGRAMS, '', ' ', '\0', '%', 'page[]', 'PAGE', 'sort\0', '🏪'],
        ...Array.from({ length: 1_000 }, (_, at) => `p${at}`),
      ];
      const query = Object.fromEntries([...Object.entries(request.query ?? {}), ...unknown.map((name) => [name, '1'])]);
      const event = eventOf(operation, { ...request, query });
      const [response] = await send(operation, [event]);
      expect(response?.status).toBe(200);
      // Links repeat the whole query, and nothing else grows with it. The last warning has the number of the rest.
      const { links, warnings, ...rest } = response?.body ?? {};
      expect(warnings).toHaveLength(101);
      expect(warnings[100].detail).toMatch(/^9\d\d more unknown fields or parameters were ignored\.$/);
      // Ten items of a list are shorter.
      expect(JSON.stringify(rest).length).toBeLessThan(5_000);
      expect(Object.keys(links ?? {})).toHaveLength(['listBranches', 'listTerminals'].includes(operation) ? 4 : 0);
      for (const link of Object.values(links ?? {}))
        expect(String(link ?? '').length).toBeLessThan(event.rawQueryString.length + 100);
    },
  );
});

// Every operation rejects some of these in its own tests.
test.each<Operation>(['listBranches', 'createBranch', 'unknownRoute'])(
  'the header API-KEY of %s rejects any text that only resembles a key',
  async (operation) => {
    const { key: valid = '', ...request } = await requestOf(operation);
    const keys = [
      ...[...CHANGES.map((change) => change(valid)), `${valid}, ${valid}`, `${valid},apk_wrong`, `Bearer ${valid}`],
      ...[valid.toUpperCase(), valid.toLowerCase(), valid.slice(4), `apk_${valid}`, `${valid}AAAA`, 'apk_', 'apk_='],
      ...[`apk_${'A'.repeat(16_384)}`, `apk_${'🏪'.repeat(12)}`, encodeURIComponent(`${valid}\n`)],
      ...['', ' ', '=', '\0', '\ud800', '🏪', '__proto__'],
    ];
    const events = [
      ...keys.map((each) => eventOf(operation, { ...request, key: each })),
      // No header, and headers of other names.
      { ...eventOf(operation, request), headers: {} },
      eventOf(operation, { ...request, headers: { 'api-key ': valid, api_key: valid, 'x-api-key': valid } }),
    ];
    for (const response of await rejected(operation, events)) expectProblem(response, 'invalid_api_key', INVALID_KEY);
  },
);

test.each(ALL)(
  '%s accepts only the whole cookie of a session, with one of its acquirers in Acting-As',
  async (operation) => {
    const { key: _, ...request } = await requestOf(operation);
    const { cookie, actingAs } = session;
    const encoded = cookie.split('.')[0];
    const cookies = [
      ...CHANGES.map((change) => change(cookie)),
      ...[
        '',
        '.',
        encoded,
        `${encoded}.`,
        `.${cookie.slice(23)}`,
        `${cookie}.${cookie}`,
        cookie.toLowerCase(),
        ...NO_NAMES,
      ],
    ];
    const acquirers = [
      ...CHANGES.map((change) => change(actingAs)).filter((each) => each.trim() !== actingAs),
      ...['', 'none', '-', 'null', '*', actingAs.replaceAll('-', ''), `{${actingAs}}`, ...NO_NAMES],
    ];
    const events = [
      ...cookies.map((each) => eventOf(operation, { ...request, session: { cookie: `${each}`, actingAs } })),
      ...acquirers.map((each) => eventOf(operation, { ...request, session: { cookie, actingAs: each } })),
      // Under other names.
      { ...eventOf(operation, { ...request, session }), cookies: [`session=${cookie}`, `__host-session=${cookie}`] },
    ];
    for (const { status, body } of await rejected(operation, events))
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'invalid_session' });
  },
);

test.each(ONCE)('the header Idempotency-Key of %s has 1 to 255 visible ASCII characters', async (operation) => {
  const request = await requestOf(operation);
  const keys = [
    ...['', ' ', 'a b', 'a, b', ' a', 'a ', '\t', 'a\n', 'a\r\nx: y', '\0', '\x7f', '\u0085', 'é', '\ud800', '🏪'],
    ...['\ufeffa', 'a\u200b', 'A'.repeat(256), 'A'.repeat(16_384), '🏪'.repeat(255)],
  ];
  const events = keys.map((each) => eventOf(operation, { ...request, headers: { 'idempotency-key': each } }));
  for (const response of await rejected(operation, events))
    expectProblem(response, 'invalid_idempotency_key', INVALID_IDEMPOTENCY_KEY);
});

const filled = (value: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, value]));
/** Headers that have a meaning elsewhere but not here. */
const HEADERS: Record<string, string> = {
  ...filled('{"polluted":true}', '__proto__', ...NAMES_OF_PROGRAMS),
  ...filled('evil.example', 'host', 'forwarded', 'x-forwarded-host', 'x-forwarded-prefix', 'x-original-url', 'origin'),
  ...{ 'x-rewrite-url': 'evil.example', 'x-request-id': 'evil.example\r\nset-cookie: a=b', 'content-length': '-1' },
  ...{ 'x-forwarded-proto': 'gopher', 'x-http-method-override': 'DELETE', 'x-amzn-trace-id': 'Root=\0' },
  ...{ 'content-type': 'text/html; charset=utf-16, image/png', 'transfer-encoding': 'chunked, identity' },
  ...{
    'content-encoding': 'gzip, br',
    accept: 'application/xml;q=nan',
    'accept-encoding': '*;q=0',
    range: 'bytes=0-0,-1',
  },
  ...{ 'if-none-match': '*', 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT', expect: '100-continue' },
  ...{ cookie: 'a=b; '.repeat(2_000), 'x-large': 'A'.repeat(16_384), 'x-not-ascii': '\u00e9\ud800\0🏪' },
};

test.each(ALL)('%s ignores other headers, and a body if it expects none', async (operation) => {
  const request = await requestOf(operation);
  const event = {
    ...eventOf(operation, {
      ...request,
      headers: { ...HEADERS, ...(!ONCE.includes(operation) && { 'idempotency-key': '\0' }) },
      ...(!takesBody(operation) && { body: '{"mid":\0' }),
    }),
    cookies: Array(500).fill('api-key=a; __proto__=b'),
    isBase64Encoded: !takesBody(operation),
  };
  const [response] = await send(operation, [event]);
  expect(response?.status).toBe(STATUSES[operation][0]);
  expect(JSON.stringify(response)).not.toContain('evil.example');
});

/** Fields that take any text: those that are stored and those that are only compared. */
const TEXTS = new Set([
  ...FREE_TEXTS,
  ...['memberCheck card_id', 'memberCheck card_pseudo_token', 'memberCheck terminal_id', 'memberCheck acquirer_id'],
]);

/** The expected problem for a value that is invalid in its place: a field error at just that place. */
function expected(operation: Operation, place: string, json: string): string {
  // Any text may be looked up as a MID, and one that cannot be a MID is not found.
  const looksFor = operation === 'reassignTerminal' && json.startsWith('"') && !/\\u|.{257}/u.test(json);
  return looksFor ? 'not_found' : `validation_failed ${place}`;
}

const actual = (place: string, { body }: ApiResponse = { status: 0, headers: {}, body: {} }): string => {
  const pointers: string[] = (body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer);
  // If an item is not an object, the field errors may be those of its missing fields.
  const isThere = pointers.length > 0 && pointers.every((each) => each === place || each.startsWith(`${place}/`));
  return [body.code, ...(isThere ? [place] : pointers)].join(' ');
};

describe.each(OPERATIONS.filter(takesBody))('the body of %s', (operation) => {
  /** Sends each value in each place but those that take it, and expects exactly its field error. */
  async function expectRejected(
    values: [title: string, json: string][],
    takes: (field: string, json: string) => boolean,
  ) {
    const request = await requestOf(operation);
    const all = placesIn(request.body).flatMap((place) =>
      values.flatMap(([title, json]) => (takes(fieldOf(place), json) ? [] : [{ place, title, json }])),
    );
    expect(all.length).toBeGreaterThan(0);
    const bodies = all.map(({ place, json }) => withJson(request.body, place, json));
    const responses = await rejected(
      operation,
      bodies.map((body) => eventOf(operation, { ...request, body })),
    );
    const outcomes = all.map(({ place, title }, at) => `${place} is ${title}: ${actual(place, responses[at])}`);
    expect(outcomes).toEqual(
      all.map(({ place, title, json }) => `${place} is ${title}: ${expected(operation, place, json)}`),
    );
  }

  test('has no field that accepts control characters, unpaired surrogates, too long a text or another type', async () => {
    const isNumber = (json: string) => NUMBERS.some(([, number]) => number === json);
    await expectRejected([...NO_VALUES, ...NUMBERS], (field, json) => field === 'amount' && isNumber(json));
  });

  // All of their fields take any text.
  if (operation === 'archiveTerminal' || operation === 'updateBranch') return;

  test('rejects, in identifiers, codes and names, values that are valid only as free text', async () => {
    const texts = NO_IDENTIFIERS.map(([title, text]): [string, string] => [title, JSON.stringify(text)]);
    await expectRejected(texts, (field) => TEXTS.has(field) || TEXTS.has(`${operation} ${field}`));
  });
});

test('the API key of these tests still works afterwards', async () => {
  const [response] = await send('listBranches', [eventOf('listBranches', { key })]);
  expect(response?.status).toBe(200);
});
