import type { OutgoingHttpHeaders } from 'node:http';

/*
 * serverless-offline handles some requests differently from an HTTP API. These functions change such requests on the
 * way, so they get the same response as when deployed. Remaining differences:
 * docs/decisions/0022-the-gateway-on-a-laptop.md.
 */

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
export function joined(headers: OutgoingHttpHeaders | NodeJS.Dict<string | string[]>): OutgoingHttpHeaders {
  const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(',')]));
  return { ...single, ...(isParsed(single['content-type'] ?? '') && { 'content-type': UNPARSED }) };
}
