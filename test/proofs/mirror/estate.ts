import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Client } from 'acquirer-partner-api-client';
import fc from 'fast-check';
import { subjectOf, requestOf as validRequest } from '../../../infra/contract/calls.ts';
import { ENDPOINTS } from '../../../infra/template/definitions.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { table } from '../../../lib/table/client.ts';
import { cancelled, lost } from '../../lib/table/errors.ts';
import type { ApiResponse, Operation, Request } from '../../support/api.ts';
import { unique } from '../../support/world.ts';

/*
 * A small estate of two payment providers and two distributors, with few branches and terminals, so changes conflict.
 */

const ACQUIRERS = {
  P1: 'PAYMENT_PROVIDER',
  P2: 'PAYMENT_PROVIDER',
  D1: 'DISTRIBUTOR',
  D2: 'DISTRIBUTOR',
} as const;
export type Name = keyof typeof ACQUIRERS;
export const NAMES = Object.keys(ACQUIRERS) as Name[];

/** The acquirers of each branch. Some branches that terminals move between share a distributor, others do not. */
const ACQUIRERS_OF = {
  M1: ['P1', 'D1'],
  M2: ['P1', 'D2'],
  M3: ['P1'],
  M4: ['P1', 'D1'],
  M5: ['P2', 'D1'],
} satisfies Record<string, [provider: Name, distributor?: Name]>;
export type Mid = keyof typeof ACQUIRERS_OF;
const MIDS = Object.keys(ACQUIRERS_OF) as Mid[];
const TERMINALS = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6'];

/** The acquirers, branches and terminals of one sequence. No other sequence has any of them. */
export interface Estate {
  prefix: string;
  callers: Record<Name, { id: string; api_key: string; key_id: string }>;
}

export async function newEstate(): Promise<Estate> {
  const callers = {} as Estate['callers'];
  const create = async (name: Name) => {
    const id = randomUUID();
    await createAcquirer({ id, type: ACQUIRERS[name], name });
    callers[name] = { id, ...(await issueApiKey(id, 'mirror')) };
  };
  await Promise.all(NAMES.map(create));
  for (const distributor of [callers.D1, callers.D2])
    for (const provider of [callers.P1, callers.P2]) await linkPartners(distributor.id, provider.id);
  return { prefix: unique('E'), callers };
}

type Failure = (write: () => Promise<unknown>) => Promise<unknown>;

/** Failures of the first write of a request. */
const FAILURES = {
  'the response is lost': (write) => write().then(() => Promise.reject(lost())),
  'the connection is closed before it': () => Promise.reject(lost()),
  'it conflicts with another write': () => Promise.reject(cancelled('TransactionConflict')),
} satisfies Record<string, Failure>;
export type FailureName = keyof typeof FAILURES;

const failing = new AsyncLocalStorage<{ failure: Failure | undefined }>();

/** Number of failures injected so far. */
export const injected = { failures: 0 };

/** Injects the failures of {@link withFailure} and {@link dying} into writes. */
export function installFailures(): void {
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const plan = failing.getStore();
        const failure = commandName === 'TransactWriteItemsCommand' ? plan?.failure : undefined;
        if (!plan || !failure) return next(args);
        plan.failure = undefined;
        injected.failures += 1;
        return failure(() => next(args)) as never;
      },
    // Within the SDK's retries.
    { step: 'finalizeRequest', priority: 'low', name: 'failures' },
  );
}

export const withFailure = <T>(name: FailureName | undefined, work: () => Promise<T>): Promise<T> =>
  failing.run({ failure: name && FAILURES[name] }, work);

/** Runs some work until its first write is applied. Then it stops for good, as when its process dies. */
export const dying = (work: () => Promise<unknown>): Promise<void> =>
  new Promise((died, fail) => {
    const failure: Failure = async (write) => {
      await write();
      died();
      return new Promise(() => {});
    };
    failing.run({ failure }, work).then(() => fail(new Error('Nothing was written.')), fail);
  });

/** A change to try. */
export interface Change {
  operation: Operation;
  caller: Name;
  mid: Mid;
  terminals: string[];
  /** A text that no other change has. */
  mark: string;
  /** Whether it changes nothing. */
  isEmpty: boolean;
  failure: FailureName | undefined;
  /** Whether the request is sent again, as after a lost response or the death of its process. */
  isReplay: boolean;
}

/** A change without a failure, by P1. */
export const change = (operation: Operation, mid: Mid, ...terminals: string[]): Change => ({
  operation,
  caller: 'P1',
  mid,
  terminals,
  mark: [operation, mid, ...terminals].join('-'),
  isEmpty: false,
  failure: undefined,
  isReplay: false,
});

const one = fc.constantFrom;
const rarely = (times: number) => fc.nat(times).map((dice) => dice === times);

/** How often each operation is tried. */
const WEIGHTS: [weight: number, operation: Operation][] = [
  [1, 'createBranch'],
  [5, 'createTerminals'],
  [4, 'updateTerminal'],
  [3, 'archiveTerminal'],
  [3, 'restoreTerminal'],
  [8, 'reassignTerminal'],
  [6, 'deleteTerminal'],
  [1, 'archiveBranch'],
];

