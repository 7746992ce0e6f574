import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';

/*
 * The fastest possible function with the same requests to the table: it sends them as they were recorded and does
 * nothing else. Writes are puts of as many items with new keys.
 */

/** The name of the secret that the function fetches; empty for none. esbuild sets it. */
declare const SECRET: string;

/** A request to the table: its operation, such as `GetItem`, and the document client's input. */
export interface Recorded {
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the recorded input fits its operation
  input: any;
}

const table = DynamoDBDocumentClient.from(new DynamoDBClient());
table.middlewareStack.remove('loggerMiddleware');
let secret = SECRET
  ? () => new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: SECRET }))
  : async () => undefined;

const puts = ({ TransactItems = [] }: TransactWriteCommandInput) => ({
  TransactItems: TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => ({
    Put: {
      TableName: (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName,
      Item: { ...Put?.Item, pk: `BENCH#${randomUUID()}`, sk: 'BENCH' },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  })),
});

function send({ operation, input }: Recorded): Promise<unknown> {
  if (operation === 'GetItem') return table.send(new GetCommand(input));
  if (operation === 'BatchGetItem') return table.send(new BatchGetCommand(input));
  if (operation === 'Query') return table.send(new QueryCommand(input));
  return table.send(new TransactWriteCommand(puts(input)));
}

/** Sends the requests of one list at once, and one list after another. The first call fetches the secret, too. */
export async function handler({ waves }: { waves: Recorded[][] }) {
  await secret();
  secret = async () => undefined;
  for (const wave of waves) await Promise.all(wave.map(send));
  return { statusCode: 200, body: '{}' };
}
