import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Options, verify } from '../../../../infra/operate/verify/checks.ts';
import type { Outcome } from '../../../../infra/operate/verify/verify.ts';
import { KEY_USE } from '../../../../lib/acquirers/keyUse.ts';
import { listAcquirers } from '../../../../lib/acquirers/registry.ts';
import { FEED } from '../../../../lib/events/feed.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { grantsIn } from '../../../support/policies.ts';
import { type Mutation, type Stage, startStage } from './stage.ts';

/*
 * Verifies an API that lacks nothing, and then the same one with something missing or wrong.
 */

let stage: Stage;
beforeAll(async () => {
  // As deployed: other tests record no uses (test/support/invoke.ts).
  KEY_USE.intervalMs = 3_600_000;
  // Every other process has stored its events, because there is none.
  FEED.horizonMs = 1_000;
  stage = await startStage();
});
afterAll(async () => {
  await stage.stop();
  await expectNoViolations();
});

/** Runs verify. Returns the outcomes that it reports. */
async function outcomesOf(options: Options, onStart = async () => {}): Promise<Outcome[]> {
  const started: Promise<void>[] = [];
  const reported: Outcome[] = [];
  const outcomes = await verify(stage, options, {
    onBegin: () => started.push(onStart()),
    onOutcome: (outcome) => reported.push(outcome),
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

test('passes against an API that lacks nothing, leaves nothing enabled, and needs the listed grants', async () => {
  expect(await failures({})).toEqual([]);
  expect((await listAcquirers()).filter(({ disabled_at }) => !disabled_at)).toEqual([]);
  const needed = Object.entries(stage.needs).map(([kind, actions]) => [kind, [...actions].sort()]);
  expect(Object.fromEntries(needed.sort())).toEqual(grantsIn('verifier'));
});

test('passes again, while another run says that one is under way, and does not disturb it', async () => {
  const other = async () => {
    await expect(failures({ only: 'console' })).rejects.toThrow(/^Another run began at .* keys revoke /);
  };
  expect(await failures({ quick: true }, other)).toEqual([]);
});

/** What is wrong, some at a time, and what the failures say: at the step that shows it, and for its log. */
const MUTATIONS: [what: string, mutations: Mutation[], ...failures: RegExp[]][] = [
  [
    'an environment variable, a grant for what no response shows, or what it has just stored',
    [
      { name: 'listTerminals', variable: 'BASE_URL' },
      { name: 'createBranch', denied: { action: 'UpdateItem', resource: 'API_KEY_USE' } },
      { name: 'listBranches', body: (text) => text.replace(/"data":\[.*?\]/, '"data":[]') },
    ],
    /^listTerminals: success: /,
    /^the logs have .*listTerminals crashed: .*environment variable BASE_URL is not set/,
    /^the logs have .*createBranch had AccessDeniedException: .*dynamodb:UpdateItem/,
    /^listBranches: success: .*shows nothing of this run/,
  ],
  [
    'a grant, or a field of the body',
    [
      { name: 'archiveBranch', denied: { action: 'UpdateItem', resource: 'BRANCH' } },
      { name: 'getBranch', body: (text) => text.replace('"distributor":null,', '') },
    ],
    /^archiveBranch: success: .*400 server_error.*\(request /,
    /^the logs have .*archiveBranch had AccessDeniedException: .* not authorized to perform: dynamodb:UpdateItem/,
    /^getBranch: success: .*distributor/,
  ],
  [
    'an index, or a route',
    [{ index: 'branches-by-provider' }, { name: 'getBranch', hasNoRoute: true }],
    /^the logs have .*listBranches had .*not have the specified index: branches-by-provider/,
    /^getBranch: success: .*no route leads to getBranch/,
  ],
];

test.each(MUTATIONS)('an API without %s fails, and failures name each', async (_, mutations, ...expected) => {
  stage.mutate(mutations);
  const found = await failures({ quick: true, only: 'partners', lagMs: 0 });
  for (const failure of expected) expect(found).toContainEqual(expect.stringMatching(failure));
});
