import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { openapi } from '../../../../infra/publish/contract/openapi.ts';
import { PARTNERS } from '../../../../infra/publish/contract/partners.ts';
import { call, OPERATIONS, type Operation } from '../../../support/api.ts';
import { contractViolations, DESCRIBED, EXAMPLES, routeParameter } from '../../../support/contract.ts';
import { newAcquirer, unique } from '../../../support/world.ts';

test('docs/openapi.json is up to date with the code and the examples; if not, run npm run contract', async () => {
  const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(await openapi(PARTNERS, EXAMPLES))));
});

const JSON_TYPE = { 'content-type': 'application/json', 'x-request-id': 'id' };
const DELETED = { data: { tid: '7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a', terminal_id: 'T1' } };

test.each([
  ['nothing', 200, JSON_TYPE, DELETED, []],
  ['its status', 204, JSON_TYPE, DELETED, ['deleteTerminal has no response 204']],
  ['its content type', 404, JSON_TYPE, DELETED, ['deleteTerminal has no application/json for 404']],
  [
    'its fields',
    200,
    JSON_TYPE,
    { data: { tid: 'x', more: 1 } },
    [
      "/data must have required property 'terminal_id'",
      '/data/more is not in docs/openapi.json: run "npm run contract"',
      '/data/tid must match format "uuid"',
    ],
  ],
  ['its headers', 200, { ...JSON_TYPE, 'x-more': '1' }, DELETED, ['header x-more is not described']],
])('a response can violate the contract by %s', (_, status, headers, body, violations) => {
  expect(contractViolations('deleteTerminal', { status, headers, body })).toEqual(violations);
});

describe('a link of the contract can be followed:', () => {
  const LINKS = OPERATIONS.flatMap((operation) =>
    Object.values(DESCRIBED.get(operation)?.responses ?? {}).flatMap((response) =>
      'links' in response
        ? Object.values(response.links ?? {}).map(({ operationId, parameters }) => [operation, operationId, parameters])
        : [],
    ),
  ) as [from: Operation, to: Operation, parameters: Record<string, string>][];

  /** The value of a runtime expression of the form `$response.body#/…`. */
  const resolved = (expression: string, body: unknown) =>
    expression
      .replace('$response.body#/', '')
      .split('/')
      .reduce((value, key) => (value as Record<string, unknown>)[key], body) as string;

  test.each(LINKS)('from %s to %s', async (from, to, parameters) => {
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const terminals = () => ({ terminals: [{ terminal_id: unique('T') }] });
    const branch = { mid: unique('MID'), master_merchant_id: unique('MM'), ...terminals() };
    const created = await call('createBranch', { key, body: branch });
    const path = { id: branch.mid };
    const { body } = from === 'createBranch' ? created : await call(from, { key, path, body: terminals() });
    const [expression = ''] = Object.values(parameters);
    const linked = { [routeParameter(to)]: resolved(expression, body) };
    const { status } = await call(to, { key, path: linked, body: { reason: 'Sent to repair' } });
    expect(status).not.toBe(404);
  });
});
