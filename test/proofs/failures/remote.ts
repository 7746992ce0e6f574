import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Call, Message, Outcome } from './service.ts';
import type { Sent } from './wire.ts';

/** The handlers in a process of their own whose table requests can fail (service.ts). */
export interface Service {
  call: (call: Call) => Promise<Outcome>;
  /** Resolves when a failure has hit a table request of this call. */
  hit: (name: string) => Promise<void>;
  /** The table requests of this call so far. */
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
  const send = <T>(message: Message) =>
    new Promise<T>((done, fail) => {
      waiting.set(++last, { done, fail });
      child.send({ id: last, message });
    });
  await new Promise<void>((done, fail) => waiting.set(0, { done, fail }));
  return {
    call: (call) => send({ call }),
    hit: (name) => send({ hit: name }),
    sent: (name) => send({ sent: name }),
    stop: () => {
      child.disconnect();
      return ended;
    },
  };
}
