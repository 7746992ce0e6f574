import {
  BRANCH_FIELDS,
  type BranchField,
  type Field,
  type Mapping,
  TERMINAL_FIELDS,
  type TerminalField,
} from './columns.ts';
import type { CsvFile, CsvRow } from './readCsv.ts';

/** A row to import. An empty cell is absent. */
export interface Row {
  line: number;
  /** The MID of its branch; empty if there is none. */
  mid: string;
  branch: Partial<Record<BranchField, string>>;
  terminal: Partial<Record<TerminalField, string>>;
}

/** What is wrong in a cell. `field` and `code` are those of a field error, or the code of a problem. */
export interface CellProblem {
  line: number;
  field: string;
  code: string;
  detail: string;
}

/** What an import sends. The same file and mapping always give the same plan. */
export interface Plan {
  rows: Row[];
  /** The rows that can be sent, by branch. The first row of a branch has its fields. */
  branches: Row[][];
  /** Why the other rows are refused before anything is sent. */
  problems: CellProblem[];
}

/** The most characters of any field. Longer cells could make a body larger than the service accepts. */
const MAX_CHARACTERS = 255;
const UUIDS: Field[] = ['mid', 'payment_provider', 'distributor', 'existing_master_merchant'];
const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i;
/** Details of a master merchant that two branches of it cannot have differently. */
const OF_MASTER_MERCHANT: BranchField[] = ['master_merchant_name', 'email', 'country_code', 'phone', 'mcc', 'country'];

/** Whether a row has a terminal, and not only a branch. */
export const hasTerminal = ({ terminal }: Row): boolean => Object.keys(terminal).length > 0;

/** What identifies the master merchant of a row by its `master_merchant_id`; `undefined` without one. */
export const masterMerchantOf = ({ branch: { payment_provider, master_merchant_id } }: Row): string | undefined =>
  master_merchant_id && `${payment_provider ?? ''} ${master_merchant_id}`;

function toRow({ line, cells }: CsvRow, mapping: Mapping): Row {
  const pick = <F extends Field>(fields: F[]) =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const text = cells[mapping.indexOf(field)] ?? '';
        // UUIDs are the same in either case, and are stored in lower case.
        return text === '' ? [] : [[field, UUIDS.includes(field) && UUID.test(text) ? text.toLowerCase() : text]];
      }),
    ) as Partial<Record<F, string>>;
  const branch = pick(BRANCH_FIELDS);
  return { line, mid: branch.mid ?? '', branch, terminal: pick(TERMINAL_FIELDS) };
}

/**
 * Plans the import of a file: groups its rows by branch, and refuses those that contradict an earlier row, so that the
 * result does not depend on which request is executed first.
 */
export function planImport({ rows: csvRows }: Pick<CsvFile, 'rows'>, mapping: Mapping): Plan {
  const rows = csvRows.map((row) => toRow(row, mapping));
  const branches = new Map<string, Row[]>();
  /** The line that first has a terminal_id, serial number or detail of a master merchant. */
  const lines = new Map<string, number>();
  const details = new Map<string, { line: number; value: string }>();

  const problemsOf = (row: Row): Omit<CellProblem, 'line'>[] => {
    const { mid, branch, terminal } = row;
    if (mid === '') return [{ field: 'mid', code: 'required', detail: 'Is required.' }];
    const tooLong = Object.entries({ ...branch, ...terminal }).filter(
      ([, text]) => text.length > MAX_CHARACTERS && [...text].length > MAX_CHARACTERS,
    );
    if (tooLong.length > 0)
      return tooLong.map(([field]) => ({
        field,
        code: 'too_long',
        detail: `Must have at most ${MAX_CHARACTERS} characters.`,
      }));
    const [first = row] = branches.get(mid) ?? [];
    const differs = BRANCH_FIELDS.filter((field) => branch[field] !== first.branch[field]);
    if (differs.length > 0)
      return differs.map((field) => ({
        field,
        code: 'differs',
        detail: `Line ${first.line} has another value for this branch.`,
      }));
    const ofOthers = detailsOf(row).flatMap(({ field, key, value }) => {
      const known = details.get(key);
      return known && known.value !== value
        ? [{ field, code: 'differs', detail: `Line ${known.line} has another value for this master merchant.` }]
        : [];
    });
    return [
      ...ofOthers,
      ...uniqueOf(row).flatMap(({ field, key }) => {
        const line = lines.get(key);
        return line === undefined ? [] : [{ field, code: 'duplicate', detail: `Line ${line} has it too.` }];
      }),
    ];
  };

  const problems = rows.flatMap((row) => {
    const found = problemsOf(row);
    if (found.length === 0) {
      branches.set(row.mid, branches.get(row.mid) ?? []);
      branches.get(row.mid)?.push(row);
      for (const { key } of uniqueOf(row)) lines.set(key, row.line);
      for (const { key, value } of detailsOf(row)) if (!details.has(key)) details.set(key, { line: row.line, value });
    }
    return found.map((problem) => ({ line: row.line, ...problem }));
  });
  return { rows, branches: [...branches.values()], problems };
}

/** The values of a row that no other row may have. */
const uniqueOf = ({ terminal }: Row) =>
  (['terminal_id', 'serial_no'] as const).flatMap((field) =>
    terminal[field] === undefined ? [] : [{ field, key: `${field} ${terminal[field]}` }],
  );

/** The details of a row's master merchant. */
const detailsOf = (row: Row) => {
  const masterMerchant = masterMerchantOf(row);
  return OF_MASTER_MERCHANT.flatMap((field) => {
    const value = row.branch[field];
    return masterMerchant === undefined || value === undefined
      ? []
      : [{ field, key: `${field} ${masterMerchant}`, value }];
  });
};
