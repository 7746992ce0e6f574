import type { operations } from '../../../../docs/client/schema.d.ts';
import type { Schemas } from '../api/client.ts';

/*
 * The fields of branches and terminals, each in one place. Forms, details, tables, imports, exports, the estate and its
 * search take them from here. A field of the contract that is missing here is a compile error.
 */

type BodyOf<Operation extends 'createBranch' | 'createTerminals'> =
  operations[Operation]['requestBody']['content']['application/json'];
export type NewBranch = BodyOf<'createBranch'>;
export type NewTerminals = BodyOf<'createTerminals'>;

/** A field of a new branch, or of a new terminal. */
export type BranchField = Exclude<keyof NewBranch, 'terminals'>;
export type TerminalField = keyof NewTerminals['terminals'][number];
export type Field = BranchField | TerminalField;

/** A lookup that has the values of a field. */
export type Lookup = 'paymentApp' | 'acquirers' | 'paymentProviders' | 'distributors';

interface FieldInfo {
  label: string;
  /** Its name as a column of a file, where other fields are around that have the same label. */
  column?: string;
  /** The lookup that has its values. */
  lookup?: Lookup;
  /** Other names, as people and other systems write them. */
  aliases: string[];
  /** What form its values have, if the contract has a pattern. */
  form?: string;
  /** How a phone's keyboard treats it. By default, it is an identifier: theme.ts. */
  typing?: object;
}

interface BranchFieldInfo extends FieldInfo {
  /** The part of the form of a new branch where it is typed. Without one, it is chosen. */
  part?: 'branch' | 'business';
  /** Its name in responses, if it is another one. */
  shownAs?: 'merchant_name';
}

interface TerminalFieldInfo extends FieldInfo {
  /** It is on a sticker, which scanners read. */
  isScanned?: boolean;
}

const ALPHANUMERIC = 'Only letters and digits, without spaces.';
const NAME = { autoCapitalize: 'words' };

/** What the body of a new branch has, in the order of forms and imports. */
export const BRANCH: Record<BranchField, BranchFieldInfo> = {
  mid: {
    label: 'MID',
    part: 'branch',
    form: 'Only letters and digits (at most 64), or a UUID.',
    aliases: ['merchant id', 'branch', 'branch id', 'shop id', 'store id', 'outlet id'],
  },
  branch_name: {
    label: 'Name',
    column: 'Branch name',
    shownAs: 'merchant_name',
    part: 'branch',
    typing: NAME,
    aliases: ['merchant name', 'shop', 'shop name', 'store', 'store name', 'outlet', 'outlet name', 'name'],
  },
  area: {
    label: 'Area',
    part: 'branch',
    typing: NAME,
    aliases: ['district', 'region', 'neighbourhood', 'neighborhood'],
  },
  city: { label: 'City', part: 'branch', typing: NAME, aliases: ['town', 'locality', 'place'] },
  payment_provider: {
    label: 'Payment provider',
    lookup: 'paymentProviders',
    aliases: ['psp', 'provider', 'payment service provider'],
  },
  distributor: { label: 'Distributor', lookup: 'distributors', aliases: ['iso', 'reseller'] },
  existing_master_merchant: {
    label: 'Business',
    column: 'Business (UUID)',
    aliases: ['master merchant uuid', 'company uuid'],
  },
  master_merchant_id: {
    label: 'Business ID',
    part: 'business',
    form: ALPHANUMERIC,
    aliases: ['company id', 'customer id'],
  },
  master_merchant_name: {
    label: 'Business name',
    part: 'business',
    typing: NAME,
    aliases: ['master merchant', 'business', 'company', 'company name', 'customer'],
  },
  email: {
    label: 'E-mail',
    part: 'business',
    form: 'An e-mail address, such as name@example.com.',
    typing: { inputMode: 'email' },
    aliases: ['mail', 'email address', 'contact email'],
  },
  country_code: { label: 'Country code', part: 'business', aliases: ['iso country', 'iso country code'] },
  phone: {
    label: 'Phone',
    part: 'business',
    form: 'Digits with spaces between them, after an optional +, such as +351 210 000 000.',
    typing: { inputMode: 'tel' },
    aliases: ['phone number', 'telephone', 'telephone number', 'tel', 'mobile'],
  },
  mcc: {
    label: 'Category code (MCC)',
    part: 'business',
    form: 'Four digits.',
    typing: { inputMode: 'numeric' },
    aliases: ['merchant category code', 'category code', 'category'],
  },
  country: { label: 'Country', part: 'business', typing: NAME, aliases: ['nation', 'country name'] },
};

