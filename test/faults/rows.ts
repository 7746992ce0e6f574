import type { Operation, Request } from '../support/api.ts';
import type { FaultName } from './faults.ts';
import { ALL, BATCH_READS, type Prepared, READS, WRITES } from './operations.ts';
import type { Target } from './wire.ts';

/** One way in which the wire is faulty, for some operations. */
export interface Row {
  /** Completes "When …". */
  title: string;
  operations: readonly Operation[];
  /** What the faults hit; `last` is the write of an operation that writes, and all reads but the key's of any other. */
  target: Target | 'last';
  /** A fault for each time that one request is sent; where it lasts, the last one for ever. */
  faults: FaultName[];
  /** What is done again after each of the faults: the very same request (else), or the operation from its reads. */
  again?: ('request' | 'operation')[];
  /** The requests have this header `Idempotency-Key`. */
  idempotencyKey?: string;
  /** The fault lasts longer than the time budget of a request. */
  lasts?: true;
  /** Requests just wait until they are given up, which takes seconds. */
  waits?: true;
  /** What lasts hides that each write was applied. */
  applied?: true;
}

const EACH = [...READS, ...WRITES];
const THROTTLES: FaultName[] = ['throttled', 'over its throughput', 'over its request limit'];
const CANCELS: FaultName[] = ['in conflict', 'cancelled as throttled', 'cancelled as over its throughput'];
const MISHAPS: FaultName[] = [
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
    faults: ['without an answer'],
    waits: true,
  },
  { title: 'an answer comes too late', operations: EACH, target: 'last', faults: ['answered too late'], waits: true },
  {
    title: 'an answer stops half-way',
    operations: EACH,
    target: 'last',
    faults: ['answered in half, without an end'],
    waits: true,
  },
  {
    title: 'a copy of the transaction arrives long after a later one was applied',
    operations: WRITES,
    target: 'write',
    faults: ['overtaken'],
    waits: true,
  },
  { title: 'each request is throttled three times', operations: ALL, target: 'all', faults: THROTTLES },
  {
    title: 'the table fails at each request twice',
    operations: ALL,
    target: 'all',
    faults: ['failed inside', 'unavailable'],
  },
  {
    title: 'each connection is cut twice before the table gets the request',
    operations: ALL,
    target: 'all',
    faults: ['cut off', 'cut off by a reset'],
  },
  {
    title: 'each connection is cut twice after the table did what it was asked to',
    operations: ALL,
    target: 'all',
    faults: ['lost', 'lost within the answer'],
  },
  {
    title: 'each request is answered by something else than the table, or in half',
    operations: ALL,
    target: 'all',
    faults: ['answered by a gateway', 'answered by a page', 'answered in half'],
  },
  {
    title: 'the first batch leaves keys unprocessed twice',
    operations: BATCH_READS,
    target: 'batch',
    faults: ['left unprocessed', 'left unprocessed'],
    again: ['operation', 'operation'],
  },
  {
    title: 'another writer or a busy table cancels the transaction three times',
    operations: WRITES,
    target: 'write',
    faults: CANCELS,
    again: ['operation', 'operation', 'operation'],
  },
  {
    title: 'the answer is lost, and then the transaction is still in progress',
    operations: WRITES,
    target: 'write',
    faults: ['lost', 'in progress'],
  },
  {
    title: 'the answer is lost, and then another writer or a busy table is in the way',
    operations: WRITES,
    target: 'write',
    faults: ['lost', ...CANCELS],
  },
  {
    title: 'another writer is in the way, and then the answer is lost',
    operations: WRITES,
    target: 'write',
    faults: ['in conflict', 'lost'],
    again: ['operation', 'request'],
  },
];

