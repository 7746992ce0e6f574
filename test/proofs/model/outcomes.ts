import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { INDEXES_LAG } from '../../support/waitForIndexes.ts';
import { type ApiResponse, isOldRow, type Row, responseOf, type State, withBranchOf, withStatusOf } from './model.ts';
import type { Done } from './world.ts';

/*
 * What answers tell of the state that they were given in. Calls at once are right when there is an order of them in which the
 * model, that knows one at a time, gives each just the answer that it got.
 */

/**
 * Lists and histories ask the table several times: what is in it, and what that looks like. Between the two others may write, and no table
 * could lock a whole list; so a list among calls at once may have its count and its items of two moments: the
 * items of terminals never the earlier ones, as what they show depends on the branch that has the count. All others must
 * be as if they had been alone.
 */
const isList = ({ call }: Done): boolean => /^listBranches$|^listTerminals$|History$/.test(call.operation);
/** The states that a list may have its items of, when it has its count of one of them. */
const statesOfItems = ({ call }: Done, course: State[], counted: number): State[] =>
  call.operation === 'listBranches' ? course : course.slice(counted);

const rowsOf = ({ body }: ApiResponse): Row[] | undefined => (body as { data?: Row[] }).data;

/** Puts old rows in place of those that an index which is behind may show so. */
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

/** Whether a find has shown a terminal of an earlier moment, archived with its branch since. */
const isFoundBefore = ({ call, response, times }: Done, course: State[]): boolean =>
  course.some((earlier) => {
    const before = responseOf(earlier, call, times).response;
    return isDeepStrictEqual(response, withBranchOf(before, earlier, course.at(-1) as State));
  });

/** The states that an answer can have led to: several when an update may tell something of an earlier moment. */
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

/** All courses of states that some order of the calls leads through, in which every answer fits. */
function courses(course: State[], open: Done[]): State[][] {
  if (open.length === 0) return [course];
  return open.flatMap((done) => {
    const now = responseOf(course.at(-1) as State, done.call, done.times);
    const others = open.filter((each) => each !== done);
    return statesWith(done, now, course).flatMap((state) => courses([...course, state], others));
  });
}

/**
 * The states that calls which were made at once can have led to, from one of several; each once.
 *
 * @param history Earlier states, which a lagging index may still show. The states these calls passed through are added.
 * @throws Error when no order of the calls explains their answers.
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

const told = ({ call, response }: Done): string => `${JSON.stringify(call)}\n  -> ${JSON.stringify(response)}`;

function refute([state]: State[], calls: Done[]): never {
  const [only, ...others] = calls;
  process.stdout.write(
    `DEBUG ${calls.map(told).join('\n')}\n${JSON.stringify((state as State).changes.filter((c) => c.tids.includes((Object.values(calls[0]?.call.path ?? {})[0] ?? '').toLowerCase())).map(({ views, ...r }) => ({ ...r, v: views.map((v) => [v.viewer, v.type]) })))}\n`,
  );
  if (only && others.length === 0) {
    const { response } = responseOf(state as State, only.call, only.times);
    expect({ call: only.call, response: only.response }).toEqual({ call: only.call, response });
  }
  const { branches, terminals, businesses } = state as State;
  const before = [...businesses, ...branches, ...terminals].map((each) => JSON.stringify(each));
  throw new Error(
    `No order of these calls explains all answers:\n${calls.map(told).join('\n')}\nWhat there was:\n${before.join('\n')}`,
  );
}
