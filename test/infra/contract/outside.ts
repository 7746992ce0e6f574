import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../../docs/client/client.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { type Server, startServer } from '../../soak/server.ts';

/*
 * Checks what partners use against what `npm start` serves: newman runs the Postman collection, and the typed client
 * sends requests. That every response matches docs/openapi.json is checked by all tests of operations
 * (test/support/contract.ts).
 */

const NEWMAN = 'node_modules/newman/bin/newman.js';
const COLLECTION = 'docs/postman.json';
const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-contract-'));
const stops: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

let demo: Server['demo'];
const keyOf = (name: string): string => demo.acquirers.find((each) => each.name === name)?.api_key ?? '';

let upstream: string;
beforeAll(async () => {
  ({ demo } = await startServer(stops));
  upstream = demo.base_url;
}, 120_000);

interface Report {
  run: {
    stats: { assertions: { total: number; failed: number } };
    failures: { source?: { name: string }; error: { message: string } }[];
  };
}

/** Runs the collection and returns newman's report. */
async function newman(baseUrl: string, apiKey: string) {
  const report = join(folder, 'newman.json');
  const variables = Object.entries({ baseUrl, apiKey }).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const args = [NEWMAN, 'run', COLLECTION, ...variables, '-r', 'json', '--reporter-json-export', report];
  // newman exits with 1 if an assertion fails; the report says which.
  await new Promise((done) => execFile(process.execPath, args, done));
  const { run }: Report = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(report);
  return {
    assertions: run.stats.assertions.total,
    failures: run.failures.map(({ source, error }) => `${source?.name}: ${error.message}`),
  };
}

const REQUESTS = JSON.parse(readFileSync(COLLECTION, 'utf8')).item.length;
const ALL_WELL = { assertions: REQUESTS, failures: [] };

describe('the Postman collection', () => {
  test.each(['Payfair', 'Northgate Distribution'])('passes twice in a row with the key of %s', async (name) => {
    expect(await newman(upstream, keyOf(name))).toEqual(ALL_WELL);
    expect(await newman(upstream, keyOf(name))).toEqual(ALL_WELL);
  });

  test('fails with an unknown key', async () => {
    const { failures } = await newman(upstream, newApiKey());
    expect(failures.filter((each) => each.includes('expected response to have status code'))).toHaveLength(REQUESTS);
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
