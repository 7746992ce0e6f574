import {
  countAll,
  type List,
  newBranchList,
  newTerminalList,
  type Walk,
  walkByMegabytes,
  walkByPages,
} from './lists.ts';
import { metered, type Usage } from './meter.ts';
import type { Options, Part, Result, Row, Target } from './part.ts';
import { median } from './statistics.ts';
import { figure } from './tables.ts';
import { newAcquirer, succeed } from './world.ts';

const BRANCHES = [1_000, 10_000, 100_000];
const TERMINALS = [10, 100, 1_000];
const PER_PAGE = 10;
const SORTS = ['asc', 'desc'] as const;
/** The longest list to walk page by page: it takes ten thousand requests. */
const LONGEST_WALK = 10_000;

const MOST_UNITS = 2.5;
const MOST_IN_SEQUENCE = 2;

/** A time is the median of so many calls, or of those that begin within so many milliseconds. */
const TIMED = { calls: 9, milliseconds: 1_000 };
/** Counts need only one call. */
const UNTIMED = { calls: 1, milliseconds: 0 };
let calling = TIMED;

/** Table usage and time of a page. */
interface Cost extends Usage {
  milliseconds: number;
}

/** A page of a list, and its cost. */
interface Read {
  size: number;
  page: number;
  depth: 'first' | 'middle' | 'last';
  sort: (typeof SORTS)[number];
  cost: Cost;
}

/** Runs the same work once, or as often as there is time for. */
async function measured<T>(work: () => Promise<T>): Promise<{ result: T; cost: Cost }> {
  const times: number[] = [];
  const timed = async () => {
    const started = performance.now();
    const outcome = await metered(work);
    times.push(performance.now() - started);
    return outcome;
  };
  const end = performance.now() + calling.milliseconds;
  const { result, usage } = await timed();
  while (times.length < calling.calls && performance.now() < end) await timed();
  return { result, cost: { ...usage, milliseconds: Number(median(times).toFixed(1)) } };
}

/** The first, middle and last page of a list of this size, each once. */
function placesIn(size: number): Pick<Read, 'page' | 'depth'>[] {
  const last = size / PER_PAGE;
  const places = [
    { page: 1, depth: 'first' as const },
    { page: last / 2, depth: 'middle' as const },
    { page: last, depth: 'last' as const },
  ];
  return last === 1 ? places.slice(0, 1) : places;
}

/** @throws Error if these are not the items of a page, because its cost would then mean nothing. */
function insist({ names }: List, { page, sort }: Pick<Read, 'page' | 'sort'>, found: string[]): void {
  const sorted = sort === 'asc' ? names : names.toReversed();
  const expected = sorted.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  if (found.join() !== expected.join()) throw new Error(`Page ${page}, ${sort}, has ${found} and not ${expected}.`);
}

/** Pages of a list as returned by the API. */
async function readPages(list: List, operation: 'listBranches' | 'listTerminals'): Promise<Read[]> {
  const { key, path, names, nameOf } = list;
  const size = names.length;
  const reads: Read[] = [];
  // From here on the key is cached.
  await succeed(operation, { key, path });
  for (const sort of SORTS) {
    for (const place of placesIn(size)) {
      const query = { sort, page: String(place.page), per_page: String(PER_PAGE) };
      const { result, cost } = await measured(() => succeed(operation, { key, path, query }));
      const { data, meta } = result.body;
      insist(list, { ...place, sort }, data.map(nameOf));
      if (meta.total !== size) throw new Error(`The total is ${meta.total} and not ${size}.`);
      reads.push({ size, ...place, sort, cost });
    }
  }
  return reads;
}

/** Pages of a list, read from a table without ranks. */
async function walkTo(list: List, walk: Walk): Promise<Read[]> {
  const size = list.names.length;
  const reads: Read[] = [];
  for (const place of placesIn(size)) {
    const { result, cost } = await measured(() => walk(list, place.page, PER_PAGE));
    insist(list, { ...place, sort: 'asc' }, result.map(list.nameOf));
    reads.push({ size, ...place, sort: 'asc', cost });
  }
  return reads;
}

async function measureBranches() {
  const ours: Read[] = [];
  const byPages: Read[] = [];
  const byMegabytes: Read[] = [];
  const counts: { size: number; cost: Cost }[] = [];
  const lists: List[] = [];
  for (const size of BRANCHES) lists.push(await newBranchList(size));
  for (const list of lists) {
    const size = list.names.length;
    ours.push(...(await readPages(list, 'listBranches')));
    if (size <= LONGEST_WALK) byPages.push(...(await walkTo(list, walkByPages)));
    byMegabytes.push(...(await walkTo(list, walkByMegabytes)));
    const { result, cost } = await measured(() => countAll(list));
    if (result !== size) throw new Error(`There are ${result} branches and not ${size}.`);
    counts.push({ size, cost });
  }
  return { ours, byPages, byMegabytes, counts };
}

async function measureTerminals() {
  const caller = await newAcquirer('PAYMENT_PROVIDER');
  const ours: Read[] = [];
  const fromOneEnd: Read[] = [];
  for (const size of TERMINALS) {
    const list = await newTerminalList(caller, size);
    ours.push(...(await readPages(list, 'listTerminals')));
    fromOneEnd.push(...(await walkTo(list, walkByMegabytes)));
  }
  return { ours, fromOneEnd };
}

const columnsOf = ({ readUnits, requests, inSequence, itemsRead, milliseconds }: Cost): Row => ({
  'read units': readUnits,
  requests,
  'in sequence': inSequence,
  'items read': itemsRead,
  ms: milliseconds,
});

