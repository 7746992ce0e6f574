import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * Time as in a fleet of processes. It passes between requests to the table, faster than real time, and each API request
 * is served by a process whose clock is off by some seconds.
 */

/** The longest request that the event horizon allows for, in milliseconds; see HORIZON_MS. */
const LIFE_MS = 20_000;
export const MOST_OFF_MS = 2_500;

const RealDate = Date;
const clock = new AsyncLocalStorage<number>();
/** When each request under way began. */
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

/** Replaces the clock by the fleet's until the returned function is called. */
export function useFleetClocks(): () => void {
  globalThis.Date = FleetDate as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
}

/** Serves a request by a clock that is `off` milliseconds off. */
export function served<T>(off: number, serve: () => Promise<T>): Promise<T> {
  const request = { at: trueTime() };
  begun.add(request);
  return clock.run(off, serve).finally(() => begun.delete(request));
}

/**
 * Sets the fleet's clocks to the real time, except for what each is off. If a clock is minutes away from the table's,
 * the AWS SDK takes it for wrong and sends a rejected request again.
 */
export function setClocks(): void {
  passed = 0;
}

/** Lets `ms` milliseconds pass, or fewer if a request under way would exceed its time. */
export function pass(ms: number): void {
  const now = trueTime();
  passed += Math.max(0, Math.min(ms, ...[...begun].map(({ at }) => at + LIFE_MS - now)));
}
