import httpJsonBodyParser from '@middy/http-json-body-parser';
import { Problem } from '../base/problem.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { isShown } from './warnings.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-16: a byte order mark, which a gateway replaces, or a zero byte beside an ASCII character. */
const UTF_16 = /^(?:\xff\xfe|\xfe\xff|\ufffd{0,2}.?\0)/s;

const IN_UTF_16 = 'The body is in UTF-16.';
const NOT_IN_UTF_8 = 'The body is not in UTF-8.';

/** What a body is that is no JSON, by its text with empty strings. The first that applies counts. */
const WRONG: [RegExp, string][] = [
  [/^\s*$/, 'The body is only white space.'],
  [UTF_16, IN_UTF_16],
  // A gateway puts it in place of bytes that are not UTF-8.
  [/\ufffd/, NOT_IN_UTF_8],
  [/^\s*(?:[\w.%+[\]-]+=|--)/, 'The body is a form.'],
  [/^\s*</, 'The body is XML or HTML.'],
  [/\b(?:NaN|Infinity|undefined|None|True|False)\b/, 'JSON has no %, but numbers, true, false and null.'],
  [/'/, 'JSON has double quotation marks around keys and texts.'],
  [/\/[/*]/, 'JSON has no comments.'],
  [/,\s*[}\]]/, 'A comma is before a closing bracket.'],
];

/** Strings, also one that does not end. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*("?)/gs;

/** Says what is wrong with a body, without a word of its values, which may be card identifiers. */
function wrongIn(text: string): string {
  const bare = text.replace(STRINGS, '"$1');
  for (const [pattern, wrong] of WRONG) {
    const [found] = pattern.exec(bare) ?? [];
    if (found !== undefined) return wrong.replace('%', found);
  }
  const count = (characters: RegExp) => bare.match(characters)?.length ?? 0;
  if (count(/"/g) % 2 > 0 || count(/[[{]/g) > count(/[\]}]/g))
    return 'The body ends within a text, object or list, as if it was cut off.';
  const hasControls = (text.match(STRINGS) ?? []).some((string) => /\p{Cc}/u.test(string));
  return hasControls ? 'JSON has line breaks in texts as \\n, and tabs as \\t.' : 'The body is not JSON.';
}

const malformed = (wrong: string): Problem =>
  new Problem('malformed_json', `${wrong} Send a JSON object (RFC 8259) in UTF-8 as the request body.`);

/** The body as text; `{}` if it is absent or empty. A byte order mark is skipped. */
function textOf({ body, isBase64Encoded }: Incoming): string {
  const sent = String(body ?? '');
  const bytes = Buffer.from(isBase64Encoded ? sent : '', 'base64');
  try {
    return (isBase64Encoded ? utf8.decode(bytes) : sent).replace(/^\ufeff/, '') || '{}';
  } catch {
    throw malformed(UTF_16.test(bytes.toString('latin1')) ? IN_UTF_16 : NOT_IN_UTF_8);
  }
}

/** What to change, by the key that the parser refuses. */
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
    const json = textOf(request.event);
    try {
      Object.assign(request.event, { body: json, isBase64Encoded: false });
      parse?.(request as never);
    } catch (error) {
      // Without a cause: the parser's error quotes the body.
      const { data, message } = (error as { cause: { data: unknown; message?: string } }).cause;
      if (message === undefined) throw new Problem('malformed_json', FORBIDDEN[String(data)] as string);
      throw malformed(/call stack/.test(message) ? 'The body is nested more than 1,000 levels deep.' : wrongIn(json));
    }
    const key = repeatedKey(json);
    if (key === undefined) return;
    const named = isShown(key) ? `the key ${key}` : 'a key, whose name is not shown,';
    throw new Problem('malformed_json', `An object of the body has ${named} more than once. Send each key once.`);
  },
});
