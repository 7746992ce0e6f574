import { isOfConsole } from '../template/definitions.ts';
import type { Case } from './case.ts';
import { causesIn, causesInResponse, isCrash, type LogLine } from './causes.ts';
import { Failure, type FunctionName, Skipped } from './failure.ts';
import { tidy } from './tidy.ts';
import type { World } from './world.ts';

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

/** The outcome of a case. `detail` says why it failed or was skipped, or what it found out. */
export interface Outcome {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  detail: string | null;
  duration_ms: number;
}

const run = async (each: Case, world: World): Promise<[Outcome, unknown]> => {
  const started = performance.now();
  const outcomeOf = (outcome: Outcome['outcome'], detail: string | null): Outcome => ({
    name: each.name,
    outcome,
    detail,
    duration_ms: Math.round(performance.now() - started),
  });
  try {
    const found = await each.run(world);
    return [outcomeOf('passed', typeof found === 'string' ? found : null), undefined];
  } catch (error) {
    if (error instanceof Skipped) return [outcomeOf('skipped', error.message), undefined];
    const message = error instanceof Failure ? error.message : ((error as Error).stack ?? String(error));
    return [outcomeOf('failed', message), error];
  }
};

/** Adds what the log says about a failed request. If API Gateway responded itself, the function may have crashed. */
async function withCauses([outcome, error]: [Outcome, unknown], logs: Logs, since: number): Promise<Outcome> {
  if (!(error instanceof Failure) || !error.operation) return outcome;
  const { operation, requestId } = error;
  const isAbout = (line: LogLine) =>
    requestId === undefined ? isCrash(line) : JSON.stringify(line).includes(requestId);
  // Where the request may have been, if its route is missing. Only a stage with a console has the second.
  const elsewhere: FunctionName[] = ['unknownRoute', ...(isOfConsole(operation) ? (['openConsole'] as const) : [])];
  const places = [...new Set([operation, ...elsewhere])];
  const ids = requestId === undefined ? [] : [requestId];
  // Once one of the logs has it, the others need not be waited for.
  let isFound = false;
  const isComplete = (found: LogLine[]) => {
    isFound ||= found.some(isAbout);
    return isFound;
  };
  const lines = (await Promise.all(places.map((name) => logs.linesOf(name, ids, since, isComplete)))).flat();
  const causes = lines.filter(isAbout).flatMap((line) => causesIn(operation, line));
  const named = [...new Set([...causesInResponse(operation, error.message), ...causes])].join('; ');
  return {
    ...outcome,
    detail: `${outcome.detail}${requestId ? ` (request ${requestId})` : ''}${named && `: ${named}`}`,
  };
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

/** What hears of a run. */
interface Observer {
  /** Gets each outcome when it is there. */
  onOutcome?: (outcome: Outcome) => void;
  /** Ends the run: what has begun is completed. */
  isOver?: () => boolean;
}

/**
 * Runs cases, and then checks the logs of the functions that they cover.
 *
 * @param afterwards What is checked at the end.
 */
export async function runCases(
  world: World,
  logs: Logs,
  cases: Case[],
  { onOutcome = () => {}, isOver = () => false }: Observer = {},
  afterwards: Case[] = [],
): Promise<Outcome[]> {
  const since = Date.now();
  const outcomes: Outcome[] = [];
  const runAll = async (all: Case[]) => {
    for (const each of all) {
      if (isOver()) return;
      const outcome = await withCauses(await run(each, world), logs, since);
      outcomes.push(outcome);
      onOutcome(outcome);
    }
  };
  const { waiting = [], others = [] } = Object.groupBy(cases, ({ waits }) => (waits ? 'waiting' : 'others'));
  // Those that wait do so at the same time.
  await Promise.all([runAll(others), ...waiting.map((each) => runAll([each]))]);
  const covered = [...new Set(cases.flatMap(({ covers }) => covers))];
  await runAll([...covered.map((name) => logged(name, logs, since)), ...afterwards]);
  return outcomes;
}

/** Deletes and archives what a run has created. */
export const tidied: Case = {
  name: 'nothing is left',
  covers: [],
  run: async (world) => {
    const left = await tidy(world);
    if (left.length > 0) throw new Error(left.join('; '));
  },
};
