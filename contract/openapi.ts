import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { ENDPOINTS } from '../infra/generated/definitions.ts';
import type { Acquirer } from '../lib/acquirer.ts';
import type { BodySchema } from '../lib/http/body.ts';
import { CATALOGUE, Problem, type ProblemCode } from '../lib/problem.ts';
import { type Described, OPERATIONS } from './operations.ts';
import { FIELDS, listOf, objectOf, ref, SCHEMAS, type Schema } from './schemas.ts';

/*
 * docs/openapi.json is made of the code's own schemas and routes, and of what stands in operations.ts and schemas.ts.
 */

const EXAMPLE_ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const DOCS_URL = 'https://api.acquirer.example/docs/errors';

/** Puts what each field is beside what it may be. */
function explained(schema: Schema): Schema {
  const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  return {
    ...schema,
    ...(items && { items: explained(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const field = FIELDS[name];
          if (!field) return [name, explained(property)];
          const isOne = !('items' in property || '$ref' in property);
          return [
            name,
            { ...explained(property), description: field.description, ...(isOne && { examples: [field.example] }) },
          ];
        }),
      ),
    }),
  };
}

/** `null` beside another type is a list of types, rather than an alternative. */
function simplified(schema: Schema): Schema {
  const {
    anyOf,
    properties,
    items,
    required = [],
    ...others
  } = schema as Schema & {
    anyOf?: Schema[];
    items?: Schema;
    required?: string[];
  };
  const rest = { ...others, ...(required.length > 0 && { required }) };
  const [one, nothing] = anyOf ?? [];
  const simple =
    one && nothing?.['type'] === 'null' ? { ...simplified(one), type: [one['type'], 'null'], ...rest } : rest;
  return {
    ...simple,
    ...(items && { items: simplified(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, simplified(each)])),
    }),
  };
}

const schemaOf = (schema: GenericSchema): Schema => {
  const { $schema: _, ...json } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'ignore',
    errorMode: 'ignore',
  });
  return simplified(json as Schema);
};

/** A body depends on who sends it in what must be there only; a payment provider may leave out most. */
const bodyOf = (body: BodySchema): Schema => {
  const provider: Acquirer = { id: '', type: 'PAYMENT_PROVIDER', name: '' };
  const schema = schemaOf(typeof body === 'function' ? body(provider) : body);
  const { default: __, ...payment_provider } = schema.properties?.['payment_provider'] ?? {};
  return explained(
    schema.properties?.['payment_provider']
      ? { ...schema, properties: { ...schema.properties, payment_provider } }
      : schema,
  );
};

/** Query parameters arrive as texts; where a number is meant, the schema says so. */
const queryOf = (query: GenericSchema) =>
  Object.entries(schemaOf(query).properties ?? {}).map(([name, { pattern, default: absent, ...schema }]) => {
    const isNumber = schema['type'] === 'integer';
    return {
      name,
      in: 'query',
      description: QUERY[name],
      schema: {
        ...schema,
        ...(isNumber ? { format: 'int64' } : pattern !== undefined && { pattern }),
        ...(schema['type'] === 'string' && !schema['enum'] && { maxLength: 8192 }),
        default: isNumber ? Number(absent) : absent,
      },
    };
  });

const QUERY: Record<string, string> = {
  sort: 'By `created_at`: the newest first (`desc`), or the oldest.',
  per_page: 'Items per page.',
  page: 'Number of the page.',
  search: 'Part of the text, in any case.',
};

const json = (schema: Schema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** What a schema's fields are by their examples. */
function exampleOf(schema: Schema): unknown {
  const { $ref, items, properties } = schema as { $ref?: string; items?: Schema; properties?: Record<string, Schema> };
  if ($ref) return exampleOf(SCHEMAS[$ref.split('/').at(-1) ?? ''] ?? {});
  if (items) return [exampleOf(items)];
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, property]) => {
      const isNested = '$ref' in property || property['type'] === 'array';
      return [name, isNested ? exampleOf(property) : FIELDS[name]?.example];
    }),
  );
}

const problemOf = (code: ProblemCode) => {
  const faults = [{ pointer: '/mid', code: 'required', detail: 'Is required.' }];
  const [status, title] = CATALOGUE[code];
  const problem = new Problem(code, `${title}.`, status === 422 ? { errors: faults } : {});
  return problem.toDocument(EXAMPLE_ID, DOCS_URL);
};

