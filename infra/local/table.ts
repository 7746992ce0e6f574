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

/** What CreateTable needs of the CloudFormation resource. */
type Schema = Pick<
  CreateTableCommandInput,
  'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes' | 'BillingMode'
>;

const template = parse(readFileSync(new URL('../table.yml', import.meta.url), 'utf8'));
const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode }: Schema =
  template.Resources.Table.Properties;

/** The schema of the one table, as infra/table.yml defines it. */
export const SCHEMA: Schema = { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode };

/** Creates the table on the engine that `AWS_ENDPOINT_URL_DYNAMODB` names; leaves one that is there. */
export async function createTable(TableName: string): Promise<void> {
  const client = new DynamoDBClient();
  try {
    await client.send(new CreateTableCommand({ TableName, ...SCHEMA }));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error instanceof DynamoDBServiceException
      ? error
      : new Unusable(`No DynamoDB-compatible engine answers at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}.`);
  } finally {
    client.destroy();
  }
}
