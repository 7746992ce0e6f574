import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { fieldErrorsOf } from '../base/fieldErrors.ts';
import { storedText } from '../base/fields.ts';
import { Problem } from '../base/problem.ts';
import type { Middleware } from './middleware.ts';
import { type RequestSchema, schemaFor } from './requestSchema.ts';
import { unknownParameter, warn } from './warnings.ts';

/** Query parameters of every operation that changes something. */
export const ChangeQuery = v.object({
  validate_only: v.optional(v.picklist(['true', 'false'], 'Must be true or false.'), 'false'),
  reason: v.optional(storedText),
});

/**
 * Validates the query parameters and replaces them with the parsed value. Unknown parameters become warnings. Notes the
 * reason of a change, and whether the request only validates it: see commit.
 *
 * @throws Problem `invalid_query` that lists every error.
 */
export const validQuery = (schema: RequestSchema): Middleware => ({
  before: function validQuery({ event }) {
    const sent = event.queryStringParameters ?? {};
    const result = v.safeParse(schemaFor(event.acquirer as Acquirer, schema), sent);
    if (!result.success)
      throw new Problem(
        'invalid_query',
        fieldErrorsOf(result.issues)
          // An error of the query as a whole has no parameter.
          .map(({ pointer, detail }) => (pointer ? `${pointer.slice(1)}: ${detail}` : detail))
          .join(' '),
      );
    const known = result.output as Partial<v.InferOutput<typeof ChangeQuery>>;
    const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(known, name));
    warn(event, unknown.map(unknownParameter));
    event.query = known;
    if (event.author)
      Object.assign(event.author, { isValidation: known.validate_only === 'true', reason: known.reason });
  },
});
