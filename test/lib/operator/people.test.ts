import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import type { PersonRole } from '../../../lib/acquirers/roles.ts';
import { erasePerson, findPerson, namesOfPersons, signOutPeople } from '../../../lib/operator/people.ts';
import { repeatErasures } from '../../../lib/operator/repeatErasures.ts';
import { invitePerson, listPeople, removePerson } from '../../../lib/people/people.ts';
import { hashOfIdentity, MOST_ACQUIRERS, type Person } from '../../../lib/people/person.ts';
import { resolvePerson } from '../../../lib/people/session.ts';
import { readRecord } from '../../../lib/record/record.ts';
import { getItem, getItems, queryPrefix } from '../../../lib/table/client.ts';
import {
  acquirerKey,
  ERASURES,
  identityKey,
  invitationKey,
  type Key,
  keptInvitationKey,
  keptNamesOf,
  keptPersonKey,
  membershipKey,
  personKey,
} from '../../../lib/table/keys.ts';
import { recorded as recordedBy, TIME } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { expectFailure } from '../../support/outcomes.ts';
import { enter, newIdentity, personOf, type SignedIn, signInAgain, storeInvitations } from '../../support/people.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { beforeNext, beforeNextWrite, intercept, release } from '../table/intercept.ts';

const DAY_MS = 86_400_000;

/** Two payment providers, and a person of the first one. The second one's people are those of earlier tests too. */
let provider: string;
let other: string;
let anna: SignedIn;
beforeAll(async () => {
  other = await newAcquirer();
});
beforeEach(async () => {
  provider = await newAcquirer();
  anna = await personOf(provider, 'admin');
});
afterAll(expectNoViolations);

