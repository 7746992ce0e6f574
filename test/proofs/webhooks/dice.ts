import { createHash } from 'node:crypto';
import { seed } from '../../support/depth.ts';

/** A number from 0 to 1 by the seed and a name, so that it does not depend on what happens first. */
export const dice = (...name: (string | number)[]): number =>
  createHash('sha256')
    .update([seed, ...name].join(' '))
    .digest()
    .readUInt32BE() /
  2 ** 32;

/** One of some values, each as often as its weight says. */
export function oneOf<T extends string>(weights: Record<T, number>, ...name: (string | number)[]): T {
  const entries = Object.entries(weights) as [T, number][];
  let left = dice(...name) * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of entries) {
    left -= weight;
    if (left < 0) return value;
  }
  return entries[0]?.[0] as T;
}
