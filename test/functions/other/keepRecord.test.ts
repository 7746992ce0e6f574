import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { parse } from 'yaml';
import { handler } from '../../../functions/other/keepRecord.ts';
import { type Served, serve } from '../../../infra/local/serve.ts';
import { IS_RECORD } from '../../../infra/stack/template/record.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { beginImport, endImport } from '../../../lib/operator/memberImport.ts';
import { table, tableName } from '../../../lib/table/client.ts';
import { acquirerSubject, IMPORTS, recordKey } from '../../../lib/table/keys.ts';

/*
 * The handler receives what the table's stream has of real changes, as its filter passes it on.
 */

const ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';

/** A request to the streams of the engine, for which there is no client here. It accepts any signature. */
async function streams(action: string, body: object) {
  const { AWS_ENDPOINT_URL_DYNAMODB = '', AWS_ACCESS_KEY_ID } = process.env;
  const response = await fetch(AWS_ENDPOINT_URL_DYNAMODB, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${action}`,
      authorization:
        `AWS4-HMAC-SHA256 Credential=${AWS_ACCESS_KEY_ID}/20260101/eu-central-1/dynamodb/aws4_request, ` +
        `SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(body),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(result));
  // biome-ignore lint/suspicious/noExplicitAny: responses of several actions
  return result as any;
}

/** What the stream of the table has, oldest first. */
async function changes(StreamArn: string): Promise<DynamoDBRecord[]> {
  const { StreamDescription } = await streams('DescribeStream', { StreamArn });
  const records: DynamoDBRecord[] = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await streams('GetShardIterator', from);
    records.push(...(await streams('GetRecords', { ShardIterator })).Records);
  }
  return records;
}

/** Whether a filter passes a record on: all of its fields have one of the values, here by their beginnings. */
const passes = (pattern: object | { prefix: string }[], value: unknown): boolean =>
  Array.isArray(pattern)
    ? pattern.some(({ prefix }) => String(value).startsWith(prefix))
    : Object.entries(pattern).every(([name, each]) => passes(each, (value as Record<string, unknown>)?.[name]));

let logs: Served;
let sent: { logGroupName: string; logStreamName: string; logEvents: { timestamp: number; message: string }[] }[];
let response: object;
beforeAll(async () => {
  logs = await serve(async (request, outgoing) => {
    sent.push(JSON.parse(await text(request)));
    outgoing.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(response));
  });
  const RECORD_LOG_GROUP = '/acquirer-partner-api-dev/record';
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: logs.url,
    RECORD_LOG_GROUP,
    RECORD_LOG_STREAM: 'changes',
  });
});
afterAll(() => logs.stop());
beforeEach(() => {
  [sent, response] = [[], {}];
});

const lines = () => sent.flatMap(({ logEvents }) => logEvents.map(({ message }) => JSON.parse(message)));
const invoke = (Records: DynamoDBRecord[]) => handler({ Records } satisfies DynamoDBStreamEvent);

test('copies each change of the record and nothing else, with the item before and after', async () => {
  const client = new DynamoDBClient();
  const { StreamSpecification } = parse(readFileSync('infra/stack/table.yml', 'utf8')).Resources.Table.Properties;
  const { TableDescription } = await client.send(
    new UpdateTableCommand({
      TableName: tableName(),
      StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
    }),
  );
  await createAcquirer({ id: ID, type: 'DISTRIBUTOR', name: 'Northgate' });
  const event = await beginImport();
  await endImport(event, { stored: 2, refused: 1 });
  await table.send(new DeleteCommand({ TableName: tableName(), Key: recordKey(IMPORTS, event.id) }));
  const all = await changes(TableDescription?.LatestStreamArn as string);
  const passed = all.filter((record) => passes(IS_RECORD, record));
  expect([all.length, passed.length]).toEqual([5, 4]);
  for (const record of passed) await invoke([record]);
  expect(sent[0]).toMatchObject({ logGroupName: '/acquirer-partner-api-dev/record', logStreamName: 'changes' });
  const { pk, sk } = recordKey(IMPORTS, event.id);
  const key = { ...recordKey(IMPORTS, event.id) };
  const begun = { ...key, ...event, ttl: expect.any(Number) };
  const ended = { ...begun, details: { stored: 2, refused: 1, completed_at: expect.any(String) } };
  const common = {
    ...{ pk, sk, sequence: expect.any(String), change_id: expect.any(String) },
    changed_at: expect.stringMatching(/^20\d\d-.*Z$/),
  };
  const created = expect.objectContaining({ type: 'acquirer.created', by: 'test' });
  const ofAcquirer = { pk: `RECORD#${acquirerSubject(ID)}`, sk: expect.any(String), change: 'INSERT', after: created };
  expect(lines()).toEqual([
    { ...common, ...ofAcquirer },
    { ...common, change: 'INSERT', after: begun },
    { ...common, change: 'MODIFY', before: begun, after: ended },
    { ...common, change: 'REMOVE', before: ended },
  ]);
  expect(new Set(lines().map(({ change_id }) => change_id)).size).toBe(4);
});

/** A removal, as the Developer Guide shows it. */
const removal = (principalId?: string): DynamoDBRecord => ({
  eventID: '1',
  eventName: 'REMOVE',
  ...(principalId && { userIdentity: { type: 'Service', principalId } }),
  dynamodb: {
    ApproximateCreationDateTime: 1_800_000_000,
    Keys: { pk: { S: 'RECORD#MEMBERS' }, sk: { S: '1' } },
    OldImage: { pk: { S: 'RECORD#MEMBERS' }, sk: { S: '1' } },
    SequenceNumber: '7',
  },
});

test('tells that an event has expired from its removal, and retains it no longer', async () => {
  await invoke([removal('dynamodb.amazonaws.com'), removal()]);
  const changed_at = '2027-01-15T08:00:00.000Z';
  const common = { pk: 'RECORD#MEMBERS', sk: '1', changed_at, change_id: '1', sequence: '7' };
  expect(lines()).toEqual([
    { ...common, change: 'EXPIRE' },
    { ...common, change: 'REMOVE', before: { pk: 'RECORD#MEMBERS', sk: '1' } },
  ]);
});

test('rejects, so that Lambda repeats the change, if CloudWatch Logs did not take it', async () => {
  response = { rejectedLogEventsInfo: { tooOldLogEventEndIndex: 1 } };
  await expect(invoke([removal()])).rejects.toThrow('CloudWatch Logs rejected {"tooOldLogEventEndIndex":1}.');
});
