import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { fieldErrorsOf } from '../base/fieldErrors.ts';
import { type FieldError, validationFailed } from '../base/problem.ts';
import { CHANGING_ROUTE } from './authorize.ts';
import { jsonBody } from './jsonBody.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { type RequestSchema, schemaFor } from './requestSchema.ts';
import { misplacedChecks, unknownFields, warn } from './warnings.ts';

/** The field errors of a change's fields that mean `validate_only`. */
const checksIn = ({ routeKey, body }: Incoming): FieldError[] =>
  CHANGING_ROUTE.test(routeKey) ? misplacedChecks(body) : [];

/**
 * Validates the body and replaces it with the parsed value. Unknown fields become warnings.
 *
 * @throws Problem `validation_failed` with every field error.
 */
export const validBody = (schema: RequestSchema): Middleware => ({
  before: function validBody({ event }) {
    const result = v.safeParse(schemaFor(event.acquirer as Acquirer, schema), event.body);
    const errors = [...fieldErrorsOf(result.issues ?? []), ...checksIn(event)];
    if (errors.length > 0) throw validationFailed(errors);
    warn(event, unknownFields(event.body, result.output));
    event.body = result.output;
  },
});

/**
 * Warns about the fields of a body that the operation does not take. Anything but a JSON object is ignored.
 *
 * @throws Problem `validation_failed` for a field of a change that means `validate_only`.
 */
export const noBody = (): Middleware => {
  const { before: parse } = jsonBody();
  return {
    before: async function noBody(request) {
      try {
        await parse?.(request);
      } catch {
        return;
      }
      const { event } = request;
      if (Array.isArray(event.body)) return;
      const errors = checksIn(event);
      if (errors.length > 0) throw validationFailed(errors);
      warn(event, unknownFields(event.body, {}));
    },
  };
};
