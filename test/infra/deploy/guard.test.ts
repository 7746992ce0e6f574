import { execFile } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkAccount, checkHasAccount, checkRegion } from '../../../infra/deploy/destination.ts';
import Guard from '../../../infra/deploy/guard.ts';
import { startFakeAws } from './fakeAws.ts';

/*
 * The framework itself, with every AWS endpoint on this machine.
 */

const OURS = '111122223333';
const COMPILED = 'node_modules/.cache/serverless';

let aws: Awaited<ReturnType<typeof startFakeAws>>;
let account: string;
beforeEach(async () => {
  aws = await startFakeAws({
    GetCallerIdentity: () => ({ Account: account, Arn: `arn:aws:iam::${account}:user/ana`, UserId: '1' }),
  });
});
afterEach(() => aws.stop());

/** Runs serverless with credentials, and returns its exit code and output. */
const serverless = (args: string[], environment = {}): Promise<{ code: unknown; output: string }> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      ['node_modules/serverless/bin/serverless.js', ...args],
      {
        env: {
          PATH: process.env['PATH'],
          SLS_SCHEMA_CACHE_BASE_DIR: COMPILED,
          NODE_COMPILE_CACHE: COMPILED,
          AWS_ENDPOINT_URL: aws.url,
          AWS_ACCESS_KEY_ID: 'a',
          AWS_SECRET_ACCESS_KEY: 'b',
          ...environment,
        },
      },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  );

const OF_PROD = ['--stage', 'prod', '--param', `account=${OURS}`];

test('refuses to deploy, roll back and remove in another account, and sends nothing but who calls', async () => {
  account = '444455556666';
  const commands = [['deploy'], ['rollback', '--timestamp', '1'], ['remove']];
  const runs = await Promise.all(commands.map((command) => serverless([...command, ...OF_PROD])));
  for (const { code, output } of runs) {
    expect(code).toBe(1);
    expect(output).toContain(
      `Stage prod is in the account ${OURS} ("account" in its row in infra/stages.yml), but these credentials are of 444455556666. Nothing was changed.`,
    );
  }
  expect(new Set(aws.calls.map(({ action }) => action))).toEqual(new Set(['GetCallerIdentity']));
  expect(aws.calls).toHaveLength(commands.length);
});

test('goes on in the stage’s account', async () => {
  account = OURS;
  const { output } = await serverless(['remove', ...OF_PROD]);
  // The fake refuses what follows.
  expect(output).not.toContain('Nothing was changed');
  expect(aws.calls.map(({ action }) => action)).toEqual(['GetCallerIdentity', ...Array(3).fill(expect.any(String))]);
});

/** Runs the guard of a command in stage prod of our account in eu-central-1. */
const guarded = (command: string, options: { region?: string } = {}) =>
  new Guard({
    classes: { Error },
    processedInput: { commands: command.split(' '), options },
    service: { custom: { account: OURS, region: 'eu-central-1' } },
    getProvider: () => ({ getStage: () => 'prod', getAccountId: async () => account }),
  }).hooks['initialize']?.();

test.each(['deploy', 'deploy function', 'deploy list', 'rollback', 'remove', 'info', 'invoke local', 'a new command'])(
  'checks the account before %s',
  async (command) => {
    account = '444455556666';
    await expect(guarded(command)).rejects.toThrow('but these credentials are of 444455556666');
    account = OURS;
    await guarded(command);
  },
);

test.each(['package', 'print', 'offline'])('asks nobody before %s', async (command) => {
  account = '444455556666';
  await guarded(command);
});

test('refuses another Region, on the command line always and in the environment where it counts', async () => {
  account = OURS;
  const elsewhere = 'Stage prod is in eu-central-1 ("region" in its row in infra/stages.yml), but';
  await expect(guarded('package', { region: 'us-east-1' })).rejects.toThrow(`${elsewhere} --region is us-east-1.`);
  const { AWS_REGION = '' } = process.env;
  process.env['AWS_REGION'] = 'us-east-1';
  await guarded('package');
  await expect(guarded('deploy')).rejects.toThrow(`${elsewhere} AWS_REGION is us-east-1. Nothing was changed.`);
  process.env['AWS_REGION'] = AWS_REGION;
});

test.each([undefined, '', 111122223333, '11112222333', '1111-2222-3333'])('refuses %p as an account', (value) => {
  expect(() => checkHasAccount({ stage: 'dev', account: value })).toThrow(
    `Stage dev has no account. Add "account: '123456789012'," in its row in infra/stages.yml`,
  );
});

test('accepts the stage’s own account and Region, and requires a Region', () => {
  const dev = { stage: 'dev', account: OURS, region: 'eu-central-1' };
  checkHasAccount(dev);
  checkAccount(dev, OURS);
  checkRegion(dev, { '--region': undefined, AWS_REGION: 'eu-central-1' });
  expect(() => checkRegion({ stage: 'dev' }, {})).toThrow('Stage dev has no Region.');
});
