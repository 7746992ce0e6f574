import type { Operation, Request } from '../../support/api.ts';
import type { FailureName } from './failures.ts';
import { ALL, BATCH_READS, type Prepared, READS, WRITES } from './operations.ts';
import type { Target } from './wire.ts';

/** One way in which the wire is faulty, for some operations. */
export interface Row {
  /** Completes "When …". */
  title: string;
  operations: readonly Operation[];
  /**
   * What the faults hit; `last` is the write of an operation that writes, and all reads but the key's of any other. Where
   * they wait it is one round of these, as there is no time for another.
   */
  target: Target | 'last';
  /** A fault for each time that one request is sent; where it lasts, the last one for ever. */
  failures: FailureName[];
  /** What is done again after each of the faults: the very same request (else), or the operation from its reads. */
  again?: ('request' | 'operation')[];
  /** The requests have this header `Idempotency-Key`. */
  idempotencyKey?: string;
  /** The caller's API key is known, so it is not looked up. */
  keyIsKnown?: true;
  /** The fault lasts longer than a request is retried. */
  lasts?: true;
  /** Requests just wait until they are given up, which takes seconds. */
  waits?: true;
  /** What lasts hides that each write was applied. */
  applied?: true;
}

const EACH = [...READS, ...WRITES];
/** The retry quota of a process is not enough for five requests in a row that each fail three times. */
const FEW_REQUESTS = ALL.filter((operation) => operation !== 'getTerminalHistory');
export const THROTTLES: FailureName[] = ['throttled', 'over its throughput', 'over its request limit'];
const BUSY: FailureName[] = ['cancelled as throttled', 'cancelled as over its throughput'];
const CANCELS: FailureName[] = ['in conflict', ...BUSY];
const MISHAPS: FailureName[] = [
  ...THROTTLES,
  'cut off',
  'failed inside',
  'answered in half',
  'lost by a reset',
  'answered by a gateway',
];

/** Faults that pass, those first that take longest. */
export const PASSING: Row[] = [
  {
    title: 'no answer comes, and the table got nothing',
    operations: EACH,
    target: 'last',
    failures: ['without an answer'],
    waits: true,
  },
  { title: 'an answer comes too late', operations: EACH, target: 'last', failures: ['answered too late'], waits: true },
  {
    title: 'an answer stops half-way',
    operations: EACH,
    target: 'last',
    failures: ['answered in half, without an end'],
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
    title: 'the table fails at each request twice',
    operations: ALL,
    target: 'all',
    failures: ['failed inside', 'unavailable'],
  },
  {
    title: 'each connection is cut twice before the table gets the request',
    operations: ALL,
    target: 'all',
    failures: ['cut off', 'cut off by a reset'],
  },
  {
    title: 'each connection is cut twice after the table did what it was asked to',
    operations: ALL,
    target: 'all',
    failures: ['lost', 'lost within the answer'],
  },
  {
    title: 'each request is answered by something else than the table, or in half',
    operations: FEW_REQUESTS,
    target: 'all',
    failures: ['answered by a gateway', 'answered by a page', 'answered in half'],
  },
  {
    title: 'the first batch leaves keys unprocessed twice',
    operations: BATCH_READS,
    target: 'batch',
    failures: ['left unprocessed', 'left unprocessed'],
  },
  {
    title: 'another writer cancels the transaction twice, and then a busy table twice',
    operations: WRITES,
    target: 'write',
    failures: ['in conflict', 'in conflict', ...BUSY],
    again: ['operation', 'operation', 'request', 'request'],
  },
  {
    title:
      'the answer is lost, and then the table throttles more often than what is known not to be applied is retried',
    operations: WRITES,
    target: 'write',
    failures: ['lost', ...THROTTLES, ...BUSY, ...THROTTLES],
    waits: true,
  },
  {
    title: 'the answer is lost, and then the transaction is still in progress',
    operations: WRITES,
    target: 'write',
    failures: ['lost', 'in progress'],
  },
  {
    title: 'the answer is lost, and then another writer or a busy table is in the way',
    operations: WRITES,
    target: 'write',
    failures: ['lost', ...CANCELS],
  },
  {
    title: 'another writer is in the way, and then the answer is lost',
    operations: WRITES,
    target: 'write',
    failures: ['in conflict', 'lost'],
    again: ['operation', 'request'],
  },
];

