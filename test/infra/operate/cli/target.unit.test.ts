import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { logSearchOf } from '../../../../infra/operate/cli/logSearch.ts';
import { Stop } from '../../../../infra/operate/cli/stop.ts';
import { environmentFor, ofAccount, type TargetOptions, targetOf } from '../../../../infra/operate/cli/target.ts';
import { LOCAL_ENVIRONMENT } from '../../../../infra/stack/localEnvironment.ts';
import { STAGES } from '../../../../infra/stack/template/definitions.ts';
import { ownFolder } from '../../../support/scripts.ts';

const folder = ownFolder();

const demoFile = (content: string): string => {
  const file = join(folder, 'demo.json');
  writeFileSync(file, content);
  return file;
};

const ENDPOINTS = {
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:4001',
  AWS_ENDPOINT_URL_SECRETS_MANAGER: 'http://127.0.0.1:4002',
};
/** The environment of somebody who works with AWS. */
const SHELL = { AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'AKIA', AWS_REGION: 'us-east-1', LOG_LEVEL: 'ERROR' };

const PROD = 'acquirer-partner-api-prod';
const prod = { ...STAGES['prod'] };
/** Changes the row of prod for a test. */
const withRow = (row: object): void => {
  STAGES['prod'] = { ...prod, ...row };
};
afterEach(() => withRow({}));

describe('the target in AWS', () => {
  test('rejects an unknown stage', () => {
    expect(() => environmentFor({ stage: 'production' }, {})).toThrow(
      new Stop('There is no stage "production". Stages: dev, staging, prod.', 2),
    );
  });

  const inAws = (table: string, AWS_REGION: string, more: object = {}) => ({
    TABLE_NAME: table,
    EVENT_DAYS: '400',
    CARD_HMAC_KEY_SECRET: `${table}/card-hmac-key`,
    SELF_CHECK_KEY_SECRET: `${table}/self-check-key`,
    AWS_REGION,
    ...more,
  });

  const secret = `${PROD}/card-hmac-key`;
  test.each<[string, TargetOptions, object, object]>([
    ['a stage, in its Region', { stage: 'prod' }, {}, inAws(PROD, 'eu-central-1')],
    [
      'the restored table of a stage, with the secrets of the first one',
      { stage: 'prod' },
      { table: `${PROD}-2` },
      inAws(PROD, 'eu-central-1', { TABLE_NAME: `${PROD}-2` }),
    ],
    ['a table, in the Region of the environment', { table: 'restored' }, {}, inAws('restored', 'us-east-1')],
    [
      'a table with a given Region and secret',
      { table: 'restored', region: 'eu-west-1', secret },
      {},
      inAws('restored', 'eu-west-1', { CARD_HMAC_KEY_SECRET: secret }),
    ],
  ])('is %s, with the credentials of the environment', (_, options, row, expected) => {
    withRow(row);
    const shell = { ...SHELL, AWS_REGION: options.stage ? 'eu-central-1' : SHELL.AWS_REGION };
    expect(environmentFor(options, shell)).toEqual(expected);
  });

  test.each([
    ['--region', { region: 'us-east-1' }, {}],
    ['AWS_REGION', {}, { AWS_REGION: 'us-east-1' }],
    ['AWS_DEFAULT_REGION', {}, { AWS_REGION: 'eu-central-1', AWS_DEFAULT_REGION: 'us-east-1' }],
  ])('is in no other Region than that of the stage: %s', (name, options, shell) => {
    expect(() => environmentFor({ stage: 'prod', ...options }, shell)).toThrow(
      new Stop(
        `Stage prod is in eu-central-1 ("region" in its row in infra/stack/stages.yml), but ${name} is us-east-1. ` +
          `Nothing was changed.`,
        2,
      ),
    );
  });

  test('is changed only by identities of the stage’s account, if it names one', () => {
    const arn = 'arn:aws:sts::123456789012:assumed-role/operator/alice';
    expect(ofAccount({ stage: 'prod' }, arn)).toBe(arn);
    withRow({ account: '123456789012' });
    expect(ofAccount({ stage: 'prod' }, arn)).toBe(arn);
    withRow({ account: '111122223333' });
    expect(() => ofAccount({ stage: 'prod' }, arn)).toThrow(
      'Stage prod is in the account 111122223333 ("account" in its row in infra/stack/stages.yml), but these ' +
        'credentials are of 123456789012. Nothing was changed.',
    );
    expect(ofAccount({ table: PROD }, arn)).toBe(arn);
  });

  test('has the event retention of the stage, and with --table the longest of all stages', () => {
    const daysOf = (options: object) => environmentFor(options, {})['EVENT_DAYS'];
    expect(['dev', 'staging', 'prod'].map((stage) => daysOf({ stage }))).toEqual(['7', '30', '400']);
    expect(daysOf({ table: 'acquirer-partner-api-dev' })).toBe('400');
  });
});

