import { type Subject, subjectOf } from '../../../infra/publish/contract/calls.ts';
import type { Operation } from '../../support/api.ts';
import type { FailureName } from './failures.ts';
import { ALL, BATCH_READS, READS, WRITES } from './operations.ts';
import type { Target } from './wire.ts';

/** One kind of failure, for some operations. */
export interface Row {
  /** Completes "When …". */
  title: string;
  operations: Operation[];
  /**
   * The requests that fail. `last` is the write of an operation that writes, and every read but the key's of any other.
   * If they wait, only one round of these fails, as there is no time for another.
   */
  target: Target | 'last';
  /** A failure for each attempt of one request. If the row lasts, the last failure repeats. */
  failures: FailureName[];
  /** What is retried after each failure: the same request (the default), or the operation from its reads. */
  again?: ('request' | 'operation')[];
  /** The requests have an Idempotency-Key. */
  isKeyed?: true;
  /** The caller's API key is cached, so it is not read. */
  keyIsKnown?: true;
  /** The failure lasts longer than the service retries. */
  lasts?: true;
  /** Each write was applied in spite of the failure. */
  applied?: true;
  /** The operation is a create that also seals a list. */
  seals?: true;
}

const row = (
  title: string,
  operations: Operation[],
  target: Row['target'],
  failures: FailureName[],
  more: Partial<Row> = {},
): Row => ({ title, operations, target, failures, ...more });

const EACH = [...READS, ...WRITES];
/** The retry quota of a process does not suffice for five requests in a row that each fail three times. */
const FEW_REQUESTS = ALL.filter((operation) => operation !== 'getTerminalHistory');
/** All endpoints read the API key in the same way. */
const SOME: Operation[] = ['listBranches', 'createBranch', 'unknownRoute'];

const THROTTLES: FailureName[] = ['throttled', 'throughput exceeded', 'request limit exceeded'];
const BUSY: FailureName[] = ['cancelled as throttled', 'cancelled as throughput exceeded'];
const MIXED: FailureName[] = [...THROTTLES, 'cut off', 'unavailable', 'half a response', 'lost by a reset'];
const FOREIGN: FailureName[] = ['error of a gateway', 'page of another server', 'half a response'];
const UNPROCESSED: FailureName = 'left unprocessed';
const HALF: FailureName = 'half a response, never completed';

/** Failures that pass. */
export const PASSING: Row[] = [
  row('the table gets no request and returns no response', EACH, 'last', ['no response']),
  row('a response stops half-way', EACH, 'last', [HALF]),
  row('a response comes too late', WRITES, 'write', ['late response']),
  row('a copy of the transaction arrives long after a later one', WRITES, 'write', ['overtaken']),
  row(
    'the response is lost and then the table throttles more often than a write that was not applied is retried',
    WRITES,
    'write',
    ['lost', ...THROTTLES, ...BUSY, ...THROTTLES],
  ),
  row('each request is throttled three times', FEW_REQUESTS, 'all', THROTTLES),
  row('each request fails and then its connection is cut before the table gets it', ALL, 'all', [
    'internal server error',
    'cut off by a reset',
  ]),
  row('each connection is cut twice after the table applied the request', ALL, 'all', [
    'lost',
    'lost within the response',
  ]),
  row('another server responds instead of the table, or half a response comes', FEW_REQUESTS, 'all', FOREIGN),
  row('the first batch leaves keys unprocessed twice', BATCH_READS, 'batch', [UNPROCESSED, UNPROCESSED]),
  row(
    'a conflict and then throttling cancel the transaction twice each',
    WRITES,
    'write',
    ['in conflict', 'in conflict', ...BUSY],
    { again: ['operation', 'operation', 'request', 'request'] },
  ),
  row('the response is lost and the transaction is still in progress', WRITES, 'write', ['lost', 'in progress']),
  row('the response is lost and then a conflict or throttling cancels the transaction', WRITES, 'write', [
    'lost',
    'in conflict',
    ...BUSY,
  ]),
  row('a conflict cancels the transaction and then the response is lost', WRITES, 'write', ['in conflict', 'lost'], {
    again: ['operation', 'request'],
  }),
];

