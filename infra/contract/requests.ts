import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Acquirer } from '../../lib/acquirer.ts';
import { TEXT } from '../../lib/base/fields.ts';
import { type BodySchema, schemaFor } from '../../lib/http/body.ts';
import type { Schema } from './schemas.ts';

/*
 * What requests may hold, from the very schemas that validate them: data that the result allows is never refused for its
 * form, and data that it forbids always is (test/infra/contract/requests.test.ts).
 */

/** What is read of valibot's actions, and of those of lib/base/fields.ts. */
interface Action {
  type: string;
  requirement?: unknown;
  fields?: string[];
}

/** Keywords for actions that the library does not convert, or not as they are meant here. */
const KEYWORDS: Record<string, (action: Action) => Schema> = {
  // A format narrows the pattern of the text before it.
  regex: ({ requirement }) => ({ pattern: (requirement as RegExp).source }),
  // White space may be around each of them.
  values: ({ requirement }) => ({ pattern: `^(?:${(requirement as string[]).join('|')})$`, enum: undefined }),
  trim: () => ({ isTrimmed: true }),
  finite: () => ({ maximum: Number.MAX_VALUE }),
  'code:required': ({ fields }) =>
    fields ? { anyOf: fields.map((name) => ({ required: [name], properties: { [name]: GIVEN } })) } : {},
};

/** A field that is neither `null` nor blank. */
const GIVEN = { type: 'string', maxLength: 255, pattern: '\\S' };

/** White space that is trimmed, but for the characters that no text may have. */
const SPACE = '[^\\S\\v\\f]*';

/** The pattern of a text with this format, before it is trimmed. */
function untrimmed(format: string, mayBeBlank: boolean): string {
  const inner = format.slice(1, -1);
  // One that does not say how a text begins fits what is trimmed too.
  if (!format.startsWith('^')) return format;
  if (format !== TEXT.source) return mayBeBlank ? `^${SPACE}(?:${inner}${SPACE})?$` : `^${SPACE}${inner}${SPACE}$`;
  const visible = inner.slice(0, -1).replace('[^', '[^\\s');
  return mayBeBlank ? format : `^${SPACE}${visible}${inner}$`;
}

/** What the library makes of a schema. */
interface Made extends Schema {
  anyOf?: Made[];
  items?: Made;
  properties?: Record<string, Made>;
  pattern?: string;
  required?: string[];
  isTrimmed?: boolean;
  mayBeBlank?: boolean;
}

/** Writes `null` beside another type as a list of types, and texts as they may be sent. */
function simplified(made: Made): Schema {
  const [one, nothing] = made.anyOf ?? [];
  const isNullable = nothing?.['type'] === 'null';
  const { anyOf: _, ...own } = made;
  const schema: Made = isNullable ? { ...one, ...own } : made;
  const { type, pattern, items, properties, required = [], isTrimmed, mayBeBlank = false, ...rest } = schema;
  return {
    type: isNullable ? [type, 'null'] : type,
    ...rest,
    ...(pattern !== undefined && { pattern: isTrimmed ? untrimmed(pattern, mayBeBlank) : pattern }),
    ...(required.length > 0 && { required }),
    ...(items && { items: simplified(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, simplified(each)])),
    }),
  };
}

const schemaOf = (schema: GenericSchema): Schema => {
  const { $schema: _, ...made } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'ignore',
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const keywords = KEYWORDS[valibotAction.type]?.(valibotAction as Action);
      return keywords && { ...jsonSchema, ...keywords };
    },
  });
  return simplified(made as Made);
};

/** What is sent depends on who sends it in what must be there only; a payment provider may leave out most. */
const PROVIDER: Acquirer = { id: '', type: 'PAYMENT_PROVIDER', name: '' };

export const bodyOf = (body: BodySchema): Schema => {
  const { properties = {}, ...schema } = schemaOf(schemaFor(PROVIDER, body));
  const sent = Object.entries(properties).map(([name, { default: _, ...property }]) => [name, property]);
  return { ...schema, properties: Object.fromEntries(sent) };
};

/** Query parameters arrive as texts; where a number is meant, the schema says so. */
export const queryOf = (query: BodySchema) =>
  Object.entries(schemaOf(schemaFor(PROVIDER, query)).properties ?? {}).map(
    ([name, { default: absent, ...schema }]) => {
      const [type] = [schema['type']].flat();
      const isNumber = type === 'integer';
      return {
        name,
        in: 'query',
        description: QUERY[name],
        schema: {
          ...schema,
          type,
          ...(isNumber && { format: 'int64', pattern: undefined }),
          ...(type === 'string' && !schema['enum'] && { maxLength: schema['maxLength'] ?? GATEWAY_LIMIT }),
          default: isNumber ? Number(absent) : absent,
        },
      };
    },
  );

/** API Gateway lets no more through as request line and headers, in bytes (its quotas for HTTP APIs). */
const GATEWAY_LIMIT = 10_240;

const QUERY: Record<string, string> = {
  after:
    'Cursor after which to start: `meta.next` of an earlier response, or `now`. Without it, the oldest event kept.',
  before: 'Cursor before which to start: `meta.next` of an earlier response. Without it, the newest event.',
  limit: 'The most events to return.',
  sort: 'By `created_at`: the newest first (`desc`), or the oldest.',
  per_page: 'Items per page.',
  page: 'Number of the page.',
  search: 'Part of the text, or of a `master_merchant_id`, in any case.',
  tid: 'TID of a terminal.',
  terminal_id: 'Your id of a terminal.',
  serial_no: 'Serial number of a terminal.',
  mid: 'MID of a branch.',
  master_merchant_id: 'Id of a master merchant.',
  payment_provider: 'UUID of the payment provider whose master merchants are meant.',
};
