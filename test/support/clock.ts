import { jest } from '@jest/globals';

/** Stops the clock at this time, in milliseconds since 1970, until `jest.useRealTimers()`. Timers keep running. */
export const setClock = (now: number) =>
  jest.useFakeTimers({
    now,
    doNotFake: [
      ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });

/**
 * Advances the clock by a quarter of a second each time it is read, so timeouts are reached without waiting, until
 * `jest.restoreAllMocks()`.
 */
export function speedUpClock(): void {
  let now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 250;
    return now;
  });
}
