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
import { INVALID_IDEMPOTENCY_KEY, INVALID_KEY, NOTHING_FOUND } from '../../support/constants.ts';
import { cursorOf, type ListOfEvents } from '../../support/cursors.ts';
import { FREE_TEXTS, newRequests } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import type { Caller } from '../../support/world.ts';
import { fieldOf, placesIn, withJson } from './places.ts';
import { ONCE, send, takesBody } from './send.ts';
import { NAMES_OF_PROGRAMS, NO_IDENTIFIERS, NO_NAMES, NO_VALUES, NUMBERS } from './values.ts';

/*
 * Every hostile value in every place of every operation, in an otherwise valid request. Events have the form in which
 * API Gateway's HTTP APIs pass them on (payload 2.0): header names in lower case, repeated headers and query parameters
 * joined by commas, path parameters decoded.
 */

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
let key: string;
let provider: Caller;
beforeAll(async () => {
  const { world, ...made } = await newRequests();
  requestOf = made.requestOf;
  provider = world.provider;
  key = provider.key;
});

const ALL: Operation[] = [...OPERATIONS, 'unknownRoute'];
const WITH_PATH = OPERATIONS.filter((operation) => eventOf(operation, {}).routeKey.includes('{'));

/** Sends events that must store nothing, and returns the responses. */
async function rejected(operation: Operation, events: APIGatewayProxyEventV2[]): Promise<ApiResponse[]> {
  const { response: responses, changed } = await storedBy(() => send(operation, events));
  expect(changed).toEqual({});
  return responses;
}

/** A problem without its request_id. */
const problemOf = ({ body: { request_id: _, ...body } }: ApiResponse) => body;

describe('a path', () => {
  test.each(WITH_PATH)('%s returns 404 for any value that cannot be an id', async (operation) => {
    const { path = {}, ...request } = await requestOf(operation);
    for (const [name, value] of Object.entries(path)) {
      // Nothing is found by a value that only resembles its id.
      const alike = ['\n', '\0', ' ', '#', '/', '%20', ','].flatMap((more) => [value + more, more + value]);
      const names = ['NOSUCHNAME', ...NO_NAMES, ...alike, `{${value}}`, `urn:uuid:${value}`];
      const events = names.map((each) => eventOf(operation, { ...request, path: { ...path, [name]: each } }));
      const [unknown, ...others] = await rejected(operation, events);
      expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(others.map(problemOf)).toEqual(others.map(() => problemOf(unknown as ApiResponse)));
    }
  });
});

/** Texts that are not a number, or too large a one. */
const NO_NUMBERS = [
  ...['0', '-1', '1.0', '1e1', '0x1', '+1', ' 1', '1\n', '1,2', '1,1', '1_0', 'Infinity', '9'.repeat(10_000), '१'],
];

/** Invalid paging parameters, each with its name. */
const NO_PAGES: [name: string, value: string][] = [
  ...['page', 'per_page'].flatMap((name) => NO_NUMBERS.map((value): [string, string] => [name, value])),
  ...['ASC', 'asc,desc', 'asc,asc', ' asc', 'asc\0'].map((value): [string, string] => ['sort', value]),
];

