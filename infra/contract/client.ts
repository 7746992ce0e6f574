import openapiTS, { astToString, STRING, tsIntersection, tsLiteral, tsUnion } from 'openapi-typescript';
import ts from 'typescript';
import type { Schema } from './schemas.ts';

const MADE_BY = `/** Types of the API, made from docs/openapi.json by openapi-typescript. Do not change them here. */\n\n`;
const PROBLEM = 'application/problem+json';

/**
 * The contract with one type for every error response, so that `error.code` and `error.errors` compile without a cast. The
 * client throws on what a gateway refuses, so a gateway's own body has no type.
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

/** Any other text too, as `string & {}`: a union with `string` itself would lose its words. */
const OTHER_TEXT = tsIntersection([STRING, ts.factory.createTypeLiteralNode([])]);

/** The generator takes `anyOf` beside `properties` for an alternative to them; in `allOf` it is a further condition. */
const conditions = (_: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('anyOf' in value && 'properties' in value)) return value;
  const { anyOf, ...object } = value;
  return { ...object, allOf: [{ anyOf }] };
};

/**
 * The contract's types for TypeScript, as `openapi-fetch` takes them. A code is one of the known words, or any other text,
 * because later versions may add codes.
 *
 * @param contract The contract as JSON has it.
 */
export const clientTypes = async (contract: object): Promise<string> =>
  MADE_BY +
  astToString(
    await openapiTS(JSON.stringify(withOneProblem(contract), conditions), {
      transform: (schema) => {
        const codes: string[] | undefined = Reflect.get(schema, 'x-extensible-enum');
        return codes && tsUnion([...codes.map(tsLiteral), OTHER_TEXT]);
      },
    }),
  );
