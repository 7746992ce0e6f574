import { expect, test } from '@jest/globals';
import { CONSOLE_OPERATIONS, moduleOf } from '../../../infra/publish/contract/invoke.ts';
import { KEY_ROLES, PERSON_ROLES, requirePermission } from '../../../lib/acquirers/roles.ts';
import { OPERATIONS } from '../../support/api.ts';
import { isPromised, ROLES } from '../../support/promisedRoles.ts';

/*
 * test/proofs/roles calls each operation with each role.
 */

const CALLERS = [
  ...KEY_ROLES.map((role) => [`${role} key`, role, 'API key'] as const),
  ...PERSON_ROLES.map((role) => [`${role} person`, role, 'person'] as const),
];

test('docs/guides/people-and-roles.md has every role of API keys and people', () => {
  expect(ROLES).toEqual(CALLERS.map(([name]) => name));
});

test.each([...OPERATIONS, ...CONSOLE_OPERATIONS])(
  '%s is permitted to exactly the roles of which the guide says so',
  async (operation) => {
    const { needs } = (await moduleOf(operation)).handler;
    const isPermitted = ([, role, caller]: (typeof CALLERS)[number]): boolean => {
      try {
        if (needs) requirePermission(role, caller, needs);
        return true;
      } catch {
        return false;
      }
    };
    const permitted = CALLERS.filter(isPermitted).map(([name]) => name);
    expect(permitted).toEqual(ROLES.filter((role) => isPromised(role, operation)));
  },
);
