import { setImmediate as macrotask } from 'node:timers/promises';
import type { BatchGetCommandInput, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { jest } from '@jest/globals';
import { cancelled, lost, named, throttled } from '../../lib/table/errors.ts';
import { intercept, release, type Send } from '../../lib/table/intercept.ts';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { fillQuota } from '../../support/quota.ts';
import { eventsIn, storedBy } from '../../support/stored.ts';

/*
 * Failures of attempts to send requests to the table, in the forms in which the SDK throws them, and what they lead to.
 */

/** An attempt to send a request. */
interface Attempt {
  send: Send;
  input: BatchGetCommandInput & TransactWriteCommandInput;
  /** Has the table get the request after its sender has responded. */
  hold: () => void;
  /** Makes another request of a partner. */
  meanwhile: () => Promise<unknown>;
}

const noResponse = () => named('TimeoutError');
const cancelledFor = ({ input: { TransactItems = [] } }: Attempt, code: string) =>
  Promise.reject(cancelled(...TransactItems.map((_, at) => (at === 0 ? code : 'None'))));

/** "Lost" failures come after the table has applied a request, "cut off" ones before. */
const FAILURES = {
  throttled: () => Promise.reject(throttled()),
  'cancelled as throttled': (attempt) => cancelledFor(attempt, 'ThrottlingError'),
  'in conflict': (attempt) => cancelledFor(attempt, 'TransactionConflict'),
  'in progress': () => Promise.reject(named('TransactionInProgressException')),
  'left unprocessed': async ({ input: { RequestItems } }) => ({
    response: { headers: {} },
    output: { $metadata: {}, Responses: {}, UnprocessedKeys: RequestItems },
  }),
  'internal server error': () =>
    Promise.reject(Object.assign(new Error('no'), { $fault: 'server', $metadata: { httpStatusCode: 500 } })),
  'cut off': () => Promise.reject(lost()),
  'no response': () => Promise.reject(noResponse()),
  lost: ({ send }) => send().then(() => Promise.reject(lost())),
  'late response': ({ send }) => send().then(() => Promise.reject(noResponse())),
  'half a response': ({ send }) =>
    send().then(() => Promise.reject(Object.assign(new SyntaxError('{'), { $response: {} }))),
  overtaken: ({ hold }) => {
    hold();
    return Promise.reject(noResponse());
  },
  'cut off, while another request writes': ({ meanwhile }) => meanwhile().then(() => Promise.reject(lost())),
  'overtaken, while another request writes': ({ hold, meanwhile }) => {
    hold();
    return meanwhile().then(() => Promise.reject(noResponse()));
  },
  'lost, while another request writes': ({ send, meanwhile }) =>
    send()
      .then(meanwhile)
      .then(() => Promise.reject(lost())),
} satisfies Record<string, (attempt: Attempt) => Promise<unknown>>;
export type FailureName = keyof typeof FAILURES;

/** Which requests fail: all, the reads, the batches, or the write. */
const TARGETS = {
  all: () => true,
  reads: (operation: string) => operation !== 'TransactWriteItems',
  batch: (operation: string) => operation === 'BatchGetItem',
  write: (operation: string) => operation === 'TransactWriteItems',
};

/** The failures to inject: one for each attempt of the same request. If it lasts, the last one repeats. */
export interface Plan {
  target: keyof typeof TARGETS;
  failures: FailureName[];
  lasts?: boolean;
}

export interface Call {
  operation: Operation;
  request: Request;
}
const send = ({ operation, request }: Call) => call(operation, request);

/** Time passes only with failures, so it does not depend on the machine how many fit into a retry budget. */
let clock = performance.now();
export function stopTime(): void {
  jest.spyOn(performance, 'now').mockImplementation(() => clock);
  // Pauses before retries are as short as they can be.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
}

/** What a call did, in a form in which it is equal for two subjects exactly if the same happened to both. */
export interface Outcome {
  response: ApiResponse;
  effect: unknown;
  /** The changed items only. */
  changes: unknown;
  /** The table requests, those of them that failed, and those that were sent after the response. */
  sent: number;
  failed: number;
  late: number;
}

/**
 * Makes a call while its table requests fail by a plan, if there is one.
 *
 * @param other Another call, which is made between our write and its retry, before ours or after it.
 */
export async function outcomeOf(ours: Call, plan?: Plan, other?: Call, order?: 'before' | 'after'): Promise<Outcome> {
  fillQuota();
  let [sent, failed] = [0, 0];
  let others: ApiResponse | undefined;
  const attempts = new Map<string, number>();
  const held: Send[] = [];
  const meanwhile = async () => {
    others ??= other && (await send(other));
  };
  let isOther = false;
  intercept(async (forward, { operation, input }) => {
    if (isOther) return forward();
    sent += 1;
    // A transaction that is built anew has another text but is still the operation's one write.
    const name = TARGETS.write(operation) ? operation : JSON.stringify(input);
    const attempt = attempts.get(name) ?? 0;
    attempts.set(name, attempt + 1);
    const { target, failures, lasts }: Plan = plan ?? { target: 'all', failures: [] };
    const failure = TARGETS[target](operation) && failures[lasts ? Math.min(attempt, failures.length - 1) : attempt];
    if (!failure) return forward();
    failed += 1;
    clock += lasts ? 400 : 10;
    return FAILURES[failure]({
      send: forward,
      input: input as never,
      hold: () => held.push(forward),
      meanwhile: async () => {
        isOther = true;
        await meanwhile();
        isOther = false;
      },
    });
  }, 'deserialize');
  let late = 0;
  const { response, changed, events } = await storedBy(async () => {
    if (order === 'before') await meanwhile();
    const response = await send(ours);
    const before = sent;
    for (let turn = 0; turn < 3; turn += 1) await macrotask();
    late = sent - before;
    release();
    if (order === 'after') await meanwhile();
    // A copy may be refused when it arrives at last.
    for (const forward of held) await forward().catch(() => {});
    return response;
  });
  release();
  const items = Object.entries(changed).map(([key, item]) => ({ key, item }));
  const changes = numbered([items, events ?? eventsIn({})]);
  return { response, effect: numbered([items, events, response, others]), changes, sent, failed, late };
}

/**
 * Secrets of webhooks, sealed and not, and their slots and partitions; times, positions in a feed, UUIDs, ids with a tag,
 * UUIDs in base64url, and ids of API keys.
 */
const VARYING = new RegExp(
  [
    String.raw`eyJ[\w-]+(?:\.[\w-]*){4}|whsec_[\w+/=]+|SLOT#\d|DUE#\d`,
    String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`,
    String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`,
    String.raw`\b[\da-f]{8}-[\da-f]{4}\b(?!-)`,
    String.raw`(?:[\da-f]{7}x){4}`,
    String.raw`(?<![\w-])[\w-]{22}(?![\w-])`,
    String.raw`\b[\da-f]{12}\b|\b[\da-f]{64}\b`,
  ].join('|'),
  'g',
);

/**
 * The end of a retention and a cursor are made of a time, which is stored beside them, as is the position of a branch
 * that is not ranked yet.
 */
function madeOf(name: string, value: unknown) {
  const isMade = name === 'ttl' || name.endsWith('_position') || (name === 'next' && !`${value}`.startsWith('https:'));
  return isMade && value !== null ? '<made>' : value;
}

/** A value with times and ids numbered in order. It differs if, say, a response has another time than an item. */
function numbered([items, ...others]: [{ key: string }[], ...unknown[]]): unknown {
  const shapeOf = (item: object) => JSON.stringify(item).replace(VARYING, '');
  const sorted = items.toSorted((a, b) => (shapeOf(a) < shapeOf(b) ? -1 : 1));
  const seen: string[] = [];
  const number = (each: string) => {
    if (!seen.includes(each)) seen.push(each);
    return `#${seen.indexOf(each)}`;
  };
  return JSON.parse(JSON.stringify([sorted, ...others], madeOf).replace(VARYING, number));
}
