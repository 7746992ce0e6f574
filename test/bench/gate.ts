import type { Figures, Result } from './part.ts';
import { figure } from './tables.ts';

/** The part by which code may grow without a failure. */
const SPARE = 0.01;

/** The differences from the record, a clause each. With a `spare`, only figures that grew by more than this part. */
function changes(recorded: Figures = {}, measured: Figures = {}, spare?: number): string[] {
  const names = new Set([...Object.keys(recorded), ...Object.keys(measured)]);
  return [...names].flatMap((name) => {
    const [before, now] = [recorded[name], measured[name]];
    if (before === undefined) return now === undefined ? [] : [`${name}: new, and ${figure(now)}`];
    if (now === undefined) return [`${name}: gone, and was ${figure(before)}`];
    const range = `from ${figure(before)} to ${figure(now)}`;
    if (now > before * (1 + (spare ?? 0))) return [`${name} grew ${range}`];
    return now < before && spare === undefined ? [`${name} shrank ${range}`] : [];
  });
}

/**
 * A part's counts and bytes that differ from the record: a sentence for each, with a remedy.
 *
 * @param isSampled Whether only some counts were measured.
 */
export function differences(part: string, recorded: Result | undefined, measured: Result, isSampled = false): string[] {
  const remake = `run \`npm run bench ${part}\` and commit docs/benchmarks*. README.md and docs/ may quote old figures.`;
  if (!recorded) return [`${part}: not recorded yet; ${remake}`];
  const before = Object.entries(recorded.counts).filter(([name]) => !isSampled || name in measured.counts);
  return [
    ...changes(Object.fromEntries(before), measured.counts),
    ...changes(recorded.bytes, measured.bytes, SPARE),
  ].map((change) => `${change}. If that is meant, ${remake}`);
}

/** A part's unmet targets except those of times, a sentence each. */
export const unmet = (part: string, { targets }: Result): string[] =>
  targets
    .filter(({ isMet, isTime }) => !isMet && !isTime)
    .map(({ target, measured }) => `${part}: the target "${target}" is not met; measured: ${measured}.`);
