import { appendFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { type AwsTable, startAwsTable } from '../../awsTable/table.ts';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';
import type { Caller } from '../../support/world.ts';

/*
 * What the proofs of this folder share. They bring the service to the bounds of what it stores and reads, on a table
 * that behaves like AWS's.
 */

/** The size of a proof; `BOUNDS=full` selects the larger one, which takes minutes. */
export const sized = <T>(usual: T, full: T): T => (process.env['BOUNDS'] === 'full' ? full : usual);

/** Appends what a proof measured to the file that `BOUNDS_FIGURES` names, if set, as a line of JSON. */
export function record(proof: string, figures: object): void {
  const file = process.env['BOUNDS_FIGURES'];
  if (file) appendFileSync(file, `${JSON.stringify({ proof, ...figures })}\n`);
}

/** The parts of the SDK's HTTP handler that are used here. */
interface HttpHandler {
  httpHandlerConfigs: () => { httpAgent: Agent };
  updateHttpClientConfig: (name: string, value: unknown) => void;
}
/** The client waits this long for DynamoDB Local, in milliseconds, because that is far slower than AWS. */
const PATIENCE_MS = 60_000;

/**
 * Starts an AWS-like table for this file, and sends all requests to it. The client never waits for a connection, as
 * functions share none.
 *
 * @returns A function that returns the table once a test runs.
 */
export function useAwsTable(settings: Parameters<typeof startAwsTable>[1] = {}): () => AwsTable {
  let aws: AwsTable;
  beforeAll(async () => {
    aws = await startAwsTable(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string, settings);
    // Clients read it before their first request.
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = aws.endpoint;
    // The agent exists once it was used.
    await getItem(branchKey('-'));
    const handler = table.config.requestHandler as unknown as HttpHandler;
    handler.httpHandlerConfigs().httpAgent.maxSockets = Number.POSITIVE_INFINITY;
    for (const name of ['connectionTimeout', 'requestTimeout', 'socketTimeout'])
      handler.updateHttpClientConfig(name, PATIENCE_MS);
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

/** Lets the wall clock run ahead by this many milliseconds, until the test ends. */
export function skipTime(ms: number): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

export const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

export const below = (count: number): number => Math.floor(Math.random() * count);
export const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;

export const codeOf = ({ status, body }: ApiResponse): string | number => body.code ?? status;

/** Whether a request failed after conflicts or throttling, and may be sent again. */
export const isBusy = ({ headers, body }: ApiResponse): boolean =>
  body.code === 'server_error' && headers['retry-after'] !== undefined;

/** Calls an operation again until it responds with anything but `server_error`. */
export async function callUntilDone(operation: Operation, request: Request): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await call(operation, request);
    if (!isBusy(response) || attempt === 20) return response;
  }
}

/** Calls an operation, and fails unless it succeeds. */
export async function succeed(operation: Operation, request: Request): Promise<ApiResponse> {
  const response = await call(operation, request);
  if (response.status >= 300) throw new Error(`${operation} failed: ${JSON.stringify(response.body)}`);
  return response;
}

export interface ListedTerminal {
  tid: string;
  created_at: string;
}

/** All terminals of a branch's list, page by page, and the total of its last page. */
export async function listAll({ key }: Caller, mid: string, sort: 'asc' | 'desc' = 'asc', per_page = 100) {
  const terminals: ListedTerminal[] = [];
  for (let page = 1; ; page += 1) {
    const query = { sort, per_page: String(per_page), page: String(page) };
    const { data, meta } = (await succeed('listTerminals', { key, path: { id: mid }, query })).body;
    terminals.push(...data);
    if (data.length === 0 || terminals.length >= meta.total) return { terminals, total: meta.total as number };
  }
}

/** The most bytes of a response's body: 1 MB of events, and what is around them. */
export const MOST_BODY_BYTES = 1.1 * 1024 * 1024;

export interface ShownEvent {
  id: string;
  type: string;
  request_id: string;
  data: unknown;
}

/** All pages of a list of events: its events, in the order of the list, and the size of its largest page in bytes. */
export async function eventsOf(operation: Operation, request: Request) {
  const events: ShownEvent[] = [];
  let largest = 0;
  for (let query = request.query ?? {}; ; ) {
    const { body } = await succeed(operation, { ...request, query });
    events.push(...body.data);
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(body)));
    const { next, up_to_date } = body.meta;
    if (next === null || up_to_date) return { events, largest };
    query = { ...query, [operation === 'listEvents' ? 'after' : 'before']: next };
  }
}
