import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { signIn } from '../../../../../lib/people/admission.ts';
import { changeRole } from '../../../../../lib/people/people.ts';
import { hashOfIdentity, personAuthor } from '../../../../../lib/people/person.ts';
import { resolvePerson } from '../../../../../lib/people/session.ts';
import { call } from '../../../../support/api.ts';
import { EVENT_ID, TIME } from '../../../../support/constants.ts';
import { expectNoViolations } from '../../../../support/invariants.ts';
import { newIdentity, personOf, type SignedIn } from '../../../../support/people.ts';
import { readable, stored } from '../../../../support/stored.ts';
import { type Caller, newAcquirer, newBranch } from '../../../../support/world.ts';
import { expectFailure, jsonOf, operator } from '../operator.ts';

const EMAIL = 'anna@example.com';
const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
const ANNA = 'Anna Example';
const by = userInfo().username;

/** A payment provider, its name with its id, and one of its people. */
let provider: Caller;
let named: string;
let anna: SignedIn;
let of: string[];
beforeEach(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  named = `Payfair (${provider.id})`;
  of = ['--acquirer', provider.id];
  anna = await personOf(provider.id, 'admin');
});
afterAll(expectNoViolations);

const invite = (...more: string[]) => ['people', 'invite', ...of, '--email', EMAIL, '--role', 'admin', ...more];
const listed = () => jsonOf('people', 'list', ...of);

describe('people invite', () => {
  test('prints a link that lets in a person with the address', async () => {
    const { exitCode, stdout, stderr } = await operator(invite('--base-url', 'https://api.example.com/'));
    expect([exitCode, stderr]).toEqual([0, '']);
    const [{ id, expires_at }] = (await listed()).invitations;
    const link = `https://api.example.com/console/sign-in?invitation=${provider.id}.${id}`;
    expect(stdout).toBe(
      `Invited ${EMAIL} to ${named} with the role admin. Hand over this link. It is valid for 7 days, until ` +
        `${expires_at}. ` +
        `It opens nothing unless the sign-in provider states that the person has verified this address:\n\n${link}\n`,
    );
    const invitation = link.split('invitation=')[1];
    const cookie = await signIn({ ...newIdentity(), email: EMAIL }, { invitation, authTime: 0, earlier: undefined });
    expect(await resolvePerson(cookie)).toBeDefined();
  });

  test('prints JSON, and a path if the base URL is unknown', async () => {
    const { id, link, ...made } = await jsonOf(...invite());
    expect([id, made]).toEqual([UUID, { email: EMAIL, role: 'admin', created_at: TIME, expires_at: TIME }]);
    expect(link).toBe(`/console/sign-in?invitation=${provider.id}.${id}`);
    expect((await operator(invite())).stdout).toMatch(
      /\n\n\/console\/sign-in\?invitation=\S+\n\nPut the base URL before it: the output BaseUrl of the stage's stack\. --base-url does\.\n$/,
    );
  });
});

test('people list lists people and open invitations', async () => {
  const { link: _, ...invitation } = await jsonOf(...invite());
  const { email } = anna.identity;
  const person = { id: anna.id, name: ANNA, email, role: 'admin', joined_at: TIME, signed_in_at: TIME };
  expect(await listed()).toEqual({ people: [person], invitations: [invitation] });
});

test('people role changes a role', async () => {
  const changed = await jsonOf('people', 'role', anna.id.toUpperCase(), ...of, '--role', 'operator');
  expect([changed]).toEqual((await listed()).people);
});

test('people remove removes a person from an acquirer, and no other', async () => {
  const other = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  await personOf(other.id, 'viewer', { identity: anna.identity });
  expect(await jsonOf('people', 'remove', anna.id, ...of, '--yes')).toEqual({ id: anna.id, removed: true });
  expect((await listed()).people).toEqual([]);
  expect(await jsonOf('people', 'list', '--acquirer', other.id)).toMatchObject({ people: [{ id: anna.id }] });
});

test('people revoke-invitation revokes an invitation', async () => {
  const { id } = await jsonOf(...invite());
  expect(await jsonOf('people', 'revoke-invitation', id, ...of)).toEqual({ id, revoked: true });
  expect((await listed()).invitations).toEqual([]);
});

test('people sign-out ends the sessions of all people, or of one', async () => {
  const bruno = await personOf(provider.id, 'viewer');
  const ofOne = await jsonOf('people', 'sign-out', ...of, '--person', anna.id, '--yes');
  expect(ofOne.signed_out).toEqual([anna.id]);
  const { signed_out } = await jsonOf('people', 'sign-out', ...of, '--yes');
  expect(signed_out.sort()).toEqual([anna.id, bruno.id].sort());
});

