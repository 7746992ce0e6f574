import type { Request } from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import * as v from 'valibot';
import type { Acquirer } from '../acquirer.ts';
import { fieldErrorsOf } from '../base/fieldErrors.ts';
import { Problem, validationFailed } from '../base/problem.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { unknownFields, warn } from './warnings.ts';

/** A schema, or a function that returns the schema for the calling acquirer. */
export type BodySchema = v.GenericSchema | ((acquirer: Acquirer) => v.GenericSchema);

export const schemaFor = (acquirer: Acquirer, schema: BodySchema): v.GenericSchema =>
  typeof schema === 'function' ? schema(acquirer) : schema;

/** The API accepts only JSON, so the content type is not checked. */
const parser = jsonBodyParser({ disableContentTypeCheck: true });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses the body as JSON. An absent or empty body is `{}`.
 *
 * @throws Problem `malformed_json`.
 */
function parse(event: Incoming): void {
  if (!event.body) {
    event.body = {};
    return;
  }
  try {
    if (event.isBase64Encoded && typeof event.body === 'string') {
      // The parser would replace invalid UTF-8 with U+FFFD.
      event.body = utf8.decode(Buffer.from(event.body, 'base64'));
      event.isBase64Encoded = false;
    }
    parser.before?.({ event } as unknown as Request<never, never>);
  } catch {
    // No cause: the parser's error quotes the body, which may contain card identifiers.
    throw new Problem('malformed_json', 'Send a JSON object (RFC 8259) as the request body, without a key __proto__.');
  }
}

export const jsonBody = (): Middleware => ({
  before: function jsonBody({ event }) {
    parse(event);
  },
});

/**
 * Validates the body and replaces it with the parsed value. Unknown fields become warnings.
 *
 * @throws Problem `validation_failed` with every field error.
 */
export const validBody = (schema: BodySchema): Middleware => ({
  before: function validBody({ event }) {
    const result = v.safeParse(schemaFor(event.acquirer as Acquirer, schema), event.body);
    if (!result.success) throw validationFailed(fieldErrorsOf(result.issues));
    warn(event, unknownFields(event.body, result.output));
    event.body = result.output;
  },
});

/** Warns about the fields of a body that the operation does not take. Anything but a JSON object is ignored. */
export const noBody = (): Middleware => ({
  before: function noBody({ event }) {
    try {
      parse(event);
    } catch {
      return;
    }
    if (!Array.isArray(event.body)) warn(event, unknownFields(event.body, {}));
  },
});
