import { expect, jest, test } from '@jest/globals';
import { OPERATIONS, STATUSES } from '../../../support/api.ts';
import { setClock } from '../../../support/clock.ts';
import { contractViolations, EXAMPLES } from '../../../support/contract.ts';

// Functions read their settings when they are imported, and responses hold URLs.
process.env['BASE_URL'] = 'https://api.acquirer.example';
const { record } = await import('../../../../infra/publish/contract/record.ts');

test('infra/publish/contract/examples.json is what the service responds; if it is stale, run `npm run contract`', async () => {
  const recorded = await record(setClock);
  jest.useRealTimers();
  expect(EXAMPLES).toEqual(recorded);
});

test.each(OPERATIONS)('the examples of %s match the contract', (operation) => {
  const examples = EXAMPLES.filter((example) => example.operation === operation);
  expect(examples.map(({ status }) => status)).toContain(STATUSES[operation][0]);
  for (const { status, body } of examples) {
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    expect(contractViolations(operation, { status, headers: { 'content-type': type }, body })).toEqual([]);
  }
});
