import type { Filters } from './criteria.ts';
import type { Order } from './orders.ts';

/* Facets, by which rows are filtered and counted: each row has one value of each. */

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The value of a terminal in the facet `seen` at a time.
 *
 * @param at When it was last seen, as `now` in milliseconds since 1970; `NaN` if never.
 */
export function seenValue(at: number, isActive: boolean, now: number): '' | 'week' | 'never' {
  if (Number.isNaN(at)) return 'never';
  return isActive && at < now - WEEK_MS ? 'week' : '';
}

export interface Facet {
  /** The code that each row has. */
  codes: Uint32Array;
  /** All codes are less. */
  end: number;
  valueOf: (code: number) => string;
  /** The code of a value; `undefined` if no row has it. */
  codeOf: (value: string) => number | undefined;
}

const NOT_FOUND = 0;
const PASSES = 1;

/** For each row: whether it passes all filters (1), all but one (2 + the place of that facet), or is not asked for (0). */
export type Passes = Uint8Array;

/**
 * Filters rows.
 *
 * @param found 1 for each row that is found by what else is asked.
 */
export function passesOf<Name extends string>(
  found: Uint8Array,
  facets: Record<Name, Facet>,
  filters: Filters<Name>,
): Passes {
  const chosen = [...(Object.keys(facets) as Name[]).entries()].filter(([, name]) => filters[name]?.length);
  let passes = found;
  for (const [at, name] of chosen) {
    const { codes, end, codeOf } = facets[name];
    const isChosen = new Uint8Array(end);
    for (const value of filters[name] ?? []) isChosen[codeOf(value) ?? end] = 1;
    if (passes === found) passes = found.slice();
    for (let row = 0; row < passes.length; row += 1)
      if (passes[row] !== NOT_FOUND && isChosen[codes[row] as number] === 0)
        passes[row] = passes[row] === PASSES ? 2 + at : NOT_FOUND;
  }
  return passes;
}

/** For each code of a facet, how many rows have it under all other filters. */
export function countsOf<Name extends string>(passes: Passes, facets: Record<Name, Facet>, name: Name): Uint32Array {
  const { codes, end } = facets[name];
  const own = 2 + Object.keys(facets).indexOf(name);
  const counts = new Uint32Array(end);
  for (let row = 0; row < passes.length; row += 1)
    if (passes[row] === PASSES || passes[row] === own) (counts[codes[row] as number] as number) += 1;
  return counts;
}

/** How many rows pass all filters. */
export function countPassing(passes: Passes): number {
  let count = 0;
  for (let row = 0; row < passes.length; row += 1) count += Number(passes[row] === PASSES);
  return count;
}

/** Those rows of an order that pass all filters, from one place to another. */
export function passing(
  { rows, valued }: Order,
  passes: Passes,
  { isDescending = false, from, to }: { isDescending?: boolean; from: number; to: number },
): number[] {
  const passed: number[] = [];
  let place = 0;
  for (let at = 0; at < rows.length && place < to; at += 1) {
    const row = rows[isDescending && at < valued ? valued - 1 - at : at] as number;
    if (passes[row] !== PASSES) continue;
    if (place >= from) passed.push(row);
    place += 1;
  }
  return passed;
}
