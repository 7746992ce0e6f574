import { beforeAll, expect, test } from '@jest/globals';
import { type ApiOperation, readyRequest, subjectOf } from '../../../infra/publish/contract/calls.ts';
import { consoleRequestOf } from '../../../infra/publish/contract/consoleCalls.ts';
import { CONSOLE_OPERATIONS, type ConsoleOperation, moduleOf } from '../../../infra/publish/contract/invoke.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { KEY_ROLES, PERSON_ROLES, rolesWith } from '../../../lib/acquirers/roles.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { call, OPERATIONS, type Request } from '../../support/api.ts';
import '../../../infra/local/patient.ts';
import { personOf } from '../../support/people.ts';
import { isPromised, ROLES } from '../../support/promisedRoles.ts';
import { acceptAllPosts } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { checkEach } from '../../support/walk.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

/*
 * Each role calls each operation. It may do what docs/guides/people-and-roles.md promises, and nothing else.
 */

/** Operations that any person may call who acts as nobody. */
const OWN = ['getSession', 'signOut'];
/** Operations of people that accept no API key, although what they need is permitted to roles of keys. */
const OF_PEOPLE = [...OWN, 'search', 'listActivity', 'listLastSeen', 'leave'];

let provider: Caller;
const credentials = {} as Record<string, Pick<Request, 'key' | 'session'>>;
beforeAll(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  acceptAllPosts();
  await addCard('member', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
  for (const role of KEY_ROLES)
    credentials[`${role} key`] = { key: (await issueApiKey(provider.id, role, { role })).api_key };
  for (const role of PERSON_ROLES)
    credentials[`${role} person`] = { session: (await personOf(provider.id, role)).session };
});

const isConsole = (operation: string): operation is ConsoleOperation =>
  (CONSOLE_OPERATIONS as readonly string[]).includes(operation);

/** A request about what exists, unless it is one of the console's own. */
async function prepared(operation: ApiOperation | ConsoleOperation): Promise<Request> {
  if (isConsole(operation)) {
    const nobody = '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11';
    const subject = { key_id: '000000000000', person: nobody, invitation: nobody, email: `${operation}@example.com` };
    return consoleRequestOf(operation, subject);
  }
  return readyRequest(operation, subjectOf(`ROLES${operation}`, provider), async (each, request) => {
    const response = await call(each, { key: provider.key, ...request });
    expect([200, 201, each === 'getBranch' ? 404 : 200]).toContain(response.status);
    return response;
  });
}

test.each([...OPERATIONS, ...CONSOLE_OPERATIONS])(
  '%s is permitted to each role that the guide promises it, and returns 403 to the others and changes nothing',
  async (operation) => {
    const { needs } = (await moduleOf(operation)).handler;
    // It says what a key may do, to any key.
    if (![...OWN, 'getCaller'].includes(operation)) expect(needs).toEqual(expect.any(String));
    const isRefused = (role: string) => OWN.includes(operation) || !isPromised(role, operation);
    const request = await prepared(operation);
    // Those that are refused come first, while a change is still possible.
    const roles = [...ROLES.filter(isRefused), ...ROLES.filter((role) => !isRefused(role))];
    const cases = roles.map((role) => [role, role] as const);
    const statuses: number[] = [];
    await checkEach<string>(cases, async (role) => {
      const { response, changed } = await storedBy(() => call(operation, { ...request, ...credentials[role] }));
      const { status, body } = response;
      const isKey = role.endsWith('key');
      // The own ones need `Acting-As: none`.
      if (OWN.includes(operation) || (OF_PEOPLE.includes(operation) && isKey))
        return expect([status, body.code, changed]).toEqual([401, 'invalid_session', {}]);
      // A machine makes it.
      if (operation === 'memberCheck' && !isKey)
        return expect([status, body.code, changed]).toEqual([401, 'invalid_api_key', {}]);
      if (!isRefused(role)) {
        statuses.push(status);
        return expect(body.code ?? 'success').not.toMatch(
          /insufficient_permission|invalid_session|invalid_api_key|server_error/,
        );
      }
      expect([status, body.code, changed]).toEqual([403, 'insufficient_permission', {}]);
      // The response names what is needed.
      for (const each of rolesWith(isKey ? KEY_ROLES : PERSON_ROLES, needs as never))
        expect(body.detail).toContain(each);
    });
    if (!isConsole(operation)) expect(statuses[0]).toBeLessThan(300);
  },
);
