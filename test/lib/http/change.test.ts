import { randomUUID } from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { Conflict } from '../../../lib/aws/retry.ts';
import { change } from '../../../lib/http/change.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { ChangeQuery } from '../../../lib/http/query.ts';
import { ok } from '../../../lib/http/response.ts';
import { getItem } from '../../../lib/table/client.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { eventOf } from '../../support/api.ts';
import { storedBy } from '../../support/stored.ts';
import { unique, useProvider } from '../../support/world.ts';

const provider = useProvider();
afterEach(() => void jest.restoreAllMocks());

/** Calls a made-up operation with its whole chain. Returns the status, and what the call stored. */
async function call(handler: ReturnType<typeof endpoint>, query: Record<string, string> = {}) {
  const event = eventOf('archiveBranch', { key: provider.key, path: { mid: 'ANY' }, query });
  const { response, changed } = await storedBy(() => handler(event, { awsRequestId: randomUUID() } as Context));
  return [response.statusCode, Object.keys(changed)];
}

/** Operations that write by themselves and know of no `validate_only`. */
const CARELESS = {
  'a change that writes before it decides': (key: { pk: string; sk: string }) =>
    change(
      async () => {
        await transact([put(key, {})]);
        return { decision: { data: {} }, response: ok({}) };
      },
      { needs: 'change' },
    ),
  'any operation that takes the query parameters of a change': (key: { pk: string; sk: string }) =>
    endpoint(
      async () => {
        await transact([put(key, {})]);
        return ok({});
      },
      { needs: 'change', query: ChangeQuery },
    ),
};

test.each(Object.entries(CARELESS))('%s stores nothing with validate_only=true', async (_, operation) => {
  const key = { pk: unique('MADE_UP'), sk: 'MADE_UP' };
  expect(await call(operation(key), { validate_only: 'true' })).toEqual([200, []]);
  expect(await call(operation(key))).toEqual([200, [`${key.pk} ${key.sk}`]]);
  // A validation before it, in the same process, is over.
  const next = { ...key, sk: 'NEXT' };
  expect(await call(operation(next), { validate_only: 'false' })).toEqual([200, [`${next.pk} ${next.sk}`]]);
});

/** A change of nothing but an item, with work beside it. */
const changeOf = (
  key: { pk: string; sk: string },
  beside: { [K in 'meanwhile' | 'afterwards']?: () => Promise<void> },
) => {
  const decided = { steps: [put(key, {})], at: new Date().toISOString(), views: [], ...beside };
  return { decision: { data: {}, change: decided }, response: ok({}) };
};

test('work beside a change does not begin for a validation, and what follows it begins when it is stored', async () => {
  const key = { pk: unique('MADE_UP'), sk: 'MADE_UP' };
  const begun: unknown[] = [];
  const beside = {
    meanwhile: async () => void begun.push('meanwhile'),
    afterwards: async () => void begun.push(await getItem(key)),
  };
  const handler = change(async () => changeOf(key, beside), { needs: 'change' });
  expect(await call(handler, { validate_only: 'true' })).toEqual([200, []]);
  expect(begun).toEqual([]);
  expect(await call(handler)).toEqual([200, [`${key.pk} ${key.sk}`]]);
  expect(begun).toEqual(['meanwhile', key]);
});

test('after a conflict, a change is decided anew, and only what was decided last is stored', async () => {
  const key = { pk: unique('MADE_UP'), sk: 'MADE_UP' };
  const afterwards = jest.fn(async () => undefined);
  const decide = jest.fn(async () => {
    if (decide.mock.calls.length === 1) throw new Conflict('Something moved while it was read');
    return changeOf(key, { afterwards });
  });
  expect(await call(change(decide, { needs: 'change', pause: () => 0 }))).toEqual([200, [`${key.pk} ${key.sk}`]]);
  expect(decide).toHaveBeenCalledTimes(2);
  expect(afterwards).toHaveBeenCalledTimes(1);
});
