import { readFileSync } from 'node:fs';
import { KEY_ROLES, type Permission, rolesWith } from '../../lib/acquirers/roles.ts';
import { UUID } from '../../lib/base/mid.ts';
import { shownMid, uuidValue } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { ChangeQuery } from '../../lib/http/query.ts';
import { moduleOf, type Operation } from '../local/invoke.ts';
import { OPERATIONS } from '../template/definitions.ts';
import { contractRoute, ID_REMARKS } from './paths.ts';
import { PROBLEMS } from './problems.ts';
import type { Example } from './record.ts';
import { bodyOf, queryOf } from './requests.ts';
import { examplesOf, responsesOf, tooManyRequests } from './responses.ts';
import { descriptionOf, responseSchema, SCHEMAS, type Schema } from './schemas.ts';

/*
 * docs/openapi.json is generated from the code's schemas and routes, the texts beside each handler and in schemas.ts, and
 * examples.json, which is recorded from the story in calls.ts.
 */

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** General problems, by example, and whether an operation can have them. The others are of all operations. */
const GENERAL: Record<string, (operation: { contract: Contract; body: unknown; isChange: boolean }) => unknown> = {
  invalid_idempotency_key: ({ contract }) => contract.isIdempotent,
  idempotency_key_reused: ({ contract }) => contract.isIdempotent,
  precondition_failed: ({ contract }) => contract.isConditional,
  invalid_validate_only: ({ isChange }) => isChange,
  malformed_json: ({ body }) => body,
  // A response of its own.
  rate_limited: () => false,
};

/** A path parameter, as a contract names it. */
const pathParameter = (name: string, kind: NonNullable<Contract['path']>[string]) => {
  const remarks = name === 'id' ? ID_REMARKS : { mid: '', tid: '' };
  if (kind === 'mid')
    return {
      description: `MID of a branch that is accessible to you.${remarks.mid}`,
      schema: responseSchema(shownMid),
    };
  if (kind === 'tid')
    return {
      description: `TID: the UUID of a terminal.${remarks.tid}`,
      schema: { ...responseSchema(uuidValue), pattern: UUID.source },
    };
  const schema = 'id' in kind ? responseSchema(kind.id) : { type: 'string', enum: kind.oneOf };
  return { description: kind.description, schema };
};

/** Adds descriptions to the fields of a request body. */
function withDescriptions(schema: Schema): Schema {
  const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
  return {
    ...schema,
    ...(items && { items: withDescriptions(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          { ...withDescriptions(property), description: descriptionOf(name) },
        ]),
      ),
    }),
  };
}

/**
 * Generates the contract (OpenAPI 3.1). The functions' settings must be in the environment.
 *
 * @param examples The recorded story, which determines the problems of each operation.
 */
