import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newRequests } from '../../support/requests.ts';
import { stored } from '../../support/stored.ts';
import { BODIES, LARGEST, LARGEST_PARSED, LEAST_MS, MOST_TIMES_LONGER } from './bodies.ts';
import type { Sent, Took } from './instance.ts';

/*
 * The largest bodies, sent to a process of its own with half the memory of a function. That it responds to the next
 * request shows that it is alive.
 */

const HEAP_MB = 512;
/** A process that takes longer than this for one request hangs: all of them together take less. */
const DEADLINE_MS = 40_000;

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
let instance: ChildProcess;
let ended: Promise<[]>;
beforeAll(async () => {
  ({ requestOf } = await newRequests());
  instance = fork(join(import.meta.dirname, 'instance.ts'), {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: process.env,
    // Its end would be reported on stderr.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  ended = once(instance, 'exit').then(() => []);
});
afterAll(async () => {
  instance.kill('SIGKILL');
  await ended;
});

async function take(sent: Sent): Promise<Took> {
  if (instance.connected) instance.send(sent);
  const deadline = setTimeout(() => instance.kill('SIGKILL'), DEADLINE_MS);
  const [took] = await Promise.race([once(instance, 'message'), ended]);
  clearTimeout(deadline);
  if (!took) throw new Error('The process has ended.');
  return took;
}

describe('a large body', () => {
  test.each(BODIES)('of %s is rejected in time proportional to its size', async (_, operation, code, partsOf) => {
    const { body: __, ...request } = await requestOf(operation);
    const before = await stored();
    const smaller = await take({ operation, request, parts: partsOf(LARGEST_PARSED / 10) });
    const largest = await take({ operation, request, parts: partsOf(LARGEST_PARSED) });
    const refused = await take({ operation, request, parts: partsOf(LARGEST) });
    expect([smaller.code, largest.code, refused.code]).toEqual([code, code, 'body_too_large']);
    expect(await stored()).toEqual(before);
    // The response does not grow with the request.
    expect(largest.characters).toBe(smaller.characters);
    expect(largest.cpu).toBeLessThan(MOST_TIMES_LONGER * Math.max(smaller.cpu, LEAST_MS));
  });

  test('does not affect the response to the next request', async () => {
    const request = await requestOf('createBranch');
    expect(await take({ operation: 'createBranch', request })).toMatchObject({ status: 201 });
  });
});
