import httpJsonBodyParser from '@middy/http-json-body-parser';
import { Problem } from '../base/problem.ts';
import type { Incoming, Middleware } from './middleware.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body as text; `{}` if it is absent or empty. Throws a TypeError for bytes that are not UTF-8. */
function textOf({ body, isBase64Encoded }: Incoming): string {
  const sent = String(body ?? '') || '{}';
  return isBase64Encoded && body ? utf8.decode(Buffer.from(sent, 'base64')) : sent;
}

/** The library's errors, and the one of {@link textOf}. `cause` may quote the body. */
interface ParserError {
  cause?: { data?: unknown; message?: string };
}

/** What to change, by the key that the parser refuses. */
const FORBIDDEN: Record<string, string> = {
  ['__proto__']: 'Leave out the key __proto__.',
  ['constructor']: 'Leave out the key prototype, or the key constructor that holds it.',
};

/** Without a cause: the parser's error quotes the body, which may contain card identifiers. */
const malformed = ({ cause: { data, message } = {} }: ParserError): Problem =>
  new Problem(
    'malformed_json',
    (message === undefined && FORBIDDEN[String(data)]) ||
      'Send a JSON object (RFC 8259) in UTF-8 as the request body, nested at most 1,000 levels deep.',
  );

const { before: parse } = httpJsonBodyParser({ disableContentTypeCheck: true });

/**
 * Parses the body as JSON, whatever its content type. An absent or empty body is `{}`.
 *
 * @throws Problem `malformed_json`, also for a key that could pollute a prototype.
 */
export const jsonBody = (): Middleware => ({
  before: function jsonBody(request) {
    try {
      Object.assign(request.event, { body: textOf(request.event), isBase64Encoded: false });
      parse?.(request as never);
    } catch (error) {
      throw malformed(error as ParserError);
    }
  },
});
