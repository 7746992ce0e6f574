import { expect, test } from '@jest/globals';
import { getItems } from '../../../lib/table/client.ts';
import { storeMany } from '../../support/storeMany.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { record, sized, useAwsTable } from './bounds.ts';

/* Batches of which the table returns only a part: it returns at most 1 MB of a partition. */

const KB = sized(30, 100);
const ITEMS = 100;

useAwsTable();

test(`a batch returns all ${ITEMS} items of ${KB} KB of one partition, in the order of their keys`, async () => {
  const keyOf = (number: number) => ({ pk: 'BOUNDS#large', sk: String(number) });
  await storeMany(1, ITEMS, (number) => ({ ...keyOf(number), number, text: 'x'.repeat(KB * 1024) }));
  const numbers = Array.from({ length: ITEMS }, (_, at) => ITEMS - at);
  const keys = [...numbers.map(keyOf), undefined, keyOf(ITEMS + 1), keyOf(1)];
  const { response, requests } = await tableRequestsBy(() => getItems<{ number: number }[]>(keys));
  expect(response.map((item) => item?.number)).toEqual([...numbers, undefined, undefined, 1]);
  record('batches', { items: ITEMS, kb: KB, requests: requests.length });
  expect(requests.length).toBeGreaterThan((ITEMS * KB) / 1024);
});
