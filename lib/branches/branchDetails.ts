import * as v from 'valibot';
import { storedText } from '../base/fields.ts';
import { field, shownText } from '../base/values.ts';

/*
 * The details of a branch: the texts that a caller sends of it, and can change. What is stored, what requests accept,
 * what responses show and what the `changes` of an event can name is made from here.
 */

interface Detail {
  /** What requests accept, and what is stored. */
  schema: v.GenericSchema<unknown, string>;
  /** The contract's. */
  description: string;
}

/** Lists show these too. Their indexes project them (infra/stack/table.yml), and a projection cannot be changed. */
const LISTED = {
  merchant_name: { schema: storedText, description: 'Display name of the branch.' },
  area: { schema: storedText, description: 'Area of the branch.' },
  city: { schema: storedText, description: 'City of the branch.' },
} satisfies Record<string, Detail>;

/** Only the response about one branch shows these. */
const NOT_LISTED = {} satisfies Record<string, Detail>;

const DETAILS: Record<DetailName, Detail> = { ...LISTED, ...NOT_LISTED };
type DetailName = keyof typeof LISTED | keyof typeof NOT_LISTED;

const DETAIL_NAMES = Object.keys(DETAILS) as DetailName[];

/** The details of a branch by their names in items and responses. */
export type BranchDetails<T = string | undefined> = Partial<Record<DetailName, T>>;

/** A detail's name in requests. */
type SentName = Exclude<DetailName, 'merchant_name'> | 'branch_name';
const sentAs = (name: DetailName): SentName => (name === 'merchant_name' ? 'branch_name' : name);

const mapped = <Name extends DetailName, T>(names: Name[], make: (detail: Detail) => T) =>
  Object.fromEntries(names.map((name) => [name, make(DETAILS[name])])) as Record<Name, T>;

const shown = <Name extends DetailName>(details: Record<Name, Detail>) =>
  mapped(Object.keys(details) as Name[], ({ description }) => field(v.nullable(shownText), description));

/** The schemas of the stored attributes. */
export const storedDetails = mapped(DETAIL_NAMES, ({ schema }) => v.optional(schema));

/** The schemas of the fields of responses: those that lists show too, and the others. */
export const listedDetails = shown(LISTED);
export const otherDetails = shown(NOT_LISTED);

/** The schemas of the fields of a body: `make` is `optional` for a create, and `clearable` for an update. */
export const sentDetails = <T>(make: (schema: Detail['schema']) => T) =>
  Object.fromEntries(DETAIL_NAMES.map((name) => [sentAs(name), make(DETAILS[name].schema)])) as Record<SentName, T>;

/** The details in a body, by the names that items have. */
export const detailsIn = <T>(body: Partial<Record<SentName, T>>): BranchDetails<T> =>
  Object.fromEntries(DETAIL_NAMES.map((name) => [name, body[sentAs(name)]])) as BranchDetails<T>;
