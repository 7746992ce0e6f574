import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import { audit } from '../../infra/operate/cli/audit/audit.ts';

/** A client of its own: a test may have made that of the service fail. */
const client = DynamoDBDocumentClient.from(new DynamoDBClient());

/** Asserts that this file's table violates no invariant, as `npm run operator -- audit` does. */
export async function expectNoViolations(): Promise<void> {
  // No write is in progress any more.
  const horizonMs = Number.NEGATIVE_INFINITY;
  expect((await audit(client, process.env['TABLE_NAME'] as string, horizonMs)).broken).toEqual([]);
}
