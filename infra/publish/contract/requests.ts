import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { TEXT } from '../../../lib/base/fields.ts';
import { type RequestSchema, schemaFor } from '../../../lib/http/requestSchema.ts';
import type { Schema } from './schemas.ts';

/*
 * JSON Schemas of requests, made from the schemas that validate them. Those of the contract describe values after they
 * are trimmed, with patterns that all languages read alike (docs/decisions/0017-the-contract-is-made-of-the-code.md). Tests
 * also make exact ones (test/infra/publish/contract/exact.ts).
 */

/** The parts of valibot actions, and of those in lib/base/fields.ts, that this file reads. */
interface Action {
  type: string;
  requirement?: unknown;
  fields?: string[];
}

/** A text, as the library converts its schema. */
interface Text extends Schema {
  pattern?: string;
  /** See lib/base/fields.ts. */
  published?: Schema;
  isTrimmed?: boolean;
  /** Whether a blank text counts as absent. */
  mayBeBlank?: boolean;
}

/** How to describe what has no keyword of its own. */
export interface Style {
  /** Keywords for actions that the library does not convert, or converts differently. */
  keywords: Record<string, (action: Action) => Schema>;
  text: (text: Text) => Schema;
}

/** Keywords in every style. */
const KEYWORDS: Style['keywords'] = {
  // The last pattern wins: a format is narrower than the pattern of the text before it.
  regex: ({ requirement }) => ({ pattern: (requirement as RegExp).source }),
  // A pattern instead of an enum, because white space around a value is trimmed.
  values: ({ requirement }) => ({ pattern: `^(?:${(requirement as string[]).join('|')})$`, enum: undefined }),
  trim: () => ({ isTrimmed: true }),
};

/** The pattern of a text that may also be empty. */
const orEmpty = (pattern: string): string =>
  /^\^\[[^\]]+\]\+\$$/.test(pattern) ? pattern.replace('+$', '*$') : `^(?:${pattern.slice(1, -1)})?$`;

/** The pattern of a text after it is trimmed. Any text has none; one that is required must not be blank. */
function patternOf({ pattern, published, mayBeBlank }: Text): string | undefined {
  if (pattern === TEXT.source) return mayBeBlank ? undefined : '[^ \\t\\r\\n]';
  // A blank text has no `format`.
  return pattern && mayBeBlank && !published?.['format'] ? orEmpty(pattern) : pattern;
}

/** The style of the contract. */
const PUBLISHED: Style = {
  keywords: {
    'code:required': ({ fields }) => (fields ? { anyOf: fields.map((name) => ({ required: [name] })) } : {}),
  },
  text(text) {
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
  },
};

/** A schema as the library converts it. */
interface Converted extends Text {
  anyOf?: Converted[];
  items?: Converted;
  properties?: Record<string, Converted>;
  required?: string[];
}

/** Turns `anyOf` with `null` into a list of types, and describes texts in a style. */
function simplified(made: Converted, style: Style): Schema {
  const [one, nothing] = made.anyOf ?? [];
  const isNullable = nothing?.['type'] === 'null';
  const { anyOf: _, ...own } = made;
  const { type, items, properties, required = [], ...rest }: Converted = isNullable ? { ...one, ...own } : made;
  const { mayBeBlank: __, pattern: ___, ...other } = rest;
  return {
    type: isNullable ? [type, 'null'] : type,
    ...(type === 'string' ? style.text(rest) : other),
    ...(required.length > 0 && { required }),
    ...(items && { items: simplified(items, style) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, simplified(each, style)])),
    }),
  };
}

const schemaOf = (schema: GenericSchema, style: Style): Schema => {
  const { $schema: _, ...made } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'ignore',
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const keywords = { ...KEYWORDS, ...style.keywords }[valibotAction.type]?.(valibotAction as Action);
      return keywords && { ...jsonSchema, ...keywords };
    },
  });
  return simplified(made as Converted, style);
};

/** The schemas of acquirers differ only in the required fields; a payment provider has the fewest. */
const PROVIDER: Acquirer = { id: '', type: 'PAYMENT_PROVIDER', name: '' };

/** The JSON Schema of a body, by default that of the contract. */
export const bodyOf = (body: RequestSchema, style = PUBLISHED): Schema => {
  const { properties = {}, ...schema } = schemaOf(schemaFor(PROVIDER, body), style);
  const sent = Object.entries(properties).map(([name, { default: _, ...property }]) => [name, property]);
  return { ...schema, properties: Object.fromEntries(sent) };
};

/**
 * The query parameters of a schema, by default those of the contract. They arrive as strings; the metadata of the schema
 * marks numbers.
 */
export const queryOf = (query: RequestSchema, style = PUBLISHED) => {
  const { properties = {}, required = [] }: Converted = schemaOf(schemaFor(PROVIDER, query), style);
  return Object.entries(properties).map(([name, { default: absent, ...schema }]) => {
    const [type] = [schema['type']].flat();
    return {
      name,
      in: 'query',
      ...(required.includes(name) && { required: true }),
      description: QUERY[name],
      schema: { ...schema, type, default: type === 'integer' ? Number(absent) : absent },
    };
  });
};

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
  q: 'Text to search for.',
  tid: 'TID of a terminal.',
  terminal_id: '`terminal_id` of a terminal.',
  serial_no: 'Serial number of a terminal.',
  mid: 'MID of a branch.',
  master_merchant_id: '`master_merchant_id` of a master merchant.',
  payment_provider: 'UUID of the payment provider that the master merchants belong to.',
  everywhere: 'With `true`, all sessions of the person end.',
};
