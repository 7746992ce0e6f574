import { describe, expect, test } from '@jest/globals';
import { beforeNextWrite } from '../lib/table/intercept.ts';
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

/* A terminal that moves, or whose branch is archived, while it is archived or restored: see test/proofs/races. */

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

  test('is not archived without a reason, or with a card number as reason', async () => {
    const refused = (body: object, code: string, detail: string) =>
      expectRefused(() => archive('no-uuid', body), 'validation_failed', [['/reason', code, detail]]);
    await refused({}, 'required', 'Is required.');
    await refused({ reason: '4111111111111111' }, 'card_number', 'Must not contain a payment card number.');
  });
});
