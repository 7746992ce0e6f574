import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TABLE_GRANTS } from '../../../../infra/operate/policies/verifyGrants.ts';
import { type Options, type Target, verify } from '../../../../infra/operate/verify/checks.ts';
import type { Outcome } from '../../../../infra/operate/verify/verify.ts';
import { KEY_USE } from '../../../../lib/acquirers/keyUse.ts';
import { listAcquirers } from '../../../../lib/acquirers/registry.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { newWorld } from '../../../support/world.ts';
import { type Mutation, type Stage, startStage } from './stage.ts';

/*
 * Verifies an API that lacks nothing, and then the same one with something missing or wrong.
 */

let stage: Stage;
beforeAll(async () => {
  // As deployed: other tests record no uses (test/support/invoke.ts).
  KEY_USE.intervalMs = 3_600_000;
  stage = await startStage();
});
afterAll(async () => {
  await stage.stop();
  await expectNoViolations();
});

/** Runs verify. Returns the outcomes that it reports. */
async function outcomesOf(options: Options, target: Target = stage, onStart = async () => {}): Promise<Outcome[]> {
  const started: Promise<void>[] = [];
  const reported: Outcome[] = [];
  const outcomes = await verify(target, options, {
    onStart: () => started.push(onStart()),
    onOutcome: (outcome) => reported.push(outcome),
    onBegin: () => {},
  });
  await Promise.all(started);
  expect(reported).toEqual(outcomes);
  expect(reported.length).toBeGreaterThan(2);
  return reported;
}

async function failures(...args: Parameters<typeof outcomesOf>): Promise<string[]> {
  const failed = (await outcomesOf(...args)).filter(({ outcome }) => outcome === 'failed');
  return failed.map(({ name, detail }) => `${name}: ${detail}`);
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
  expect(await failures({ only: 'console' }, stage, second)).toEqual([]);
});

test('with the keys of two partners, runs what needs no operator, and says what it skips', async () => {
  const { provider, distributor } = await newWorld();
  const keys = join(mkdtempSync(join(tmpdir(), 'verify-')), 'keys.json');
  writeFileSync(keys, JSON.stringify({ provider: provider.key, distributor: distributor.key }));
  const target = { baseUrl: stage.baseUrl, keys };
  const outcomes = await outcomesOf({ quick: true }, target);
  expect(outcomes.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  const skipped = outcomes.filter(({ outcome }) => outcome === 'skipped');
  expect(skipped.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['story of the console', 'memberCheck: success', 'listBranches: rate_limited']),
  );
  expect(outcomes.length).toBeGreaterThan(4 * skipped.length);
  stage.mutate({ name: 'find', hasNoRoute: true });
  expect(await failures({ quick: true, only: 'partners', lagMs: 0 }, target)).toContainEqual(
    expect.stringContaining('no route leads to find'),
  );
  stage.mutate({});
});

/** What is wrong, and what the failures say: at the step that shows it, and for its log. */
const MUTATIONS: [what: string, mutation: Mutation, ...failures: RegExp[]][] = [
  ['a route', { name: 'find', hasNoRoute: true }, /^find: terminal: .*no route leads to find/],
  [
    'a grant',
    { name: 'archiveBranch', denied: { action: 'UpdateItem', resource: 'BRANCH' } },
    /^archiveBranch: success: .*400 server_error.*\(request /,
    /^the logs have .*archiveBranch had AccessDeniedException: .* not authorized to perform: dynamodb:UpdateItem/,
  ],
  [
    'a grant for what no response shows',
    { name: 'createBranch', denied: { action: 'UpdateItem', resource: 'API_KEY_USE' } },
    /^the logs have .*createBranch had AccessDeniedException: .*dynamodb:UpdateItem/,
  ],
  [
    'an environment variable',
    { name: 'listTerminals', variable: 'BASE_URL' },
    /^listTerminals: success: /,
    /^the logs have .*listTerminals crashed: .*environment variable BASE_URL is not set/,
  ],
  [
    'an index',
    { index: 'branches-by-provider' },
    /^the logs have .*listBranches had .*not have the specified index: branches-by-provider/,
  ],
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

test.each(MUTATIONS)('an API without %s fails, and a failure names it', async (_, mutation, ...expected) => {
  stage.mutate(mutation);
  const found = await failures({ quick: true, only: 'partners', lagMs: 0 });
  stage.mutate({});
  for (const failure of expected) expect(found).toContainEqual(expect.stringMatching(failure));
});
