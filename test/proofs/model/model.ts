import { BRANCH_OPERATIONS } from './branches.ts';
import { EVENT_OPERATIONS } from './events.ts';
import { LOOKUP_OPERATIONS } from './lookups.ts';
import { ok, Rejection } from './responses.ts';
import {
  type Acquirer,
  type ApiResponse,
  type Call,
  inOneCase,
  type Operations,
  type State,
  type Times,
  TURN_PARTNERSHIP,
} from './state.ts';
import { TERMINAL_OPERATIONS } from './terminals.ts';

/*
 * The API in memory, simple and slow: the response of every operation to valid input, and the state after it. It shares
 * nothing with lib/ and works differently where it can: it counts what lib/ stores as counts, and archiving a branch
 * archives each of its terminals.
 */

/** All operations. */
const OPERATIONS: Operations = {
  ...BRANCH_OPERATIONS,
  ...TERMINAL_OPERATIONS,
  ...LOOKUP_OPERATIONS,
  ...EVENT_OPERATIONS,
  [TURN_PARTNERSHIP]({ acquirers }, { path: { distributor, provider } }) {
    const turn = (id?: string, partner = '') => {
      const acquirer = acquirers.find((each) => each.id === id) as Acquirer;
      const others = acquirer.partners.filter((each) => each !== partner);
      acquirer.partners = others.length < acquirer.partners.length ? others : [...others, partner];
    };
    turn(distributor, provider);
    turn(provider, distributor);
    return ok(null);
  },
};

/** Operations that accept an Idempotency-Key. */
const KEYED: Call['operation'][] = ['createBranch', 'createTerminals', 'reassignTerminal'];

const REUSED =
  'You used this Idempotency-Key for a different request within the last 24 hours. Use a new key for each request.';

/** The earlier response to a request with this key. */
function savedResponse({ saved }: State, caller: Acquirer, key: string, request: string): ApiResponse | undefined {
  const before = saved.find((each) => each.caller === caller.id && each.key === key);
  if (before && before.request !== request)
    throw new Rejection('idempotency_key_reused', REUSED, [
      { pointer: '', code: 'idempotency_key_reused', detail: REUSED },
    ]);
  return before && { ...before.response, isReplayed: true };
}

/** Orders what has no order, so that calls in two orders can lead to the same state. */
function ordered(state: State): State {
  const sort = <T>(items: T[], key: (item: T) => string) => items.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  sort(state.businesses, ({ uuid }) => uuid);
  sort(state.branches, ({ mid }) => mid);
  sort(state.terminals, ({ tid }) => tid);
  sort(state.saved, ({ caller, key }) => `${caller} ${key}`);
  sort(state.changes, ({ request_id }) => request_id);
  return state;
}

/**
 * The response to a call in a state, and the state after it.
 *
 * @param items The state from which a list reads its items, if it is another one than that of their count.
 */
export function responseOf(
  state: State,
  { operation, query, cursor, ...call }: Call,
  times: Times,
  items: State = state,
): { response: ApiResponse; state: State } {
  const { changes, ...rest } = state;
  const next: State = { ...JSON.parse(JSON.stringify(rest)), changes: [...changes] };
  try {
    const caller = state.acquirers.find(({ id }) => id === call.caller) as Acquirer;
    const path = Object.fromEntries(Object.entries(call.path).map(([name, value]) => [name, inOneCase(value)]));
    const body = call.body ?? {};
    const key = KEYED.includes(operation) ? call.headers['idempotency-key'] : undefined;
    const request = JSON.stringify([operation, path, key && body]);
    const before = key === undefined ? undefined : savedResponse(state, caller, key, request);
    if (before) return { response: before, state };
    const response = OPERATIONS[operation](next, { caller, path, query, body, times, cursor, items });
    if (key !== undefined) next.saved.push({ caller: caller.id, key, request, response });
    return { response, state: ordered(next) };
  } catch (rejection) {
    if (!(rejection instanceof Rejection)) throw rejection;
    return { response: rejection.response, state };
  }
}
