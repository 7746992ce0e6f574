import type {
  Branch,
  BranchCriteria,
  BranchFacet,
  BranchRow,
  Column,
  Count,
  Criteria,
  Estate,
  Row,
  TerminalFacet,
} from '../../../../docs/client/estate/estate.ts';
import { fold } from '../../../../lib/base/words.ts';
import { FIRST } from './first.ts';
import { findPasted, idsIn, type Pasted } from './pasted.ts';

/** A part of something that is in order: from one place on, before another. */
interface Part {
  from: number;
  to: number;
}

/** Values of a facet, the most frequent first, of which each may have a label that is not the value. */
export interface Values extends Part {
  /** What is in the labels. */
  search?: string;
  /** Values that are listed also if nothing has them. */
  chosen?: readonly string[];
  /** The only values that are listed. */
  only?: readonly string[];
  /** The label of the empty value. */
  none?: string;
}

/** How many different values there are, and some of them. */
export interface Counted extends Listed<[value: string, count: number, label: string]> {
  /** How many have the most frequent one. */
  most: number;
}

/** Figures of everything, such as *Home* shows. */
export interface Figures {
  terminals: number;
  branches: number;
  /** Of active branches, those without an active terminal. */
  idle: number;
  status: Count[];
  seen: Count[];
  city: Counted;
  terminal_model: Counted;
}

/** How many terminals the search box shows. */
const MOST_FOUND = 6;
const ALL = { text: '', filters: {} };

/**
 * What a page can ask of the estate, and how it is answered. An answer has at most what the page shows, has selected, or saves at
 * a time; only `tids` and `mids` can have the IDs of all.
 *
 * `now` is in milliseconds since 1970.
 */
export const ANSWERS = {
  /** The terminals that criteria ask for, in their order. */
  terminals: (
    estate: Estate,
    { criteria, now, from, to }: Part & { criteria: Criteria; now: number },
  ): Listed<Row> => ({
    ...estate.terminalsIn(criteria, { from, to }, now),
    from,
  }),

  /** The TIDs of the same, to select them. */
  tids: (estate: Estate, { criteria, now, from, to }: Part & { criteria: Criteria; now: number }): string[] =>
    estate.tidsIn(criteria, { from, to }, now),

  /** The terminals that have some TIDs, such as those that are selected, in an order or else in theirs. */
  chosen: (estate: Estate, { tids, sort }: { tids: readonly string[]; sort?: Criteria['sort'] }): Row[] =>
    estate.rowsOf(tids, sort),

  /** How many terminals have each value of a facet, under the text and all other filters. */
  terminalValues: (
    estate: Estate,
    {
      criteria,
      facet,
      now,
      ...values
    }: Values & { criteria: Omit<Criteria, 'sort'>; facet: TerminalFacet; now: number },
  ): Counted => {
    const counts = estate.countTerminals(criteria, facet, now);
    if (facet !== 'branch') return counted(counts, values);
    const labelOf = (mid: string) => estate.branch(mid)?.merchant_name ?? mid;
    return counted(counts, values, labelOf, estate.branchFinder(values.search ?? ''));
  },

  branches: (estate: Estate, { criteria, from, to }: Part & { criteria: BranchCriteria }): Listed<BranchRow> => ({
    ...estate.branchesIn(criteria, { from, to }),
    from,
  }),

  /** The MIDs of the same, to read them all. */
  mids: (estate: Estate, criteria: BranchCriteria): string[] => estate.midsIn(criteria),

  branchValues: (
    estate: Estate,
    { criteria, facet, ...values }: Values & { criteria: Omit<BranchCriteria, 'sort'>; facet: BranchFacet },
  ): Counted => {
    const labelOf = (id: string) => (facet === 'business' ? (estate.businessNames([id])[0]?.[1] ?? id) : id);
    return counted(estate.countBranches(criteria, facet), values, labelOf);
  },

  /** Terminals whose ID or serial number has a text. */
  byPart: (estate: Estate, text: string): Listed<Row> => ({ ...estate.findByPart(text, MOST_FOUND), from: 0 }),

  /** The terminals of a pasted list of IDs and serial numbers, and what else it has. */
  pasted: (estate: Estate, { text, most }: { text: string; most: number }): Pasted =>
    findPasted(text, estate.tidsByIds(new Set(idsIn(text).keys())), most),

  /** What some branches, terminals and businesses are called, by their ids, and where terminals are. */
  names: (
    estate: Estate,
    { mids = [], tids = [], businesses = [] }: { [Ids in 'mids' | 'tids' | 'businesses']?: readonly string[] },
  ): Names => ({
    branches: mids.flatMap((mid) => estate.branch(mid) ?? []),
    terminals: estate.rowsOf(tids).map(({ terminal: { tid, terminal_id, mid } }) => ({ tid, terminal_id, mid })),
    businesses: estate.businessNames(businesses),
  }),

  /** In how many cities some businesses have branches, and one of them, by their IDs. */
  cities: (estate: Estate, businesses: readonly string[]): [id: string, count: number, city: string | undefined][] =>
    [...estate.citiesOf(businesses)].map(([id, cities]) => [id, cities.size, [...cities][0]]),

  /** How many characters 99 % of all terminals have at most in each column. */
  lengths: (estate: Estate): Record<(typeof MEASURED)[number], number> =>
    Object.fromEntries(MEASURED.map((column) => [column, estate.lengthIn(column, SHARE_OF_TEXTS)])) as Lengths,

  figures: (estate: Estate, { now, most }: { now: number; most: number }): Figures => {
    const of = (facet: TerminalFacet) => estate.countTerminals(ALL, facet, now);
    const idle = { text: '', filters: { status: ['active'], terminals: ['none'] }, sort: 'asc' } as const;
    return {
      terminals: estate.terminals.size,
      branches: estate.branches.size,
      idle: estate.branchesIn(idle, { from: 0, to: 0 }).total,
      status: of('status'),
      seen: of('seen'),
      city: counted(of('city'), { from: 0, to: most }),
      terminal_model: counted(of('terminal_model'), { from: 0, to: most }),
    };
  },
} satisfies Record<string, (estate: Estate, asked: never) => unknown>;

