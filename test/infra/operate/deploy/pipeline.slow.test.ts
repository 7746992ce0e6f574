import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { buildArtifact, differing, writeChecksums } from '../../../../infra/operate/deploy/artifact.ts';
import { STAGES } from '../../../../infra/stack/template/definitions.ts';

/*
 * The pipeline: an artifact of three small stages, and the steps of the workflows, run as GitHub runs them.
 */

interface Step {
  uses?: string;
  run?: string;
  name?: string;
  if?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}
interface Job {
  needs?: string;
  uses?: string;
  with?: Record<string, string>;
  permissions?: Record<string, string>;
  environment?: string;
  concurrency?: string;
  steps?: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  concurrency?: unknown;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const WORKFLOWS = '.github/workflows';
const workflow = (name: string): Workflow => parse(readFileSync(join(WORKFLOWS, name), 'utf8'));
const steps = workflow('deploy-stage.yml').jobs['deploy']?.steps ?? [];
const commandOf = (name: string): string => steps.find((step) => step.name === name)?.run ?? '';

/** Runs a command as a step: the shell ends at the first failure ("Workflow syntax for GitHub Actions", `shell`). */
const run = (command: string, cwd: string, env: Record<string, string> = {}) =>
  spawnSync('bash', ['--noprofile', '--norc', '-e', '-c', command], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });

let folder: string;
const artifact = (): string => join(folder, 'artifact');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
  for (const stage of ['dev', 'staging', 'prod']) {
    mkdirSync(join(artifact(), stage), { recursive: true });
    writeFileSync(join(artifact(), stage, 'lookup.zip'), 'the same');
    writeFileSync(join(artifact(), stage, 'template.json'), stage);
  }
  writeChecksums(artifact());
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the artifact', () => {
  test('is accepted as it was built', () => {
    expect(differing(artifact())).toEqual([]);
    expect(run(commandOf('Check the checksums'), folder)).toMatchObject({ status: 0, stdout: '' });
  });

  test.each([
    ['a changed file', () => writeFileSync(join(artifact(), 'prod', 'lookup.zip'), 'another')],
    ['a missing file', () => rmSync(join(artifact(), 'prod', 'template.json'))],
    ['checksums that are none', () => writeFileSync(join(artifact(), 'SHA256SUMS'), 'nothing\n')],
    ['no checksums', () => rmSync(join(artifact(), 'SHA256SUMS'))],
  ])('is refused with %s', (_, change) => {
    change();
    expect(run(commandOf('Check the checksums'), folder).status).not.toBe(0);
  });

  test('is not built if a zip differs between stages, or into a folder that exists', async () => {
    writeFileSync(join(artifact(), 'prod', 'lookup.zip'), 'another');
    expect(differing(artifact())).toEqual(['lookup.zip']);
    await expect(buildArtifact(artifact())).rejects.toThrow('There is a folder');
  });
});

