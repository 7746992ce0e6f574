import {
  INVALID_IDEMPOTENCY_KEY,
  INVALID_KEY,
  MALFORMED,
  REUSED,
  unknownField,
  unknownParameter,
} from '../../support/constants.ts';
import type { Operation } from '../../support/invoke.ts';
import { cleaned, fieldErrorsOf, inOneCase, meaningOf, takesBody, unknownFields } from './bodies.ts';
import { BRANCH_OPERATIONS } from './branches.ts';
import { EVENT_OPERATIONS } from './events.ts';
import { QUERY } from './lists.ts';
import { IDENTIFIERS, LOOKUP_OPERATIONS } from './lookups.ts';
import { expectFieldErrors, Rejection } from './responses.ts';
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
    throw new Rejection('malformed_json', MALFORMED);
  }
}

/** The known query parameters of each operation. */
const PARAMETERS: Partial<Record<Operation, string[]>> = {
  listBranches: Object.keys(QUERY),
  listTerminals: Object.keys(QUERY),
  listEvents: ['after', 'limit'],
  getBranchHistory: ['before', 'limit'],
  getTerminalHistory: ['before', 'limit'],
  lookup: ['search'],
  find: [...IDENTIFIERS, 'payment_provider'],
};

/** A success with warnings for unknown fields and parameters. */
function warned(
  { operation, path, query }: Pick<Call, 'operation' | 'path' | 'query'>,
  body: unknown,
  response: ApiResponse,
) {
  const known = [
    ...(PARAMETERS[operation] ?? []),
    ...(operation === 'lookup' && path['method'] === 'masterMerchants' ? ['payment_provider'] : []),
  ];
  const warnings = [
    ...Object.keys(query)
      .filter((name) => !known.includes(name))
      .map(unknownParameter),
    ...unknownFields(operation, (body ?? {}) as Record<string, unknown>).map(unknownField),
  ];
  return warnings.length > 0 ? { ...response, body: { ...(response.body as object), warnings } } : response;
}

/** Operations that accept an Idempotency-Key. */
const KEYED: Operation[] = ['createBranch', 'createTerminals', 'reassignTerminal'];

/** The earlier response to a request with this key. */
function savedResponse({ saved }: State, caller: Acquirer, key: string, request: string): ApiResponse | undefined {
  if (!/^[!-~]{1,255}$/.test(key)) throw new Rejection('invalid_idempotency_key', INVALID_IDEMPOTENCY_KEY);
  const before = saved.find((each) => each.caller === caller.id && each.key === key);
  if (before && before.request !== request)
    throw new Rejection('idempotency_key_reused', REUSED, [
      { pointer: '', code: 'idempotency_key_reused', detail: REUSED },
    ]);
  return before && { ...before.response, isReplayed: true };
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
    if (!caller) throw new Rejection('invalid_api_key', INVALID_KEY);
    const path = Object.fromEntries(Object.entries(call.path).map(([name, value]) => [name, inOneCase(value)]));
    const sent = takesBody(operation) ? parsed(call.body) : undefined;
    expectFieldErrors(fieldErrorsOf(operation, sent as never, caller));
    const body = cleaned(sent);
    const asked = { operation, path, query };
    const key = KEYED.includes(operation) ? call.headers['idempotency-key'] : undefined;
    const request = JSON.stringify([operation, path, key && meaningOf(body as never, caller)]);
    const before = key === undefined ? undefined : savedResponse(state, caller, key, request);
    if (before) return { response: warned(asked, sent, before), state };
    const response = OPERATIONS[operation](next, { caller, path, query, body, times, cursor, items });
    if (key !== undefined) next.saved.push({ caller: caller.id, key, request, response });
    return { response: warned(asked, sent, response), state: next };
  } catch (rejection) {
    if (!(rejection instanceof Rejection)) throw rejection;
    return { response: rejection.response, state };
  }
}
