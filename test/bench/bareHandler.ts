import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';

/*
 * The least that reads a branch with middy and the SDK: neither caller, rules, limits nor log. The bench compares its
 * cold start with those of the functions.
 */

const table = DynamoDBDocumentClient.from(new DynamoDBClient());

export const handler = middy().handler(async (event) => {
  const { mid } = (event as { pathParameters: { mid: string } }).pathParameters;
  const Key = { pk: `BRANCH#${mid}`, sk: 'BRANCH' };
  const { Item } = await table.send(new GetCommand({ TableName: process.env['TABLE_NAME'], Key }));
  return { statusCode: Item ? 200 : 404, body: JSON.stringify({ data: Item }) };
});
