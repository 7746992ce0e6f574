import { CATALOGUE, type ProblemCode } from '../../lib/base/problem.ts';
import type { BodySchema } from '../../lib/http/body.ts';
import { ENDPOINTS } from '../template/definitions.ts';
import { type Described, mid, OPERATIONS, tid } from './operations.ts';
import type { Example } from './record.ts';
import { bodyOf, queryOf } from './requests.ts';
import { descriptionOf, listOf, objectOf, oneOfCodes, ref, SCHEMAS, type Schema } from './schemas.ts';

/*
 * docs/openapi.json is made of the code's own schemas and routes, of the texts in operations.ts and schemas.ts, and of
 * examples.json, which is recorded from calls (story.ts).
 */

/** Refusals of the operations that take an `Idempotency-Key`. */
const IDEMPOTENCY = ['invalid_idempotency_key', 'idempotency_key_reused'];

/** Adds the description of each field to a request body. */
function explained(schema: Schema): Schema {
  const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  return {
    ...schema,
    ...(items && { items: explained(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          { ...explained(property), description: descriptionOf(name) },
        ]),
      ),
    }),
  };
}

/** A part of recorded calls as examples by their names, each value once. Those of all operations are kept in one place. */
function shown(calls: Example[], part: (call: Example) => unknown) {
  const values = calls.map((call) => JSON.stringify(part(call)));
  const examples = calls.flatMap((call, at) =>
    values[at] === undefined || values.indexOf(values[at]) < at
      ? []
      : [[call.name, call.isGeneral ? { $ref: `#/components/examples/${call.name}` } : { value: part(call) }]],
  );
  return examples.length > 0 ? { examples: Object.fromEntries(examples) } : {};
}

const bodyShown = ({ body }: Example) => body;

const headerRefs = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Every authenticated response has these; a 401 has the first. */
const HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

/** Codes whose problems can have `Retry-After`. */
const WAITS: ProblemCode[] = ['server_error', 'rate_limited'];

/** The refusals of one status. */
const refusal = (status: number, examples: Example[]) => {
  const codes: ProblemCode[] = [...new Set(examples.map(({ body }) => body.code))];
  return {
    description: codes.map((code) => CATALOGUE[code][1]).join('; '),
    headers: headerRefs(
      ...HEADERS.slice(0, status === 401 ? 1 : undefined),
      ...(codes.some((code) => WAITS.includes(code)) ? ['Retry-After'] : []),
    ),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [ref(status === 422 ? 'ValidationProblem' : 'Problem')],
          properties: { status: { const: status }, code: oneOfCodes(codes) },
        },
        ...shown(examples, bodyShown),
      },
    },
  };
};

/** Nothing was executed: an acquirer exceeded its limit, or all callers together that of the gateway, which has its own body. */
function tooManyRequests(examples: Example[]) {
  const { headers, content } = refusal(429, examples);
  const schema = objectOf({ message: { type: 'string', maxLength: 255 } });
  return {
    description:
      'Too many requests, and nothing was executed. A problem document: you exceeded your limit; repeat after `Retry-After`. A `message` alone: all callers together exceeded the limit of the gateway; wait, longer each time, and repeat.',
    headers,
    content: { ...content, 'application/json': { schema } },
  };
}

/** What can be called with the branch or the terminal in a response, by runtime expressions (OpenAPI 3.1, §4.8.20). */
const linksOf = (found: { mid?: string; tid?: string }) => ({
  links: Object.fromEntries(
    Object.entries(OPERATIONS).flatMap(([operationId, { summary, path = {} }]) =>
      Object.entries(path).flatMap(([name, parameter]) => {
        const pointer = parameter === mid ? found.mid : parameter === tid ? found.tid : undefined;
        const link = {
          operationId,
          description: `${summary}.`,
          parameters: { [name]: `$response.body#/data${pointer}` },
        };
        return pointer ? [[operationId, link]] : [];
      }),
    ),
  ),
});

function responsesOf({ success, isIdempotent }: Described, examples: Example[]) {
  const { status, description, data, types, isPage, meta, hasLocation, links } = success;
  const warnings = {
    ...listOf({ oneOf: [ref('FieldWarning'), ref('ParameterWarning')] }, 101),
    description: 'Fields and parameters that the operation does not know and ignored. Absent if there are none.',
  };
  const body = types
    ? {
        oneOf: Object.entries(types).map(([type, each]) =>
          objectOf({ data: each, type: { type: 'string', const: type } }, { warnings }),
        ),
      }
    : objectOf(
        { data, ...(isPage && { links: ref('Links'), meta: ref('Meta') }), ...(meta && { meta }) },
        { warnings },
      );
  const { [status]: successes = [], ...refusals } = Object.groupBy(examples, (each) => each.status);
  return {
    [status]: {
      description,
      headers: headerRefs(
        ...HEADERS,
        ...(hasLocation ? ['Location'] : []),
        ...(isIdempotent ? ['Idempotent-Replayed'] : []),
      ),
      content: { 'application/json': { schema: body, ...shown(successes, bodyShown) } },
      ...(links && linksOf(links)),
    },
    ...Object.fromEntries(
      Object.entries(refusals).map(([each, refused = []]) => [each, refusal(Number(each), refused)]),
    ),
    429: { $ref: '#/components/responses/TooManyRequests' },
  };
}

/** A handler as the functions export it. */
type Handler = { schemas: { query?: BodySchema; body?: BodySchema } };

