import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import promises from 'node:timers/promises';

/*
 * Time for the handlers. It passes only during pauses and until timeouts, at once. So the outcome of a failure depends
 * on timeouts, backoff and retry budgets, but not on the machine's speed.
 */

/** The time of a call or of one of its requests, by `performance.now()`. */
interface Clock {
  now: number;
}

/** A timer of an attempt to send a request. */
interface Timer {
  ms: number;
  /** Lets this time pass, and runs the timer's work. */
  end: () => void;
}

const { setTimeout, clearTimeout } = globalThis;
const { setTimeout: sleep } = promises;
const { random } = Math;
const realNow = performance.now.bind(performance);

const clocks = new AsyncLocalStorage<Clock>();
/** The timers of an attempt. */
const timersOf = new AsyncLocalStorage<Set<Timer>>();
const attempts = new Map<string, { clock: Clock | undefined; timers: Set<Timer> }>();

performance.now = () => clocks.getStore()?.now ?? realNow();
// Each pause is as long as it can be.
Math.random = () => (clocks.getStore() ? 1 - Number.EPSILON : random());

promises.setTimeout = async (ms = 0, value, options) => {
  const clock = clocks.getStore();
  if (clock) clock.now += ms;
  return sleep(clock ? 0 : ms, value, options);
};
syncBuiltinESMExports();

globalThis.setTimeout = ((work: (...args: unknown[]) => void, ms: number, ...args: unknown[]) => {
  const clock = clocks.getStore();
  if (!clock) return setTimeout(work, ms, ...args);
  const end = () => {
    clock.now += ms;
    work(...args);
  };
  const timers = timersOf.getStore();
  // Outside an attempt, the SDK pauses before a retry.
  if (!timers) return setTimeout(end, 0);
  const timer = { ms, end };
  timers.add(timer);
  return timer;
}) as typeof globalThis.setTimeout;

globalThis.clearTimeout = (timer) => {
  for (const { timers } of attempts.values()) timers.delete(timer as unknown as Timer);
  clearTimeout(timer);
};

// A socket times out only when {@link expire} says so.
Socket.prototype.setTimeout = function (ms, onTimeout) {
  Object.assign(this, { timeout: ms });
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

/** Sends an attempt of a request, which {@link expire} can end. */
export function asAttempt<T>(id: string, send: () => Promise<T>): Promise<T> {
  const timers = new Set<Timer>();
  attempts.set(id, { clock: clocks.getStore(), timers });
  return timersOf.run(timers, send).finally(() => attempts.delete(id));
}

/** Lets an attempt time out: by its first timer or, once its response has begun, which clears them, by its socket. */
export async function expire(id: string, socket: Socket | undefined): Promise<void> {
  const { clock, timers = new Set<Timer>() } = attempts.get(id) ?? {};
  if (!socket) return [...timers].sort((one, other) => one.ms - other.ms)[0]?.end();
  while (timers.size > 0) await sleep(1);
  if (clock) clock.now += socket.timeout ?? 0;
  socket.emit('timeout');
}
