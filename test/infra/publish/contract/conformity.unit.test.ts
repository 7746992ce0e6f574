import { expect, test } from '@jest/globals';
import { contractViolations } from '../../../../infra/publish/contract/conformity.ts';
import { EXAMPLES } from '../../../support/contract.ts';

/* Every test of an operation checks its responses against the contract (test/support/api.ts). */

/** A value with one more field, in turn in each of its objects, and where that is. */
function* withUndeclared(value: unknown, at = ''): Generator<[at: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [`${at}/undeclared`, { ...value, undeclared: 1 }];
  for (const [name, each] of Object.entries(value))
    for (const [inside, changed] of withUndeclared(each, `${at}/${name}`))
      yield [inside, Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed }];
}

test('a field that the contract does not declare is a violation, in every object of every example', () => {
  const unnoticed: string[] = [];
  for (const { operation, status, body } of EXAMPLES) {
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    for (const [at, changed] of withUndeclared(body))
      if (
        !contractViolations(operation, { status, headers: { 'content-type': type }, body: changed })
          .join()
          .includes(`${at} is not in `)
      )
        unnoticed.push(`${operation} ${status} ${at}`);
  }
  expect(unnoticed).toEqual([]);
});
