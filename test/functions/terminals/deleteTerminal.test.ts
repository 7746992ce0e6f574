import { beforeAll, describe, expect, test } from '@jest/globals';
import { getItemsAndTombstones } from '../../../lib/table/client.ts';
import { terminalKey } from '../../../lib/table/keys.ts';
import { call, expectProblem } from '../../support/api.ts';
import { ordersIn, withAdded, withRemoved } from '../../support/branchItem.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NO_TERMINAL, NO_TIDS } from '../../support/constants.ts';
import { branchItemOf, storedBy } from '../../support/stored.ts';
import { newSharedBranch, newSharedTerminal, newTerminal, newWorld, unique, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const remove = (tid: string, key = world.provider.key) => call('deleteTerminal', { key, path: { id: tid } });

/** When a terminal was removed from a branch, according to the branch item; a delete response does not include it. */
const removedAt = (branch: Record<string, unknown> | null | undefined) => String(branch?.['terminals_changed_at']);

/** The changed branch of a deleted terminal: it does not list the terminal any more. */
const branchAfterRemoval = (
  mid: string,
  branch: Record<string, unknown> | undefined,
  tid: string,
  changed: Changed,
) => {
  const key = `BRANCH#${mid} BRANCH`;
  return { [key]: withRemoved(branch, removedAt(changed[key]), tid) };
};
type Changed = Awaited<ReturnType<typeof storedBy>>['changed'];

describe('200', () => {
  test('deletes a terminal, releases its serial_no and removes it from the list of its branch', async () => {
    const { mid } = await newSharedBranch(world);
    await newTerminal(world.provider, mid);
    const { updated_at } = await newTerminal(world.provider, mid, { terminal_id: 'TDEL1', serial_no: 'SDEL1' });
    const branch = await branchItemOf(mid);

    const { response, changed } = await storedBy(() => remove('a036606a-38d9-50cd-97f7-5fcb24b937e4'));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { tid: 'a036606a-38d9-50cd-97f7-5fcb24b937e4', terminal_id: 'TDEL1' } });
    expect(ordersIn(branch)).toHaveLength(2);
    const at = removedAt(changed[`BRANCH#${mid} BRANCH`]);
    expect(Date.parse(at)).toBeGreaterThan(Date.parse(updated_at));
    expect(changed).toEqual({
      'TERMINAL#a036606a-38d9-50cd-97f7-5fcb24b937e4 TERMINAL': null,
      'SERIAL#SDEL1 SERIAL': null,
      [`BRANCH#${mid} BRANCH`]: withRemoved(branch, at, 'a036606a-38d9-50cd-97f7-5fcb24b937e4'),
    });
  });

  test('replaces the terminal with a tombstone that expires 25 seconds later', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid } = await newTerminal(world.provider, mid);

    const { changed } = await storedBy(() => remove(tid));

    const deleted_at = removedAt(changed[`BRANCH#${mid} BRANCH`]);
    expect(await getItemsAndTombstones([terminalKey(tid)])).toEqual({
      items: [undefined],
      tombstones: [{ ...terminalKey(tid), deleted_at, ttl: Math.ceil((Date.parse(deleted_at) + 25_000) / 1000) }],
    });
  });

  test.each(['distributor', 'provider'] as const)('deletes a terminal for the %s of its branch', async (who) => {
    const { mid } = await newSharedBranch(world);
    const { tid, terminal_id } = await newTerminal(world.provider, mid);
    const branch = await branchItemOf(mid);

    const { response, changed } = await storedBy(() => remove(tid, world[who].key));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { tid, terminal_id } });
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: null,
      ...branchAfterRemoval(mid, branch, tid, changed),
    });
  });

  test('finds the terminal by its TID in upper case', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid, terminal_id } = await newTerminal(world.provider, mid);
    const branch = await branchItemOf(mid);

    const { response, changed } = await storedBy(() => remove(tid.toUpperCase()));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { tid, terminal_id } });
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: null,
      ...branchAfterRemoval(mid, branch, tid, changed),
    });
  });

  test('deletes an archived terminal', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid, terminal_id, serial_no } = await newTerminal(world.provider, mid, { serial_no: unique('S') });
    await call('archiveTerminal', { key: world.provider.key, path: { id: tid }, body: { reason: 'Stolen' } });
    const branch = await branchItemOf(mid);

    const { response, changed } = await storedBy(() => remove(tid));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { tid, terminal_id } });
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: null,
      [`SERIAL#${serial_no} SERIAL`]: null,
      ...branchAfterRemoval(mid, branch, tid, changed),
    });
  });

  test('deletes terminals of an archived branch, including restored ones', async () => {
    const { mid } = await newSharedBranch(world);
    const { key } = world.provider;
    const archived = await newTerminal(world.provider, mid);
    const restored = await newTerminal(world.provider, mid);
    await call('archiveBranch', { key, path: { mid } });
    await call('restoreTerminal', { key, path: { id: restored.tid } });
    let left = 2;
    for (const { tid, terminal_id } of [archived, restored]) {
      const branch = await branchItemOf(mid);

      const { response, changed } = await storedBy(() => remove(tid));

      left -= 1;
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ data: { tid, terminal_id } });
      expect(changed).toEqual({
        [`TERMINAL#${tid} TERMINAL`]: null,
        ...branchAfterRemoval(mid, branch, tid, changed),
      });
      expect(ordersIn(await branchItemOf(mid))).toHaveLength(left);
    }
  });

  test('removes a terminal from the list of the branch it was reassigned to', async () => {
    const { mid } = await newSharedBranch(world);
    const target = await newSharedBranch(world);
    const { tid } = await newTerminal(world.provider, mid);
    const { key } = world.provider;
    await call('reassignTerminal', { key, path: { id: tid }, body: { mid: target.mid } });
    const branch = await branchItemOf(target.mid);

    const { response, changed } = await storedBy(() => remove(tid));

    expect(response.status).toBe(200);
    expect(ordersIn(branch)).toHaveLength(1);
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: null,
      ...branchAfterRemoval(target.mid, branch, tid, changed),
    });
  });

  test('allows the terminal_id and serial_no to be used again, by a terminal with none of the deleted one’s values', async () => {
    const { mid } = await newSharedBranch(world);
    const next = await newSharedBranch(world);
    const { key } = world.provider;
    const deleted = await newTerminal(world.provider, mid, { serial_no: unique('S'), terminal_model: 'Move/5000' });
    await call('archiveTerminal', { key, path: { id: deleted.tid }, body: { reason: 'Stolen' } });
    await remove(deleted.tid);
    const branch = await branchItemOf(next.mid);

    const { terminal_id, serial_no } = deleted;
    const { response, changed } = await storedBy(() =>
      call('createTerminals', { key, path: { id: next.mid }, body: { terminals: [{ terminal_id, serial_no }] } }),
    );

    expect(response.status).toBe(201);
    const { tid, created_at } = response.body.data[0];
    expect(Date.parse(created_at)).toBeGreaterThan(Date.parse(deleted.created_at));
    expect(response.body.data).toEqual([
      {
        tid: deleted.tid,
        terminal_id,
        serial_no,
        terminal_model: null,
        payment_app: null,
        acquirer_name: null,
        mid: next.mid,
        status: 'active',
        created_at,
        updated_at: created_at,
        archived_at: null,
        archive_reason: null,
      },
    ]);
    expect(changed).toEqual({
      [`TERMINAL#${tid} TERMINAL`]: {
        tid,
        terminal_id,
        serial_no,
        mid: next.mid,
        branch_order: `${created_at}#000#${tid}`,
        created_at,
        updated_at: created_at,
      },
      [`SERIAL#${serial_no} SERIAL`]: { tid },
      [`BRANCH#${next.mid} BRANCH`]: withAdded(branch, created_at, `${created_at}#000#${tid}`),
    });
  });
});