/** Faults that last. */
export const LASTING: Row[] = [
  { title: 'the look at the API key always fails', operations: ALL, target: 'key', faults: MISHAPS },
  { title: 'the look at the API key is never answered', operations: ALL, target: 'key', faults: ['without an answer'] },
  { title: 'the reads before a write always fail', operations: WRITES, target: 'reads', faults: MISHAPS },
  {
    title: 'the first batch always leaves keys unprocessed',
    operations: BATCH_READS,
    target: 'batch',
    faults: ['left unprocessed'],
    again: ['operation'],
  },
  { title: 'the table throttles for ever', operations: EACH, target: 'last', faults: THROTTLES },
  { title: 'the table is out of reach for ever', operations: EACH, target: 'last', faults: ['cut off'] },
  { title: 'the table never answers', operations: EACH, target: 'last', faults: ['without an answer'] },
  {
    title: 'another writer is always in the way',
    operations: WRITES,
    target: 'write',
    faults: ['in conflict'],
    again: ['operation'],
  },
  {
    title: 'the answer is lost, and then the table is out of reach for ever',
    operations: WRITES,
    target: 'write',
    faults: ['lost', 'cut off'],
    applied: true,
  },
  {
    title: 'the answer to a request with an Idempotency-Key is lost, and then the table is out of reach for ever',
    operations: ['createBranch', 'createTerminals', 'reassignTerminal'],
    target: 'write',
    faults: ['lost', 'cut off'],
    applied: true,
    idempotencyKey: 'attempt-1',
  },
  {
    title: 'the answer is lost, and then another writer is always in the way',
    operations: WRITES,
    target: 'write',
    faults: ['lost', 'in conflict'],
    applied: true,
  },
  {
    title: 'the answer comes too late, and then none',
    operations: EACH,
    target: 'last',
    faults: ['answered too late', 'without an answer'],
    applied: true,
  },
  {
    title: 'an answer stops half-way, and then none comes',
    operations: EACH,
    target: 'last',
    faults: ['answered in half, without an end', 'without an answer'],
    applied: true,
  },
  {
    title: 'something else answers in place of the table for ever',
    operations: EACH,
    target: 'last',
    faults: ['answered in half', 'answered by a page', 'answered by a gateway'],
    applied: true,
  },
].map((row) => ({ ...row, lasts: true }) as Row);

/** Writes of two at the same time on the same things. */
export interface Pair {
  ours: Operation;
  /** Completes "somebody else …". */
  theirs: string;
  other: (prepared: Prepared) => { operation: Operation; request: Request };
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
  { fault: 'cut off, while somebody else writes', first: 'they' },
  { fault: 'overtaken, while somebody else writes', first: 'they' },
  { fault: 'lost, while somebody else writes', first: 'we' },
] as const;
export type Order = (typeof ORDERS)[number];

/** What a partner is told that repeats a write which was applied although it was answered with a failure. */
export const DONE_BEFORE: Partial<Record<Operation, { status: number; code?: string }>> = {
  createBranch: { status: 422, code: 'validation_failed' },
  archiveBranch: { status: 400, code: 'already_archived' },
  createTerminals: { status: 422, code: 'validation_failed' },
  updateTerminal: { status: 200 },
  deleteTerminal: { status: 404, code: 'not_found' },
  archiveTerminal: { status: 400, code: 'already_archived' },
  restoreTerminal: { status: 400, code: 'not_archived' },
  reassignTerminal: { status: 400, code: 'already_under_target_mid' },
};

/** Each write, a list that shows it, and the list's `total` after it. */
export const LAGS: { write: Operation; list: Operation; total: number }[] = [
  { write: 'createBranch', list: 'listBranches', total: 2 },
  { write: 'archiveBranch', list: 'listBranches', total: 1 },
  { write: 'createTerminals', list: 'listTerminals', total: 3 },
  { write: 'updateTerminal', list: 'listTerminals', total: 2 },
  { write: 'deleteTerminal', list: 'listTerminals', total: 1 },
  { write: 'archiveTerminal', list: 'listTerminals', total: 1 },
  { write: 'restoreTerminal', list: 'listTerminals', total: 1 },
  { write: 'reassignTerminal', list: 'listTerminals', total: 1 },
];
