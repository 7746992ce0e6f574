import type { Problem } from './client.ts';

/** A person must act before anything more is sent: they paused, their session ended, or a request can never succeed. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly problem: Problem | undefined;

  constructor(problem?: Problem) {
    super(problem?.detail ?? 'Paused.');
    this.problem = problem;
  }
}
