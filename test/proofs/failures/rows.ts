import type { Operation, Request } from '../../support/api.ts';
import type { FailureName } from './failures.ts';
import { ALL, BATCH_READS, type Prepared, READS, WRITES } from './operations.ts';
import type { Target } from './wire.ts';

/** One kind of failure, for some operations. */
export interface Row {
  /** Completes "When …". */
  title: string;
  operations: readonly Operation[];
  /**
   * The requests that fail. `last` is the write of an operation that writes, and every read but the key's of any other.
   * If they wait, only one round of these fails, as there is no time for another.
   */
  target: Target | 'last';
  /** A failure for each attempt of one request. If the row lasts, the last failure repeats. */
  failures: FailureName[];
  /** What is retried after each failure: the same request (the default), or the operation from its reads. */
  again?: ('request' | 'operation')[];
  /** The requests have this header `Idempotency-Key`. */
  idempotencyKey?: string;
  /** The caller's API key is cached, so it is not read. */
  keyIsKnown?: true;
  /** The failure lasts longer than the service retries. */
  lasts?: true;
  /** Requests wait for seconds until they time out. */
  waits?: true;
  /** Each write was applied in spite of the failure. */
  applied?: true;
}

const EACH = [...READS, ...WRITES];
/** The retry quota of a process does not suffice for five requests in a row that each fail three times. */
const FEW_REQUESTS = ALL.filter((operation) => operation !== 'getTerminalHistory');
export const THROTTLES: FailureName[] = ['throttled', 'throughput exceeded', 'request limit exceeded'];
const BUSY: FailureName[] = ['cancelled as throttled', 'cancelled as throughput exceeded'];
const CANCELS: FailureName[] = ['in conflict', ...BUSY];
const MIXED: FailureName[] = [
  ...THROTTLES,
  'cut off',
  'internal server error',
  'half a response',
  'lost by a reset',
  'error of a gateway',
];

/** Failures that pass; those that take longest come first. */
export const PASSING: Row[] = [
  {
    title: 'the table gets no request and returns no response',
    operations: EACH,
    target: 'last',
    failures: ['no response'],
    waits: true,
  },
  { title: 'a response comes too late', operations: EACH, target: 'last', failures: ['late response'], waits: true },
  {
    title: 'a response stops half-way',
    operations: EACH,
    target: 'last',
    failures: ['half a response, never completed'],
    waits: true,
  },
  {
    title: 'a copy of the transaction arrives long after a later one was applied',
    operations: WRITES,
    target: 'write',
    failures: ['overtaken'],
    waits: true,
  },
  { title: 'each request is throttled three times', operations: FEW_REQUESTS, target: 'all', failures: THROTTLES },
  {
    title: 'each request fails twice with a server error',
    operations: ALL,
    target: 'all',
    failures: ['internal server error', 'unavailable'],
  },
  {
    title: 'each connection is cut twice before the table gets the request',
    operations: ALL,
    target: 'all',
    failures: ['cut off', 'cut off by a reset'],
  },
  {
    title: 'each connection is cut twice after the table applied the request',
    operations: ALL,
    target: 'all',
    failures: ['lost', 'lost within the response'],
  },
  {
    title: 'another server responds instead of the table, or half a response comes',
    operations: FEW_REQUESTS,
    target: 'all',
    failures: ['error of a gateway', 'page of another server', 'half a response'],
  },
  {
    title: 'the first batch leaves keys unprocessed twice',
    operations: BATCH_READS,
    target: 'batch',
    failures: ['left unprocessed', 'left unprocessed'],
  },
  {
    title: 'a conflict and then throttling cancel the transaction twice each',
    operations: WRITES,
    target: 'write',
    failures: ['in conflict', 'in conflict', ...BUSY],
    again: ['operation', 'operation', 'request', 'request'],
  },
  {
    title: 'the response is lost and then the table throttles more often than a write that was not applied is retried',
    operations: WRITES,
    target: 'write',
    failures: ['lost', ...THROTTLES, ...BUSY, ...THROTTLES],
    waits: true,
  },
  {
    title: 'the response is lost and the transaction is still in progress',
    operations: WRITES,
    target: 'write',
    failures: ['lost', 'in progress'],
  },
  {
    title: 'the response is lost and then a conflict or throttling cancels the transaction',
    operations: WRITES,
    target: 'write',
    failures: ['lost', ...CANCELS],
  },
  {
    title: 'a conflict cancels the transaction and then the response is lost',
    operations: WRITES,
    target: 'write',
    failures: ['in conflict', 'lost'],
    again: ['operation', 'request'],
  },
];

