import { beforeAll, describe, expect, test } from '@jest/globals';
import { createGeneratorSync, type JsonSchema } from 'json-schema-faker';
import { call, OPERATIONS, type Operation, type Request } from '../../../support/api.ts';
import { DESCRIBED, parametersOf } from '../../../support/contract.ts';
import { runs, seed } from '../../../support/depth.ts';
import { newRequests } from '../../../support/requests.ts';
import { EXCLUSIVE, formErrors } from './formErrors.ts';

/*
 * Requests from docs/openapi.json alone, made by a generator that knows nothing of the service. Only the paths are those
 * of existing branches and terminals.
 */

const REQUESTS = runs(30);

/** Field errors that the contract describes in prose: a currency that does not exist, and a blank master merchant. */
const IN_PROSE = ['/currency invalid_format', '/existing_master_merchant required', '/master_merchant_id required'];

const { generate } = createGeneratorSync({ seed, optionalsProbability: 0.7 });

/** Values of some of the parameters in a place. Parameters that exclude each other are not combined. */
function parameters(operation: Operation, place: 'query' | 'header', at: number): Record<string, string> {
  const groups = Object.entries(EXCLUSIVE[operation] ?? {});
  const [only, others = []] = groups[at % groups.length] ?? [];
  const sent = parametersOf(operation).filter(
    ({ in: part, name }) => part === place && (!only || name === only || others.includes(name)),
  );
  const schema = {
    type: 'object',
    properties: Object.fromEntries(sent.map(({ name, schema }) => [name, schema as JsonSchema])),
    required: only ? [only] : [],
  };
  return Object.fromEntries(Object.entries(generate(schema) as object).map(([name, value]) => [name, String(value)]));
}

describe.each(OPERATIONS)('%s', (operation) => {
  let valid: Request;
  beforeAll(async () => {
    valid = await (await newRequests()).requestOf(operation);
  });

  const schema = DESCRIBED.get(operation)?.requestBody?.content['application/json'].schema as JsonSchema | undefined;
  const requests = Array.from({ length: REQUESTS }, (_, at) => ({
    query: parameters(operation, 'query', at),
    headers: Object.fromEntries(
      Object.entries(parameters(operation, 'header', at)).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    ...(schema && { body: generate(schema) }),
  }));

  test('accepts generated requests, except for what the contract says in prose', async () => {
    for (const request of requests) {
      const errors = formErrors(await call(operation, { key: valid.key, path: valid.path, ...request }));
      const unexpected = errors.filter(({ pointer, code }) => !IN_PROSE.includes(`${pointer} ${code}`));
      expect({ request, unexpected }).toEqual({ request, unexpected: [] });
    }
  });
});
