import { PROBLEM_CODES, type ProblemCode } from '../../../lib/base/problem.ts';
import { extensibleEnumSchema } from '../../../lib/base/values.ts';
import { listOf, objectOf, ref, type Schema } from './schemas.ts';

const line: Schema = { type: 'string', maxLength: 2_000 };
const problemWith = (codes: ProblemCode[]) => ({
  type: { ...line, format: 'uri', description: 'URL of the documentation of this code.' },
  title: { ...line, description: 'What the code means.' },
  status: { type: 'integer', format: 'int32', minimum: 400, maximum: 499, description: 'The HTTP status.' },
  detail: { ...line, description: 'What to change.' },
  code: {
    ...extensibleEnumSchema(codes),
    description: `One code per cause: ${codes.join(', ')}. Codes never change; later versions may add others.`,
  },
  request_id: { type: 'string', maxLength: 64, description: 'Id of the request, as in `X-Request-Id`.' },
});

const released = {
  ...ref('ReleasedSerial'),
  description: 'The terminal that had the `serial_no` of a find until it released it.',
};

/**
 * The codes of field errors in docs/openapi.json. docs/guides/errors.md has a section for each. Tests reject any other in a
 * response.
 */
export const FIELD_ERRORS = [
  'required',
  'invalid_type',
  'invalid_format',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'duplicate',
  'taken',
  'differs',
  'not_found',
  'not_a_partner',
  'not_yourself',
  'card_number',
  'api_key',
  'unknown_field',
  'idempotency_key_reused',
];

/** The codes of field errors in docs/console.openapi.json. */
export const CONSOLE_FIELD_ERRORS = [...FIELD_ERRORS, 'rotated', 'disabled'];

const fieldErrorWith = (codes: string[]) =>
  objectOf({
    pointer: { ...line, description: 'JSON Pointer (RFC 6901) to the field in the request body.' },
    code: {
      ...extensibleEnumSchema(codes),
      description: 'Code of the field error. Codes never change; later versions may add others.',
    },
    detail: { ...line, description: 'What to change.' },
  });

/**
 * Schemas of error responses.
 *
 * @param occurring The codes that they can have, in any order.
 * @param fieldErrors The codes that field errors can have.
 */
export function problemSchemas(occurring: Iterable<string>, fieldErrors: string[]): Record<string, Schema> {
  const codes = new Set(occurring);
  const problem = problemWith(PROBLEM_CODES.filter((code) => codes.has(code)));
  return {
    Problem: objectOf(problem, { released }),
    ValidationProblem: objectOf({
      ...problem,
      errors: { ...listOf(fieldErrorWith(fieldErrors), 1_000), minItems: 1, description: 'All field errors.' },
    }),
  };
}
