import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { TEXT } from '../../lib/base/fields.ts';
import { type RequestSchema, schemaFor } from '../../lib/http/body.ts';
import type { Schema } from './schemas.ts';

/*
 * JSON Schemas of requests, made from the schemas that validate them. A request gets field errors about its form
 * if and only if it does not match (test/infra/contract/requests.test.ts).
 */

/** The parts of valibot actions, and of those in lib/base/fields.ts, that this file reads. */
interface Action {
  type: string;
  requirement?: unknown;
  fields?: string[];
}

/** Keywords for actions that the library does not convert, or converts differently. */
const KEYWORDS: Record<string, (action: Action) => Schema> = {
  // The last pattern wins: a format is narrower than the pattern of the text before it.
  regex: ({ requirement }) => ({ pattern: (requirement as RegExp).source }),
  // A pattern instead of an enum, because white space around a value is trimmed.
  values: ({ requirement }) => ({ pattern: `^(?:${(requirement as string[]).join('|')})$`, enum: undefined }),
  trim: () => ({ isTrimmed: true }),
  finite: () => ({ maximum: Number.MAX_VALUE }),
  'code:required': ({ fields }) =>
    fields ? { anyOf: fields.map((name) => ({ required: [name], properties: { [name]: GIVEN } })) } : {},
};

/** A field that is neither `null` nor blank. */
const GIVEN = { type: 'string', maxLength: 255, pattern: '\\S' };

/** White space that is trimmed, except characters that no text may contain. */
const SPACE = '[^\\S\\v\\f]*';

/** The pattern of a text with this format, before it is trimmed. */
function untrimmed(format: string, mayBeBlank: boolean): string {
  const inner = format.slice(1, -1);
  // A pattern without an anchor matches untrimmed texts too.
  if (!format.startsWith('^')) return format;
  if (format !== TEXT.source) return mayBeBlank ? `^${SPACE}(?:${inner}${SPACE})?$` : `^${SPACE}${inner}${SPACE}$`;
  const visible = inner.slice(0, -1).replace('[^', '[^\\s');
  return mayBeBlank ? format : `^${SPACE}${visible}${inner}$`;
}

/** A schema as the library converts it. */
interface Converted extends Schema {
  anyOf?: Converted[];
  items?: Converted;
  properties?: Record<string, Converted>;
  pattern?: string;
  required?: string[];
  isTrimmed?: boolean;
  mayBeBlank?: boolean;
}

/** Turns `anyOf` with `null` into a list of types, and adapts patterns to untrimmed texts. */
function simplified(made: Converted): Schema {
  const [one, nothing] = made.anyOf ?? [];
  const isNullable = nothing?.['type'] === 'null';
  const { anyOf: _, ...own } = made;
  const schema: Converted = isNullable ? { ...one, ...own } : made;
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
  return simplified(made as Converted);
};

/** The schemas of acquirers differ only in the required fields; a payment provider has the fewest. */
const PROVIDER: Acquirer = { id: '', type: 'PAYMENT_PROVIDER', name: '' };

export const bodyOf = (body: RequestSchema): Schema => {
  const { properties = {}, ...schema } = schemaOf(schemaFor(PROVIDER, body));
  const sent = Object.entries(properties).map(([name, { default: _, ...property }]) => [name, property]);
  return { ...schema, properties: Object.fromEntries(sent) };
};

/** The query parameters of a schema. They arrive as strings; the metadata of the schema marks numbers. */
export const queryOf = (query: RequestSchema) =>
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

/** Limit of the request line and headers, in bytes (API Gateway quotas for HTTP APIs). */
const GATEWAY_LIMIT = 10_240;

const QUERY: Record<string, string> = {
  after:
    'Cursor after which to start: `meta.next` of an earlier response, or `now`. By default, the oldest retained event.',
  before: 'Cursor before which to start: `meta.next` of an earlier response. By default, the newest event.',
  limit: 'Maximum number of events to return.',
  sort: 'Order by `created_at`: newest first (`desc`) or oldest first (`asc`).',
  per_page: 'Items per page.',
  page: 'Page number.',
  validate_only:
    'With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored.',
  search: 'Text to search for. The description of the operation says where.',
  tid: 'TID of a terminal.',
  terminal_id: '`terminal_id` of a terminal.',
  serial_no: 'Serial number of a terminal.',
  mid: 'MID of a branch.',
  master_merchant_id: '`master_merchant_id` of a master merchant.',
  payment_provider: 'UUID of the payment provider that the master merchants belong to.',
};
