import type { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { type AwsTable, startAwsTable } from '../../awsTable/table.ts';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';

/*
 * What the proofs of this folder share. They bring the service to the bounds of what it stores and reads, on a table
 * that behaves like AWS's.
 */

/** The parts of the SDK's HTTP handler that are used here. */
interface HttpHandler {
  httpHandlerConfigs: () => { httpAgent: Agent };
  updateHttpClientConfig: (name: string, value: unknown) => void;
}

/**
 * Makes the client wait for DynamoDB Local, because that is far slower than AWS, but never for a connection, as functions
 * share none.
 */
export async function waitForEngine(): Promise<void> {
  // The agent exists once it was used.
  await getItem(branchKey('-'));
  const handler = table.config.requestHandler as unknown as HttpHandler;
  handler.httpHandlerConfigs().httpAgent.maxSockets = Number.POSITIVE_INFINITY;
  for (const name of ['connectionTimeout', 'requestTimeout', 'socketTimeout'])
    handler.updateHttpClientConfig(name, 60_000);
}

/**
 * Starts an AWS-like table for this file, and sends all requests to it.
 *
 * @returns A function that returns the table once a test runs.
 */
export function useAwsTable(settings: Parameters<typeof startAwsTable>[1] = {}): () => AwsTable {
  let aws: AwsTable;
  beforeAll(async () => {
    aws = await startAwsTable(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string, settings);
    // Clients read it before their first request.
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = aws.endpoint;
    await waitForEngine();
    if (aws.counts.requests['GetItem'] !== 1) throw new Error('The client does not use the AWS-like table.');
  });
  // Requests that fail after conflicts are logged.
  beforeEach(() => {
    captureLog();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => aws.stop());
  return () => aws;
}

export const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

export const below = (count: number): number => Math.floor(Math.random() * count);
export const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;

/** Counts how often each thing occurs. */
export const count = (counts: Record<string, number>, what: string | number): void => {
  counts[what] = (counts[what] ?? 0) + 1;
};

export const codeOf = ({ status, body }: ApiResponse): string | number => body.code ?? status;

/** Whether a request failed after conflicts or throttling, and may be sent again. */
export const isBusy = ({ headers, body }: ApiResponse): boolean =>
  body.code === 'server_error' && headers['retry-after'] !== undefined;

/** Calls an operation, again while it is busy, and fails unless it succeeds. */
export async function succeed(operation: Operation, request: Request): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await call(operation, request);
    if (response.status < 300) return response;
    if (!isBusy(response) || attempt === 20) throw new Error(`${operation} failed: ${JSON.stringify(response.body)}`);
  }
}

/** What all pages of a list have, and its total. */
export async function listAll(operation: Operation, request: Request, sort: string) {
  // biome-ignore lint/suspicious/noExplicitAny: each list has its own rows
  const rows: any[] = [];
  for (let page = 1; ; page += 1) {
    const query = { sort, per_page: '100', page: String(page) };
    const { data, meta } = (await succeed(operation, { ...request, query })).body;
    rows.push(...data);
    if (data.length === 0 || rows.length >= meta.total) return { rows, total: meta.total as number };
  }
}
