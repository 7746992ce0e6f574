import { logicalId } from './definitions.ts';

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

/** The form of an accepted origin. `URL` checks that its host is valid, and written as browsers send it. */
const ORIGIN = /^(https:\/\/[^*]+|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?)$/;

/**
 * Checks that a value is an origin with https, or with http on this machine. Returns the text of an error if it is not.
 *
 * @param name What the error calls the value, such as `--site`.
 */
export function originError(name: string, value: string): string | undefined {
  if (ORIGIN.test(value) && URL.parse(value)?.origin === value) return undefined;
  return `${name} must be an origin such as https://docs.example.com, without a path or a slash at the end, not "${value}". Only localhost and 127.0.0.1 may use http.`;
}

/**
 * The part of the template that lets the pages of a docs site on another origin send requests (CORS); empty without an
 * origin.
 *
 * API Gateway responds to preflights, and adds CORS headers to the functions' responses. By the same documentation, the
 * route `$default` receives OPTIONS requests, so `unknownRoute` gets the origin and responds to preflights as well
 * (docs/decisions/0022-the-gateway-on-a-laptop.md).
 *
 * @throws Error for a value that is not an origin.
 */
export function cors(siteOrigin: string) {
  if (!siteOrigin) return {};
  const error = originError('The parameter siteOrigin', siteOrigin);
  if (error) throw new Error(error);
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
