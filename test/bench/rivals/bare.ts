import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/*
 * What no function on this client can be faster than: one read, no middleware, nothing checked.
 */

const TableName = process.env['TABLE_NAME'];
const table = DynamoDBDocumentClient.from(new DynamoDBClient());

export async function handler() {
  const Key = { pk: `BRANCH#${randomUUID()}`, sk: 'BRANCH' };
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return { statusCode: Item ? 200 : 404, body: JSON.stringify(Item ?? {}) };
}
