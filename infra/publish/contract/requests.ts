import { toJsonSchema } from '@valibot/to-json-schema';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { TEXT } from '../../../lib/base/fields.ts';
import { type QuerySchema, type RequestSchema, schemaFor } from '../../../lib/http/requestSchema.ts';
import { mapped, type Schema } from './schemas.ts';

/*
 * JSON Schemas of requests, made from the schemas that validate them. They describe values after they are trimmed, with
 * patterns that all languages read alike (docs/decisions/0017-the-contract-is-made-of-the-code.md).
 */

/** A schema as the library converts it, with the metadata of lib/base/fields.ts. */
interface Converted extends Schema {
  anyOf?: Converted[];
  items?: Converted;
  properties?: Record<string, Converted>;
  pattern?: string;
  published?: Schema;
  isTrimmed?: boolean;
  /** Whether a blank text counts as absent. */
  mayBeBlank?: boolean;
}

/** Keywords of actions that the library does not convert, or converts differently. */
const KEYWORDS: Record<string, (action: { requirement?: unknown; fields?: string[] }) => Schema> = {
  // The last pattern wins: a format is narrower than the pattern of the text before it.
  regex: ({ requirement }) => ({ pattern: (requirement as RegExp).source }),
  // A pattern instead of an enum, because white space around a value is trimmed.
  values: ({ requirement }) => ({ pattern: `^(?:${(requirement as string[]).join('|')})$`, enum: undefined }),
  trim: () => ({ isTrimmed: true }),
  'code:required': ({ fields }) => (fields ? { anyOf: fields.map((name) => ({ required: [name] })) } : {}),
};

/** The pattern of a text that may also be empty. */
const orEmpty = (pattern: string): string =>
  /^\^\[[^\]]+\]\+\$$/.test(pattern) ? pattern.replace('+$', '*$') : `^(?:${pattern.slice(1, -1)})?$`;

/** The pattern of a text after it is trimmed. Any text has none; one that is required must not be blank. */
function patternOf({ pattern, published, mayBeBlank }: Converted): string | undefined {
  if (pattern === TEXT.source) return mayBeBlank ? undefined : '[^ \\t\\r\\n]';
  // A blank text has no `format`.
  return pattern && mayBeBlank && !published?.['format'] ? orEmpty(pattern) : pattern;
}

function textOf(text: Converted): Schema {
  const { pattern, minLength, maxLength, published = {}, isTrimmed, mayBeBlank, ...rest } = text;
  const isRequired = isTrimmed && pattern !== undefined && !mayBeBlank;
  return {
    ...rest,
    format: published['format'],
    pattern: patternOf(text),
    minLength: isRequired ? 1 : minLength,
    maxLength,
    ...published,
  };
}

/** Turns `anyOf` with `null` into a list of types, and describes texts after they are trimmed. */
function simplified(made: Converted): Schema {
  const [one, nothing] = made.anyOf ?? [];
  const isNullable = nothing?.['type'] === 'null';
  const { anyOf: _, ...own } = made;
  const { type, items, properties, required = [], ...rest }: Converted = isNullable ? { ...one, ...own } : made;
  const { mayBeBlank: __, pattern: ___, ...other } = rest;
  return {
    type: isNullable ? [type, 'null'] : type,
    ...(type === 'string' ? textOf(rest) : other),
    ...(required.length > 0 && { required }),
    ...(items && { items: simplified(items) }),
    ...(properties && { properties: mapped(properties, simplified) }),
  };
}

/** The schemas of acquirers differ only in the required fields; a payment provider has the fewest. */
const PROVIDER: Acquirer = { id: '', type: 'PAYMENT_PROVIDER', name: '' };

const convertedOf = (schema: RequestSchema): Converted => {
  const { $schema: _, ...made } = toJsonSchema(schemaFor(PROVIDER, schema), {
    target: 'draft-2020-12',
    typeMode: 'ignore',
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const keywords = KEYWORDS[valibotAction.type]?.(valibotAction as object);
      return keywords && { ...jsonSchema, ...keywords };
    },
  });
  return simplified(made as Converted);
};

export const bodyOf = (body: RequestSchema): Schema => {
  const { properties = {}, ...schema } = convertedOf(body);
  return { ...schema, properties: mapped(properties, ({ default: _, ...property }) => property) };
};

/**
 * The query parameters of a schema. They arrive as strings; the metadata of the schema marks numbers.
 */
export const queryOf = (query: QuerySchema) => {
  const { properties = {}, required = [] } = convertedOf(query);
  return Object.entries(properties).map(([name, { default: absent, ...schema }]) => {
    const [type] = [schema['type']].flat();
    return {
      name,
      in: 'query',
      ...(required.includes(name) && { required: true }),
      description: QUERY[name],
      schema: { ...schema, type, default: type === 'integer' && absent ? Number(absent) : absent },
    };
  });
};

const QUERY: Record<string, string> = {
  after:
    'Cursor after which to start: `meta.next` of an earlier response; of events, also `now`. By default, the list’s beginning.',
  before: 'Cursor before which to start: `meta.next` of an earlier response. By default, the newest event.',
  limit: 'Maximum number of items to return.',
  status: 'Only items with this status.',
  code: 'Only items with this `code`.',
  operation: 'Only requests of this operation, such as `createBranch`.',
  key_id: 'Only requests of the API key with this id.',
  from: 'Only items from this time on (RFC 3339, UTC).',
  to: 'Only items before this time (RFC 3339, UTC).',
  type: 'Only events of this type.',
  person: 'Only what this person changed, by UUID.',
  key: 'Only what was changed with this API key, by its id.',
  partner: 'Only what this acquirer changed, by UUID: you or a partner.',
  since: 'Only what happened at this time or later (RFC 3339, UTC).',
  until: 'Only what happened before this time (RFC 3339, UTC).',
  sort: 'Order by `created_at`: newest first (`desc`) or oldest first (`asc`).',
  per_page: 'Items per page.',
  page: 'Page number.',
  validate_only:
    'With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored.',
  reason: 'Why you make the change. Its event shows it, also to the other acquirer of the branch.',
  search: 'Text to search for. The description of the operation says where.',
  q: 'Text to search for.',
  tid: 'TID of a terminal.',
  terminal_id: '`terminal_id` of a terminal.',
  serial_no: 'Serial number of a terminal.',
  mid: 'MID of a branch.',
  master_merchant_id: '`master_merchant_id` of a master merchant.',
  payment_provider: 'UUID of the payment provider that the master merchants belong to.',
  everywhere: 'With `true`, all sessions of the person end.',
};
