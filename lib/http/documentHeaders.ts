/**
 * The security headers of an HTML document. It can be in no frame and is not stored: it loads only what `sources`
 * allow.
 *
 * @param sources Directives of the Content-Security-Policy (https://www.w3.org/TR/CSP3/), such as `img-src 'self'`.
 * @param options Where it may send forms, and which origins may use the camera.
 */
export const documentHeaders = (
  sources: string[],
  { formAction = "'none'", camera = '()' }: { formAction?: string; camera?: '()' | '(self)' } = {},
) => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    ...sources,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': `camera=${camera}, geolocation=(), microphone=(), payment=(), publickey-credentials-get=()`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});