describe('a query', () => {
  test.each(['listBranches', 'listTerminals'] as const)(
    '%s names each invalid parameter and no other',
    async (operation) => {
      const { query, ...request } = await requestOf(operation);
      const pages = [
        ...NO_PAGES,
        ...['page', 'per_page', 'sort'].flatMap((name) =>
          // Also invalid, because as numbers these are too large or too small.
          NO_NAMES.map((value): [string, string] => [name, value]),
        ),
      ];
      const responses = await rejected(
        operation,
        pages.map(([name, value]) => eventOf(operation, { ...request, query: { ...query, [name]: value } })),
      );
      expect(responses.map(({ body }) => [body.code, body.detail.replace(/ Must be [^:]*\.$/, '')])).toEqual(
        pages.map(([name]) => ['invalid_query', `${name}:`]),
      );
    },
  );

  /** Each list of events with the parameter of its cursor, and what its cursors belong to. */
  const LISTS: [operation: Operation, parameter: string, listOf: (path: Request['path']) => ListOfEvents][] = [
    ['listEvents', 'after', () => ['events']],
    ['getBranchHistory', 'before', (path) => ['branch', path?.['mid'] ?? '']],
    ['getTerminalHistory', 'before', (path) => ['terminal', path?.['id'] ?? '']],
  ];

  test.each(LISTS)('%s returns 400 for every invalid limit', async (operation) => {
    const { query, ...request } = await requestOf(operation);
    const limits = [...NO_NUMBERS, ...NO_NAMES, '101'];
    const events = limits.map((limit) => eventOf(operation, { ...request, query: { ...query, limit } }));
    const responses = await rejected(operation, events);
    expect(responses.map(({ body }) => [body.code, body.detail.replace(/ Must be [^:]*\.$/, '')])).toEqual(
      limits.map(() => ['invalid_query', 'limit:']),
    );
  });

  test.each(LISTS)('%s accepts its own cursor and no text that only resembles one', async (operation, name, listOf) => {
    const { query, ...request } = await requestOf(operation);
    const cursor = cursorOf(provider, listOf(request.path));
    const eventWith = (value: string) => eventOf(operation, { ...request, query: { ...query, [name]: value } });
    const [taken] = await rejected(operation, [eventWith(cursor)]);
    expect(taken?.status).toBe(200);

    const place = Buffer.from(cursor, 'base64url').toString();
    const inBase64 = (text: string) => Buffer.from(text).toString('base64url');
    const cursors = [
      ...NO_NAMES,
      ...[`${cursor},${cursor}`, `${cursor},`, `${cursor}=`, ` ${cursor}`, `${cursor}\n`, `${cursor}\0`, `${cursor}A`],
      ...[cursor.toUpperCase(), cursor.repeat(1_000), 'NOW', 'now,now', 'now ', `before=${cursor}`, place],
      // With one character removed or changed, at each position.
      ...Array.from(cursor, (_, at) => cursor.slice(0, at) + cursor.slice(at + 1)),
      ...Array.from(cursor, (letter, at) => cursor.slice(0, at) + (letter === 'A' ? 'B' : 'A') + cursor.slice(at + 1)),
      // The position in a cursor without its checksum, with another list's checksum, and as a request for everything
      // stored.
      ...[
        place.split('.')[0] ?? '',
        `${place.split('.')[0]}.`,
        `${place}.`,
        '.',
        '~',
        'EVENTS#',
        '00000000-0000.~',
      ].map(inBase64),
      cursorOf(provider, operation === 'listEvents' ? ['branch', 'A1'] : ['events']),
    ];
    const responses = await rejected(operation, cursors.map(eventWith));
    expect(responses.map(({ body }) => [body.code, body.detail])).toEqual(
      cursors.map(() => ['invalid_query', `${name}: Must be a cursor from this list.`]),
    );
  });

  test.each(['tid', 'terminal_id', 'serial_no', 'mid', 'master_merchant_id'])(
    'find returns 404 for any %s that cannot exist, and 400 for an empty one',
    async (by) => {
      const events = NO_NAMES.map((name) => eventOf('find', { key, query: { [by]: name } }));
      const responses = await rejected('find', events);
      expect(responses.map(({ body }) => [body.code, body.detail])).toEqual(
        NO_NAMES.map((name) =>
          name.trim() === '' ? ['invalid_query', `${by}: Must not be empty.`] : ['not_found', NOTHING_FOUND],
        ),
      );
    },
  );

  test('lookup searches for any text of up to 255 characters literally, and finds nothing', async () => {
    const { query: _, ...request } = await requestOf('lookup');
    // Words of programs could be in an id of this test.
    const searches = NO_NAMES.filter((text) => !/^\w*$/.test(text.trim()));
    const events = searches.map((search) => eventOf('lookup', { ...request, query: { search } }));
    const responses = await rejected('lookup', events);
    const isLong = (text: string): boolean => [...text].length > 255;
    expect(responses.map(({ body }) => body.data ?? body.detail)).toEqual(
      searches.map((search) => (isLong(search) ? 'search: Must have at most 255 characters.' : [])),
    );
  });

  test.each(ALL.filter((operation) => STATUSES[operation][0] === 200 && !takesBody(operation)))(
    '%s ignores ten thousand unknown parameters',
    async (operation) => {
      const request = await requestOf(operation);
      const unknown = [
        ...['__proto__', ...NAMES_OF_PROGRAMS, '', ' ', '\0', '%', 'page[]', 'PAGE', 'sort\0', '🏪'],
        ...Array.from({ length: 10_000 }, (_, at) => `p${at}`),
      ];
      const query = Object.fromEntries([...Object.entries(request.query ?? {}), ...unknown.map((name) => [name, '1'])]);
      const event = eventOf(operation, { ...request, query });
      const [response] = await send(operation, [event]);
      expect(response?.status).toBe(200);
      // Links repeat the whole query, and nothing else grows with it. The last warning has the number of the rest.
      const { links, warnings, ...rest } = response?.body ?? {};
      expect(warnings).toHaveLength(101);
      expect(warnings[100].detail).toMatch(/^\d{4} more unknown fields or parameters were ignored\.$/);
      expect(JSON.stringify(rest).length).toBeLessThan(LONGEST_PAGE);
      expect(Object.keys(links ?? {})).toHaveLength(['listBranches', 'listTerminals'].includes(operation) ? 4 : 0);
      for (const link of Object.values(links ?? {}))
        expect(String(link ?? '').length).toBeLessThan(event.rawQueryString.length + 100);
    },
  );
});

