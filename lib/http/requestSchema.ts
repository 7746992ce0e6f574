import type * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';

/** The schema of a body or a query, or a function that returns it for the calling acquirer. */
export type RequestSchema = v.GenericSchema | ((acquirer: Acquirer) => v.GenericSchema);

/** The schema of a query, whose entries are the parameters that an operation has. */
export type QuerySchema = ObjectSchema | ((acquirer: Acquirer) => ObjectSchema);
type ObjectSchema = v.GenericSchema & { readonly entries: v.ObjectEntries };

export const schemaFor = <S extends v.GenericSchema>(acquirer: Acquirer, schema: S | ((acquirer: Acquirer) => S)): S =>
  typeof schema === 'function' ? schema(acquirer) : schema;
