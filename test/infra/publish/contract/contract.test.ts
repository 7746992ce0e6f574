import { readFileSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { GENERATED, refresh, STAMP, stampOf } from '../../../../infra/publish/contract/generated.ts';
import { CONSOLE_OPERATIONS } from '../../../../infra/publish/contract/invoke.ts';
import { openapi } from '../../../../infra/publish/contract/openapi.ts';
import { PARTNERS } from '../../../../infra/publish/contract/partners.ts';
import type { AnyExample } from '../../../../infra/publish/contract/record.ts';
import { call, OPERATIONS, type Operation, type Request } from '../../../support/api.ts';
import { setClock } from '../../../support/clock.ts';
import { contractViolations, DESCRIBED, isChange, routeParameter } from '../../../support/contract.ts';
import { useOwnTable } from '../../../support/table.ts';
import { newAcquirer, unique } from '../../../support/world.ts';

// Functions read their settings when they are imported, and responses hold URLs.
process.env['BASE_URL'] = 'https://api.acquirer.example';
const { record, recordConsole } = await import('../../../../infra/publish/contract/record.ts');

afterEach(() => {
  jest.useRealTimers();
});

/** What recorded responses have that the contract does not, and the operations that never succeed. */
const faultsOf = (examples: AnyExample[], operations: readonly string[]) => ({
  violations: examples.flatMap(({ operation, name, status, body }) => {
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    const found = contractViolations(operation, { status, headers: { 'content-type': type }, body });
    return found.map((violation) => `${operation} ${name}: ${violation}`);
  }),
  withoutSuccess: operations.filter(
    (name) => !examples.some(({ operation, status }) => operation === name && status < 300),
  ),
});
const NONE = { violations: [], withoutSuccess: [] };

describe('the story of partners', () => {
  useOwnTable();

  test('gives docs/openapi.json with the schemas and texts of the code; if not, run npm run contract', async () => {
    const examples = await record(setClock);
    expect(faultsOf(examples, OPERATIONS)).toEqual(NONE);
    const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    expect(written).toEqual(JSON.parse(JSON.stringify(await openapi(PARTNERS, examples))));
  });
});

describe('the story of the console', () => {
  useOwnTable();

  test('has a success of each operation, and only responses that its contract allows', async () => {
    expect(faultsOf(await recordConsole(setClock), CONSOLE_OPERATIONS)).toEqual(NONE);
  });
});

test('generated files are made again when they are stale', () => {
  const read = () => Object.values(GENERATED).map((file) => readFileSync(file, 'utf8'));
  const before = read();
  rmSync(STAMP);
  refresh();
  expect(readFileSync(STAMP, 'utf8')).toBe(stampOf());
  expect(read()).toEqual(before);
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

describe('links of the contract', () => {
  /** The value of a runtime expression of the form `$response.body#/…`. */
  const resolved = (expression: string, body: unknown) =>
    expression
      .replace('$response.body#/', '')
      .split('/')
      .reduce((value, key) => (value as Record<string, unknown>)[key], body) as string;

  /** The operations to which an operation links, with the value of their parameter in a response. */
  const linksOf = (from: Operation, body: unknown): [to: Operation, value: string][] =>
    Object.values(DESCRIBED.get(from)?.responses ?? {}).flatMap((response) =>
      Object.values('links' in response ? (response.links ?? {}) : {}).map(
        ({ operationId, parameters: { ...parameters } }): [Operation, string] => [
          operationId as Operation,
          resolved(String(Object.values(parameters)[0]), body),
        ],
      ),
    );

  test('lead to what a response shows', async () => {
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const mid = unique('MID');
    const terminals = () => ({ terminals: [{ terminal_id: unique('T') }] });
    const requests: [Operation, Omit<Request, 'key'>][] = [
      ['createBranch', { body: { mid, master_merchant_id: unique('MM'), ...terminals() } }],
      ['createTerminals', { path: { id: mid }, body: terminals() }],
      ['listTerminals', { path: { id: mid } }],
      ['listBranches', {}],
    ];
    for (const [from, request] of requests) {
      const links = linksOf(from, (await call(from, { key, ...request })).body);
      expect(links.length).toBeGreaterThan(5);
      for (const [to, value] of links) {
        const path = { [routeParameter(to)]: value };
        // Nothing is changed, so that all can be followed.
        const query = isChange(to) ? { validate_only: 'true' } : {};
        const { status } = await call(to, { key, path, query, body: { reason: 'Sent to repair', mid } });
        expect([from, to, status]).not.toEqual([from, to, 404]);
      }
    }
  });
});
