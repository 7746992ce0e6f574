import { CATALOGUE } from '../../lib/base/problem.ts';
import { extensibleEnumSchema } from '../../lib/base/values.ts';
import { listOf, objectOf, type Schema } from './schemas.ts';

const line: Schema = { type: 'string', maxLength: 2_000 };
const problem = {
  type: { ...line, format: 'uri', description: 'URL of the documentation of this code.' },
  title: { ...line, description: 'What the code means.' },
  status: { type: 'integer', format: 'int32', minimum: 400, maximum: 499, description: 'The HTTP status.' },
  detail: { ...line, description: 'What to change.' },
  code: {
    ...extensibleEnumSchema(Object.keys(CATALOGUE)),
    description: `One code per cause: ${Object.keys(CATALOGUE).join(', ')}. Codes never change; later versions may add others.`,
  },
  request_id: { type: 'string', maxLength: 64, description: 'Id of the request, as in `X-Request-Id`.' },
};

/** The codes of field errors. docs/guides/errors.md has a section for each. Tests reject any other in a response. */
const FIELD_ERRORS = [
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
  'idempotency_key_reused',
];

const fieldError = objectOf({
  pointer: { ...line, description: 'JSON Pointer (RFC 6901) to the field in the request body.' },
  code: {
    ...extensibleEnumSchema(FIELD_ERRORS),
    description: 'Code of the field error. Codes never change; later versions may add others.',
  },
  detail: { ...line, description: 'What to change.' },
});

/** Schemas of error responses. */
export const PROBLEMS: Record<string, Schema> = {
  Problem: objectOf(problem),
  ValidationProblem: objectOf({
    ...problem,
    errors: { ...listOf(fieldError, 1_000), minItems: 1, description: 'All field errors.' },
  }),
};