async function newAcquirer(): Promise<string> {
  const id = randomUUID();
  await createAcquirer({ id, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  return id;
}

const join = (acquirer: string, role: PersonRole, { identity }: SignedIn = anna) =>
  personOf(acquirer, role, { identity });
const invite = (email: string, acquirer: string) => invitePerson(acquirer, { email, role: 'viewer' });
const personAt = (id: string) => getItem<Person>(personKey(id));
const isSignedIn = async ({ session }: SignedIn) => Boolean(await resolvePerson(session.cookie));
const invitationsOf = async (acquirer: string) => (await listPeople(acquirer)).invitations.map(({ email }) => email);

/** A stored event of the operator's record, of the tests' operator. */
const recorded = (type: string, details: object) => recordedBy(type, details, 'test');
/** The key of an item as {@link storedBy} shows it. */
const named = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** What a change returned and stored, apart from the events of the operator's record. */
async function changesOf<T>(change: () => Promise<T>) {
  const { response, changed } = await storedBy(change);
  return { response, ...splitRecord(changed) };
}

const expectNotFound = (change: () => Promise<unknown>, message: string) =>
  expectFailure(change, { code: 'not_found', message });

describe('findPerson', () => {
  test('returns a person with the role at each acquirer, until they are removed there', async () => {
    await join(other, 'viewer');
    const found = await findPerson(anna.id);
    expect(found).toEqual({
      id: anna.id,
      name: 'Anna Example',
      email: anna.identity.email,
      acquirers: expect.any(Array),
      created_at: TIME,
      signed_in_at: TIME,
    });
    expect(new Map(found?.acquirers.map(({ id, role }) => [id, role]))).toEqual(
      new Map([
        [provider, 'admin'],
        [other, 'viewer'],
      ]),
    );
    expect(found?.acquirers).toHaveLength(2);
    // Removed between the read of the person and that of the roles.
    beforeNext(
      ({ operation }) => operation.startsWith('BatchGet'),
      () => removePerson(provider, anna.id),
    );
    expect((await findPerson(anna.id))?.acquirers).toEqual([{ id: other, role: 'viewer' }]);
    await removePerson(other, anna.id);
    expect(await findPerson(anna.id)).toBeUndefined();
    expect(await findPerson(randomUUID())).toBeUndefined();
  });
});

describe('namesOfPersons', () => {
  test('returns the names of people of any acquirer, of removed ones by an acquirer that knew them', async () => {
    const bea = await personOf(other, 'viewer', { identity: newIdentity('Bea Example') });
    const [gone, erased] = [
      await personOf(provider, 'viewer', { identity: newIdentity('Vera') }),
      await personOf(provider, 'viewer'),
    ];
    await removePerson(provider, gone.id);
    await erasePerson(erased.id);
    const ids = [anna.id, bea.id, anna.id, gone.id, erased.id, randomUUID()];
    const present: [string, string][] = [
      [anna.id, 'Anna Example'],
      [bea.id, 'Bea Example'],
    ];
    expect(await namesOfPersons(ids, [other])).toEqual(new Map(present));
    expect(await namesOfPersons(ids, [other, provider])).toEqual(new Map([...present, [gone.id, 'Vera']]));
    expect(await namesOfPersons([], [other])).toEqual(new Map());
  });
});

describe('signOutPeople', () => {
  test('ends all sessions of the people of an acquirer, also those as another one, and nobody else’s', async () => {
    const bea = await personOf(provider, 'viewer');
    const again = await signInAgain(bea);
    const elsewhere = await join(other, 'viewer');
    const stranger = await personOf(other, 'viewer');
    const { response, others, events } = await changesOf(() => signOutPeople(provider));
    expect(response.sort()).toEqual([anna.id, bea.id].sort());
    expect(others).toEqual({
      [named(personKey(anna.id))]: expect.objectContaining({ id: anna.id, generation: 2 }),
      [named(personKey(bea.id))]: expect.objectContaining({ id: bea.id, generation: 2 }),
    });
    const event = recorded('person.signed_out', { acquirer: provider, people: 2 });
    expect(events).toEqual({
      [`ACQUIRER#${provider}`]: [event],
      [`PERSON#${anna.id}`]: [event],
      [`PERSON#${bea.id}`]: [event],
    });
    const sessions = [anna, elsewhere, bea, again, stranger];
    expect(await Promise.all(sessions.map(isSignedIn))).toEqual([false, false, false, false, true]);
    expect(await isSignedIn(await signInAgain(anna))).toBe(true);
  });

  test('ends the sessions of one person', async () => {
    const bea = await personOf(provider, 'viewer');
    const { response, others, events } = await changesOf(() => signOutPeople(provider, bea.id));
    expect(response).toEqual([bea.id]);
    expect(others).toEqual({ [named(personKey(bea.id))]: expect.objectContaining({ generation: 2 }) });
    const event = recorded('person.signed_out', { acquirer: provider, people: 1 });
    expect(events).toEqual({ [`ACQUIRER#${provider}`]: [event], [`PERSON#${bea.id}`]: [event] });
    expect([await isSignedIn(anna), await isSignedIn(bea)]).toEqual([true, false]);
  });

  test('is refused for an unknown acquirer, and for a person who is not one of its people', async () => {
    const [unknown, stranger] = [randomUUID(), await personOf(other, 'viewer')];
    await expectNotFound(() => signOutPeople(unknown), `There is no acquirer ${unknown}.`);
    for (const id of [unknown, stranger.id])
      await expectNotFound(() => signOutPeople(provider, id), `The acquirer has no person ${id}.`);
    expect(await isSignedIn(stranger)).toBe(true);
  });

  test('stores nothing for an acquirer whose people were removed, also if that was in the meantime', async () => {
    await invite('bea@example.com', provider);
    beforeNextWrite(() => removePerson(provider, anna.id));
    const { response, events } = await changesOf(() => signOutPeople(provider));
    expect(response).toEqual([anna.id]);
    expect(Object.values(events).flat()).toEqual(
      // Under the acquirer and the person.
      Array(2).fill(expect.objectContaining({ type: 'person.removed' })),
    );
    expect(await personAt(anna.id)).toBeUndefined();
    expect(await changesOf(() => signOutPeople(provider))).toEqual({ response: [], others: {}, events: {} });
  });

  test('ends the sessions once per call, also if another call does so at the same time', async () => {
    beforeNextWrite(() => signOutPeople(provider));
    await signOutPeople(provider);
    expect((await personAt(anna.id))?.generation).toBe(3);
  });
});

describe('erasePerson', () => {
  const erasedAt = (acquirer: string, of: object) => recorded('person.erased', { acquirer, ...of });
  const invitationIn = ({ sk }: Key) => sk.replace('INVITATION#', '');

  test('removes a person from all acquirers, and the invitations of their address, and is listed', async () => {
    await join(other, 'viewer');
    const third = await newAcquirer();
    const bea = await personOf(third, 'viewer');
    const invited = await invite(anna.identity.email, third);
    await invite('bea@example.com', third);
    const { response, others, events } = await changesOf(() => erasePerson(anna.id));
    // Two were accepted.
    expect({ ...response, acquirers: response.acquirers.sort() }).toEqual({
      people: [anna.id],
      acquirers: [provider, other].sort(),
      invitations: 3,
    });
    const kept = Object.keys(others).filter((name) => name.startsWith('PEOPLE_NAMES#'));
    expect(others).toEqual({
      [named(personKey(anna.id))]: null,
      [named(identityKey(hashOfIdentity(anna.identity)))]: null,
      [named(membershipKey(provider, anna.id))]: null,
      [named(membershipKey(other, anna.id))]: null,
      [named(invitationKey(third, invited.id))]: null,
      ...Object.fromEntries(kept.map((name) => [name, null])),
      [named(acquirerKey(provider))]: expect.objectContaining({ id: provider, updated_at: TIME }),
      [named(acquirerKey(other))]: expect.objectContaining({ id: other, updated_at: TIME }),
    });
    const removedFrom = (acquirer: string) => recorded('person.removed', { acquirer, person: anna.id });
    const accepted = { invitation: expect.any(String) };
    for (const acquirer of [provider, other])
      expect(events[`ACQUIRER#${acquirer}`]).toEqual([
        removedFrom(acquirer),
        erasedAt(acquirer, accepted),
        erasedAt(acquirer, { person: anna.id }),
      ]);
    expect(events[`ACQUIRER#${third}`]).toEqual([erasedAt(third, { invitation: invited.id })]);
    expect(events[`PERSON#${anna.id}`]).toHaveLength(4);
    expect(events['ERASURES']).toHaveLength(5);
    expect(JSON.stringify(events)).not.toMatch(/Anna|@/);
    expect([await isSignedIn(anna), await isSignedIn(bea)]).toEqual([false, true]);
    await expect(enter(anna.identity)).rejects.toMatchObject({ code: 'not_invited' });
    expect(await invitationsOf(third)).toEqual(['bea@example.com']);
  });

  test('takes the name of a person who was removed earlier, also after a restore', async () => {
    const { email } = anna.identity;
    const nobody = await invite('nobody@example.com', provider);
    const rights = [personKey(anna.id), identityKey(hashOfIdentity(anna.identity)), membershipKey(provider, anna.id)];
    const before = (await getItems<object[]>(rights)) as object[];
    await removePerson(provider, anna.id);
    const names = await queryPrefix<object>(keptNamesOf(provider));
    expect(names).toContainEqual(expect.objectContaining({ name: 'Anna Example', email }));
    expect(await erasePerson(anna.id)).toEqual({ people: [anna.id], acquirers: [], invitations: 1 });
    expect(await erasePerson('Nobody@example.com')).toEqual({ people: [], acquirers: [], invitations: 1 });
    expect(await queryPrefix(keptNamesOf(provider))).toEqual([]);
    expect(await invitationsOf(provider)).toEqual([]);

    const list = await readRecord(ERASURES, { limit: 3 });
    const ofAnna = { listed: 3, members: 0, people: 1, invitations: 2 };
    // To a time after the removal, and to one before it.
    for (const restored of [names, [...names, ...before]]) {
      await storeMany(0, restored.length - 1, (at) => restored[at] as object);
      expect(await repeatErasures(list)).toEqual(ofAnna);
      expect(await queryPrefix(keptNamesOf(provider))).toEqual([]);
      expect(await getItems(rights)).toEqual([undefined, undefined, undefined]);
    }
    expect(await repeatErasures(list)).toEqual({ listed: 3, members: 0, people: 0, invitations: 0 });
    await expectNotFound(() => erasePerson('nobody@example.com'), 'There is no person nobody@example.com.');
    await expectFailure(() => enter(newIdentity(), nobody), { code: 'invitation_invalid' });
  });

  test('by an address, takes all who have or had it: who was removed and came back is another person', async () => {
    const { email } = anna.identity;
    await removePerson(provider, anna.id);
    const again = await join(provider, 'viewer');
    expect(again.id).not.toBe(anna.id);
    await personOf(provider, 'admin', { identity: newIdentity('Bea Example') });
    const { people, acquirers, invitations } = await erasePerson(` ${email.toUpperCase()}`);
    expect(people.sort()).toEqual([anna.id, again.id].sort());
    expect([acquirers, invitations]).toEqual([[provider], 2]);
    expect(await namesOfPersons([anna.id, again.id], [provider])).toEqual(new Map());
    expect((await listPeople(provider)).people.map(({ name }) => name)).toEqual(['Bea Example']);
  });

  test('removes all invitations of the address, open or ended', async () => {
    const { email } = anna.identity;
    const emailOf = () => email;
    const stored = [
      ...(await storeInvitations(other, { count: 1, endsIn: DAY_MS, emailOf })),
      ...(await storeInvitations(other, { count: 40, endsIn: -DAY_MS, emailOf })),
    ];
    const { response, others, events } = await changesOf(() => erasePerson(anna.id));
    expect(response).toEqual({ people: [anna.id], acquirers: [provider], invitations: 42 });
    expect(others).toMatchObject(Object.fromEntries(stored.map((key) => [named(key), null])));
    const erased = events[`ACQUIRER#${other}`] as { details: { invitation: string } }[];
    expect(new Set(erased.map(({ details }) => details.invitation))).toEqual(new Set(stored.map(invitationIn)));
  });

  test('removes no invitations of a person without an address', async () => {
    const { email, ...identity } = anna.identity;
    await enter(identity);
    await invite(email, other);
    expect(await findPerson(anna.id)).toMatchObject({ id: anna.id, name: 'Anna Example', email: null });
    expect(await erasePerson(anna.id)).toEqual({ people: [anna.id], acquirers: [provider], invitations: 0 });
    expect(await personAt(anna.id)).toBeUndefined();
    expect(await invitationsOf(other)).toContain(email);
  });

  test(`takes a person from ${MOST_ACQUIRERS} acquirers with a long past, in three transactions each`, async () => {
    const others: string[] = [];
    for (let at = 1; at < MOST_ACQUIRERS; at += 1) others.push(await newAcquirer());
    for (const acquirer of others) await join(acquirer, 'viewer');
    const name = 'N'.repeat(255);
    const past = (acquirer: string, count: number) =>
      storeMany(1, count, (number) => {
        const key = number % 2 ? keptPersonKey(acquirer, randomUUID()) : keptInvitationKey(acquirer, randomUUID());
        return { ...key, name, email: `${number}@${name}`.slice(0, 255), ttl: Math.floor(Date.now() / 1000) + 86_400 };
      });
    // More than one page of a query.
    await past(provider, 2_000);
    for (const acquirer of others) await past(acquirer, 20);
    const sent = await tableRequestsBy(() => erasePerson(anna.id));
    const { acquirers, ...response } = sent.response;
    expect(acquirers.sort()).toEqual([provider, ...others].sort());
    expect(response).toEqual({ people: [anna.id], invitations: MOST_ACQUIRERS });
    // To remove them, and to erase an invitation and a name.
    expect(operationsOf(sent).match(/TransactWriteItems/g)).toHaveLength(3 * MOST_ACQUIRERS);
    for (const acquirer of [provider, ...others]) {
      const kept = await queryPrefix(keptNamesOf(acquirer));
      expect(kept).toHaveLength(acquirer === provider ? 2_000 : 20);
      expect(JSON.stringify(kept)).not.toContain(anna.identity.email);
    }
  });

  test('is refused for an unknown person, and ends with what another call erases right before', async () => {
    const unknown = randomUUID();
    await expectNotFound(() => erasePerson(unknown), `There is no person ${unknown}.`);
    beforeNextWrite(() => erasePerson(anna.id));
    await expect(erasePerson(anna.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await personAt(anna.id)).toBeUndefined();
    await expectNotFound(() => erasePerson(anna.id), `There is no person ${anna.id}.`);
  });

  test('removes a person also from an acquirer that they join right before', async () => {
    beforeNextWrite(() => join(other, 'viewer'));
    expect((await erasePerson(anna.id)).acquirers.sort()).toEqual([provider, other].sort());
    expect(await personAt(anna.id)).toBeUndefined();
    expect((await listPeople(other)).people.map(({ id }) => id)).not.toContain(anna.id);
    expect(JSON.stringify(await queryPrefix(keptNamesOf(other)))).not.toContain(anna.identity.email);
  });

  test.each([2, 3, 4])('is completed by another call if it is interrupted at write %i', async (at) => {
    await invite(anna.identity.email, other);
    let writes = 0;
    intercept((send, { operation }) => {
      if (!operation.startsWith('TransactWrite')) return send();
      writes += 1;
      return writes === at ? Promise.reject(new Error('interrupted')) : send();
    });
    await expect(erasePerson(anna.id)).rejects.toThrow('interrupted');
    release();
    expect((await erasePerson(anna.id)).people).toEqual([anna.id]);
    for (const acquirer of [provider, other])
      expect(JSON.stringify(await queryPrefix(keptNamesOf(acquirer)))).not.toContain(anna.identity.email);
    expect(await invitationsOf(other)).not.toContain(anna.identity.email);
    await expectNotFound(() => erasePerson(anna.id), `There is no person ${anna.id}.`);
  });
});
