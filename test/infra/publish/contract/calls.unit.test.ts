import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { API_OPERATIONS, STORY } from '../../../../infra/publish/contract/calls.ts';
import { CONSOLE_CALLS, CONSOLE_STORY } from '../../../../infra/publish/contract/consoleCalls.ts';
import { CONSOLE_OPERATIONS } from '../../../../infra/publish/contract/invoke.ts';
import { OPERATIONS } from '../../../../infra/stack/template/definitions.ts';

/*
 * Tests, proofs and the contract know the operations from the catalogue of calls. So an operation that it lacks would
 * be checked by nothing.
 */

const TESTS = globSync('test/functions/**/*.test.ts')
  .filter((file) => !file.endsWith('/operations.test.ts'))
  .map((file) => readFileSync(file, 'utf8'));

describe.each([
  ['calls.ts', API_OPERATIONS, STORY, Object.keys(OPERATIONS)],
  ['consoleCalls.ts', CONSOLE_CALLS, CONSOLE_STORY, CONSOLE_OPERATIONS],
] as const)('infra/publish/contract/%s', (_, called, story, operations) => {
  test.each(operations)('has a valid request of %s', (operation) => {
    expect(called).toContain(operation);
  });

  test.each(operations)('has a step in its story with which %s succeeds', (operation) => {
    const succeeds = story.some((step) => step.operation === operation && !step.code && !step.isHidden);
    expect(succeeds).toBe(true);
  });

  test.each(operations)('%s has a test in test/functions', (operation) => {
    expect(TESTS.filter((text) => text.includes(`'${operation}'`)).length).toBeGreaterThan(0);
  });
});
