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
  /** From sending the request to the end of the response, in milliseconds; 0 when it was not sent. */
  duration_ms: number;
}

type OwnKey = () => Promise<string>;

/** What the checks look at in a response. Nothing is known of its types. */
interface Body {
  code?: unknown;
  data?: unknown;
  meta?: unknown;
}

/** A request, and what the response to it should be. */
interface Check {
  check: string;
  metric?: Metric;
  /** Makes the API key to send; by default the self-check's own. */
  newKey?: () => string;
  /** Such as `GET /ext/api/v1/merchants`. */
  route: string;
  headers?: Record<string, string>;
  body?: object;
  /** The expected status, and what else is expected. */
  status: number;
  expected: string;
  isExpected: (body: Body) => boolean;
}

const LIST: Check = {
  // Any other branch in its list belongs to another acquirer.
  check: "the self-check's key lists its own branch only",
  metric: 'self_check_list_ms',
  route: 'GET /ext/api/v1/merchants',
  status: 200,
  expected: 'with its own branch',
  isExpected: ({ data, meta }) => ownMid(data) !== undefined && has(meta, { total: 1 }),
};

const MEMBER_CHECK: Check = {
  // It needs the card key and all reads, which are the same for a terminal that is not there. To identify somebody, it
  // would need a member, whom only those who have the card key can add.
  check: 'a card of nobody identifies no member',
  metric: 'self_check_member_check_ms',
  route: 'POST /api/v1/host/member-check',
  body: {
    ...{ amount: 1, currency: 'EUR', card_id: 'self-check', card_pseudo_token: 'self-check' },
    ...{ terminal_id: 'self-check', acquirer_id: SELF_CHECK.id },
  },
  status: 200,
  expected: 'without a member',
  isExpected: ({ data }) => has(data, { member_identified: false, rewards_available: false, rewards: [] }),
};

const UNKNOWN_KEY: Check = {
  check: 'an unknown key is refused',
  // A new key each time, well-formed because a malformed one is rejected without reading the table.
  newKey: newApiKey,
  route: LIST.route,
  status: 401,
  expected: 'invalid_api_key',
  isExpected: ({ code }) => code === 'invalid_api_key',
};

const WRITE = { check: 'a change of its terminal is stored', metric: 'self_check_write_ms' } as const;

/**
 * Changes the terminal of its branch to a new value, so that it is stored each time. Several self-checks may run at
 * once: each looks at the terminal in its own response.
 */
function writeTo(mid: string, now: Date): Check {
  const terminal_model = `Self-check ${now.toISOString()}`;
  const tid = tidOf(mid);
  const terminal = {
    ...{ tid, terminal_id: mid, mid, status: 'active', terminal_model },
    ...{ serial_no: null, payment_app: null, acquirer_name: null, archived_at: null, archive_reason: null },
  };
  return {
    ...WRITE,
    route: `PATCH /ext/api/v1/terminals/${tid}`,
    body: { terminal_model },
    status: 200,
    expected: 'with the changed terminal',
    isExpected: ({ data }) => has(data, terminal),
  };
}

/** The MID in a list of exactly its own branch. */
function ownMid(data: unknown): string | undefined {
  const [branch, ...others] = Array.isArray(data) ? data : [];
  const { mid } = (branch ?? {}) as { mid?: unknown };
  return others.length === 0 && typeof mid === 'string' && /^SELFCHECK[\da-f]{32}$/.test(mid) ? mid : undefined;
}

const created = (route: string, body: object, headers = {}): Check => ({
  ...{ check: route, route, headers, body },
  ...{ status: 201, expected: 'Created', isExpected: () => true },
});

/**
 * Creates the branch with its terminal. MIDs and terminal_ids are unique across all acquirers, so they are random:
 * nobody can take them first. Of several self-checks at once, the Idempotency-Key lets one create its branch. It is
 * refused with the key of another acquirer, which `payment_provider` is not.
 */
