import { createHash, createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { inRequest } from '../aws/requestContext.ts';
import { CATALOGUE, type Problem } from '../base/problem.ts';
import { takeTokens } from '../limits/rateLimiter.ts';
import { addressKey } from '../people/seal.ts';
import { mayBeCompleted } from '../people/signInFailure.ts';
import { documentHeaders } from './documentHeaders.ts';
import { errorMapper } from './errorMapper.ts';
import { log } from './log.ts';
import { EARLY, type Incoming, type Middleware, type Response } from './middleware.ts';
import { rateLimited } from './rateLimit.ts';
import { requestId } from './requestId.ts';
import { urlOf } from './response.ts';

/** What the handler of a page returns: where the browser goes next, and cookies to set. */
interface Redirect {
  location: string;
  cookies: string[];
}

/** Or a page that asks something. */
interface Question {
  title: string;
  texts: string[];
  /** Its form, with two buttons: the second sends `answer=no`. */
  form: { path: string; yes: string; no: string };
  cookies: string[];
}

/** Requests of one address: 20 in 20 seconds. */
export const PER_ADDRESS = { rate: 1, burst: 20 };

/**
 * Looks like the pages of the console that ask to sign in (functions/console/app/shell/SessionGate.tsx). In contrast
 * themes, which draw no backgrounds, a transparent border is what shows a button.
 */
const STYLE = `:root{color-scheme:light dark}
body{margin:0;min-height:100dvh;display:grid;place-items:center;font:1rem/1.5 Inter,system-ui,sans-serif;color:#1c2024;background:#fff}
main{box-sizing:border-box;width:100%;max-width:29.25rem;padding:1.5rem}
svg{display:block}
h1{margin:1rem 0;font-size:1.625rem;font-weight:600;line-height:1.25;overflow-wrap:anywhere}
p{margin:1rem 0;color:#545b64;overflow-wrap:anywhere}
form,.next{margin:1.5rem 0 0}
a,button{display:inline-block;margin:0 .5rem .5rem 0;padding:.625rem 1.25rem;border:1px solid transparent;border-radius:.375rem;font:inherit;font-weight:600;color:#fff;background:#1f5fbf;text-decoration:none;cursor:pointer}
button+button{color:#1c2024;background:none;border-color:#ced4da}
a:focus-visible,button:focus-visible{outline:3px solid #1f5fbf;outline-offset:3px}
small{display:block;margin-top:2rem;font-size:.8125rem;color:#545b64;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181d}
p,small{color:#a7adb6}
a,button{background:#2f71d0}
button+button{color:#e6e8eb;border-color:#3a3f47}
a:focus-visible,button:focus-visible{outline-color:#8fbcff}}`;

/** The icon of the console (functions/console/app/shell/favicon.svg), in the page: it may load nothing. */
const ICON =
  '<svg width="40" height="40" viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="3" fill="#1f5fbf"/>' +
  '<path d="M4 5h8v2H4zm0 4h5v2H4z" fill="#fff"/></svg>';

/** The page has no script, and loads nothing. Its one style is allowed by its hash. */
const STYLE_SOURCE = `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
const HEADERS = documentHeaders([STYLE_SOURCE]);
const ASKING = documentHeaders([STYLE_SOURCE], { formAction: "'self'" });

const HTML = 'text/html; charset=utf-8';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const pageOf = (title: string, texts: string[], more: string, head = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>${head}
</head>
<body>
<main>
${ICON}
<h1>${escaped(title)}</h1>
${texts.map((text) => `<p>${escaped(text)}</p>`).join('\n')}
${more}
</main>
</body>
</html>
`;

/**
 * With what another site led to, a browser does not send the session's cookie (SameSite=Strict). So a sign-in that may
 * have been completed is tried again from this page, which leads into the console if there is a session.
 */
const retryOf = (problem: Problem, { headers }: Incoming): string =>
  mayBeCompleted(problem) && headers['sec-fetch-site'] === 'cross-site'
    ? `\n<meta http-equiv="refresh" content="0;url=${escaped(urlOf('/console/callback'))}">`
    : '';

const errorPage = (problem: Problem, event: Incoming, awsRequestId: string): string =>
  pageOf(
    CATALOGUE[problem.code][1],
    [problem.message],
    `<p class="next"><a href="${escaped(urlOf('/console/sign-in'))}">Sign in again</a></p>
<small>If you need help, send us this request ID: ${escaped(awsRequestId)}</small>`,
    retryOf(problem, event),
  );

const questionPage = ({ title, texts, form: { path, yes, no } }: Question): string =>
  pageOf(
    title,
    texts,
    `<form method="post" action="${escaped(urlOf(path))}">
<button>${escaped(yes)}</button> <button name="answer" value="no">${escaped(no)}</button></form>`,
  );

/** A redirect or question becomes a response, and the problem of `errorMapper` a page. */
const pages = (cookiesOnError: (event: Incoming) => string[]): Middleware => ({
  after: function pages(request) {
    const result = request.response as unknown as Redirect | Question;
    const { cookies } = result;
    request.response =
      'location' in result
        ? { statusCode: 303, headers: { ...HEADERS, location: result.location }, cookies, body: '' }
        : { statusCode: 200, headers: { ...ASKING, 'content-type': HTML }, cookies, body: questionPage(result) };
  },
  onError: function pages(request) {
    const { statusCode, headers } = request.response as Response;
    request.response = {
      statusCode,
      headers: { ...headers, ...HEADERS, 'content-type': HTML },
      cookies: cookiesOnError(request.event),
      body: errorPage(request.error as Problem, request.event, request.context.awsRequestId),
    } as Response;
  },
});

/** The part of an address that one customer has: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  // A URL has it in hexadecimal groups without leading zeros, and at most one `::`.
  const [left = [], right = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right].slice(0, 4).join(':');
}

/**
 * Limits the requests of an address, by its keyed hash.
 *
 * @throws Problem `rate_limited`.
 */
const addressLimit = (): Middleware => ({
  before: async function addressLimit({ event }) {
    const network = networkOf(event.requestContext.http.sourceIp);
    const id = createHmac('sha256', await addressKey())
      .update(network)
      .digest('base64url')
      .slice(0, 22);
    const allowance = await takeTokens({ id, limit: PER_ADDRESS }, 'sign-ins');
    if (allowance?.isAccepted === false)
      throw rateLimited(
        allowance,
        'There were too many sign-ins from your network. Wait a minute, then sign in again.',
      );
  },
});

/**
 * Wraps the handler of a page that a browser opens, and that sends it on. Its middleware is that of `endpoint`, without
 * authentication, and with a limit per address. Every error becomes a page that says what to do.
 *
 * @param cookiesOnError Cookies that such a page sets.
 */
export const webPage = (
  handler: (event: Incoming) => Promise<Redirect | Question>,
  { cookiesOnError = () => [] }: { cookiesOnError?: (event: Incoming) => string[] } = {},
) => {
  const chain = middy(EARLY)
    .use(log())
    .use(requestId())
    .use(pages(cookiesOnError))
    .use(errorMapper())
    .use(addressLimit())
    .handler(handler as never);
  return (event: APIGatewayProxyEventV2, context: Context) => inRequest(() => chain(event as never, context));
};
