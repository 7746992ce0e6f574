import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { isWellFormedApiKey, newApiKey } from '../base/apiKeyFormat.ts';
import type { Metric } from '../base/metrics.ts';
import { urlUnder } from '../base/url.ts';
import { tidOf } from '../table/keys.ts';

/**
 * The acquirer of the self-check. It has one branch with one terminal of the same id, which the first check creates.
 */
export const SELF_CHECK: Acquirer = {
  id: '5e1fc4ec-0000-4000-8000-000000000002',
  type: 'PAYMENT_PROVIDER',
  name: 'Self-check',
};

/** Timeout of each request, in milliseconds. The API responds sooner, even if its table does not (sdk.ts). */
export const TIMEOUT_MS = 10_000;

/**
 * The most requests one after another: those of the list and the write, one that creates what is missing, and a check
 * again.
 */
export const MOST_IN_SEQUENCE = 4;

/** The result of a check. It contains no API key, and no text of the response, which might repeat the key. */
export interface Outcome {
  /** What the check expects, such as `an unknown key is refused`. */
  check: string;
  /** The metric of its duration, if it has one. */
  metric: Metric | undefined;
  /** Why the check failed; `null` when it passed. */
  failure: string | null;
  /** The `X-Request-Id` of the response, by which to find the request in the API's log. */
  request_id: string | null;
  /** From sending the request to the end of the response, in milliseconds; 0 when there was no key to send. */
  duration_ms: number;
}

type OwnKey = () => Promise<string>;

/** What a response has, of what the checks look at. Nothing is known of its types. */
interface Body {
  code?: unknown;
  data?: unknown;
  meta?: unknown;
}

/** A request, and what the response to it should be. */
interface Check {
  check: string;
  metric?: Metric;
  keyOf: (ownKey: OwnKey) => Promise<string> | string;
  /** Such as `GET /ext/api/v1/merchants`. */
  route: string;
  body?: object;
  /** A text for the expected response, and whether a response is that one. */
  expected: string;
  status: number;
  isExpected: (body: Body) => boolean;
}

const LIST = 'GET /ext/api/v1/merchants';

/** The checks that need no response of another. */
const CHECKS = {
  list: {
    // Any other branch in its list belongs to another acquirer.
    check: "the self-check's key lists its own branch only",
    metric: 'self_check_list_ms',
    keyOf: wellFormed,
    route: LIST,
    expected: '200 with its own branch',
    status: 200,
    isExpected: ({ data, meta }) => ownMid(data) !== undefined && has(meta, { total: 1 }),
  },
  memberCheck: {
    // It needs the card key and all reads, which are the same for a terminal that is not there. To identify somebody,
    // it would need a member, whom only those who have the card key can add.
    check: 'a card of nobody identifies no member',
    metric: 'self_check_member_check_ms',
    keyOf: wellFormed,
    route: 'POST /api/v1/host/member-check',
    body: {
      ...{ amount: 1, currency: 'EUR', card_id: 'self-check', card_pseudo_token: 'self-check' },
      ...{ terminal_id: 'self-check', acquirer_id: SELF_CHECK.id },
    },
    expected: '200 without a member',
    status: 200,
    isExpected: ({ data }) => has(data, { member_identified: false, rewards_available: false, rewards: [] }),
  },
  unknownKey: {
    // A new key each time, well-formed because a malformed one is rejected without reading the table.
    check: 'an unknown key is refused',
    keyOf: newApiKey,
    route: LIST,
    expected: '401 invalid_api_key',
    status: 401,
    isExpected: ({ code }) => code === 'invalid_api_key',
  },
} satisfies Record<string, Check>;

/**
 * Changes the terminal of its branch to a new value, so that it is stored each time. A POST would have to create
 * something each time. Several self-checks may run at once: each looks at the terminal in its own response.
 *
 * @param mid `undefined` if it is not known.
 */
