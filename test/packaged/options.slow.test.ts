import { beforeAll, expect, test } from '@jest/globals';
import type { Template } from '../../infra/stack/template/template.ts';
import { EVERY_OPTION, STANDBY, templateOf } from './packaging.ts';
import { allows, statementsOfFunction } from './roles.ts';

/*
 * What the roles allow beside test/packaged/roles.test.ts in a stage with a KMS key, tracing, or the card HMAC key of
 * another stage.
 */

let optional: Template;
let standby: Template;
beforeAll(async () => {
  optional = await templateOf('prod', EVERY_OPTION);
  standby = await templateOf('standby');
});

test('a function that uses the table may use its key by way of DynamoDB only, and no other key', () => {
  const { kmsKey } = EVERY_OPTION;
  const may = (name: string, action: string, resource: string, service?: string) =>
    allows(statementsOfFunction(optional, name), {
      action: `kms:${action}`,
      resource,
      context: service ? { 'kms:ViaService': [`${service}.eu-central-1.amazonaws.com`] } : {},
    });
  for (const action of ['Decrypt', 'GenerateDataKey', 'GenerateDataKeyWithoutPlaintext', 'ReEncryptFrom']) {
    expect([action, may('getBranch', action, kmsKey, 'dynamodb')]).toEqual([action, true]);
    expect([action, may('getBranch', action, kmsKey, 's3')]).toEqual([action, false]);
    expect([action, may('getBranch', action, kmsKey)]).toEqual([action, false]);
    expect([action, may('getBranch', action, kmsKey.replace('0000-4000', '1111-4000'), 'dynamodb')]).toEqual([
      action,
      false,
    ]);
  }
  expect(may('getBranch', 'CreateGrant', kmsKey, 'dynamodb')).toBe(false);
  expect(may('openConsole', 'Decrypt', kmsKey, 'dynamodb')).toBe(false);
});

test('every function may send its traces, and read none', () => {
  const may = (action: string) => allows(statementsOfFunction(optional, 'memberCheck'), { action, resource: '*' });
  expect(may('xray:PutTraceSegments')).toBe(true);
  expect(may('xray:GetTraceSummaries')).toBe(false);
});

test('memberCheck alone reads a card key that is named by its ARN, with its suffix or without, whatever is called alike', () => {
  const key = String(STANDBY['cardHmacKeySecret']);
  const reads = (name: string, resource: string) =>
    allows(statementsOfFunction(standby, name), { action: 'secretsmanager:GetSecretValue', resource });
  expect(['', '-a1B2c3', '-old-a1B2c3'].map((suffix) => reads('memberCheck', key + suffix))).toEqual([
    true,
    true,
    false,
  ]);
  expect(reads('memberCheck', key.replace('-prod', '-standby'))).toBe(false);
  expect(reads('getBranch', key)).toBe(false);
});
