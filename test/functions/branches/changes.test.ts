import { beforeAll, describe, expect, test } from '@jest/globals';
import { beforeNextWrite } from '../../lib/table/intercept.ts';
import { call } from '../../support/api.ts';
import { NO_TEXT_CONTROLS } from '../../support/constants.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  listedTerminals,
  newSharedBranch,
  newTerminal,
  numbered,
  restoreTerminal,
  unique,
  useWorld,
} from '../../support/world.ts';
import { archivedWithBranch, expectChanged } from '../terminals/terminals.ts';

/* Archiving is in archiving.test.ts, If-Match in preconditions.test.ts, events are in test/lib/events/event.test.ts. */

type Fields = Record<string, unknown>;
type Branch = Fields & { mid: string };
type Terminal = Fields & { tid: string };

const world = useWorld();
// Caches the API key.
beforeAll(() => call('listBranches', { key: world.provider.key }).then(() => undefined));

const update = (mid: string, body: unknown, { key } = world.provider) =>
  call('updateBranch', { key, path: { mid }, body });
const restore = (mid: string) => call('restoreBranch', { key: world.provider.key, path: { mid } });
const archiveTerminal = async ({ tid }: Terminal) =>
  (await call('archiveTerminal', { key: world.provider.key, path: { id: tid }, body: { reason: 'Stolen' } })).body.data;

/** Creates a shared branch without terminals, as `getBranch` shows it. */
const newPlainBranch = async (body: object = {}): Promise<Branch> => {
  const { terminals: _, ...branch } = await newSharedBranch(world, { ...body });
  return branch;
};

describe('updateBranch', () => {
  /** The names of the fields in responses, by those in requests. */
  const SHOWN = { branch_name: 'merchant_name', area: 'area', city: 'city' } as const;
  const FIELDS = Object.keys(SHOWN) as (keyof typeof SHOWN)[];
  const FULL = { branch_name: 'Harbour Café', area: 'Ribeira', city: 'Porto' };

  /** Updates a branch; `body` must differ from the branch in every field. */
  const expectUpdated = (branch: Branch, body: Partial<Record<keyof typeof SHOWN, string | null>>): Promise<Branch> =>
    expectChanged(
      branch,
      () => update(branch.mid, body),
      () => {
        const shown = Object.entries(body).map(([name, value]) => [SHOWN[name as 'area'], value] as const);
        const stored = shown.map(([name, value]) => [name, value ?? undefined]);
        return { shown: Object.fromEntries(shown), stored: Object.fromEntries(stored) };
      },
    );

  test('changes only the fields that are sent, and clears a field with null', async () => {
    let branch = await newPlainBranch(FULL);
    for (const field of FIELDS) branch = await expectUpdated(branch, { [field]: `New “Ñ” 🏪 ${field}` });
    await expectUpdated(branch, { area: null });
  });

  test('sets, changes and clears all fields in one request, also of an archived branch', async () => {
    let branch = await expectUpdated(await newPlainBranch(), FULL);
    branch = await archiveBranch(world.provider, branch.mid);
    branch = await expectUpdated(branch, { branch_name: 'Harbour Café Central', area: 'Sé', city: 'Braga' });
    branch = await expectUpdated(branch, { branch_name: null, area: null, city: null });
    expect(branch['status']).toBe('archived');
  });

  test('changes a branch with terminals, which stay as they are', async () => {
    const { terminals, ...branch } = await newSharedBranch(world, { terminals: numbered(unique('T'), 1) });
    await expectUpdated(branch, { city: 'Braga' });
    expect(await listedTerminals(world.provider, branch.mid)).toEqual(terminals);
  });

  test('changes nothing for a body with the values that it has, with no fields or with no content', async () => {
    const branch = await newPlainBranch(FULL);
    for (const body of [{ ...FULL, city: ' Porto\n' }, {}, undefined])
      expect(await bodyOf(() => update(branch.mid, body))).toEqual({ data: branch });
  });

  test('lets both acquirers find the branch by its new words, and no longer by the old ones', async () => {
    const [old, kept, added] = [unique('Old'), unique('Kept'), unique('New')];
    const { mid } = await newPlainBranch({ branch_name: `${old} ${kept}`, area: old, city: 'Porto' });
    const updated = (await update(mid, { branch_name: `${kept} ${added}`, area: null })).body.data;
    for (const { key } of [world.provider, world.distributor]) {
      const found = async (search: string) => (await call('listBranches', { key, query: { search } })).body.data;
      for (const search of [added, `porto ${kept}`])
        expect(await found(search)).toEqual([
          expect.objectContaining({ mid, merchant_name: updated.merchant_name, updated_at: updated.updated_at }),
        ]);
      expect(await found(old)).toEqual([]);
    }
  });

  test('sends one read and one write', async () => {
    const { mid } = await newPlainBranch();
    const sent = await tableRequestsBy(() => update(mid, FULL));
    expect(sent.response.status).toBe(200);
    expect(operationsOf(sent)).toBe('GetItem TransactWriteItems');
  });

  test('lists every field error, before the branch is read', async () => {
    const body = { branch_name: '4111 1111 1111 1111', area: 5, city: '\ud800' };
    const run = () =>
      expectRefused(() => update('NOSUCHMID', body), 'validation_failed', [
        ['/branch_name', 'card_number', 'Must not contain a payment card number.'],
        ['/area', 'invalid_type', 'Must be a string.'],
        ['/city', 'invalid_format', NO_TEXT_CONTROLS],
      ]);
    expect(operationsOf(await tableRequestsBy(run))).toBe('');
  });
});