describe('people erase', () => {
  test('leaves nothing that names the person, anywhere in the table', async () => {
    const name = 'Éloïse Quill';
    const identity = { ...newIdentity(name), email: 'Eloise.Quill@Example.com' };
    const other = await newAcquirer('DISTRIBUTOR', 'Northgate');
    const { id, session } = await personOf(provider.id, 'admin', { identity });
    await personOf(other.id, 'viewer', { identity });
    const { mid } = await newBranch(provider);
    await call('archiveBranch', { session, path: { mid } });
    const refused = (await call('archiveBranch', { session, path: { mid } })).body;
    await changeRole(provider.id, anna.id, 'operator', personAuthor(id));
    // Invitations of the address that nobody accepted.
    const third = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    for (const acquirer of [provider, third])
      await jsonOf('people', 'invite', '--acquirer', acquirer.id, '--email', identity.email, '--role', 'viewer');

    // Somebody whom an acquirer removed, and who came back as a new person.
    const fourth = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const former = await personOf(fourth.id, 'viewer', { identity: { ...identity, subject: randomUUID() } });
    await jsonOf('people', 'remove', former.id, '--acquirer', fourth.id, '--yes');

    const namesIn = async () => {
      // Events are stored compressed.
      const items = Object.entries(await stored()).map(([key, item]) => [key, readable(item)]);
      const text = JSON.stringify(items, (_, value) => (value instanceof Set ? [...value] : value)).toLowerCase();
      const isIn = (each: string) =>
        (['utf8', 'base64', 'base64url', 'hex'] as const).some((encoding) =>
          text.includes(Buffer.from(each).toString(encoding).toLowerCase()),
        );
      return [name, 'Quill', identity.email.toLowerCase(), identity.subject, hashOfIdentity(identity)].filter(isIn);
    };
    // The subject is stored as a hash only.
    expect(await namesIn()).toEqual([name, 'Quill', identity.email.toLowerCase(), hashOfIdentity(identity)]);
    const erased = await jsonOf('people', 'erase', id, '--yes');
    expect(erased).toEqual({ id, erased: true, people: [id], acquirers: expect.any(Array), invitations: 5 });
    expect(erased.acquirers.sort()).toEqual([provider.id, other.id].sort());
    // By the address, whoever else had it.
    expect(await namesIn()).toEqual([name, 'Quill', identity.email.toLowerCase()]);
    const byAddress = await jsonOf('people', 'erase', identity.email, '--yes');
    expect(byAddress).toEqual({
      id: identity.email,
      erased: true,
      people: [former.id],
      acquirers: [],
      invitations: 0,
    });
    expect(await namesIn()).toEqual([]);
    await expectNoViolations();

    // Events and refused requests keep the id, which names nobody.
    expect((await jsonOf('history', mid))[0].details).toMatchObject({ person: id });
    expect((await jsonOf('find', refused.request_id))[0].data).toMatchObject({ person: { id, name: null } });
    expect((await operator(['history', mid])).stdout.replace(/\s+/g, ' ')).toContain(`unknown person ${id}`);
    await expectFailure(
      ['people', 'erase', id, '--yes'],
      `There is no person ${id}. "people list" shows the people of an acquirer.`,
    );
  });
});

describe('history', () => {
  test('names the person who made a change, and prints the id as JSON', async () => {
    const bruno = await personOf(provider.id, 'viewer', { identity: newIdentity('Bruno Example') });
    const { mid } = await newBranch(provider);
    await call('archiveBranch', { session: anna.session, path: { mid } });
    await changeRole(provider.id, bruno.id, 'operator', personAuthor(anna.id));
    const author = `${ANNA} (${anna.id})`;
    const ofBranch = (await operator(['history', mid])).stdout.replace(/\s+/g, ' ');
    expect(ofBranch).toContain(`Z Payfair branch.archived mid: ${mid}, person: ${author}, request id: `);
    expect((await jsonOf('history', mid))[0]).toMatchObject({
      by: provider.id,
      details: { key_id: null, label: null, person: anna.id },
    });
    const [changed] = await jsonOf('history', provider.id);
    expect(changed).toEqual({
      id: EVENT_ID,
      type: 'person.role_changed',
      at: TIME,
      by: `PERSON#${anna.id}`,
      details: { acquirer: provider.id, person: bruno.id, role: 'operator', role_before: 'viewer' },
    });
    const { stdout } = await operator(['history', provider.id, '--limit', '1']);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      `${changed.at}  ${author}  person.role_changed`,
      '    role: viewer → operator',
      `    acquirer: Payfair, person: Bruno Example (${bruno.id})`,
    ]);
  });

  test('of a person has what they changed and what was changed of them, also after they were removed', async () => {
    const { mid } = await newBranch(provider);
    await call('archiveBranch', { session: anna.session, path: { mid } });
    await jsonOf('people', 'sign-out', ...of, '--person', anna.id, '--yes');
    const types = async () =>
      (await jsonOf('history', anna.id.toUpperCase())).map(({ type, by }: { type: string; by: string }) => [type, by]);
    const life = [
      ['person.signed_out', by],
      ['branch.archived', provider.id],
      ['person.joined', `PERSON#${anna.id}`],
    ];
    expect(await types()).toEqual(life);
    await jsonOf('people', 'remove', anna.id, ...of, '--yes');
    expect(await types()).toEqual([['person.removed', by], ...life]);
    const { stdout } = await operator(['history', anna.id]);
    expect(stdout).toContain(`  ${ANNA} (${anna.id})  person.joined\n`);
    const [, { id }] = await jsonOf('history', anna.id, '--limit', '2');
    expect(await jsonOf('history', anna.id, '--before', id)).toHaveLength(2);
  });
});
