import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../../docs/client/client.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { type Server, startServer } from '../../soak/server.ts';
import { type Collection, runCollection } from './collection.ts';

/*
 * Runs the Postman collection and the typed client against the API that `npm start` serves. All tests of operations
 * validate responses against docs/openapi.json (test/support/contract.ts).
 */

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

let demo: Server['demo'];
const keyOf = (name: string): string => demo.acquirers.find((each) => each.name === name)?.api_key ?? '';

let upstream: string;
beforeAll(async () => {
  ({ demo } = await startServer(stops));
  upstream = demo.base_url;
});

const COLLECTION: Collection = JSON.parse(readFileSync('docs/postman.json', 'utf8'));

describe('the Postman collection', () => {
  test.each(['Payfair', 'Northgate Distribution'])(
    'runs from top to bottom, and again, with the key of %s',
    async (name) => {
      const variables = { baseUrl: upstream, apiKey: keyOf(name) };
      expect(await runCollection(COLLECTION, variables)).toEqual([]);
      expect(await runCollection(COLLECTION, variables)).toEqual([]);
    },
  );

  test('fails each request with an unknown API key', async () => {
    const failures = await runCollection(COLLECTION, { baseUrl: upstream, apiKey: newApiKey() });
    const names = COLLECTION.item.map(({ name }) => name);
    expect(
      failures.filter(({ message }) => /^Expected status 20\d, got 401/.test(message)).map(({ request }) => request),
    ).toEqual(names);
  });
});

test('the typed client sends requests and returns responses with the types of the contract', async () => {
  const api = createClient({ baseUrl: upstream, apiKey: keyOf('Payfair') });
  const body = { mid: 'TYPED1', master_merchant_id: 'TYPED1', terminals: [{ terminal_id: 'TYPED1' }] };
  const created = await api.POST('/ext/api/v1/merchants', { body });
  expect(created.data?.data.terminals[0]?.terminal_id).toBe('TYPED1');
  const read = await api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid: 'TYPED1' } } });
  expect(read.data?.data.terminal_count).toBe(1);
  const { error } = await api.POST('/ext/api/v1/merchants', { body });
  expect(error?.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/mid', 'taken'],
    ['/terminals/0/terminal_id', 'taken'],
  ]);

  // @ts-expect-error: a branch has a MID.
  const { response } = await api.POST('/ext/api/v1/merchants', { body: {} });
  expect(response.status).toBe(422);
  // @ts-expect-error: a branch has a master merchant.
  const without = await api.POST('/ext/api/v1/merchants', { body: { mid: 'TYPED2' } });
  expect(without.response.status).toBe(422);
});