function createBranch(): Check {
  const mid = `SELFCHECK${randomUUID().replaceAll('-', '')}`;
  const branch = {
    mid,
    payment_provider: SELF_CHECK.id,
    branch_name: SELF_CHECK.name,
    master_merchant_id: 'SELFCHECK',
  };
  const terminals = [{ terminal_id: mid }];
  return created('POST /ext/api/v1/merchants', { ...branch, terminals }, { 'idempotency-key': 'self-check' });
}

/** Creates the terminal of its branch. It is refused if the terminal exists. */
const createTerminal = (mid: string): Check =>
  created(`POST /ext/api/v1/terminals/${mid}`, { terminals: [{ terminal_id: mid }] });

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
  const createAndRun = async (create: Check, check: Check): Promise<Result> => {
    const { outcome: refused } = await run(create);
    const result = await run(check);
    if (result.outcome.failure && refused.failure)
      result.outcome.failure += `; ${create.route} ${refused.failure} (request ${refused.request_id})`;
    return result;
  };
  const listAndWrite = async (): Promise<[list: Outcome, write: Outcome]> => {
    const first = await run(LIST);
    const isMissing = first.status === 200 && has(first.body, { data: [] }) && has(first.body.meta, { total: 0 });
    const list = isMissing ? await createAndRun(createBranch(), LIST) : first;
    const mid = list.outcome.failure === null ? ownMid(list.body.data) : undefined;
    if (mid === undefined) return [list.outcome, { ...WRITE, ...UNSENT, failure: 'its branch is not known' }];
    const write = await run(writeTo(mid, now));
    const hasNoTerminal = !isMissing && write.status === 404 && write.body.code === 'not_found';
    const written = hasNoTerminal ? await createAndRun(createTerminal(mid), writeTo(mid, now)) : write;
    return [list.outcome, written.outcome];
  };
  const [[list, write], memberCheck, unknownKey] = await Promise.all([
    listAndWrite(),
    run(MEMBER_CHECK),
    run(UNKNOWN_KEY),
  ]);
  return [list, memberCheck.outcome, write, unknownKey.outcome];
}

const UNSENT = { failure: null, request_id: null, duration_ms: 0 };

/** The outcome of a check, and the response, if there was one. */
interface Result {
  outcome: Outcome;
  status?: number;
  body: Body;
}

async function resultOf(baseUrl: string, wanted: Check, ownKey: OwnKey): Promise<Result> {
  const outcome: Outcome = { check: wanted.check, metric: wanted.metric, ...UNSENT };
  const result: Result = { outcome, body: {} };
  let started: number | undefined;
  try {
    const apiKey = wanted.newKey?.() ?? (await wellFormed(ownKey));
    started = performance.now();
    const response = await send(baseUrl, wanted, apiKey);
    outcome.request_id = /^[\da-f-]{36}$/.exec(response.headers.get('x-request-id') ?? '')?.[0] ?? null;
    result.body = parsed(await response.text());
    result.status = response.status;
    if (response.status !== wanted.status || !wanted.isExpected(result.body))
      outcome.failure = `got ${summaryOf(response.status, result.body)}, expected ${wanted.status} ${wanted.expected}`;
  } catch (error) {
    outcome.failure = reasonOf(error as Error);
  }
  const ended = performance.now();
  outcome.duration_ms = Number((ended - (started ?? ended)).toFixed(1));
  return result;
}

function send(baseUrl: string, { route, headers, body }: Check, apiKey: string): Promise<Response> {
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
const has = (value: unknown, fields: object): boolean =>
  isDeepStrictEqual({ ...(value as object | undefined), ...fields }, value);

/** Describes a response by its status and the size of its list, the code of its problem, or that it has neither. */
function summaryOf(status: number, { code, data, meta }: Body): string {
  if (Array.isArray(data))
    return `${status} with ${data.length} of ${Number((meta as { total?: unknown } | undefined)?.total)} branches`;
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
