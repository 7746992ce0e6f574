import openapiTS, { astToString, STRING, tsIntersection, tsLiteral, tsUnion } from 'openapi-typescript';
import ts from 'typescript';
import type { Schema } from './schemas.ts';

const PROBLEM = 'application/problem+json';

/**
 * The contract with one schema for all problems, so that `error.code` and `error.errors` compile without a cast. The
 * client throws on a gateway's own error responses, so their body needs no type. The header `Acting-As` is left out: a
 * client sends it with every request.
 */
function simpler(contract: Contract): object {
  const { Problem, ValidationProblem, ...schemas } = contract.components.schemas;
  const { errors } = ValidationProblem?.properties ?? {};
  const problem = { ...Problem, properties: { ...Problem?.properties, ...(errors && { errors }) } };
  const components = { ...contract.components, schemas: { ...schemas, Problem: problem } };
  return JSON.parse(JSON.stringify({ ...contract, components }), (name, value) => {
    if (name === 'content' && PROBLEM in value)
      return { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' } } };
    return name === 'parameters' && Array.isArray(value) ? value.filter((each) => !isActingAs(each)) : value;
  });
}

/** The parts of a contract that change. */
interface Contract {
  components: { schemas: Record<string, Schema> };
}

/** Whether a parameter of an operation is `Acting-As`. */
const isActingAs = ({ $ref = '' }: { $ref?: string }): boolean => /\/Acting-As(?:-None)?$/.test($ref);

/** `string & {}`: a union with `string` itself would lose its literals. */
const OTHER_TEXT = tsIntersection([STRING, ts.factory.createTypeLiteralNode([])]);

/**
 * Moves `anyOf` beside `properties` into `allOf`, because the generator would make it an alternative to the properties,
 * and gives a type to its fields, which must not be `null`.
 */
const conditions = (_: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('anyOf' in value && 'properties' in value)) return value;
  const { anyOf, ...object } = value as { anyOf: { required: string[] }[] };
  const given = anyOf.map(({ required }) => {
    const properties = Object.fromEntries(required.map((name) => [name, { type: 'string' }]));
    return { type: 'object', required, properties };
  });
  return { ...object, allOf: [{ anyOf: given }] };
};

/**
 * Generates TypeScript types for `openapi-fetch`. Codes are the known literals or any other string, because later versions
 * may add codes.
 *
 * @param contract The contract, parsed from JSON.
 * @param file Its name.
 */
export async function typesOf(contract: Contract, file: string): Promise<string> {
  const types = await openapiTS(JSON.stringify(simpler(contract), conditions), {
    transform: (schema) => {
      const codes: string[] | undefined = Reflect.get(schema, 'x-extensible-enum');
      return codes && tsUnion([...codes.map(tsLiteral), OTHER_TEXT]);
    },
  });
  return `/** Types of the API, generated from ${file} by openapi-typescript. Do not edit. */\n\n${astToString(types)}`;
}
