import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENDPOINTS } from '../../infra/stack/template/definitions.ts';
import type { Took } from './instanceProcess.ts';
import { unpack, unzip } from './packaged.ts';
import { ISSUER, packageOf } from './packaging.ts';

const PROCESS = fileURLToPath(new URL('instanceProcess.ts', import.meta.url));

/** Unpacks the bundle of a function, as it is deployed, and returns its file. */
export async function unpackBundle(folder: string, name: string): Promise<string> {
  const packaged = await packageOf('prod', ISSUER);
  unpack(unzip(join(packaged.folder, `${name}.zip`)), folder);
  return join(folder, `${ENDPOINTS[name]?.handler.replace('.handler', '.mjs')}`);
}

/** Runs a bundle in a process of its own, for one event after another. */
export async function runBundle(
  file: string,
  events: Iterable<unknown> | AsyncIterable<unknown>,
  environment: Record<string, string> = {},
): Promise<{ imported: Took; calls: Took[] }> {
  const child = fork(PROCESS, [file], {
    execArgv: ['--no-warnings'],
    serialization: 'advanced',
    env: { ...process.env, ...environment },
    // Standard output is the function's log.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} exited with ${code}.`)));
  const took = async (): Promise<Took> => (await Promise.race([once(child, 'message'), ended]))[0];
  try {
    const imported = await took();
    const calls: Took[] = [];
    for await (const event of events) {
      child.send(JSON.stringify(event));
      calls.push(await took());
    }
    return { imported, calls };
  } finally {
    ended.catch(() => {});
    child.kill();
  }
}
