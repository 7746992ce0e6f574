import { readFileSync } from 'node:fs';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  DynamoDBServiceException,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { parse } from 'yaml';
import { Unusable } from './engine.ts';

/** What CreateTable takes of the CloudFormation resource; the rest (backups, protection) is for AWS only. */
type Schema = Pick<
  CreateTableCommandInput,
  'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes' | 'BillingMode'
>;

const template = parse(readFileSync(new URL('../table.yml', import.meta.url), 'utf8'));
const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode }: Schema =
  template.Resources.Table.Properties;

/** Creates the table of infra/table.yml on the engine that `AWS_ENDPOINT_URL_DYNAMODB` names; leaves an existing one. */
export async function createTable(TableName: string): Promise<void> {
  const client = new DynamoDBClient();
  const schema = { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode };
  try {
    await client.send(new CreateTableCommand({ TableName, ...schema }));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error instanceof DynamoDBServiceException
      ? error
      : new Unusable(`No DynamoDB-compatible engine answers at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}.`);
  } finally {
    client.destroy();
  }
}
