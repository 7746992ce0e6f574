import { isWellFormedApiKey, newApiKey } from '../base/apiKeyFormat.ts';
import { urlUnder } from '../base/url.ts';

/** Timeout of each request, in milliseconds. The API responds sooner, even if its table does not (sdk.ts). */
export const TIMEOUT_MS = 10_000;

/** The result of a check. It contains no API key, and no text of the response, which might repeat the key. */
export interface Outcome {
  /** What the check expects, such as `an unknown key is refused`. */
  check: string;
  /** Why the check failed; `null` when it passed. */
  failure: string | null;
  /** The `X-Request-Id` of the response, by which to find the request in the API's log. */
  request_id: string | null;
  /** From sending the request to the end of the response, in milliseconds; 0 when there was no key to send. */
  duration_ms: number;
}

type OwnKey = () => Promise<string>;

/** The acquirer of the self-check has no branches, so any branch in its list belongs to another acquirer. */
const CHECKS: { check: string; keyOf: (ownKey: OwnKey) => Promise<string> | string; expected: string }[] = [
  { check: "the self-check's key lists no branches", keyOf: wellFormed, expected: '200 with 0 of 0 branches' },
  // A new key each time, well-formed because a malformed one is rejected without reading the table.
  { check: 'an unknown key is refused', keyOf: newApiKey, expected: '401 invalid_api_key' },
];

/**
 * Calls an API as a partner does: over its public URL, and each time over a new connection, so that DNS and certificate
 * are checked too. A redirect is a failure. Never rejects.
 *
 * @param baseUrl The public base URL, with or without a slash at its end.
 * @param ownKey Gets the API key of the self-check's acquirer.
 * @returns An outcome for each check. They run at the same time, each for at most {@link TIMEOUT_MS}.
 */
export const selfCheck = (baseUrl: string, ownKey: OwnKey): Promise<Outcome[]> =>
  Promise.all(
    CHECKS.map(async ({ check, keyOf, expected }) => {
      let started: number | undefined;
      const outcome: Outcome = { check, failure: null, request_id: null, duration_ms: 0 };
      try {
        const apiKey = await keyOf(ownKey);
        started = performance.now();
        const response = await fetch(urlUnder(baseUrl, '/ext/api/v1/merchants'), {
          headers: { 'API-KEY': apiKey, connection: 'close' },
          redirect: 'error',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        outcome.request_id = /^[\da-f-]{36}$/.exec(response.headers.get('x-request-id') ?? '')?.[0] ?? null;
        const got = summaryOf(response.status, await response.text());
        if (got !== expected) outcome.failure = `got ${got}, expected ${expected}`;
      } catch (error) {
        outcome.failure = reasonOf(error as Error);
      }
      const ended = performance.now();
      return { ...outcome, duration_ms: Number((ended - (started ?? ended)).toFixed(1)) };
    }),
  );

/** The self-check's own key. Anything malformed must not be sent: fetch quotes an invalid header in its error. */
async function wellFormed(ownKey: OwnKey): Promise<string> {
  const text = await ownKey().catch((cause) => {
    throw new Error('no API key', { cause });
  });
  const apiKey = text.trim();
  if (!isWellFormedApiKey(apiKey)) throw new Error('its API key is malformed');
  return apiKey;
}

/** Describes a response by its status and either the size of its list or the code of its problem. */
function summaryOf(status: number, text: string): string {
  const { code, data, meta } = parsed(text);
  if (Array.isArray(data)) return `${status} with ${data.length} of ${Number(meta?.total)} branches`;
  return `${status} ${typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : 'without a code'}`;
}

function parsed(text: string): { code?: unknown; data?: unknown; meta?: { total?: unknown } } {
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