describe('the target on this machine', () => {
  test('is the API that npm start runs, without AWS credentials', () => {
    const local = demoFile(JSON.stringify({ environment: ENDPOINTS }));
    expect(environmentFor({ local }, SHELL)).toEqual({ ...LOCAL_ENVIRONMENT, ...ENDPOINTS });
  });

  test('is overridden by the environment and options, also while npm start runs', () => {
    const local = demoFile(JSON.stringify({ environment: { ...ENDPOINTS, AWS_ACCESS_KEY_ID: 'demo' } }));
    const own = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', TABLE_NAME: 'mine' };
    expect(environmentFor({ local, secret: 'my-secret' }, own)).toEqual({
      ...LOCAL_ENVIRONMENT,
      ...ENDPOINTS,
      ...own,
      CARD_HMAC_KEY_SECRET: 'my-secret',
    });
  });

  test.each([
    ['nothing was started', () => join(folder, 'nonesuch.json')],
    ['it has not started up', () => demoFile('{')],
    ['it has no engine', () => demoFile('{}')],
  ])('is rejected if %s', (_, local) => {
    expect(() => environmentFor({ local: local() }, SHELL)).toThrow(
      new Stop('No local API is running. Run "npm start", or add --stage or --table.'),
    );
  });
});

test.each([
  ['of a stage', () => ({ stage: 'prod' }), {}, { limit: { rate: 100, burst: 200 } }],
  [
    'of a stage without a limit, on its own domain',
    () => ({ stage: 'prod' }),
    { rate: 0, domain: 'api.example.com' },
    { limit: null, baseUrl: 'https://api.example.com' },
  ],
  ['of an unknown stage', () => ({ table: 'restored' }), {}, { limit: undefined }],
  [
    'of npm start',
    () => ({ local: demoFile('{"base_url":"http://127.0.0.1:3000","limit":{"rate":5,"burst":10}}') }),
    {},
    {
      limit: { rate: 5, burst: 10 },
      baseUrl: 'http://127.0.0.1:3000',
    },
  ],
])('the limit and base URL are those %s', (_, options, row, expected) => {
  withRow(row);
  expect(targetOf(options())).toEqual({ baseUrl: undefined, ...expected });
});

describe('the search for a request in the log', () => {
  const id = '7d1f0b52-93c4-4e0a-8f55-2c61d7a9e3b0';
  const time = Date.parse('2026-03-01T03:12:00Z');
  const queryOf = (stage: string, from: unknown, to: unknown) =>
    `id=$(aws logs --region eu-central-1 start-query --start-time ${from} --end-time ${to} --query-string ` +
    `"SOURCE logGroups(namePrefix: ['/aws/lambda/acquirer-partner-api-${stage}-']) | filter request_id = '${id}' | ` +
    'fields @timestamp, route, acquirer, key_id, status, code, duration_ms, causes.0.message" ' +
    '--query queryId --output text); sleep 20; aws logs --region eu-central-1 get-query-results --query-id "$id"';

  test('queries all functions of the stage, five minutes before and after its time', () => {
    expect(logSearchOf({ stage: 'prod' })(id, time)).toBe(queryOf('prod', time / 1000 - 300, time / 1000 + 300));
    expect(logSearchOf({ table: 'restored' })(id, time)).toContain("'/aws/lambda/acquirer-partner-api-<stage>-'");
  });

  test('queries, without a time, all that the stage retains', () => {
    const [, from, to] = /--start-time (\d+) --end-time (\d+)/.exec(logSearchOf({ stage: 'dev' })(id)) ?? [];
    expect(Number(to) - Number(from)).toBe(7 * 24 * 3600);
    expect(Math.abs(Number(to) - Date.now() / 1000)).toBeLessThan(60);
  });

  test('searches the log beside the file of npm start', () => {
    expect(logSearchOf({ local: '.local/demo.json' })(id)).toBe(`grep ${id} .local/server.log`);
  });
});
