import { plain } from '../../../../docs/client/estate/search.ts';
import { cut, fold, searchedWords, withoutLabel } from '../../../../lib/base/words.ts';
import type { TerminalField } from '../fields/fields.ts';
import { countValues, type Facets, type Filters, testsOf } from './facets.ts';
import type { Row } from './row.ts';

/** Which rows a table shows, and in which order. */
export interface Criteria {
  /** Words, each of which is a part of a word of the row, or what the service finds it by. */
  text: string;
  /**
   * The values of `branch` are MIDs. Those of `seen` are `never` and, for active terminals that were last seen more
   * than seven days ago, `week`. In the other facets, the empty text stands for no value.
   */
  filters: Filters<Facet>;
  sort: { by: Column; isDescending: boolean };
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** The facets at a time, in milliseconds since 1970. */
function facetsAt(now: number) {
  const weekAgo = new Date(now - WEEK_MS).toISOString();
  return {
    status: ({ terminal }) => terminal.status,
    city: ({ branch }) => branch?.city ?? '',
    branch: ({ terminal }) => terminal.mid,
    terminal_model: ({ terminal }) => terminal.terminal_model ?? '',
    payment_app: ({ terminal }) => terminal.payment_app ?? '',
    acquirer_name: ({ terminal }) => terminal.acquirer_name ?? '',
    seen: ({ terminal: { last_seen_at, status } }) => {
      if (last_seen_at === null) return 'never';
      return status === 'active' && last_seen_at < weekAgo ? 'week' : '';
    },
  } satisfies Facets<Row, string>;
}
export type Facet = keyof ReturnType<typeof facetsAt>;

type SortKey = (row: Row) => string | null | undefined;

/** By what rows are sorted; `undefined` for those without a value, which come last in either direction. */
const KEYS = {
  terminal_id: ({ terminal }) => terminal.terminal_id.toUpperCase(),
  serial_no: ({ terminal }) => terminal.serial_no?.toUpperCase(),
  terminal_model: ({ terminal }) => folded(terminal.terminal_model),
  branch: ({ terminal, branch }) => folded(branch?.merchant_name ?? terminal.mid),
  city: ({ branch }) => folded(branch?.city),
  payment_app: ({ terminal }) => folded(terminal.payment_app),
  acquirer_name: ({ terminal }) => folded(terminal.acquirer_name),
  status: ({ terminal }) => terminal.status,
  last_seen_at: ({ terminal }) => terminal.last_seen_at,
  updated_at: ({ terminal }) => terminal.updated_at,
} satisfies Record<TerminalField, SortKey> & Record<string, SortKey>;
export type Column = keyof typeof KEYS;

const folds = new Map<string, string>();

/** A folded text. Many rows have the same. */
function folded(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  const known = folds.get(text) ?? fold(text);
  folds.set(text, known);
  return known;
}

interface Sorted {
  row: Row;
  key: string;
  id: string;
}
/** It comes last. */
const NO_VALUE = '\uffff';

const compare = (one: Sorted, other: Sorted): number => {
  if (one.key === other.key) return one.id < other.id ? -1 : 1;
  return one.key < other.key ? -1 : 1;
};

let last: { rows: readonly Row[]; by: Column; sorted: Sorted[] } = { rows: [], by: 'terminal_id', sorted: [] };

/** The rows in ascending order. If few have changed since the last call, it takes little time. */
function sortedBy(rows: readonly Row[], by: Column): Sorted[] {
  if (last.rows === rows && last.by === by) return last.sorted;
  const added = new Set(rows);
  const kept = last.by === by ? last.sorted.filter(({ row }) => added.delete(row)) : [];
  for (const row of added) kept.push({ row, key: KEYS[by](row) ?? NO_VALUE, id: row.terminal.terminal_id });
  last = { rows, by, sorted: kept.sort(compare) };
  return last.sorted;
}

let texts: { rows: readonly Row[]; joined: string; ends: number[] } = { rows: [], joined: '', ends: [] };

/** The rows whose words have a part. Searching those of all as one text takes less time than searching each. */
function* rowsWith(rows: readonly Row[], part: string): Generator<Row> {
  if (texts.rows !== rows) {
    let end = 0;
    const ends = rows.map(({ text }) => (end += text.length + 1));
    texts = { rows, joined: rows.map(({ text }) => text).join('\n'), ends };
  }
  const { joined, ends } = texts;
  for (let at = joined.indexOf(part), row = 0; at !== -1; at = joined.indexOf(part, ends[row])) {
    while ((ends[row] as number) <= at) row += 1;
    yield rows[row] as Row;
  }
}

const UUID = /^[0-9A-F]{32}$/;
let lastFound: { rows: readonly Row[]; text: string; found: ReadonlySet<Row> | undefined } | undefined;

/** The rows that have a text; `undefined` if it has no letter or digit, so that all rows do. */
function foundBy(rows: readonly Row[], text: string): ReadonlySet<Row> | undefined {
  if (lastFound?.rows !== rows || lastFound.text !== text) lastFound = { rows, text, found: find(rows, text) };
  return lastFound.found;
}

/**
 * What a word of a search must be in a row: these letters anywhere, or words that begin so, as the service finds them.
 */
interface Sought {
  part: string;
  /** Each after a space. A word that is too long for the service is all of a word, and not the beginning of an ID. */
  beginnings: string[];
}

const beginningsOf = (text: string): string[] =>
  (searchedWords(text) ?? []).map((word) => (cut(word) === word ? ` ${word}` : ` ${cut(word)} `));

const isIn = ({ text }: Pick<Row, 'text'>, { part, beginnings }: Sought): boolean =>
  text.includes(part) || (beginnings.length > 0 && beginnings.every((word) => text.includes(word)));

/** What the words of a typed text must be, the longest first. None if it has no letter or digit. */
export const soughtIn = (typed: string): Sought[] =>
  typed
    .split(/\s+/)
    .map((text) => ({ part: plain(text), beginnings: beginningsOf(text) }))
    .filter(({ part }) => part !== '')
    .sort(({ part: one }, { part: other }) => other.length - one.length);

/** Whether all that is sought is in the words of a text. */
export const isFound = (text: string, sought: readonly Sought[]): boolean =>
  sought.every((each) => isIn({ text }, each));

function find(rows: readonly Row[], typed: string): ReadonlySet<Row> | undefined {
  const sought = soughtIn(typed);
  const [longest, ...others] = sought;
  if (!longest) return undefined;
  const found = new Set<Row>();
  const [beginning = longest.part] = longest.beginnings.toSorted((one, other) => other.length - one.length);
  for (const form of new Set([longest.part, beginning]))
    for (const row of rowsWith(rows, form))
      if (isIn(row, longest) && others.every((each) => isIn(row, each))) found.add(row);
  // An ID that was typed with spaces or a label.
  const whole = plain(withoutLabel(typed));
  if (whole !== '' && whole !== longest.part) for (const row of rowsWith(rows, whole)) found.add(row);
  if (UUID.test(whole))
    for (const row of rows) if (row.terminal.tid.replaceAll('-', '').toUpperCase() === whole) found.add(row);
  return found;
}

/** The rows that a table shows, in its order. */
export function filterRows(rows: readonly Row[], criteria: Criteria, now: number): Row[] {
  const { by, isDescending } = criteria.sort;
  const tests = testsOf(facetsAt(now), criteria.filters);
  const found = foundBy(rows, criteria.text);
  const selected: Row[] = [];
  const valueless: Row[] = [];
  for (const { row, key } of sortedBy(rows, by)) {
    if ((found && !found.has(row)) || !tests.every(({ test }) => test(row))) continue;
    (key === NO_VALUE ? valueless : selected).push(row);
  }
  return [...(isDescending ? selected.reverse() : selected), ...valueless];
}

/** For each facet, how many rows each of its values has under all other filters and the text. */
export const countFacets = (rows: readonly Row[], { text, filters }: Criteria, now: number) =>
  countValues(facetsAt(now), filters, foundBy(rows, text) ?? rows);