/**
 * The contract of all operations (OpenAPI 3.1). The functions' settings must be in the environment.
 *
 * @param examples What was recorded of the story; an operation's refusals are those that are among them.
 */
export async function openapi(examples: Example[]): Promise<Schema> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, described] of Object.entries(OPERATIONS)) {
    const { handler: exported, events } = ENDPOINTS[operationId] as (typeof ENDPOINTS)[string];
    const [file = '', name = ''] = exported.split('.');
    const { query, body }: Handler['schemas'] = (await import(`../../${file}.ts`))[name].schemas;
    const [method = '', path = ''] = events[0].httpApi.split(' ');
    const { tag, summary, description, path: parameters = {}, isIdempotent } = described;
    const own = examples.filter(({ operation, isGeneral }) => operation === operationId && !isGeneral);
    const bodySchema = body && explained(bodyOf(body));
    const successes = own.filter(({ status }) => status < 300);
    const general = examples.filter(({ isGeneral, body: { code } }) => {
      if (IDEMPOTENCY.includes(code)) return isGeneral && isIdempotent;
      return isGeneral && (code === 'malformed_json' ? body : code !== 'rate_limited');
    });
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      operationId,
      tags: [tag],
      summary,
      description,
      parameters: [
        ...Object.entries(parameters).map(([parameter, rest]) => ({
          name: parameter,
          in: 'path',
          required: true,
          ...rest,
          ...shown(successes, ({ request }) => request.path?.[parameter]),
        })),
        ...(query ? queryOf(query) : []).map((parameter) => ({
          ...parameter,
          // Of the first call only: there may be rules by which they exclude each other.
          ...shown(successes.slice(0, 1), ({ request }) => request.query?.[parameter.name]),
        })),
        ...(isIdempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
      ],
      ...(bodySchema && {
        requestBody: {
          // An absent one is `{}`.
          required: 'required' in bodySchema,
          content: { 'application/json': { schema: bodySchema, ...shown(successes, ({ request }) => request.body) } },
        },
      }),
      responses: responsesOf(described, [...own, ...general]),
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
      { name: 'Find', description: 'One thing by an identifier of it.' },
      { name: 'Events', description: 'Every change on record, to read as a feed.' },
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
          example: examples.find(({ request }) => request.headers)?.request.headers?.['idempotency-key'],
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
        TooManyRequests: tooManyRequests(examples.filter(({ status }) => status === 429)),
      },
      examples: Object.fromEntries(
        examples.filter(({ isGeneral }) => isGeneral).map(({ name, body }) => [name, { value: body }]),
      ),
      schemas: {
        ...SCHEMAS,
        ...PROBLEMS,
      },
    },
  };
}

const header = (description: string, schema: Schema) => ({ description, schema });

const DESCRIPTION = `Manage merchant branches (MID) and their payment terminals (TID), look up reference data, and check loyalty
members. Every call has the header \`API-KEY\`. A 2xx body is \`{ "data": … }\`; lists add \`links\` and \`meta\`. An error is
problem details (RFC 9457) with a stable \`code\`. There are no 5xx: an unexpected failure is a 400 with the code
\`server_error\`, and has \`Retry-After\` if repeating can help.

White space at the ends of a text is dropped. A text that is then empty is \`null\` where the field is optional, and missing
where it is required. A text that is stored must not contain the number of a payment card (422 \`card_number\`) or an API key
(422 \`api_key\`). A body must not have a key \`__proto__\`. A field or parameter that the operation does not know changes nothing;
the response names it in \`warnings\`.

Later versions may add fields to responses and codes to errors and warnings: ignore those that you do not know.
\`x-extensible-enum\` lists the codes of this version. Patterns are regular expressions of ECMA-262 with the flag \`u\`, and formats
are annotations.`;

const line: Schema = { type: 'string', maxLength: 2_000 };
const problem = {
  type: { type: 'string', format: 'uri', maxLength: 8192, description: 'URL of what is to be known about this code.' },
  title: { ...line, description: 'What the code means.' },
  status: { type: 'integer', format: 'int32', minimum: 400, maximum: 499, description: 'The HTTP status.' },
  detail: { ...line, description: 'What to change.' },
  code: {
    ...oneOfCodes(Object.keys(CATALOGUE)),
    description: `One per cause: ${Object.keys(CATALOGUE).join(', ')}. It never changes; later versions may add others.`,
  },
  request_id: { ...line, description: 'Id of the request, as in `X-Request-Id`.' },
};
/** The codes of field errors: docs/guides/errors.md has a section for each. Our own tests refuse any other in a response. */
const FIELD_ERRORS = [
  ...['required', 'invalid_type', 'invalid_format', 'too_short', 'too_long', 'too_small', 'too_large', 'duplicate'],
  ...['taken', 'differs', 'not_found', 'not_a_partner', 'not_yourself', 'card_number', 'api_key'],
  'idempotency_key_reused',
];
const fieldError = objectOf({
  pointer: { ...line, description: 'JSON Pointer (RFC 6901) to the field in the request body.' },
  code: {
    ...oneOfCodes(FIELD_ERRORS),
    description: 'Kind of the field error. It never changes; later versions may add others.',
  },
  detail: { ...line, description: 'What to change.' },
});
const PROBLEMS: Record<string, Schema> = {
  Problem: objectOf(problem),
  ValidationProblem: objectOf({
    ...problem,
    errors: { ...listOf(fieldError, 1_000), minItems: 1, description: 'All that is wrong, at once.' },
  }),
};