/** Failures that last. */
export const LASTING: Row[] = [
  row('reading the API key always fails', SOME, 'key', MIXED),
  row('reading the API key never returns a response', SOME, 'key', ['no response']),
  row('the reads before a write always fail', WRITES, 'reads', MIXED),
  row('the first batch always leaves keys unprocessed', BATCH_READS, 'batch', [UNPROCESSED]),
  row('everything is always throttled', ALL, 'all', THROTTLES),
  row('everything is always throttled and the API key is cached', EACH, 'reads', THROTTLES, { keyIsKnown: true }),
  // The seal does not add to the load.
  row('everything is always throttled while a create seals a list', ['createBranch'], 'reads', THROTTLES, {
    keyIsKnown: true,
    seals: true,
  }),
  row('the table is never reachable', EACH, 'last', ['cut off']),
  row('the table never responds', EACH, 'last', ['no response']),
  row('another server always responds instead of the table', EACH, 'last', FOREIGN.toReversed(), { applied: true }),
  row('the table always throttles', WRITES, 'write', THROTTLES),
  row('throttling always cancels the transaction', WRITES, 'write', BUSY),
  row('a conflict always cancels the transaction', WRITES, 'write', ['in conflict'], { again: ['operation'] }),
  row('the response is lost and then the table is never reachable', WRITES, 'write', ['lost', 'cut off'], {
    applied: true,
  }),
  row(
    'the response to a request with an Idempotency-Key is lost and then the table is never reachable',
    ['createBranch', 'createTerminals', 'reassignTerminal'],
    'write',
    ['lost', 'cut off'],
    { applied: true, isKeyed: true },
  ),
  row(
    'the response is lost and then a conflict always cancels the transaction',
    WRITES,
    'write',
    ['lost', 'in conflict'],
    {
      applied: true,
    },
  ),
  row('the response comes too late and then none comes', WRITES, 'write', ['late response', 'no response'], {
    applied: true,
  }),
  row('a response stops half-way and then none comes', WRITES, 'write', [HALF, 'no response'], { applied: true }),
].map((each) => ({ ...each, lasts: true }));

/** Failures after which a write is known not to be applied. */
const NOT_APPLIED: FailureName[] = [...THROTTLES, ...BUSY, 'in conflict', UNPROCESSED];

/** Whether time ends the retries, and not their number. */
const endsByTime = ({ failures, again }: Row, target: Target): boolean =>
  again !== undefined || (target === 'write' && failures.some((failure) => !NOT_APPLIED.includes(failure)));

/** How often a lasting failure hits, when it hits `atOnce` requests at the same time. */
export function hitsOf(row: Row, operation: Operation, target: Target, atOnce: number): number[] {
  const waits = row.failures.includes('no response');
  // From its reads for 3 s after the first failure, with backoff except for an archiving, which must get through.
  // How many fit depends on the rounding of the clock.
  if (row.again) return /^(archive|restore|update)Branch$/.test(operation) ? [61, 62] : [8];
  // As the same write for 10 s, of which each response that never comes takes 2 s.
  if (endsByTime(row, target)) return [waits ? 5 : 14];
  // For 3 s after the first failure, or six retries in a row.
  return [waits ? 3 * atOnce : atOnce + 6];
}

/** Two concurrent writes to the same items. */
export interface Pair {
  ours: Operation;
  other: Operation;
  /** Completes "another request …". */
  theirs: string;
  /** The subject of the other request, if it is another one. */
  about?: (subject: Subject) => Subject;
  /** The two have no item in common. */
  apart?: true;
}
export const PAIRS: Pair[] = [
  { ours: 'archiveBranch', other: 'archiveBranch', theirs: 'archives the branch' },
  { ours: 'createTerminals', other: 'createTerminals', theirs: 'creates the same terminals' },
  { ours: 'deleteTerminal', other: 'deleteTerminal', theirs: 'deletes the terminal' },
  { ours: 'updateTerminal', other: 'archiveTerminal', theirs: 'archives the terminal' },
  {
    ours: 'reassignTerminal',
    other: 'archiveBranch',
    theirs: 'archives the target',
    about: (subject) => ({ ...subject, mid: subject.target }),
  },
  {
    ours: 'createBranch',
    other: 'createBranch',
    theirs: 'creates the next branch of the list',
    about: ({ caller, mid }) => subjectOf(`2${mid}`, caller),
    apart: true,
  },
];

/** What happens to the first copy of our write, and the order in which the two take effect. */
export const ORDERS = [
  { failure: 'cut off, while another request writes', first: 'they' },
  { failure: 'overtaken, while another request writes', first: 'they' },
  { failure: 'lost, while another request writes', first: 'we' },
] as const;

const sealing = (title: string, target: 'look' | 'seal', failures: FailureName[], more: Partial<Row> = {}): Row =>
  row(`${title} while a create seals a list`, ['createBranch'], target, failures, { ...more, seals: true });

/** Failures of a create's read of the list that it may seal (`look`), and of the seal itself. */
export const SEALS: Row[] = [
  sealing('nothing fails', 'seal', [], { applied: true }),
  sealing('reading the list is throttled', 'look', THROTTLES),
  sealing('reading the list is cut off', 'look', ['cut off']),
  sealing('reading the list returns no response', 'look', ['no response']),
  sealing('the seal is throttled', 'seal', THROTTLES),
  sealing('throttling cancels the seal', 'seal', BUSY),
  sealing('the seal is in conflict', 'seal', ['in conflict']),
  sealing('the seal is cut off', 'seal', ['cut off']),
  sealing('the seal returns no response', 'seal', ['no response']),
  sealing('the response to the seal is lost', 'seal', ['lost', 'cut off'], { applied: true }),
  sealing('another server responds to the seal', 'seal', ['page of another server'], { applied: true }),
];
