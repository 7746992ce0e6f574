import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Branch } from '../lib/branch.ts';
import { TABLE, table } from '../lib/table/client.ts';
import { branchKey, branchListKey } from '../lib/table/keys.ts';
import { put, transact } from '../lib/table/transaction.ts';
import { metered } from './meter.ts';
import { newAcquirer, succeed } from './world.ts';

const BRANCHES = 20_000;
const BATCH = 25;

interface Row {
  page: number;
  sort: string;
  total: number;
  branches: number;
  requests: number;
  'read units': number;
  'items read': number;
  from: string;
  to: string;
}

/** What the first, the middle and the last page of a long branch list ask of the table. */
export async function pages(): Promise<boolean> {
  const provider = await newAcquirer('PAYMENT_PROVIDER');
  await fill(provider.id);
  // From here on the process knows the key.
  await succeed('listBranches', { key: provider.key });
  const rows: Row[] = [];
  for (const sort of ['desc', 'asc']) {
    for (const page of [1, BRANCHES / 20, BRANCHES / 10]) {
      const { result, usage } = await metered(() =>
        succeed('listBranches', { key: provider.key, query: { sort, page: String(page) } }),
      );
      const { data, meta } = result.body;
      rows.push({
        page,
        sort,
        total: meta.total,
        branches: data.length,
        requests: usage.requests,
        'read units': usage.readUnits,
        'items read': usage.itemsRead,
        from: data[0].mid,
        to: data.at(-1).mid,
      });
    }
  }
  console.table(rows);
  const costOf = ({ requests, 'read units': units, 'items read': items }: Row) => [requests, units, items].join();
  return new Set(rows.map(costOf)).size === 1 && rows.every(({ requests }) => requests <= 2);
}

/** Writes branches as creates would have left them, of which twenty thousand would take minutes. */
async function fill(payment_provider: string): Promise<void> {
  const created_at = new Date().toISOString();
  const branchAt = (provider_position: number): Branch => ({
    mid: `M${randomUUID().slice(0, 8)}N${provider_position}`,
    merchant_name: `Harbour Café ${provider_position}`,
    area: 'Docks',
    city: 'Porto',
    existing_master_merchant: randomUUID(),
    master_merchant_id: `MM${provider_position}`,
    master_merchant_name: 'Harbour Cafés',
    payment_provider,
    provider_position,
    terminal_count: 0,
    created_at,
    updated_at: created_at,
  });
  for (let from = 1; from <= BRANCHES; from += BATCH * 8) {
    const batches = Array.from({ length: 8 }, (_, batch) =>
      Array.from({ length: BATCH }, (__, at) => branchAt(from + batch * BATCH + at)),
    );
    await Promise.all(
      batches.map((branches) =>
        table.send(
          new BatchWriteCommand({
            RequestItems: {
              [TABLE]: branches.map((branch) => ({ PutRequest: { Item: { ...branchKey(branch.mid), ...branch } } })),
            },
          }),
        ),
      ),
    );
  }
  await transact([put(branchListKey(payment_provider), { count: BRANCHES, last_created_at: created_at })]);
}