/** Failures that last. */
export const LASTING: Row[] = [
  { title: 'reading the API key always fails', operations: ALL, target: 'key', failures: MIXED },
  {
    title: 'reading the API key never returns a response',
    operations: ALL,
    target: 'key',
    failures: ['no response'],
  },
  { title: 'the reads before a write always fail', operations: WRITES, target: 'reads', failures: MIXED },
  {
    title: 'the first batch always leaves keys unprocessed',
    operations: BATCH_READS,
    target: 'batch',
    failures: ['left unprocessed'],
  },
  { title: 'everything is always throttled', operations: ALL, target: 'all', failures: THROTTLES },
  {
    title: 'everything is always throttled and the API key is cached',
    operations: EACH,
    target: 'reads',
    failures: THROTTLES,
    keyIsKnown: true,
  },
  { title: 'the table always throttles', operations: EACH, target: 'last', failures: THROTTLES },
  { title: 'throttling always cancels the transaction', operations: WRITES, target: 'write', failures: BUSY },
  { title: 'the table is never reachable', operations: EACH, target: 'last', failures: ['cut off'] },
  { title: 'the table never responds', operations: EACH, target: 'last', failures: ['no response'] },
  {
    title: 'a conflict always cancels the transaction',
    operations: WRITES,
    target: 'write',
    failures: ['in conflict'],
    again: ['operation'],
  },
  {
    title: 'the response is lost and then the table is never reachable',
    operations: WRITES,
    target: 'write',
    failures: ['lost', 'cut off'],
    applied: true,
  },
  {
    title: 'the response to a request with an Idempotency-Key is lost and then the table is never reachable',
    operations: ['createBranch', 'createTerminals', 'reassignTerminal'],
    target: 'write',
    failures: ['lost', 'cut off'],
    applied: true,
    idempotencyKey: 'attempt-1',
  },
  {
    title: 'the response is lost and then a conflict always cancels the transaction',
    operations: WRITES,
    target: 'write',
    failures: ['lost', 'in conflict'],
    applied: true,
  },
  {
    title: 'the response comes too late and then none comes',
    operations: EACH,
    target: 'last',
    failures: ['late response', 'no response'],
    applied: true,
  },
  {
    title: 'a response stops half-way and then none comes',
    operations: EACH,
    target: 'last',
    failures: ['half a response, never completed', 'no response'],
    applied: true,
  },
  {
    title: 'another server always responds instead of the table',
    operations: EACH,
    target: 'last',
    failures: ['half a response', 'page of another server', 'error of a gateway'],
    applied: true,
  },
].map((row) => ({ ...row, lasts: true }) as Row);

/**
 * Failures after which a write is known not to be applied, and those that take as long as the service waits for a
 * response.
 */
const NOT_APPLIED: FailureName[] = [...THROTTLES, ...CANCELS, 'left unprocessed'];
const WAITS: FailureName[] = ['no response', 'late response', 'half a response, never completed'];

/**
 * Whether time ends the retries, and not their number. These failures are slowed down, which leads to the same result.
 */
export const endsByTime = ({ failures, again }: Row, target: Target): boolean =>
  again !== undefined || (target === 'write' && failures.some((failure) => !NOT_APPLIED.includes(failure)));

/** How much each of these is slowed down, in milliseconds. */
export const SLOW_MS = 1_000;

/** Whether a failure makes requests mostly wait. */
export const justWaits = (row: Row, target: Target): boolean =>
  row.lasts ? endsByTime(row, target) || row.failures.some((failure) => WAITS.includes(failure)) : row.waits === true;

/** Bounds of how often a lasting failure hits, when it hits `atOnce` requests at the same time. */
export function boundsOf(row: Row, target: Target, atOnce: number): [least: number, most: number] {
  // From its reads for 3 s after the first failure, or as the same write for 10 s, of which each response that never
  // comes takes 2 s.
  if (row.again) return [2, 6];
  if (endsByTime(row, target)) return [4, 10];
  // Only a machine so busy that 3 s pass earlier makes fewer: the third try, and six retries in a row.
  if (row.failures.some((failure) => WAITS.includes(failure))) return [atOnce, 3 * atOnce];
  return [atOnce + 2, atOnce + 6];
}

