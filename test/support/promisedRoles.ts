import { readFileSync } from 'node:fs';
import { routeKey } from '../../infra/stack/template/definitions.ts';

/*
 * What docs/guides/people-and-roles.md promises of the roles. Tests compare the code with it, so that a role which may
 * do more or less than that is noticed.
 */

const GUIDE = readFileSync('docs/guides/people-and-roles.md', 'utf8');

/** What the columns of the guide's tables name. */
type Capability = 'read' | 'change' | 'delete terminals' | 'check members' | 'webhooks' | 'api keys and people';

/** The capabilities of each role in the table under a heading. */
function permittedIn(heading: string, kind: 'key' | 'person'): [role: string, capabilities: string[]][] {
  const [section = ''] = GUIDE.split(`## ${heading}\n`)[1]?.split('\n## ') ?? [];
  const [columns = [], , ...rows] = (section.match(/^\|.*\|$/gm) ?? []).map((row) => row.split('|').slice(1, -1));
  return rows.map(([role = '', ...cells]) => [
    `${role.replaceAll('`', '').trim()} ${kind}`,
    cells.flatMap((cell, at) =>
      cell.trim() === 'yes' ? (columns[at + 1] ?? '').toLowerCase().trim().split(', ') : [],
    ),
  ]);
}

const PROMISED = Object.fromEntries([
  ...permittedIn('Roles of API keys', 'key'),
  ...permittedIn('Roles of people', 'person'),
]);

/** The roles of the guide, each with who has it, such as `till key` and `viewer person`. */
export const ROLES = Object.keys(PROMISED);

/** What an operation does, by its route; `undefined` if it is about the caller, which needs no role. */
function capabilityOf(operation: string): Capability | undefined {
  const [method, path = ''] = routeKey(operation).split(' ');
  if (['/console/api/session', '/ext/api/v1/caller'].includes(path)) return undefined;
  if (/^\/console\/api\/(keys|people|invitations|access-changes)/.test(path)) return 'api keys and people';
  if (path.endsWith('/member-check')) return 'check members';
  // Everybody may leave.
  if (method === 'GET' || path === '/console/api/membership') return 'read';
  if (path.startsWith('/ext/api/v1/webhooks')) return 'webhooks';
  return method === 'DELETE' ? 'delete terminals' : 'change';
}

/** Whether the guide promises that a role permits an operation. */
export function isPromised(role: string, operation: string): boolean {
  const capability = capabilityOf(operation);
  return capability === undefined || (PROMISED[role]?.includes(capability) ?? false);
}