export async function openapi(examples: Example[]): Promise<Schema> {
  const paths: Record<string, Record<string, unknown>> = {};
  const operations = await Promise.all(
    Object.entries(OPERATIONS).map(async ([operationId, { events }]) => {
      const { handler, contract } = await moduleOf(operationId as Operation);
      const { route, parameters } = contractRoute(events[0].httpApi, contract.path);
      return { operationId, route, handler, contract: { ...contract, path: parameters } };
    }),
  );
  const contracts = Object.fromEntries(operations.map(({ operationId, contract }) => [operationId, contract]));
  for (const { operationId, route, handler, contract } of operations) {
    const { query, body } = handler.schemas;
    const { needs } = handler;
    const [method = '', path = ''] = route.split(' ');
    const { tag, summary, description, path: parameters, isIdempotent, isConditional } = contract;
    const isChange = query === ChangeQuery;
    const own = examples.filter(({ operation, isGeneral }) => operation === operationId && !isGeneral);
    const bodySchema = body && withDescriptions(bodyOf(body));
    const successes = own.filter(({ status }) => status < 300);
    const general = examples.filter(
      ({ isGeneral, name }) => isGeneral && (GENERAL[name] ?? (() => true))({ contract, body, isChange }),
    );
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      operationId,
      tags: [tag],
      summary,
      description: `${description} ${rolesText(rolesWith(KEY_ROLES, needs as Permission))}`,
      // The roles of API keys that permit it.
      'x-roles': rolesWith(KEY_ROLES, needs as Permission),
      parameters: [
        ...Object.entries(parameters).map(([name, kind]) => ({
          name,
          in: 'path',
          required: true,
          ...pathParameter(name, kind),
          // A route has at most one, whose name may differ.
          ...examplesOf(successes, ({ request }) => Object.values(request.path ?? {})[0]),
        })),
        ...(query ? queryOf(query) : []).map((parameter) => ({
          ...parameter,
          // Of the first request only, because parameters may exclude each other.
          ...examplesOf(successes.slice(0, 1), ({ request }) => request.query?.[parameter.name]),
        })),
        ...(isIdempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
        ...(isConditional ? [{ $ref: '#/components/parameters/If-Match' }] : []),
      ],
      ...(bodySchema && {
        requestBody: {
          // An absent body is `{}`.
          required: 'required' in bodySchema,
          content: {
            'application/json': { schema: bodySchema, ...examplesOf(successes, ({ request }) => request.body) },
          },
        },
      }),
      responses: responsesOf(contract, contracts, [...own, ...general]),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Acquirer Partner API',
      version: VERSION,
      summary: 'Merchant branches, payment terminals, reference data and member checks, for acquirers.',
      description: DESCRIPTION,
      contact: { name: 'Partner support', url: 'https://api.acquirer.example/docs', email: 'partners@example.com' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [
      {
        url: 'https://{host}',
        description: 'Your base URL; each environment has its own.',
        variables: { host: { default: 'api.acquirer.example', description: 'Your host.' } },
        'x-internal': false,
      },
    ],
    security: [{ 'API-KEY': [] }],
    tags: [
      { name: 'Branches', description: 'Merchant branches, each identified by its MID.' },
      { name: 'Terminals', description: 'Payment terminals of branches, each identified by its TID.' },
      { name: 'Find', description: 'Find a resource by an identifier.' },
      { name: 'Events', description: 'A feed of all changes of branches and terminals, and their histories.' },
      { name: 'Reference data', description: 'Values for the fields of branches and terminals.' },
      { name: 'Members', description: 'Loyalty members and their rewards.' },
    ],
    paths,
    components: {
      securitySchemes: {
        'API-KEY': {
          type: 'apiKey',
          in: 'header',
          name: 'API-KEY',
          description: 'Your API key, which identifies you. Keep it on your servers, never in client code.',
        },
      },
      parameters: {
        'Idempotency-Key': {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'A unique text of your choice for each request. If you retry the request with the same key within 24 hours, the response is replayed and nothing is executed again.',
          schema: { type: 'string', pattern: '^[!-~]+$', minLength: 1, maxLength: 255 },
          example: headerOf(examples, 'idempotency-key'),
        },
        'If-Match': {
          name: 'If-Match',
          in: 'header',
          description:
            'The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.',
          schema: { type: 'string', maxLength: 255 },
          example: headerOf(examples, 'if-match'),
        },
      },
      headers: {
        'X-Request-Id': header('Id of the request. Quote it when you contact support.', {
          type: 'string',
          maxLength: 64,
        }),
        'RateLimit-Policy': header(
          'Your limit: the requests in each window of `w` seconds can weigh `q` in total (draft-ietf-httpapi-ratelimit-headers-10). Absent if you have no limit.',
          { type: 'string', pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$', maxLength: 255 },
        ),
        RateLimit: header('A weight of about `r` is left in this window; the next window starts in `t` seconds.', {
          type: 'string',
          pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$',
          maxLength: 255,
        }),
        'Retry-After': header('Seconds to wait before a retry. Absent if a retry cannot succeed.', {
          type: 'integer',
          format: 'int32',
          minimum: 1,
          maximum: 120,
        }),
        ETag: header(
          'The state of the branch or terminal, for `If-Match` (RFC 9110 §8.8.3): `updated_at` and, if it is archived, `/` and `archived_at`, in quotation marks.',
          { type: 'string', pattern: '^"[0-9TZ:./-]+"$', maxLength: 64 },
        ),
        Location: header('URL of the created resource.', { type: 'string', format: 'uri', maxLength: 2_000 }),
        'Idempotent-Replayed': header('The response is a replay, and nothing was executed.', {
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

/** The sentence about the roles of API keys that permit an operation. */
const rolesText = (roles: string[]): string => `Roles of API keys: ${roles.map((role) => `\`${role}\``).join(', ')}.`;

const headerOf = (examples: Example[], name: string) =>
  examples.find(({ request }) => request.headers?.[name])?.request.headers?.[name];

const header = (description: string, schema: Schema) => ({ description, schema });

const DESCRIPTION = `Manage merchant branches (MID) and their payment terminals (TID), look up reference data, and check loyalty
members. Every request needs the header \`API-KEY\`. A 2xx body is \`{ "data": … }\`; lists add \`links\` and \`meta\`. Errors are
problem details (RFC 9457) with a stable \`code\`. There are no 5xx: an unexpected failure is a 400 with the code
\`server_error\`, and has \`Retry-After\` if a retry can succeed.

White space around a text is trimmed. A blank text is \`null\` if the field is optional, and missing if it is required. A
text must not contain control characters except tabs and line breaks, unpaired surrogates or U+FFFD (422 \`invalid_format\`).
Stored texts must not contain a payment card number (422 \`card_number\`) or an API key (422 \`api_key\`). A body must not have
a key \`__proto__\`. Unknown fields and query parameters are ignored; the response lists them in \`warnings\`.

Later versions may add fields to responses, and codes to errors and warnings: ignore those that you do not know.
\`x-extensible-enum\` lists the codes of this version.

Lengths and patterns describe a text without the white space around it. Patterns use only the syntax that ECMAScript, Go,
Java, .NET, Python and Rust have in common. Formats are annotations.`;
