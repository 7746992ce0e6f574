import { jest } from '@jest/globals';

/** Sets the clock, in milliseconds since 1970, and stops it there; `jest.useRealTimers()` ends it. Timers go on. */
export const setClock = (now: number) =>
  jest.useFakeTimers({
    now,
    doNotFake: [
      ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });

/**
 * Each look at the clock finds another quarter of a second gone, so that what waits for its time to be up need not wait;
 * `jest.restoreAllMocks()` ends it.
 */
export function hurry(): void {
  let now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 250;
    return now;
  });
}
