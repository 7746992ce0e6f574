import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { queryPrefix } from '../../lib/table/client.ts';
import { unindexedWordsKey, unindexedWordsOf, type WordList } from '../../lib/table/keys.ts';
import { put, transact } from '../../lib/table/transaction.ts';
import { call } from '../support/api.ts';
import { withLongLookup } from '../support/longLookup.ts';
import { personOf } from '../support/people.ts';
import { newAcquirer } from '../support/world.ts';

/* Entries that a create could not store, because its transaction was full (test/functions/branches/search.test.ts). */

test.each<[string, WordList]>([
  ['lookup', 'MASTER_MERCHANTS'],
  ['search', 'BRANCHES'],
])('%s stores the search entries that a create left out', async (operation, list) => {
  const { id, key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { session } = await personOf(id, 'viewer');
  await transact([put(unindexedWordsKey(list, id, randomUUID()), { words: 'HARBOUR' })]);
  const { status } =
    operation === 'search'
      ? await call('search', { session, query: { q: 'nothing' } })
      : await withLongLookup(() =>
          call('lookup', { key, path: { method: 'masterMerchants' }, query: { search: 'nothing' } }),
        );
  expect(status).toBe(200);
  expect(await queryPrefix(unindexedWordsOf(list, id))).toEqual([]);
});