/** The answers to what is shown first. */
type FirstKind = keyof typeof FIRST | 'lengths';
type Summary = { [K in FirstKind]: { asked: string; answer: Answer<K> } };

/** A question without its time. */
const timeless = (asked: object): string => JSON.stringify({ ...asked, now: undefined });

export const summaryOf = (estate: Estate, now: number): string =>
  JSON.stringify({
    terminals: { asked: timeless(FIRST.terminals), answer: ANSWERS.terminals(estate, { ...FIRST.terminals, now }) },
    figures: { asked: timeless(FIRST.figures), answer: ANSWERS.figures(estate, { ...FIRST.figures, now }) },
    lengths: { asked: timeless({}), answer: ANSWERS.lengths(estate) },
  } satisfies Summary);

/** What a summary answers; `undefined` if it does not. */
export function answerIn(summary: string, kind: Kind, asked: unknown): unknown {
  const { [kind as FirstKind]: first }: Partial<Summary> = JSON.parse(summary);
  return first?.asked === timeless((asked ?? {}) as object) ? first.answer : undefined;
}

/** How many there are, and those of them from one place on. */
export interface Listed<Thing> {
  total: number;
  from: number;
  rows: Thing[];
}

export interface Names {
  branches: Branch[];
  terminals: { tid: string; terminal_id: string; mid: string }[];
  businesses: [id: string, name: string][];
}

const MEASURED = [
  'terminal_id',
  'serial_no',
  'terminal_model',
  'branch',
  'city',
  'payment_app',
  'acquirer_name',
] as const satisfies Column[];
type Lengths = Record<(typeof MEASURED)[number], number>;
/** How many of all texts a column is meant for. Longer ones have more lines. */
const SHARE_OF_TEXTS = 0.99;

export type Kind = keyof typeof ANSWERS;
export type Asked<K extends Kind> = Parameters<(typeof ANSWERS)[K]> extends [unknown, infer A] ? A : undefined;
export type Answer<K extends Kind> = ReturnType<(typeof ANSWERS)[K]>;

/** @param find Whether a value is searched for; by default, if its label has the text. */
function counted(
  counts: Count[],
  { from, to, search = '', chosen = [], only, none = '' }: Values,
  nameOf: (value: string) => string = String,
  find?: (value: string) => boolean,
): Counted {
  const labelOf = (value: string) => (value === '' ? none : nameOf(value));
  const isSought = find ?? ((value: string) => fold(labelOf(value)).includes(fold(search)));
  const known = new Set(chosen.length > 0 ? counts.map(([value]) => value) : []);
  const all = [...counts, ...chosen.filter((value) => !known.has(value)).map((value): Count => [value, 0])];
  const sought = all.filter(([value]) => (only?.includes(value) ?? true) && (search === '' || isSought(value)));
  return {
    total: sought.length,
    most: sought[0]?.[1] ?? 0,
    from,
    // Of those that as many have, in the order of their labels.
    rows: sought
      .slice(from, to)
      .map(([value, count]): Counted['rows'][number] => [value, count, labelOf(value)])
      .sort(([, one, name], [, other, otherName]) => other - one || name.localeCompare(otherName)),
  };
}
