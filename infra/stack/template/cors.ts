import { logicalId } from './definitions.ts';
import type { Parameters } from './parameters.ts';

/**
 * The methods and headers that the pages of a docs site on another origin may send, and the response headers that they may
 * read. They are the contract's; browsers allow other headers, such as `content-type` of a response, to every page.
 */
export const CORS = {
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  requestHeaders: ['api-key', 'content-type', 'idempotency-key', 'if-match'],
  responseHeaders: [
    'etag',
    'idempotent-replayed',
    'location',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
    'x-request-id',
  ],
  /** How long a browser may reuse the response to a preflight. */
  maxAgeSeconds: 3600,
};

/**
 * The part of the template that lets the pages of a docs site on another origin send requests (CORS); empty without an
 * origin.
 *
 * API Gateway responds to preflights, and adds CORS headers to the functions' responses. By the same documentation, the
 * route `$default` receives OPTIONS requests, so `unknownRoute` gets the origin and responds to preflights as well
 * (docs/decisions/0022-the-gateway-on-a-laptop.md).
 */
export function cors({ siteOrigin }: Parameters) {
  if (!siteOrigin) return {};
  return {
    extensions: {
      HttpApi: {
        Properties: {
          CorsConfiguration: {
            AllowOrigins: [siteOrigin],
            AllowMethods: CORS.methods,
            AllowHeaders: CORS.requestHeaders,
            ExposeHeaders: CORS.responseHeaders,
            MaxAge: CORS.maxAgeSeconds,
          },
        },
      },
    },
    Resources: {
      [logicalId('unknownRoute', 'LambdaFunction')]: {
        Type: 'AWS::Lambda::Function',
        Properties: { Environment: { Variables: { SITE_ORIGIN: siteOrigin } } },
      },
    },
  };
}
