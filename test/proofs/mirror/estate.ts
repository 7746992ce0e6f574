import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { createClient } from '../../../docs/client/client.ts';
import { ENDPOINTS } from '../../../infra/template/definitions.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { table } from '../../../lib/table/client.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import type { ApiResponse, Operation, Request } from '../../support/invoke.ts';
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
export const ACQUIRERS_OF = {
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
  ids: Record<Name, string>;
  keys: Record<Name, string>;
  keyIds: Record<Name, string>;
}

export async function newEstate(): Promise<Estate> {
  const ids = {} as Estate['ids'];
  const keys = {} as Estate['keys'];
  const keyIds = {} as Estate['keyIds'];
  await Promise.all(
    NAMES.map(async (name) => {
      const id = randomUUID();
      await createAcquirer({ id, type: ACQUIRERS[name], name });
      ids[name] = id;
      const { api_key, key_id } = await issueApiKey(id, 'mirror');
      keys[name] = api_key;
      keyIds[name] = key_id;
    }),
  );
  const partners = (['D1', 'D2'] as const).flatMap((distributor) => [
    linkPartners(ids[distributor], ids.P1),
    linkPartners(ids[distributor], ids.P2),
  ]);
  await Promise.all(partners);
  return { prefix: unique('E'), ids, keys, keyIds };
}

/** Failures of the first write of a request. */
const FAILURES = {
  'the response is lost': async (write: () => Promise<unknown>) => {
    await write();
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  },
  'the connection is closed before it': () =>
    Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })),
  'it conflicts with another write': () =>
    Promise.reject(
      new TransactionCanceledException({
        $metadata: {},
        message: 'TransactionConflict',
        CancellationReasons: [{ Code: 'TransactionConflict' }],
      }),
    ),
} satisfies Record<string, (write: () => Promise<unknown>) => Promise<unknown>>;
export type FailureName = keyof typeof FAILURES;

const failing = new AsyncLocalStorage<{ failure: FailureName | undefined }>();

/** Number of failures injected so far. */
export const injected = { failures: 0 };

/** Injects the failures of {@link withFailure} into writes. */
export function installFailures(): void {
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const plan = failing.getStore();
        const failure = commandName === 'TransactWriteItemsCommand' ? plan?.failure : undefined;
        if (!plan || !failure) return next(args);
        plan.failure = undefined;
        injected.failures += 1;
        return FAILURES[failure](() => next(args)) as never;
      },
    // Within the SDK's retries.
    { step: 'finalizeRequest', priority: 'low', name: 'failures' },
  );
}

export const withFailure = <T>(failure: FailureName | undefined, work: () => Promise<T>): Promise<T> =>
  failing.run({ failure }, work);

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

const one = fc.constantFrom;
const terminal = one(...TERMINALS);
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

const change: fc.Arbitrary<Omit<Change, 'mark'>> = fc.record({
  operation: fc.oneof(...WEIGHTS.map(([weight, operation]) => ({ weight, arbitrary: fc.constant(operation) }))),
  caller: one<Name>('P1', 'P1', 'P1', 'P1', 'P1', 'D1', 'D1', 'D2', 'P2'),
  mid: one(...MIDS),
  terminals: fc.uniqueArray(terminal, { minLength: 1, maxLength: 3 }),
  isEmpty: rarely(6),
  failure: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: one(...(Object.keys(FAILURES) as FailureName[])) },
  ),
  isReplay: rarely(6),
});

/** A sequence of changes. */
export const changes = (name: string, constraints: fc.ArrayConstraints): fc.Arbitrary<Change[]> =>
  fc.array(change, { size: 'max', ...constraints }).map((all) =>
    all.map((each, at) => {
      const { operation, mid, caller } = each;
      const [provider, ...others] = ACQUIRERS_OF[mid] as Name[];
      // The branch of another acquirer would have other acquirers.
      const creator = operation === 'createBranch' && !others.includes(caller) ? (provider as Name) : caller;
      return { ...each, caller: creator, mark: name + at };
    }),
  );

