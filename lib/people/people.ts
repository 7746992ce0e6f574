import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { refuseDisabled, requireAdmin } from '../acquirers/keyring.ts';
import { getAcquirer, nextVersion, type StoredAcquirer } from '../acquirers/registry.ts';
import { type PersonRole, personRole } from '../acquirers/roles.ts';
import { retrying } from '../aws/retry.ts';
import { inLowerCase } from '../base/fields.ts';
import { bodyRefused, Problem } from '../base/problem.ts';
import { extend, field, link, listOf, shownAs, shownText, time, uuidValue } from '../base/values.ts';
import { type Details, newEvent, recordSteps } from '../record/record.ts';
import type { RecordType } from '../record/recordTypes.ts';
import { getGroups, getItem, type Item, queryPrefix } from '../table/client.ts';
import * as keys from '../table/keys.ts';
import { exists, isAsRead, isFree, put, remove, type Step, transact, update } from '../table/transaction.ts';
import { keepInvited, keepPerson } from './keptName.ts';
import { type Invitation, type Membership, type Person, personAuthor, type SessionUse } from './person.ts';

/**
 * The most people of an acquirer and open invitations, together. Each change reads all of them, about 250 bytes each.
 */
export const MOST_PEOPLE = 200;

export const INVITATION_MS = 7 * 86_400_000;

/** The most invitations that have ended and that a change removes, so that its transaction has at most 100 items. */
const MOST_REMOVED = 50;

export const shownPerson = v.object({
  id: field(uuidValue, 'UUID of the person. It stays when name and address change.'),
  name: field(shownText, 'Name, as of the last sign-in.'),
  email: field(v.nullable(shownText), 'Address, as of the last sign-in; `null` if the issuer states none.'),
  role: field(personRole, 'What the person may do.'),
  joined_at: field(time, 'When the person accepted the invitation (RFC 3339, UTC).'),
  signed_in_at: field(time, 'When the person last signed in and acted as the acquirer (RFC 3339, UTC).'),
});
export type Member = v.InferOutput<typeof shownPerson>;

export const shownInvitation = v.object({
  id: field(uuidValue, 'UUID of the invitation.'),
  email: field(shownText, 'The address that the invited person must have, in lower case.'),
  role: field(personRole, 'What the person may do.'),
  created_at: field(time, 'When the person was invited (RFC 3339, UTC).'),
  expires_at: field(time, 'When the invitation ends (RFC 3339, UTC).'),
});
export type OpenInvitation = v.InferOutput<typeof shownInvitation>;

export const shownMadeInvitation = extend(shownInvitation, {
  link: field(link, 'The link to hand over. It opens nothing without a verified address.'),
});

export const shownPeople = v.object({
  people: listOf(shownPerson, MOST_PEOPLE),
  invitations: listOf(shownInvitation, MOST_PEOPLE),
});

/** The people of an acquirer and its invitations, as stored. */
interface Stored {
  memberships: (Membership & { id: string })[];
  open: (Invitation & { id: string })[];
  ended: (Invitation & { id: string })[];
}

async function readPeople(acquirer: string): Promise<Stored> {
  const stored: Stored = { memberships: [], open: [], ended: [] };
  const now = new Date().toISOString();
  for (const item of await queryPrefix<Item<Membership | Invitation>>(keys.peopleOf(acquirer))) {
    const { person, invitation = '' } = keys.idInPeople(item);
    if (person !== undefined) stored.memberships.push({ ...(item as Item<Membership>), id: person });
    else {
      const found = { ...(item as Item<Invitation>), id: invitation };
      (found.expires_at > now ? stored.open : stored.ended).push(found);
    }
  }
  return stored;
}

/** Lists the people of an acquirer and its open invitations, the oldest first. */
export async function listPeople(acquirer: string): Promise<{ people: Member[]; invitations: OpenInvitation[] }> {
  const { memberships, open } = await readPeople(acquirer);
  const { found } = await getGroups<{ persons: Person[]; uses: SessionUse[] }>({
    persons: memberships.map(({ id }) => keys.personKey(id)),
    uses: memberships.map(({ id }) => keys.membershipUseKey(acquirer, id)),
  });
  const people = memberships.flatMap(({ role, joined_at }, at): Member[] => {
    const person = found.persons[at];
    // Removed since the memberships were read.
    if (!person) return [];
    // A use of before they were removed and came back does not count.
    const signed_in_at = [found.uses[at]?.used_at ?? '', joined_at].sort().at(-1) as string;
    return [shownAs(shownPerson, { ...person, role, joined_at, signed_in_at })];
  });
  const invitations = open.map((invitation) => shownAs(shownInvitation, invitation));
  return {
    people: people.sort((one, other) => (one.joined_at < other.joined_at ? -1 : 1)),
    invitations: invitations.sort((one, other) => (one.created_at < other.created_at ? -1 : 1)),
  };
}

