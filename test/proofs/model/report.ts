import type { Done } from './world.ts';

/* How often each answer was given, so that one sees whether all of them are reached. */

const counts = new Map<string, number>();
let calls = 0;

const count = (what: string): void => {
  counts.set(what, (counts.get(what) ?? 0) + 1);
};

/** Counts an answer, and each fault that it tells. */
export function note({ call: { operation }, response: { status, isReplayed, body } }: Done): void {
  calls += 1;
  const { code, errors = [] } = body as { code?: string; errors?: { pointer: string; code: string }[] };
  count([operation, status, code, isReplayed && 'replayed'].filter(Boolean).join(' '));
  for (const failure of errors) count(`${operation} 422 ${failure.pointer.replace(/\d+/, 'n')} ${failure.code}`);
}

/** How many answers were counted. */
export const callsSoFar = (): number => calls;

/** One line for each answer. */
export const responsesSoFar = (): string[] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `${String(times).padStart(7)} ${what}`);
