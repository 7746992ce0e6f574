import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { CORS } from '../stack/template/cors.ts';

/*
 * serverless-offline handles some requests differently from an HTTP API. These functions change such requests on the way,
 * so they get the same response as when deployed. Remaining differences:
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