interface Change {
  steps: Step[];
  event: { type: RecordType; details: Details; person?: string };
}

/**
 * Changes the people of an acquirer or its invitations in one transaction. The acquirer's `updated_at` serialises
 * concurrent changes, so a rule may count them.
 *
 * @param by Who makes the change: see personAuthor. The operator by default.
 * @param decide Returns the change, or `undefined` when there is nothing to change.
 * @param options.isOwn Whether it changes only the person who makes it, who need not be an admin.
 */
const changePeople = (
  acquirerId: string,
  by: string | undefined,
  decide: (stored: Stored, acquirer: StoredAcquirer) => Change | undefined | Promise<Change>,
  { isOwn = false } = {},
): Promise<void> =>
  retrying(async () => {
    // First, so that changes afterwards make the transaction fail. Who joins changes no rule, so that does not.
    const acquirer = await getAcquirer(acquirerId);
    if (!isOwn) await requireAdmin(acquirerId, by);
    const decided = await decide(await readPeople(acquirerId), acquirer);
    if (!decided) return;
    const { steps, event } = decided;
    const recorded = await newEvent(event.type, { acquirer: acquirerId, ...event.details }, by);
    await transact([
      nextVersion(acquirer),
      ...steps,
      ...recordSteps(
        recorded,
        keys.acquirerSubject(acquirerId),
        ...(event.person ? [keys.personSubject(event.person)] : []),
      ),
    ]);
  });

/**
 * The address trimmed, with ASCII letters in lower case. No other letter is folded: the Kelvin sign in lower case is a
 * `k`, and belongs to somebody else's address.
 */
export const normalEmail = (email: string): string => inLowerCase(email.trim());

export type MadeInvitation = OpenInvitation & { link: string };

/**
 * Invites a person by an address to the people of an acquirer. Earlier invitations of the address are revoked. No mail
 * is sent: the link, a path of the console, is to be handed over.
 *
 * @throws Problem `not_found`; `validation_failed` when the acquirer is disabled, or has {@link MOST_PEOPLE}.
 */
export async function invitePerson(
  acquirerId: string,
  { email, role }: { email: string; role: PersonRole },
  by?: string,
): Promise<MadeInvitation> {
  const id = randomUUID();
  const now = Date.now();
  const invitation = {
    email: normalEmail(email),
    role,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + INVITATION_MS).toISOString(),
  };
  const ttl = Math.ceil((now + INVITATION_MS) / 1000);
  await changePeople(acquirerId, by, ({ memberships, open, ended }, acquirer) => {
    refuseDisabled(acquirer);
    const earlier = open.filter((each) => each.email === invitation.email);
    if (memberships.length + open.length - earlier.length >= MOST_PEOPLE) throw tooManyPeople();
    const removed = [...earlier, ...ended].slice(0, MOST_REMOVED);
    return {
      steps: [
        put(keys.invitationKey(acquirerId, id), { ...invitation, ttl } satisfies Invitation, isFree('stale')),
        keepInvited(acquirerId, id, { ...invitation, ttl }),
        ...removed.map((each) => remove(keys.invitationKey(acquirerId, each.id))),
      ],
      event: {
        type: 'person.invited',
        details: { invitation: id, role, ...(earlier.length > 0 && { replaced: earlier.map((each) => each.id) }) },
      },
    };
  });
  return { id, ...invitation, link: `/console/sign-in?invitation=${acquirerId}.${id}` };
}

const tooManyPeople = (): Problem =>
  bodyRefused(
    'too_long',
    `An acquirer can have at most ${MOST_PEOPLE} people and open invitations. Remove or revoke one.`,
  );

/**
 * Revokes an open invitation.
 *
 * @throws Problem `not_found`.
 */
export const revokeInvitation = (acquirerId: string, id: string, by?: string): Promise<void> =>
  changePeople(acquirerId, by, ({ open }) => {
    if (!open.some((each) => each.id === id)) throw new Problem('not_found', `There is no open invitation ${id}.`);
    return {
      steps: [remove(keys.invitationKey(acquirerId, id), exists('stale'))],
      event: { type: 'invitation.revoked', details: { invitation: id } },
    };
  });

