import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newRequests } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { BODIES, LARGEST, LEAST_MS, MOST_TIMES_LONGER } from './bodies.ts';
import type { Asked, Took } from './instance.ts';

/*
 * The largest bodies, in a process of its own with half the memory of a function. That it answers what comes next shows
 * that it is alive.
 */

const HEAP_MB = 512;
/** A process that takes longer for one request than all of them need has met something that takes forever. */
const DEADLINE_MS = 40_000;

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
let instance: ChildProcess;
let ended: Promise<[]>;
beforeAll(async () => {
  ({ requestOf } = await newRequests());
  instance = fork(join(import.meta.dirname, 'instance.ts'), {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: process.env,
    // Its end would be told on stderr.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  ended = once(instance, 'exit').then(() => []);
});
afterAll(async () => {
  instance.kill('SIGKILL');
  await ended;
});

async function ask(asked: Asked): Promise<Took> {
  if (instance.connected) instance.send(asked);
  const deadline = setTimeout(() => instance.kill('SIGKILL'), DEADLINE_MS);
  const [took] = await Promise.race([once(instance, 'message'), ended]);
  clearTimeout(deadline);
  if (!took) throw new Error('The process has ended.');
  return took;
}

describe('a body of 6 MB', () => {
  test.each(BODIES)(
    'of %s is refused, and takes time as its size',
    async (_, operation, code, partsOf) => {
      const { body: __, ...request } = await requestOf(operation);
      const { response, changed } = await storedBy(async () => {
        const smaller = await ask({ operation, request, parts: partsOf(LARGEST / 10) });
        return { smaller, largest: await ask({ operation, request, parts: partsOf(LARGEST) }) };
      });
      expect(response).toMatchObject({ smaller: { code }, largest: { code } });
      expect(changed).toEqual({});
      // What is told does not grow with what was sent.
      expect(response.largest.characters).toBe(response.smaller.characters);
      expect(response.largest.cpu).toBeLessThan(MOST_TIMES_LONGER * Math.max(response.smaller.cpu, LEAST_MS));
    },
    60_000,
  );

  test('leaves the process as it was: it answers what comes next', async () => {
    const request = await requestOf('createBranch');
    expect(await ask({ operation: 'createBranch', request })).toMatchObject({ status: 201 });
  });
});
