import { isDeepStrictEqual } from 'node:util';
import { listedBranch, shownBranch } from '../../lib/branches/branch.ts';
import { shownTerminal } from '../../lib/terminals/terminal.ts';
import { contractViolations } from '../support/contract.ts';
import type { Operation } from '../support/invoke.ts';
import { STATUSES, TITLES } from '../support/promised.ts';
import type { Call } from './call.ts';
import type { Request } from './request.ts';
import type { Acquirer, World } from './world.ts';

/** A response over HTTP, with header names in lower case. */
export interface ApiResponse {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

/** A request and its response, and what the rules compare them with. */
export interface Exchange {
  call: Call;
  request: Request;
  response: ApiResponse;
  /** What the text is as JSON, if it is. */
  // biome-ignore lint/suspicious/noExplicitAny: whether it is what was promised is what the rules are for
  body: any;
  acquirer: Acquirer;
  world: World;
  baseUrl: string;
  /** The number of branches that the acquirer certainly had when this was sent. */
  listed: number;
}

/** A rule for responses. A rule that throws, because a member is missing, is broken. */
type Rule = readonly [rule: string, holds: (exchange: Exchange) => boolean];

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

// biome-ignore lint/suspicious/noExplicitAny: see Exchange
type Json = any;

const hasFields = (value: Json, fields: readonly string[]): boolean =>
  isDeepStrictEqual(Object.keys(value).toSorted(), fields.toSorted());
const isListOf = (items: Json, isOne: (item: Json) => boolean): boolean => Array.isArray(items) && items.every(isOne);

const EVENT = ['id', 'type', 'at', 'branch', 'data', 'changes', 'by', 'request_id'];
const REWARD = ['reward_id', 'name', 'currency', 'minimum_amount', 'valid_from', 'expires_at'];

/** Its state is in two fields, which must agree. */
const hasState = ({ status, created_at, updated_at, archived_at }: Json): boolean =>
  [created_at, updated_at].every((time) => TIME.test(time)) &&
  (status === 'archived' ? TIME.test(archived_at) : status === 'active' && archived_at === null);

const isListedBranch = (value: Json): boolean =>
  hasFields(value, Object.keys(listedBranch.entries)) &&
  ['active', 'archived'].includes(value.status) &&
  TIME.test(value.created_at);
const isBranch = (value: Json): boolean =>
  hasFields(value, Object.keys(shownBranch.entries)) &&
  hasState(value) &&
  Number.isInteger(value.terminal_count) &&
  value.terminal_count >= 0;
const isTerminal = (value: Json): boolean =>
  hasFields(value, Object.keys(shownTerminal.entries)) &&
  hasState(value) &&
  (value.archived_at === null) === (value.archive_reason === null);

/** docs/openapi.json has the data of each type. */
const isEvent = (value: Json): boolean =>
  hasFields(value, EVENT) &&
  UUID.test(value.id) &&
  hasFields(value.branch, ['mid', 'status']) &&
  hasFields(value.by, ['acquirer', 'key_id', 'key_label']);

/** The form of the data of a success. */
const DATA: Record<Operation, (data: Json) => boolean> = {
  listBranches: (data) => isListOf(data, isListedBranch),
  createBranch: ({ terminals, ...branch }) => isBranch(branch) && isListOf(terminals, isTerminal),
  getBranch: isBranch,
  getBranchHistory: (data) => isListOf(data, isEvent),
  archiveBranch: isBranch,
  listTerminals: (data) => isListOf(data, isTerminal),
  createTerminals: (data) => isListOf(data, isTerminal),
  updateTerminal: isTerminal,
  deleteTerminal: (data) => hasFields(data, ['tid', 'terminal_id']),
  archiveTerminal: isTerminal,
  restoreTerminal: isTerminal,
  reassignTerminal: isTerminal,
  getTerminalHistory: (data) => isListOf(data, isEvent),
  lookup: (data) => isListOf(data, (item) => hasFields(item, ['key', 'text'])),
  // Soaks find terminals and branches.
  find: (data) => ('tid' in data ? isTerminal : isBranch)(data),
  listEvents: (data) => isListOf(data, isEvent),
  memberCheck: (data) =>
    hasFields(data, ['member_identified', 'rewards_available', 'rewards']) &&
    isListOf(data.rewards, (reward) => hasFields(reward, REWARD)) &&
    data.rewards_available === data.rewards.length > 0 &&
    (data.member_identified || !data.rewards_available),
  unknownRoute: () => false,
};

const isList = ({ operation }: Call): boolean => operation === 'listBranches' || operation === 'listTerminals';
const isHistory = ({ operation }: Call): boolean => operation.endsWith('History');
const hasEvents = (call: Call): boolean => call.operation === 'listEvents' || isHistory(call);

/** The members of a success besides `data`. */
function besideData(call: Call): string[] {
  if (isList(call)) return ['links', 'meta'];
  if (hasEvents(call)) return ['meta'];
  return call.operation === 'find' ? ['type'] : [];
}

/** Whether a value has the expected form: lists of the same length, objects with at least these members. */
const shows = (value: Json, expected: Json): boolean => {
  if (Array.isArray(expected))
    return value.length === expected.length && expected.every((each, at) => shows(value[at], each));
  if (typeof expected !== 'object' || expected === null) return value === expected;
  return Object.entries(expected).every(([name, each]) => shows(value[name], each));
};

/** The parts of a success that belong to an acquirer: branches, and terminals by their branches, also in events. */
const owned = ({ data }: Json): Json[] =>
  [data, ...(data.terminals ?? [])]
    .flat()
    .flatMap((each) => ('request_id' in each ? [each.branch, each.changes ?? {}, ...owned(each)] : [each]))
    .filter(({ mid }) => mid !== undefined);

/** A page of events has a cursor if there is more. */
function isPartOfEvents({ call: { operation, query = {} }, body: { data, meta } }: Exchange): boolean {
  if (operation !== 'listEvents')
    return hasFields(meta, ['next']) && (meta.next === null || data.length === Number(query['limit'] ?? 20));
  const limit = Number(query['limit'] ?? 100);
  const last = data.at(-1)?.at;
  return (
    hasFields(meta, ['next', 'up_to_date', 'complete_to']) &&
    data.length <= limit &&
    meta.up_to_date === data.length < limit &&
    (meta.up_to_date ? !(last >= meta.complete_to) : last === meta.complete_to)
  );
}

/** Events are sorted by id without duplicates: oldest first, or newest first in a history. */
function hasEventsInOrder({ call, body: { data } }: Exchange): boolean {
  const ids: string[] = data.map(({ id }: Json) => id);
  const ascending = [...new Set(ids)].sort();
  return isDeepStrictEqual(ids, isHistory(call) ? ascending.reverse() : ascending);
}

/** Whether an event belongs to the requested history. */
function isInHistory({ path = {} }: Call, { branch, data, changes }: Json): boolean {
  if (path['mid'] !== undefined) return [branch.mid, changes?.mid].includes(path['mid']);
  return [data, ...(data.terminals ?? [])].flat().some(({ tid }) => tid === path['id']);
}

/** The pages in links must follow from the query and the total. */
function isPage({ call: { query = {} }, request, baseUrl, body: { data, links, meta } }: Exchange): boolean {
  const page = Number(query['page'] ?? 1);
  const per_page = Number(query['per_page'] ?? 10);
  const last = Math.max(Math.ceil(meta.total / per_page), 1);
  const [path] = request.path.split('?');
  const pageOf = (link: string | null) => {
    if (link === null) return null;
    const { origin, pathname, searchParams } = new URL(link);
    const isSame = origin + pathname === baseUrl + path;
    const isSameQuery = Object.entries(query).every(
      ([name, value]) => name === 'page' || searchParams.get(name) === value,
    );
    return isSame && isSameQuery ? Number(searchParams.get('page')) : Number.NaN;
  };
  return (
    isDeepStrictEqual(meta, { current_page: page, per_page, total: meta.total }) &&
    Number.isInteger(meta.total) &&
    data.length <= per_page &&
    isDeepStrictEqual(
      { first: pageOf(links.first), last: pageOf(links.last), prev: pageOf(links.prev), next: pageOf(links.next) },
      { first: 1, last, prev: page > 1 ? Math.min(page - 1, last) : null, next: page < last ? page + 1 : null },
    )
  );
}

/** A list is sorted by time of creation, newest first by default. */
function isInOrder({ call: { query = {} }, body: { data } }: Exchange): boolean {
  const times = data.map(({ created_at }: Json) => created_at);
  const ascending = times.toSorted();
  return isDeepStrictEqual(times, query['sort'] === 'asc' ? ascending : ascending.reverse());
}

/** A list has no gaps, so a page is as full as the total says. */
function isFull({ body: { data, meta } }: Exchange): boolean {
  const left = meta.total - (meta.current_page - 1) * meta.per_page;
  return data.length === Math.min(Math.max(left, 0), meta.per_page);
}

const LOCATIONS: Partial<Record<Operation, (call: Call, body: Json) => string>> = {
  createBranch: (_, { data }) => `/ext/api/v1/merchants/${data.mid}`,
  createTerminals: ({ path }) => `/ext/api/v1/terminals/${path?.['id']}`,
};

export const isSuccess = ({ status }: ApiResponse): boolean => status < 300;

/** Whether a response is marked as a replay. */
export const isReplayed = ({ headers }: ApiResponse): boolean => headers['idempotent-replayed'] === 'true';

/** The parts of a response that a replay repeats exactly. */
export const essenceOf = ({ status, headers, text }: ApiResponse): string =>
  `${status} ${headers['location'] ?? ''} ${text}`;

const ANY: Rule[] = [
  [
    'has a documented status',
    ({ call, response }) => (STATUSES[call.operation] as readonly number[]).includes(response.status),
  ],
  ['is JSON', ({ body }) => body !== undefined],
  [
    'matches docs/openapi.json',
    ({ call, response: { status, headers }, body }) => {
      const type = headers['content-type']?.split(';')[0] ?? '';
      return (
        call.operation === 'unknownRoute' ||
        contractViolations(call.operation, { status, headers: { 'content-type': type }, body }).length === 0
      );
    },
  ],
  ['is no server error', ({ body }) => body.code !== 'server_error'],
  [
    'is possible for this request',
    ({ call, response, body }) => call.may.includes(isSuccess(response) ? 'ok' : body.code),
  ],
  [
    'has its content type',
    // A parameter, such as the charset of the local server, does not change the type.
    ({ response }) =>
      response.headers['content-type']?.split(';')[0] ===
      (isSuccess(response) ? 'application/json' : 'application/problem+json'),
  ],
  ['is not cacheable', ({ response }) => response.headers['cache-control'] === 'no-store'],
  ['has a request id', ({ response }) => UUID.test(response.headers['x-request-id'] ?? '')],
  ['has no API key', ({ response }) => !response.text.includes('apk_')],
  ['is no replay of a request without a key', ({ call, response }) => !isReplayed(response) || call.once !== undefined],
];

const PROBLEM: Rule[] = [
  [
    'is a whole problem document',
    ({ response, body, baseUrl }) => {
      const { code, detail, errors } = body as { code: keyof typeof TITLES; detail: string; errors?: unknown };
      const [status, title] = TITLES[code];
      const [type, request_id] = [`${baseUrl}/docs/errors/${code}`, response.headers['x-request-id']];
      const whole = { type, title, status, detail, code, request_id, ...(status === 422 && { errors }) };
      return (
        isDeepStrictEqual(body, whole) && status === response.status && typeof detail === 'string' && detail !== ''
      );
    },
  ],
  [
    'has valid field errors',
    ({ response, body }) =>
      response.status !== 422 ||
      (body.errors.length > 0 &&
        isListOf(
          body.errors,
          (fieldError) =>
            hasFields(fieldError, ['pointer', 'code', 'detail']) &&
            /^(?:\/.*)?$/.test(fieldError.pointer) &&
            [fieldError.code, fieldError.detail].every((text) => typeof text === 'string' && text !== ''),
        )),
  ],
];

const SUCCESS: Rule[] = [
  ['has the status of a success', ({ call, response }) => response.status === STATUSES[call.operation][0]],
  [
    'has the promised fields',
    ({ call, body }) => hasFields(body, ['data', ...besideData(call)]) && DATA[call.operation](body.data),
  ],
  ['has the requested data', ({ call, body }) => shows(body.data, call.shows ?? {})],
  [
    'has only data of the acquirer',
    ({ call, acquirer, world, body }) =>
      owned(body).every(({ mid }) => world.maySee(acquirer, mid)) &&
      (call.path?.['method'] !== 'masterMerchants' || isListOf(body.data, (item) => world.mayUse(acquirer, item))),
  ],
  [
    'shows the terminals of the branch',
    ({ call, body }) =>
      call.operation !== 'listTerminals' || isListOf(body.data, ({ mid }) => mid === call.path?.['id']),
  ],
  [
    'has the Location of the new resource',
    ({ call, response, body, baseUrl }) => {
      const path = LOCATIONS[call.operation]?.(call, body);
      return response.headers['location'] === (path && baseUrl + path);
    },
  ],
  ['has the requested part of the events', (exchange) => !hasEvents(exchange.call) || isPartOfEvents(exchange)],
  ['has its events in order, each once', (exchange) => !hasEvents(exchange.call) || hasEventsInOrder(exchange)],
  [
    'has the history of the resource',
    ({ call, body }) => !isHistory(call) || body.data.every((each: Json) => isInHistory(call, each)),
  ],
  [
    'has events with the times of their changes',
    ({ call, body }) =>
      !hasEvents(call) ||
      isListOf(body.data, ({ at, data }) => [data].flat().every(({ updated_at = at }) => updated_at === at)),
  ],
  [
    'does not reveal API keys of others',
    ({ call, acquirer, body }) =>
      !hasEvents(call) ||
      isListOf(body.data, ({ by }) => (by.key_id !== null && by.key_label !== null) === (by.acquirer === acquirer.id)),
  ],
  ['is the requested page', (exchange) => !isList(exchange.call) || isPage(exchange)],
  ['is in order', (exchange) => !isList(exchange.call) || isInOrder(exchange)],
  ['is a page without gaps', (exchange) => !isList(exchange.call) || isFull(exchange)],
  [
    'has the exact total of branches',
    ({ call, acquirer, world, listed, body }) =>
      call.operation !== 'listBranches' || (listed <= body.meta.total && body.meta.total <= world.of(acquirer).sent),
  ],
  ['was executed once', ({ call }) => (call.once?.executions ?? 0) <= 1],
  [
    'is identical to the first response',
    ({ call, response }) => call.once?.response === undefined || call.once.response === essenceOf(response),
  ],
  ['is marked as a replay', ({ call, response }) => !call.isReplay || isReplayed(response)],
];

/** The rules that a response breaks. */
export const brokenRules = (exchange: Exchange): string[] =>
  [...ANY, ...(isSuccess(exchange.response) ? SUCCESS : PROBLEM)]
    .filter(([, holds]) => !follows(holds, exchange))
    .map(([rule]) => rule);

function follows(holds: Rule[1], exchange: Exchange): boolean {
  try {
    return holds(exchange);
  } catch {
    return false;
  }
}
