import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Options, verify } from '../../../infra/verify/checks.ts';
import { TABLE_GRANTS } from '../../../infra/verify/grants.ts';
import type { Outcome } from '../../../infra/verify/verify.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { type Mutation, type Stage, startStage } from './stage.ts';

/*
 * Verifies an API that lacks nothing, and then the same one with something missing or wrong.
 */

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

/** Runs verify. Returns the failures. */
async function failures(options: Options, onStart = async () => {}): Promise<string[]> {
  const started: Promise<void>[] = [];
  const outcomes: Outcome[] = await verify(stage, options, {
    onStart: () => started.push(onStart()),
    onOutcome: () => {},
    onBegin: () => {},
  });
  await Promise.all(started);
  expect(outcomes.length).toBeGreaterThan(2);
  return outcomes.flatMap(({ name, outcome, detail }) => (outcome === 'failed' ? [`${name}: ${detail}`] : []));
}

test('passes twice against an API that lacks nothing, leaves nothing enabled, and needs exactly the listed grants', async () => {
  expect(await failures({})).toEqual([]);
  expect(await failures({ quick: true })).toEqual([]);
  expect((await listAcquirers()).filter(({ disabled_at }) => !disabled_at)).toEqual([]);
  const needed = Object.entries(stage.needs).map(([kind, actions]) => [kind, [...actions].sort()]);
  expect(Object.fromEntries(needed.sort())).toEqual(TABLE_GRANTS);
});

test('a second run says that another one is under way, and does not disturb it', async () => {
  const second = async () => {
    await expect(failures({ only: 'console' })).rejects.toThrow(/^Another run began at .* keys revoke /);
  };
  expect(await failures({ only: 'console' }, second)).toEqual([]);
});

const MUTATIONS: [what: string, mutation: Mutation, failure: RegExp][] = [
  ['a route', { name: 'find', hasNoRoute: true }, /^find: terminal: .*no route leads to find/],
  [
    'a grant',
    { name: 'archiveBranch', denied: { action: 'UpdateItem', resource: 'BRANCH' } },
    /^archiveBranch: success: .*400 server_error.*\(request .*the role of archiveBranch denies UpdateItem, which it needs on items of .*BRANCH/,
  ],
  [
    'a grant for what no response shows',
    { name: 'createBranch', denied: { action: 'UpdateItem', resource: 'API_KEY_USE' } },
    /^the logs have .*the role of createBranch denies UpdateItem/,
  ],
  [
    'an environment variable',
    { name: 'listTerminals', variable: 'BASE_URL' },
    /^listTerminals: success: (?:.|\n)*listTerminals lacks the environment variable BASE_URL/,
  ],
  ['an index', { index: 'branches-by-provider' }, /^listBranches: .*the table lacks the index branches-by-provider/],
  [
    'the right body',
    { name: 'getBranch', body: (text) => text.replace('Ribeira', 'Foz') },
    /^getBranch: success: getBranch: \/data\/area is "Foz", not "Ribeira"/,
  ],
  [
    'a field of the body',
    { name: 'getBranch', body: (text) => text.replace('"distributor":null,', '') },
    /^getBranch: success: .*distributor/,
  ],
  [
    'the right id',
    { name: 'find', body: (text) => text.replaceAll(/"tid":"[^"]*/g, '"tid":"00000000-0000-5000-8000-000000000000') },
    /^find: terminal: find: \/data\/.*tid is "00000000-0000-5000-8000-000000000000", not /,
  ],
];

test.each(MUTATIONS)('an API without %s fails, and the failure names it', async (_, mutation, failure) => {
  stage.mutate(mutation);
  const found = await failures({ quick: true, only: 'partners', lagMs: 0 });
  stage.mutate({});
  expect(found).toContainEqual(expect.stringMatching(failure));
});
