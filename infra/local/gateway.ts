import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { CORS } from '../template/cors.ts';

/*
 * serverless-offline handles some requests differently from an HTTP API, and has other limits. These functions change
 * such requests on the way or refuse them, so they get the same response as when deployed. Remaining differences:
 * docs/decisions/0022-the-gateway-on-a-laptop.md.
 */

type Headers = NodeJS.Dict<OutgoingHttpHeader>;

/** A content type that serverless-offline does not parse. It parses JSON, and would turn the body `null` into none. */
const UNPARSED = 'text/plain';

/** Whether serverless-offline parses a body of this type. It treats an absent type as JSON. */
const isParsed = (type: string): boolean => /^(application\/(vnd\.api\+)?json\s*(;|$)|$)/i.test(type.trim());

/**
 * Rewrites a path so serverless-offline routes it as an HTTP API does: HEAD is not GET, and a trailing slash makes a
 * different path. Both lead to the route `$default`.
 */
export function routed(method: string, url: string): string {
  const [path = '', ...query] = url.split('?');
  if (method === 'HEAD') return `/-${url}`;
  return path.length > 1 && path.endsWith('/') ? [`${path}/`, ...query].join('?') : url;
}

/**
 * Joins repeated headers by commas, as an HTTP API passes them to a function (payload 2.0)
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
function joined({ cookie, ...headers }: Headers): OutgoingHttpHeaders {
  const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(',')]));
  return {
    ...single,
    ...(isParsed(single['content-type'] ?? '') && { 'content-type': UNPARSED }),
    ...(cookie !== undefined && cookieHeader([cookie].flat().join(';'))),
  };
}

/** A cookie that serverless-offline passes to a function as it is. It refuses requests with any other (RFC 6265). */
const COOKIE = /^(?!__proto__=)[^\0-\x20()<>@,;:\\"/[\]?={}\x7f]+=[^\0-\x20",;\\\x7f]*$/;

/**
 * The header `cookie`, which serverless-offline splits into the event's `cookies`. Pages on other ports of this machine set
 * cookies that browsers send here too. Those that serverless-offline would refuse are left out.
 */
function cookieHeader(cookies: string): OutgoingHttpHeaders {
  const valid = cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => COOKIE.test(cookie));
  return valid.length > 0 ? { cookie: valid.join('; ') } : {};
}

/**
 * Changes the headers of a request. For the preflight of a browser (CORS), serverless-offline would respond itself, but
 * an HTTP API without CORS passes it to the route `$default`.
 */
export function requested(method: string, headers: Headers): OutgoingHttpHeaders {
  const { origin: _, ...others } = headers;
  return joined(method === 'OPTIONS' ? others : headers);
}

/** Removes what serverless-offline adds to the headers of a response for a browser (CORS). */
export const responded = (headers: Headers): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('access-control-')));

type Asked = Pick<IncomingMessage, 'method' | 'headers'>;

/** Whether this is a preflight: a browser asks if a page of another origin may send a request (CORS). */
export const isPreflight = ({ method, headers }: Asked): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/**
 * The headers of the response to a preflight, as an HTTP API with CORS sends them. None if the preflight is not of the docs
 * site, or asks for a method or header that is not allowed.
 */
export function preflightHeaders({ headers }: Asked, siteOrigin: string): OutgoingHttpHeaders {
  const { methods, requestHeaders, maxAgeSeconds } = CORS;
  const asked = (headers['access-control-request-headers'] ?? '').split(',').map((name) => name.trim().toLowerCase());
  const isAllowed =
    headers.origin === siteOrigin &&
    methods.includes(headers['access-control-request-method'] ?? '') &&
    asked.every((name) => name === '' || requestHeaders.includes(name));
  if (!isAllowed) return {};
  return {
    'access-control-allow-origin': siteOrigin,
    'access-control-allow-methods': methods.join(','),
    'access-control-allow-headers': requestHeaders.join(','),
    'access-control-max-age': String(maxAgeSeconds),
  };
}

/** The headers that an HTTP API with CORS adds to a function's response, so that pages of the docs site may read it. */
export const readableHeaders = ({ method, headers }: Asked, siteOrigin: string | undefined): OutgoingHttpHeaders =>
  siteOrigin !== undefined && headers.origin === siteOrigin && method !== 'OPTIONS'
    ? {
        'access-control-allow-origin': siteOrigin,
        'access-control-expose-headers': CORS.responseHeaders.join(','),
      }
    : {};

/** A response of the gateway itself, instead of a function's. */
export interface Refusal {
  status: number;
  message: string;
}

export const MALFORMED: Refusal = { status: 400, message: 'Bad Request' };
export const HEAD_TOO_LARGE: Refusal = { status: 431, message: 'Request Header Fields Too Large' };
export const REQUEST_TOO_LARGE: Refusal = { status: 413, message: 'Request Entity Too Large' };
export const RESPONSE_TOO_LARGE: Refusal = { status: 500, message: 'Internal Server Error' };

/**
 * The most bytes of request line and header values, and of a body
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
 */
const MOST_IN_HEAD = 10_240;
export const MOST_IN_BODY = 10 * 2 ** 20;

/**
 * The most bytes of the event of a function, and of its result
 * (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
 */
export const MOST_IN_PAYLOAD = 6 * 2 ** 20;

type Head = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>;

/** Whether request line and header values are too large together. */
export function isHeadTooLarge({ method, url, httpVersion, rawHeaders }: Head): boolean {
  // Names and values alternate.
  const values = rawHeaders.filter((_, at) => at % 2 === 1);
  return Buffer.byteLength([`${method} ${url} HTTP/${httpVersion}`, ...values].join(''), 'latin1') > MOST_IN_HEAD;
}

/** Content types whose bodies an HTTP API passes on as text. Others are encoded in base64. */
const TEXT = /^(text\/|application\/([\w.+-]+\+)?(json|javascript|xml)\b)/i;

const isPayloadTooLarge = (payload: object): boolean => Buffer.byteLength(JSON.stringify(payload)) > MOST_IN_PAYLOAD;

/** Whether the event of a request is too large. Its context, about 1 KB, is not counted. */
export const isEventTooLarge = ({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>, body: Buffer): boolean =>
  isPayloadTooLarge({
    url,
    headers,
    body: body.toString(TEXT.test(headers['content-type'] ?? '') ? 'utf8' : 'base64'),
  });

/** Whether the result of a function is too large, with this response as JSON text in it. */
export const isResultTooLarge = (
  { statusCode, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
  body: Buffer,
): boolean => isPayloadTooLarge({ statusCode, headers, body: body.toString() });
