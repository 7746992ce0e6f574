import { Interrupted } from '../api/interrupted.ts';
import type { PatienceOptions, Waiting } from '../api/patience.ts';
import { NoResponse, ProblemError } from '../api/request.ts';
import { NotSignedIn } from '../session/renewal.ts';
import { inMemory } from '../shared/observed.ts';

/* A job, such as an import, runs while a person looks elsewhere in the console, and ends with the tab. */

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

const jobs = inMemory<Running>();

/** How a job is stopped, and how it says how far it is. */
interface JobControl<Progress> extends Required<Pick<PatienceOptions, 'signal' | 'onWaiting'>> {
  report: (progress: Progress) => void;
}

/** Starts a job, unless it goes on already. One that was stopped is gone. */
export function startJob<Progress>(key: string, work: (control: JobControl<Progress>) => Promise<unknown>): void {
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
      const { signal } = stopping;
      await work({ signal, report: (progress) => change({ progress }), onWaiting: (waiting) => change({ waiting }) });
      end({});
    } catch (error) {
      end({ error: shownError(error) });
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

/** An error of patient work, as views say it. Without a problem, the person did not sign in again. */
export function shownError(error: unknown): Error {
  if (!(error instanceof Interrupted)) return error as Error;
  const { problem } = error;
  if (!problem) return new NotSignedIn('The session has ended.');
  return problem.code === 'unexpected_response' ? new NoResponse(problem.detail) : new ProblemError(problem, undefined);
}