const headerRefs = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Every authenticated response has these; a 401 has the first. */
const HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

/** Codes whose problems can have `Retry-After`. */
const WAITS: ProblemCode[] = ['server_error', 'rate_limited'];

/** The answer to refusals of one status. */
const refusal = (status: number, codes: ProblemCode[]) => ({
  description: [...new Set(codes.map((code) => CATALOGUE[code][1]))].join('; '),
  headers: headerRefs(
    ...HEADERS.slice(0, status === 401 ? 1 : undefined),
    ...(codes.some((code) => WAITS.includes(code)) ? ['Retry-After'] : []),
  ),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [ref(status === 422 ? 'ValidationProblem' : 'Problem')],
        properties: { status: { const: status }, code: { enum: codes } },
      },
      examples: Object.fromEntries(codes.map((code) => [code, { value: problemOf(code) }])),
    },
  },
});

/** Nothing was executed: an acquirer exceeded its limit, or all callers together that of the gateway, which has its own body. */
function tooManyRequests() {
  const { headers, content } = refusal(429, ['rate_limited']);
  const gateway = objectOf({ message: { type: 'string', maxLength: 255 } });
  return {
    description:
      'Too many requests, and nothing was executed. A problem document: you exceeded your limit; repeat after `Retry-After`. A `message` alone: all callers together exceeded the limit of the gateway; wait, longer each time, and repeat.',
    headers,
    content: { ...content, ...json(gateway, { message: 'Too Many Requests' }) },
  };
}

function responsesOf({ success, refusals, isIdempotent }: Described, has: { query: boolean; body: boolean }) {
  const { status, description, data, isPage, hasLocation } = success;
  const codes: ProblemCode[] = [
    'invalid_api_key',
    ...(has.query ? (['invalid_query'] as const) : []),
    ...(has.body ? (['malformed_json', 'validation_failed'] as const) : []),
    ...(isIdempotent ? (['invalid_idempotency_key', 'idempotency_key_reused'] as const) : []),
    ...refusals,
    'server_error',
  ];
  const body = objectOf({ data, ...(isPage && { links: ref('Links'), meta: ref('Meta') }) });
  const url = 'https://api.acquirer.example/ext/api/v1/merchants?page=1';
  const page = {
    links: { first: url, last: url, prev: null, next: null },
    meta: { current_page: 1, per_page: 10, total: 1 },
  };
  const byStatus = Map.groupBy(new Set(codes), (code) => CATALOGUE[code][0]);
  return {
    [status]: {
      description,
      headers: headerRefs(
        ...HEADERS,
        ...(hasLocation ? ['Location'] : []),
        ...(isIdempotent ? ['Idempotent-Replayed'] : []),
      ),
      content: json(body, { data: exampleOf(data), ...(isPage && page) }),
    },
    ...Object.fromEntries([...byStatus].map(([each, refused]) => [each, refusal(each, refused)])),
    429: { $ref: '#/components/responses/TooManyRequests' },
  };
}

/** A handler as the functions export it. */
type Handler = { schemas: { query?: GenericSchema; body?: BodySchema } };

