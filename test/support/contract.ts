import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer, Operation } from './invoke.ts';

/** The parts of the contract that answers are held against. */
interface Contract {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, Described | { $ref: string }> }>
  >;
  components: {
    responses: Record<string, Described>;
    headers: Record<string, { schema: object }>;
    schemas: Record<string, object>;
  };
}
interface Described {
  headers: Record<string, { $ref: string }>;
  content: Record<string, { schema: object }>;
}

/** docs/openapi.json. */
export const CONTRACT: Contract = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

/** The operations of the contract by their ids, which are the functions' names. */
export const DESCRIBED = new Map(
  Object.values(CONTRACT.paths).flatMap((path) => Object.values(path).map((each) => [each.operationId, each] as const)),
);

// Examples and the like are no keywords of JSON Schema.
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

const validators = new Map<object, ValidateFunction>();
/** References of a schema are to the contract's components. */
function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const validator = ajv.compile({ ...schema, components: CONTRACT.components });
  validators.set(schema, validator);
  return validator;
}

const nameOf = ({ $ref }: { $ref: string }): string => $ref.split('/').at(-1) ?? '';

/** Headers that mean what HTTP says, and that a contract does not tell of. */
const OF_HTTP = ['content-type', 'cache-control'];

/** What of an answer is not as the contract has it. */
export function contractFaults(operation: Operation, { status, headers, body }: Answer): string[] {
  const response = DESCRIBED.get(operation)?.responses[status];
  const described = response && '$ref' in response ? CONTRACT.components.responses[nameOf(response)] : response;
  if (!described) return [`${operation} has no answer ${status}`];
  const media = described.content[headers['content-type'] ?? ''];
  if (!media) return [`${operation} has no ${headers['content-type']} for ${status}`];
  const isValid = validatorOf(media.schema);
  const faults = isValid(body) ? [] : (isValid.errors ?? []).map((each) => `${each.instancePath} ${each.message}`);
  const known = new Map(Object.entries(described.headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]));
  const headerFaults = Object.entries(headers).flatMap(([name, value]) => {
    if (OF_HTTP.includes(name)) return [];
    const { schema } = CONTRACT.components.headers[nameOf({ $ref: known.get(name) ?? '' })] ?? {};
    if (!schema) return [`header ${name} is not described`];
    const isNumber = 'type' in schema && schema.type === 'integer';
    return validatorOf(schema)(isNumber ? Number(value) : value) ? [] : [`header ${name} is ${value}`];
  });
  return [...faults, ...headerFaults];
}