describe('the workflows', () => {
  const all = globSync('*.yml', { cwd: WORKFLOWS });
  const { jobs, on } = workflow('deploy.yml');

  test('use actions by commit only, store no credentials, and need no rights but to read, and a token to deploy', () => {
    expect(all.sort()).toEqual(['ci.yml', 'deploy-stage.yml', 'deploy.yml', 'operate-stage.yml']);
    for (const name of all) {
      const text = readFileSync(join(WORKFLOWS, name), 'utf8');
      for (const [, action] of text.matchAll(/uses: (\S+.*)/g))
        expect(action).toMatch(/^(\.\/\.github\/workflows\/[\w-]+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
      expect(text).not.toMatch(/secrets|AKIA|access-key/i);
    }
    expect(workflow('deploy.yml').permissions).toEqual({ contents: 'read' });
    const withToken = Object.entries(jobs).filter(([, { permissions }]) => permissions);
    expect(withToken.map(([name, { permissions }]) => [name, permissions])).toEqual(
      ['dev', 'staging', 'prod'].map((stage) => [stage, { contents: 'read', 'id-token': 'write' }]),
    );
  });

  test('check and build main once, and deploy it to one stage after the other', () => {
    expect(on).toEqual({ push: { branches: ['main'] } });
    expect(Object.entries(jobs).map(([name, { needs, uses, with: inputs }]) => [name, needs, uses, inputs])).toEqual([
      ['checks', undefined, './.github/workflows/ci.yml', undefined],
      ['build', 'checks', undefined, undefined],
      ...['dev', 'staging', 'prod'].map((stage, at, stages) => [
        stage,
        stages[at - 1] ?? 'build',
        './.github/workflows/deploy-stage.yml',
        { stage },
      ]),
    ]);
    expect(jobs['build']?.steps?.flatMap(({ run = [] }) => run)).toEqual(['npm ci', 'npm run artifact -- artifact']);
  });

  test('deploy the artifact of the run, after its checksums, as the environment’s role, and verify it', () => {
    const { environment, concurrency } = workflow('deploy-stage.yml').jobs['deploy'] ?? {};
    expect(environment).toBe('$' + '{{ inputs.stage }}');
    // Per stage: a run whose prod waits for its approval must not hold up the next one's dev and staging.
    expect([concurrency, workflow('deploy.yml').concurrency]).toEqual(['deploy-$' + '{{ inputs.stage }}', undefined]);
    expect(steps.map(({ uses, run }) => uses?.split('@')[0] ?? run?.replace(/ .*/, ''))).toEqual([
      'actions/checkout',
      'actions/setup-node',
      'npm',
      'actions/download-artifact',
      'cd',
      'node',
      'aws-actions/configure-aws-credentials',
      'npm',
      'npm',
    ]);
  });

  test.each([
    ['stop-traffic', ['Stop the traffic']],
    ['start-traffic', ['Start the traffic', 'Verify']],
    ['roll-back', ['Check the commit', 'Cancel a deployment that runs', 'Roll back', 'Verify']],
  ])('%s without a laptop', (action, expected) => {
    const { environment, steps: all = [] } = workflow('operate-stage.yml').jobs['operate'] ?? {};
    expect(environment).toBe('$' + '{{ inputs.stage }}');
    const taken = all.filter((step) => new Function('inputs', `return ${step.if ?? false}`)({ action }));
    expect(taken.map(({ name }) => name)).toEqual(expected);
  });

  test('roll back all at once to a whole commit only, after a deployment that runs was canceled', () => {
    const all = workflow('operate-stage.yml').jobs['operate']?.steps ?? [];
    const commandOf = (name: string) => all.find((step) => step.name === name)?.run ?? '';
    for (const [COMMIT = '', status] of [
      ['0a1b2c3d'.repeat(5), 0],
      ['main', 1],
      ['', 1],
    ] as const)
      expect([COMMIT, run(commandOf('Check the commit'), folder, { COMMIT }).status]).toEqual([COMMIT, status]);
    // The AWS CLI and npm, as what print their arguments. The stack of staging is not being updated.
    const print = '#!/bin/sh\necho "$(basename "$0") $@"\ncase "$*" in *cancel*staging*) exit 254;; esac\n';
    for (const tool of ['aws', 'npm']) writeFileSync(join(folder, tool), print, { mode: 0o755 });
    const outputFor = (STAGE: string) =>
      run(`${commandOf('Cancel a deployment that runs')}\n${commandOf('Roll back')}`, folder, {
        PATH: `${folder}:${process.env['PATH']}`,
        STAGE,
      }).stdout.split('\n');
    const deploys = (stage: string) => [`npm run deploy -- --stage ${stage} --param deployment=AllAtOnce`, ''];
    const ofStack = (stage: string) => `--stack-name acquirer-partner-api-${stage}`;
    expect(outputFor('prod')).toEqual([
      `aws cloudformation cancel-update-stack ${ofStack('prod')}`,
      `aws cloudformation wait stack-rollback-complete ${ofStack('prod')}`,
      ...deploys('prod'),
    ]);
    expect(outputFor('staging')).toEqual([
      `aws cloudformation cancel-update-stack ${ofStack('staging')}`,
      ...deploys('staging'),
    ]);
  });

  test('always run cfn-lint', () => {
    const commands = workflow('ci.yml').jobs['ci']?.steps?.flatMap(({ run = [] }) => run);
    expect(commands).toEqual([expect.stringMatching(/^pipx install cfn-lint==[\d.]+$/), '.ci/run']);
  });
});

test.each(Object.entries(STAGES))('a deployment of %s is to the Region of its row', (stage, { region }) => {
  const output = join(folder, 'output');
  const { status } = run(commandOf('Read the Region'), process.cwd(), { STAGE: stage, GITHUB_OUTPUT: output });
  expect([status, readFileSync(output, 'utf8')]).toEqual([0, `region=${region}\n`]);
});

test('a deployment names its stage and the folder of its artifact, and runs nothing after a failure', () => {
  // npm, as what prints its arguments and fails for the stage staging.
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "$@"\ncase "$*" in *staging*) exit 1;; esac\n', { mode: 0o755 });
  const PATH = `${folder}:${process.env['PATH']}`;
  const both = `${commandOf('Deploy')}\n${commandOf('Verify')}`;
  expect(run(both, folder, { PATH, STAGE: 'dev' }).stdout.split('\n')).toEqual([
    'run deploy -- --stage dev --package artifact/dev',
    'run verify -- --stage dev',
    '',
  ]);
  expect(run(both, folder, { PATH, STAGE: 'staging' })).toMatchObject({
    status: 1,
    stdout: 'run deploy -- --stage staging --package artifact/staging\n',
  });
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['deploy', 'verify', 'artifact', 'recover']));
});

test('.ci/run is a script that bash can read', () => {
  execFileSync('bash', ['-n', '.ci/run']);
});
