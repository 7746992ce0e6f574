import { beforeAll, describe, expect, test } from '@jest/globals';
import { resourceOf, type Template } from '../../infra/template/template.ts';
import { resolved } from './deployed.ts';
import { OPTIONAL, templateOf } from './packaging.ts';
import { type Document, type Request, roleOf, roleWith } from './simulator.ts';

/*
 * What the roles allow beside test/packaged/roles.test.ts in a stage with a KMS key, tracing, or the card HMAC key of
 * another stage.
 */

describe('with a key, tracing and a card key of its own', () => {
  const KEY = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:other-stage/card-hmac-key';
  const USE = ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom'];
  let optional: Template;
  beforeAll(async () => {
    optional = await templateOf('dev', { ...OPTIONAL, cardHmacKeySecret: KEY });
  });
  const request = (action: string, arn: string, context: Record<string, string> = {}): Request => ({
    action,
    resource: '',
    arn,
    leadingKeys: [],
    context,
  });

  test('a function that uses the table may use its key by way of DynamoDB only, and no other key', async () => {
    const { allows } = await roleOf(optional, 'getBranch');
    const via = (service: string) => ({ 'kms:ViaService': `${service}.eu-central-1.amazonaws.com` });
    for (const action of USE) {
      expect([action, await allows(request(action, OPTIONAL.kmsKey, via('dynamodb')))]).toEqual([action, true]);
      expect([action, await allows(request(action, OPTIONAL.kmsKey, via('s3')))]).toEqual([action, false]);
      expect([action, await allows(request(action, OPTIONAL.kmsKey))]).toEqual([action, false]);
      const other = OPTIONAL.kmsKey.replace('0000-4000', '1111-4000');
      expect([action, await allows(request(action, other, via('dynamodb')))]).toEqual([action, false]);
    }
    expect(await allows(request('kms:CreateGrant', OPTIONAL.kmsKey, via('dynamodb')))).toBe(false);
    const { allows: page } = await roleOf(optional, 'openConsole');
    expect(await page(request('kms:Decrypt', OPTIONAL.kmsKey, via('dynamodb')))).toBe(false);
  });

  test('so may the probe role', async () => {
    const { PolicyDocument } = resourceOf(optional, 'ProbeRole').Properties.Policies[0];
    const { allows } = roleWith([resolved(optional, PolicyDocument) as Document], []);
    const via = (service: string) => ({ 'kms:ViaService': `${service}.eu-central-1.amazonaws.com` });
    expect(await allows(request('kms:Decrypt', OPTIONAL.kmsKey, via('dynamodb')))).toBe(true);
    expect(await allows(request('kms:Decrypt', OPTIONAL.kmsKey, via('s3')))).toBe(false);
  });

  test('every function may send its traces, and read none', async () => {
    const { allows } = await roleOf(optional, 'memberCheck');
    expect(await allows(request('xray:PutTraceSegments', '*'))).toBe(true);
    expect(await allows(request('xray:GetTraceSummaries', '*'))).toBe(false);
  });

  test.each([
    ['without', KEY],
    ['with', `${KEY}-a1B2c3`],
  ])('memberCheck alone reads the card key that is named %s its suffix, whatever is called alike', async (_, named) => {
    const secret = await templateOf('dev', { ...OPTIONAL, cardHmacKeySecret: named });
    const { allows } = await roleOf(secret, 'memberCheck');
    const reads = (arn: string) => allows(request('secretsmanager:GetSecretValue', arn));
    expect(await reads(`${KEY}-a1B2c3`)).toBe(true);
    expect(await reads(`${KEY}-old-a1B2c3`)).toBe(false);
    expect(await reads(KEY.replace('other-stage', 'acquirer-partner-api-prod'))).toBe(false);
    const { allows: of } = await roleOf(secret, 'getBranch');
    expect(await of(request('secretsmanager:GetSecretValue', `${KEY}-a1B2c3`))).toBe(false);
  });
});
