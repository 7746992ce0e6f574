import { afterEach, expect, jest, test } from '@jest/globals';
import { intercept } from '../../lib/table/intercept.ts';
import { stopClocks } from '../../support/clock.ts';
import { deep } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';
import { listAll, succeed, times } from './bounds.ts';

/* One branch that many callers add terminals to at the same time. */

/** Requests that read the branch before any of them writes. */
const CROWD = deep ? 300 : 40;
/** Longer than a branch once listed recent changes, which the next change then removed. */
const PAUSE_MS = 11_000;

afterEach(() => {
  jest.restoreAllMocks();
});

/** Creates a terminal and returns its TID. */
async function add({ key }: Caller, mid: string): Promise<string> {
  const body = { terminals: [{ terminal_id: unique('T') }] };
  return (await succeed('createTerminals', { key, path: { id: mid }, body })).body.data[0].tid;
}

/** Expects that a branch has these terminals, each once. */
async function expectListed({ key }: Caller, mid: string, tids: Set<string>): Promise<void> {
  for (const sort of ['asc', 'desc']) {
    const { rows, total } = await listAll('listTerminals', { key, path: { id: mid } }, sort);
    expect([rows.map(({ tid }) => tid).sort(), total]).toEqual([[...tids].sort(), tids.size]);
  }
  const { body } = await succeed('getBranch', { key, path: { mid } });
  expect(body.data.terminal_count).toBe(tids.size);
}

test(`a branch that ${CROWD} requests read before any adds its terminal lists each once`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { key } = provider;
  const [{ mid }, other] = [await newBranch(provider), await newBranch(provider)];
  const visitor = await newTerminal(provider, other.mid);
  // The attempts take no time, so their number does not depend on the machine.
  const wait = stopClocks();
  const complete = Promise.withResolvers<void>();
  let arrived = 0;
  intercept(async (send, { operation }) => {
    if (operation !== 'TransactWriteItems') return send();
    arrived += 1;
    if (arrived === CROWD) complete.resolve();
    await complete.promise;
    return send();
  });
  const tids = new Set(await times(CROWD, () => add(provider, mid)));
  expect(tids.size).toBe(CROWD);
  wait(PAUSE_MS);
  await expectListed(provider, mid, tids);

  const [first, second] = [...tids] as [string, string];
  tids.add(await add(provider, mid));
  const move = (id: string, to: string) => succeed('reassignTerminal', { key, path: { id }, body: { mid: to } });
  await move(first, other.mid);
  await move(visitor.tid, mid);
  await succeed('deleteTerminal', { key, path: { id: second } });
  for (const tid of [first, second]) tids.delete(tid);
  tids.add(visitor.tid);
  await expectListed(provider, mid, tids);
  await succeed('archiveBranch', { key, path: { mid } });
  await expectListed(provider, mid, tids);
  await expectNoViolations();
});
