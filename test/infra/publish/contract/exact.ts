import { API_OPERATIONS } from '../../../../infra/publish/contract/calls.ts';
import { moduleOf, type Operation } from '../../../../infra/publish/contract/invoke.ts';
import { bodyOf, queryOf, type Style } from '../../../../infra/publish/contract/requests.ts';
import { TEXT } from '../../../../lib/base/fields.ts';
import type { Schema } from './arbitrary.ts';

/*
 * Exact schemas of requests: a request gets field errors about its form if and only if it does not match them. They
 * describe texts before they are trimmed, in ECMA-262 regular expressions with the flag `u`.
 */

/** Limit of the request line and headers, in bytes (API Gateway quotas for HTTP APIs). */
export const GATEWAY_LIMIT = 10_240;

/** White space that is trimmed, except characters that no text may contain. */
const SPACE = '[^\\S\\v\\f]*';

/** A field that is neither `null` nor blank. */
const GIVEN = { type: 'string', pattern: '\\S' };

/** The pattern of a text with this format, before it is trimmed. */
function untrimmed(format: string, mayBeBlank = false): string {
  const inner = format.slice(1, -1);
  // A pattern without an anchor matches untrimmed texts too.
  if (!format.startsWith('^')) return format;
  if (format !== TEXT.source) return mayBeBlank ? `^${SPACE}(?:${inner}${SPACE})?$` : `^${SPACE}${inner}${SPACE}$`;
  const visible = inner.slice(0, -1).replace('[^', '[^\\s');
  return mayBeBlank ? format : `^${SPACE}${visible}${inner}$`;
}

const STYLE: Style = {
  keywords: {
    finite: () => ({ maximum: Number.MAX_VALUE }),
    'code:required': ({ fields }) =>
      fields ? { anyOf: fields.map((name) => ({ required: [name], properties: { [name]: GIVEN } })) } : {},
  },
  text: ({ pattern, maxLength = GATEWAY_LIMIT, published: _, isTrimmed, mayBeBlank, ...rest }) => ({
    ...rest,
    ...(pattern !== undefined && { pattern: isTrimmed ? untrimmed(pattern, mayBeBlank) : pattern }),
    ...(!rest['enum'] && { maxLength }),
  }),
};

interface ExactRequest {
  body: Schema | undefined;
  query: { name: string; schema: Schema }[];
}

/** The exact schemas of the body and the query parameters of each operation. */
export const EXACT = new Map<Operation, ExactRequest>(
  await Promise.all(
    API_OPERATIONS.map(async (operation) => {
      const { body, query } = (await moduleOf(operation)).handler.schemas;
      const schemas = { body: body && bodyOf(body, STYLE), query: query ? queryOf(query, STYLE) : [] };
      return [operation, schemas as ExactRequest] as const;
    }),
  ),
);