const writeTo = (mid: string | undefined, now: Date): Check => {
  const terminal_model = `Self-check ${now.toISOString()}`;
  const tid = tidOf(mid ?? '');
  const terminal = {
    ...{ tid, terminal_id: mid, mid, status: 'active', terminal_model },
    ...{ serial_no: null, payment_app: null, acquirer_name: null, archived_at: null, archive_reason: null },
  };
  return {
    check: 'a change of its terminal is stored',
    metric: 'self_check_write_ms',
    keyOf: (ownKey) => {
      if (mid === undefined) throw new Error('its branch is not known');
      return wellFormed(ownKey);
    },
    route: `PATCH /ext/api/v1/terminals/${tid}`,
    body: { terminal_model },
    expected: '200 with the changed terminal',
    status: 200,
    isExpected: ({ data }) => has(data, terminal),
  };
};

/** The MID in a list of exactly its own branch. */
function ownMid(data: unknown): string | undefined {
  const [branch, ...others] = Array.isArray(data) ? data : [];
  const { mid } = (branch ?? {}) as { mid?: unknown };
  return others.length === 0 && typeof mid === 'string' && /^SELFCHECK[\da-f]{32}$/.test(mid) ? mid : undefined;
}

/** What creates something, and the body of the request. */
type Create = [route: string, body: object, headers?: Record<string, string>];

/**
 * Creates the branch with its terminal. MIDs and terminal_ids are unique across all acquirers, so they are random:
 * nobody can take them first. Of several self-checks at once, the Idempotency-Key lets one create its branch. It is
 * refused with the key of another acquirer, which `payment_provider` is not.
 */
function createBranch(): Create {
  const mid = `SELFCHECK${randomUUID().replaceAll('-', '')}`;
  const branch = {
    mid,
    payment_provider: SELF_CHECK.id,
    branch_name: SELF_CHECK.name,
    master_merchant_id: 'SELFCHECK',
  };
  return [
    'POST /ext/api/v1/merchants',
    { ...branch, terminals: [{ terminal_id: mid }] },
    { 'idempotency-key': 'self-check' },
  ];
}

/** Creates the terminal of its branch. It is refused if the terminal exists. */
const createTerminal = (mid: string): Create => [
  `POST /ext/api/v1/terminals/${mid}`,
  { terminals: [{ terminal_id: mid }] },
];

/**
 * Calls an API as a partner does: over its public URL, and each time over a new connection, so that DNS and certificate
 * are checked too. A redirect is a failure. Creates the self-check's own branch or terminal if it is missing, and
 * checks again. Never rejects.
 *
 * @param baseUrl The public base URL, with or without a slash at its end.
 * @param ownKey Gets the API key of the self-check's acquirer.
 * @param now A time that no earlier check had.
 * @returns An outcome for each check. They take at most {@link MOST_IN_SEQUENCE} times {@link TIMEOUT_MS}.
 */
export async function selfCheck(baseUrl: string, ownKey: OwnKey, now = new Date()): Promise<Outcome[]> {
  const run = (check: Check) => resultOf(baseUrl, check, ownKey);
  let hasCreated = false;
  const runOn = async (check: Check, isMissing: (result: Result) => boolean, create: () => Create): Promise<Result> => {
    const first = await run(check);
    if (hasCreated || !isMissing(first)) return first;
    hasCreated = true;
    const refusal = await refusalOf(baseUrl, create(), ownKey);
    const { outcome, ...second } = await run(check);
    const failure = outcome.failure && [outcome.failure, refusal].filter(Boolean).join('; ');
    return { ...second, outcome: { ...outcome, failure } };
  };
  const listAndWrite = async (): Promise<[Result, Result]> => {
    const list = await runOn(CHECKS.list, ({ status, body }) => status === 200 && isEmpty(body), createBranch);
    const mid = list.outcome.failure === null ? ownMid(list.body.data) : undefined;
    const isMissing = ({ status, body }: Result) => status === 404 && body.code === 'not_found';
    return [list, await runOn(writeTo(mid, now), isMissing, () => createTerminal(mid as string))];
  };
  const [[list, write], memberCheck, unknownKey] = await Promise.all([
    listAndWrite(),
    run(CHECKS.memberCheck),
    run(CHECKS.unknownKey),
  ]);
  return [list, memberCheck, write, unknownKey].map(({ outcome }) => outcome);
}

