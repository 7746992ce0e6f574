import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import promises from 'node:timers/promises';

/*
 * Time for the handlers. It passes only during pauses and until timeouts, at once. So the outcome of a failure depends
 * on timeouts, backoff and retry budgets, but not on the machine's speed.
 */

/** The time of a call or of one of its requests, by `performance.now()`. */
const clocks = new AsyncLocalStorage<{ now: number }>();

const { setTimeout: sleep } = promises;
const { random } = Math;
const realNow = performance.now.bind(performance);

performance.now = () => clocks.getStore()?.now ?? realNow();
// Each pause is as long as it can be.
Math.random = () => (clocks.getStore() ? 1 - Number.EPSILON : random());

/** Lets time pass for the current request. */
export function pass(ms: number): void {
  const clock = clocks.getStore();
  if (clock) clock.now += ms;
}

promises.setTimeout = (ms = 0, value, options) => {
  pass(ms);
  return sleep(clocks.getStore() ? 0 : ms, value, options);
};
syncBuiltinESMExports();

// Sockets time out only when their peer says so: see wire.ts.
Socket.prototype.setTimeout = function (_, onTimeout) {
  return onTimeout ? this.on('timeout', onTimeout) : this;
};

/** Serves a call on a clock of its own. */
export const onClock = <T>(serve: () => Promise<T>): Promise<T> => clocks.run({ now: realNow() }, serve);

/** Sends a request of a call with all its attempts. Concurrent requests wait at the same time. */
export async function asRequest<T>(send: () => Promise<T>): Promise<T> {
  const call = clocks.getStore();
  if (!call) return send();
  const clock = { now: call.now };
  try {
    return await clocks.run(clock, send);
  } finally {
    call.now = Math.max(call.now, clock.now);
  }
}