describe('restoreBranch', () => {
  /** Restores an archived branch. */
  const expectRestored = (branch: Branch): Promise<Branch> =>
    expectChanged(
      branch,
      () => restore(branch.mid),
      (restored_at) => ({
        shown: { status: 'active', archived_at: null },
        stored: { archived_at: undefined, restored_at, restored_from: branch['archived_at'] },
      }),
    );
  const archive = (mid: string) => archiveBranch(world.provider, mid);
  const listed = (mid: string) => listedTerminals(world.distributor, mid);

  test('restores a branch and the terminals that were archived with it in a single write of one item', async () => {
    const { mid, terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 2) });
    const { updated_at } = await expectRestored(await archive(mid));
    // So that a sync by updated_at picks up the terminals too, theirs is the same.
    expect(await listed(mid)).toEqual(terminals.map((terminal: Terminal) => ({ ...terminal, updated_at })).reverse());
    expect((await newTerminal(world.provider, mid))['status']).toBe('active');
  });

  test('leaves terminals archived that were so by themselves, and active that were restored meanwhile', async () => {
    const { provider } = world;
    const { mid } = await newSharedBranch(world);
    const [before, restored, after, left, withBranch] = await Promise.all(
      numbered(unique('T'), 5).map((fields) => newTerminal(provider, mid, fields)),
    );
    const { mid: elsewhere } = await newSharedBranch(world);
    const archivedBefore = await archiveTerminal(before);
    const archived = await archive(mid);
    const activeMeanwhile = await restoreTerminal(provider, restored.tid);
    await restoreTerminal(provider, after.tid);
    const archivedAfter = await archiveTerminal(after);
    const path = { id: left.tid };
    const { body } = await call('reassignTerminal', { key: provider.key, path, body: { mid: elsewhere } });

    // The branch has one terminal less, so it has changed since.
    const { updated_at, terminal_count } = (await call('getBranch', { key: provider.key, path: { mid } })).body.data;
    const { updated_at: restored_at } = await expectRestored({ ...archived, updated_at, terminal_count });

    const byTid = (one: Terminal, other: Terminal) => (one.tid < other.tid ? -1 : 1);
    expect((await listed(mid)).sort(byTid)).toEqual(
      [archivedBefore, activeMeanwhile, archivedAfter, { ...withBranch, updated_at: restored_at }].sort(byTid),
    );
    expect(await listed(elsewhere)).toEqual([body.data]);
    expect(body.data).toMatchObject({ status: 'archived', archive_reason: 'Archived with its branch.' });
  });

  test('can be repeated: each archiving archives all active terminals, also restored ones', async () => {
    const { mid, terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 2) });
    const [first, second] = terminals;
    const wanted = (one: Fields, other: Fields) => [
      { ...second, ...other },
      { ...first, ...one },
    ];
    for (let round = 1; round <= 2; round += 1) {
      const archived = await archive(mid);
      const { archived_at } = archived;
      const gone = [first, second].map((each) => archivedWithBranch(each, archived_at));
      expect(await listed(mid)).toEqual(gone.toReversed());
      const active = await restoreTerminal(world.provider, first.tid);
      expect(await listed(mid)).toEqual([gone[1], active]);
      const { updated_at } = await expectRestored(archived);
      expect(await listed(mid)).toEqual(wanted({ updated_at: active.updated_at }, { updated_at }));
    }
  });

  test('keeps the time of a terminal that was changed after the branch was restored', async () => {
    const { mid, terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 1) });
    await expectRestored(await archive(mid));
    const archived = await archiveTerminal(terminals[0]);
    expect(await listed(mid)).toEqual([archived]);
    const active = await restoreTerminal(world.provider, archived.tid);
    expect(await listed(mid)).toEqual([active]);
    expect(active.updated_at > archived.archived_at).toBe(true);
  });

  test('rejects a branch that is active, also if another request restores it just before the write', async () => {
    const { mid } = await newPlainBranch();
    const refused = () => expectRefused(() => restore(mid), 'not_archived', 'The branch is not archived.');
    await refused();
    await archive(mid);
    beforeNextWrite(() => restore(mid));
    expect((await restore(mid)).body.code).toBe('not_archived');
    await refused();
  });

  test('restores a branch of which a terminal is restored just before, and keeps the time of that', async () => {
    const { mid, terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 1) });
    await archive(mid);
    let active: unknown;
    beforeNextWrite(async () => {
      active = await restoreTerminal(world.provider, terminals[0].tid);
    });
    expect((await restore(mid)).body.data.status).toBe('active');
    expect(await listed(mid)).toEqual([active]);
  });
});
