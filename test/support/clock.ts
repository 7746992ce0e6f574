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
 * Stops the wall clock and the monotonic clock, until `jest.restoreAllMocks()`. Returns a function that sets both to so
 * many milliseconds after this call.
 */
export function stopClocks(): (milliseconds: number) => void {
  const [wall, monotonic] = [Date.now(), performance.now()];
  const wait = (milliseconds: number) => {
    jest.spyOn(Date, 'now').mockReturnValue(wall + milliseconds);
    jest.spyOn(performance, 'now').mockReturnValue(monotonic + milliseconds);
  };
  wait(0);
  return wait;
}

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
