import { deepStrictEqual } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { responseOf } from './model.ts';
import { branchOf, placeOf, showAsOf } from './resources.ts';
import type { Done } from './service.ts';
import type { ApiResponse, State } from './state.ts';

/*
 * Derives the state from responses. Concurrent calls are correct if, in some order, the model, which handles one call
 * at a time, returns exactly their responses. Only these may have parts of an earlier moment:
 * - An update does not depend on the status of the branch, so it returns the status that it has read, as does its
 *   event.
 * - A find reads a terminal and then its branch, so it may show a terminal as it was, archived or restored with its
 *   branch since. So may an update that changes nothing.
 * - Lists and histories send several requests to the table: first for the count, then for the items. No table can lock
 *   a whole list, so these may be of two moments. The items of terminals are never the earlier ones, because their
 *   status depends on the branch that has the count.
 */

type Outcome = ReturnType<typeof responseOf>;

const dataOf = <T>({ body }: ApiResponse): T | undefined => (body as { data?: T }).data;
const withData = (response: ApiResponse, data: unknown): ApiResponse => ({
  ...response,
  body: { ...(response.body as object), data },
});
const terminalIn = ({ terminals }: State, response: ApiResponse) =>
  terminals.find(({ tid }) => tid === dataOf<{ tid: string }>(response)?.tid);

/** An update and the state after it, with the status of its branch and terminal at an earlier moment. */
function updatedAsOf(earlier: State, { response, state }: Outcome, request_id: string): Outcome {
  const terminal = terminalIn(state, response);
  const branch = terminal && branchOf(earlier, terminal.mid);
  if (!branch) return { response, state };
  const data = showAsOf(terminal, branch);
  const changes = state.changes.map((change) => {
    const views = change.views.map((view) => ({ ...view, branch: placeOf(branch), data }));
    return change.request_id === request_id ? { ...change, views } : change;
  });
  return { response: withData(response, data), state: { ...state, changes } };
}

/** A find of a terminal as it was in an earlier state, with its branch as it was later. */
function foundSince(later: State, found: ApiResponse, earlier: State): ApiResponse | undefined {
  const [terminal, now] = [terminalIn(earlier, found), terminalIn(later, found)];
  const branch = branchOf(later, terminal?.mid ?? '');
  if (!terminal || !branch || now?.mid !== terminal.mid) return undefined;
  return withData(found, showAsOf(terminal, branch));
}

/** The states that a response can have led to; several if an update may return something of an earlier moment. */
function statesWith({ call, response, times }: Done, course: State[]): State[] {
  const last = course.at(-1) as State;
  const now = responseOf(last, call, times);
  const earlier = call.operation === 'updateTerminal' ? course : [];
  const ends = [now, ...earlier.map((state) => updatedAsOf(state, now, times.request_id))].flatMap((end) =>
    isDeepStrictEqual(response, end.response) ? [end.state] : [],
  );
  const before = (state: State) => responseOf(state, call, times).response;
  const isFoundSince = (state: State) => isDeepStrictEqual(response, foundSince(last, before(state), state));
  const isRead = /^(find|updateTerminal)$/.test(call.operation) && now.state.changes.length === last.changes.length;
  if (ends.length === 0 && isRead && course.some(isFoundSince)) return [now.state];
  return eachOnce(ends);
}

const eachOnce = (states: State[]): State[] =>
  states.filter((state, at) => states.findIndex((other) => isDeepStrictEqual(other, state)) === at);

/** All sequences of states in which every response fits, for some order of the calls. */
function courses(course: State[], open: Done[]): State[][] {
  if (open.length === 0) return [course];
  return open.flatMap((done) => {
    const others = open.filter((each) => each !== done);
    return statesWith(done, course).flatMap((state) => courses([...course, state], others));
  });
}

const isList = ({ call }: Done): boolean => /^list(?:Branches|Terminals|AllTerminals)$|History$/.test(call.operation);

/** Whether a list has its count of one moment of a course and its items of one. */
function isListed({ call, response, times }: Done, course: State[]): boolean {
  const fits = (counted: State, items: State) =>
    isDeepStrictEqual(response, responseOf(counted, call, times, items).response);
  return course.some((counted, at) =>
    (call.operation === 'listBranches' ? course : course.slice(at)).some((items) => fits(counted, items)),
  );
}

/**
 * The states that concurrent calls can have led to, from one of several; each once.
 *
 * @throws Error if no order of the calls explains their responses.
 */
export function statesAfter(states: State[], calls: Done[]): State[] {
  const { lists = [], others = [] } = Object.groupBy(calls, (done) => (isList(done) ? 'lists' : 'others'));
  const explained = states
    .flatMap((state) => courses([state], others))
    .filter((course) => lists.every((list) => isListed(list, course)));
  if (explained.length === 0) refute(states as [State], calls);
  return eachOnce(explained.map((course) => course.at(-1) as State));
}

function refute([state]: [State], calls: Done[]): never {
  const [{ call, response, times }, ...others] = calls as [Done];
  // Shows the differences.
  if (others.length === 0)
    deepStrictEqual({ call, response }, { call, response: responseOf(state, call, times).response });
  const lines = [
    'No order of these calls explains all responses:',
    ...calls.flatMap(({ call, response }) => [call, response]),
    'Earlier states:',
    ...[...state.businesses, ...state.branches, ...state.terminals],
  ];
  throw new Error(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
}
