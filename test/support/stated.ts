import * as v from 'valibot';
import { type AnyOperation, moduleOf } from '../../infra/publish/contract/invoke.ts';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { type QuerySchema, type RequestSchema, schemaFor } from '../../lib/http/requestSchema.ts';
import { type Cost, type StatedCost, statedCost, tokensOf } from '../../lib/limits/cost.ts';
import type { Request } from './api.ts';

interface Stating {
  schemas: { query?: QuerySchema; body?: RequestSchema };
  cost: StatedCost<{ query: unknown }>;
}

/** What an operation states that a request costs. */
export async function statedFor(
  acquirer: Pick<Acquirer, 'id' | 'type'>,
  operation: AnyOperation,
  { path = {}, query = {}, body = {}, headers = {} }: Request,
): Promise<Cost> {
  const { schemas, cost } = (await moduleOf(operation)).handler as unknown as Stating;
  const parsed = (schema: RequestSchema | undefined, value: unknown) =>
    schema && v.parse(schemaFor(acquirer as Acquirer, schema), value);
  return statedCost(cost, {
    acquirer,
    headers,
    pathParameters: path,
    query: parsed(schemas.query as RequestSchema | undefined, query),
    options: { validate_only: query['validate_only'] === 'true' },
    body: parsed(schemas.body, JSON.parse(JSON.stringify(body))),
  } as never);
}

export const weightOf = async (...request: Parameters<typeof statedFor>): Promise<number> =>
  tokensOf(await statedFor(...request));
