import { type Item, type List, newBranchList, newTerminalList, walk } from './lists.ts';
import { metered } from './meter.ts';
import { atMost, countsOf, type Figures, type Options, type Part, type Result, type Row } from './part.ts';
import { figure } from './tables.ts';
import { newAcquirer, succeed } from './world.ts';

/** A check has only the shortest list. A page whose cost grows with its depth would cost ten times as much there, too. */
const BRANCHES = [1_000, 10_000, 100_000];
const TERMINALS = [10, 100, 1_000];
const PER_PAGE = 10;

const MOST_UNITS = 2.5;

/** A page of a list, and its table usage. */
interface Read {
  size: number;
  page: number;
  sort: 'asc' | 'desc';
  used: Record<'read units' | 'requests' | 'requests in sequence', number>;
  itemsRead: number;
}

/**
 * Reads the first, middle and last page of a list, each once.
 *
 * @throws Error if these are not the items of a page, because its cost would then mean nothing.
 */
async function readPlaces({ names, field }: List, sort: Read['sort'], read: (page: number) => Promise<Item[]>) {
  const last = names.length / PER_PAGE;
  const sorted = sort === 'asc' ? names : names.toReversed();
  const reads: Read[] = [];
  for (const page of last === 1 ? [1] : [1, last / 2, last]) {
    const { result, usage } = await metered(() => read(page));
    const found = result.map((item) => item[field]);
    const expected = sorted.slice((page - 1) * PER_PAGE, page * PER_PAGE);
    if (found.join() !== expected.join()) throw new Error(`Page ${page}, ${sort}, has ${found} and not ${expected}.`);
    const { readUnits, requests, inSequence, itemsRead } = usage;
    const used = { 'read units': readUnits, requests, 'requests in sequence': inSequence };
    reads.push({ size: names.length, page, sort, used, itemsRead });
  }
  return reads;
}

/** Pages of a list as returned by the API, in both orders. */
async function readPages(list: List, operation: 'listBranches' | 'listTerminals'): Promise<Read[]> {
  const { key, path, names } = list;
  const pageOf = (sort: Read['sort']) => async (page: number) => {
    const query = { sort, page: String(page), per_page: String(PER_PAGE) };
    const { data, meta } = (await succeed(operation, { key, path, query })).body;
    if (meta.total !== names.length) throw new Error(`The total is ${meta.total} and not ${names.length}.`);
    return data;
  };
  // From here on the key is cached.
  await succeed(operation, { key, path });
  return [...(await readPlaces(list, 'asc', pageOf('asc'))), ...(await readPlaces(list, 'desc', pageOf('desc')))];
}

/** Pages of branches read from a table without ranks. That of the last page counts them all. */
const walkAll = (list: List): Promise<Read[]> =>
  readPlaces(list, 'asc', async (page) => (await walk(list, page * PER_PAGE)).slice(-PER_PAGE));

/** @param items The kind of items in the lists. */
const rowsOf = (items: string, reads: Read[]): Row[] =>
  reads.map(({ size, page, sort, used, itemsRead }) => ({
    [items]: size,
    sort,
    page,
    ...used,
    'items read': itemsRead,
  }));

const countsOfPages = (items: string, reads: Read[]): Figures =>
  Object.assign(
    {},
    ...reads.map(({ size, page, sort, used }) =>
      countsOf(`page ${figure(page)} of ${figure(size)} ${items}, ${sort}`, used),
    ),
  );

const most = (reads: Read[], of: keyof Read['used']): number => Math.max(...reads.map(({ used }) => used[of]));

async function measure({ check }: Options): Promise<Result> {
  const sizes = check ? BRANCHES.slice(0, 1) : BRANCHES;
  const lists: List[] = [];
  for (const size of sizes) lists.push(await newBranchList(size));
  const ours: Read[] = [];
  const walks: Read[] = [];
  for (const list of lists) {
    ours.push(...(await readPages(list, 'listBranches')));
    if (!check) walks.push(...(await walkAll(list)));
  }
  const caller = await newAcquirer('PAYMENT_PROVIDER');
  const terminals: Read[] = [];
  for (const size of TERMINALS)
    terminals.push(...(await readPages(await newTerminalList(caller, size), 'listTerminals')));
  const units = [...new Set(ours.map(({ used }) => used['read units']))];
  const firsts = ours.filter(({ page, sort }) => page === 1 && sort === 'desc');
  return {
    tables: [
      { title: 'Pages of branches', rows: rowsOf('branches', ours) },
      { title: 'The same pages without ranks', rows: rowsOf('branches', walks) },
      { title: "Pages of a branch's terminals", rows: rowsOf('terminals', terminals) },
    ],
    targets: [
      atMost(MOST_UNITS, `read units of a page of ${PER_PAGE} branches`, most(ours, 'read units')),
      atMost(2, `requests in sequence of a page of ${PER_PAGE} branches`, most(ours, 'requests in sequence')),
      atMost(1, 'requests in sequence of the first page of branches', most(firsts, 'requests in sequence')),
      {
        target: 'every page of branches takes the same units, at any depth of any list',
        measured: units.join(', '),
        isMet: units.length === 1,
      },
      ...TERMINALS.flatMap((size) => {
        const reads = terminals.filter((read) => read.size === size);
        const what = `of a page of ${PER_PAGE} of ${figure(size)} terminals`;
        return [
          atMost(size > 100 ? 20 : 3, `read units ${what}`, most(reads, 'read units')),
          atMost(3, `requests ${what}`, most(reads, 'requests')),
          atMost(2, `requests in sequence ${what}`, most(reads, 'requests in sequence')),
        ];
      }),
    ],
    counts: { ...countsOfPages('branches', ours), ...countsOfPages('terminals', terminals) },
    notes: [
      'A branch lists its terminals itself, so a page of terminals costs the branch, which grows by 23 bytes for each, and one ' +
        'range of an index.',
      `Read units are those of ${PER_PAGE} items of usual size. A page takes 0.5 units for each 4 KB, so fields of 255 ` +
        'characters make a page of branches more expensive, at any depth.',
      'Walks were measured in ascending order only and directly on the table. That to the last page also counts the total.',
    ],
  };
}

/** Costs of pages of long lists at their ends and in the middle, compared with those without ranks. */
export const pages: Part = {
  title: 'Pages of long lists',
  about:
    'The first, middle and last page of branch and terminal lists, in both orders. Next to them, the same pages of branches in ' +
    'DynamoDB without ranks: read from the oldest on in requests of up to 1 MB.',
  isSampled: true,
  measure,
};
