import type { Client } from 'acquirer-partner-api-client';
import fc from 'fast-check';
import { type ApiOperation, subjectOf, requestOf as validRequest } from '../../../infra/publish/contract/calls.ts';
import { ENDPOINTS } from '../../../infra/stack/template/definitions.ts';
import type { Event } from '../../../lib/events/event.ts';
import type { ApiResponse, Operation, Request } from '../../support/api.ts';
import { CAST, type CastName, filled, type Send, type World } from '../../support/cast.ts';

/*
 * Changes by acquirers of a cast, to few branches and terminals, so they conflict.
 */

/** The acquirers that have branches. The terminals of the first one move. */
export const NAMES = ['P2', 'P1', 'D1', 'D2'] as const satisfies CastName[];
export type Name = (typeof NAMES)[number];

/** The acquirers of each branch. Some branches that terminals move between share a distributor, others do not. */
const ACQUIRERS_OF = {
  M1: ['P2', 'D1'],
  M2: ['P2', 'D2'],
  M3: ['P2'],
  M4: ['P2', 'D1'],
  M5: ['P1', 'D1'],
} satisfies Record<string, [provider: Name, distributor?: Name]>;
type Mid = keyof typeof ACQUIRERS_OF;
const MIDS = Object.keys(ACQUIRERS_OF) as Mid[];
const TERMINALS = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6'];

const idOf = ({ names }: World, name: string): string => names.get(name) as string;
export const callerOf = (world: World, name: Name) => world.callers.get(idOf(world, name)) ?? {};

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
  /** Whether the request is sent again, as after a lost response. */
  isReplay: boolean;
}

/** A change by P2. */
const change = (operation: Operation, mid: Mid, ...terminals: string[]): Change => ({
  operation,
  caller: 'P2',
  mid,
  terminals,
  mark: [operation, mid, ...terminals].join('-'),
  isEmpty: false,
  isReplay: false,
});

const one = fc.constantFrom;
const rarely = (times: number) => fc.nat(times).map((dice) => dice === times);

/** The changes: the type of event that the payment provider sees of each, and how often it is tried. */
const KINDS: [weight: number, operation: Operation, type: Event['type']][] = [
  [1, 'createBranch', 'branch.created'],
  [5, 'createTerminals', 'terminals.created'],
  [4, 'updateTerminal', 'terminal.updated'],
  [3, 'archiveTerminal', 'terminal.archived'],
  [3, 'restoreTerminal', 'terminal.restored'],
  [8, 'reassignTerminal', 'terminal.reassigned'],
  [6, 'deleteTerminal', 'terminal.deleted'],
  [2, 'archiveBranch', 'branch.archived'],
  [2, 'restoreBranch', 'branch.restored'],
  [2, 'updateBranch', 'branch.updated'],
];
export const TYPES = new Map(KINDS.map(([, operation, type]) => [operation, type]));

const anyChange: fc.Arbitrary<Omit<Change, 'mark'>> = fc.record({
  operation: fc.oneof(...KINDS.map(([weight, operation]) => ({ weight, arbitrary: fc.constant(operation) }))),
  caller: one<Name>('P2', 'P2', 'P2', 'P2', 'P2', 'D1', 'D1', 'D2', 'P1'),
  mid: one(...MIDS),
  terminals: fc.uniqueArray(one(...TERMINALS), { minLength: 1, maxLength: 3 }),
  isEmpty: rarely(6),
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
function requestOf(world: World, { operation, caller, mid, terminals, mark, isEmpty }: Change): Request {
  const [provider, distributor] = ACQUIRERS_OF[mid] as [Name, Name?];
  const created = terminals.map((name) => ({ terminal_id: `<${name}>`, terminal_model: mark }));
  const bodies: Partial<Record<Operation, object>> = {
    createBranch: {
      mid: `<${mid}>`,
      master_merchant_id: '<B1>',
      payment_provider: `<${provider}>`,
      ...(distributor && { distributor: `<${distributor}>` }),
      ...(created.length > 0 && { terminals: created }),
    },
    // Most terminals exist already.
    createTerminals: { terminals: created.slice(0, isEmpty ? 2 : 1) },
    updateBranch: isEmpty ? { city: null } : { branch_name: mark },
    updateTerminal: isEmpty ? { serial_no: null } : { terminal_model: mark },
    archiveTerminal: { reason: mark },
  };
  const valid = validRequest(operation as ApiOperation, {
    ...subjectOf('', { id: idOf(world, caller), type: CAST[caller].type }),
    mid: idOf(world, mid),
    target: idOf(world, mid),
    terminal_id: idOf(world, terminals[0] ?? 'T1'),
  });
  const body = filled(bodies[operation], world.names) ?? valid.body;
  return { ...valid, ...callerOf(world, caller), body, headers: { 'idempotency-key': mark } };
}

/** A change that was tried and its response, which the sender may not have received. */
export interface Tried {
  change: Change;
  response: ApiResponse;
}

/** Makes changes one after another. */
export async function make(world: World, all: Change[], send: Send): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const change of all) {
    const request = requestOf(world, change);
    tried.push({ change, response: await send(change.operation, request) });
    // A repeated update changes nothing, unless another update came between.
    if (!change.isReplay || change.operation.startsWith('update')) continue;
    tried.push({ change, response: await send(change.operation, request) });
  }
  return tried;
}

const PARAMETER = /\{(\w+)\}/g;

/** The operations by route, with any names of parameters, each with the route's own names. */
const GETS = Object.fromEntries(
  Object.entries(ENDPOINTS).map(([operation, { events }]) => {
    const route = events[0].httpApi;
    const names = [...route.matchAll(PARAMETER)].map(([, name = '']) => name);
    return [route.replace(PARAMETER, '{}'), { operation: operation as Operation, names }];
  }),
);

/** The client of an acquirer, whose requests are sent by `send`. */
export const clientOf = (world: World, name: Name, send: Send): Client =>
  ({
    async GET(route: string, { params }: { params: Pick<Request, 'path' | 'query'> }) {
      const query = Object.fromEntries(Object.entries(params.query ?? {}).map(([key, value]) => [key, String(value)]));
      const { operation, names } = GETS[`GET ${route.replace(PARAMETER, '{}')}`] as (typeof GETS)[string];
      const values = Object.values(params.path ?? {});
      const path = Object.fromEntries(names.map((parameter, at) => [parameter, values[at] as string]));
      const { status, body } = await send(operation, { ...callerOf(world, name), path, query });
      return status < 300 ? { data: body } : { error: body };
    },
  }) as unknown as Client;
