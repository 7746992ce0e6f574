import type * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';

/** The schema of a body or a query, or a function that returns it for the calling acquirer. */
export type RequestSchema = v.GenericSchema | ((acquirer: Acquirer) => v.GenericSchema);

export const schemaFor = (acquirer: Acquirer, schema: RequestSchema): v.GenericSchema =>
  typeof schema === 'function' ? schema(acquirer) : schema;
