import * as v from 'valibot';
import { Problem } from '../base/problem.ts';

/** What an operation can need from its caller. */
export const PERMISSIONS = ['read', 'change', 'delete', 'check_members', 'manage_webhooks', 'administer'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The roles and what they permit. `administer` is to manage API keys and people. */
const PERMITTED = {
  till: ['check_members'],
  viewer: ['read'],
  operator: ['read', 'change'],
  full: ['read', 'change', 'delete', 'check_members', 'manage_webhooks'],
  admin: ['read', 'change', 'delete', 'check_members', 'manage_webhooks', 'administer'],
} satisfies Record<string, Permission[]>;
export type Role = keyof typeof PERMITTED;
export const ROLES = Object.keys(PERMITTED) as Role[];

/** The roles of API keys. A key without one is `full`. */
export const KEY_ROLES = ['till', 'viewer', 'operator', 'full'] as const;
export const PERSON_ROLES = ['viewer', 'operator', 'admin'] as const;

export const keyRole = v.picklist(KEY_ROLES);
export type KeyRole = v.InferOutput<typeof keyRole>;
export const personRole = v.picklist(PERSON_ROLES);
export type PersonRole = v.InferOutput<typeof personRole>;

/** The roles, of API keys or people, that permit something. */
export const rolesWith = <R extends Role>(roles: readonly R[], permission: Permission): R[] =>
  roles.filter((role) => permissionsOf(role).includes(permission));

export const permissionsOf = (role: Role): Permission[] => PERMITTED[role];

/** What a caller may not do, as it follows "may not". */
const FORBIDDEN: Record<Permission, string> = {
  read: 'read branches, terminals, events and reference data',
  change: 'change branches and terminals',
  delete: 'delete terminals',
  check_members: 'check members',
  manage_webhooks: 'manage webhooks',
  administer: 'manage API keys and people',
};

/**
 * @throws Problem `insufficient_permission`, which names the roles that permit it, unless the role of the caller does.
 */
export function requirePermission(role: Role, caller: 'API key' | 'person', permission: Permission): void {
  if (permissionsOf(role).includes(permission)) return;
  const roles = rolesWith<Role>(caller === 'API key' ? KEY_ROLES : PERSON_ROLES, permission).join(' or ');
  const forKeys = roles ? `Use a key with the role ${roles}.` : 'Only people with the role admin can: sign in.';
  const [subject, remedy] =
    caller === 'API key'
      ? ['This API key has', forKeys]
      : ['You have', `Ask an admin of your acquirer for the role ${roles}.`];
  throw new Problem(
    'insufficient_permission',
    `${subject} the role ${role}, which may not ${FORBIDDEN[permission]}. ${remedy}`,
  );
}
