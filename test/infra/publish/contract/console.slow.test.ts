import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { consoleTypes } from '../../../../infra/publish/contract/client.ts';
import { CONSOLE } from '../../../../infra/publish/contract/console.ts';
import { CONSOLE_OPERATIONS } from '../../../../infra/publish/contract/invoke.ts';
import { openapi } from '../../../../infra/publish/contract/openapi.ts';
import { CHANGES } from '../../../../lib/http/authorize.ts';
import { setClock } from '../../../support/clock.ts';
import { CONSOLE_CONTRACT, CONSOLE_EXAMPLES, contractViolations } from '../../../support/contract.ts';

// Functions read their settings when they are imported, and responses hold URLs.
process.env['BASE_URL'] = 'https://api.acquirer.example';
const { recordConsole } = await import('../../../../infra/publish/contract/record.ts');

afterAll(() => {
  jest.useRealTimers();
});

test('docs/console.openapi.json is up to date with the code and the examples; if not, run npm run contract', async () => {
  expect(CONSOLE_CONTRACT).toEqual(JSON.parse(JSON.stringify(await openapi(CONSOLE, CONSOLE_EXAMPLES))));
});

test('functions/console/app/schema.d.ts is up to date with the contract; if not, run npm run contract', async () => {
  expect(readFileSync('functions/console/app/schema.d.ts', 'utf8')).toBe(await consoleTypes(CONSOLE_CONTRACT));
});

test('infra/publish/contract/consoleExamples.json is what the service responds; if it is stale, run `npm run contract`', async () => {
  const recorded = await recordConsole(setClock);
  jest.useRealTimers();
  expect(CONSOLE_EXAMPLES).toEqual(recorded);
});

/** What the contract says of an operation, and its route. */
interface Described {
  route: string;
  parameters: { $ref?: string }[];
  'x-roles': string[];
  responses: Record<string, { content?: Record<string, { schema: { properties: { code: Codes } } }> }>;
}
interface Codes {
  'x-extensible-enum': string[];
}

const DESCRIBED = Object.fromEntries(
  Object.entries(CONSOLE_CONTRACT.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, Described] => [
      operation.operationId,
      { ...(operation as unknown as Described), route: `${method.toUpperCase()} ${path}` },
    ]),
  ),
);

/** The codes of problems that an operation can have, by status. */
const codesOf = ({ responses }: Described, status: number): string[] =>
  responses[status]?.content?.['application/problem+json']?.schema.properties.code['x-extensible-enum'] ?? [];

test('has the operations of the console, and no others', () => {
  expect(Object.keys(DESCRIBED).sort()).toEqual([...CONSOLE_OPERATIONS].sort());
});

describe.each(CONSOLE_OPERATIONS)('%s', (operation) => {
  const examples = CONSOLE_EXAMPLES.filter((example) => example.operation === operation);
  const described = DESCRIBED[operation] as Described;
  const isOfSession = operation === 'getSession' || operation === 'signOut';
  const isOfAdmins = !isOfSession && operation !== 'search' && operation !== 'listActivity';

  test('has an example of a success, and each example matches the contract', () => {
    expect(examples.filter(({ status }) => status < 300)).not.toEqual([]);
    for (const { status, body } of examples) {
      const type = status < 300 ? 'application/json' : 'application/problem+json';
      expect(contractViolations(operation, { status, headers: { 'content-type': type }, body })).toEqual([]);
    }
  });

  test('needs Acting-As, and states its roles', () => {
    const name = isOfSession ? 'Acting-As-None' : 'Acting-As';
    expect(described.parameters).toContainEqual({ $ref: `#/components/parameters/${name}` });
    expect(described['x-roles']).toEqual(isOfAdmins ? ['admin'] : ['viewer', 'operator', 'admin']);
  });

  test('has a 401 and, if it is for admins, a 403', () => {
    expect(codesOf(described, 401)).toEqual(['invalid_session']);
    expect(codesOf(described, 403)).toEqual([
      ...(isOfAdmins ? ['insufficient_permission'] : []),
      ...(isOfAdmins && CHANGES.test(described.route) ? ['sign_in_again'] : []),
    ]);
  });
});
