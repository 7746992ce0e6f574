import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { fieldErrorsOf } from '../base/fieldErrors.ts';
import { Problem, validationFailed } from '../base/problem.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { unknownFields, warn } from './warnings.ts';

/** The schema of a body or a query, or a function that returns it for the calling acquirer. */
export type RequestSchema = v.GenericSchema | ((acquirer: Acquirer) => v.GenericSchema);

export const schemaFor = (acquirer: Acquirer, schema: RequestSchema): v.GenericSchema =>
  typeof schema === 'function' ? schema(acquirer) : schema;

/**
 * The most bytes of a body. In memory, JSON can take a hundred times the size of its text. The largest valid create has
 * about 152,000 bytes in UTF-8.
 */
export const MAX_BODY_BYTES = 262_144;

/**
 * Limits the size of a body before it is parsed, also for operations without one. Base64 counts as what it encodes.
 *
 * @throws Problem `body_too_large`.
 */
export const limitedBody = (): Middleware => ({
  before: function limitedBody({ event: { body, isBase64Encoded } }) {
    // For base64, this is computed from the length of the text.
    if (Buffer.byteLength(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8') > MAX_BODY_BYTES)
      throw new Problem(
        'body_too_large',
        'The request body has more than 262,144 bytes. Leave out unknown fields, or send fewer terminals per request.',
      );
  },
});

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A key `__proto__`, in any spelling. It is searched in the text, because a reviver of JSON.parse, with which libraries
 * reject it, takes 150 MB for a hostile body. No backslash precedes the quote that begins a key.
 */
const PROTO =
  /(?<!\\)"(?:_|\\u005[Ff]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[Ff])(?:t|\\u0074)(?:o|\\u006[Ff])(?:_|\\u005[Ff]){2}"\s*:/;

/**
 * Parses the body as JSON, whatever its content type. An absent or empty body is `{}`.
 *
 * @throws Problem `malformed_json`.
 */
function parse(event: Incoming): void {
  if (!event.body) {
    event.body = {};
    return;
  }
  try {
    const sent = String(event.body);
    const text = event.isBase64Encoded ? utf8.decode(Buffer.from(sent, 'base64')) : sent;
    if (PROTO.test(text)) throw new SyntaxError('A key is __proto__');
    event.body = JSON.parse(text);
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
export const validBody = (schema: RequestSchema): Middleware => ({
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
