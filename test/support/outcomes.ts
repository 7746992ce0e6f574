import { expect } from '@jest/globals';
import { type ApiResponse, expectProblem } from './api.ts';
import { storedBy } from './stored.ts';

type Problem = Parameters<typeof expectProblem> extends [ApiResponse, ...infer Explained] ? Explained : never;

/** Asserts that a request gets this problem and stores nothing. Returns the response. */
export async function expectRefused(run: () => Promise<ApiResponse>, ...problem: Problem): Promise<ApiResponse> {
  const { response, changed } = await storedBy(run);
  expectProblem(response, ...problem);
  expect(changed).toEqual({});
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
