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
  /** The requests that fail. `last` is the write of an operation that writes, and every read but the key's of any other. */
  target: Target | 'last';
  /** A failure for each attempt of one request. If the row lasts, the last failure repeats. */
  failures: FailureName[];
  /** The requests have an Idempotency-Key. */
  isKeyed?: true;
  /** The failure lasts longer than the service retries. */
  lasts?: true;
  /** Each write was applied in spite of the failure. */
  applied?: true;
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
  row('a response stops half-way', WRITES, 'write', [HALF]),
  row('a copy of the transaction arrives long after a later one', WRITES, 'write', ['overtaken']),
  row('a response comes too late, and then the table throttles', WRITES, 'write', [
    ...['late response' as const, ...THROTTLES, ...BUSY, ...THROTTLES],
  ]),
  row('each request is throttled three times', FEW_REQUESTS, 'all', THROTTLES),
  row('each request fails and then its connection is cut before the table gets it', ALL, 'all', [
    ...['internal server error' as const, 'cut off by a reset' as const],
  ]),
  row('each connection is cut twice after the table applied the request', ALL, 'all', [
    ...['lost' as const, 'lost within the response' as const],
  ]),
  row('another server responds instead of the table, or half a response comes', FEW_REQUESTS, 'all', FOREIGN),
  row('the first batch leaves keys unprocessed twice', BATCH_READS, 'batch', [UNPROCESSED, UNPROCESSED]),
  row('conflicts cancel the transaction, and then its response is lost', WRITES, 'write', [
    ...['in conflict' as const, 'in conflict' as const, ...BUSY, 'lost' as const],
  ]),
  row('the response is lost and then the transaction is in progress and in conflict', WRITES, 'write', [
    ...['lost' as const, 'in progress' as const, 'in conflict' as const, ...BUSY],
  ]),
];

/** Failures that last. */
export const LASTING: Row[] = [
  row('reading the API key always fails', SOME, 'key', MIXED),
  row('reading the API key never returns a response', SOME, 'key', ['no response']),
  row('the reads always fail', EACH, 'reads', MIXED),
  row('the reads are always throttled', READS, 'reads', THROTTLES),
  row('the first batch always leaves keys unprocessed', BATCH_READS, 'batch', [UNPROCESSED]),
  row('everything is always throttled', ALL, 'all', THROTTLES),
  row('the table is never reachable', WRITES, 'write', ['cut off']),
  row('the table never responds', WRITES, 'write', ['no response']),
  row('another server always responds instead of the table', WRITES, 'write', FOREIGN.toReversed(), { applied: true }),
  row('the table always throttles and cancels the transaction', WRITES, 'write', [...THROTTLES, ...BUSY]),
  row('a conflict always cancels the transaction', WRITES, 'write', ['in conflict']),
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
    'the response comes too late and then a conflict always cancels',
    WRITES,
    'write',
    ['late response', 'in conflict'],
    {
      applied: true,
    },
  ),
].map((each) => ({ ...each, lasts: true }));

/** Two concurrent writes to the same items. */
export interface Pair {
  ours: Operation;
  other: Operation;
  /** The subject of the other request, if it is another one. */
  about?: (subject: Subject) => Subject;
}
export const PAIRS: Pair[] = [
  { ours: 'archiveBranch', other: 'archiveBranch' },
  { ours: 'createTerminals', other: 'createTerminals' },
  { ours: 'deleteTerminal', other: 'deleteTerminal' },
  { ours: 'updateTerminal', other: 'archiveTerminal' },
  {
    ours: 'reassignTerminal',
    other: 'archiveBranch',
    about: (subject) => ({ ...subject, mid: subject.target }),
  },
  { ours: 'createBranch', other: 'createBranch', about: ({ caller, mid }) => subjectOf(`2${mid}`, caller) },
];

/** What happens to the first copy of our write, and the order in which the two take effect. */
export const ORDERS = [
  { failure: 'cut off, while another request writes', first: 'they' },
  { failure: 'overtaken, while another request writes', first: 'they' },
  { failure: 'lost, while another request writes', first: 'we' },
] as const;
