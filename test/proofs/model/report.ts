import type { Done } from './world.ts';

/* Counts each kind of response and of field error, to show whether all of them occur. */

const counts = new Map<string, number>();

const count = (...what: unknown[]): void => {
  const kind = what.filter(Boolean).join(' ');
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
};

/** Counts a response and each of its field errors. */
export function note({ call: { operation }, response: { status, isReplayed, body } }: Done): void {
  const { code, errors = [] } = body as { code?: string; errors?: { pointer: string; code: string }[] };
  count(operation, status, code, isReplayed && 'replayed');
  for (const each of errors) count(operation, status, each.pointer.replace(/\d+/, 'n') || '/', each.code);
}

/** Kinds of responses, such as `find 404 not_found`, with their numbers. */
export const responsesSoFar = (): [kind: string, times: number][] => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
