import type { Done } from './world.ts';

/* Counts each kind of response, to show whether all of them occur. */

const counts = new Map<string, number>();
let calls = 0;

const count = (what: string): void => {
  counts.set(what, (counts.get(what) ?? 0) + 1);
};

/** Counts a response and each of its field errors. */
export function note({ call: { operation }, response: { status, isReplayed, body } }: Done): void {
  calls += 1;
  const { code, errors = [] } = body as { code?: string; errors?: { pointer: string; code: string }[] };
  count([operation, status, code, isReplayed && 'replayed'].filter(Boolean).join(' '));
  for (const failure of errors) count(`${operation} 422 ${failure.pointer.replace(/\d+/, 'n')} ${failure.code}`);
}

/** The number of responses so far. */
export const callsSoFar = (): number => calls;

/** One line for each kind of response. */
export const responsesSoFar = (): string[] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `${String(times).padStart(7)} ${what}`);
