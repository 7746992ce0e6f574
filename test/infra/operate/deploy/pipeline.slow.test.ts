import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { buildArtifact, differing, writeChecksums } from '../../../../infra/operate/deploy/artifact.ts';
import { STAGES } from '../../../../infra/stack/template/definitions.ts';
import { ownFolder } from '../../../support/scripts.ts';

/*
 * The pipeline: an artifact of three small stages, and the steps of the workflows, run as GitHub runs them.
 */

interface Step {
  uses?: string;
  run?: string;
  name?: string;
  if?: string;
}
interface Job {
  needs?: string;
  uses?: string;
  with?: Record<string, string>;
  permissions?: Record<string, string>;
  environment?: string;
  steps?: Step[];
}

const WORKFLOWS = '.github/workflows';
const textOf = (workflow: string): string => readFileSync(join(WORKFLOWS, workflow), 'utf8');
const jobsOf = (workflow: string): Record<string, Job> => parse(textOf(workflow)).jobs;
const { deploy } = jobsOf('deploy-stage.yml');
const { operate } = jobsOf('operate-stage.yml');
const commandOf = (job: Job | undefined, name: string): string =>
  job?.steps?.find((step) => step.name === name)?.run ?? '';

const root = ownFolder();
const folder = join(root, 'project');
const artifact = join(folder, 'artifact');

/** Runs steps of a job: the shell ends at the first failure ("Workflow syntax for GitHub Actions", `shell`). */
const run = (job: Job | undefined, names: string[], env: Record<string, string> = {}, cwd = folder) => {
  const command = names.map((name) => commandOf(job, name)).join('\n');
  const options = { cwd, encoding: 'utf8', env: { PATH: `${folder}:${process.env['PATH']}`, ...env } } as const;
  return spawnSync('bash', ['--noprofile', '--norc', '-e', '-c', command], options);
};

/** Puts commands in place of these tools, which print their arguments and fail for some of them. */
const imitate = (tools: string[], failing: string): void => {
  for (const tool of tools)
    writeFileSync(
      join(folder, tool),
      `#!/bin/sh\necho "$(basename "$0") $@"\ncase "$*" in ${failing}) exit 254;; esac\n`,
      { mode: 0o755 },
    );
};

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const stage of Object.keys(STAGES)) {
    mkdirSync(join(artifact, stage), { recursive: true });
    writeFileSync(join(artifact, stage, 'lookup.zip'), 'the same');
    writeFileSync(join(artifact, stage, 'template.json'), stage);
  }
  writeChecksums(artifact);
});

describe('the artifact', () => {
  test('is accepted as it was built', () => {
    expect(differing(artifact)).toEqual([]);
    expect(run(deploy, ['Check the checksums'])).toMatchObject({ status: 0, stdout: '' });
  });

  test.each([
    ['a changed file', () => writeFileSync(join(artifact, 'prod', 'lookup.zip'), 'another')],
    ['a missing file', () => rmSync(join(artifact, 'prod', 'template.json'))],
    ['no checksums', () => rmSync(join(artifact, 'SHA256SUMS'))],
  ])('is refused with %s', (_, change) => {
    change();
    expect(run(deploy, ['Check the checksums']).status).not.toBe(0);
  });

  test('is not built if a zip differs between stages, or into a folder that exists', async () => {
    writeFileSync(join(artifact, 'prod', 'lookup.zip'), 'another');
    expect(differing(artifact)).toEqual(['lookup.zip']);
    await expect(buildArtifact(artifact)).rejects.toThrow('There is a folder');
  });
});

