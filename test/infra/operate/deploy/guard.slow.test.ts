import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { checkHasAccount, checkRegion } from '../../../../infra/operate/deploy/destination.ts';
import Guard from '../../../../infra/operate/deploy/guard.ts';
import { deployStacks, removeStacks } from '../../../../infra/operate/deploy/stacks.ts';

/*
 * The framework itself, with every AWS endpoint on this machine.
 */

const OURS = '111122223333';
const OTHERS = '444455556666';
const COMPILED = 'node_modules/.cache/serverless';

/** The account of the credentials, and what was asked of AWS, which refuses everything but who calls. */
let account: string;
let calls: string[];
const aws = createServer(async (request, response) => {
  const action = new URLSearchParams(await text(request)).get('Action') ?? `${request.method} ${request.url}`;
  calls.push(action);
  const isIdentity = action === 'GetCallerIdentity';
  response.writeHead(isIdentity ? 200 : 403);
  response.end(
    isIdentity
      ? `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>${account}</Account><Arn>arn:aws:iam::${account}:user/ana</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`
      : '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>',
  );
});
beforeAll(() => new Promise<void>((resolve) => aws.listen(0, '127.0.0.1', resolve)));
beforeEach(() => {
  calls = [];
});
afterAll(() => {
  aws.closeAllConnections();
  aws.close();
});

/** The command line and the environment of a command on prod of our account. */
const OF_PROD = ['--stage', 'prod', '--param', `account=${OURS}`];
const surroundings = () => ({
  stdio: 'pipe' as const,
  env: {
    PATH: process.env['PATH'],
    SLS_SCHEMA_CACHE_BASE_DIR: COMPILED,
    NODE_COMPILE_CACHE: COMPILED,
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
  },
});

test.each([
  ['deploy', deployStacks],
  ['remove', removeStacks],
])('refuses to %s in another account at the first stack, and sends nothing but who calls', async (_, command) => {
  account = OTHERS;
  await expect(command(OF_PROD, surroundings())).rejects.toThrow(
    `Stage prod is in the account ${OURS} ("account" in its row in infra/stack/stages.yml), but these credentials are of ${OTHERS}. Nothing was changed.`,
  );
  expect(calls).toEqual(['GetCallerIdentity']);
});

test('goes on in the stage’s account', async () => {
  account = OURS;
  // What follows is refused.
  await expect(removeStacks(OF_PROD, surroundings())).rejects.not.toThrow('Nothing was changed');
  expect(calls[0]).toBe('GetCallerIdentity');
  expect(calls.length).toBeGreaterThan(1);
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
    account = OTHERS;
    await expect(guarded(command)).rejects.toThrow(`but these credentials are of ${OTHERS}`);
    account = OURS;
    await guarded(command);
  },
);

test.each(['package', 'print', 'offline'])('asks nobody before %s', async (command) => {
  account = OTHERS;
  await guarded(command);
});

test('refuses another Region, on the command line always and in the environment where it counts', async () => {
  account = OURS;
  const elsewhere = 'Stage prod is in eu-central-1 ("region" in its row in infra/stack/stages.yml), but';
  await expect(guarded('package', { region: 'us-east-1' })).rejects.toThrow(`${elsewhere} --region is us-east-1.`);
  const { AWS_REGION = '' } = process.env;
  process.env['AWS_REGION'] = 'us-east-1';
  await guarded('package');
  await expect(guarded('deploy')).rejects.toThrow(`${elsewhere} AWS_REGION is us-east-1. Nothing was changed.`);
  process.env['AWS_REGION'] = AWS_REGION;
});

test.each([undefined, '', 111122223333, '11112222333', '1111-2222-3333'])('refuses %p as an account', (value) => {
  expect(() => checkHasAccount({ stage: 'dev', account: value })).toThrow(
    `Stage dev has no account. Add "account: '123456789012'," in its row in infra/stack/stages.yml`,
  );
});

test('requires a Region', () => {
  expect(() => checkRegion({ stage: 'dev' }, {})).toThrow('Stage dev has no Region.');
});
