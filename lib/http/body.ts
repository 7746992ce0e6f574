import type { Request } from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import * as v from 'valibot';
import type { Acquirer } from '../acquirer.ts';
import { Problem, validationFailed } from '../problem.ts';
import { faultsOf } from './faults.ts';
import type { Middleware } from './middleware.ts';

/** A schema, or one that depends on who calls. */
export type BodySchema = v.GenericSchema | ((acquirer: Acquirer) => v.GenericSchema);

/** The interface has one format, so a body is read as JSON whatever its content type says. */
const parser = jsonBodyParser({ disableContentTypeCheck: true });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses the body (interface §4: "Request bodies are JSON"). */
export const jsonBody = (): Middleware => ({
  before: function jsonBody(request) {
    // Absent is `null` in some gateways; the parser would take that for the JSON text `null`.
    request.event.body ??= undefined;
    const { event } = request;
    try {
      if (event.isBase64Encoded && typeof event.body === 'string') {
        // The parser would put � where bytes are no UTF-8, and that would be stored.
        event.body = utf8.decode(Buffer.from(event.body, 'base64'));
        event.isBase64Encoded = false;
      }
      parser.before?.(request as unknown as Request<never, never>);
    } catch {
      // What the parser throws quotes the body, which may hold card identifiers.
      throw new Problem(
        'malformed_json',
        'Send a JSON object (RFC 8259) as the request body, without a key __proto__.',
      );
    }
  },
});

/** Lets a body through as its schema makes it, or refuses it with all its faults. */
export const validBody = (schema: BodySchema): Middleware => ({
  before: function validBody({ event }) {
    const result = v.safeParse(typeof schema === 'function' ? schema(event.acquirer as Acquirer) : schema, event.body);
    if (!result.success) throw validationFailed(faultsOf(result.issues));
    event.body = result.output;
  },
});
