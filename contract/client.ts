import openapiTS, { astToString } from 'openapi-typescript';

const MADE_BY = `/** Types of the API, made from docs/openapi.json by openapi-typescript. Do not change them here. */\n\n`;

/**
 * The contract's types for TypeScript, as `openapi-fetch` takes them.
 *
 * @param contract The contract as JSON has it.
 */
export const clientTypes = async (contract: object): Promise<string> =>
  MADE_BY + astToString(await openapiTS(JSON.stringify(contract)));
