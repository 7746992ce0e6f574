import httpJsonBodyParser from '@middy/http-json-body-parser';
import { Problem } from '../base/problem.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { isShown } from './warnings.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * What JSON.parse says without quoting the body, whose values may be card identifiers: what it expected and where, or
 * the character that it did not.
 */
const SAID = /^(?:[^"]* JSON at position \d+|Unexpected end of JSON input|Unexpected token '.')/su;

const malformed = (wrong: string): Problem =>
  new Problem('malformed_json', `${wrong}. Send a JSON object (RFC 8259) in UTF-8 as the request body.`);

type Sent = Pick<Incoming, 'headers' | 'body' | 'isBase64Encoded'>;

/**
 * Whether a body that is not JSON is compressed: as its header says or, if it is gzip (RFC 1952), by its first byte.
 */
const isCompressed = ({ headers, body, isBase64Encoded }: Sent): boolean =>
  /^(?!identity$)./i.test(headers['content-encoding'] ?? '') ||
  Buffer.from(String(body), isBase64Encoded ? 'base64' : 'utf8')[0] === 0x1f;

const notJson = (sent: Sent, wrong: string): Problem =>
  malformed(
    isCompressed(sent) ? 'The body is compressed. Send it without compression and without Content-Encoding' : wrong,
  );

/** The body as text; `{}` if it is absent or empty. A byte order mark is skipped. */
function textOf(event: Incoming): string {
  const { body, isBase64Encoded } = event;
  const sent = String(body ?? '');
  try {
    return (isBase64Encoded ? utf8.decode(Buffer.from(sent, 'base64')) : sent).replace(/^\ufeff/, '') || '{}';
  } catch {
    throw notJson(event, 'The body is not in UTF-8');
  }
}

const FORBIDDEN: Record<string, string> = {
  ['__proto__']: 'Leave out the key __proto__.',
  ['constructor']: 'Leave out the key prototype, or the key constructor that holds it.',
};

/** The strings and brackets of a JSON text. A string with a colon after it is a key. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/gs;

/** A key that an object has twice, of which the parser would drop the first. */
function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of json.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (string && colon) {
      const key: string = JSON.parse(string);
      if (open.at(-1)?.has(key)) return key;
      open.at(-1)?.add(key);
    }
  }
  return undefined;
}

const { before: parse } = httpJsonBodyParser({ disableContentTypeCheck: true });

/**
 * Parses the body as JSON, whatever its content type. An absent or empty body is `{}`.
 *
 * @throws Problem `malformed_json`, also for a key that could pollute a prototype, or that an object has twice.
 */
export const jsonBody = (): Middleware => ({
  before: function jsonBody(request) {
    const sent = { ...request.event };
    const json = textOf(request.event);
    try {
      Object.assign(request.event, { body: json, isBase64Encoded: false });
      parse?.(request as never);
    } catch (error) {
      // Without a cause: the parser's error quotes the body.
      const { data, message } = (error as { cause: { data: unknown; message?: string } }).cause;
      if (message === undefined) throw new Problem('malformed_json', FORBIDDEN[String(data)] as string);
      throw notJson(
        sent,
        /call stack/.test(message)
          ? 'The body is nested more than 1,000 levels deep'
          : (SAID.exec(message)?.[0] ?? 'The body is not JSON'),
      );
    }
    const key = repeatedKey(json);
    if (key === undefined) return;
    const named = isShown(key) ? `the key ${key}` : 'a key, whose name is not shown,';
    throw new Problem('malformed_json', `An object of the body has ${named} more than once. Send each key once.`);
  },
});
