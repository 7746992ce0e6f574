import { goingOn, type Step } from './commands.ts';
import { statesAfter } from './judge.ts';
import { branchOf, mayUse } from './resources.ts';
import { type Done, newWorld, perform, type Send, type World } from './service.ts';
import type { Acquirer, Call, Modelled, State } from './state.ts';

/** A world with all states that explain its responses. There can be several until a read shows which one it is. */
export interface Course {
  world: World;
  states: State[];
}

/** Runs calls at once. The first one's request `freezesAt` to the table should wait until all others have ended. */
export type AtOnce = (calls: (() => Promise<Done>)[], freezesAt?: number) => Promise<Done[]>;

/** Runs calls at once, in no particular order. */
export const atOnce: AtOnce = (calls) => Promise.all(calls.map((start) => start()));

export async function begin(send: Send): Promise<Course> {
  const world = await newWorld(send);
  return { world, states: [world.state] };
}

/** Compares the responses of concurrent calls with the model, and continues from there. */
function compare(course: Course, calls: Done[]): void {
  course.states = statesAfter(course.states, calls);
}

/** Makes those calls of a step that are worth it. */
export async function take(course: Course, { drafts, most, isTwice, freezesAt }: Step, run: AtOnce): Promise<void> {
  const { world, states } = course;
  const placed = drafts.map((draft) => draft.placed(world, states[0] as State));
  const calls = placed.filter((call) => call !== undefined).slice(0, most);
  if (isTwice) calls.push(...calls.slice(0, 1));
  if (calls.length === 0) return;
  world.calls.push(...calls);
  const starts = calls.map((call) => () => perform(world, call));
  compare(course, await run(starts, freezesAt));
  const isByProvider = ({ operation, path, caller }: Call, state: State) =>
    /^getBranch$|^listTerminals$/.test(operation) &&
    branchOf(state, Object.values(path)[0] ?? '')?.payment_provider === caller;
  // Reads show which of several states it is.
  if (calls.length > 1) await readBack(course, course.states.length > 1 ? undefined : isByProvider);
}

/** Compares what a read returns, and all its further pages. */
async function follow(course: Course, read: Call): Promise<void> {
  let done = await perform(course.world, read);
  compare(course, [done]);
  while (done.more) {
    done = await perform(course.world, goingOn(done.more, done.call.operation, { limit: '30' }));
    compare(course, [done]);
  }
}

/** The calls that read everything that an acquirer can read. */
function readsOf({ branches, businesses, changes }: State, caller: Acquirer): Call[] {
  const read = (operation: Modelled, path: Call['path'], query: Call['query'] = {}): Call => {
    return { operation, caller: caller.id, path, query, headers: {} };
  };
  const all = { sort: 'asc', per_page: '100' };
  // Small, so there mostly is a next page to read by its cursor.
  const few = { limit: '3' };
  const seen = changes.filter(({ views }) => views.some(({ acquirer }) => acquirer === caller.id));
  return [
    read('listEvents', {}, few),
    read('listBranches', {}, all),
    read('listAllTerminals', {}, few),
    read('lookup', { method: 'masterMerchants' }),
    ...businesses.map(({ id: master_merchant_id, payment_provider }) =>
      read('find', {}, { master_merchant_id, payment_provider }),
    ),
    ...[...new Set(seen.flatMap(({ tids }) => tids))].map((id) => read('getTerminalHistory', { id }, few)),
    ...branches
      .filter((each) => mayUse(each, caller))
      .flatMap(({ mid }) => [
        read('getBranch', { mid }),
        read('listTerminals', { id: mid }, all),
        read('getBranchHistory', { mid }, few),
      ]),
  ];
}

/** Compares what all acquirers can read, or some of it. */
async function readBack(course: Course, isWanted = (_: Call, __: State) => true): Promise<void> {
  const [state] = course.states as [State];
  const reads = state.acquirers.flatMap((caller) => readsOf(state, caller)).filter((read) => isWanted(read, state));
  // Nothing is written meanwhile, so their order is irrelevant. More at once would wait for each other.
  for (let at = 0; at < reads.length; at += 16)
    await Promise.all(reads.slice(at, at + 16).map((read) => follow(course, read)));
}

/** Takes steps in a new world, and compares everything that its acquirers can read afterwards. */
export async function expectExplained(send: Send, steps: Step[], run: AtOnce): Promise<void> {
  const course = await begin(send);
  for (const step of steps) await take(course, step, run);
  await readBack(course);
}