testCommonBehaviour('deleteTerminal', async () => {
  const { tid } = await newSharedTerminal(world, { serial_no: unique('S') });
  return { key: world.provider.key, path: { id: tid } };
});

describe('404', () => {
  test.each(NO_TIDS)('returns 404 for a TID that %s', async (_, tid) => {
    const { response, changed } = await storedBy(() => remove(tid));
    expectProblem(response, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('returns 404 for a terminal_id in place of the TID', async () => {
    const { mid } = await newSharedBranch(world);
    const { terminal_id } = await newTerminal(world.provider, mid);
    const { response, changed } = await storedBy(() => remove(terminal_id));
    expectProblem(response, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('returns 404 for a terminal that is already deleted', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid } = await newTerminal(world.provider, mid);
    await remove(tid);

    const { response, changed } = await storedBy(() => remove(tid));

    expectProblem(response, 'not_found', NO_TERMINAL);
    expect(changed).toEqual({});
  });

  test('deletes a terminal once when two requests run concurrently', async () => {
    const { mid } = await newSharedBranch(world);
    await newTerminal(world.provider, mid);
    const { tid } = await newTerminal(world.provider, mid);

    const responses = await Promise.all([remove(tid), remove(tid)]);

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(ordersIn(await branchItemOf(mid))).toHaveLength(1);
  });

  test('returns 404 for a terminal of another acquirer', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid } = await newTerminal(world.provider, mid, { serial_no: unique('S') });
    for (const { key } of [world.secondProvider, world.stranger, world.strangeDistributor]) {
      const { response, changed } = await storedBy(() => remove(tid, key));
      expectProblem(response, 'not_found', NO_TERMINAL);
      expect(changed).toEqual({});
    }
  });
});
