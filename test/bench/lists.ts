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
import { type Caller, newAcquirer, succeed } from './world.ts';

/*
 * Long lists, and how to read them from a table without ranks. The API itself stores the first items, and the others
 * are copies at other positions, because a hundred thousand creates would take an hour.
 */

/** An acquirer's list or a branch's. */
export interface List {
  /** The API key of its acquirer. */
  key: string;
  /** The path parameters of its requests. */
  path?: Record<string, string>;
  /** The names of its items, oldest first. */
  names: string[];
  nameOf: (item: Record<string, unknown>) => string;
  /** The whole list in its index. */
  range: Pick<QueryCommandInput, 'TableName' | 'IndexName' | 'KeyConditionExpression' | 'ExpressionAttributeValues'>;
}

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

/**
 * A payment provider with `count` branches. Its list is idle, with as many entries as possible: one less than a seal
 * needs, and those that the last seal left.
 */
export async function newBranchList(count: number): Promise<List> {
  const caller = await newAcquirer('PAYMENT_PROVIDER');
  const names = namesOf(`PAGES${count}N`, count);
  const [mid = ''] = names;
  const body = {
    mid,
    branch_name: 'Harbour Café',
    area: 'Docks',
    city: 'Porto',
    master_merchant_id: 'HARBOUR1',
    master_merchant_name: 'Harbour Cafés',
  };
  await succeed('createBranch', { key: caller.key, body });
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
  return {
    key: caller.key,
    names,
    nameOf: (item) => String(item['mid']),
    range: {
      TableName: tableName(),
      IndexName: 'branches-by-provider',
      KeyConditionExpression: 'payment_provider = :provider',
      ExpressionAttributeValues: { ':provider': caller.id },
    },
  };
}

/** A branch with terminals, at most 1,000. */
export async function newTerminalList(caller: Caller, count: number): Promise<List> {
  const mid = `TERMINALS${count}`;
  const names = namesOf(`PAGES${count}T`, count);
  const terminal = {
    terminal_id: names[0],
    serial_no: `PAGES${count}S1`,
    terminal_model: 'Countertop 3',
    payment_app: 'Checkout Go',
    acquirer_name: 'Atlantic Acquiring',
  };
  await succeed('createBranch', { key: caller.key, body: { mid, master_merchant_id: mid } });
  const { body } = await succeed('createTerminals', {
    key: caller.key,
    path: { id: mid },
    body: { terminals: [terminal] },
  });
  const first = (await getItem<Terminal>(terminalKey(body.data[0].tid))) as Terminal;
  const newest = Date.parse(first.created_at) - 2 * HORIZON_MS;
  const terminals = new Set<Uint8Array>();
  await storeMany(1, count, (place) => {
    const terminal_id = names[place - 1] as string;
    const tid = tidOf(terminal_id);
    const created_at = new Date(newest - count + place).toISOString();
    const branch_order = branchOrder(created_at, 0, tid);
    terminals.add(packOrder(branch_order));
    return {
      ...first,
      ...terminalKey(tid),
      tid,
      terminal_id,
      serial_no: `PAGES${count}S${place}`,
      branch_order,
      created_at,
      updated_at: created_at,
    } satisfies Terminal;
  });
  await transact([update(branchKey(mid), { set: { terminals } }, exists('stale'))]);
  return {
    key: caller.key,
    path: { id: mid },
    names,
    nameOf: (item) => String(item['terminal_id']),
    range: {
      TableName: tableName(),
      IndexName: 'terminals-by-branch',
      KeyConditionExpression: 'mid = :mid',
      ExpressionAttributeValues: { ':mid': mid },
    },
  };
}

/**
 * More items of these lists than fit into 1 MB, the most that a response has. Without a limit the response is the same,
 * but DynamoDB Local takes several times as long.
 */
const MEGABYTE = 5_000;

/** Reads a list from the oldest item on, with `limit` items in each request. */
async function read(
  { range }: List,
  atATime: number,
  upTo = Number.POSITIVE_INFINITY,
  more: Partial<QueryCommandInput> = {},
) {
  const items: Record<string, unknown>[] = [];
  let count = 0;
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const Limit = Math.min(atATime, upTo - count);
    const input = { ...range, ...more, Limit, ExclusiveStartKey };
    const { Items = [], Count = 0, LastEvaluatedKey } = await table.send(new QueryCommand(input));
    items.push(...Items);
    count += Count;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey && count < upTo);
  return { items, count };
}

/** Reads a page from a table without ranks: in ascending order, with everything before it. */
export type Walk = (list: List, page: number, perPage: number) => Promise<Record<string, unknown>[]>;

/** Page by page. */
export const walkByPages: Walk = async (list, page, perPage) =>
  (await read(list, perPage, page * perPage)).items.slice(-perPage);

/** In as few requests as possible. */
export const walkByMegabytes: Walk = async (list, page, perPage) =>
  (await read(list, MEGABYTE, page * perPage)).items.slice(-perPage);

/** Counts the items of a list. */
export const countAll = async (list: List): Promise<number> =>
  (await read(list, MEGABYTE, undefined, { Select: 'COUNT' })).count;
