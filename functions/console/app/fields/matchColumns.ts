import { BRANCH, BRANCH_FIELDS, type Field, TERMINAL, TERMINAL_FIELDS } from './fields.ts';

const FIELDS = { ...BRANCH, ...TERMINAL };

/** The field of each column of an imported file, in the order of the columns; `null` for a column that is ignored. */
export type Mapping = (Field | null)[];

/** A name without what people write differently: case, spaces, underscores, hyphens and other punctuation. */
const letters = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** What a field is called as a column of a file. */
export const columnName = (field: Field): string => FIELDS[field].column ?? FIELDS[field].label;

const KNOWN = new Set(
  [...BRANCH_FIELDS, ...TERMINAL_FIELDS]
    .flatMap((field) => [field, columnName(field), ...FIELDS[field].aliases])
    .map(letters),
);

/** How many columns have a name that is known. */
export const knownColumns = (header: readonly string[]): number =>
  [...new Set(header.map(letters))].filter((name) => KNOWN.has(name)).length;

/** Whether a column means a field, the surest way first. */
const WAYS: ((column: string, field: Field) => boolean)[] = [
  (column, field) => column === field,
  (column, field) => letters(column) === letters(field),
  (column, field) => letters(column) === letters(columnName(field)),
  (column, field) => FIELDS[field].aliases.some((alias) => letters(column) === letters(alias)),
];

/** Finds the field of each column. A field that several columns could be is the surest one of them, then the first. */
export function matchColumns(header: readonly string[]): Mapping {
  const mapping: Mapping = header.map(() => null);
  for (const means of WAYS)
    for (const field of [...BRANCH_FIELDS, ...TERMINAL_FIELDS]) {
      if (mapping.includes(field)) continue;
      const at = header.findIndex((column, place) => mapping[place] === null && means(column, field));
      if (at >= 0) mapping[at] = field;
    }
  return mapping;
}

/** Sets the field of a column. Another column that had it is ignored then. */
export const withField = (mapping: Mapping, at: number, field: Field | null): Mapping =>
  mapping.map((current, place) => (place === at ? field : current === field ? null : current));

/** The columns that an import ignores. */
export const ignoredColumns = (header: readonly string[], mapping: Mapping): string[] =>
  header.filter((_, at) => !mapping[at]);

/** Finds the identifiers that no column has: of branches, and of terminals. */
export function missingFields(mapping: Mapping): Field[] {
  const has = (...fields: Field[]) => fields.some((field) => mapping.includes(field));
  const missing: Field[] = [];
  if (!has('mid') && (has(...BRANCH_FIELDS) || !has(...TERMINAL_FIELDS))) missing.push('mid');
  if (!has('terminal_id') && has(...TERMINAL_FIELDS)) missing.push('terminal_id');
  return missing;
}
