import { randomUUID } from 'node:crypto';
import { KEY_ROLES, type KeyRole, PERSON_ROLES, type PersonRole, permissionsOf } from '../../../lib/acquirers/roles.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { API_OPERATIONS } from '../../contract/calls.ts';
import { type AnyOperation, CONSOLE_OPERATIONS, moduleOf, type Request } from '../../local/invoke.ts';
import { ENDPOINTS, routeKey } from '../../template/definitions.ts';
import type { Case } from '../case.ts';
import { expect, type World } from '../world.ts';

/** Names nothing that exists, so that a request which is accepted changes nothing. */
const nothing = (operation: AnyOperation): Request => ({
  path: { mid: 'NOSUCH', id: randomUUID(), method: 'none' },
  ...(!routeKey(operation).startsWith('GET') && { body: {} }),
});

/** More requests than a process accepts without leasing tokens of the rate limit (lib/acquirers/rateLimit.ts). */
const LEASING = 4;

const ENDPOINT_NAMES = Object.keys(ENDPOINTS);

/** Operations of a person who acts as no acquirer. */
const OF_OWN_SESSION: AnyOperation[] = ['getSession', 'signOut'];

/** Operations that accept no API key. */
const WITHOUT_KEYS: AnyOperation[] = [...OF_OWN_SESSION, 'search', 'listActivity'];

/** So many people of each role send the requests, because each has a limit too. */
const OF_EACH_ROLE = 3;

const sentAs = async (world: World, operation: AnyOperation, role: PersonRole): Promise<Request> => {
  const subject = `${role}-${ENDPOINT_NAMES.indexOf(operation) % OF_EACH_ROLE}`;
  // Signing out ends a session.
  const session = await world.operator().session(role, { subject, isNew: operation === 'signOut' });
  return { session: OF_OWN_SESSION.includes(operation) ? { ...session, actingAs: 'none' } : session };
};

/** Whether the caller's role is refused, which is decided before anything else. */
async function isForbidden(world: World, operation: AnyOperation, credentials: Request): Promise<boolean> {
  const response = await world.send(operation, { ...nothing(operation), ...credentials });
  const { status, body } = response;
  expect(body?.code !== 'server_error', 'fails', operation, response);
  return status === 403 && body.code === 'insufficient_permission';
}

const strangers = (operation: AnyOperation): Case => ({
  name: `${operation} refuses who has no credentials, or none that are valid`,
  covers: [operation],
  run: async (world) => {
    const isConsole = (CONSOLE_OPERATIONS as readonly string[]).includes(operation);
    const code = WITHOUT_KEYS.includes(operation) ? 'invalid_session' : 'invalid_api_key';
    for (const key of [undefined, newApiKey()])
      await world.call(operation, { ...nothing(operation), key }, [401, code]);
    if (!isConsole && !world.place.hasConsole) return;
    const session = { cookie: `${'A'.repeat(22)}.${'A'.repeat(43)}`, actingAs: world.provider.id };
    await world.call(operation, { ...nothing(operation), session }, [401, 'invalid_session']);
  },
});

/** The callers of one kind: their roles, the role that permits most, and how one of them sends an operation. */
interface Callers<Role extends KeyRole | PersonRole> {
  one: string;
  all: string;
  roles: readonly Role[];
  most: Role;
  /** `undefined` if there is no caller of this role. */
  credentialsOf: (world: World, operation: AnyOperation, role: Role) => Promise<Request | undefined>;
}

const KEYS: Callers<KeyRole> = {
  one: 'a key',
  all: 'keys',
  roles: KEY_ROLES,
  most: 'full',
  credentialsOf: async (world, _, role) => {
    const key = world.provider.keys[role];
    return key === undefined ? undefined : { key };
  },
};

const PEOPLE: Callers<PersonRole> = {
  one: 'a person',
  all: 'people',
  roles: PERSON_ROLES,
  most: 'admin',
  credentialsOf: sentAs,
};

const permitted = <Role extends KeyRole | PersonRole>(
  operation: AnyOperation,
  { one, all, roles, most, credentialsOf }: Callers<Role>,
): Case => ({
  name: `${operation} accepts the ${all} whose role permits it, and counts their requests`,
  covers: [operation],
  run: async (world) => {
    const { needs } = (await moduleOf(operation)).handler;
    for (const role of roles) {
      const credentials = await credentialsOf(world, operation, role);
      if (!credentials) continue;
      const isRefused = await isForbidden(world, operation, credentials);
      const isPermitted = needs === undefined || permissionsOf(role).includes(needs);
      expect(
        isRefused === !isPermitted,
        `${isRefused ? 'refuses' : 'accepts'} ${one} with the role ${role}`,
        operation,
      );
    }
    for (let sent = 1; sent <= LEASING; sent += 1)
      await isForbidden(world, operation, (await credentialsOf(world, operation, most)) ?? {});
  },
});

const ofPartners: AnyOperation[] = [...API_OPERATIONS, 'unknownRoute'];

export const CALLERS: Case[] = ofPartners.flatMap((operation) => [strangers(operation), permitted(operation, KEYS)]);

/** In a stage with a console. */
export const PEOPLE_CALLERS: Case[] = [
  ...ofPartners.map((operation) => permitted(operation, PEOPLE)),
  ...CONSOLE_OPERATIONS.flatMap((operation) => [strangers(operation), permitted(operation, PEOPLE)]),
];
