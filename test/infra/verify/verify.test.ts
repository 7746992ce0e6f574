import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sender } from '../../../infra/contract/send.ts';
import { ACCESS, ENDPOINTS } from '../../../infra/template/definitions.ts';
import type { Template } from '../../../infra/template/template.ts';
import { casesOf } from '../../../infra/verify/cases.ts';
import { TABLE_GRANTS } from '../../../infra/verify/grants.ts';
import { asOperator } from '../../../infra/verify/open.ts';
import { Operator } from '../../../infra/verify/operator.ts';
import { type Outcome, runCases, tidied } from '../../../infra/verify/verify.ts';
import { type Place, World } from '../../../infra/verify/world.ts';
import { table } from '../../../lib/table/client.ts';
import { ISSUER, templateOf } from '../../packaged/packaging.ts';
import { type Input, needsOf } from '../../support/access.ts';
import { deep, seed } from '../../support/depth.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { PERSON, type Stage, startStage } from './stage.ts';

/*
 * Verifies a stage that lacks nothing, and then the same stage without one grant, route, index or environment variable at a
 * time.
 */

let template: Template;
let stage: Stage;
let place: Place;
let outcomes: Outcome[];

/** What the operator's requests have needed, by kinds of items. */
const needed: Record<string, Set<string>> = {};

function recordNeeds(): void {
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        for (const { action, resource } of needsOf(commandName.replace('Command', ''), args.input as Input)) {
          needed[resource] ??= new Set();
          needed[resource].add(action);
        }
        return next(args);
      },
    { step: 'initialize', name: 'needs' },
  );
}

beforeAll(async () => {
  template = await templateOf('prod', ISSUER);
  stage = await startStage(template);
  const { baseUrl, logs, wait } = stage;
  recordNeeds();
  const access = await asOperator(false);
  place = { ...access, baseUrl, send: sender(baseUrl, baseUrl), hasConsole: true, personAtIssuer: PERSON, wait };
  const world = new World(place);
  outcomes = [...(await runCases(world, logs, casesOf(true))), ...(await runCases(world, logs, [tidied]))];
  await access.operator.close();
  // Another run finds the acquirers disabled.
  Object.assign(place, await asOperator(false));
});
afterAll(() => stage.stop());

test('every case passes in a stage that lacks nothing', () => {
  expect(outcomes.filter(({ outcome }) => outcome !== 'passed')).toEqual([
    expect.objectContaining({ name: 'the docs site may send requests, and no other page', outcome: 'skipped' }),
  ]);
});

test('every function that API Gateway invokes has a case', () => {
  const covered = new Set<string>(casesOf(true).flatMap(({ covers }) => covers));
  expect(Object.keys(ENDPOINTS).filter((name) => !covered.has(name))).toEqual([]);
});

test.each(Object.keys(ENDPOINTS))('the cases use every grant of %s', (name) => {
  const granted = Object.entries(ACCESS[name] ?? {}).flatMap(([resource, actions]) =>
    actions.map((action) => `${action} on ${resource}`),
  );
  expect(granted.filter((each) => !stage.used[name]?.has(each))).toEqual([]);
});

test('the operator of a run needs exactly what is listed', () => {
  const listed = Object.entries(needed).map(([kind, actions]) => [kind, [...actions].sort()]);
  expect(Object.fromEntries(listed.sort())).toEqual(TABLE_GRANTS);
});

const ADDRESS_WINDOW_MS = 20_000;

/** Runs the cases of the functions that a mutation affects, with new sessions, until one names it. */
async function outcomesWith({ template: lacking, functions, named }: Mutation): Promise<Outcome[]> {
  // An address may open these pages only so often.
  if (functions.some((name) => name === 'signIn' || name === 'callback')) await stage.wait(ADDRESS_WINDOW_MS);
  await stage.deploy(lacking, functions);
  const cases = casesOf(true).filter(({ covers }) => covers.some((name) => functions.includes(name)));
  let isFound = false;
  const outcomes = await runCases(new World({ ...place, operator: new Operator() }), stage.logs, cases, {
    onOutcome: ({ outcome, detail }) => {
      isFound ||= outcome === 'failed' && named.test(detail ?? '');
    },
    isOver: () => isFound,
  });
  await stage.deploy(template, functions);
  return outcomes;
}

/** How many mutations are tried, of each kind, unless all are. */
const MOST = 3;

/** Some mutations of a kind: which ones, the seed says. */
function sample(mutations: Mutation[]): Mutation[] {
  const step = Math.max(1, Math.floor(mutations.length / MOST));
  return deep ? mutations : mutations.filter((_, at) => (at + seed) % step === 0).slice(0, MOST);
}

/**
 * What a request does not wait long for, such as a lease, is ended after 300 ms. On a busy machine, that is before the role
 * denies it.
 */
const ATTEMPTS = 3;

/** All mutations of a kind take a quarter of an hour. */
const LONGEST_MS = 3_600_000;

const KINDS = ['route', 'index', 'grant', 'variable'] as const;

test.each(KINDS)(
  'a stage that lacks one %s is found, and what it lacks is named',
  async (kind) => {
    // All functions have the same variables. One that a function never reads, it does not lack.
    const all = mutationsOf(template).filter(
      (each) => each.kind === kind && (kind !== 'variable' || stage.read.has(each.name)),
    );
    const tried = sample(all);
    const unnamed: string[] = [];
    for (const mutation of tried) {
      let failures: string[] = [];
      for (let attempt = 1; attempt <= ATTEMPTS && !failures.some((each) => mutation.named.test(each)); attempt += 1)
        failures = (await outcomesWith(mutation)).flatMap(({ name, outcome, detail }) =>
          outcome === 'failed' ? `${name}: ${detail}` : [],
        );
      if (!failures.some((each) => mutation.named.test(each))) unnamed.push([mutation.name, ...failures].join('\n  '));
    }
    process.stderr.write(
      `${kind}: ${tried.length - unnamed.length} of ${tried.length} found and named, of ${all.length}; seed ${seed}\n`,
    );
    expect(unnamed).toEqual([]);
  },
  LONGEST_MS,
);
