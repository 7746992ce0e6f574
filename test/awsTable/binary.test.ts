import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { SCHEMA } from '../../infra/local/table.ts';
import { unique } from '../support/world.ts';
import type { AwsTable } from './table.ts';

const ENGINE = process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string;
const TableName = unique('binary-');
const schema = {
  ...SCHEMA,
  AttributeDefinitions: SCHEMA.AttributeDefinitions?.map((each) =>
    each.AttributeName === 'branch_order' ? { ...each, AttributeType: 'B' as const } : each,
  ),
};

let table: AwsTable;
let aws: DynamoDBDocumentClient;
const local = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: ENGINE }));
beforeAll(async () => {
  jest.unstable_mockModule('../../infra/local/table.ts', () => ({ SCHEMA: schema }));
  const { startAwsTable } = await import('./table.ts');
  await local.send(new CreateTableCommand({ TableName, ...schema }));
  table = await startAwsTable(ENGINE, { read: 0, write: 0, lag: [0, 0] });
  aws = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: table.endpoint }));
});
afterAll(async () => {
  aws.destroy();
  local.destroy();
  await table.stop();
});

test('an index orders binary sort keys by their bytes, as DynamoDB Local does', async () => {
  const keys = [[0], [0, 1], [0x7f], [0x80], [0xfb, 0xff], [0xff], [1, 2, 3], [0x3e]].map((bytes) =>
    Buffer.from(bytes),
  );
  await Promise.all(
    keys.map((branch_order, at) =>
      aws.send(new PutCommand({ TableName, Item: { pk: `${at}`, sk: 'T', mid: 'M', branch_order } })),
    ),
  );
  await table.settled();
  const read = async (client: DynamoDBDocumentClient, rest = '', values = {}) => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: 'terminals-by-branch',
        KeyConditionExpression: `mid = :mid${rest}`,
        ExpressionAttributeValues: { ':mid': 'M', ...values },
      }),
    );
    return Items.map(({ branch_order }) => Buffer.from(branch_order).toString('hex'));
  };
  expect(await read(aws)).toEqual(keys.toSorted(Buffer.compare).map((key) => key.toString('hex')));
  for (const [rest, values] of [
    ['', {}],
    [' AND branch_order > :from', { ':from': Buffer.from([0x7f]) }],
    [' AND branch_order BETWEEN :from AND :to', { ':from': Buffer.from([0, 1]), ':to': Buffer.from([0x80]) }],
    [' AND begins_with(branch_order, :start)', { ':start': Buffer.from([0]) }],
  ] as const)
    expect(await read(aws, rest, values)).toEqual(await read(local, rest, values));
});
