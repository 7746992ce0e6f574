import { afterEach, expect, jest, test } from '@jest/globals';
import { requestContext } from '../../../lib/aws/requestContext.ts';
import { prepare } from '../../../lib/http/prepare.ts';
import { captureLog } from '../../support/log.ts';

const BUDGET = { totalMs: 50, attemptMs: 20 };

afterEach(() => {
  jest.restoreAllMocks();
});

test('work that prepares a process has its budget, and logs nothing', async () => {
  const lines = captureLog();
  const work = jest.fn(async () => requestContext().budget);
  await prepare(work, BUDGET);
  await expect(work.mock.results[0]?.value).resolves.toBe(BUDGET);
  expect(lines()).toEqual([]);
});

test('work that fails does not end the process, and its causes are logged without secrets', async () => {
  const lines = captureLog();
  const failure = new Error('no table', { cause: new Error('for 4111 1111 1111 1111') });
  await prepare(() => Promise.reject(failure), BUDGET);
  const causes = [{ message: 'no table' }, { message: 'for [redacted]' }];
  expect(lines()).toMatchObject([{ level: 'WARN', message: 'This process could not be prepared.', causes }]);
});
