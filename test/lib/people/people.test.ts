import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import type { PersonRole } from '../../../lib/acquirers/roles.ts';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { erasePerson, signOutPeople } from '../../../lib/operator/people.ts';
import { namesOfPeople } from '../../../lib/people/namesOfPeople.ts';
import {
  changeRole,
  INVITATION_MS,
  invitePerson,
  listPeople,
  MOST_PEOPLE,
  removePerson,
  revokeInvitation,
} from '../../../lib/people/people.ts';
import {
  hashOfIdentity,
  type Identity,
  MOST_ACQUIRERS,
  type Person,
  personAuthor,
} from '../../../lib/people/person.ts';
import { resolvePerson } from '../../../lib/people/session.ts';
import { readRecord } from '../../../lib/record/record.ts';
import { getItem, getItems, table, tableName } from '../../../lib/table/client.ts';
import {
  acquirerSubject,
  identityKey,
  invitationKey,
  type Key,
  membershipKey,
  personKey,
} from '../../../lib/table/keys.ts';
import { TIME } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { expectFailure } from '../../support/outcomes.ts';
import { enter, newIdentity, personOf, type SignedIn, storeInvitations } from '../../support/people.ts';
import { rescan, storedBy } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { beforeNext, beforeNextWrite, intercept, release } from '../table/intercept.ts';

const INVALID = { code: 'invitation_invalid' };
const NOT_FOUND = { code: 'not_found' };
const ADDRESS = 'anna@example.com';

/** A payment provider without people. */
let provider: string;
beforeEach(async () => {
  provider = await newAcquirer();
});
afterAll(expectNoViolations);

async function newAcquirer(name = 'Payfair'): Promise<string> {
  const id = randomUUID();
  await createAcquirer({ id, type: 'PAYMENT_PROVIDER', name });
  return id;
}

const invite = (email: string, role: PersonRole = 'viewer', acquirer = provider) =>
  invitePerson(acquirer, { email, role });
/** Lets an invitation end a second ago. DynamoDB has not deleted it yet. */
async function end(id: string): Promise<void> {
  const ended = Math.floor(Date.now() / 1000) - 1;
  await table.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: invitationKey(provider, id),
      UpdateExpression: 'SET expires_at = :at, #ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':at': new Date(ended * 1000).toISOString(), ':ttl': ended },
    }),
  );
}
const entered = async (...args: Parameters<typeof enter>): Promise<Person> =>
  (await resolvePerson(await enter(...args)))?.person as Person;

const rolesIn = async (acquirer = provider) => (await listPeople(acquirer)).people.map(({ role }) => role);
const emailsIn = async (acquirer = provider) => (await listPeople(acquirer)).invitations.map(({ email }) => email);
const eventsOf = async (acquirer = provider) =>
  (await readRecord(acquirerSubject(acquirer), { limit: 10 })).map(({ type }) => type);
const personAt = (id: string) => getItem<Person>(personKey(id));

/** Stores people directly, each with the ids of their acquirers. */
async function storePeople(acquirersOf: string[][]) {
  const now = new Date().toISOString();
  const people = acquirersOf.map((acquirers) => ({ id: randomUUID(), identity: newIdentity(), acquirers }));
  const items = people.flatMap(({ id, identity: { name, email, ...identity }, acquirers }) => {
    const sha256 = hashOfIdentity(identity);
    const times = { created_at: now, signed_in_at: now };
    const person = { id, name, email, identity: sha256, acquirers: new Set(acquirers), generation: 1, ...times };
    return [
      { ...personKey(id), ...person } satisfies Person & Key,
      { ...identityKey(sha256), person: id },
      ...acquirers.map((each) => ({
        ...membershipKey(each, id),
        role: 'viewer',
        joined_at: now,
        browser_key: 'A'.repeat(43),
      })),
    ];
  });
  await storeMany(0, items.length - 1, (at) => items[at] as object);
  await rescan();
  return people;
}

/** Runs changes at once. Returns how each ended: `done`, or the code of its problem. */
async function together(...changes: Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(changes);
  return results.map((each) => (each.status === 'fulfilled' ? 'done' : each.reason.code));
}

/*
 * Each change by an admin is in test/functions/console/people.test.ts, what it stores in
 * test/lib/record/record.test.ts.
 */

