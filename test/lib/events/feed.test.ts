import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, jest, test } from '@jest/globals';
import { HORIZON_MS } from '../../../lib/base/time.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { table } from '../../../lib/table/client.ts';
import { call } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { type Caller, newBranch, newTerminal, unique, useProvider } from '../../support/world.ts';

const provider = useProvider();
afterEach(() => {
  FEED.horizonMs = HORIZON_MS;
  jest.useRealTimers();
  jest.restoreAllMocks();
});

interface Page {
  data: { type: string; at: string; branch: { mid: string }; request_id: string }[];
  meta: { next: string };
}
const read = async ({ key }: Caller, after: string): Promise<Page> =>
  (await call('listEvents', { key, query: { after } })).body;
const cursorNow = async (caller: Caller): Promise<string> => (await read(caller, 'now')).meta.next;
const requestIdOf = ({ headers }: Awaited<ReturnType<typeof call>>) => headers['x-request-id'] as string;

/** The longest time from the start of a request to its write, and how far its clock may be behind the reader's. */
const LIFE_MS = 20_000;
const BEHIND_MS = 4_900;

test('a reader that polls misses no event of the longest write, on a clock that is behind', async () => {
  const { mid } = await newBranch(provider);
  const { tid } = await newTerminal(provider, mid);
  // Later than everything before, on either clock.
  const started = Date.now() + 10_000;
  let after = await cursorNow(provider);
  const slowId = unique('T');
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const send = table.send.bind(table) as (command: unknown) => Promise<never>;
  jest.spyOn(table, 'send').mockImplementation(async (command: unknown) => {
    if (command instanceof TransactWriteCommand && JSON.stringify(command.input).includes(slowId)) {
      held.resolve();
      await released.promise;
    }
    return send(command);
  });
  setClock(started - BEHIND_MS);
  const body = { terminals: [{ terminal_id: slowId }] };
  const slow = call('createTerminals', { key: provider.key, path: { id: mid }, body });
  await held.promise;

  const seen: Page['data'] = [];
  const made: string[] = [];
  for (let passed = 0; passed <= 60_000; passed += 2_000) {
    setClock(started + passed);
    const { data, meta } = await read(provider, after);
    seen.push(...data);
    after = meta.next;
    if (passed === LIFE_MS) {
      released.resolve();
      made.unshift(requestIdOf(await slow));
    } else if (passed % 4_000 === 0 && passed < 30_000) {
      const change = { path: { id: tid }, body: { terminal_model: `Model ${passed}` } };
      made.push(requestIdOf(await call('updateTerminal', { key: provider.key, ...change })));
    }
  }
  expect(made).toHaveLength(8);
  expect(seen.map(({ request_id }) => request_id).slice(-made.length)).toEqual(made);
  expect(seen.map(({ at }) => at)).toEqual(seen.map(({ at }) => at).sort());
});
