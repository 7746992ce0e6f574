import type { OutgoingHttpHeaders } from 'node:http';

/*
 * serverless-offline differs from an HTTP API in some requests. Here they are changed on their way to it, so that a partner meets the
 * same locally as when deployed. Remaining differences: docs/decisions/0022-the-gateway-on-a-laptop.md.
 */

/** A type that serverless-offline leaves as it is; it would parse JSON, and make the body `null` an absent one. */
const UNPARSED = 'text/plain';

/** Whether a body of this type is parsed: it takes an absent type for JSON. */
const isParsed = (type: string): boolean => /^(application\/(vnd\.api\+)?json\s*(;|$)|$)/i.test(type.trim());

/**
 * A path that serverless-offline routes as an HTTP API routes the one given: HEAD is not GET, and a slash at the end names
 * another path. Both lead to the route `$default`.
 */
export function routed(method: string, url: string): string {
  const [path = '', ...query] = url.split('?');
  if (method === 'HEAD') return `/-${url}`;
  return path.length > 1 && path.endsWith('/') ? [`${path}/`, ...query].join('?') : url;
}

/**
 * Headers as an HTTP API hands them on (payload 2.0): repeated ones are one, joined by commas
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
export function joined(headers: OutgoingHttpHeaders | NodeJS.Dict<string | string[]>): OutgoingHttpHeaders {
  const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(',')]));
  return { ...single, ...(isParsed(single['content-type'] ?? '') && { 'content-type': UNPARSED }) };
}
