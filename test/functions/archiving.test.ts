import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { branchKey } from '../../lib/table/keys.ts';
import { beforeNext, beforeNextWrite } from '../lib/table/intercept.ts';
import { call, expectProblem } from '../support/api.ts';
import { expectRefused } from '../support/outcomes.ts';
import { terminalBody } from '../support/requests.ts';
import { branchItemOf, storedBy } from '../support/stored.ts';
import {
  archiveBranch,
  listedTerminals,
  newSharedBranch,
  newSharedTerminal,
  numbered,
  unique,
  useWorld,
} from '../support/world.ts';
import { archivedWithBranch, expectChanged } from './terminals/terminals.ts';

const world = useWorld();

const ALREADY_ARCHIVED = 'The terminal is already archived.';
const NOT_ARCHIVED = 'The terminal is not archived.';

type Terminal = { tid: string; mid: string };

const archive = (tid: string, body: unknown = { reason: 'Out of order' }) =>
  call('archiveTerminal', { key: world.provider.key, path: { id: tid }, body });
const restore = (tid: string) => call('restoreTerminal', { key: world.provider.key, path: { id: tid } });

/** Archives an active terminal, and asserts the response and what is stored. */
async function expectArchived(terminal: Terminal, archive_reason = 'Stolen') {
  const branch = await branchItemOf(terminal.mid);
  return expectChanged(
    terminal,
    () => archive(terminal.tid, { reason: archive_reason }),
    (archived_at) => ({
      shown: { status: 'archived', archived_at, archive_reason },
      stored: { archived_at, archive_reason, restored: undefined },
      others: { [`BRANCH#${terminal.mid} BRANCH`]: { ...branch, terminals_changed_at: archived_at } },
    }),
  );
}

/** Restores an archived terminal, and asserts the response and what is stored; `terminal` is as it was when active. */
async function expectRestored(terminal: Terminal, stored: object = {}) {
  const branch = await branchItemOf(terminal.mid);
  return expectChanged(
    terminal,
    () => restore(terminal.tid),
    (terminals_changed_at) => ({
      stored: { archived_at: undefined, archive_reason: undefined, ...stored },
      others: { [`BRANCH#${terminal.mid} BRANCH`]: { ...branch, terminals_changed_at } },
    }),
  );
}

test('archiveBranch archives a branch and all its terminals in a single write of one item, once', async () => {
  const { terminals, ...branch } = await newSharedBranch(world, { terminals: numbered(unique('T'), 2) });
  const { mid } = branch;
  const archiving = () => call('archiveBranch', { key: world.provider.key, path: { mid } });

  const { response, changed } = await storedBy(archiving);

  const { archived_at } = response.body.data;
  expect(response.status).toBe(200);
  expect(response.body).toEqual({ data: { ...branch, status: 'archived', updated_at: archived_at, archived_at } });
  expect(archived_at > branch.created_at).toBe(true);
  expect(changed).toEqual({
    [`BRANCH#${mid} BRANCH`]: expect.objectContaining({ mid, archived_at, updated_at: archived_at }),
  });
  // So that a sync by updated_at picks up the terminals too, theirs is the same.
  expect(await listedTerminals(world.distributor, mid)).toEqual(
    terminals.toReversed().map((terminal: object) => archivedWithBranch({ ...terminal }, archived_at)),
  );

  await expectRefused(archiving, 'already_archived', 'The branch is already archived.');
});

describe('a terminal', () => {
  test('is archived and restored any number of times, also before and after its branch is archived', async () => {
    const { provider } = world;
    const terminal = await newSharedTerminal(world, terminalBody());
    await expectRefused(() => restore(terminal.tid), 'not_archived', NOT_ARCHIVED);
    await expectArchived(terminal, 'Stolen “Ñ” 🏪\nsee case 12');
    await expectRefused(() => archive(terminal.tid), 'already_archived', ALREADY_ARCHIVED);
    const restored = await expectRestored(terminal);
    expect(await listedTerminals(provider, terminal.mid)).toEqual([restored]);
    await expectRefused(() => restore(terminal.tid), 'not_archived', NOT_ARCHIVED);
    const archived = await expectArchived(terminal, 'Stolen again');

    // It keeps its own time and reason.
    const { archived_at } = await archiveBranch(provider, terminal.mid);
    expect(await listedTerminals(provider, terminal.mid)).toEqual([archived]);
    const active = await expectRestored(terminal, { restored: archived_at });
    expect(active.updated_at > archived_at).toBe(true);
    expect(await listedTerminals(provider, terminal.mid)).toEqual([active]);
    await expectRefused(() => restore(terminal.tid), 'not_archived', NOT_ARCHIVED);
    await expectArchived(terminal);
    await expectRefused(() => archive(terminal.tid), 'already_archived', ALREADY_ARCHIVED);
    await expectRestored(terminal, { restored: archived_at });
  });

  test('is already archived if its branch is archived just before the write', async () => {
    const { provider } = world;
    const terminal = await newSharedTerminal(world);
    beforeNextWrite(() => archiveBranch(provider, terminal.mid));
    expectProblem(await archive(terminal.tid), 'already_archived', ALREADY_ARCHIVED);
    const { body } = await call('getBranch', { key: provider.key, path: { mid: terminal.mid } });
    const unchanged = archivedWithBranch(terminal, body.data.archived_at);
    expect(await listedTerminals(provider, terminal.mid)).toEqual([unchanged]);
  });

  test('is restored alone if its branch is archived just before the write', async () => {
    const { provider } = world;
    const terminal = await newSharedTerminal(world);
    await archive(terminal.tid);
    beforeNextWrite(() => archiveBranch(provider, terminal.mid));
    const { body } = await restore(terminal.tid);
    expect(body.data.status).toBe('active');
    expect(await listedTerminals(provider, terminal.mid)).toEqual([body.data]);
  });

  test('is not archived without a reason, or with a card number as reason', async () => {
    const refused = (body: object, code: string, detail: string) =>
      expectRefused(() => archive('no-uuid', body), 'validation_failed', [['/reason', code, detail]]);
    await refused({}, 'required', 'Is required.');
    await refused({ reason: '4111111111111111' }, 'card_number', 'Must not contain a payment card number.');
  });
});

test('a terminal that leaves just before its branch is read is not taken for archived with the branch that it left', async () => {
  const { key } = world.provider;
  const [{ mid, terminals }, { mid: target }] = await Promise.all([
    newSharedBranch(world, { terminals: numbered(unique('T'), 1) }),
    newSharedBranch(world),
  ]);
  const [{ tid }] = terminals as [Terminal];
  await archive(tid);
  await restore(tid);
  beforeNext(
    ({ operation, input }) => operation === 'GetItem' && isDeepStrictEqual(input['Key'], branchKey(mid)),
    async () => {
      await call('reassignTerminal', { key, path: { id: tid }, body: { mid: target } });
      await call('archiveBranch', { key, path: { mid } });
    },
  );
  const { status, body } = await archive(tid, { reason: 'Lost' });
  expect([status, body.data]).toMatchObject([200, { mid: target, status: 'archived', archive_reason: 'Lost' }]);
});
