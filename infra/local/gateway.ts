import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';

/*
 * serverless-offline handles some requests differently from an HTTP API. These functions change such requests on the way,
 * so they get the same response as when deployed. Remaining differences:
 * docs/decisions/0022-the-gateway-on-a-laptop.md.
 */

type Headers = NodeJS.Dict<OutgoingHttpHeader>;

/** Headers of a single connection. `transfer-encoding` is not among them: bodies are forwarded in the same form. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

const endToEnd = (headers: Headers) => Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name));

/** The types of the bodies that serverless-offline parses. It would turn `null` into no body. An absent type is JSON to it. */
const PARSED = /^\s*(application\/(vnd\.api\+)?json\s*(;|$)|$)/i;

/** A cookie that serverless-offline passes to a function as it is. It refuses requests with any other (RFC 6265). */
const COOKIE = /^(?!__proto__=)[^\0-\x20()<>@,;:\\"/[\]?={}\x7f]+=[^\0-\x20",;\\\x7f]*$/;

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
 * Changes the headers of a request. Joins repeated ones by commas, as an HTTP API passes them to a function (payload 2.0)
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html). Pages on other
 * ports of this machine set cookies that browsers send here too, so those that serverless-offline would refuse are left
 * out. It would respond to a browser's preflight (CORS) itself, but an HTTP API without CORS passes it to `$default`.
 */
export function requested(method: string, { cookie = [], ...headers }: Headers): OutgoingHttpHeaders {
  if (method === 'OPTIONS') delete headers['origin'];
  const single = Object.fromEntries(endToEnd(headers).map(([name, value]) => [name, [value].flat().join(',')]));
  const cookies = [cookie].flat().join(';').split(';');
  const valid = cookies.map((each) => each.trim()).filter((each) => COOKIE.test(each));
  return {
    ...single,
    ...(PARSED.test(single['content-type'] ?? '') && { 'content-type': 'text/plain' }),
    ...(valid.length > 0 && { cookie: valid.join('; ') }),
  };
}

/** Removes what serverless-offline adds to the headers of a response for a browser (CORS). */
export const responded = (headers: Headers): OutgoingHttpHeaders =>
  Object.fromEntries(endToEnd(headers).filter(([name]) => !name.startsWith('access-control-')));
