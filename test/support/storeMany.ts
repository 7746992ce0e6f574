import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { table, tableName } from '../../lib/table/client.ts';

/** The maximum items of one BatchWriteItem, and how many requests run concurrently. */
const BATCH = 25;
const AT_ONCE = 4;

/** Stores the items numbered `from` to `to` directly, bypassing the API. Each item is created when it is written. */
export async function storeMany(from: number, to: number, itemAt: (number: number) => object): Promise<void> {
  let next = from;
  const writer = async () => {
    while (next <= to) {
      const length = Math.min(BATCH, to - next + 1);
      const requests = Array.from({ length }, () => ({ PutRequest: { Item: itemAt(next++) } }));
      await table.send(new BatchWriteCommand({ RequestItems: { [tableName()]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
}
