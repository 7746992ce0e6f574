/*
 * An estate of 60 branches and 380 terminals as a CSV file that includes rejected rows, and the part of it that
 * already exists.
 */

export type Row = Record<(typeof COLUMNS)[number], string>;
const COLUMNS = [
  ...(['mid', 'branch_name', 'city', 'master_merchant_id', 'master_merchant_name', 'colour'] as const),
  ...(['terminal_id', 'serial_no', 'terminal_model', 'payment_app', 'acquirer_name'] as const),
];

/** A row that is rejected, and why. */
interface Rejected {
  row: Row;
  field: string;
  code: string;
  detail: string;
}

const BRANCHES = 60;
const cycle = <T>(values: T[], at: number): T => values[at % values.length] as T;
const padded = (number: number): string => String(number).padStart(3, '0');

/** 95 in the first branch, 41 in the second, none in the third; 380 in total. */
const terminalsOf = (branch: number): number => [0, 95, 41, 0][branch] ?? (branch < 20 ? 5 : 4);

/** A MID, in either form. */
const midOf = (branch: number): string =>
  branch % 30 === 0 ? `00000000-0000-4000-8000-000000000${padded(branch)}` : `ESTATE${padded(branch)}`;

const NO_TERMINAL = { terminal_id: '', serial_no: '', terminal_model: '', payment_app: '', acquirer_name: '' };

/** The columns of a branch. Every twentieth branch has the same business. */
const branchOf = (branch: number): Row => ({
  mid: midOf(branch),
  branch_name: `Café "Nº ${branch}", centre`,
  city: cycle(['Lisbon', 'Porto', ''], branch),
  master_merchant_id: `ESTATEBUSINESS${branch % 20}`,
  master_merchant_name: `Business ${branch % 20}`,
  colour: '',
  ...NO_TERMINAL,
});

const terminalOf = (branch: number, terminal: number): Row => ({
  ...branchOf(branch),
  terminal_id: `EST${padded(branch)}T${terminal}`,
  serial_no: terminal % 2 === 0 ? '' : `EST${padded(branch)}S${terminal}`,
  terminal_model: cycle(['Countertop 3', 'Handheld 2', ''], terminal),
  payment_app: cycle(['Checkout Go', ''], terminal),
  acquirer_name: cycle(['', 'Atlantic Acquiring'], terminal),
});

/** Valid rows, except for those that differ from what already exists. */
const ROWS = Array.from({ length: BRANCHES }, (_, at) => at + 1).flatMap((branch) =>
  terminalsOf(branch) === 0
    ? [branchOf(branch)]
    : Array.from({ length: terminalsOf(branch) }, (_, at) => terminalOf(branch, at + 1)),
);

const rowOf = (terminal_id: string): Row => ROWS.find((row) => row.terminal_id === terminal_id) as Row;
/** The line of a row that is not among the last ones; the first line has the column names. */
const lineOf = (row: Row): number => ROWS.indexOf(row) + 2;

const OLD_BUSINESS = { master_merchant_id: 'ESTATEOLD', master_merchant_name: 'Old name' };
const MODEL_DIFFERS = rowOf('EST010T4');
const CITY_DIFFERS = rowOf('EST022T1');

/** The fields of a row that are not empty. */
const filled = (row: Partial<Row>) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''));
/** The body of a terminal as in the file. */
const bodyOf = (branch: number, terminal: number) => {
  const { terminal_id, serial_no, terminal_model, payment_app, acquirer_name } = terminalOf(branch, terminal);
  return filled({ terminal_id, serial_no, terminal_model, payment_app, acquirer_name });
};

/** What already exists: bodies of createBranch, with their acquirers. */
export const BEFORE: { acquirer: string; isArchived?: true; body: Record<string, unknown> }[] = [
  {
    acquirer: 'Trustcard',
    body: { ...filled(branchOf(10)), terminals: [bodyOf(10, 1), { ...bodyOf(10, 4), terminal_model: 'Old model' }] },
  },
  { acquirer: 'Trustcard', body: { ...filled(branchOf(22)), city: 'Faro' } },
  { acquirer: 'Trustcard', body: { mid: 'ESTATEOTHER', ...OLD_BUSINESS, terminals: [{ terminal_id: 'ESTTAKEN' }] } },
  { acquirer: 'Trustcard', isArchived: true, body: { mid: 'ESTATEARCHIVED', ...OLD_BUSINESS } },
  { acquirer: 'Quickpay', body: { mid: 'ESTATEFOREIGN', ...OLD_BUSINESS } },
];
/** How many of {@link BEFORE} are in Trustcard's list but not in the file. */
export const OTHERS = 2;