/** Characters of ten items of a list. */
const LONGEST_PAGE = 5_000;

describe('the header API-KEY', () => {
  test.each(ALL)('%s returns 401 for a text that only resembles a key', async (operation) => {
    const { key: valid = '', ...request } = await requestOf(operation);
    const keys = [
      // The same header twice.
      ...[`${valid},${valid}`, `${valid}, ${valid}`, `${valid},`, `,${valid}`, `${valid},apk_wrong`],
      ...[` ${valid}`, `${valid} `, `${valid}\n`, `${valid}\0`, `${valid}=`, `Bearer ${valid}`, `"${valid}"`],
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
  });
});

describe('the header Idempotency-Key', () => {
  test.each(ONCE)('%s returns 400 for anything but 1 to 255 visible ASCII characters', async (operation) => {
    const request = await requestOf(operation);
    const keys = [
      ...['', ' ', 'a b', 'a, b', ' a', 'a ', '\t', 'a\n', 'a\r\nx: y', '\0', '\x7f', '\u0085', 'é', '\ud800', '🏪'],
      ...['\ufeffa', 'a\u200b', 'A'.repeat(256), 'A'.repeat(16_384), '🏪'.repeat(255)],
    ];
    const events = keys.map((each) => eventOf(operation, { ...request, headers: { 'idempotency-key': each } }));
    for (const response of await rejected(operation, events))
      expectProblem(response, 'invalid_idempotency_key', INVALID_IDEMPOTENCY_KEY);
  });

  test.each(ONCE)('%s accepts any other key and stores only its hash', async (operation) => {
    const keys = ['__proto__', 'IDEMPOTENCY_KEY#1#', `'"--,`, '~'.repeat(235)];
    for (const idempotencyKey of keys) {
      const event = eventOf(operation, {
        ...(await requestOf(operation)),
        headers: { 'idempotency-key': idempotencyKey + operation },
      });
      const { response, changed } = await storedBy(() => send(operation, [event, event]));
      expect(response.map(({ status }) => status)).toEqual(Array(2).fill(STATUSES[operation][0]));
      expect(response[1]?.headers['idempotent-replayed']).toBe('true');
      const records = Object.keys(changed).filter((name) => name.startsWith('IDEMPOTENCY_KEY'));
      expect(records).toEqual([expect.stringMatching(/^IDEMPOTENCY_KEY#[-\da-f]{36}#[\da-f]{64} IDEMPOTENCY_KEY$/)]);
    }
  });
});

/** Headers that have a meaning elsewhere but not here. */
const HEADERS: Record<string, string> = Object.fromEntries([
  ...['__proto__', ...NAMES_OF_PROGRAMS].map((name) => [name, '{"polluted":true}']),
  ...['host', 'forwarded', 'x-forwarded-host', 'x-forwarded-prefix', 'x-original-url', 'x-rewrite-url', 'origin'].map(
    (name) => [name, 'evil.example'],
  ),
  ['x-forwarded-proto', 'gopher'],
  ['x-http-method-override', 'DELETE'],
  ['x-request-id', 'evil.example\r\nset-cookie: a=b'],
  ['x-amzn-trace-id', 'Root=\0'],
  ['content-type', 'text/html; charset=utf-16, image/png'],
  ['content-length', '-1'],
  ['content-encoding', 'gzip, br'],
  ['transfer-encoding', 'chunked, identity'],
  ['accept', 'application/xml;q=nan'],
  ['accept-encoding', '*;q=0'],
  ['if-none-match', '*'],
  ['if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ['range', 'bytes=0-0,-1'],
  ['expect', '100-continue'],
  ['cookie', 'a=b; '.repeat(2_000)],
  ['x-large', 'A'.repeat(16_384)],
  ['x-not-ascii', '\u00e9\ud800\0🏪'],
]);

describe('other headers, and a body where none is expected,', () => {
  test.each(ALL)('are ignored by %s', async (operation) => {
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

const actual = (place: string, { body }: ApiResponse): string => {
  const pointers: string[] = (body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer);
  // If an item is not an object, the field errors may be those of its missing fields.
  const isThere = pointers.length > 0 && pointers.every((each) => each === place || each.startsWith(`${place}/`));
  return [body.code, ...(isThere ? [place] : pointers)].join(' ');
};

describe.each(OPERATIONS.filter(takesBody))('the body of %s', (operation) => {
  const cases = (
    { body }: Request,
    values: [title: string, json: string][],
    takes: (place: string, json: string) => boolean = () => false,
  ) =>
    placesIn(body).flatMap((place) =>
      values.filter(([, json]) => !takes(place, json)).map(([title, json]) => ({ place, title, json })),
    );

  /** Sends each case and expects exactly its field error. */
  async function expectRejected(request: Request, all: ReturnType<typeof cases>): Promise<void> {
    expect(all.length).toBeGreaterThan(0);
    const responses = await rejected(
      operation,
      all.map(({ place, json }) => eventOf(operation, { ...request, body: withJson(request.body, place, json) })),
    );
    expect(
      all.map(({ place, title }, at) => `${place} is ${title}: ${actual(place, responses[at] as ApiResponse)}`),
    ).toEqual(all.map(({ place, title, json }) => `${place} is ${title}: ${expected(operation, place, json)}`));
  }

  test('has no field that accepts control characters, unpaired surrogates, too long a text or another type', async () => {
    const request = await requestOf(operation);
    await expectRejected(
      request,
      cases(
        request,
        [...NO_VALUES, ...NUMBERS],
        (place, json) => fieldOf(place) === 'amount' && NUMBERS.some(([, number]) => number === json),
      ),
    );
  });

  // The only field of archiveTerminal takes any text.
  if (operation === 'archiveTerminal') return;

  test('rejects, in identifiers, codes and names, values that are valid only as free text', async () => {
    const request = await requestOf(operation);
    const texts = NO_IDENTIFIERS.map(([title, text]): [string, string] => [title, JSON.stringify(text)]);
    await expectRejected(
      request,
      cases(request, texts, (place) => {
        const field = fieldOf(place);
        const isList = field === 'terminals';
        return !isList && (TEXTS.has(field) || TEXTS.has(`${operation} ${field}`));
      }),
    );
  });
});

test('the API key of these tests still works afterwards', async () => {
  const [response] = await send('listBranches', [eventOf('listBranches', { key })]);
  expect(response?.status).toBe(200);
});
