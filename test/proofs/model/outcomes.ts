import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { INDEXES_LAG } from '../../support/waitForIndexes.ts';
import { isOldRow, type Row, withBranchOf, withStatusOf } from './earlier.ts';
import { responseOf } from './model.ts';
import type { ApiResponse, State } from './state.ts';
import type { Done } from './world.ts';

/*
 * Derives the state from responses. Concurrent calls are correct if, in some order, the model, which handles one call
 * at a time, returns exactly their responses.
 */

/**
 * Lists and histories send several requests to the table: first for the count, then for the items. Others may write in
 * between, and no table can lock a whole list. So a concurrent list may have its count and its items of two moments.
 * The items of terminals are never the earlier ones, because their status depends on the branch that has the count.
 * Every other response must be as if its call had run alone.
 */
const isList = ({ call }: Done): boolean => /^listBranches$|^listTerminals$|History$/.test(call.operation);
/** The states that a list's items may be of when its count is of `counted`. */
const statesOfItems = ({ call }: Done, course: State[], counted: number): State[] =>
  call.operation === 'listBranches' ? course : course.slice(counted);

const rowsOf = ({ body }: ApiResponse): Row[] | undefined => (body as { data?: Row[] }).data;

/** Replaces rows by older ones that a lagging index may show. */
function withOldRows(expected: ApiResponse, response: ApiResponse, now: State, history: State[]): ApiResponse {
  const [rows, shown] = [rowsOf(expected), rowsOf(response)];
  if (!INDEXES_LAG || !rows || !shown || rows.length !== shown.length) return expected;
  const data = rows.map((row, at) => {
    const old = shown[at] as Row;
    const isSame = old.mid === row.mid && old.tid === row.tid;
    return isSame && isOldRow(old, now, history) ? old : row;
  });
  return { ...expected, body: { ...(expected.body as object), data } };
}

const fits = ({ call, response, times }: Done, state: State, items: State, history: State[]): boolean =>
  isDeepStrictEqual(response, withOldRows(responseOf(state, call, times, items).response, response, state, history));

/** Whether a find has returned a terminal of an earlier moment, archived with its branch since. */
const isFoundBefore = ({ call, response, times }: Done, course: State[]): boolean =>
  course.some((earlier) => {
    const before = responseOf(earlier, call, times).response;
    return isDeepStrictEqual(response, withBranchOf(before, earlier, course.at(-1) as State));
  });

/**
 * The states that a response can have led to. There are several if an update may return something of an earlier moment.
 */
function statesWith(done: Done, now: ReturnType<typeof responseOf>, course: State[]): State[] {
  const ends = [
    now,
    ...(done.call.operation === 'updateTerminal'
      ? course.map((earlier) => withStatusOf(now, earlier, done.times.request_id))
      : []),
  ].flatMap(({ response, state }) => (isDeepStrictEqual(done.response, response) ? [state] : []));
  if (ends.length === 0 && done.call.operation === 'find' && isFoundBefore(done, course)) return [now.state];
  return eachOnce(ends);
}

const eachOnce = (states: State[]): State[] =>
  states.filter((state, at) => states.findIndex((other) => isDeepStrictEqual(other, state)) === at);

/** All sequences of states in which every response fits, for some order of the calls. */
function courses(course: State[], open: Done[]): State[][] {
  if (open.length === 0) return [course];
  return open.flatMap((done) => {
    const now = responseOf(course.at(-1) as State, done.call, done.times);
    const others = open.filter((each) => each !== done);
    return statesWith(done, now, course).flatMap((state) => courses([...course, state], others));
  });
}

/**
 * The states that concurrent calls can have led to, from one of several; each once.
 *
 * @param history Earlier states, which a lagging index may still show. The states in between are added.
 *
 * @throws Error if no order of the calls explains their responses.
 */
export function statesAfter(states: State[], calls: Done[], history: State[] = []): State[] {
  const { lists = [], others = [] } = Object.groupBy(calls, (done) => (isList(done) ? 'lists' : 'others'));
  const explained = states
    .flatMap((state) => courses([state], others))
    .filter((course) =>
      lists.every((list) =>
        course.some((head, at) =>
          statesOfItems(list, course, at).some((items) => fits(list, head, items, [...history, ...course])),
        ),
      ),
    );
  if (explained.length === 0) refute(states, calls);
  history.push(...explained.flat());
  return eachOnce(explained.map((course) => course.at(-1) as State));
}

const describe = ({ call, response }: Done): string => `${JSON.stringify(call)}\n  -> ${JSON.stringify(response)}`;

function refute([state]: State[], calls: Done[]): never {
  const [only, ...others] = calls;
  if (only && others.length === 0) {
    const { response } = responseOf(state as State, only.call, only.times);
    expect({ call: only.call, response: only.response }).toEqual({ call: only.call, response });
  }
  const { branches, terminals, businesses } = state as State;
  const before = [...businesses, ...branches, ...terminals].map((each) => JSON.stringify(each));
  throw new Error(
    `No order of these calls explains all responses:\n${calls.map(describe).join('\n')}\nEarlier states:\n${before.join('\n')}`,
  );
}
