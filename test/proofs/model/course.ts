import type { Operation } from '../../support/invoke.ts';
import { type Draft, goingOn } from './commands.ts';
import { statesAfter } from './outcomes.ts';
import { note } from './report.ts';
import type { Call, State } from './state.ts';
import { type Done, newWorld, type Pools, perform, type World } from './world.ts';

/** A world with all states that explain its responses. There can be several until a read shows which one it is. */
export interface Course {
  world: World;
  states: State[];
  /** All earlier states. */
  history: State[];
}

/** Compares the responses of concurrent calls with the model, and continues from there. */
export function compare(course: Course, calls: Done[]): void {
  calls.forEach(note);
  course.states = statesAfter(course.states, calls, course.history);
}

/** Makes a call, unless it would fail. */
export async function make(course: Course, draft: Draft): Promise<void> {
  const call = draft.placed(course.world, course.states[0] as State);
  if (!call) return;
  course.world.calls.push(call);
  compare(course, [await perform(course.world, call)]);
}

/** Creates a world and makes the first calls, one after another. */
export async function begin(pools: Pools, first: Draft[]): Promise<Course> {
  const world = await newWorld(pools);
  const course = { world, states: [world.state], history: [] };
  for (const draft of first) await make(course, draft);
  return course;
}

/**
 * Reads everything that every acquirer can read, or only each branch and its terminals, by its provider, and the lists
 * if they are needed to see the order in which branches were created.
 */
export async function lookAround(course: Course, isThorough: boolean): Promise<void> {
  const [{ acquirers, branches, businesses, changes }] = course.states as [State];
  // Small, so there mostly is a next page to read by its cursor.
  const limit = isThorough ? '3' : '100';
  const tidsSeenBy = (id: string) => [
    ...new Set(changes.flatMap(({ tids, views }) => (views.some(({ acquirer }) => acquirer === id) ? tids : []))),
  ];
  const query = { sort: 'asc', per_page: '100' };
  const call = (operation: Operation, caller: string, rest: Partial<Call>): Call => ({
    operation,
    caller,
    path: {},
    query: {},
    headers: {},
    body: undefined,
    ...rest,
  });
  const reads = acquirers.flatMap(({ id }) => {
    const seen = branches.filter(({ payment_provider, distributor }) => [payment_provider, distributor].includes(id));
    return [
      ...(isThorough ? [call('lookup', id, { path: { method: 'masterMerchants' } })] : []),
      ...(isThorough
        ? businesses.map(({ id: master_merchant_id, payment_provider }) =>
            call('find', id, { query: { master_merchant_id, payment_provider } }),
          )
        : []),
      ...(isThorough || course.states.length > 1
        ? [call('listBranches', id, { query }), call('listEvents', id, { query: { limit } })]
        : []),
      ...(isThorough
        ? tidsSeenBy(id).map((tid) => call('getTerminalHistory', id, { path: { id: tid }, query: { limit } }))
        : []),
      ...(isThorough ? seen.map(({ mid }) => call('getBranchHistory', id, { path: { mid }, query: { limit } })) : []),
      ...seen
        .filter(({ payment_provider }) => isThorough || payment_provider === id)
        .flatMap(({ mid }) => [
          call('getBranch', id, { path: { mid } }),
          call('listTerminals', id, { path: { id: mid }, query }),
        ]),
    ];
  });
  // Nothing is written meanwhile, so their order is irrelevant. More at once would wait for each other.
  for (let at = 0; at < reads.length; at += 16) {
    const first = await Promise.all(reads.slice(at, at + 16).map((each) => perform(course.world, each)));
    for (let done of first) {
      compare(course, [done]);
      while (isThorough && done.more) {
        done = await perform(course.world, goingOn(done.more, done.call.operation, { limit: '30' }));
        compare(course, [done]);
      }
    }
  }
}