/** Finds one of the people of an acquirer for a change that takes `admin` from them, unless they keep it. */
function memberFor({ memberships }: Stored, id: string, by: string | undefined, keepsAdmin: boolean) {
  const found = memberships.find((each) => each.id === id);
  if (!found) throw new Problem('not_found', `The acquirer has no person ${id}.`);
  const admins = memberships.filter(({ role }) => role === 'admin');
  const isLast = admins.length === 1 && admins[0] === found && !keepsAdmin;
  // An operator can always invite another.
  if (isLast && by !== undefined)
    throw new Problem('last_admin', 'This is the only admin of the acquirer. Make somebody else an admin first.');
  return found;
}

/**
 * Changes the role of one of the people of an acquirer, within the time that sessions are cached. Does nothing if that
 * is their role.
 *
 * @throws Problem `not_found`; `last_admin`, unless an operator does it.
 */
export async function changeRole(acquirerId: string, id: string, role: PersonRole, by?: string): Promise<Member> {
  await changePeople(acquirerId, by, (stored) => {
    const { role: role_before, ...membership } = memberFor(stored, id, by, role === 'admin');
    if (role_before === role) return;
    return {
      steps: [
        update(
          keys.membershipKey(acquirerId, id),
          { set: { role } },
          isAsRead({ ...membership, role: role_before }, 'role'),
        ),
      ],
      event: { type: 'person.role_changed', details: { person: id, role, role_before }, person: id },
    };
  });
  const { people } = await listPeople(acquirerId);
  const changed = people.find((each) => each.id === id);
  if (!changed) throw new Problem('not_found', `The acquirer has no person ${id}.`);
  return changed;
}

/**
 * Removes one of the people of an acquirer, who can also leave by themselves, within the time that sessions are cached.
 * Invitations of their address are revoked. The acquirer keeps their name and address, for what they did. If they come
 * back after they left their last acquirer, they are a new person.
 *
 * @throws Problem `not_found`; `last_admin`, unless an operator does it.
 */
export const removePerson = (acquirerId: string, id: string, by?: string): Promise<void> => {
  const decide = async (stored: Stored): Promise<Change> => {
    memberFor(stored, id, by, false);
    const person = await getItem<Person>(keys.personKey(id));
    // Otherwise the person could come back by one of them.
    const invitations = [...stored.open, ...stored.ended].filter(({ email }) => email === person?.email);
    const revoked = invitations.slice(0, MOST_REMOVED);
    return {
      steps: [
        remove(keys.membershipKey(acquirerId, id), exists('stale')),
        ...revoked.map((each) => remove(keys.invitationKey(acquirerId, each.id))),
        ...(person ? [keepPerson(acquirerId, person), ...leaving(person, acquirerId)] : []),
      ],
      event: {
        type: 'person.removed',
        details: { person: id, ...(revoked.length > 0 && { invitations: revoked.map((each) => each.id) }) },
        person: id,
      },
    };
  };
  return changePeople(acquirerId, by, decide, { isOwn: by === personAuthor(id) });
};

/** Steps by which a person no longer belongs to an acquirer. Without another, nothing remains by which to sign in. */
function leaving(person: Person, acquirer: string): Step[] {
  const others = [...person.acquirers].filter((id) => id !== acquirer);
  const condition = isAsRead(person, 'acquirers');
  return others.length > 0
    ? [update(keys.personKey(person.id), { remove: { acquirers: new Set([acquirer]) } }, condition)]
    : [remove(keys.personKey(person.id), condition), remove(keys.identityKey(person.identity))];
}

export const sessionsEnd = (person: Person): Step =>
  update(keys.personKey(person.id), { set: { generation: person.generation + 1 } }, isAsRead(person, 'generation'));

/**
 * Ends all sessions of a person, within the time that sessions are cached.
 *
 * @throws Problem `not_found`.
 */
export const endSessions = (id: string, by?: string): Promise<void> =>
  retrying(async () => {
    const person = await getItem<Person>(keys.personKey(id));
    if (!person) throw new Problem('not_found', `There is no person ${id}.`);
    const recorded = await newEvent('person.signed_out', { person: id }, by);
    await transact([sessionsEnd(person), ...recordSteps(recorded, keys.personSubject(id))]);
  });
