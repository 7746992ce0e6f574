import { describe, expect, test } from '@jest/globals';
import type { Branch } from '../../../lib/branches/branch.ts';
import { searchablesOf } from '../../../lib/branches/branchWords.ts';
import { reindex } from '../../../lib/operator/reindex.ts';
import { getItem } from '../../../lib/table/client.ts';
import * as keys from '../../../lib/table/keys.ts';
import { put, remove, transact } from '../../../lib/table/transaction.ts';
import { call } from '../../support/api.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored, storedBy } from '../../support/stored.ts';
import { archiveBranch, newBranch, newSharedBranch, useWorld } from '../../support/world.ts';
import { beforeNextWrite } from '../table/intercept.ts';

const world = useWorld();

type Entry = keys.Key & Record<string, unknown>;

/** The stored search entries of something, or of all. */
async function entriesOf(id?: string): Promise<Entry[]> {
  const items = Object.entries(await stored()).map(([name, item]): Entry => {
    const [pk = '', sk = ''] = name.split(/ (.*)/s);
    return { pk, sk, ...item };
  });
  return items.filter((item) => item.pk.startsWith('WORDS#') && (!id || keys.idOfWordEntry(item) === id));
}

/** Leaves the entries of something as another rule may have made them. */
async function leaveOutdated(id: string): Promise<void> {
  const entries = await entriesOf(id);
  for (const [at, { pk, sk, ...attributes }] of entries.entries()) {
    const { list, acquirer } = keys.wordListOf({ pk, sk });
    const old = { ...attributes, words: `OLD${at} ${sk.split('#')[0]}` };
    // Each third is missing, has other words, or stands under another word.
    const steps = [
      [remove({ pk, sk })],
      [put({ pk, sk }, old)],
      [remove({ pk, sk }), put(keys.wordEntryKey(list, acquirer, `OLD${at}`, id), old)],
    ];
    await transact(steps[at % 3] as (typeof steps)[0]);
  }
}

const rename = (mid: unknown, branch_name: string) =>
  call('updateBranch', { key: world.provider.key, path: { mid: String(mid) }, body: { branch_name } });

const find = async (search: string): Promise<string[]> =>
  (await call('listBranches', { key: world.provider.key, query: { search } })).body.data.map(
    ({ mid }: { mid: string }) => mid,
  );

describe('reindex', () => {
  test('leaves the entries of branches and master merchants as this version stores them', async () => {
    const names = { branch_name: 'L’Étoile & Co 7', city: 'Porto', master_merchant_name: 'Casa Verde' };
    const { mid, existing_master_merchant: business } = await newSharedBranch(world, names);
    const long = await newSharedBranch(world, {
      ...names,
      branch_name: 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
    });
    const renamed = await newBranch(world.provider, names);
    await rename(renamed['mid'], 'Pastelaria');
    await archiveBranch(world.provider, String(renamed['mid']));
    const expected = await entriesOf();
    expect(await reindex()).toEqual({ checked: 8, stored: 0, removed: 0 });

    for (const id of [mid, business, long['mid'], renamed['mid']]) await leaveOutdated(String(id));
    const counted = await storedBy(() => reindex({ isDry: true }));
    expect(counted.response.stored).toBeGreaterThan(50);
    expect(counted.response.removed).toBeGreaterThan(20);
    expect(counted.changed).toEqual({});
    const progress: number[] = [];
    expect(await reindex({ progress: (checked) => progress.push(checked) })).toEqual(counted.response);
    expect(progress.at(-1)).toBe(8);
    // An archived branch keeps the time of its last rename, or has a later one.
    const withoutSince = (entries: Entry[]) => entries.map(({ since: _, ...entry }) => entry);
    expect(withoutSince(await entriesOf())).toEqual(withoutSince(expected));
    expect(await find('etoile')).toEqual([mid]);
    expect(await storedBy(() => reindex())).toEqual({ response: { checked: 8, stored: 0, removed: 0 }, changed: {} });
  });

  test('does not overwrite a concurrent rename, and removes what an older rule stored', async () => {
    const { mid } = await newBranch(world.provider, { branch_name: 'Before' });
    await leaveOutdated(String(mid));
    beforeNextWrite(() => rename(mid, 'Afterwards'));
    await reindex();
    expect([await find('afterwards'), await find('before')]).toEqual([[mid], []]);
    await expectNoViolations();
  });

  test('stores the entries of a branch that has none yet, and however many are wrong', async () => {
    const { mid } = await newBranch(world.provider, { branch_name: 'Unindexed' });
    const [each] = searchablesOf((await getItem<Branch>(keys.branchKey(String(mid)))) as Branch);
    if (!each) throw new Error('A branch has an acquirer');
    const [entries, acquirer] = [await entriesOf(String(mid)), world.provider.id];
    await transact([
      ...entries.map(({ pk, sk }) => remove({ pk, sk })),
      put(keys.unindexedWordsKey('BRANCHES', acquirer, String(mid)), each.attributes),
    ]);
    for (let from = 0; from < 150; from += 50)
      await transact(
        Array.from({ length: 50 }, (_, at) =>
          put(keys.wordEntryKey('BRANCHES', acquirer, `OLD${from + at}`, String(mid)), each.attributes),
        ),
      );
    expect(await reindex()).toMatchObject({ removed: 151 });
    expect(await entriesOf(String(mid))).toEqual(entries);
  });
});
