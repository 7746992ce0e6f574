/**
 * Every refusal that the interface knows: its stable code, the status that interface §7 gives it, its title.
 * One code per cause; a code is never renamed or reused.
 */
export const CATALOGUE = {
  invalid_api_key: [401, 'Missing or invalid API key'],
  rate_limited: [429, 'Rate limit exceeded'],
  invalid_query: [400, 'Invalid query parameter'],
  cursor_expired: [400, 'Cursor expired'],
  invalid_idempotency_key: [400, 'Invalid Idempotency-Key'],
  malformed_json: [400, 'Malformed JSON'],
  validation_failed: [422, 'Validation failed'],
  idempotency_key_reused: [422, 'Idempotency-Key reused'],
  not_found: [404, 'Not found'],
  not_under_requesting_psp: [400, 'Not under the requesting PSP'],
  already_archived: [400, 'Already archived'],
  not_archived: [400, 'Not archived'],
  branch_archived: [400, 'Branch archived'],
  already_under_target_mid: [400, 'Already under the target MID'],
  server_error: [400, 'Server error'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof CATALOGUE;

/** One fault of a request body. `pointer` is an RFC 6901 JSON Pointer into the body. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

/**
 * A refusal, thrown from any depth and answered as RFC 9457 problem details.
 * `detail` is public: it says what to change, and never holds a key, a card identifier or an internal.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  /** Seconds after which repeating the same request can help; only set where it can. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: FieldError[]; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = 'Problem';
    this.code = code;
    this.errors = more.errors;
    this.retryAfter = more.retryAfter;
  }

  get status(): number {
    return CATALOGUE[this.code][0];
  }

  /**
   * The `application/problem+json` members (RFC 9457 §3.1, with the extensions `code`, `request_id`, `errors`).
   *
   * @param typeBase The URL below which each code has a page of its own: the problem type.
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
    };
  }
}

/** The 422 that reports every fault of a body at once. */
export function validationFailed(errors: FieldError[]): Problem {
  const count = errors.length === 1 ? '1 field error' : `${errors.length} field errors`;
  return new Problem('validation_failed', `The request body has ${count}; see errors.`, { errors });
}
