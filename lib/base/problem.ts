/** Code, HTTP status and title of all problems. One code per cause; a code is never renamed or reused. */
export const CATALOGUE = {
  invalid_api_key: [401, 'Missing or invalid API key'],
  insufficient_permission: [403, 'Insufficient permission'],
  rate_limited: [429, 'Rate limit exceeded'],
  invalid_query: [400, 'Invalid query parameter'],
  cursor_expired: [400, 'Cursor expired'],
  invalid_idempotency_key: [400, 'Invalid Idempotency-Key'],
  body_too_large: [400, 'Body too large'],
  malformed_json: [400, 'Malformed JSON'],
  validation_failed: [422, 'Validation failed'],
  idempotency_key_reused: [422, 'Idempotency-Key reused'],
  not_found: [404, 'Not found'],
  precondition_failed: [412, 'Precondition failed'],
  not_under_requesting_psp: [400, 'Not under the requesting PSP'],
  partnership_ended: [400, 'Partnership ended'],
  already_archived: [400, 'Already archived'],
  not_archived: [400, 'Not archived'],
  branch_archived: [400, 'Branch archived'],
  already_under_target_mid: [400, 'Already under the target MID'],
  too_many_terminals: [400, 'Too many terminals'],
  too_many_webhooks: [400, 'Too many webhooks'],
  server_error: [400, 'Server error'],
  // Of people: partners' operations return none of these to an API key.
  invalid_session: [401, 'Missing or invalid session'],
  ambiguous_credentials: [400, 'Ambiguous credentials'],
  sign_in_again: [403, 'Sign in again'],
  sign_in_expired: [400, 'Sign-in expired'],
  sign_in_failed: [400, 'Sign-in failed'],
  sign_in_refused: [403, 'Sign-in refused'],
  issuer_unavailable: [400, 'Sign-in unavailable'],
  not_invited: [403, 'Not invited'],
  invitation_invalid: [400, 'Invitation invalid'],
  email_not_verified: [403, 'Address not verified'],
  email_differs: [403, 'Address differs'],
  last_admin: [400, 'Last admin'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof CATALOGUE;
export const PROBLEM_CODES = Object.keys(CATALOGUE) as ProblemCode[];

/** One error in a request body. `pointer` is a JSON Pointer (RFC 6901) into the body. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

/**
 * An error response (RFC 9457). `detail` is public: it says what to change, and never contains an API key, a card
 * identifier or internals.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  /** Seconds to wait before a retry; set only if a retry can succeed. */
  readonly retryAfter: number | undefined;
  /** The current ETag of what the request would have changed. */
  readonly etag: string | undefined;
  /** What a serial number led to that nothing has any more. */
  readonly released: object | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    more: Partial<Pick<Problem, 'errors' | 'retryAfter' | 'etag' | 'released'>> & { cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = 'Problem';
    this.code = code;
    this.errors = more.errors;
    this.retryAfter = more.retryAfter;
    this.etag = more.etag;
    this.released = more.released;
  }

  get status(): number {
    return CATALOGUE[this.code][0];
  }

  /**
   * The problem details (RFC 9457 §3.1), with the extensions `code`, `request_id`, `errors` and `released`.
   *
   * @param typeBase URL that the code is appended to for `type`.
   */
  toDocument(requestId: string, typeBase: string) {
    return {
      type: `${typeBase}/${this.code}`,
      title: CATALOGUE[this.code][1],
      status: this.status,
      detail: this.message,
      code: this.code,
      request_id: requestId,
      ...(this.errors && { errors: this.errors }),
      ...(this.released && { released: this.released }),
    };
  }
}

/** A 422 with all field errors of a body. */
export function validationFailed(errors: FieldError[]): Problem {
  const count = errors.length === 1 ? '1 field error' : `${errors.length} field errors`;
  return new Problem('validation_failed', `The request body has ${count}; see errors.`, { errors });
}

/** A 422 with one error, of the body as a whole. */
export const bodyRefused = (code: string, detail: string): Problem => validationFailed([{ pointer: '', code, detail }]);
