import type { Problem } from '../api.ts';
import { Interrupted, type Waiting } from '../estate/patience.ts';
import { NoResponse, ProblemError } from '../request.ts';
import { NotSignedIn } from '../session/renewal.ts';
import { kept } from './observed.ts';

/* Work that goes on while a person looks elsewhere in the console, such as an import. It ends with the tab. */

export interface Job<Progress> {
  progress: Progress | undefined;
  waiting: Waiting | undefined;
  /** `undefined` when it has ended. */
  stop: (() => void) | undefined;
  isStopping: boolean;
  error: Error | undefined;
}

interface Running extends Job<unknown> {
  done: Promise<void>;
}

const jobs = kept<Running>();

/** How a job is stopped, and how it says how far it is. */
export interface JobControl<Progress> {
  signal: AbortSignal;
  report: (progress: Progress | undefined, waiting: Waiting | undefined) => void;
}

/** Starts a job, unless it goes on already. One that was stopped is gone. */
export function startJob<Progress>(key: string, work: (control: JobControl<Progress>) => Promise<void>): void {
  if (jobs.get(key)?.stop) return;
  const stopping = new AbortController();
  let job: Running | undefined;
  const become = (next: Running | undefined) => {
    // What has ended reports nothing more.
    if (jobs.get(key) === job) jobs.set(key, next);
    job = next;
  };
  const change = (changed: Partial<Running>) => job && become({ ...job, ...changed });
  const end = (how: { error?: Error }) =>
    stopping.signal.aborted ? become(undefined) : change({ stop: undefined, waiting: undefined, ...how });
  const run = async () => {
    try {
      await work({ signal: stopping.signal, report: (progress, waiting) => change({ progress, waiting }) });
      end({});
    } catch (error) {
      end({ error: error as Error });
    }
  };
  job = {
    progress: undefined,
    waiting: undefined,
    isStopping: false,
    error: undefined,
    done: Promise.resolve(),
    stop: () => {
      stopping.abort();
      change({ isStopping: true, waiting: undefined });
    },
  };
  jobs.set(key, job);
  change({ done: run() });
}

/** The job of a key; `undefined` if there is none. Its progress has the type with which it was started. */
export const useJob = <Progress>(key: string): Job<Progress> | undefined =>
  jobs.use(() => jobs.get(key) as Job<Progress> | undefined);

export const useIsWorking = (): boolean => jobs.use(() => jobs.values().some(({ stop }) => stop !== undefined));

/** Stops all jobs, and waits for their end. */
export async function stopJobs(): Promise<void> {
  for (const { stop } of jobs.values()) stop?.();
  await Promise.all(jobs.values().map(({ done }) => done));
}

/** Why a job cannot go on, as views say it. Without a problem, the person did not sign in again. */
export function errorOf(problem: Problem | undefined): Error {
  if (!problem) return new NotSignedIn('The session has ended.');
  return problem.code === 'unexpected_response' ? new NoResponse(problem.detail) : new ProblemError(problem, undefined);
}

/** An error of patient work, as views say it. */
export const shownError = (error: unknown): Error =>
  error instanceof Interrupted ? errorOf(error.problem) : (error as Error);
