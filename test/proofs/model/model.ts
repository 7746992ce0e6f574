import type { Operation } from '../../support/invoke.ts';
import { cleaned, fieldErrorsOf, inOneCase, meaningOf, takesBody, unknownFields } from './bodies.ts';
import { BRANCH_OPERATIONS } from './branches.ts';
import { EVENT_OPERATIONS } from './events.ts';
import { IDENTIFIERS, LOOKUP_OPERATIONS } from './lookups.ts';
import { expectFieldErrors, LIST_PARAMETERS, Rejection } from './responses.ts';
import type { Acquirer, ApiResponse, Call, Operations, State, Times } from './state.ts';
import { TERMINAL_OPERATIONS } from './terminals.ts';

/*
 * The API in memory, simple and slow: the response of every operation, and the state after it. It shares nothing with
 * lib/ and works differently where it can: it counts what lib/ stores as counts, and archiving a branch archives each
 * of its terminals.
 */

/** All operations. */
const OPERATIONS: Operations = {
  ...BRANCH_OPERATIONS,
  ...TERMINAL_OPERATIONS,
  ...LOOKUP_OPERATIONS,
  ...EVENT_OPERATIONS,
  unknownRoute() {
    throw new Rejection('not_found', 'No such operation. Check the method and the path.');
  },
};

function parsed(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body || '{}') : (body ?? {});
  } catch {
    const detail = 'Send a JSON object (RFC 8259) as the request body, without a key __proto__.';
    throw new Rejection('malformed_json', detail);
  }
}

/** The known query parameters of each operation. */
const PARAMETERS: Partial<Record<Operation, string[]>> = {
  listBranches: [...LIST_PARAMETERS, 'search'],
  listTerminals: LIST_PARAMETERS,
  listEvents: ['after', 'limit'],
  getBranchHistory: ['before', 'limit'],
  getTerminalHistory: ['before', 'limit'],
  lookup: ['search'],
  find: [...IDENTIFIERS, 'payment_provider'],
};

/** A success with warnings for unknown fields and parameters. */
function warned(caller: Acquirer, { operation, path, query }: Asked, body: unknown, response: ApiResponse) {
  const isFiltered = operation === 'lookup' && path['method'] === 'masterMerchants';
  const known = [...(PARAMETERS[operation] ?? []), ...(isFiltered ? ['payment_provider'] : [])];
  const parameters = Object.keys(query).filter((name) => !known.includes(name));
  const parameterWarning = { code: 'unknown_parameter', detail: 'Unknown query parameter. It was ignored.' };
  const fieldWarning = { code: 'unknown_field', detail: 'Unknown field. It was ignored.' };
  const warnings = [
    ...parameters.map((parameter) => ({ parameter, ...parameterWarning })),
    ...unknownFields(operation, body as never, caller).map((pointer) => ({ pointer, ...fieldWarning })),
  ];
  return warnings.length > 0 ? { ...response, body: { ...(response.body as object), warnings } } : response;
}

type Asked = Pick<Call, 'operation' | 'path' | 'query'>;

/** Operations that accept an Idempotency-Key. */
const KEYED: Operation[] = ['createBranch', 'createTerminals', 'reassignTerminal'];

const REUSED =
  'You used this Idempotency-Key for a different request within the last 24 hours. Use a new key for each request.';

/** The earlier response to a request with this key. */
function savedResponse({ saved }: State, caller: Acquirer, key: string, request: string): ApiResponse | undefined {
  if (!/^[!-~]{1,255}$/.test(key))
    throw new Rejection(
      'invalid_idempotency_key',
      'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces.',
    );
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
    const caller = state.acquirers.find(({ id }) => id === call.caller);
    if (!caller) throw new Rejection('invalid_api_key', 'Send a valid API key in the API-KEY header.');
    const path = Object.fromEntries(Object.entries(call.path).map(([name, value]) => [name, inOneCase(value)]));
    const sent = takesBody(operation) ? parsed(call.body) : {};
    expectFieldErrors(fieldErrorsOf(operation, sent as never, caller));
    const body = cleaned(sent);
    const asked = { operation, path, query };
    const key = KEYED.includes(operation) ? call.headers['idempotency-key'] : undefined;
    const request = JSON.stringify([operation, path, key && meaningOf(body as never, caller)]);
    const before = key === undefined ? undefined : savedResponse(state, caller, key, request);
    if (before) return { response: warned(caller, asked, sent, before), state };
    const response = OPERATIONS[operation](next, { caller, path, query, body, times, cursor, items });
    if (key !== undefined) next.saved.push({ caller: caller.id, key, request, response });
    return { response: warned(caller, asked, sent, response), state: ordered(next) };
  } catch (rejection) {
    if (!(rejection instanceof Rejection)) throw rejection;
    return { response: rejection.response, state };
  }
}
