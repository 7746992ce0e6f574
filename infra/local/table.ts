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

/** The properties of the CloudFormation resource that CreateTable takes. */
type Schema = Pick<
  CreateTableCommandInput,
  'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes' | 'BillingMode'
>;

const template = parse(readFileSync(new URL('../stack/table.yml', import.meta.url), 'utf8'));
const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode }: Schema =
  template.Resources.Table.Properties;

export const SCHEMA: Schema = { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode };

/**
 * Creates the table on the engine at `AWS_ENDPOINT_URL_DYNAMODB`, unless it exists.
 *
 * @throws Unusable without an engine.
 */
export async function createTable(TableName: string): Promise<void> {
  const client = new DynamoDBClient();
  try {
    await client.send(new CreateTableCommand({ TableName, ...SCHEMA }));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error instanceof DynamoDBServiceException
      ? error
      : new Unusable(`Cannot reach a DynamoDB-compatible engine at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}.`);
  } finally {
    client.destroy();
  }
}
