import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Served } from '../../../infra/local/serve.ts';
import { beforehand, requestOf, type Subject, subjectOf } from '../../../infra/publish/contract/calls.ts';
import {
  type AnyOperation,
  CONSOLE_OPERATIONS,
  eventOf,
  moduleOf,
  type Operation,
} from '../../../infra/publish/contract/invoke.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { KEY_ROLES, PERSON_ROLES, rolesWith } from '../../../lib/acquirers/roles.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { call, OPERATIONS } from '../../support/api.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { personOf } from '../../support/people.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

/*
 * Each role calls each operation over HTTP. What it may do comes from what the operations declare, and the roles that they
 * permit from this table, which is written out here so that a change of either is noticed.
 */
const PERMITTED: Record<string, string[]> = {
  'till key': ['check_members'],
  'viewer key': ['read'],
  'operator key': ['read', 'change'],
  'full key': ['read', 'change', 'delete', 'check_members'],
  'viewer person': ['read'],
  'operator person': ['read', 'change'],
  'admin person': ['read', 'change', 'delete', 'check_members', 'administer'],
};

/** Requests that get as far as the caller may, by the console's operations. What they name does not exist. */
const CONSOLE: Record<string, { path?: Record<string, string>; query?: Record<string, string>; body?: object }> = {
  rotateKey: { path: { id: '000000000000' }, body: { overlap_hours: 1 } },
  revokeKey: { path: { id: '000000000000' } },
  revokeInvitation: { path: { id: '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11' } },
  changePerson: { path: { id: '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11' }, body: { role: 'viewer' } },
  removePerson: { path: { id: '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11' } },
  search: { query: { q: 'nothing' } },
};

/** Operations that any person may call, whatever the role. */
const OWN = ['getSession', 'signOut'];

/** Operations of people that do not accept API keys, although they need what roles of keys permit too. */
const OF_PEOPLE = ['search', 'listActivity'];

let server: Served;
let provider: Caller;
/** The headers by which each role authenticates. */
const headers: Record<string, Record<string, string>> = {};

beforeAll(async () => {
  server = await serveHandlers();
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  await addCard('member', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
  for (const role of KEY_ROLES)
    headers[`${role} key`] = { 'api-key': (await issueApiKey(provider.id, role, { role })).api_key };
  for (const role of PERSON_ROLES) {
    const { session } = await personOf(provider.id, role);
    headers[`${role} person`] = { cookie: `__Host-session=${session.cookie}`, 'acting-as': session.actingAs };
  }
});
afterAll(() => server.stop());

/** Sends a valid request of an operation. */
async function send(operation: AnyOperation, role: string, subject: Subject) {
  const isPartners = (OPERATIONS as string[]).includes(operation);
  const { path, query, body } = eventFields(
    isPartners ? requestOf(operation as (typeof OPERATIONS)[number], subject) : (CONSOLE[operation] ?? {}),
  );
  const { routeKey } = eventOf(operation, {});
  const [method = '', route = ''] = routeKey.split(' ');
  const url = `${server.url}${route.replace(/\{(\w+)\}/g, (_, name) => path[name] ?? '')}?${new URLSearchParams(query)}`;
  const response = await fetch(url, {
    method,
    headers: { ...headers[role], 'content-type': 'application/json', connection: 'close' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const eventFields = ({ path = {}, query = {}, body }: ReturnType<typeof requestOf> | (typeof CONSOLE)[string]) => ({
  path: path as Record<string, string>,
  query: query as Record<string, string>,
  body,
});

let count = 0;

describe.each(Object.keys(PERMITTED))('with the role of a %s', (role) => {
  test.each([...OPERATIONS, ...CONSOLE_OPERATIONS])(
    '%s is permitted or returns 403 and changes nothing',
    async (operation) => {
      const { needs } = (await moduleOf(operation)).handler;
      count += 1;
      const subject = subjectOf(`ROLES${count}X`, provider);
      if ((OPERATIONS as string[]).includes(operation))
        for (const [each, of] of beforehand(operation as (typeof OPERATIONS)[number], subject))
          expect((await call(each, { key: provider.key, ...requestOf(each, of) })).status).toBeLessThan(300);
      const { response, changed } = await storedBy(() => send(operation, role, subject));
      const { status, body } = response;
      if (OWN.includes(operation) || (OF_PEOPLE.includes(operation) && role.endsWith('key'))) {
        // The own ones need `Acting-As: none`.
        expect({ status, code: body.code }).toEqual({ status: 401, code: 'invalid_session' });
        return;
      }
      if (PERMITTED[role]?.includes(needs as string)) {
        expect([
          200,
          201,
          ...((CONSOLE_OPERATIONS as readonly string[]).includes(operation) ? [404, 422] : []),
        ]).toContain(status);
        return;
      }
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_permission' });
      // The response names what is needed.
      for (const each of rolesWith(role.endsWith('key') ? KEY_ROLES : PERSON_ROLES, needs as never))
        expect(body.detail).toContain(each);
      expect(changed).toEqual({});
    },
  );
});

test('every operation declares what it needs', async () => {
  const declared = await Promise.all(
    [...OPERATIONS, ...CONSOLE_OPERATIONS].map(async (operation) => [
      operation,
      (await moduleOf(operation as Operation)).handler.needs,
    ]),
  );
  expect(declared.filter(([name, needs]) => needs === undefined && !OWN.includes(name as string))).toEqual([]);
});
