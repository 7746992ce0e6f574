import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Template } from '../../infra/stack/template/template.ts';
import { OPTIONAL, templateOf } from './packaging.ts';
import { allows, statementsOfFunction } from './roles.ts';

/*
 * What the roles allow beside test/packaged/roles.test.ts in a stage with a KMS key, tracing, or the card HMAC key of
 * another stage.
 */

describe('with a key, tracing and a card key of its own', () => {
  const KEY = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:other-stage/card-hmac-key';
  let optional: Template;
  beforeAll(async () => {
    optional = await templateOf('dev', { ...OPTIONAL, cardHmacKeySecret: KEY });
  });

  test('a function that uses the table may use its key by way of DynamoDB only, and no other key', () => {
    const may = (name: string, action: string, resource: string, service?: string) =>
      allows(statementsOfFunction(optional, name), {
        action: `kms:${action}`,
        resource,
        context: service ? { 'kms:ViaService': [`${service}.eu-central-1.amazonaws.com`] } : {},
      });
    for (const action of ['Decrypt', 'GenerateDataKey', 'GenerateDataKeyWithoutPlaintext', 'ReEncryptFrom']) {
      expect([action, may('getBranch', action, OPTIONAL.kmsKey, 'dynamodb')]).toEqual([action, true]);
      expect([action, may('getBranch', action, OPTIONAL.kmsKey, 's3')]).toEqual([action, false]);
      expect([action, may('getBranch', action, OPTIONAL.kmsKey)]).toEqual([action, false]);
      const other = OPTIONAL.kmsKey.replace('0000-4000', '1111-4000');
      expect([action, may('getBranch', action, other, 'dynamodb')]).toEqual([action, false]);
    }
    expect(may('getBranch', 'CreateGrant', OPTIONAL.kmsKey, 'dynamodb')).toBe(false);
    expect(may('openConsole', 'Decrypt', OPTIONAL.kmsKey, 'dynamodb')).toBe(false);
  });

  test('every function may send its traces, and read none', () => {
    const may = (action: string) => allows(statementsOfFunction(optional, 'memberCheck'), { action, resource: '*' });
    expect(may('xray:PutTraceSegments')).toBe(true);
    expect(may('xray:GetTraceSummaries')).toBe(false);
  });

  test.each([
    ['without', KEY],
    ['with', `${KEY}-a1B2c3`],
  ])('memberCheck alone reads the card key that is named %s its suffix, whatever is called alike', async (_, named) => {
    const template = await templateOf('dev', { ...OPTIONAL, cardHmacKeySecret: named });
    const reads = (name: string, resource: string) =>
      allows(statementsOfFunction(template, name), { action: 'secretsmanager:GetSecretValue', resource });
    expect(reads('memberCheck', `${KEY}-a1B2c3`)).toBe(true);
    expect(reads('memberCheck', `${KEY}-old-a1B2c3`)).toBe(false);
    expect(reads('memberCheck', KEY.replace('other-stage', 'acquirer-partner-api-prod'))).toBe(false);
    expect(reads('getBranch', `${KEY}-a1B2c3`)).toBe(false);
  });
});
