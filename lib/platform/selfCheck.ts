import { isDeepStrictEqual } from 'node:util';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { isWellFormedApiKey, newApiKey } from '../base/apiKeyFormat.ts';
import type { Metric } from '../base/metrics.ts';
import { urlUnder } from '../base/url.ts';
import { tidOf } from '../table/keys.ts';

/** The acquirer of the self-check. It has one branch with one terminal, which the first check creates. */
export const SELF_CHECK: Acquirer = {
  id: '5e1fc4ec-0000-4000-8000-000000000002',
  type: 'PAYMENT_PROVIDER',
  name: 'Self-check',
};
const MID = '5e1fc4ec-0000-4000-8000-000000000003';
const TERMINAL_ID = 'SELFCHECK5E1FC4EC';
const TID = tidOf(TERMINAL_ID);

/** Timeout of each request, in milliseconds. The API responds sooner, even if its table does not (sdk.ts). */
export const TIMEOUT_MS = 10_000;

/** The most requests one after another: a check, the two that create what is missing, and the check again. */
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

/** What a check gets when the self-check's branch or terminal is missing. */
const MISSING = ['200 with 0 of 0 branches', '404 not_found'];

/**
 * The checks. They run at the same time, and so may those of two self-checks: each write sets its own value and looks at the
 * terminal that its own response has.
 */
const checksAt = (now: Date): Check[] => {
  const terminal_model = `Self-check ${now.toISOString()}`;
  const terminal = {
    ...{ tid: TID, terminal_id: TERMINAL_ID, mid: MID, status: 'active', terminal_model },
    ...{ serial_no: null, payment_app: null, acquirer_name: null, archived_at: null, archive_reason: null },
  };
  return [
    {
      // Any other branch in its list belongs to another acquirer.
      check: "the self-check's key lists its own branch only",
      metric: 'self_check_list_ms',
      keyOf: wellFormed,
      route: LIST,
      expected: '200 with its own branch',
      status: 200,
      isExpected: ({ data, meta }) =>
        Array.isArray(data) && data.length === 1 && has(data[0], { mid: MID }) && has(meta, { total: 1 }),
    },
    {
      // It needs the card key and all reads. To identify somebody, it would need a member, whom only those who have the card
      // key can add.
      check: 'a card of nobody identifies no member',
      metric: 'self_check_member_check_ms',
      keyOf: wellFormed,
      route: 'POST /api/v1/host/member-check',
      body: {
        ...{ amount: 1, currency: 'EUR', card_id: 'self-check', card_pseudo_token: 'self-check' },
        ...{ terminal_id: TERMINAL_ID, acquirer_id: SELF_CHECK.id },
      },
      expected: '200 without a member',
      status: 200,
      isExpected: ({ data }) => has(data, { member_identified: false, rewards_available: false, rewards: [] }),
    },
    {
      // A new value each time, so it is stored each time. A POST would have to create something each time.
      check: 'a change of its terminal is stored',
      metric: 'self_check_write_ms',
      keyOf: wellFormed,
      route: `PATCH /ext/api/v1/terminals/${TID}`,
      body: { terminal_model },
      expected: '200 with the changed terminal',
      status: 200,
      isExpected: ({ data }) => has(data, terminal),
    },
    {
      // A new key each time, well-formed because a malformed one is rejected without reading the table.
      check: 'an unknown key is refused',
      keyOf: newApiKey,
      route: LIST,
      expected: '401 invalid_api_key',
      status: 401,
      isExpected: ({ code }) => code === 'invalid_api_key',
    },
  ];
};

/**
 * Creates the branch and the terminal of the self-check. Each is refused if it exists, and also with the key of another
 * acquirer, which `payment_provider` is not.
 */
const CREATE: [route: string, body: object][] = [
  [
    'POST /ext/api/v1/merchants',
    { mid: MID, payment_provider: SELF_CHECK.id, branch_name: SELF_CHECK.name, master_merchant_id: 'SELFCHECK' },
  ],
  [`POST /ext/api/v1/terminals/${MID}`, { terminals: [{ terminal_id: TERMINAL_ID }] }],
];

/**
 * Calls an API as a partner does: over its public URL, and each time over a new connection, so that DNS and certificate
 * are checked too. A redirect is a failure. Creates the self-check's own branch and terminal if they are missing, and checks
 * again. Never rejects.
 *
 * @param baseUrl The public base URL, with or without a slash at its end.
 * @param ownKey Gets the API key of the self-check's acquirer.
 * @param now A time that no earlier check had.
 * @returns An outcome for each check. They take at most {@link MOST_IN_SEQUENCE} times {@link TIMEOUT_MS}.
 */
export async function selfCheck(baseUrl: string, ownKey: OwnKey, now = new Date()): Promise<Outcome[]> {
  const run = () => Promise.all(checksAt(now).map((check) => outcomeOf(baseUrl, check, ownKey)));
  const outcomes = await run();
  const isMissing = ({ failure }: Outcome) => MISSING.some((got) => failure?.startsWith(`got ${got},`));
  if (!outcomes.some(isMissing)) return outcomes;
  for (const [route, body] of CREATE)
    await wellFormed(ownKey)
      .then((key) => send(baseUrl, route, key, body))
      .catch(() => undefined);
  return run();
}

async function outcomeOf(baseUrl: string, wanted: Check, ownKey: OwnKey): Promise<Outcome> {
  const { check, metric, keyOf, route, body, expected, status, isExpected } = wanted;
  const outcome: Outcome = { check, metric, failure: null, request_id: null, duration_ms: 0 };
  let started: number | undefined;
  try {
    const apiKey = await keyOf(ownKey);
    started = performance.now();
    const response = await send(baseUrl, route, apiKey, body);
    outcome.request_id = /^[\da-f-]{36}$/.exec(response.headers.get('x-request-id') ?? '')?.[0] ?? null;
    const got = parsed(await response.text());
    if (response.status !== status || !isExpected(got))
      outcome.failure = `got ${summaryOf(response.status, got)}, expected ${expected}`;
  } catch (error) {
    outcome.failure = reasonOf(error as Error);
  }
  const ended = performance.now();
  return { ...outcome, duration_ms: Number((ended - (started ?? ended)).toFixed(1)) };
}

function send(baseUrl: string, route: string, apiKey: string, body?: object): Promise<Response> {
  const [method = '', path = ''] = route.split(' ');
  return fetch(urlUnder(baseUrl, path), {
    method,
    headers: { 'API-KEY': apiKey, connection: 'close' },
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
