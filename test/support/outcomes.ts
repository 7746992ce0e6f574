import { expect } from '@jest/globals';
import type { ProblemCode } from '../../lib/base/problem.ts';
import { keptError } from '../../lib/refusedRequests/keep.ts';
import { MOST_ERRORS } from '../../lib/refusedRequests/refusedRequest.ts';
import { type ApiResponse, expectProblem } from './api.ts';
import { storedBy } from './stored.ts';

type Problem = Parameters<typeof expectProblem> extends [ApiResponse, ...infer Explained] ? Explained : never;

/** Those of unknown callers are not kept, those of the rate limit once a window, and those of a failing table if it works. */
const NOT_ALWAYS_KEPT: ProblemCode[] = [
  'invalid_api_key',
  'invalid_session',
  'ambiguous_credentials',
  'rate_limited',
  'server_error',
];

/** Asserts that a request gets this problem and stores nothing but that it was refused. Returns the response. */
export async function expectRefused(run: () => Promise<ApiResponse>, ...problem: Problem): Promise<ApiResponse> {
  const { response, changed, refused } = await storedBy(run);
  expectProblem(response, ...problem);
  expect(changed).toEqual({});
  const { code, status, request_id, errors = [] } = response.body;
  if (!NOT_ALWAYS_KEPT.includes(code))
    expect(refused).toEqual([
      expect.objectContaining({
        refused_request_id: request_id,
        status,
        code,
        errors: errors.slice(0, MOST_ERRORS).map(keptError),
      }),
    ]);
  return response;
}

/** Asserts that a request succeeds and stores nothing. Returns the body of its response. */
export async function bodyOf(run: () => Promise<ApiResponse>): Promise<ApiResponse['body']> {
  const { response, changed } = await storedBy(run);
  expect([response.status, changed]).toEqual([200, {}]);
  return response.body;
}

/** Asserts that a change fails with an error like this and stores nothing. */
export async function expectFailure(change: () => Promise<unknown>, error: object): Promise<void> {
  const { response, changed } = await storedBy(() => change().catch((reason: unknown) => reason));
  expect(response).toMatchObject(error);
  expect(changed).toEqual({});
}
