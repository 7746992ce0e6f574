import * as v from 'valibot';
import { Problem } from '../problem.ts';
import { faultsOf } from './faults.ts';
import type { Middleware } from './middleware.ts';

/** Lets the query parameters through as their schema makes them, or refuses them with all that is wrong. */
export const validQuery = (schema: v.GenericSchema): Middleware => ({
  before: function validQuery({ event }) {
    const result = v.safeParse(schema, event.queryStringParameters ?? {});
    if (!result.success)
      throw new Problem(
        'invalid_query',
        faultsOf(result.issues)
          .map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)
          .join(' '),
      );
    event.query = result.output;
  },
});
