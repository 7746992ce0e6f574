import { beforeAll, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import type { Terminal } from '../../../lib/branches/terminal.ts';
import { getItem } from '../../../lib/table/client.ts';
import { branchKey, branchListKey, branchOrder, packOrder, terminalKey, tidOf } from '../../../lib/table/keys.ts';
import { intercept, type Sent } from '../../lib/table/intercept.ts';
import { deep } from '../../support/depth.ts';
import { terminalItemOf } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { succeed } from './bounds.ts';

/*
 * A walk through all terminals of many branches, at rest and while they change. The items are stored directly, as so
 * many creates would take minutes.
 */

const BRANCHES = deep ? 40_000 : 800;
/** How long the index of terminals lags, in milliseconds, and how many changes there are between two pages. */
const LAG_MS = 5_000;
const CHANGES = 5;
const HORIZON = { ...SEALING };

/** How many terminals a branch has: mostly few, some none, and few very many. */
function sizeOf(branch: number): number {
  if (branch % 4_000 === 7) return 1_000;
  if (branch % 400 === 3) return 130;
  return [0, 1, 1, 1, 2, 3, 0, 1, 4, 5][branch % 10] as number;
}

let provider: Caller;
let prefix: string;
const midOf = (branch: number) => `${prefix}B${branch}`;
const idOf = (branch: number, terminal: number) => `${prefix}B${branch}T${terminal}`;
const idsOf = (branch: number) => Array.from({ length: sizeOf(branch) }, (_, terminal) => idOf(branch, terminal));

beforeAll(async () => {
  SEALING.horizonMs = Number.POSITIVE_INFINITY;
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  prefix = unique('F');
  const { mid } = await newBranch(provider);
  const { terminals: _, ...model } = (await getItem<{ created_at: string; terminals?: unknown }>(branchKey(mid))) ?? {};
  const created_at = new Date(Date.now() - 86_400_000).toISOString();
  const orderOf = (id: string) => branchOrder(created_at, 0, tidOf(id));
  await storeMany(1, BRANCHES, (number) => ({
    ...model,
    ...branchKey(midOf(number)),
    mid: midOf(number),
    created_at,
    provider_position: number,
    ...(sizeOf(number) > 0 && { terminals: new Set(idsOf(number).map((id) => packOrder(orderOf(id)))) }),
  }));
  const terminals = Array.from({ length: BRANCHES }, (_, at) =>
    idsOf(at + 1).map((id) => ({ id, mid: midOf(at + 1) })),
  ).flat();
  await storeMany(0, terminals.length - 1, (at) => {
    const { id, mid: of } = terminals[at] as { id: string; mid: string };
    const times = { created_at, updated_at: created_at };
    const own = { terminal_id: id, terminal_model: 'Handheld 2', payment_app: 'Checkout Go' };
    return { ...terminalKey(tidOf(id)), tid: tidOf(id), mid: of, ...own, ...times, branch_order: orderOf(id) };
  });
  const sealed_to = `${created_at}#${midOf(BRANCHES)}`;
  await storeMany(1, 1, () => ({ ...branchListKey(provider.id), count: BRANCHES, sealed: [], sealed_to }));
  Object.assign(SEALING, HORIZON, { horizonMs: -60_000 });
});

/** Walks through all pages. Returns their terminals, and what the pages took at most and together. */
async function walk(between: () => Promise<void> = async () => {}) {
  const ids: string[] = [];
  const took = { pages: 0, units: 0, queries: 0, branches: 0, mostInSequence: 0, mostBytes: 0 };
  for (let after: string | undefined; ; ) {
    const query = { limit: '1000', ...(after && { after }) };
    const sent = await tableRequestsBy(() => succeed('listAllTerminals', { key: provider.key, query }));
    const { data, meta } = sent.response.body;
    ids.push(...data.map(({ terminal_id }: { terminal_id: string }) => terminal_id));
    took.pages += 1;
    took.units += unitsOf(sent);
    for (const { operation, units, input } of sent.requests)
      if (input['IndexName'] === 'terminals-by-branch') took.queries += 1;
      else if (operation === 'BatchGetItem') took.branches += units;
    took.mostInSequence = Math.max(took.mostInSequence, ...sent.requests.map(({ wave }) => wave));
    took.mostBytes = Math.max(took.mostBytes, Buffer.byteLength(JSON.stringify(data)));
    if (meta.next === null) return { ids, took };
    after = meta.next;
    await between();
  }
}

test(
  'a walk has each terminal once, the oldest branch first, within its units, requests in sequence and ' + 'bytes',
  async () => {
    const { ids, took } = await walk();
    const expected = Array.from({ length: BRANCHES }, (_, at) => idsOf(at + 1)).flat();
    expect(ids).toHaveLength(expected.length);
    expect(new Set(ids)).toEqual(new Set(expected));
    expect(took.mostBytes).toBeLessThanOrEqual(1024 * 1024 + 2);
    expect(took.mostInSequence).toBeLessThanOrEqual(14);
    // Beside each branch's own item, half a unit for its query and the list of branches: at most 100 per 1,000 terminals.
    const beside = took.units - took.branches - took.queries / 2 - 15 * took.pages;
    expect(beside).toBeLessThanOrEqual(expected.length / 10);
  },
);

/** From now on, the index of terminals shows each change only after the lag. */
function lagIndex(): void {
  const changed = new Map<string, { before: Terminal | undefined; until: number }>();
  intercept(async (send, { input }: Sent) => {
    const {
      TransactItems = [],
      IndexName,
      ExpressionAttributeValues: values = {},
    } = input as {
      IndexName?: string;
      TransactItems?: Record<string, { Key?: { pk: string }; Item?: { pk: string } }>[];
      ExpressionAttributeValues?: Record<string, string>;
    };
    const keys = TransactItems.flatMap((step) => Object.values(step).flatMap(({ Key, Item }) => Key ?? Item ?? []));
    for (const { pk } of keys)
      if (pk.startsWith('TERMINAL#')) {
        const tid = pk.slice('TERMINAL#'.length);
        const known = changed.get(tid);
        const before =
          known && known.until > Date.now() ? known.before : ((await terminalItemOf(tid)) as Terminal | undefined);
        changed.set(tid, { before, until: Date.now() + LAG_MS });
      }
    const result = await send();
    if (IndexName !== 'terminals-by-branch') return result;
    const lagging = new Map([...changed].filter(([, { until }]) => until > Date.now()));
    const { ':mid': mid, ':first': first = '', ':last': last = '' } = values;
    const earlier = [...lagging.values()].flatMap(({ before }) => before ?? []);
    const Items = [
      ...(result.output['Items'] as Terminal[]).filter(({ tid }) => !lagging.has(tid)),
      ...earlier.filter((each) => each.mid === mid && each.branch_order >= first && each.branch_order <= last),
    ];
    return { output: { ...result.output, Items } };
  });
}

test(
  'a walk has each terminal once that stays in its branch, while others come, go and move and the index ' + 'lags',
  async () => {
    lagIndex();
    const stay = new Set(Array.from({ length: BRANCHES }, (_, at) => idsOf(at + 1)).flat());
    let dice = 1;
    const roll = (sides: number) => {
      dice = (dice * 48_271) % 2_147_483_647;
      return dice % sides;
    };
    const { key } = provider;
    const anyBranch = () => ({ path: { mid: midOf(1 + roll(BRANCHES)) } });
    const anyTerminal = () => {
      const id = [...stay][roll(stay.size)] as string;
      return { id, request: { key, path: { id: tidOf(id) } } };
    };
    const news = () => [{ terminal_id: unique('N') }];
    const changes = [
      () => newBranch(provider, { terminals: news() }),
      () => succeed('createTerminals', { key, path: { id: midOf(1 + roll(BRANCHES)) }, body: { terminals: news() } }),
      () => succeed('archiveTerminal', { ...anyTerminal().request, body: { reason: 'Lost' } }),
      () => succeed('archiveBranch', { key, ...anyBranch() }),
      () => {
        const { id, request } = anyTerminal();
        stay.delete(id);
        return succeed('deleteTerminal', request);
      },
      () => {
        const { id, request } = anyTerminal();
        stay.delete(id);
        return succeed('reassignTerminal', { ...request, body: { mid: midOf(1 + roll(BRANCHES)) } });
      },
    ];
    const { ids } = await walk(async () => {
      // Some are refused, such as the archiving of what is archived.
      for (let count = 0; count < CHANGES; count += 1) await changes[roll(changes.length)]?.().catch(() => {});
    });
    const times = new Map<string, number>();
    for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
    expect([...stay].filter((id) => times.get(id) !== 1)).toEqual([]);
  },
);
