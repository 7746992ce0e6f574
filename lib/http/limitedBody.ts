import { Problem } from '../base/problem.ts';
import type { Middleware } from './middleware.ts';

/** In memory, JSON can take a hundred times the size of its text. The largest valid create has about 152,000 bytes. */
export const MAX_BODY_BYTES = 262_144;

/**
 * Limits the bytes of a body before it is parsed, also for operations without one.
 *
 * @throws Problem `body_too_large`.
 */
export const limitedBody = (): Middleware => ({
  before: function limitedBody({ event: { body, isBase64Encoded } }) {
    // For base64, this is computed from the length of the text.
    if (Buffer.byteLength(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8') > MAX_BODY_BYTES)
      throw new Problem(
        'body_too_large',
        'The request body has more than 262,144 bytes. Leave out unknown fields, or send fewer terminals per request.',
      );
  },
});