/** Faults that last. */
export const LASTING: Row[] = [
  { title: 'the look at the API key always fails', operations: ALL, target: 'key', failures: MISHAPS },
  {
    title: 'the look at the API key is never answered',
    operations: ALL,
    target: 'key',
    failures: ['without an answer'],
  },
  { title: 'the reads before a write always fail', operations: WRITES, target: 'reads', failures: MISHAPS },
  {
    title: 'the first batch always leaves keys unprocessed',
    operations: BATCH_READS,
    target: 'batch',
    failures: ['left unprocessed'],
  },
  { title: 'everything is throttled for ever', operations: ALL, target: 'all', failures: THROTTLES },
  {
    title: 'everything is throttled for ever and the API key is known',
    operations: EACH,
    target: 'reads',
    failures: THROTTLES,
    keyIsKnown: true,
  },
  { title: 'the table throttles for ever', operations: EACH, target: 'last', failures: THROTTLES },
  { title: 'a busy table always cancels the transaction', operations: WRITES, target: 'write', failures: BUSY },
  { title: 'the table is out of reach for ever', operations: EACH, target: 'last', failures: ['cut off'] },
  { title: 'the table never answers', operations: EACH, target: 'last', failures: ['without an answer'] },
  {
    title: 'another writer is always in the way',
    operations: WRITES,
    target: 'write',
    failures: ['in conflict'],
    again: ['operation'],
  },
  {
    title: 'the answer is lost, and then the table is out of reach for ever',
    operations: WRITES,
    target: 'write',
    failures: ['lost', 'cut off'],
    applied: true,
  },
  {
    title: 'the answer to a request with an Idempotency-Key is lost, and then the table is out of reach for ever',
    operations: ['createBranch', 'createTerminals', 'reassignTerminal'],
    target: 'write',
    failures: ['lost', 'cut off'],
    applied: true,
    idempotencyKey: 'attempt-1',
  },
  {
    title: 'the answer is lost, and then another writer is always in the way',
    operations: WRITES,
    target: 'write',
    failures: ['lost', 'in conflict'],
    applied: true,
  },
  {
    title: 'the answer comes too late, and then none',
    operations: EACH,
    target: 'last',
    failures: ['answered too late', 'without an answer'],
    applied: true,
  },
  {
    title: 'an answer stops half-way, and then none comes',
    operations: EACH,
    target: 'last',
    failures: ['answered in half, without an end', 'without an answer'],
    applied: true,
  },
  {
    title: 'something else answers in place of the table for ever',
    operations: EACH,
    target: 'last',
    failures: ['answered in half', 'answered by a page', 'answered by a gateway'],
    applied: true,
  },
].map((row) => ({ ...row, lasts: true }) as Row);

/** Faults after which a write is known not to be applied, and those that take as long as an answer is waited for. */
const REFUSALS: FailureName[] = [...THROTTLES, ...CANCELS, 'left unprocessed'];
const WAITS: FailureName[] = ['without an answer', 'answered too late', 'answered in half, without an end'];

/** Whether time ends the retries of what a fault hits, and not their number: they are made slow, as that shows the same. */
export const endsByTime = ({ failures, again }: Row, target: Target): boolean =>
  again !== undefined || (target === 'write' && failures.some((failure) => !REFUSALS.includes(failure)));

/** By how many milliseconds each of these is slowed down. */
export const SLOW_MS = 1_000;

/** Whether a fault makes requests mostly wait. */
export const justWaits = (row: Row, target: Target): boolean =>
  row.lasts ? endsByTime(row, target) || row.failures.some((failure) => WAITS.includes(failure)) : row.waits === true;

/** How often a lasting fault is met at least and at most, when so many requests that it hits are sent at once. */
export function boundsOf(row: Row, target: Target, atOnce: number): [least: number, most: number] {
  // From its reads for 3 s after the first failure, or as the same write for 10 s, of which an answer that does not come
  // takes 2 s.
  if (row.again) return [2, 6];
  if (endsByTime(row, target)) return [4, 10];
  // Fewer than these only where a machine is so busy that 3 s are over before: the third try, and six retries in a row.
  if (row.failures.some((failure) => WAITS.includes(failure))) return [atOnce, 3 * atOnce];
  return [atOnce + 2, atOnce + 6];
}

/** Writes of two at the same time on the same things. */
export interface Pair {
  ours: Operation;
  /** Completes "somebody else …". */
  theirs: string;
  other: (prepared: Prepared) => { operation: Operation; request: Request };
  /** The two write nothing in common. */
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
/** What happens to the first copy of our write, and in which order the two then take effect. */
export const ORDERS = [
  { failure: 'cut off, while somebody else writes', first: 'they' },
  { failure: 'overtaken, while somebody else writes', first: 'they' },
  { failure: 'lost, while somebody else writes', first: 'we' },
] as const;
export type Order = (typeof ORDERS)[number];

/** What a partner is told that repeats a write which was applied although it was answered with a failure. */
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

/** Each write, a list that shows it, the list's `total` after it, and whether a list of an index that lags shows it too. */
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

/** Something that goes wrong while a create seals a list: with its look at the list, or with the seal itself. */
export interface Mishap {
  /** Completes "When …". */
  title: string;
  target: 'look' | 'seal';
  failures: FailureName[];
  /** The seal is applied all the same. */
  applied?: true;
}
export const MISHAPS_OF_A_SEAL: Mishap[] = [
  { title: 'nothing goes wrong', target: 'seal', failures: [], applied: true },
  { title: 'the look at the list is throttled', target: 'look', failures: THROTTLES },
  { title: 'the look at the list is cut off', target: 'look', failures: ['cut off'] },
  { title: 'the look at the list has no answer', target: 'look', failures: ['without an answer'] },
  { title: 'the seal is throttled', target: 'seal', failures: THROTTLES },
  { title: 'a busy table cancels the seal', target: 'seal', failures: BUSY },
  { title: 'the seal is in conflict', target: 'seal', failures: ['in conflict'] },
  { title: 'the seal is cut off', target: 'seal', failures: ['cut off'] },
  { title: 'the seal has no answer', target: 'seal', failures: ['without an answer'] },
  { title: 'the answer to the seal is lost', target: 'seal', failures: ['lost', 'cut off'], applied: true },
  { title: 'something else answers the seal', target: 'seal', failures: ['answered by a page'], applied: true },
];
