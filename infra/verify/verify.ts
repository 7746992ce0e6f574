import type { Case } from './case.ts';
import { casesOf } from './cases.ts';
import { causesIn, type LogLine } from './causes.ts';
import { Failure, type FunctionName, Skipped } from './failure.ts';
import { tidy } from './tidy.ts';
import { type Place, World } from './world.ts';

/** Reads the functions' logs. */
export interface Logs {
  /**
   * Returns the log lines of a function that have one of these request ids, or are of an error.
   *
   * @param since When the run began, in milliseconds since 1970.
   * @param isComplete Whether lines that have arrived suffice. Otherwise it waits for more.
   */
  linesOf: (
    name: FunctionName,
    ids: string[],
    since: number,
    isComplete: (lines: LogLine[]) => boolean,
  ) => Promise<LogLine[]>;
}

/** The outcome of a case. `detail` says why it failed or was skipped. */
export interface Outcome {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  detail: string | null;
  duration_ms: number;
}

/** What is checked when all requests have been sent, such as alarms. */
export type Afterwards = (world: World) => Case[];

const run = async (each: Case, world: World): Promise<[Outcome, unknown]> => {
  const started = performance.now();
  const outcomeOf = (outcome: Outcome['outcome'], detail: string | null): Outcome => ({
    name: each.name,
    outcome,
    detail,
    duration_ms: Math.round(performance.now() - started),
  });
  try {
    await each.run(world);
    return [outcomeOf('passed', null), undefined];
  } catch (error) {
    if (error instanceof Skipped) return [outcomeOf('skipped', error.message), undefined];
    const message = error instanceof Failure ? error.message : ((error as Error).stack ?? String(error));
    return [outcomeOf('failed', message), error];
  }
};

/** Adds what the log says about a failed request. */
async function withCauses([outcome, error]: [Outcome, unknown], logs: Logs, since: number): Promise<Outcome> {
  if (!(error instanceof Failure) || !error.operation || !error.requestId) return outcome;
  const { operation, requestId } = error;
  const isThere = (lines: LogLine[]) => lines.length > 0;
  const places: FunctionName[] = operation === 'unknownRoute' ? [operation] : [operation, 'unknownRoute'];
  const lines = await Promise.all(places.map((name) => logs.linesOf(name, [requestId], since, isThere)));
  const causes = lines
    .flat()
    .flatMap((line) => (JSON.stringify(line).includes(requestId) ? causesIn(operation, line) : []));
  const named = [...new Set(causes)].join('; ');
  return { ...outcome, detail: `${outcome.detail} (request ${requestId})${named && `: ${named}`}` };
}

/** What must hold of the functions' logs: the requests are there, and none had an error that its response does not show. */
const logged = (name: FunctionName, logs: Logs, since: number): Case => ({
  name: `the log of ${name} has its requests, and no error`,
  covers: [name],
  run: async (world) => {
    const ids = world.requestIds.get(name) ?? [];
    const newest = ids.at(-1);
    if (newest === undefined) throw new Skipped('no request was sent');
    const has = (lines: LogLine[], id: string) => lines.find((line) => JSON.stringify(line).includes(id));
    const lines = await logs.linesOf(name, [newest], since, (found) => has(found, newest) !== undefined);
    if (!has(lines, newest)) throw new Failure(`its log lacks the request ${newest}`, { operation: name });
    const own = new Set(ids);
    const causes = lines.flatMap((line) => (own.has(String(line.request_id)) ? causesIn(name, line) : []));
    if (causes.length > 0) throw new Failure([...new Set(causes)].join('; '), { operation: name });
  },
});

/**
 * Runs the cases of a stage, then what is checked afterwards, and tidies up.
 *
 * @param options.cases By default all of the stage.
 * @param options.onOutcome Gets each outcome when it is there.
 */
export async function verify(
  place: Place,
  logs: Logs,
  {
    cases = casesOf(place.hasConsole),
    afterwards = () => [],
    onWorld = () => {},
    onOutcome = () => {},
  }: {
    cases?: Case[];
    afterwards?: Afterwards;
    onWorld?: (world: World) => void;
    onOutcome?: (outcome: Outcome) => void;
  } = {},
): Promise<Outcome[]> {
  const world = new World(place);
  onWorld(world);
  const since = Date.now();
  const outcomes: Outcome[] = [];
  const runAll = async (all: Case[]) => {
    for (const each of all) {
      const outcome = await withCauses(await run(each, world), logs, since);
      outcomes.push(outcome);
      onOutcome(outcome);
    }
  };
  const { waiting = [], others = [] } = Object.groupBy(cases, ({ waits }) => (waits ? 'waiting' : 'others'));
  // Those that wait do so at the same time.
  await Promise.all([runAll(others), ...waiting.map((each) => runAll([each]))]);
  const covered = [...new Set(cases.flatMap(({ covers }) => covers))];
  await runAll([...covered.map((name) => logged(name, logs, since)), ...afterwards(world)]);
  const tidied: Case = {
    name: 'nothing is left',
    covers: [],
    run: async () => {
      const left = await tidy(world);
      if (left.length > 0) throw new Error(left.join('; '));
    },
  };
  await runAll([tidied]);
  return outcomes;
}