test('workflows use actions by commit only, store no credentials, and get a token only to deploy', () => {
  for (const name of globSync('*.yml', { cwd: WORKFLOWS })) {
    for (const [, action] of textOf(name).matchAll(/uses: (\S+.*)/g))
      expect(action).toMatch(/^(\.\/\.github\/workflows\/[\w-]+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
    expect(textOf(name)).not.toMatch(/secrets|AKIA|access-key/i);
    // Those of jobs with a token name all they need.
    if (!name.startsWith('deploy-stage')) expect(parse(textOf(name)).permissions).toEqual({ contents: 'read' });
  }
  const withToken = ['ci.yml', 'deploy.yml', 'operate-stage.yml'].flatMap((name) =>
    Object.entries(jobsOf(name)).flatMap(([job, { permissions }]) => (permissions ? [[job, permissions]] : [])),
  );
  expect(withToken).toEqual(
    [...Object.keys(STAGES), 'operate'].map((job) => [job, { contents: 'read', 'id-token': 'write' }]),
  );
});

test('main is checked and built once, and deployed to one stage after the other, as the environment of each', () => {
  expect(parse(textOf('deploy.yml')).on).toEqual({ push: { branches: ['main'] } });
  const jobs = Object.entries(jobsOf('deploy.yml'));
  expect(jobs.map(([name, { needs, uses, with: inputs }]) => [name, needs, uses, inputs])).toEqual([
    ['checks', undefined, './.github/workflows/ci.yml', undefined],
    ['build', 'checks', undefined, undefined],
    ...Object.keys(STAGES).map((stage, at, stages) => [
      stage,
      stages[at - 1] ?? 'build',
      './.github/workflows/deploy-stage.yml',
      { stage },
    ]),
  ]);
  for (const job of [deploy, operate]) expect(job?.environment).toBe('$' + '{{ inputs.stage }}');
});

test('a deployment gets its credentials after the checksums of its artifact were checked', () => {
  const steps = deploy?.steps?.map(({ name, uses }) => name ?? uses?.split('@')[0]) ?? [];
  const checked = steps.indexOf('Check the checksums');
  expect(checked).toBeGreaterThan(steps.indexOf('actions/download-artifact'));
  expect(checked).toBeLessThan(steps.indexOf('aws-actions/configure-aws-credentials'));
});

test.each(Object.entries(STAGES))('a deployment of %s is to the Region of its row', (stage, { region }) => {
  const output = join(root, stage);
  const { status } = run(deploy, ['Read the Region'], { STAGE: stage, GITHUB_OUTPUT: output }, process.cwd());
  expect([status, readFileSync(output, 'utf8')]).toEqual([0, `region=${region}\n`]);
});

test('a deployment names its stage and the folder of its artifact, and runs nothing after a failure', () => {
  imitate(['npm'], '*staging*');
  const outputFor = (STAGE: string) => run(deploy, ['Deploy', 'Verify'], { STAGE }).stdout.split('\n');
  expect(outputFor('dev')).toEqual([
    'npm run deploy -- --stage dev --package artifact/dev',
    'npm run verify -- --stage dev --pipeline',
    '',
  ]);
  expect(outputFor('staging')).toEqual(['npm run deploy -- --stage staging --package artifact/staging', '']);
});

test.each([
  ['stop-traffic', ['Stop the traffic']],
  ['start-traffic', ['Start the traffic', 'Verify']],
  ['roll-back', ['Check the commit', 'Cancel a deployment that runs', 'Roll back', 'Verify']],
])('%s needs no laptop', (action, expected) => {
  const taken = operate?.steps?.filter((step) => new Function('inputs', `return ${step.if ?? false}`)({ action }));
  expect(taken?.map(({ name }) => name)).toEqual(expected);
});

test.each([
  ['0a1b2c3d'.repeat(5), 0],
  ['main', 1],
  ['', 1],
])('a roll-back to the commit "%s" ends with %i', (COMMIT, status) => {
  expect(run(operate, ['Check the commit'], { COMMIT }).status).toBe(status);
});

test('a roll-back is all at once, after a deployment that runs was canceled', () => {
  // The stack of staging is not being updated.
  imitate(['aws', 'npm'], '*cancel*staging*');
  const outputFor = (STAGE: string) =>
    run(operate, ['Cancel a deployment that runs', 'Roll back'], { STAGE }).stdout.split('\n');
  const cancels = (stage: string) =>
    `aws cloudformation cancel-update-stack --stack-name acquirer-partner-api-${stage}`;
  const deploys = (stage: string) => `npm run deploy -- --stage ${stage} --param deployment=AllAtOnce`;
  expect(outputFor('prod')).toEqual([
    cancels('prod'),
    'aws cloudformation wait stack-rollback-complete --stack-name acquirer-partner-api-prod',
    deploys('prod'),
    '',
  ]);
  expect(outputFor('staging')).toEqual([cancels('staging'), deploys('staging'), '']);
});
