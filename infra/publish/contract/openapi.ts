import { readFileSync } from 'node:fs';
import { type Permission, rolesWith } from '../../../lib/acquirers/roles.ts';
import { UUID } from '../../../lib/base/mid.ts';
import { shownMid, uuidValue } from '../../../lib/base/values.ts';
import type { Contract } from '../../../lib/http/contract.ts';
import { ChangeQuery } from '../../../lib/http/query.ts';
import { OPERATIONS, routeKey } from '../../stack/template/definitions.ts';
import type { AnyStep } from './calls.ts';
import { type AnyOperation, moduleOf } from './invoke.ts';
import { contractRoute, ID_REMARKS } from './paths.ts';
import { problemSchemas } from './problems.ts';
import { type AnyExample, examplesOf } from './record.ts';
import { bodyOf, queryOf } from './requests.ts';
import { namedExamples, responsesOf, tooManyRequests } from './responses.ts';
import { descriptionsOf, mapped, responseSchema, type Schema } from './schemas.ts';

/*
 * The contracts docs/openapi.json (partners.ts) and docs/console.openapi.json (console.ts) are generated from the code's
 * schemas and routes, the texts beside each handler and in schemas.ts, and recorded examples.
 */

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

/** What the parameters and general problems of an operation depend on. */
interface Described {
  contract: Contract;
  isIdempotent: true | undefined;
  body: unknown;
  isChange: boolean;
  needs: Permission | undefined;
  method: string;
  /** Whether a role does not permit it. */
  isRestricted: boolean;
}

/** Which operations have a parameter in a header. */
const HAS_PARAMETER: Record<string, (operation: Described) => unknown> = {
  'Idempotency-Key': ({ isIdempotent }) => isIdempotent,
  'If-Match': ({ contract }) => contract.isConditional,
  'Acting-As': ({ needs }) => needs,
  'Acting-As-None': ({ needs }) => !needs,
};

/** Which operations can have a general problem, by the name of its example. All can have the others. */
const HAS_PROBLEM: Record<string, (operation: Described) => unknown> = {
  malformed_json: ({ body }) => body,
  // A response of its own.
  rate_limited: () => false,
  invalid_idempotency_key: ({ isIdempotent }) => isIdempotent,
  idempotency_key_reused: ({ isIdempotent }) => isIdempotent,
  precondition_failed: ({ contract }) => contract.isConditional,
  // Changes of a branch, or of a terminal of it.
  partnership_ended: ({ contract, isChange }) => isChange && contract.path && contract.tag !== 'Webhooks',
  invalid_validate_only: ({ isChange }) => isChange,
  unknown_parameter: ({ method }) => method !== 'GET',
  misplaced_check: ({ method }) => method !== 'GET',
  insufficient_permission: ({ isRestricted }) => isRestricted,
  sign_in_again: ({ needs, method }) => needs === 'administer' && method !== 'GET',
};

export interface ContractDescription {
  info: { title: string; summary: string; description: string };
  tags: { name: Contract['tag']; description: string }[];
  /** The operations, in this order. */
  operations: readonly AnyOperation[];
  /** The story, which determines the problems of each operation. */
  story: AnyStep<AnyOperation>[];
  /** The roles that operations can require, and who has them. */
  roles: Parameters<typeof rolesWith>[0];
  rolesOf: string;
  securitySchemes: Record<string, object>;
  /** Parameters by name, with the value of the example if it is recorded. */
  parameters: (example: (header: string) => unknown) => Record<string, { name: string; in: 'header' } & object>;
  schemas: Record<string, Schema>;
  /** What the service sends to its callers, made of the recorded examples. */
  webhooks?: (examples: AnyExample[]) => object;
  /** Descriptions of fields in requests: see {@link descriptionsOf}. */
  requestFields: Record<string, string>;
  fieldErrors: string[];
}

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

const withDescriptions = (schema: Schema, descriptionOf: (field: string) => string): Schema => ({
  ...schema,
  ...(schema.items && { items: withDescriptions(schema.items, descriptionOf) }),
  ...(schema.properties && {
    properties: mapped(schema.properties, (property, name) => ({
      ...withDescriptions(property, descriptionOf),
      description: descriptionOf(name),
    })),
  }),
});

/**
 * Generates a contract (OpenAPI 3.1). The functions' settings must be in the environment.
 *
 * @param recorded The recorded story. Without it, the contract has no examples of responses.
 */
