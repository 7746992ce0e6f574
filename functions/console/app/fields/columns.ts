import type { operations } from '../../../../docs/client/schema.d.ts';

type BodyOf<Operation extends 'createBranch' | 'createTerminals'> =
  operations[Operation]['requestBody']['content']['application/json'];
export type NewBranch = BodyOf<'createBranch'>;
export type NewTerminals = BodyOf<'createTerminals'>;

/** A field of a new branch, or of a new terminal. */
export type BranchField = Exclude<keyof NewBranch, 'terminals'>;
export type TerminalField = keyof NewTerminals['terminals'][number];
export type Field = BranchField | TerminalField;

/** Other names of each field, as people and other systems write them. */
const BRANCH_ALIASES: Record<BranchField, string[]> = {
  mid: ['merchant id', 'branch', 'branch id', 'shop id', 'store id', 'outlet id'],
  branch_name: ['merchant name', 'shop', 'shop name', 'store', 'store name', 'outlet', 'outlet name', 'name'],
  area: ['district', 'region', 'neighbourhood', 'neighborhood'],
  city: ['town', 'locality', 'place'],
  payment_provider: ['psp', 'provider', 'payment service provider'],
  distributor: ['iso', 'reseller'],
  existing_master_merchant: ['master merchant uuid', 'business uuid', 'company uuid'],
  master_merchant_id: ['business id', 'company id', 'customer id'],
  master_merchant_name: ['master merchant', 'business', 'business name', 'company', 'company name', 'customer'],
  email: ['mail', 'email address', 'contact email'],
  country_code: ['iso country', 'iso country code'],
  phone: ['phone number', 'telephone', 'telephone number', 'tel', 'mobile'],
  mcc: ['merchant category code', 'category code', 'category'],
  country: ['nation', 'country name'],
};
const TERMINAL_ALIASES: Record<TerminalField, string[]> = {
  terminal_id: ['terminal', 'terminal number', 'tid', 'sticker', 'device', 'device id', 'pos', 'pos id'],
  serial_no: ['serial', 'serial number', 'sn', 's/n', 'device serial'],
  terminal_model: ['model', 'device model', 'terminal type', 'device type', 'type'],
  payment_app: ['app', 'application', 'payment application', 'software'],
  acquirer_name: ['acquirer', 'master acquirer', 'acquiring bank', 'bank'],
};
const ALIASES = { ...BRANCH_ALIASES, ...TERMINAL_ALIASES };

export const BRANCH_FIELDS = Object.keys(BRANCH_ALIASES) as BranchField[];
export const TERMINAL_FIELDS = Object.keys(TERMINAL_ALIASES) as TerminalField[];

/** The field of each column of a file, in the order of the columns; `null` for a column that is ignored. */
export type Mapping = (Field | null)[];

/** A name without what people write differently: case, spaces, underscores, hyphens and other punctuation. */
const letters = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

const KNOWN = new Set(
  [...BRANCH_FIELDS, ...TERMINAL_FIELDS].flatMap((field) => [field, ...ALIASES[field]]).map(letters),
);

/** How many columns have a name that is known. */
export const knownColumns = (header: readonly string[]): number =>
  [...new Set(header.map(letters))].filter((name) => KNOWN.has(name)).length;

/** Whether a column means a field, the surest way first. */
const WAYS: ((column: string, field: Field) => boolean)[] = [
  (column, field) => column === field,
  (column, field) => letters(column) === letters(field),
  (column, field) => ALIASES[field].some((alias) => letters(column) === letters(alias)),
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