describe('invitePerson', () => {
  test('is refused for an unknown acquirer, and for a disabled one', async () => {
    await expectFailure(() => invite(ADDRESS, 'admin', randomUUID()), NOT_FOUND);
    await disableAcquirer(provider);
    await expectFailure(() => invite(ADDRESS), { errors: [{ code: 'disabled' }] });
  });

  test('is refused beyond 200 people and open invitations; ended ones do not count, and are removed', async () => {
    await personOf(provider, 'admin');
    const emailOf = (at: number) => `person-${at}@example.com`;
    await storeInvitations(provider, { count: MOST_PEOPLE - 2, endsIn: INVITATION_MS, emailOf });
    await storeInvitations(provider, { count: 60, endsIn: -1000, emailOf: () => 'ended@example.com' });
    await rescan();
    const { changed } = await storedBy(() => invite(ADDRESS));
    expect(Object.values(changed).filter((item) => item === null)).toHaveLength(50);
    await expectFailure(() => invite('another@example.com'), {
      errors: [{ code: 'too_long', detail: expect.stringContaining('at most 200 people and open invitations') }],
    });
    // It takes the place of the earlier one.
    await invite('person-7@example.com', 'admin');
    const { people, invitations } = await listPeople(provider);
    expect(people.length + invitations.length).toBe(MOST_PEOPLE);
  });
});

/** The number of items of each transaction that `work` sends. */
async function transactionsOf(work: () => Promise<unknown>): Promise<number[]> {
  const sizes: number[] = [];
  intercept(async (send, { operation, input }) => {
    if (operation === 'TransactWriteItems') sizes.push((input['TransactItems'] as unknown[]).length);
    return send();
  });
  await work();
  release();
  return sizes;
}

test('removing a person with very many invitations writes 57 items, the most of such a change', async () => {
  const { id, identity } = await personOf(provider, 'viewer');
  await storeInvitations(provider, { count: 60, endsIn: INVITATION_MS, emailOf: () => identity.email });
  expect(await transactionsOf(() => removePerson(provider, id))).toEqual([57]);
});

describe('changeRole and removePerson', () => {
  let admin: SignedIn;
  let viewer: SignedIn;
  beforeEach(async () => {
    admin = await personOf(provider, 'admin');
    viewer = await personOf(provider, 'viewer');
  });

  test('let an operator demote and remove the last admin', async () => {
    await changeRole(provider, admin.id, 'viewer');
    expect(await rolesIn()).toEqual(['viewer', 'viewer']);
    await changeRole(provider, admin.id, 'admin');
    await removePerson(provider, admin.id);
    expect(await rolesIn()).toEqual(['viewer']);
  });

  test('leave one admin if two demote or remove each other at once', async () => {
    type Attempt = (by: string, whom: string) => Promise<unknown>;
    const demote: Attempt = (by, whom) => changeRole(provider, whom, 'viewer', personAuthor(by));
    const expel: Attempt = (by, whom) => removePerson(provider, whom, personAuthor(by));
    const [one, other] = [admin.id, viewer.id];
    for (const [first, second] of [
      [demote, demote],
      [expel, demote],
    ] as const) {
      await changeRole(provider, one, 'admin');
      await changeRole(provider, other, 'admin');
      // The second one decides and is stored while the first one is about to be.
      beforeNextWrite(() => second(one, other));
      await expect(first(other, one)).rejects.toMatchObject({ code: 'insufficient_permission' });
      expect((await rolesIn()).filter((role) => role === 'admin')).toEqual(['admin']);
    }
  });

  test('revoke the invitations of a removed person, who cannot come back by one', async () => {
    const invited = await invite(viewer.identity.email, 'admin');
    await removePerson(provider, viewer.id, personAuthor(admin.id));
    await expectFailure(() => enter(viewer.identity, invited), { code: 'invitation_invalid' });
    expect(await rolesIn()).toEqual(['admin']);
  });

  test('are refused for somebody who is no longer an admin, whatever a process has in memory', async () => {
    await changeRole(provider, viewer.id, 'operator');
    const by = personAuthor(viewer.id);
    const refused = { code: 'insufficient_permission' };
    await expectFailure(() => changeRole(provider, viewer.id, 'admin', by), refused);
    await expectFailure(() => removePerson(provider, admin.id, by), refused);
    await expectFailure(() => invitePerson(provider, { email: 'x@example.com', role: 'admin' }, by), refused);
    await expectFailure(() => issueApiKey(provider, 'mine', { by }), refused);
    await removePerson(provider, viewer.id);
    await expectFailure(() => issueApiKey(provider, 'mine', { by }), refused);
  });
});

