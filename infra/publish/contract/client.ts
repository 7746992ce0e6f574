import openapiTS, { astToString, STRING, tsIntersection, tsLiteral, tsUnion } from 'openapi-typescript';
import ts from 'typescript';
import { interfacePaths } from './paths.ts';
import type { Schema } from './schemas.ts';

const header = (file: string) =>
  `/** Types of the API, generated from ${file} by openapi-typescript. Do not edit. */\n\n`;
const PROBLEM = 'application/problem+json';

/**
 * The contract with one schema for all problems, so that `error.code` and `error.errors` compile without a cast. The
 * client throws on a gateway's own error responses, so their body needs no type.
 */
function withOneProblem(contract: object): object {
  const simpler = structuredClone(contract) as { components: { schemas: Record<string, Schema> } };
  const { Problem, ValidationProblem, ...schemas } = simpler.components.schemas;
  const { errors } = ValidationProblem?.properties ?? {};
  const problem = { ...Problem, properties: { ...Problem?.properties, ...(errors && { errors }) } };
  simpler.components.schemas = { ...schemas, Problem: problem };
  return JSON.parse(JSON.stringify(simpler), (name, value) =>
    name === 'content' && PROBLEM in value
      ? { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' } } }
      : value,
  );
}

/** The parts of the contract that name path parameters. */
interface Named {
  paths: Record<string, Record<string, object>>;
}

/** `string & {}`: a union with `string` itself would lose its literals. */
const OTHER_TEXT = tsIntersection([STRING, ts.factory.createTypeLiteralNode([])]);

/** An object of which one of several fields is required. */
interface Conditional {
  anyOf: { required: string[] }[];
  properties: object;
}

/**
 * Moves `anyOf` beside `properties` into `allOf`, because the generator would make it an alternative to the properties,
 * and gives a type to its fields, which must not be `null`.
 */
const conditions = (_: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('anyOf' in value && 'properties' in value)) return value;
  const { anyOf, ...object } = value as Conditional;
  const given = anyOf.map(({ required }) => ({
    type: 'object',
    required,
    properties: Object.fromEntries(required.map((name) => [name, { type: 'string' }])),
  }));
  return { ...object, allOf: [{ anyOf: given }] };
};

/**
 * Generates TypeScript types for `openapi-fetch`. Codes are the known literals or any other string, because later versions
 * may add codes.
 */
const typesOf = async (contract: object, file: string): Promise<string> =>
  header(file) +
  astToString(
    await openapiTS(JSON.stringify(withOneProblem(contract), conditions), {
      transform: (schema) => {
        const codes: string[] | undefined = Reflect.get(schema, 'x-extensible-enum');
        return codes && tsUnion([...codes.map(tsLiteral), OTHER_TEXT]);
      },
    }),
  );

/**
 * Generates the types of docs/openapi.json.
 *
 * @param contract The contract, parsed from JSON.
 */
export const clientTypes = <C extends Named>(contract: C): Promise<string> =>
  typesOf({ ...contract, paths: interfacePaths(contract.paths) }, 'docs/openapi.json');

/**
 * Generates the types of docs/console.openapi.json. They leave out the header `Acting-As`, which a client sends with every
 * request, so that calls need not repeat it. One client can also have the operations of docs/openapi.json: its `paths` are
 * those of both.
 *
 * @param contract The contract, parsed from JSON.
 */
export const consoleTypes = (contract: Named): Promise<string> =>
  typesOf(
    JSON.parse(JSON.stringify(contract), (name, value) =>
      name === 'parameters' && Array.isArray(value) ? value.filter((each) => !isActingAs(each)) : value,
    ),
    'docs/console.openapi.json',
  );

/** Whether a parameter of an operation is `Acting-As`. */
const isActingAs = ({ $ref = '' }: { $ref?: string }): boolean => /\/Acting-As(?:-None)?$/.test($ref);
