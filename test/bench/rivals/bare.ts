import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/* The fastest possible function with this client: one read, no middleware, no validation. */

const TableName = process.env['TABLE_NAME'];
const table = DynamoDBDocumentClient.from(new DynamoDBClient());

export async function handler() {
  const Key = { pk: `BRANCH#${randomUUID()}`, sk: 'BRANCH' };
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return { statusCode: Item ? 200 : 404, body: JSON.stringify(Item ?? {}) };
}
