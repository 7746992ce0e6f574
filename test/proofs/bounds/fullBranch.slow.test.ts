import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { table } from '../../../lib/table/client.ts';
import { call } from '../../support/api.ts';
import { deep } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';
import { codeOf, count, isBusy, listAll, succeed, times, useAwsTable } from './bounds.ts';

/* One branch that many callers add terminals to at the same time. */

/** Requests that read the branch before any of them writes. */
const CROWD = deep ? 300 : 40;
/** Callers that add terminals without a pause, and the branches that they do this to. */
const CALLERS = deep ? 24 : 8;
const BRANCHES = deep ? 20 : 2;
/** Until the callers are at their usual pace, in milliseconds. */
const START_MS = deep ? 5_000 : 500;
/** Longer than a branch once listed recent changes, which the next change then removed. */
const PAUSE_MS = 11_000;

useAwsTable();

/** A new branch for creates of terminals: the number of each outcome, and the TIDs of those that succeeded. */
async function newPlace(caller: Caller) {
  const { key } = caller;
  const { mid }: { mid: string } = await newBranch(caller);
  const outcomes: Record<string, number> = {};
  const tids = new Set<string>();

  async function add(): Promise<string | number> {
    const body = { terminals: [{ terminal_id: unique('T') }] };
    const response = await call('createTerminals', { key, path: { id: mid }, body });
    const code = isBusy(response) ? 'busy' : codeOf(response);
    count(outcomes, code);
    if (response.status === 201) tids.add(response.body.data[0].tid);
    return code;
  }

  /** Expects that the branch has the created terminals, each once. */
  async function expectListed(): Promise<void> {
    for (const sort of ['asc', 'desc']) {
      const { rows, total } = await listAll('listTerminals', { key, path: { id: mid } }, sort);
      expect(rows.map(({ tid }) => tid).sort()).toEqual([...tids].sort());
      expect(total).toBe(tids.size);
    }
    const { body } = await succeed('getBranch', { key, path: { mid } });
    expect(body.data.terminal_count).toBe(tids.size);
  }

  return { mid, outcomes, tids, add, expectListed };
}

/** Makes transactions wait until there are so many; then they are sent in turn. */
function gather(crowd: number): void {
  const complete = Promise.withResolvers<void>();
  let arrived = 0;
  let turn: Promise<unknown> = complete.promise;
  table.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName !== 'TransactWriteItemsCommand' || arrived === crowd) return next(args);
        arrived += 1;
        if (arrived === crowd) complete.resolve();
        const result = turn.then(() => next(args));
        turn = result.catch(() => {});
        return result;
      },
    { step: 'initialize', name: 'gather' },
  );
}

test(`a branch that ${CROWD} requests read before any adds its terminal lists each once, and can be changed in every way later`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { key } = provider;
  const [creates, other] = [await newPlace(provider), await newPlace(provider)];
  const { tids, outcomes, mid } = creates;
  const visitor = await newTerminal(provider, other.mid);
  gather(CROWD);
  await times(CROWD, () => creates.add());
  table.middlewareStack.remove('gather');
  expect(['201', 'busy']).toEqual(expect.arrayContaining(Object.keys(outcomes)));
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + PAUSE_MS);
  await creates.expectListed();

  const [first, second] = [...tids] as [string, string];
  expect(await creates.add()).toBe(201);
  const move = (id: string, to: string) => succeed('reassignTerminal', { key, path: { id }, body: { mid: to } });
  await move(first, other.mid);
  await move(visitor.tid, mid);
  await succeed('deleteTerminal', { key, path: { id: second } });
  for (const tid of [first, second]) tids.delete(tid);
  tids.add(visitor.tid);
  await creates.expectListed();
  const archived = await succeed('archiveBranch', { key, path: { mid } });
  expect(archived.body.data.terminal_count).toBe(tids.size);
  await expectNoViolations();
});

test(`${BRANCHES} branches are archived although ${CALLERS} callers add terminals to each without a pause`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  for (let branch = 1; branch <= BRANCHES; branch += 1) {
    const creates = await newPlace(provider);
    let isOver = false;
    const callers = times(CALLERS, async () => {
      for (;;) {
        const code = await creates.add();
        if (isOver || ![201, 'busy'].includes(code)) return code;
      }
    });
    await sleep(START_MS);
    const archived = await call('archiveBranch', { key: provider.key, path: { mid: creates.mid } });
    isOver = archived.status !== 200;
    const lastCodes = await callers;
    expect(codeOf(archived)).toBe(200);
    expect(new Set([...lastCodes, await creates.add()])).toEqual(new Set(['branch_archived']));
    expect(archived.body.data.terminal_count).toBe(creates.tids.size);
    await creates.expectListed();
  }
  await expectNoViolations();
});