/** What the body of a new terminal has, in the order of forms, imports and exports. */
export const TERMINAL: Record<TerminalField, TerminalFieldInfo> = {
  terminal_id: {
    label: 'Terminal ID',
    isScanned: true,
    form: ALPHANUMERIC,
    aliases: ['terminal', 'terminal number', 'tid', 'sticker', 'device', 'device id', 'pos', 'pos id'],
  },
  serial_no: {
    label: 'Serial number',
    isScanned: true,
    form: ALPHANUMERIC,
    aliases: ['serial', 'sn', 's/n', 'device serial'],
  },
  terminal_model: { label: 'Model', aliases: ['device model', 'terminal type', 'device type', 'type'] },
  payment_app: {
    label: 'Payment app',
    lookup: 'paymentApp',
    aliases: ['app', 'application', 'payment application', 'software'],
  },
  acquirer_name: {
    label: 'Master acquirer',
    lookup: 'acquirers',
    aliases: ['acquirer', 'acquiring bank', 'bank'],
  },
};

export const isField = (name: string): name is Field => name in BRANCH || name in TERMINAL;

export const BRANCH_FIELDS = Object.keys(BRANCH) as BranchField[];
export const TERMINAL_FIELDS = Object.keys(TERMINAL) as TerminalField[];

/** The most terminals of a request that creates them. */
export const MOST_PER_REQUEST = 40;

/** The fields that are typed in a part of the form of a new branch. */
export const fieldsOf = (part: 'branch' | 'business'): BranchField[] =>
  BRANCH_FIELDS.filter((name) => BRANCH[name].part === part);

/** What can be changed of a branch and of a terminal. */
export const EDITED_OF_BRANCH = fieldsOf('branch').filter((name) => name !== 'mid');
export const EDITED_OF_TERMINAL = TERMINAL_FIELDS.filter((name) => name !== 'terminal_id');

/** The name that a field of a new branch has in responses. */
export const shownName = (name: BranchField): string => BRANCH[name].shownAs ?? name;

/** What is known of a field in lists. */
interface ListedInfo {
  /** Many items have the same value. */
  isShared: boolean;
  /** The words of its text find it. */
  isFound?: boolean;
}

const TIMES = {
  status: { isShared: true },
  created_at: { isShared: false },
  updated_at: { isShared: false },
  archived_at: { isShared: true },
};

/** What lists have of a branch, in the order of exports. The first is its key. */
export const LISTED_BRANCH: Record<keyof Schemas['ListedBranch'], ListedInfo> = {
  mid: { isShared: false },
  merchant_name: { isShared: false, isFound: true },
  area: { isShared: true, isFound: true },
  city: { isShared: true, isFound: true },
  master_merchant_name: { isShared: true, isFound: true },
  master_merchant_id: { isShared: true },
  ...TIMES,
};

/** What lists have of a terminal. The first is its key. */
export const LISTED_TERMINAL: Record<keyof Schemas['Terminal'] | 'last_seen_at', ListedInfo> = {
  tid: { isShared: false },
  terminal_id: { isShared: false },
  serial_no: { isShared: false },
  mid: { isShared: false },
  terminal_model: { isShared: true },
  payment_app: { isShared: true },
  acquirer_name: { isShared: true },
  archive_reason: { isShared: true },
  last_seen_at: { isShared: true },
  ...TIMES,
};
