import { expect, test } from '@jest/globals';
import { table } from '../../../lib/table/client.ts';
import { call } from '../../support/api.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';
import { callUntilDone, codeOf, isBusy, listAll, record, sized, skipTime, times, useAwsTable } from './bounds.ts';

/* One branch that many callers add terminals to at the same time. */

const CALLERS = sized(16, 64);
const RUSH_MS = sized(5_000, 30_000);
/** Requests that read the branch before any of them writes. */
const CROWD = sized(120, 300);
/** Longer than a branch once listed recent changes, which the next change then removed. */
const PAUSE_MS = 11_000;

useAwsTable();

const create = ({ key }: Caller, mid: string) =>
  call('createTerminals', { key, path: { id: mid }, body: { terminals: [{ terminal_id: unique('T') }] } });

/** Creates of terminals: the number of each outcome, and the TIDs of those that succeeded. */
interface Creates {
  outcomes: Record<string, number>;
  tids: Set<string>;
}

/** Adds terminals until the time is over or the branch is full. */
async function rush(caller: Caller, mid: string): Promise<Creates> {
  const creates: Creates = { outcomes: {}, tids: new Set() };
  const end = performance.now() + RUSH_MS;
  await times(CALLERS, async () => {
    while (!creates.outcomes['too_many_terminals'] && performance.now() < end) await add(creates, caller, mid);
  });
  return creates;
}

/** Adds terminals in requests that have all read the branch before the first of them writes. Then they write in turn. */
async function crowd(caller: Caller, mid: string): Promise<Creates> {
  const creates: Creates = { outcomes: {}, tids: new Set() };
  const complete = Promise.withResolvers<void>();
  let arrived = 0;
  let turn: Promise<unknown> = complete.promise;
  table.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName !== 'TransactWriteItemsCommand' || arrived === CROWD) return next(args);
        arrived += 1;
        if (arrived === CROWD) complete.resolve();
        const result = turn.then(() => next(args));
        turn = result.catch(() => {});
        return result;
      },
    { step: 'initialize', name: 'crowd' },
  );
  try {
    await times(CROWD, () => add(creates, caller, mid));
  } finally {
    table.middlewareStack.remove('crowd');
  }
  return creates;
}

async function add({ outcomes, tids }: Creates, caller: Caller, mid: string): Promise<void> {
  const response = await create(caller, mid);
  // Every other outcome is unexpected.
  const code = isBusy(response) ? 'busy' : codeOf(response);
  outcomes[code] = (outcomes[code] ?? 0) + 1;
  if (response.status === 201) tids.add(response.body.data[0].tid);
}

test.each([
  { title: `that ${CALLERS} callers add terminals to for ${RUSH_MS / 1000} s`, addAll: rush },
  { title: `that ${CROWD} requests read before any of them adds its terminal`, addAll: crowd },
])('a branch $title lists each once, and can be changed in every way later', async ({ addAll }) => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { key } = provider;
  const { mid } = await newBranch(provider);
  const other = await newBranch(provider);
  const visitor = await newTerminal(provider, other.mid);

  const { outcomes, tids } = await addAll(provider, mid);
  record(`one branch, ${addAll.name}`, outcomes);
  expect(['201', 'busy', 'too_many_terminals']).toEqual(expect.arrayContaining(Object.keys(outcomes)));
  skipTime(PAUSE_MS);
  const expectListed = async () => {
    for (const sort of ['asc', 'desc'] as const) {
      const { terminals, total } = await listAll(provider, mid, sort);
      expect(terminals.map(({ tid }) => tid).sort()).toEqual([...tids].sort());
      expect(total).toBe(tids.size);
    }
    expect((await call('getBranch', { key, path: { mid } })).body.data.terminal_count).toBe(tids.size);
  };
  await expectListed();

  const [first, second] = [...tids] as [string, string];
  const remove = async (tid: string) => {
    expect(codeOf(await callUntilDone('deleteTerminal', { key, path: { id: tid } }))).toBe(200);
    tids.delete(tid);
  };
  const move = async (tid: string, target: string) =>
    expect(codeOf(await callUntilDone('reassignTerminal', { key, path: { id: tid }, body: { mid: target } }))).toBe(
      200,
    );
  if (outcomes['too_many_terminals']) await remove(second);
  const added = await create(provider, mid);
  expect([outcomes, codeOf(added)]).toEqual([outcomes, 201]);
  tids.add(added.body.data[0].tid);
  await move(first, other.mid);
  tids.delete(first);
  await move(visitor.tid, mid);
  tids.add(visitor.tid);
  await remove(added.body.data[0].tid);
  await expectListed();
  const archived = await call('archiveBranch', { key, path: { mid } });
  expect([codeOf(archived), archived.body.data?.terminal_count]).toEqual([200, tids.size]);
  await expectNoViolations();
});