/** A row at the end of the file that is rejected because of one field. */
const last = (row: Row, field: string, code: string, detail: string): Rejected => ({ row, field, code, detail });
const one = (branch: number, terminal: Partial<Row>): Row => ({ ...branchOf(branch), ...terminal });
const alone = (row: Partial<Row>): Row => ({ ...branchOf(1), branch_name: '', city: '', ...OLD_BUSINESS, ...row });
const LAST: Rejected[] = [
  last(one(20, { terminal_id: 'EST-X1' }), 'terminal_id', 'invalid_format', 'Must be alphanumeric (0-9, A-Z, a-z).'),
  last(one(21, { terminal_id: 'ESTX2', serial_no: 'EST001S1' }), 'serial_no', 'duplicate', 'Line 2 has it too.'),
  last(one(23, { terminal_id: 'EST001T2' }), 'terminal_id', 'duplicate', 'Line 3 has it too.'),
  last(
    one(24, { city: 'Elsewhere', terminal_id: 'ESTX4' }),
    'city',
    'differs',
    `Line ${lineOf(rowOf('EST024T1'))} has another value for this branch.`,
  ),
  last(alone({ mid: '', terminal_id: 'ESTX5' }), 'mid', 'required', 'Is required.'),
  last(alone({ mid: 'ESTATEFOREIGN', terminal_id: 'ESTX7' }), 'mid', 'taken', 'Another branch has this MID.'),
  last(
    alone({ mid: 'ESTATEX9', master_merchant_name: 'New name', terminal_id: 'ESTX9' }),
    'master_merchant_name',
    'differs',
    'Differs from what is stored for this master merchant. Send the stored value, or omit the field.',
  ),
  last(
    alone({ mid: 'ESTATEARCHIVED', terminal_id: 'ESTX10' }),
    '',
    'branch_archived',
    'The branch is archived. Restore it before you add terminals to it.',
  ),
  last(one(25, { terminal_id: 'ESTTAKEN' }), 'terminal_id', 'taken', 'Another terminal has this terminal_id.'),
  last(one(26, { serial_no: 'ESTX12' }), 'terminal_id', 'required', 'Is required.'),
];

/** The line of the first of these rows, after an empty line. */
const FIRST_OF_LAST = ROWS.length + 3;

const quoted = (cells: string[]): string => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
const lineOfCells = (row: Row): string => quoted(COLUMNS.map((column) => ` ${row[column]}`));

/** The file as spreadsheets write it: with a byte order mark and CRLF. */
export const ESTATE = `\uFEFF${[
  COLUMNS.join(','),
  ...ROWS.map(lineOfCells),
  '',
  ...LAST.map(({ row }) => lineOfCells(row)),
].join('\r\n')}\r\n`;

const reported: (Rejected & { line: number })[] = [
  {
    line: lineOf(MODEL_DIFFERS),
    ...last(MODEL_DIFFERS, 'terminal_model', 'differs', 'It exists with Old model.'),
  },
  { line: lineOf(CITY_DIFFERS), ...last(CITY_DIFFERS, 'city', 'differs', 'It exists with Faro.') },
  ...LAST.map((rejected, at) => ({ line: FIRST_OF_LAST + at, ...rejected })),
];

/** What the program prints about them. */
export const REFUSED = `Refused ${reported.length} of ${ROWS.length + LAST.length} rows: see refused.csv.\n`;

/** The report of rejected rows. */
export const REPORT = [
  'line,mid,terminal_id,field,code,detail',
  ...reported
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, row, field, code, detail }) => quoted([`${line}`, row.mid, row.terminal_id, field, code, detail])),
  '',
].join('\n');

/** What is stored in the end, as lists show it: branches by MID, terminals by terminal_id. */
export const BRANCHES_AFTER = new Map(
  ROWS.map((row) => [
    row.mid,
    {
      mid: row.mid,
      merchant_name: row.branch_name,
      area: null,
      city: row.mid === CITY_DIFFERS.mid ? 'Faro' : row.city || null,
      master_merchant_name: row.master_merchant_name,
      master_merchant_id: row.master_merchant_id,
      status: 'active',
    },
  ]),
);
export const TERMINALS_AFTER = new Map(
  ROWS.filter((row) => row.terminal_id).map((row) => [
    row.terminal_id,
    {
      mid: row.mid,
      terminal_id: row.terminal_id,
      serial_no: row.serial_no || null,
      terminal_model: row === MODEL_DIFFERS ? 'Old model' : row.terminal_model || null,
      payment_app: row.payment_app || null,
      acquirer_name: row.acquirer_name || null,
      status: 'active',
    },
  ]),
);
