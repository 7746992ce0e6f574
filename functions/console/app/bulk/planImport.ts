import { BRANCH_FIELDS, type Field, fieldsOf, TERMINAL_FIELDS } from '../fields/fields.ts';
import { itemFinder, type Lists } from '../fields/listed.ts';
import type { Mapping } from '../fields/matchColumns.ts';
import { type BrokenRule, brokenRule, taken } from '../fields/rules.ts';
import type { TableFile, TableRow } from '../files/readTable.ts';
import { areAlike, cellOf, hasTerminal, type Row } from './importRow.ts';

/** What was found here. It has the code that the service has for the same. */
type Finding =
  | BrokenRule
  | { code: 'duplicate'; other: number }
  | { code: 'lost_digits' }
  | { code: 'cell_error' }
  | { code: 'differs'; of: 'branch' | 'master_merchant'; other: number; value: string | null }
  | { code: 'differs'; of: 'existing'; value: string | null }
  /** Another person changed it after it was compared. */
  | { code: 'precondition_failed'; value: string | null }
  | { code: 'unknown_terminal' };

/** What is wrong in a cell: what the service says, and which terminal has what is taken, or what was found here. */
export type CellProblem = { line: number; field: string } & (
  | { code: string; detail: string; holder?: { terminal_id: string; mid: string } }
  | Finding
);

/** A cell that differs from what exists, which has this value. */
export interface Difference {
  line: number;
  field: string;
  value: string | null;
}

/** What an import sends. The same file and mapping always give the same plan. */
export interface Plan {
  rows: Row[];
  /** The rows that can be sent, by branch. The first row of a branch has its fields. One without a MID is alone. */
  branches: Row[][];
  /** Why the other rows are refused before anything is sent. */
  problems: CellProblem[];
  /** What is written otherwise than in its list, and is taken as the listed one. */
  taken: Taken[];
}

/** A text of cells that stands for an item of a list, which has this name. */
export interface Taken {
  field: Field;
  text: string;
  name: string;
  rows: number;
}

const UUIDS: Field[] = ['mid', 'payment_provider', 'distributor', 'existing_master_merchant'];
const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i;
/** Details of a master merchant that two branches of it cannot have differently. */
const OF_MASTER_MERCHANT = fieldsOf('business').filter((field) => field !== 'master_merchant_id');

/** What identifies the master merchant of a row by its `master_merchant_id`; `undefined` without one. */
export const masterMerchantOf = ({ branch: { payment_provider, master_merchant_id } }: Row): string | undefined =>
  master_merchant_id && `${payment_provider ?? ''} ${master_merchant_id}`;

function toRow(
  { line, cells, errors = [] }: TableRow,
  mapping: Mapping,
  listed: (field: Field, text: string) => string,
): Row {
  const pick = <F extends Field>(form: 'createBranch' | 'terminal', fields: F[]) =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const text = listed(field, taken(form, field, cells[mapping.indexOf(field)] ?? ''));
        // UUIDs are the same in either case, and are stored in lower case.
        return text === '' ? [] : [[field, UUIDS.includes(field) && UUID.test(text) ? text.toLowerCase() : text]];
      }),
    ) as Partial<Record<F, string>>;
  const branch = pick('createBranch', BRANCH_FIELDS);
  const row = { line, mid: branch.mid ?? '', branch, terminal: pick('terminal', TERMINAL_FIELDS) };
  const fields = errors.flatMap((at) => mapping[at] ?? []);
  return fields.length > 0 ? { ...row, errors: fields } : row;
}

type Found = { field: string } & Finding;

/** Fields that are no numbers, though they can look like one. */
const IDENTIFIERS: Field[] = ['mid', 'master_merchant_id', 'phone', 'terminal_id', 'serial_no'];
/** What spreadsheets make of a number of more digits than a cell shows. */
const LOST_DIGITS = /^\d(?:[.,]\d+)?E\+\d+$/i;

