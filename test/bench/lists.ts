import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { HORIZON_MS } from '../../lib/base/time.ts';
import type { Branch } from '../../lib/branches/branch.ts';
import { type BranchListHead, SEALING } from '../../lib/branches/ranks.ts';
import { getItem, table, tableName } from '../../lib/table/client.ts';
import {
  branchKey,
  branchListEntryKey,
  branchListKey,
  branchOrder,
  packOrder,
  terminalKey,
  tidOf,
} from '../../lib/table/keys.ts';
import { exists, put, remove, transact, update } from '../../lib/table/transaction.ts';
import type { Terminal } from '../../lib/terminals/terminal.ts';
import { storeMany } from '../support/storeMany.ts';
import { type Caller, fullTerminal, NAMES, newAcquirer, newBranch, newTerminals } from './world.ts';

/** An item of a list. */
export type Item = Record<string, unknown>;

/** An acquirer's branches or a branch's terminals. */
export interface List {
  /** Its acquirer, and the acquirer's API key. */
  owner: string;
  key: string;
  /** The path parameters of its requests. */
  path?: Record<string, string>;
  /** The names of its items, oldest first, and the field that has them. */
  names: string[];
  field: 'mid' | 'terminal_id';
}

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

/**
 * A payment provider with `count` branches. Its list is idle, with as many entries as possible: one less than a seal
 * needs, and those that the last seal left. The API stores the first branch, and the others are copies at other
 * positions, because a hundred thousand creates would take an hour.
 */
export async function newBranchList(count: number): Promise<List> {
  const caller = await newAcquirer('PAYMENT_PROVIDER');
  const names = namesOf(`PAGES${count}N`, count);
  const [mid = ''] = names;
  await newBranch(caller, { ...NAMES, mid, master_merchant_id: 'HARBOUR1' });
  const first = (await getItem<Branch>(branchKey(mid))) as Branch;
  const created = Date.parse(first.created_at);
  const timeAt = (place: number) => new Date(created + place - 1).toISOString();
  const midAt = (place: number) => names[place - 1] as string;
  const ranked = count - SEALING.least + 1;
  const sealedFrom = ranked - SEALING.most + 1;
  await storeMany(1, count, (place) => {
    const created_at = timeAt(place);
    const provider_position = place <= ranked ? place : Date.parse(created_at);
    return { ...first, ...branchKey(midAt(place)), mid: midAt(place), created_at, provider_position } satisfies Branch;
  });
  await storeMany(sealedFrom, count, (place) => branchListEntryKey(caller.id, timeAt(place), midAt(place)));
  const head: BranchListHead = {
    count: ranked,
    sealed: names.slice(sealedFrom - 1, ranked),
    sealed_to: `${timeAt(ranked)}#${midAt(ranked)}`,
  };
  await transact([put(branchListKey(caller.id), head), remove(branchListEntryKey(caller.id, first.created_at, mid))]);
  return { key: caller.key, owner: caller.id, names, field: 'mid' };
}

/** A branch with terminals, at most 1,000. They are copies of the first, each as if its request had created no other. */
export async function newTerminalList(caller: Caller, count: number): Promise<List> {
  const names = namesOf(`PAGES${count}T`, count);
  const { mid } = await newBranch(caller, { mid: `TERMINALS${count}`, master_merchant_id: `TERMINALS${count}` });
  const idsAt = (place: number) => ({ terminal_id: `PAGES${count}T${place}`, serial_no: `PAGES${count}S${place}` });
  const [{ tid }] = await newTerminals(caller, mid, [{ ...fullTerminal(), ...idsAt(1) }]);
  const first = (await getItem<Terminal>(terminalKey(tid))) as Terminal;
  const terminals = new Set<Uint8Array>();
  await storeMany(1, count, (place) => {
    const tid = tidOf(idsAt(place).terminal_id);
    const created_at = new Date(Date.parse(first.created_at) - HORIZON_MS - count + place).toISOString();
    const branch_order = branchOrder(created_at, 0, tid);
    terminals.add(packOrder(branch_order));
    const times = { branch_order, created_at, updated_at: created_at };
    return { ...first, ...terminalKey(tid), ...idsAt(place), tid, ...times } satisfies Terminal;
  });
  await transact([update(branchKey(mid), { set: { terminals } }, exists('stale'))]);
  return { key: caller.key, owner: caller.id, path: { id: mid }, names, field: 'terminal_id' };
}

/**
 * More items of these lists than fit into 1 MB, the most that a response has. Without a limit the response is the same,
 * but DynamoDB Local takes several times as long.
 */
const MEGABYTE = 5_000;

/** The first branches of a list, read in requests of 1 MB from the oldest on, as a table without ranks must. */
export async function walk({ owner }: List, count: number): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const { Items = [], LastEvaluatedKey } = await table.send(
      new QueryCommand({
        TableName: tableName(),
        IndexName: 'branches-by-provider',
        KeyConditionExpression: 'payment_provider = :provider',
        ExpressionAttributeValues: { ':provider': owner },
        Limit: Math.min(MEGABYTE, count - items.length),
        ExclusiveStartKey,
      }),
    );
    items.push(...Items);
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey && items.length < count);
  return items;
}
