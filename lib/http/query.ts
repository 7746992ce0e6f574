import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { requestContext } from '../aws/requestContext.ts';
import { fieldErrorsOf } from '../base/fieldErrors.ts';
import { storedText } from '../base/fields.ts';
import { Problem } from '../base/problem.ts';
import { CHANGING_ROUTE } from './authorize.ts';
import type { Middleware } from './middleware.ts';
import { type QuerySchema, schemaFor } from './requestSchema.ts';
import { refusalOf, unknownParameter, warn } from './warnings.ts';

/** Query parameters of every operation that changes something. */
export const ChangeQuery = v.object({
  validate_only: v.optional(v.picklist(['true', 'false'], 'Must be true or false.'), 'false'),
  reason: v.optional(storedText),
});

/**
 * Validates the query parameters and replaces them with the parsed value. Unknown parameters become warnings; those of
 * a change are errors, because a misspelled `validate_only` would make it. Notes how a change is to be made: from then
 * on, nothing in a request with `validate_only=true` writes (see transact).
 *
 * @throws Problem `invalid_query` that lists every error.
 */
export const validQuery = (schema: QuerySchema): Middleware => ({
  before: function validQuery({ event }) {
    const sent = event.queryStringParameters ?? {};
    const own = schemaFor(event.acquirer as Acquirer, schema);
    const result = v.safeParse(own, sent);
    const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(own.entries, name));
    const errors = [
      // An error of the query as a whole has no parameter.
      ...fieldErrorsOf(result.issues ?? []).map(({ pointer, detail }) =>
        pointer ? `${pointer.slice(1)}: ${detail}` : detail,
      ),
      ...(unknown.length > 0 && CHANGING_ROUTE.test(event.routeKey)
        ? [refusalOf(unknown, Object.keys(own.entries))]
        : []),
    ];
    if (errors.length > 0) throw new Problem('invalid_query', errors.join(' '));
    const known = result.output as Partial<v.InferOutput<typeof ChangeQuery>>;
    warn(event, unknown.map(unknownParameter));
    event.query = known;
    const validate_only = known.validate_only === 'true';
    event.options = { validate_only, reason: known.reason, if_match: event.headers['if-match'] };
    requestContext().isValidation = validate_only;
  },
});
