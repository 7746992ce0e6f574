import { API_OPERATIONS } from '../../infra/publish/contract/calls.ts';
import { DESCRIBED } from './contract.ts';
import type { Operation } from './invoke.ts';

const documented = (operation: Operation) =>
  Object.keys(DESCRIBED.get(operation)?.responses ?? {})
    .map(Number)
    // A 200 of a create is that of a validation.
    .sort((a, b) => Number(b === 201) - Number(a === 201));

/**
 * The documented statuses of each operation, success first. 400 covers failures of the service; 429 is the rate limit.
 */
export const STATUSES = {
  ...Object.fromEntries(API_OPERATIONS.map((operation) => [operation, documented(operation)])),
  // Not an operation: handles every other method and path.
  unknownRoute: [404, 400, 401, 429],
} as unknown as Record<Operation, [success: number, ...problems: number[]]>;

/** Repeated here rather than imported: codes, statuses and titles are promised to partners. */
export const TITLES = {
  invalid_api_key: [401, 'Missing or invalid API key'],
  ambiguous_credentials: [400, 'Ambiguous credentials'],
  invalid_session: [401, 'Missing or invalid session'],
  insufficient_permission: [403, 'Insufficient permission'],
  sign_in_again: [403, 'Sign in again'],
  last_admin: [400, 'Last admin'],
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
  too_many_terminals: [400, 'Too many terminals'],
  too_many_webhooks: [400, 'Too many webhooks'],
  already_under_target_mid: [400, 'Already under the target MID'],
  server_error: [400, 'Server error'],
} as const;

/** The code of a problem. */
export type Code = keyof typeof TITLES;
