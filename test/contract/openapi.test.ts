import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { openapi } from '../../contract/openapi.ts';
import { ENDPOINTS } from '../../infra/generated/definitions.ts';
import { OPERATIONS, STATUSES } from '../support/api.ts';
import { CONTRACT, contractFaults, DESCRIBED } from '../support/contract.ts';

test('docs/openapi.json is what `npm run contract` makes of the code', async () => {
  const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(await openapi())));
});

test('the contract has every route that is deployed, and no other', () => {
  const routes = Object.entries(ENDPOINTS).flatMap(([name, { events }]) =>
    name === 'unknownRoute' ? [] : [`${name} ${events[0].httpApi}`],
  );
  const described = Object.entries(CONTRACT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(routes.sort());
});

test.each(OPERATIONS)('%s has the statuses of the interface, and that of a rate limit', (operation) => {
  const statuses = Object.keys(DESCRIBED.get(operation)?.responses ?? {}).map(Number);
  expect(statuses.sort()).toEqual([...STATUSES[operation]].sort());
});

describe('an answer that is not in the contract', () => {
  const headers = { 'content-type': 'application/json', 'x-request-id': 'id' };
  const body = { data: { tid: '7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a', terminal_id: 'T1' } };

  test('is found out by its status, type, fields and headers', () => {
    expect(contractFaults('deleteTerminal', { status: 200, headers, body })).toEqual([]);
    expect(contractFaults('deleteTerminal', { status: 204, headers, body })).toEqual([
      'deleteTerminal has no answer 204',
    ]);
    expect(contractFaults('deleteTerminal', { status: 404, headers, body })).toEqual([
      'deleteTerminal has no application/json for 404',
    ]);
    expect(contractFaults('deleteTerminal', { status: 200, headers, body: { data: { tid: 'x', more: 1 } } })).toEqual([
      "/data must have required property 'terminal_id'",
      '/data must NOT have additional properties',
      '/data/tid must match format "uuid"',
    ]);
    expect(contractFaults('deleteTerminal', { status: 200, headers: { ...headers, 'x-more': '1' }, body })).toEqual([
      'header x-more is not described',
    ]);
  });
});
