import { getItem } from '../../lib/table/client.ts';
import { branchKey, branchOrder, packOrder, terminalKey, tidOf } from '../../lib/table/keys.ts';
import { storeMany } from '../support/storeMany.ts';
import type { List } from './lists.ts';
import { metered } from './meter.ts';
import { call } from './world.ts';

const TERMINAL = { terminal_model: 'Countertop 3', payment_app: 'Checkout Go', acquirer_name: 'Payfair Acquiring' };

/** Reads pages of a walk from the middle of a list of branches, which have 5 terminals for each two of them. */
export async function walkOf({ key, mids }: List) {
  const first = await getItem<{ created_at: string }>(branchKey(mids[0] as string));
  const created_at = first?.created_at as string;
  const idsOf = (mid: string, at: number) => Array.from({ length: 2 + (at % 2) }, (_, number) => `${mid}T${number}`);
  const orderOf = (id: string) => branchOrder(created_at, 0, tidOf(id));
  const branches = await Promise.all(mids.map((mid) => getItem<object>(branchKey(mid))));
  await storeMany(0, mids.length - 1, (at) => {
    const terminals = new Set(idsOf(mids[at] as string, at).map((id) => packOrder(orderOf(id))));
    return { ...branches[at], terminals };
  });
  const all = mids.flatMap((mid, at) => idsOf(mid, at).map((id) => ({ mid, id })));
  await storeMany(0, all.length - 1, (at) => {
    const { mid, id } = all[at] as { mid: string; id: string };
    const times = { created_at, updated_at: created_at, branch_order: orderOf(id) };
    return {
      ...terminalKey(tidOf(id)),
      tid: tidOf(id),
      mid,
      terminal_id: id,
      serial_no: `S${id}`,
      ...TERMINAL,
      ...times,
    };
  });
  const terminalsAfter = async (after?: string) =>
    metered(() => call('listAllTerminals', { key, query: { limit: '1000', ...(after && { after }) } }));
  const before = await terminalsAfter();
  const terminals = await terminalsAfter(before.result.body.meta.next);
  const query = { sort: 'asc', per_page: '100', page: '2' };
  const listed = await metered(() => call('listBranches', { key, query }));
  return [listed, terminals].map(({ result, usage }) => ({
    rows: result.body.data.length,
    ...{ 'read units': usage.readUnits, 'in sequence': usage.inSequence },
  }));
}
