import { fold } from '../../../../lib/base/words.ts';
import { countValues, type Facets, type Filters, testsOf } from './facets.ts';
import { isFound, soughtIn } from './filterRows.ts';
import { type Branch, branchWords, type Row } from './row.ts';

/** A branch of the estate, with how many of its terminals are active. */
export interface BranchRow {
  branch: Branch;
  active: number;
}

/** Which branches a list shows, and in which order. */
export interface BranchCriteria {
  /** As of {@link Criteria} of terminals. */
  text: string;
  filters: Filters<BranchFacet>;
  sort: BranchSort;
}

/** `terminals` is `none` or `some` that are active. */
const VALUES = {
  status: ({ branch }) => branch.status,
  city: ({ branch }) => branch.city ?? '',
  business: ({ branch }) => branch.master_merchant_id,
  terminals: ({ active }) => (active === 0 ? 'none' : 'some'),
} satisfies Facets<BranchRow, string>;
export type BranchFacet = keyof typeof VALUES;

interface Order {
  key: (row: BranchRow) => string | number;
  isDescending?: boolean;
}

/** It comes last. */
const NO_TEXT = '\uffff';

const ORDERS = {
  desc: { key: ({ branch }) => branch.created_at, isDescending: true },
  asc: { key: ({ branch }) => branch.created_at },
  name: { key: ({ branch }) => fold(branch.merchant_name ?? '') || NO_TEXT },
  city: { key: ({ branch }) => fold(branch.city ?? '') || NO_TEXT },
  terminals: { key: ({ active }) => active, isDescending: true },
} satisfies Record<string, Order>;
export type BranchSort = keyof typeof ORDERS;

/** The branches of the estate. */
export function branchRows({ rows, branches }: { rows: readonly Row[]; branches: ReadonlyMap<string, Branch> }) {
  const active = new Map<string, number>();
  for (const { terminal } of rows)
    if (terminal.status === 'active') active.set(terminal.mid, (active.get(terminal.mid) ?? 0) + 1);
  return [...branches.values()].map((branch): BranchRow => ({ branch, active: active.get(branch.mid) ?? 0 }));
}

function withText(rows: readonly BranchRow[], text: string): readonly BranchRow[] {
  const sought = soughtIn(text);
  return sought.length === 0 ? rows : rows.filter(({ branch }) => isFound(branchWords(branch), sought));
}

/** The branches that a list shows, in its order. */
export function filterBranches(rows: readonly BranchRow[], { text, filters, sort }: BranchCriteria): BranchRow[] {
  const { key, isDescending = false }: Order = ORDERS[sort];
  const tests = testsOf(VALUES, filters);
  const keyed = withText(rows, text)
    .filter((row) => tests.every(({ test }) => test(row)))
    .map((row) => ({ row, key: key(row) }));
  const order = isDescending ? -1 : 1;
  return keyed
    .sort((one, other) => {
      if (one.key !== other.key) return one.key < other.key ? -order : order;
      return one.row.branch.mid < other.row.branch.mid ? -1 : 1;
    })
    .map(({ row }) => row);
}

/** For each facet, how many branches each of its values has under all other filters and the text. */
export const countBranches = (rows: readonly BranchRow[], { text, filters }: BranchCriteria) =>
  countValues(VALUES, filters, withText(rows, text));