export async function openapi(description: ContractDescription, recorded?: AnyExample[]): Promise<Schema> {
  const paths: Record<string, Record<string, unknown>> = {};
  const operations = await Promise.all(
    description.operations.map(async (operationId) => {
      const { handler, contract } = await moduleOf(operationId);
      const { route, parameters } = contractRoute(routeKey(operationId), contract.path);
      return { operationId, route, handler, contract: { ...contract, path: parameters } };
    }),
  );
  const descriptionOf = descriptionsOf(description.schemas, description.requestFields);
  const contracts = Object.fromEntries(operations.map(({ operationId, contract }) => [operationId, contract]));
  const examples = recorded ?? examplesOf(description.story, (name) => contracts[name]?.success.status ?? 0);
  const headerParameters = description.parameters(
    (name) => examples.find(({ request }) => request.headers?.[name])?.request.headers?.[name],
  );
  for (const { operationId, route, handler, contract } of operations) {
    const { query, body } = handler.schemas;
    const { needs, isIdempotent } = handler;
    const [method = '', path = ''] = route.split(' ');
    const { tag, summary, path: parameters } = contract;
    const { data } = contract.success;
    const isChange = query === ChangeQuery;
    const roles = needs ? rolesWith(description.roles, needs) : description.roles;
    const isRestricted = roles.length < description.roles.length;
    const described: Described = { contract, isIdempotent, body, isChange, needs, method, isRestricted };
    const own = examples.filter(({ operation, isGeneral }) => operation === operationId && !isGeneral);
    const bodySchema = body && withDescriptions(bodyOf(body), (field) => descriptionOf(field, data));
    const successes = own.filter(({ status }) => status < 300);
    const general = examples.filter(
      ({ isGeneral, name }) => isGeneral && (HAS_PROBLEM[name] ?? (() => true))(described),
    );
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      operationId,
      tags: [tag],
      summary,
      description: `${contract.description}\n\n${rolesText(description.rolesOf, roles)}`,
      // The roles that permit it.
      'x-roles': roles,
      parameters: [
        ...Object.entries(parameters).map(([name, kind]) => ({
          name,
          in: 'path',
          required: true,
          ...pathParameter(name, kind),
          // A route has at most one, whose name may differ.
          ...namedExamples(successes, ({ request }) => Object.values(request.path ?? {})[0]),
        })),
        ...(query ? queryOf(query) : []).map((parameter) => ({
          ...parameter,
          // Of the first request only, because parameters may exclude each other.
          ...namedExamples(successes.slice(0, 1), ({ request }) => {
            const value = request.query?.[parameter.name];
            return value !== undefined && parameter.schema.type === 'integer' ? Number(value) : value;
          }),
        })),
        ...Object.keys(headerParameters).flatMap((name) =>
          HAS_PARAMETER[name]?.(described) ? [{ $ref: `#/components/parameters/${name}` }] : [],
        ),
      ],
      ...(bodySchema && {
        requestBody: {
          // An absent body is `{}`.
          required: 'required' in bodySchema,
          content: {
            'application/json': { schema: bodySchema, ...namedExamples(successes, ({ request }) => request.body) },
          },
        },
      }),
      responses: responsesOf(contract, {
        examples: [...own, ...general],
        isChange,
        isIdempotent,
        isOfAcquirer: needs !== undefined || operationId in OPERATIONS,
      }),
    };
  }
  const { info, tags, securitySchemes, fieldErrors } = description;
  const codes = examples.flatMap(({ code }) => code ?? []);
  const responses = { TooManyRequests: tooManyRequests(examples.filter(({ status }) => status === 429)) };
  const used = JSON.stringify([paths, responses]);
  const schemas: Record<string, Schema> = { ...description.schemas, ...problemSchemas(codes, fieldErrors) };
  for (const [, name = ''] of JSON.stringify([paths, schemas]).matchAll(/#\/components\/schemas\/(\w+)"/g))
    if (!schemas[name])
      throw new Error(
        `"${info.title}" lacks the schema ${name}: add it to its schemas in infra/publish/contract/schemas.ts.`,
      );
  const shared = examples.filter(({ isGeneral, body }) => isGeneral && body);
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: VERSION,
      summary: info.summary,
      description: info.description,
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
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags,
    paths,
    ...(description.webhooks && { webhooks: description.webhooks(examples) }),
    components: {
      securitySchemes,
      parameters: headerParameters,
      headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => used.includes(`/headers/${name}"`))),
      responses,
      ...(shared.length > 0 && {
        examples: Object.fromEntries(shared.map(({ name, body }) => [name, { value: body }])),
      }),
      schemas,
    },
  };
}

/** The sentence about the roles that permit an operation. */
const rolesText = (of: string, roles: readonly string[]): string =>
  `Roles of ${of}: ${roles.map((role) => `\`${role}\``).join(', ')}.`;

const header = (description: string, schema: Schema) => ({ description, schema });

const HEADERS = {
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
    'The state of the branch, terminal or webhook, for `If-Match` (RFC 9110 §8.8.3): `updated_at` and, if it is archived, `/` and `archived_at`, in quotation marks.',
    { type: 'string', pattern: '^"[0-9TZ:./-]+"$', maxLength: 64 },
  ),
  Location: header('URL of the created resource.', { type: 'string', format: 'uri', maxLength: 2_000 }),
  'Idempotent-Replayed': header('The response is a replay, and nothing was executed.', {
    type: 'string',
    const: 'true',
  }),
};