const anyChange: fc.Arbitrary<Omit<Change, 'mark'>> = fc.record({
  operation: fc.oneof(...WEIGHTS.map(([weight, operation]) => ({ weight, arbitrary: fc.constant(operation) }))),
  caller: one<Name>('P1', 'P1', 'P1', 'P1', 'P1', 'D1', 'D1', 'D2', 'P2'),
  mid: one(...MIDS),
  terminals: fc.uniqueArray(one(...TERMINALS), { minLength: 1, maxLength: 3 }),
  isEmpty: rarely(6),
  failure: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: one(...(Object.keys(FAILURES) as FailureName[])) },
  ),
  isReplay: rarely(6),
});

/** A sequence of changes. */
export const changes = (name: string, constraints: fc.ArrayConstraints): fc.Arbitrary<Change[]> =>
  fc.array(anyChange, { size: 'max', ...constraints }).map((all) =>
    all.map((each, at) => {
      const { operation, mid, caller } = each;
      const [provider, ...others] = ACQUIRERS_OF[mid] as Name[];
      // The branch of another acquirer would have other acquirers.
      const creator = operation === 'createBranch' && !others.includes(caller) ? (provider as Name) : caller;
      return { ...each, caller: creator, mark: name + at };
    }),
  );

/** Three sequences of changes to make at the same time. */
export const writers = fc.tuple(...['a', 'b', 'c'].map((name) => changes(name, { minLength: 1, maxLength: 8 })));

/** A sequence of creates of branches, each with some of the terminals. */
export const founding: fc.Arbitrary<Change[]> = fc
  .tuple(fc.subarray(MIDS, { minLength: 3 }), fc.array(one(0, 0, 0, 0, 1, 1, 2, 3, 9), { minLength: 6, maxLength: 6 }))
  .map(([mids, places]) =>
    mids.map((mid, at) => ({
      ...change('createBranch', mid, ...TERMINALS.filter((_, terminal) => places[terminal] === at)),
      caller: ACQUIRERS_OF[mid][0],
    })),
  );

/** The request that makes a change. */
function requestOf({ prefix, callers }: Estate, { operation, caller, mark, isEmpty, ...change }: Change): Request {
  const mid = prefix + change.mid;
  const terminals = change.terminals.map((name) => ({ terminal_id: prefix + name, terminal_model: mark }));
  const [provider, distributor] = ACQUIRERS_OF[change.mid] as [Name, Name?];
  const bodies: Partial<Record<Operation, object>> = {
    createBranch: {
      mid,
      master_merchant_id: prefix,
      payment_provider: callers[provider].id,
      ...(distributor && { distributor: callers[distributor].id }),
      ...(terminals.length > 0 && { terminals }),
    },
    // Most terminals exist already.
    createTerminals: { terminals: terminals.slice(0, isEmpty ? 2 : 1) },
    updateTerminal: isEmpty ? { serial_no: null } : { terminal_model: mark },
    archiveTerminal: { reason: mark },
  };
  const subject = subjectOf('', { id: callers[caller].id, type: ACQUIRERS[caller] });
  const valid = validRequest(operation as Exclude<Operation, 'unknownRoute'>, {
    ...subject,
    mid,
    target: mid,
    terminal_id: prefix + change.terminals[0],
  });
  const key = callers[caller].api_key;
  return { ...valid, key, body: bodies[operation] ?? valid.body, headers: { 'idempotency-key': mark } };
}

/** Sends a request to the API. */
export type Send = (operation: Operation, request: Request) => Promise<ApiResponse>;
/** Sends the request of a change. */
export type Attempt = (change: Change, request: Request) => Promise<ApiResponse>;

/** A change that was tried and its response, which the sender may not have received. */
export interface Tried {
  change: Change;
  response: ApiResponse;
}

/** Makes changes one after another. */
export async function make(estate: Estate, all: Change[], attempt: Attempt): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const change of all) {
    const request = requestOf(estate, change);
    tried.push({ change, response: await attempt(change, request) });
    // A repeated update changes nothing, unless another update came between.
    if (!change.isReplay || change.operation === 'updateTerminal') continue;
    tried.push({ change, response: await attempt({ ...change, failure: undefined }, request) });
  }
  return tried;
}

const GETS = Object.fromEntries(
  Object.entries(ENDPOINTS).map(([operation, { events }]) => [events[0].httpApi, operation as Operation]),
);

/** The client of an acquirer in an estate, whose requests are sent by `send`. */
export const clientOf = ({ callers }: Estate, name: Name, send: Send): Client =>
  ({
    async GET(route: string, { params }: { params: Pick<Request, 'path' | 'query'> }) {
      const query = Object.fromEntries(Object.entries(params.query ?? {}).map(([key, value]) => [key, String(value)]));
      const request = { key: callers[name].api_key, ...params, query };
      const { status, body } = await send(GETS[`GET ${route}`] as Operation, request);
      return status < 300 ? { data: body } : { error: body };
    },
  }) as unknown as Client;
