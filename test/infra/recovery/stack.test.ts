import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Stack, stackOf } from '../../../infra/recovery/stack.ts';
import type { Template } from '../../../infra/template/template.ts';
import { templateOf } from '../../packaged/packaging.ts';
import { type FakeStack, startFakeStack } from './fakeStack.ts';

/*
 * Takes a restored table into the stack of prod, as it is packaged, on a CloudFormation that enforces the rules of imports.
 */

const BEFORE = 'acquirer-partner-api-prod';
const RESTORED = `${BEFORE}-2`;

let prod: Template;
/** What the deployment makes of it that puts the restored table in use. */
let deployed: Template;
beforeAll(async () => {
  prod = await templateOf('prod');
  deployed = await templateOf('prod', { table: RESTORED });
});

const streamOf = (table: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${table}/stream/1`;

/** A template as it is with the ARN of the stream in place of references to it. */
const withStream = (value: object): object =>
  JSON.parse(
    JSON.stringify(value).replaceAll('{"Fn::GetAtt":["Table","StreamArn"]}', JSON.stringify(streamOf(BEFORE))),
  );

let fake: FakeStack;
let stack: Stack;
async function start(template: Template): Promise<void> {
  fake = await startFakeStack(structuredClone(template), new Set([BEFORE, RESTORED]));
  const client = { endpoint: fake.url, maxAttempts: 1 };
  const attributes = async (table: string) => ({ StreamArn: streamOf(table) });
  stack = stackOf('prod', new CloudFormationClient(client), new S3Client(client), attributes, 0.01);
}
beforeEach(() => start(prod));
afterEach(() => fake.stop());

/** Deploys a template, as serverless does: without a policy of its own. */
const deploy = async (template: Template): Promise<string> => {
  const body = new URLSearchParams({ Action: 'UpdateStack', TemplateURL: `${fake.url}/bucket/deployed.json` });
  await fetch(`${fake.url}/bucket/deployed.json`, { method: 'PUT', body: JSON.stringify(template) });
  return (await fetch(fake.url, { method: 'POST', body })).text();
};

describe('adopting a restored table', () => {
  test('makes it the stack’s, changes nothing else, and keeps the table before', async () => {
    await stack.adopt(RESTORED);
    expect(await stack.resource('Table')).toBe(RESTORED);
    expect([...fake.tables]).toEqual([BEFORE, RESTORED]);
    // `serverless remove` empties the bucket below this prefix only.
    for (const path of fake.stored)
      expect(path).toMatch(/^\/[^/]+\/serverless\/acquirer-partner-api\/prod\/recovery\//);
    expect(fake.stored).toHaveLength(2);
    const { Table, ...others } = fake.template.Resources;
    const { Table: before, ...othersBefore } = prod.Resources;
    // What reads the stream goes on with that of the table before.
    expect(others).toEqual(withStream(othersBefore));
    expect(others).not.toEqual(othersBefore);
    expect(Table).toEqual({ ...before, Properties: { ...before?.Properties, TableName: RESTORED } });
    expect(fake.template.Outputs).toEqual(prod.Outputs);
  });

  test('lets the next deployment put it in use without replacing it, and every later one', async () => {
    await stack.adopt(RESTORED);
    expect(await deploy(deployed)).toContain('UpdateStackResult');
    expect(await stack.output('TableName')).toBe(RESTORED);
    expect(await stack.resource('Table')).toBe(RESTORED);
    const later = structuredClone(deployed);
    later.Resources['Table']?.Properties.GlobalSecondaryIndexes.pop();
    expect(await deploy(later)).toContain('UpdateStackResult');
  });

  test.each(['UpdateStack', 'CreateChangeSet', 'ExecuteChangeSet'])(
    'goes on where it was interrupted: before %s',
    async (action) => {
      fake.failOnce(action);
      await expect(stack.adopt(RESTORED)).rejects.toThrow('Interrupted');
      expect((await stack.tableDefinition()).Properties.BillingMode).toBe('PAY_PER_REQUEST');
      await stack.adopt(RESTORED);
      expect(await stack.resource('Table')).toBe(RESTORED);
      expect([...fake.tables]).toEqual([BEFORE, RESTORED]);
      expect(await deploy(deployed)).toContain('UpdateStackResult');
    },
  );

  test('is refused for a table that does not exist, and the stack can still get another', async () => {
    await expect(stack.adopt('missing')).rejects.toThrow('The table does not exist.');
    expect(await stack.resource('Table')).toBeUndefined();
    await stack.adopt(BEFORE);
    expect(await stack.resource('Table')).toBe(BEFORE);
  });

  test('is refused where the stack would delete the table before', async () => {
    await fake.stop();
    const removable = structuredClone(prod);
    Object.assign(removable.Resources['Table'] ?? {}, { DeletionPolicy: 'Delete' });
    await start(removable);
    await expect(stack.adopt(RESTORED)).rejects.toThrow('Set "dataRemoval: Retain"');
    expect(fake.actions).not.toContain('UpdateStack');
  });
});

describe('without adopting it first', () => {
  test('a deployment with the restored table is refused by the stack policy, and changes nothing', async () => {
    expect(await deploy(deployed)).toContain('denied by stack policy');
    expect(fake.template).toEqual(prod);
    expect([...fake.tables]).toEqual([BEFORE, RESTORED]);
  });

  test('so is a roll back to before', async () => {
    await stack.adopt(RESTORED);
    await deploy(deployed);
    expect(await deploy(prod)).toContain('denied by stack policy');
    expect(await stack.resource('Table')).toBe(RESTORED);
  });
});
