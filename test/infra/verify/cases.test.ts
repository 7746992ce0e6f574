import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sender } from '../../../infra/contract/send.ts';
import { ACCESS, ENDPOINTS } from '../../../infra/template/definitions.ts';
import { casesOf } from '../../../infra/verify/cases.ts';
import { asOperator } from '../../../infra/verify/open.ts';
import { type Outcome, verify } from '../../../infra/verify/verify.ts';
import { ISSUER, templateOf } from '../../packaged/packaging.ts';
import { PERSON, type Stage, startStage } from './stage.ts';

let stage: Stage;
let outcomes: Outcome[];
beforeAll(async () => {
  stage = await startStage(await templateOf('prod', ISSUER));
  const { baseUrl, logs, wait } = stage;
  const access = await asOperator(false);
  const place = { ...access, baseUrl, send: sender(baseUrl, baseUrl), hasConsole: true, personAtIssuer: PERSON, wait };
  outcomes = await verify(place, logs);
  await access.operator.close();
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