function brokenRules(row: Row, hasMids: boolean): Found[] {
  const required = { mid: hasMids, terminal_id: hasTerminal(row) || !hasMids };
  const missing = Object.entries(required).flatMap(([field, isIt]) => (isIt && !cellOf(row, field) ? field : []));
  const broken = (form: 'createBranch' | 'terminal', values: object): Found[] =>
    Object.entries(values).flatMap(([field, text]): Found[] => {
      if (row.errors?.includes(field as Field)) return [{ field, code: 'cell_error' }];
      if (IDENTIFIERS.includes(field as Field) && LOST_DIGITS.test(text)) return [{ field, code: 'lost_digits' }];
      const rule = brokenRule(form, field, text);
      return rule ? [{ field, ...rule }] : [];
    });
  return [
    ...missing.map((field) => ({ field, code: 'required' as const })),
    ...broken('createBranch', row.branch),
    ...broken('terminal', row.terminal),
  ];
}

/** Takes a text that has the name of an item of a list, in any case, for the item, and counts it. */
function listing(lists: Lists) {
  const finders = new Map(Object.entries(lists).map(([field, items]) => [field, itemFinder(items)]));
  const taken = new Map<string, Taken>();
  const listed = (field: Field, text: string): string => {
    const item = finders.get(field)?.(text);
    if (!item) return text;
    if (text === item.key || text === item.text) return item.key;
    const key = `${field} ${text}`;
    const { rows } = taken.get(key) ?? { rows: 0 };
    taken.set(key, { field, text, name: item.text, rows: rows + 1 });
    return item.key;
  };
  return { listed, taken };
}

/**
 * Plans the import of a file: groups its rows by branch, and refuses those that break a rule of the contract or
 * contradict an earlier row, so that the result does not depend on which request is executed first.
 *
 * @param lists What the values of some fields must be. The service checks it.
 */
export function planImport({ rows: csvRows }: Pick<TableFile, 'rows'>, mapping: Mapping, lists: Lists = {}): Plan {
  const { listed, taken } = listing(lists);
  const rows = csvRows.map((row) => toRow(row, mapping, listed));
  const branches = new Map<string, Row[]>();
  /** The line that first has a terminal_id, serial number or detail of a master merchant. */
  const lines = new Map<string, number>();
  const details = new Map<string, { line: number; value: string }>();

  const problemsOf = (row: Row): Found[] => {
    const { mid, branch } = row;
    const broken = brokenRules(row, mapping.includes('mid'));
    if (broken.length > 0) return broken;
    const [first = row] = branches.get(mid) ?? [];
    const differs = BRANCH_FIELDS.filter((field) => !areAlike(field, branch[field], first.branch[field]));
    const of = { code: 'differs', of: 'branch', other: first.line } as const;
    if (differs.length > 0) return differs.map((field) => ({ field, ...of, value: first.branch[field] ?? null }));
    const ofOthers = detailsOf(row).flatMap(({ field, key, value }): Found[] => {
      const known = details.get(key);
      return known && !areAlike(field, known.value, value)
        ? [{ field, code: 'differs', of: 'master_merchant', other: known.line, value: known.value }]
        : [];
    });
    const duplicates = uniqueOf(row).flatMap(({ field, key }): Found[] => {
      const other = lines.get(key);
      return other === undefined ? [] : [{ field, code: 'duplicate', other }];
    });
    return [...ofOthers, ...duplicates];
  };

  const problems = rows.flatMap((row) => {
    const found = problemsOf(row);
    if (found.length === 0) {
      const key = row.mid || `line ${row.line}`;
      branches.set(key, branches.get(key) ?? []);
      branches.get(key)?.push(row);
      for (const { key } of uniqueOf(row)) lines.set(key, row.line);
      for (const { key, value } of detailsOf(row)) if (!details.has(key)) details.set(key, { line: row.line, value });
    }
    return found.map((problem) => ({ line: row.line, ...problem }));
  });
  return { rows, branches: [...branches.values()], problems, taken: [...taken.values()] };
}

/** The values of a row that no other row may have. */
const uniqueOf = ({ terminal }: Row) =>
  (['terminal_id', 'serial_no'] as const).flatMap((field) =>
    terminal[field] === undefined ? [] : [{ field, key: `${field} ${terminal[field]}` }],
  );

const detailsOf = (row: Row) => {
  const masterMerchant = masterMerchantOf(row);
  return OF_MASTER_MERCHANT.flatMap((field) => {
    const value = row.branch[field];
    return masterMerchant && value ? [{ field, key: `${field} ${masterMerchant}`, value }] : [];
  });
};
