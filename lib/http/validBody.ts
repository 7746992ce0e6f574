import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { fieldErrorsOf } from '../base/fieldErrors.ts';
import { validationFailed } from '../base/problem.ts';
import { jsonBody } from './jsonBody.ts';
import type { Middleware } from './middleware.ts';
import { type RequestSchema, schemaFor } from './requestSchema.ts';
import { unknownFields, warn } from './warnings.ts';

/**
 * Validates the body and replaces it with the parsed value. Unknown fields become warnings.
 *
 * @throws Problem `validation_failed` with every field error.
 */
export const validBody = (schema: RequestSchema): Middleware => ({
  before: function validBody({ event }) {
    const result = v.safeParse(schemaFor(event.acquirer as Acquirer, schema), event.body);
    if (!result.success) throw validationFailed(fieldErrorsOf(result.issues));
    warn(event, unknownFields(event.body, result.output));
    event.body = result.output;
  },
});

/** Warns about the fields of a body that the operation does not take. Anything but a JSON object is ignored. */
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
      if (!Array.isArray(event.body)) warn(event, unknownFields(event.body, {}));
    },
  };
};
