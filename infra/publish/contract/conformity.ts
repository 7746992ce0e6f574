import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isOfConsole } from '../../stack/template/definitions.ts';
import type { AnyStep } from './calls.ts';
import { GENERATED, ROOT, refresh } from './generated.ts';
import type { AnyOperation, ApiResponse } from './invoke.ts';
import { type Example, examplesOf } from './record.ts';
import type { Schema } from './schemas.ts';

/** The parts of the contract that responses are checked against. */
interface Contract {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: { events: { post: Operation } };
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, Described>;
    headers: Record<string, { schema: object }>;
    schemas: Record<string, object>;
    examples?: Record<string, { value: object }>;
  };
}
interface Operation {
  operationId: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } };
  responses: Record<string, Described | { $ref: string }>;
}
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}
interface Described {
  headers: Record<string, { $ref: string }>;
  content: Record<string, { schema: object; examples?: Record<string, { value: object }> }>;
}

// Examples and the like are not keywords of JSON Schema. `npm run lint` checks the schemas themselves: to do so here would
// take each test file a tenth of a second or more.
const ajv = new Ajv2020({
  strict: false,
  meta: false,
  validateSchema: false,
  allErrors: true,
  inlineRefs: false,
  code: { optimize: false },
});
formats.default(ajv);

/**
 * A schema of the contract as strictly as this version of the service follows it: responses have no fields or codes
 * beyond the contract, although clients must expect more in later versions.
 */
function strict(schema: unknown, file: string): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((each) => strict(each, file));
  const { 'x-extensible-enum': words, $ref, ...rest } = schema as Record<string, unknown>;
  return {
    ...($ref !== undefined && { $ref: `/${file}${$ref}` }),
    ...Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, strict(value, file)])),
    ...(words !== undefined && { enum: words }),
    ...([rest['type']].flat().includes('object') && { additionalProperties: false }),
  };
}

interface Checked {
  file: string;
  contract: Contract;
  operations: Map<string, Operation>;
}

/** Reads a contract. Its components are a schema of its own, so that each is compiled once, not with each that refers to it. */
function checked(file: string): Checked {
  const contract: Contract = JSON.parse(readFileSync(ROOT + file, 'utf8'));
  ajv.addSchema({ $id: `/${file}`, components: { schemas: strict(contract.components.schemas, file) } });
  const operations = Object.values(contract.paths).flatMap((path) => Object.values(path));
  return { file, contract, operations: new Map(operations.map((each) => [each.operationId, each])) };
}
refresh();
const PARTNERS = checked('docs/openapi.json');
const CONSOLE = checked(GENERATED.consoleContract);

/** docs/openapi.json, and its operations by operationId, which is the function's name. */
export const { contract: CONTRACT, operations: DESCRIBED } = PARTNERS;

/** The examples of a story, with the bodies of responses that its contract has: that of the console has none. */
export function examplesIn<Name extends AnyOperation>(story: AnyStep<Name>[]): Example<Name>[] {
  // A 200 beside a 201 is the response of a validation.
  const successOf = (operation: Name) => {
    const { responses = {} } = descriptionOf(operation, undefined);
    return Number(Object.keys(responses).findLast((status) => status < '300'));
  };
  return examplesOf(story, successOf).map((example) => {
    const { contract, responses } = descriptionOf(example.operation, undefined);
    const [content] = Object.values(resolved(contract, responses?.[example.status])?.content ?? {});
    const { value } = (example.isGeneral ? contract.components.examples : content?.examples)?.[example.name] ?? {};
    return { ...example, ...(value && { body: value }) };
  });
}

const validators = new Map<object, ValidateFunction>();
function validatorOf(schema: object, file: string): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const validator = ajv.compile(strict(schema, file) as object);
  validators.set(schema, validator);
  return validator;
}

const nameOf = ({ $ref }: { $ref: string }): string => $ref.split('/').at(-1) ?? '';

/** A response of a contract, or the one that it refers to. */
const resolved = ({ components }: Contract, response: Operation['responses'][string] | undefined) =>
  response && '$ref' in response ? components.responses[nameOf(response)] : response;

/** Returns every difference between a delivery to a webhook and docs/openapi.json. */
export function deliveryViolations(body: unknown, headers: Record<string, unknown>): string[] {
  const { parameters = [], requestBody } = CONTRACT.webhooks?.events.post ?? {};
  const parts = [
    ['body', requestBody?.content['application/json'].schema, body] as const,
    ...parameters.flatMap((each) => ('schema' in each ? [[each.name, each.schema, headers[each.name]] as const] : [])),
  ];
  return parts.flatMap(([part, schema, value]) => {
    const isValid = validatorOf(schema ?? {}, PARTNERS.file);
    return isValid(value) ? [] : (isValid.errors ?? []).map((error) => `${part}: ${fieldOf(error, PARTNERS.file)}`);
  });
}

/** Headers with their standard HTTP meaning, which the contract does not describe. */
const OF_HTTP = ['content-type', 'cache-control'];

/** Names the field of an error; for an unexpected one, `additionalProperties` alone would not. */
const fieldOf = ({ instancePath, message, params }: ErrorObject, file: string): string =>
  'additionalProperty' in params
    ? `${instancePath}/${params['additionalProperty']} is not in ${file}: run "npm run contract"`
    : `${instancePath} ${message}`;

/** Problems of requests with a session, which only docs/console.openapi.json has. */
const OF_SESSIONS = ['invalid_session', 'ambiguous_credentials'];

/** What describes the responses of an operation, or one with a problem that its own contract does not have. */
function descriptionOf(operation: AnyOperation, code: string | undefined) {
  const isOwn = isOfConsole(operation) ? code !== 'invalid_api_key' : !OF_SESSIONS.includes(code ?? '');
  const { operations, ...checked } = isOfConsole(operation) === isOwn ? CONSOLE : PARTNERS;
  const { responses } = operations.get(isOwn ? operation : isOfConsole(operation) ? 'listBranches' : 'listKeys') ?? {};
  return { ...checked, responses };
}

/**
 * Returns every difference between a response and the contract: docs/openapi.json or, for the console's operations,
 * docs/console.openapi.json.
 */
export function contractViolations(operation: AnyOperation, { status, headers, body }: ApiResponse): string[] {
  const { file, contract, responses } = descriptionOf(operation, body?.code);
  const response = resolved(contract, responses?.[status]);
  if (!response) return [`${operation} has no response ${status}`];
  const media = response.content[headers['content-type'] ?? ''];
  if (!media) return [`${operation} has no ${headers['content-type']} for ${status}`];
  const isValid = validatorOf(media.schema, file);
  const bodyErrors = isValid(body) ? [] : (isValid.errors ?? []).map((error) => fieldOf(error, file));
  const known = new Map(Object.entries(response.headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]));
  const headerErrors = Object.entries(headers).flatMap(([name, value]) => {
    if (OF_HTTP.includes(name)) return [];
    const { schema } = contract.components.headers[nameOf({ $ref: known.get(name) ?? '' })] ?? {};
    if (!schema) return [`header ${name} is not described`];
    const isNumber = 'type' in schema && schema.type === 'integer';
    return validatorOf(schema, file)(isNumber ? Number(value) : value) ? [] : [`header ${name} is ${value}`];
  });
  return [...bodyErrors, ...headerErrors];
}
