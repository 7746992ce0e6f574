import { table } from '../../lib/table/client.ts';

/** Far longer than any request takes, in milliseconds. */
const PATIENCE_MS = 60_000;

/*
 * Waits for DynamoDB Local as long as it takes. It is slower than AWS, and how slow depends on the machine, on which
 * neither `npm start` nor the verdict of a proof must depend.
 */
const { updateHttpClientConfig } = table.config.requestHandler as {
  updateHttpClientConfig?: (name: string, value: unknown) => void;
};
for (const name of ['connectionTimeout', 'requestTimeout', 'socketTimeout'])
  updateHttpClientConfig?.call(table.config.requestHandler, name, PATIENCE_MS);