const isEmpty = ({ data, meta }: Body): boolean => Array.isArray(data) && data.length === 0 && has(meta, { total: 0 });

/** The outcome of a check, and the response, if there was one. */
interface Result {
  outcome: Outcome;
  status?: number;
  body: Body;
}

async function resultOf(baseUrl: string, wanted: Check, ownKey: OwnKey): Promise<Result> {
  const { check, metric, keyOf, route, body, expected, isExpected } = wanted;
  const outcome: Outcome = { check, metric, failure: null, request_id: null, duration_ms: 0 };
  const result: Result = { outcome, body: {} };
  let started: number | undefined;
  try {
    const apiKey = await keyOf(ownKey);
    started = performance.now();
    const response = await send(baseUrl, route, apiKey, body);
    outcome.request_id = requestIdOf(response);
    result.body = parsed(await response.text());
    result.status = response.status;
    if (response.status !== wanted.status || !isExpected(result.body))
      outcome.failure = `got ${summaryOf(response.status, result.body)}, expected ${expected}`;
  } catch (error) {
    outcome.failure = reasonOf(error as Error);
  }
  const ended = performance.now();
  outcome.duration_ms = Number((ended - (started ?? ended)).toFixed(1));
  return result;
}

/** Creates something. Returns why that failed, with the `X-Request-Id`; `undefined` if it is created. */
async function refusalOf(baseUrl: string, [route, body, headers]: Create, ownKey: OwnKey): Promise<string | undefined> {
  try {
    const response = await send(baseUrl, route, await wellFormed(ownKey), body, headers);
    if (response.status === 201) return undefined;
    const summary = summaryOf(response.status, parsed(await response.text()));
    return `${route} got ${summary} (request ${requestIdOf(response)})`;
  } catch (error) {
    return `${route}: ${reasonOf(error as Error)}`;
  }
}

const requestIdOf = ({ headers }: Response): string | null =>
  /^[\da-f-]{36}$/.exec(headers.get('x-request-id') ?? '')?.[0] ?? null;

function send(baseUrl: string, route: string, apiKey: string, body?: object, headers?: object): Promise<Response> {
  const [method = '', path = ''] = route.split(' ');
  return fetch(urlUnder(baseUrl, path), {
    method,
    headers: { 'API-KEY': apiKey, connection: 'close', ...headers },
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

/** The self-check's own key. Anything malformed must not be sent: fetch quotes an invalid header in its error. */
async function wellFormed(ownKey: OwnKey): Promise<string> {
  const text = await ownKey().catch((cause) => {
    throw new Error('no API key', { cause });
  });
  const apiKey = text.trim();
  if (!isWellFormedApiKey(apiKey)) throw new Error('its API key is malformed');
  return apiKey;
}

/** Whether a value has at least these fields. */
const has = (value: unknown, fields: Record<string, unknown>): boolean =>
  Object.entries(fields).every(([name, expected]) =>
    isDeepStrictEqual((value as Record<string, unknown> | null | undefined)?.[name], expected),
  );

/** Describes a response by its status and the size of its list, the code of its problem, or that it has neither. */
function summaryOf(status: number, { code, data, meta }: Body): string {
  if (Array.isArray(data))
    return `${status} with ${data.length} of ${Number((meta as Body & { total?: unknown })?.total)} branches`;
  if (data) return `${status} with other data`;
  return `${status} ${typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : 'without a code'}`;
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function reasonOf({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`;
  const { code, name: kind, message: detail } = (cause ?? {}) as NodeJS.ErrnoException;
  return [message, code ?? kind, detail].filter(Boolean).join(': ');
}