/** The contract of all operations (OpenAPI 3.1). The functions' settings must be in the environment. */
export async function openapi(): Promise<Schema> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, described] of Object.entries(OPERATIONS)) {
    const { handler: exported, events } = ENDPOINTS[operationId] as (typeof ENDPOINTS)[string];
    const [file = '', name = ''] = exported.split('.');
    const { query, body }: Handler['schemas'] = (await import(`../${file}.ts`))[name].schemas;
    const [method = '', path = ''] = events[0].httpApi.split(' ');
    const { tag, summary, description, path: parameters = {}, example, isIdempotent } = described;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      operationId,
      tags: [tag],
      summary,
      description,
      parameters: [
        ...Object.entries(parameters).map(([parameter, { schema, ...rest }]) => ({
          name: parameter,
          in: 'path',
          required: true,
          schema,
          ...rest,
        })),
        ...(query ? queryOf(query) : []),
        ...(isIdempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
      ],
      ...(body && { requestBody: { required: true, content: json(bodyOf(body), example) } }),
      responses: responsesOf(described, { query: !!query, body: !!body }),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Acquirer Partner API',
      version: '1.0.0',
      summary: 'Merchant branches, payment terminals, reference data and member checks, for acquirers.',
      description: DESCRIPTION,
      contact: { name: 'Partner support', url: 'https://api.acquirer.example/docs', email: 'partners@example.com' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [
      {
        url: 'https://{host}',
        description: 'Your base URL; each stage has its own.',
        variables: { host: { default: 'api.acquirer.example', description: 'The host that you were given.' } },
        'x-internal': false,
      },
    ],
    security: [{ 'API-KEY': [] }],
    tags: [
      { name: 'Branches', description: 'Merchant branches, each identified by its MID.' },
      { name: 'Terminals', description: 'Payment terminals of branches, each identified by its TID.' },
      { name: 'Reference data', description: 'What branches and terminals may name.' },
      { name: 'Members', description: 'Loyalty members and their rewards.' },
    ],
    paths,
    components: {
      securitySchemes: {
        'API-KEY': {
          type: 'apiKey',
          in: 'header',
          name: 'API-KEY',
          description:
            'Your API key. It tells who you are: keep it on your servers, never in code that others can read.',
        },
      },
      parameters: {
        'Idempotency-Key': {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'Any text of your own, a new one for each request. The same request with the same key within 24 hours is answered as the first time, and not executed again.',
          schema: { type: 'string', pattern: '^[!-~]+$', minLength: 1, maxLength: 255 },
          example: 'create-porto0001',
        },
      },
      headers: {
        'X-Request-Id': header('Id of the request: quote it when you ask about one.', {
          type: 'string',
          maxLength: 64,
        }),
        'RateLimit-Policy': header(
          'Your limit: `q` requests in each window of `w` seconds (draft-ietf-httpapi-ratelimit-headers-10). Absent while you have none.',
          { type: 'string', pattern: '^"[a-z-]+";q=\\d+;w=\\d+$', maxLength: 255 },
        ),
        RateLimit: header('About `r` requests are left in this window; the next window starts in `t` seconds.', {
          type: 'string',
          pattern: '^"[a-z-]+";r=\\d+;t=\\d+$',
          maxLength: 255,
        }),
        'Retry-After': header('Seconds after which to repeat the request, where that can help.', {
          type: 'integer',
          format: 'int32',
          minimum: 1,
          maximum: 120,
        }),
        Location: header('Where to read what was created.', { type: 'string', format: 'uri', maxLength: 8192 }),
        'Idempotent-Replayed': header('The answer is an earlier one, and nothing was executed.', {
          type: 'string',
          const: 'true',
        }),
      },
      responses: {
        TooManyRequests: tooManyRequests(),
      },
      schemas: {
        ...Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, explained(schema)])),
        ...PROBLEMS,
      },
    },
  };
}

const header = (description: string, schema: Schema) => ({ description, schema });

const DESCRIPTION = `Manage merchant branches (MID) and their payment terminals (TID), look up reference data, and check loyalty
members. Every call has the header \`API-KEY\`. A 2xx body is \`{ "data": … }\`; lists add \`links\` and \`meta\`. An error is
problem details (RFC 9457) with a stable \`code\`. There are no 5xx: an unexpected failure is a 400 with the code
\`server_error\`, and has \`Retry-After\` if repeating can help.`;

const line: Schema = { type: 'string', maxLength: 2_000 };
const problem = {
  type: { type: 'string', format: 'uri', maxLength: 8192, description: 'URL of what is to be known about this code.' },
  title: { ...line, description: 'What the code means.' },
  status: { type: 'integer', format: 'int32', minimum: 400, maximum: 499, description: 'The HTTP status.' },
  detail: { ...line, description: 'What to change.' },
  code: { type: 'string', enum: Object.keys(CATALOGUE), description: 'One per cause; it never changes.' },
  request_id: { ...line, description: 'Id of the request, as in `X-Request-Id`.' },
};
const fault = objectOf({
  pointer: { ...line, description: 'JSON Pointer (RFC 6901) to the field in the request body.' },
  code: { type: 'string', pattern: '^[a-z_]+$', maxLength: 64, description: 'Kind of the fault; it never changes.' },
  detail: { ...line, description: 'What to change.' },
});
const PROBLEMS: Record<string, Schema> = {
  Problem: objectOf(problem),
  ValidationProblem: objectOf({
    ...problem,
    errors: { ...listOf(fault, 1_000), minItems: 1, description: 'All that is wrong, at once.' },
  }),
};