/** @param items The kind of items in the lists. */
const rowsOf = (items: string, reads: Read[], more: Row = {}): Row[] =>
  reads.map(({ size, page, sort, cost }) => ({ [items]: size, sort, page, ...more, ...columnsOf(cost) }));

const countsOf = (items: string, reads: Read[]): Record<string, number> =>
  Object.fromEntries(
    reads.flatMap(({ size, page, sort, cost }) => {
      const name = `page ${figure(page)} of ${figure(size)} ${items}, ${sort}`;
      return [
        [`${name}: read units`, cost.readUnits],
        [`${name}: requests`, cost.requests],
        [`${name}: requests in sequence`, cost.inSequence],
      ];
    }),
  );

function targetsOf(branches: Read[], terminals: Read[]): Target[] {
  const mostUnits = Math.max(...branches.map(({ cost }) => cost.readUnits));
  const inSequence = (reads: Read[]) => Math.max(...reads.map(({ cost }) => cost.inSequence));
  const units = [...new Set(branches.map(({ cost }) => cost.readUnits))];
  const firsts = branches.filter(({ depth, sort }) => depth === 'first' && sort === 'desc');
  return [
    {
      target: `any page of ${PER_PAGE} branches takes at most ${MOST_UNITS} read units and ${MOST_IN_SEQUENCE} requests in sequence`,
      measured: `${mostUnits} and ${inSequence(branches)}`,
      isMet: mostUnits <= MOST_UNITS && inSequence(branches) <= MOST_IN_SEQUENCE,
    },
    {
      target: 'every page of branches takes the same units, at any depth of any list',
      measured: units.join(', '),
      isMet: units.length === 1,
    },
    {
      target: 'the first page of branches takes one request in sequence',
      measured: `${inSequence(firsts)} in sequence`,
      isMet: inSequence(firsts) === 1,
    },
    ...TERMINALS.map((size) => {
      const reads = terminals.filter((read) => read.size === size);
      const most = Math.max(...reads.map(({ cost }) => cost.readUnits));
      const requests = Math.max(...reads.map(({ cost }) => cost.requests));
      const allowed = size > 100 ? 20 : 3;
      return {
        target: `any page of ${PER_PAGE} of ${figure(size)} terminals takes at most ${allowed} read units, 3 requests and 2 in sequence`,
        measured: `${most}, ${requests} and ${inSequence(reads)}`,
        isMet: most <= allowed && requests <= 3 && inSequence(reads) <= 2,
      };
    }),
  ];
}

async function measure({ check }: Options): Promise<Result> {
  calling = check ? UNTIMED : TIMED;
  const { ours, byPages, byMegabytes, counts } = await measureBranches();
  const terminals = await measureTerminals();
  const countUnits = (size: number) => counts.find((count) => count.size === size)?.cost.readUnits ?? 0;
  const middleUnits = (reads: Read[], isWalk: boolean) =>
    reads
      .filter(({ depth, sort }) => depth === 'middle' && sort === 'asc')
      .map(({ size, cost }) => cost.readUnits + (isWalk ? countUnits(size) : 0));
  return {
    tables: [
      { title: 'Pages of branches', rows: rowsOf('branches', ours) },
      {
        title: 'The same pages without ranks, without the total',
        rows: [
          ...rowsOf('branches', byPages, { walk: `${PER_PAGE} at a time` }),
          ...rowsOf('branches', byMegabytes, { walk: '1 MB at a time' }),
        ],
      },
      {
        title: 'The total by counting, without a list head',
        rows: counts.map(({ size, cost }) => ({ branches: size, ...columnsOf(cost) })),
      },
      { title: "Pages of a branch's terminals", rows: rowsOf('terminals', terminals.ours) },
      {
        title: 'The same pages read from the oldest terminal only, without the branch and the total',
        rows: rowsOf('terminals', terminals.fromOneEnd),
      },
    ],
    chart: {
      title: 'The middle page of a list of branches, with the total',
      unit: 'read units',
      kind: 'lines',
      isLogarithmic: true,
      categories: BRANCHES.map((size) => figure(size)),
      series: [
        { name: 'by rank', values: middleUnits(ours, false) },
        { name: 'walked 1 MB at a time, and counted', values: middleUnits(byMegabytes, true) },
        { name: `walked ${PER_PAGE} at a time, and counted`, values: middleUnits(byPages, true) },
      ],
    },
    targets: targetsOf(ours, terminals.ours),
    counts: { ...countsOf('branches', ours), ...countsOf('terminals', terminals.ours) },
    notes: [
      'A branch lists its terminals itself, so a page of terminals costs the branch, which grows by 23 bytes for each, and one ' +
        'range of an index.',
      `Read units are those of ${PER_PAGE} items of usual size. A page takes 0.5 units for each 4 KB, so fields of 255 ` +
        'characters make a page of branches more expensive, at any depth.',
      `Lists of more than ${figure(LONGEST_WALK)} items were not walked ${PER_PAGE} at a time. Walks were measured in ` +
        'ascending order only and directly on the table, so their times do not include the API.',
      `Milliseconds are medians of up to ${TIMED.calls} calls that began within one second, in one process, with DynamoDB ` +
        'Local on the same machine. They are for orientation only.',
    ],
  };
}

/** Costs of pages of long lists at their ends and in the middle, compared with those without ranks. */
export const pages: Part = {
  title: 'Pages of long lists',
  about:
    'The first, middle and last page of branch and terminal lists, in both orders. Next to them, the same pages in DynamoDB ' +
    'without ranks: walked page by page from the last key, or in requests of up to 1 MB, with a count for the total.',
  measure,
};