/** A sequence of creates of branches, each with some of the terminals. */
export const founding: fc.Arbitrary<Change[]> = fc
  .tuple(fc.subarray(MIDS, { minLength: 3 }), fc.array(one(0, 0, 0, 0, 1, 1, 2, 3, 9), { minLength: 6, maxLength: 6 }))
  .map(([mids, places]) =>
    mids.map((mid, at) => ({
      operation: 'createBranch',
      caller: ACQUIRERS_OF[mid][0],
      mid,
      mark: mid,
      isEmpty: false,
      failure: undefined,
      terminals: TERMINALS.filter((_, terminal) => places[terminal] === at),
      isReplay: false,
    })),
  );

/** The request that makes a change. */
export function requestOf({ prefix, ids, keys }: Estate, change: Change): Request {
  const { operation, caller, mark, isEmpty } = change;
  const mid = prefix + change.mid;
  const terminals = change.terminals.map((name) => ({ terminal_id: prefix + name, terminal_model: mark }));
  const id = tidOf(prefix + change.terminals[0]);
  const [provider, distributor] = ACQUIRERS_OF[change.mid] as [Name, Name?];
  const partner = caller === provider ? distributor && { distributor: ids[distributor] } : undefined;
  const acquirers = ACQUIRERS[caller] === 'DISTRIBUTOR' ? { payment_provider: ids[provider] } : partner;
  const requests: Partial<Record<Operation, Request>> = {
    createBranch: {
      body: { mid, master_merchant_id: prefix, ...acquirers, ...(terminals.length > 0 && { terminals }) },
    },
    // Most terminals exist already.
    createTerminals: { path: { id: mid }, body: { terminals: terminals.slice(0, isEmpty ? 2 : 1) } },
    updateTerminal: { path: { id }, body: isEmpty ? { serial_no: null } : { terminal_model: mark } },
    archiveTerminal: { path: { id }, body: { reason: mark } },
    restoreTerminal: { path: { id } },
    reassignTerminal: { path: { id }, body: { mid } },
    deleteTerminal: { path: { id } },
    archiveBranch: { path: { mid } },
  };
  const request = requests[operation] as Request;
  return {
    ...request,
    key: keys[caller],
    ...(ENDPOINTS[operation]?.events[0].httpApi?.startsWith('POST') && { headers: { 'idempotency-key': mark } }),
  };
}

/** A change that was tried and its response, which the sender may not have received. */
export interface Tried {
  change: Change;
  response: ApiResponse;
}

/** Makes changes one after another. `attempt` sends each request. */
export async function make(
  estate: Estate,
  all: Change[],
  attempt: (change: Change, request: Request) => Promise<ApiResponse>,
): Promise<Tried[]> {
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

/** Sends a request to the API. */
export type Send = (operation: Operation, request: Request) => Promise<ApiResponse>;

const ROUTES = Object.entries(ENDPOINTS).flatMap(([operation, endpoint]) => {
  const [method, path = ''] = endpoint.events[0].httpApi?.split(' ') ?? [];
  const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  return [{ operation: operation as Operation, method, pattern }];
});

const sending = new AsyncLocalStorage<Send>();

/** Runs `work` with clients of {@link clientOf} that send their requests by `send`. */
export const sendingBy = <T>(send: Send, work: () => Promise<T>): Promise<T> => sending.run(send, work);

/** The typed client of an acquirer in an estate. */
export const clientOf = ({ keys }: Estate, name: Name) =>
  createClient({ baseUrl: 'https://api.example.com', apiKey: keys[name] });

/** The `fetch` of these clients. */
export async function fetchBySender(input: unknown): Promise<Response> {
  const { method, url, headers } = input as globalThis.Request;
  const { pathname, searchParams } = new URL(url);
  const route = ROUTES.find((each) => each.method === method && each.pattern.test(pathname));
  const send = sending.getStore();
  if (!route || !send) throw new Error(`No sender for ${method} ${url}`);
  const path = { ...route.pattern.exec(pathname)?.groups };
  const query = Object.fromEntries(searchParams);
  const response = await send(route.operation, { key: headers.get('API-KEY') ?? '', path, query });
  return new Response(JSON.stringify(response.body), response);
}
