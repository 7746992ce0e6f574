import { readFileSync, rmSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import { STORY } from '../../../../infra/publish/contract/calls.ts';
import { CONSOLE_STORY } from '../../../../infra/publish/contract/consoleCalls.ts';
import { GENERATED, refresh, STAMP, stampOf } from '../../../../infra/publish/contract/generated.ts';
import { CONSOLE_OPERATIONS } from '../../../../infra/publish/contract/invoke.ts';
import { openapi } from '../../../../infra/publish/contract/openapi.ts';
import { PARTNERS } from '../../../../infra/publish/contract/partners.ts';
import { OPERATIONS } from '../../../support/api.ts';
import { setClock } from '../../../support/clock.ts';
import { contractViolations } from '../../../support/contract.ts';

// Functions read their settings when they are imported, and responses hold URLs.
process.env['BASE_URL'] = 'https://api.acquirer.example';
const { record } = await import('../../../../infra/publish/contract/record.ts');

test('the story gives docs/openapi.json, which allows its responses; if not, run npm run contract', async () => {
  const examples = await record(setClock);
  jest.useRealTimers();
  for (const { operation, name, status, body } of examples) {
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    const response = { status, headers: { 'content-type': type }, body };
    expect([operation, name, contractViolations(operation, response)]).toEqual([operation, name, []]);
  }
  const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(await openapi(PARTNERS, examples))));
});

test('each operation succeeds in a story', () => {
  const succeeding = [...STORY, ...CONSOLE_STORY].filter(({ code }) => !code).map(({ operation }) => operation);
  expect([...OPERATIONS, ...CONSOLE_OPERATIONS].filter((operation) => !succeeding.includes(operation))).toEqual([]);
});

test('generated files are made again when they are stale', () => {
  const read = () => Object.values(GENERATED).map((file) => readFileSync(file, 'utf8'));
  const before = read();
  rmSync(STAMP);
  refresh();
  expect(readFileSync(STAMP, 'utf8')).toBe(stampOf());
  expect(read()).toEqual(before);
});

test('a response violates the contract by a field that is missing, malformed or not described', () => {
  const response = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { data: { tid: 'x', more: 1 } },
  };
  expect(contractViolations('deleteTerminal', response)).toEqual([
    "/data must have required property 'terminal_id'",
    '/data/more is not in docs/openapi.json: run "npm run contract"',
    '/data/tid must match format "uuid"',
  ]);
});
