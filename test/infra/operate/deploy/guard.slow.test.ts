import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { serve } from '../../../../infra/local/serve.ts';
import { checkHasAccount, checkRegion } from '../../../../infra/operate/deploy/destination.ts';
import Guard from '../../../../infra/operate/deploy/guard.ts';
import { deployStacks, ROOT } from '../../../../infra/operate/deploy/stacks.ts';
import { templatesIn } from '../../../packaged/packaging.ts';

const OURS = '111122223333';
const OTHERS = '444455556666';

test('a deployment to another account ends at the first stack, and sends nothing but who calls', async () => {
  const calls: string[] = [];
  const aws = await serve(async (request, response) => {
    calls.push(new URLSearchParams(await text(request)).get('Action') ?? `${request.method} ${request.url}`);
    const identity = `<Account>${OTHERS}</Account><Arn>arn:aws:iam::${OTHERS}:user/ana</Arn>`;
    response.end(
      `<GetCallerIdentityResponse><GetCallerIdentityResult>${identity}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
    );
  });
  const args = ['--stage', 'prod', '--param', `account=${OURS}`, '--package', await templatesIn('prod')];
  const deployment = deployStacks(args, {
    stdio: 'pipe',
    env: {
      PATH: process.env['PATH'],
      SLS_SCHEMA_CACHE_BASE_DIR: join(ROOT, 'node_modules/.cache/serverless'),
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/serverless'),
      AWS_ENDPOINT_URL: aws.url,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    },
  });
  await expect(deployment).rejects.toThrow(
    `Stage prod is in the account ${OURS} ("account" in its row in infra/stack/stages.yml), but these credentials ` +
      `are of ${OTHERS}. Nothing was changed.`,
  );
  await aws.stop();
  expect(calls).toEqual(['GetCallerIdentity']);
});

test.each([
  ['of another stage', templatesIn('dev'), 'is of stage dev, not of prod. Nothing was changed.'],
  ['that is not there', Promise.resolve('infra'), 'There is no package in'],
])('a deployment of a package %s ends before the first stack', async (_, folder, message) => {
  await expect(deployStacks(['--stage', 'prod', '--package', await folder])).rejects.toThrow(message);
});

test('a deployment of a package refuses a parameter, which would have no effect', async () => {
  const args = ['--stage', 'prod', '--package', 'artifact/prod', '--param=deployment=AllAtOnce'];
  await expect(deployStacks(args)).rejects.toThrow(
    'A package has its parameters. Package it again with --param deployment=AllAtOnce. Nothing was changed.',
  );
});

/** Runs the guard of a command in stage prod of our account in eu-central-1, with credentials of an account. */
const guarded = (command: string, account: string, options: { region?: string } = {}) =>
  new Guard({
    classes: { Error },
    processedInput: { commands: command.split(' '), options },
    service: { custom: { account: OURS, region: 'eu-central-1' } },
    getProvider: () => ({ getStage: () => 'prod', getAccountId: async () => account }),
  }).hooks['initialize']?.();

test.each(['deploy', 'deploy function', 'deploy list', 'rollback', 'remove', 'info', 'invoke local', 'a new command'])(
  'checks the account before %s',
  async (command) => {
    await expect(guarded(command, OTHERS)).rejects.toThrow(`but these credentials are of ${OTHERS}`);
    await guarded(command, OURS);
  },
);

test.each(['package', 'print'])('asks nobody before %s', (command) => guarded(command, OTHERS));

test('refuses another Region, on the command line always and in the environment where it counts', async () => {
  const elsewhere = 'Stage prod is in eu-central-1 ("region" in its row in infra/stack/stages.yml), but';
  await expect(guarded('package', OURS, { region: 'us-east-1' })).rejects.toThrow(
    `${elsewhere} --region is us-east-1.`,
  );
  process.env['AWS_REGION'] = 'us-east-1';
  await guarded('package', OURS);
  const deployment = guarded('deploy', OURS);
  process.env['AWS_REGION'] = 'eu-central-1';
  await expect(deployment).rejects.toThrow(`${elsewhere} AWS_REGION is us-east-1. Nothing was changed.`);
});

test.each([undefined, '', 111122223333, '11112222333', '1111-2222-3333'])('refuses %p as an account', (account) => {
  expect(() => checkHasAccount({ stage: 'dev', account })).toThrow(
    `Stage dev has no account. Add "account: '123456789012'," in its row in infra/stack/stages.yml`,
  );
});

test('requires a Region', () => {
  expect(() => checkRegion({ stage: 'dev' }, {})).toThrow('Stage dev has no Region.');
});
