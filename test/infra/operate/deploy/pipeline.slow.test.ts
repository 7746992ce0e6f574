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
  concurrency?: string | { group: string; 'cancel-in-progress': boolean };
  if?: string;
  steps?: Step[];
}

const WORKFLOWS = '.github/workflows';
const textOf = (workflow: string): string => readFileSync(join(WORKFLOWS, workflow), 'utf8');
const jobsOf = (workflow: string): Record<string, Job> => parse(textOf(workflow)).jobs;
const { deploy } = jobsOf('deploy-stage.yml');
const { traffic, cancel, 'roll-back': rollBack } = jobsOf('operate-stage.yml');
const { build } = jobsOf('deploy.yml');
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
  const deploys = { contents: 'read', 'id-token': 'write' };
  expect(withToken).toEqual([
    ...[...Object.keys(STAGES), 'traffic'].map((job) => [job, deploys]),
    ['cancel', { actions: 'write' }],
    ['roll-back', deploys],
  ]);
});

test('no script of a package runs in a job that builds an artifact or can have a stage’s role', () => {
  const installs = [deploy, build, traffic, cancel, rollBack].flatMap((job) =>
    (job?.steps ?? []).flatMap(({ run = '' }) => run.match(/\b(npm (?!run )|npx |pipx? ).*/g) ?? []),
  );
  expect(installs).toEqual(Array(4).fill('npm ci --ignore-scripts'));
});

test.each([
  [[], 0, 'Skipped'],
  [['--required'], 1, 'Failed: nobody has said that there are no vulnerabilities'],
])(
  'where nobody knows of vulnerabilities, the check with the options %j ends with %i and says so',
  (options, status, outcome) => {
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "npm error audit endpoint returned an error" >&2\nexit 1\n', {
      mode: 0o755,
    });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const check = spawnSync(process.execPath, ['test/packaged/vulnerabilities.ts', ...options], {
      env,
      encoding: 'utf8',
    });
    expect(check).toMatchObject({ status, stdout: `${outcome}: the registry does not support npm audit.\n` });
    expect(commandOf(build, 'Check for vulnerabilities')).toContain('vulnerabilities.ts --required');
  },
);

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
  for (const job of [deploy, traffic, rollBack]) expect(job?.environment).toBe('$' + '{{ inputs.stage }}');
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

test('stopping and starting the traffic waits for nobody, and needs no laptop', () => {
  expect(traffic).not.toHaveProperty('concurrency');
  expect(traffic).not.toHaveProperty('needs');
  const isTaken = (condition: string | undefined, action: string) =>
    new Function('inputs', `return ${condition ?? true}`)({ action }) as boolean;
  const taken = (action: string) =>
    [traffic, cancel, rollBack]
      // A job that needs one that was skipped is skipped too.
      .filter((job) => isTaken(job?.if ?? (job?.needs && cancel?.if), action))
      .flatMap((job) => job?.steps ?? [])
      .filter((step) => isTaken(step.if, action))
      .flatMap(({ name }) => name ?? []);
  expect(taken('stop-traffic')).toEqual(['Read the Region', 'Stop the traffic']);
  expect(taken('start-traffic')).toEqual(['Read the Region', 'Start the traffic', 'Verify']);
  expect(taken('roll-back')).toEqual([
    ...['Cancel deployments', 'Check the commit', 'Package', 'Read the Region'],
    ...['Cancel a deployment that runs', 'Roll back', 'Verify'],
  ]);
});

describe('a roll-back', () => {
  /** A clone as `actions/checkout` makes it, with two commits of main, and one of another branch. */
  const clone = () => {
    const git = (text: string, cwd = folder) =>
      spawnSync('git', text.split(' '), { cwd, encoding: 'utf8' }).stdout.trim();
    git('init --quiet --initial-branch=main origin');
    const origin = join(folder, 'origin');
    const commit = (name: string) => {
      git(`-c user.name=a -c user.email=a@example.com commit --quiet --allow-empty -m ${name}`, origin);
      return git('rev-parse HEAD', origin);
    };
    const [first, second] = [commit('one'), commit('two')] as const;
    git('checkout --quiet -b fork', origin);
    const others = commit('three');
    git('checkout --quiet main', origin);
    git('clone --quiet origin clone');
    return {
      first,
      second,
      others,
      cwd: join(folder, 'clone'),
      head: () => git('rev-parse HEAD', join(folder, 'clone')),
    };
  };

  test('is to a commit of main only, which is checked before anything of it runs', () => {
    const { first, second, others, cwd, head } = clone();
    const check = (COMMIT: string) => run(rollBack, ['Check the commit'], { COMMIT }, cwd);
    for (const wrong of [others, '0a1b2c3d'.repeat(5), first.slice(0, 12), 'main', 'HEAD~1', '--all', '']) {
      expect(check(wrong)).toMatchObject({
        status: 1,
        stdout: expect.stringContaining(`::error::"${wrong}" is no commit of main.`),
      });
      expect(head()).toBe(second);
    }
    expect([check(first).status, head()]).toEqual([0, first]);
    const steps = rollBack?.steps?.map(({ name, run = '', uses }) => name ?? (run || uses?.split('@')[0])) ?? [];
    expect(steps.slice(0, 2)).toEqual(['actions/checkout', 'Check the commit']);
  });

  test('is undone by no deployment that runs, waits or is queued', () => {
    expect(rollBack).toMatchObject({
      needs: 'cancel',
      concurrency: { group: String(deploy?.concurrency), 'cancel-in-progress': true },
    });
    // Run 2 has ended meanwhile; GitHub refuses to cancel run 3.
    const gh = (refused: string) =>
      writeFileSync(
        join(folder, 'gh'),
        `#!/bin/sh
case "$*" in
  *"list"*"--status in_progress"*) echo 1; echo 2;;
  *"list"*"--status waiting"*) echo 2; ${refused};;
  *"view 2"*) echo completed;;
  *"view 3"*) echo in_progress;;
  *"cancel 1") echo "canceled 1" >&2;;
  *cancel*) exit 1;;
esac
`,
        { mode: 0o755 },
      );
    gh('');
    expect(run(cancel, ['Cancel deployments'])).toMatchObject({ status: 0, stderr: 'canceled 1\n' });
    gh('echo 3');
    expect(run(cancel, ['Cancel deployments']).status).not.toBe(0);
  });

  test('deploys what was packaged to shift all at once, after a deployment that runs was canceled', () => {
    // The stack of staging is not being updated.
    imitate(['aws', 'npm'], '*cancel*staging*');
    const outputFor = (STAGE: string) =>
      run(rollBack, ['Package', 'Cancel a deployment that runs', 'Roll back'], { STAGE }).stdout.split('\n');
    const cancels = (stage: string) =>
      `aws cloudformation cancel-update-stack --stack-name acquirer-partner-api-${stage}`;
    const deploys = (stage: string) => `npm run deploy -- --stage ${stage} --package artifact/${stage}`;
    const packages = (stage: string) =>
      `npm run package -- --stage ${stage} --param deployment=AllAtOnce --package artifact/${stage}`;
    expect(outputFor('prod')).toEqual([
      packages('prod'),
      cancels('prod'),
      'aws cloudformation wait stack-rollback-complete --stack-name acquirer-partner-api-prod',
      deploys('prod'),
      '',
    ]);
    expect(outputFor('staging')).toEqual([packages('staging'), cancels('staging'), deploys('staging'), '']);
  });
});
