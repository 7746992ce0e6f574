import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Call, Outcome, Question } from './service.ts';
import type { Sent } from './wire.ts';

/** The handlers in their own process, behind the faulty wire (service.ts). */
export interface Service {
  call: (call: Call) => Promise<Outcome>;
  /** Resolves when a fault has hit what is sent under the name of a call that is going on. */
  hit: (name: string) => Promise<void>;
  /** What was sent under a name up to now. */
  sent: (name: string) => Promise<Sent[]>;
  stop: () => Promise<void>;
}

/** Starts the handlers in a process whose clock is ahead by so many milliseconds. */
export async function startService(aheadMs = 0): Promise<Service> {
  const child = fork(new URL('service.ts', import.meta.url), [String(aheadMs)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { done: (result: never) => void; fail: (error: Error) => void }>();
  child.on('message', ({ id, result, error }: { id: number; result: unknown; error?: string }) => {
    const { done, fail } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) fail?.(new Error(error));
    else done?.(result as never);
  });
  const ended = once(child, 'exit').then(() => {
    for (const { fail } of waiting.values()) fail(new Error('The service has ended.'));
  });
  let last = 0;
  const ask = <T>(question: Question) =>
    new Promise<T>((done, fail) => {
      waiting.set(++last, { done, fail });
      child.send({ id: last, question });
    });
  await new Promise<void>((done, fail) => waiting.set(0, { done, fail }));
  return {
    call: (call) => ask({ call }),
    hit: (name) => ask({ hit: name }),
    sent: (name) => ask({ sent: name }),
    stop: () => {
      child.disconnect();
      return ended;
    },
  };
}
