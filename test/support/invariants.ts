import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import { audit } from '../../infra/admin/audit/audit.ts';

/** Not the client of the service, which a test may have made fail. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient());

/** Asserts that every invariant holds of this file's whole table, as `npm run admin -- audit` does. */
export async function expectNoViolations(): Promise<void> {
  // Nothing is under way any more.
  const horizonMs = Number.NEGATIVE_INFINITY;
  expect((await audit(client, process.env['TABLE_NAME'] as string, horizonMs)).broken).toEqual([]);
}
