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

const { kmsKey } = EVERY_OPTION;

test.each([
  ['Decrypt', kmsKey, 'dynamodb', true],
  ['GenerateDataKeyWithoutPlaintext', kmsKey, 'dynamodb', true],
  ['ReEncryptFrom', kmsKey, 'dynamodb', true],
  ['Decrypt', kmsKey, 's3', false],
  ['Decrypt', kmsKey, '', false],
  ['Decrypt', kmsKey.replace('0000-4000', '1111-4000'), 'dynamodb', false],
  ['CreateGrant', kmsKey, 'dynamodb', false],
])('only a function that uses the table may %s with the key %s, by way of "%s": %s', (action, resource, by, may) => {
  const context = { 'kms:ViaService': by ? [`${by}.eu-central-1.amazonaws.com`] : [] };
  const allowed = (name: string) =>
    allows(statementsOfFunction(optional, name), { action: `kms:${action}`, resource, context });
  expect([allowed('getBranch'), allowed('openConsole')]).toEqual([may, false]);
});

test('every function may send its traces, and read none', () => {
  const may = (action: string) => allows(statementsOfFunction(optional, 'memberCheck'), { action, resource: '*' });
  expect([may('xray:PutTraceSegments'), may('xray:GetTraceSummaries')]).toEqual([true, false]);
});

test.each([
  ['memberCheck', 'cardHmacKeySecret'],
  ['deliverWebhooks', 'webhookKeySecret'],
])('%s reads a key that is named by its ARN, with its suffix or without, and getBranch does not', (name, parameter) => {
  const key = String(STANDBY[parameter]);
  const reads = (of: string, resource: string) =>
    allows(statementsOfFunction(standby, of), { action: 'secretsmanager:GetSecretValue', resource });
  const named = [key, `${key}-a1B2c3`, `${key}-old-a1B2c3`, key.replace('-prod', '-standby')];
  expect(named.map((resource) => reads(name, resource))).toEqual([true, true, false, false]);
  expect(reads('getBranch', key)).toBe(false);
});
