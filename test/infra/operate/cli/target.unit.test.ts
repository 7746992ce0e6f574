import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Stop } from '../../../../infra/operate/cli/stop.ts';
import { environmentFor, ofAccount, targetOf } from '../../../../infra/operate/cli/target.ts';
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
const LOCAL = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: '',
  AWS_PROFILE: '',
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: 'acquirer-partner-api-local',
  EVENT_DAYS: '30',
  MEMBER_CHECK_MS: '60000',
  CARD_HMAC_KEY_SECRET: 'acquirer-partner-api-local/card-hmac-key',
  SELF_CHECK_KEY_SECRET: 'acquirer-partner-api-local/self-check-key',
};
/** The environment of somebody who works with AWS. */
const SHELL = { AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'AKIA', AWS_REGION: 'us-east-1', LOG_LEVEL: 'ERROR' };

describe('the target in AWS', () => {
  test('rejects an unknown stage', () => {
    expect(() => environmentFor({ stage: 'production' }, {})).toThrow(
      new Stop('There is no stage "production". Stages: dev, staging, prod.', 2),
    );
  });

  const PROD = 'acquirer-partner-api-prod';
  const inAws = (table: string, AWS_REGION: string, more: object = {}) => ({
    TABLE_NAME: table,
    EVENT_DAYS: '400',
    CARD_HMAC_KEY_SECRET: `${table}/card-hmac-key`,
    SELF_CHECK_KEY_SECRET: `${table}/self-check-key`,
    AWS_REGION,
    ...more,
  });

  test('is the table that the stage uses, with the secrets of the first table', () => {
    STAGES['prod'] = { ...STAGES['prod'], table: `${PROD}-2` };
    expect(environmentFor({ stage: 'prod' }, {})).toEqual(inAws(PROD, 'eu-central-1', { TABLE_NAME: `${PROD}-2` }));
    delete STAGES['prod'].table;
  });

  const secret = `${PROD}/card-hmac-key`;
  test.each([
    ['a stage', { stage: 'prod' }, {}, inAws(PROD, 'eu-central-1')],
    ['a table, in the region of the environment', { table: 'restored' }, SHELL, inAws('restored', 'us-east-1')],
    [
      'a table with a given region and secret',
      { table: 'restored', region: 'eu-west-1', secret },
      SHELL,
      inAws('restored', 'eu-west-1', { CARD_HMAC_KEY_SECRET: secret }),
    ],
  ])('is %s, with the credentials of the environment', (_, options, environment, expected) => {
    demoFile(JSON.stringify({ environment: ENDPOINTS }));
    expect(environmentFor(options, environment)).toEqual(expected);
  });

  test('is in the Region of the stage, whatever the environment says, and no other can be chosen', () => {
    expect(environmentFor({ stage: 'prod' }, SHELL)).toEqual(inAws(PROD, 'eu-central-1'));
    expect(() => environmentFor({ stage: 'prod', region: 'us-east-1' }, {})).toThrow(
      new Stop(
        'Stage prod is in eu-central-1 ("region" in its row in infra/stack/stages.yml), but --region is us-east-1. Nothing was changed.',
        2,
      ),
    );
  });

  test('is changed only by identities of the stage’s account, if it names one', () => {
    const arn = 'arn:aws:sts::123456789012:assumed-role/operator/alice';
    expect(ofAccount({ stage: 'prod' }, arn)).toBe(arn);
    STAGES['prod'] = { ...STAGES['prod'], account: '123456789012' };
    expect(ofAccount({ stage: 'prod' }, arn)).toBe(arn);
    STAGES['prod'].account = '111122223333';
    expect(() => ofAccount({ stage: 'prod' }, arn)).toThrow(
      'Stage prod is in the account 111122223333 ("account" in its row in infra/stack/stages.yml), but these credentials are of 123456789012. Nothing was changed.',
    );
    expect(ofAccount({ table: PROD }, arn)).toBe(arn);
    delete STAGES['prod'].account;
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
    expect(environmentFor({ local }, SHELL)).toEqual({ ...LOCAL, ...ENDPOINTS });
  });

  test('is overridden by the environment and options', () => {
    const local = demoFile(JSON.stringify({ environment: ENDPOINTS }));
    const own = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', TABLE_NAME: 'mine' };
    expect(environmentFor({ local, secret: 'my-secret' }, own)).toEqual({
      ...LOCAL,
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

describe('the service that uses the table', () => {
  test('has the limit, domain and log groups of its stage', () => {
    const logs = { groups: '/aws/lambda/acquirer-partner-api-prod-*' };
    const docsUrl = undefined;
    expect(targetOf({ stage: 'prod' })).toEqual({
      limit: { rate: 100, burst: 200 },
      baseUrl: undefined,
      docsUrl,
      logs,
    });
    const own = STAGES['prod'];
    STAGES['prod'] = { ...own, rate: 0, domain: 'api.example.com' };
    expect(targetOf({ stage: 'prod' })).toEqual({ limit: null, baseUrl: 'https://api.example.com', docsUrl, logs });
    STAGES['prod'] = { ...own };
  });

  test('has an unknown stage with --table', () => {
    expect(targetOf({ table: 'restored' })).toEqual({
      limit: undefined,
      baseUrl: undefined,
      docsUrl: undefined,
      logs: { groups: '/aws/lambda/acquirer-partner-api-<stage>-*' },
    });
  });

  test('is npm start on this machine', () => {
    const base_url = 'http://127.0.0.1:3000';
    const local = demoFile(JSON.stringify({ base_url, limit: { rate: 5, burst: 10 } }));
    const logs = { file: join(folder, 'server.log') };
    expect(targetOf({ local })).toEqual({
      limit: { rate: 5, burst: 10 },
      baseUrl: base_url,
      docsUrl: `${base_url}/`,
      logs,
    });
    expect(targetOf({ local: demoFile('{"limit":null}') })).toEqual({
      limit: null,
      baseUrl: undefined,
      docsUrl: undefined,
      logs,
    });
  });
});
