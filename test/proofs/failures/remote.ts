import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Call, Message, Outcome } from './service.ts';

/** The handlers in a process of their own whose table requests can fail (service.ts). */
export interface Service {
  call: (call: Call) => Promise<Outcome>;
  /** The operations of the table requests of this call so far. */
  sent: (name: string) => Promise<string[]>;
  stop: () => Promise<unknown>;
}

/** Starts the handlers in a process whose clock is ahead by so many milliseconds. */
export async function startService(aheadMs = 0): Promise<Service> {
  const child = fork(new URL('service.ts', import.meta.url), [String(aheadMs)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting: PromiseWithResolvers<unknown>[] = [];
  child.on('message', ({ id, result, error }: { id: number; result: unknown; error?: string }) => {
    if (error) waiting[id]?.reject(new Error(error));
    else waiting[id]?.resolve(result);
  });
  const ended = once(child, 'exit').then(() => {
    for (const { reject } of waiting) reject(new Error('The service has ended.'));
  });
  const reply = <T>() => {
    const all = Promise.withResolvers<unknown>();
    return { ...all, id: waiting.push(all) - 1, promise: all.promise as Promise<T> };
  };
  const send = <T>(message: Message): Promise<T> => {
    const { id, promise, reject } = reply<T>();
    child.send({ id, message }, (error) => error && reject(error));
    return promise;
  };
  // The first message comes when the service has started.
  await reply().promise;
  return {
    call: send,
    sent: send,
    stop: () => {
      if (child.connected) child.disconnect();
      return ended;
    },
  };
}
