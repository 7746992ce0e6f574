import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * Time as a fleet of processes has it: it passes between requests to the table, faster than here, and each request of
 * a partner is served by a process whose clock is off by some seconds.
 */

/** What the horizon of the events allows for, in milliseconds: see HORIZON_MS. */
const LIFE_MS = 20_000;
export const MOST_OFF_MS = 2_500;

const RealDate = Date;
const clock = new AsyncLocalStorage<number>();
const begun = new Set<{ at: number }>();
let passed = 0;

const trueTime = (): number => RealDate.now() + passed;

class FleetDate extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length > 0 ? args : [FleetDate.now()]) as [number]));
  }

  static override now(): number {
    return trueTime() + (clock.getStore() ?? 0);
  }
}

/** Has everything here go by the fleet's clocks until the returned function is called. */
export function useFleetClocks(): () => void {
  globalThis.Date = FleetDate as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
}

/** Serves a request by a clock that is off by so many milliseconds. */
export async function served<T>(off: number, serve: () => Promise<T>): Promise<T> {
  const request = { at: trueTime() };
  begun.add(request);
  try {
    return await clock.run(off, serve);
  } finally {
    begun.delete(request);
  }
}

/**
 * Sets the clocks right, but for what they are off by. To the AWS SDK, a clock that is minutes away from the table's
 * is wrong, and it sends a request again that the table refused.
 */
export function setClocks(): void {
  passed = 0;
}

/** Lets time pass, in milliseconds, but no more than leaves every request the time in which it has to end. */
export function pass(ms: number): void {
  const now = trueTime();
  const left = [...begun].map(({ at }) => at + LIFE_MS - now);
  passed += Math.max(0, Math.min(ms, ...left));
}
