import type { ApiResponse, Operation } from '../../../support/api.ts';

/**
 * Query parameters that exclude each other, with those each can be combined with; OpenAPI 3.1 can only say this in
 * prose.
 */
export const EXCLUSIVE: Partial<Record<Operation, Record<string, string[]>>> = {
  find: { tid: [], terminal_id: [], serial_no: [], mid: [], master_merchant_id: ['payment_provider'] },
};

/**
 * Codes of errors that depend on stored data or on several fields, not on the form of a request. The contract describes
 * these rules in prose.
 */
const NOT_ABOUT_FORM = [
  'taken',
  'not_found',
  'differs',
  'duplicate',
  'not_a_partner',
  'not_yourself',
  'card_number',
  'api_key',
];

/** Details for texts that the schemas allow: those with the form of a cursor, and searches. */
const IN_PROSE =
  /^(?:(?:after|before): Must be a cursor from this list\.|search: Must have 1 to 5 words, each of at least 2 letters or digits\.)$/;

/** The errors of a response that are about the form of its request, or that should never occur. */
export function formErrors({ status, body }: ApiResponse): { pointer?: string; code: string }[] {
  if (status < 300) return [];
  const { code, detail, errors = [] } = body;
  if (code === 'invalid_query' && IN_PROSE.test(detail)) return [];
  if (code === 'validation_failed')
    return errors.filter((error: { code: string }) => !NOT_ABOUT_FORM.includes(error.code));
  return ['malformed_json', 'invalid_query', 'invalid_idempotency_key', 'server_error'].includes(code) ? [body] : [];
}
