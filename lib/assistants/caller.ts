import type { ShownCaller } from '../acquirers/caller.ts';
import { hashOf, isWellFormedApiKey } from '../base/apiKeyFormat.ts';
import { Cache } from '../base/cache.ts';
import { CATALOGUE, Problem, type ProblemCode } from '../base/problem.ts';
import { send, TIMEOUTS_MS } from './operation.ts';
import type { OperationRequest } from './tool.ts';

/** Valid keys. A revoked key lists tools until it expires from this cache, and its calls are refused. */
const cache = new Cache<ShownCaller>(10_000);

const GET_CALLER: OperationRequest = { method: 'GET', path: '/ext/api/v1/caller', body: undefined };

const invalidKey = (): Problem =>
  new Problem('invalid_api_key', 'Send a valid API key, in the header API-KEY or as Authorization: Bearer.');

/**
 * Asks the API whose key this is.
 *
 * @throws Problem `invalid_api_key`, or with which the API refuses it, such as `rate_limited`.
 */
export async function callerOf(apiKey: string): Promise<ShownCaller> {
  if (!isWellFormedApiKey(apiKey)) throw invalidKey();
  const sha256 = hashOf(apiKey);
  const cached = cache.get(sha256);
  if (cached) return cached;
  const response = await send(apiKey, GET_CALLER, TIMEOUTS_MS.caller);
  if (response?.status === 401) throw invalidKey();
  if (response?.status !== 200) throw refused(response);
  const caller = response.body.data as ShownCaller;
  cache.set(sha256, caller);
  return caller;
}

function refused(response: Awaited<ReturnType<typeof send>>): Error {
  const { code = '', detail = '' } = response?.body ?? {};
  if (!Object.hasOwn(CATALOGUE, code)) return new Error('There is no response of the API at BASE_URL.');
  return new Problem(code as ProblemCode, detail, { retryAfter: response?.retryAfter });
}