describe('accepting an invitation', () => {
  test('binds the person to issuer and subject, whatever the address is later', async () => {
    const anna = { ...newIdentity(), email: 'Anna.Example@Example.com' };
    const { id, acquirers } = await entered(anna, await invite('anna.EXAMPLE@example.com', 'operator'));
    expect(acquirers).toEqual(new Set([provider]));
    const [shown] = (await listPeople(provider)).people;
    expect(shown).toEqual({
      id,
      name: 'Anna Example',
      email: 'anna.example@example.com',
      role: 'operator',
      joined_at: TIME,
      signed_in_at: TIME,
    });
    const later = { ...anna, email: 'a.smith@example.org', isEmailVerified: false, name: 'Anna Smith' };
    expect((await entered(later)).id).toBe(id);
    expect((await listPeople(provider)).people[0]).toMatchObject({ name: 'Anna Smith', email: null });
    // Somebody else who now has the address.
    await expectFailure(() => enter({ ...anna, subject: 'other' }), { code: 'not_invited' });
    await expectFailure(() => enter({ ...anna, issuer: 'https://other.example.com' }), { code: 'not_invited' });
  });

  test.each<[string, object, string]>([
    ['the address is not verified', { isEmailVerified: false }, 'email_not_verified'],
    ['there is no address', { email: undefined }, 'email_not_verified'],
    ['the address is another one', { email: 'eve@example.com' }, 'email_differs'],
  ])('is refused if %s', async (_, more, code) => {
    const invited = await invite(ADDRESS);
    await expectFailure(() => enter({ ...newIdentity(), email: ADDRESS, ...more }, invited), { code });
    expect(await emailsIn()).toEqual([ADDRESS]);
  });

  test('is refused if the address only looks alike: the Kelvin sign in lower case is a k', async () => {
    const invited = await invite('karl@example.com');
    const identity = { ...newIdentity(), email: '\u212aarl@example.com' };
    await expectFailure(() => enter(identity, invited), { code: 'email_differs' });
    await enter({ ...newIdentity(), email: 'KARL@Example.com' }, invited);
  });

  test('is refused if the invitation has expired, is unknown or malformed, or the acquirer is disabled', async () => {
    const anna = { ...newIdentity(), email: ADDRESS };
    const invited = await invite(ADDRESS);
    for (const text of ['', '.', 'x.y', `${provider}.${randomUUID()}`, `${randomUUID()}.${invited.id}`, invited.id])
      await expectFailure(() => enter(anna, { link: `?invitation=${text}` }), {
        code: text === '' ? 'not_invited' : INVALID.code,
      });
    const another = await invite('other@example.com');
    await end(invited.id);
    await expectFailure(() => enter(anna, invited), INVALID);
    await disableAcquirer(provider);
    await expectFailure(() => enter({ ...anna, email: 'other@example.com' }, another), INVALID);
  });

  test('only signs in a person who is one of the people already', async () => {
    const { id, identity: known } = await personOf(provider, 'viewer');
    const invited = await invite(known.email, 'admin');
    expect((await entered(known, invited)).id).toBe(id);
    // The invitation is used up, so that it cannot let the person in again later.
    expect([await rolesIn(), await emailsIn()]).toEqual([['viewer'], []]);
  });

  test('lets a person belong to several acquirers, each of which names only its own people', async () => {
    const other = await newAcquirer('Quickpay');
    const { id, identity: known } = await personOf(provider, 'viewer');
    const invited = await invite(known.email, 'admin', other);
    expect(await entered(known, invited)).toMatchObject({ id, acquirers: new Set([provider, other]) });
    expect([await rolesIn(), await rolesIn(other)]).toEqual([['viewer'], ['admin']]);
    await removePerson(provider, id);
    const ids = [id, randomUUID(), id];
    await enter({ ...known, name: 'Anna Married' });
    // As of the removal for the one, as of now for the other, and for nobody else.
    expect(await namesOfPeople(provider, ids)).toEqual(new Map([[id, 'Anna Example']]));
    expect(await namesOfPeople(other, ids)).toEqual(new Map([[id, 'Anna Married']]));
    expect(await namesOfPeople(await newAcquirer('Another'), ids)).toEqual(new Map());
    // Invited again, they are the same person.
    expect((await entered(known, await invite(known.email, 'admin'))).id).toBe(id);
    expect(await namesOfPeople(provider, ids)).toEqual(new Map([[id, 'Anna Example']]));
  });

  test('lets a person who left their last acquirer in again as a new one, who cannot sign in meanwhile', async () => {
    const { id, identity: known } = await personOf(provider, 'viewer');
    await removePerson(provider, id);
    await expectFailure(() => enter(known), { code: 'not_invited' });
    const again = await entered({ ...known, name: 'Anna Again' }, await invite(known.email));
    expect(again.id).not.toBe(id);
    expect(await namesOfPeople(provider, [id, again.id])).toEqual(
      new Map([
        [id, 'Anna Example'],
        [again.id, 'Anna Again'],
      ]),
    );
  });

  test(`is refused beyond ${MOST_ACQUIRERS} acquirers`, async () => {
    const others = await Promise.all(Array.from({ length: MOST_ACQUIRERS - 1 }, () => newAcquirer()));
    const [{ id, identity: known } = await personOf(provider, 'viewer')] = await storePeople([[provider, ...others]]);
    const invited = await invite(known.email, 'viewer', await newAcquirer());
    await expectFailure(() => enter(known, invited), INVALID);
    const { acquirers, invitations } = await erasePerson(id);
    expect([acquirers.sort(), invitations]).toEqual([[provider, ...others].sort(), 1]);
    expect(await personAt(id)).toBeUndefined();
  });

  test.each(['BatchGetItem', 'GetItem', 'TransactWriteItems'])(
    'signs in a person whom another request of theirs has let in right before its %s',
    async (next) => {
      const anna = newIdentity();
      const invited = await invite(anna.email);
      beforeNext(
        ({ operation }) => operation === next,
        () => enter(anna, invited),
      );
      const { id } = await entered(anna, invited);
      expect((await listPeople(provider)).people.map((person) => person.id)).toEqual([id]);
      expect((await eventsOf()).filter((type) => type === 'person.joined')).toHaveLength(1);
    },
  );

  test('at once with two identities that have the address lets in one', async () => {
    const invited = await invite(ADDRESS);
    const [one, other] = [newIdentity(), newIdentity()].map((each) => ({ ...each, email: ADDRESS }));
    const ends = await together(enter(one as Identity, invited), enter(other as Identity, invited));
    expect(ends.sort()).toEqual(['done', INVALID.code]);
    expect(await rolesIn()).toEqual(['viewer']);
  });

  test('of two acquirers at once makes one person of both', async () => {
    const [anna, other] = [newIdentity(), await newAcquirer()];
    const both = [await invite(anna.email), await invite(anna.email, 'admin', other)];
    expect(await together(...both.map((each) => enter(anna, each)))).toEqual(['done', 'done']);
    const [[one], [another]] = [(await listPeople(provider)).people, (await listPeople(other)).people];
    expect(one?.id).toBe(another?.id);
  });

  test.each<[string, (id: string, email: string) => Promise<unknown>]>([
    ['is revoked', (id) => revokeInvitation(provider, id)],
    ['is replaced', (_, email) => invite(email)],
  ])('is refused if it %s right before', async (_, end) => {
    const anna = newIdentity();
    const invited = await invite(anna.email, 'admin');
    beforeNextWrite(() => end(invited.id, anna.email));
    await expect(enter(anna, invited)).rejects.toMatchObject(INVALID);
    expect([await rolesIn(), await getItem(identityKey(hashOfIdentity(anna)))]).toEqual([[], undefined]);
  });

  test('that was accepted does not let a removed person in again; another one does, as a new person', async () => {
    const anna = newIdentity();
    const invited = await invite(anna.email);
    const { id } = await entered(anna, invited);
    await removePerson(provider, id);
    await expectFailure(() => enter(anna, invited), INVALID);
    await expectFailure(() => enter(anna), { code: 'not_invited' });
    const again = await entered(anna, await invite(anna.email));
    expect(again.id).not.toBe(id);
  });

  test('makes a new person if the only other acquirer removes them right before', async () => {
    const { id, identity: known } = await personOf(provider, 'viewer');
    const other = await newAcquirer();
    const invited = await invite(known.email, 'viewer', other);
    beforeNextWrite(() => removePerson(provider, id));
    expect(await entered(known, invited)).toMatchObject({ acquirers: new Set([other]) });
    expect(await personAt(id)).toBeUndefined();
  });
});

describe('signIn', () => {
  test('is refused, and brings nobody back, if the person is removed right before', async () => {
    const { id, identity } = await personOf(provider, 'viewer');
    beforeNextWrite(() => removePerson(provider, id));
    await expect(enter(identity)).rejects.toMatchObject({ code: 'not_invited' });
    expect(await personAt(id)).toBeUndefined();
  });

  test('names a person by the address if the issuer states no name', async () => {
    const anna = { ...newIdentity(), name: ' ' };
    await enter(anna, await invite(anna.email));
    expect((await listPeople(provider)).people[0]?.name).toBe(anna.email);
  });
});

describe('signOutPeople', () => {
  test('takes as many transactions as it needs', async () => {
    const people = await storePeople(Array<string[]>(26).fill([provider]));
    expect(await signOutPeople(provider)).toHaveLength(26);
    const events = (await readRecord(acquirerSubject(provider), { limit: 2 })).map(({ details }) => details['people']);
    expect(events).toEqual([1, 25]);
    const persons = await getItems<Person[]>(people.map(({ id }) => personKey(id)));
    expect(persons.map((person) => person?.generation)).toEqual(Array(26).fill(2));
  });
});