/** Two concurrent writes to the same items. */
export interface Pair {
  ours: Operation;
  /** Completes "another request …". */
  theirs: string;
  other: (prepared: Prepared) => { operation: Operation; request: Request };
  /** The two have no item in common. */
  apart?: true;
}
const same = (ours: Operation, theirs: string): Pair => ({
  ours,
  theirs,
  other: ({ request }) => ({ operation: ours, request }),
});
export const PAIRS: Pair[] = [
  same('archiveBranch', 'archives the branch'),
  same('createTerminals', 'creates the same terminals'),
  same('deleteTerminal', 'deletes the terminal'),
  {
    ours: 'createBranch',
    theirs: 'creates the next branch of the list',
    other: ({ request, tag }) => ({
      operation: 'createBranch',
      request: { ...request, body: { mid: `C${tag}`, master_merchant_id: `O${tag}` } },
    }),
    apart: true,
  },
  {
    ours: 'updateTerminal',
    theirs: 'archives the terminal',
    other: ({ request }) => ({ operation: 'archiveTerminal', request: { ...request, body: { reason: 'Lost' } } }),
  },
  {
    ours: 'reassignTerminal',
    theirs: 'archives the target',
    other: ({ request: { key }, tag }) => ({ operation: 'archiveBranch', request: { key, path: { mid: `B${tag}` } } }),
  },
];
/** What happens to the first copy of our write, and the order in which the two take effect. */
export const ORDERS = [
  { failure: 'cut off, while another request writes', first: 'they' },
  { failure: 'overtaken, while another request writes', first: 'they' },
  { failure: 'lost, while another request writes', first: 'we' },
] as const;
export type Order = (typeof ORDERS)[number];

/** The response to a repeated write that was applied although its first response was a failure. */
export const DONE_BEFORE: Partial<Record<Operation, { status: number; code?: string; taken?: string[] }>> = {
  createBranch: {
    status: 422,
    code: 'validation_failed',
    taken: ['/mid', '/terminals/0/terminal_id', '/terminals/1/terminal_id'],
  },
  archiveBranch: { status: 400, code: 'already_archived' },
  createTerminals: {
    status: 422,
    code: 'validation_failed',
    taken: ['/terminals/0/terminal_id', '/terminals/0/serial_no', '/terminals/1/terminal_id'],
  },
  updateTerminal: { status: 200 },
  deleteTerminal: { status: 404, code: 'not_found' },
  archiveTerminal: { status: 400, code: 'already_archived' },
  restoreTerminal: { status: 400, code: 'not_archived' },
  reassignTerminal: { status: 400, code: 'already_under_target_mid' },
};

/**
 * Each write, a list that shows it, the list's `total` after it, and whether the list shows it while its index lags.
 */
export const LAGS: { write: Operation; list: Operation; total: number; isSeen: boolean }[] = [
  { write: 'createBranch', list: 'listBranches', total: 2, isSeen: true },
  { write: 'archiveBranch', list: 'listBranches', total: 1, isSeen: false },
  { write: 'createTerminals', list: 'listTerminals', total: 3, isSeen: true },
  { write: 'updateTerminal', list: 'listTerminals', total: 2, isSeen: false },
  { write: 'deleteTerminal', list: 'listTerminals', total: 1, isSeen: true },
  { write: 'archiveTerminal', list: 'listTerminals', total: 1, isSeen: false },
  { write: 'restoreTerminal', list: 'listTerminals', total: 1, isSeen: false },
  { write: 'reassignTerminal', list: 'listTerminals', total: 1, isSeen: true },
];

/** A failure while a create seals a list: of its read of the list, or of the seal itself. */
export interface SealFailure {
  /** Completes "When …". */
  title: string;
  target: 'look' | 'seal';
  failures: FailureName[];
  /** The seal is applied in spite of it. */
  applied?: true;
}
export const SEAL_FAILURES: SealFailure[] = [
  { title: 'nothing fails', target: 'seal', failures: [], applied: true },
  { title: 'reading the list is throttled', target: 'look', failures: THROTTLES },
  { title: 'reading the list is cut off', target: 'look', failures: ['cut off'] },
  { title: 'reading the list returns no response', target: 'look', failures: ['no response'] },
  { title: 'the seal is throttled', target: 'seal', failures: THROTTLES },
  { title: 'throttling cancels the seal', target: 'seal', failures: BUSY },
  { title: 'the seal is in conflict', target: 'seal', failures: ['in conflict'] },
  { title: 'the seal is cut off', target: 'seal', failures: ['cut off'] },
  { title: 'the seal returns no response', target: 'seal', failures: ['no response'] },
  { title: 'the response to the seal is lost', target: 'seal', failures: ['lost', 'cut off'], applied: true },
  { title: 'another server responds to the seal', target: 'seal', failures: ['page of another server'], applied: true },
];
