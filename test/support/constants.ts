import { userInfo } from 'node:os';
import { expect } from '@jest/globals';

/** A point in time as returned and stored. */
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** A key of a browser, as returned and stored. */
export const BROWSER_KEY = expect.stringMatching(/^[\w-]{43}$/);
/** An event's id: a version-7 UUID. */
export const EVENT_ID = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
/** A stored event of the operator's record. Without `by`, this machine's user ran the operator's tool. */
export const recorded = (type: string, details: object, by = userInfo().username) => ({
  id: EVENT_ID,
  type,
  at: TIME,
  by,
  details,
  ttl: expect.any(Number),
});
/** A name-based UUID (version 5), such as a TID. */
export const NAME_UUID = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);

export const INVALID_KEY = 'Send a valid API key in the API-KEY header.';
export const malformed = (wrong: string) => `${wrong} Send a JSON object (RFC 8259) in UTF-8 as the request body.`;
export const INVALID_IDEMPOTENCY_KEY = 'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces.';
export const REUSED =
  'You used this Idempotency-Key for a different request within the last 24 hours. Use a new key for each request.';
export const SERVICE_BUSY = 'The service is temporarily unavailable. Retry later.';
export const SERVICE_FAILED = 'The request failed unexpectedly. If this persists, contact us with the request_id.';
export const NO_BRANCH = 'No branch with this MID exists or is accessible to you.';
export const NO_TERMINAL = 'No terminal with this TID exists or is accessible to you.';
export const NO_WEBHOOK = 'You have no webhook with this id.';
export const NO_REFUSED_REQUEST =
  'No refused request of yours has this request id. One appears within a second of its response, for 30 days.';
export const NOTHING_FOUND = 'Nothing with this identifier exists or is accessible to you.';
export const NO_PAYMENT_APP = 'Must be one of your payment apps; see lookup paymentApp.';
export const NO_MASTER_ACQUIRER = 'Must be one of your master acquirers; see lookup acquirers.';
export const FOREIGN_TERMINAL = 'The terminal with this TID is under a branch that is not accessible to you.';
export const BRANCH_ARCHIVED = 'The branch is archived. Restore it before you add terminals to it.';

export const NO_TEXT_CONTROLS =
  'Must not have control characters, unpaired surrogates, noncharacters such as U+FFFE, or U+FFFD.';
/** The field error of a body field that means `validate_only`. */
export const MISPLACED_CHECK =
  'A body has no such field. To check a request only, send the query parameter validate_only=true.';

/** The warning of a 2xx response about an unknown body field. */
export const unknownField = (pointer: string) => ({
  pointer,
  code: 'unknown_field',
  detail: 'Unknown field. It was ignored.',
});
/** The warning about an unknown query parameter. */
export const unknownParameter = (parameter: string) => ({
  parameter,
  code: 'unknown_parameter',
  detail: 'Unknown query parameter. It was ignored.',
});

export const PARTNERSHIP_ENDED =
  'Your partnership with the payment provider of this branch has ended, so you cannot change the branch or its ' +
  'terminals. You can still read them. Ask the payment provider to renew the partnership.';
