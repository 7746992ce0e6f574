import { beforeAll, expect, test } from '@jest/globals';
import { eventOf } from '../../support/api.ts';
import { newRequests } from '../../support/requests.ts';
import { BODIES, bodyOf, LARGEST, LARGEST_PARSED, LEAST_MS, MOST_TIMES_LONGER } from './bodies.ts';
import { rejected } from './send.ts';

/* The largest bodies. test/packaged/memory.slow.test.ts asserts the memory that they take. */

let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
beforeAll(async () => {
  ({ requestOf } = await newRequests());
});

test.each(BODIES)(
  'a large body of %s is rejected in time proportional to its size',
  async (_, operation, code, partsOf) => {
    const request = await requestOf(operation);
    /** The code and the length of the response, and the CPU milliseconds that it took. */
    const take = async (bytes: number) => {
      const event = eventOf(operation, { ...request, body: bodyOf(partsOf(bytes)) });
      const before = process.cpuUsage();
      const [response] = await rejected(operation, [event]);
      const { user, system } = process.cpuUsage(before);
      return { code: response?.body.code, length: JSON.stringify(response?.body).length, cpu: (user + system) / 1000 };
    };
    const [smaller, largest, refused] = [
      await take(LARGEST_PARSED / 10),
      await take(LARGEST_PARSED),
      await take(LARGEST),
    ];
    expect([smaller.code, largest.code, refused.code]).toEqual([code, code, 'body_too_large']);
    // The response does not grow with the request: only the position in it may have a digit more.
    expect(largest.length - smaller.length).toBeLessThanOrEqual(1);
    expect(largest.cpu).toBeLessThan(MOST_TIMES_LONGER * Math.max(smaller.cpu, LEAST_MS));
  },
);
