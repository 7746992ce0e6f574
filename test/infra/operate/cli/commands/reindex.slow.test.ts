import { expect, test } from '@jest/globals';
import type { Branch } from '../../../../../lib/branches/branch.ts';
import { getItem } from '../../../../../lib/table/client.ts';
import { branchKey, wordEntryKey } from '../../../../../lib/table/keys.ts';
import { put, transact } from '../../../../../lib/table/transaction.ts';
import { storedBy } from '../../../../support/stored.ts';
import { newBranch, useProvider } from '../../../../support/world.ts';
import { done, jsonOf, operator } from '../operator.ts';

const provider = useProvider();

test('reindex says what it corrects, and nothing the second time', async () => {
  const { mid, existing_master_merchant } = await newBranch(provider, { branch_name: 'Harbour' });
  const { created_at } = (await getItem<Branch>(branchKey(String(mid)))) as Branch;
  const outdated = { words: 'OLD HARBOUR', at: Date.parse(created_at) };
  await transact([
    put(wordEntryKey('BRANCHES', provider.id, 'OLD', String(mid)), outdated),
    put(wordEntryKey('BRANCHES', provider.id, 'HARBOUR', String(mid)), outdated),
    put(wordEntryKey('MASTER_MERCHANTS', provider.id, 'OLD', String(existing_master_merchant)), { words: 'OLD' }),
  ]);
  const checked = 'Checked the search entries of 2 branches and master merchants.';
  const counted = await storedBy(() => operator(['reindex', '--count']));
  expect(counted).toEqual({ response: done(`${checked} To store: 1, to remove: 2.`), changed: {} });
  const { stderr, ...corrected } = await operator(['reindex'], { keys: '' });
  expect(stderr).toMatch(/^On table .*:\n$/);
  expect(corrected).toEqual({ exitCode: 0, stdout: `${checked} Stored: 1, removed: 2.\n` });
  const again = await storedBy(() => operator(['reindex']));
  expect(again).toEqual({ response: done(`${checked} All are up to date.`), changed: {} });
  expect(await jsonOf('reindex')).toEqual({ checked: 2, stored: 0, removed: 0 });
});
