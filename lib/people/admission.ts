import { randomBytes, randomUUID } from 'node:crypto';
import type { StoredAcquirer } from '../acquirers/registry.ts';
import { retrying } from '../aws/retry.ts';
import { UUID } from '../base/mid.ts';
import { Problem } from '../base/problem.ts';
import { newEvent, recordSteps } from '../record/record.ts';
import { getItem, getItems } from '../table/client.ts';
import * as keys from '../table/keys.ts';
import { exists, isAsRead, isFree, put, remove, type Step, transact, update } from '../table/transaction.ts';
import { normalEmail } from './people.ts';
import {
  hashOfIdentity,
  type Identity,
  type Invitation,
  type Membership,
  MOST_ACQUIRERS,
  type Person,
  personAuthor,
} from './person.ts';
import { hashOfCookie, newSession } from './session.ts';

interface Options {
  /** The acquirer's id, a dot, and the invitation's id. */
  invitation: string | undefined;
  /** When the person signed in at the issuer, in seconds since 1970; 0 if the issuer does not state it. */
  authTime: number;
  /** The cookie of an earlier session of this browser, which ends. */
  earlier: string | undefined;
}

export interface Joining {
  acquirer: string;
  role: Invitation['role'];
}

/** The verified address of an identity. Others would let a person show the address of somebody else as theirs. */
const verifiedEmail = ({ email, isEmailVerified }: Identity): string | undefined =>
  email && isEmailVerified ? normalEmail(email).slice(0, 255) : undefined;

/** The stored texts of an identity. An issuer may state no name, and no verified address (any more). */
const detailsOf = (identity: Identity) => {
  const email = verifiedEmail(identity);
  return { name: (identity.name?.trim() || email || 'Without a name').slice(0, 255), email };
};

/**
 * Signs a person in: starts a session, and stores the name and address that the issuer states now. With an invitation,
 * a person who agrees joins the people of its acquirer, and is bound to issuer and subject.
 *
 * @param agrees Whether the person has agreed to join. On the page that asks, whoever belongs to the acquirer is
 *   refused.
 * @returns The value of the session's cookie, which is always new; or what the person has to agree to first.
 * @throws Problem `not_invited` when the person belongs to no acquirer; `invitation_invalid`, `email_not_verified` or
 *   `email_differs` when the invitation cannot be accepted.
 */
export const signInOrAsk = (
  identity: Identity,
  { invitation, authTime, earlier }: Options,
  agrees: boolean | 'on the page',
): Promise<{ cookie: string } | { joining: Joining }> =>
  retrying(async () => {
    // Before the person, who has joined if this finds the invitation accepted by another request of theirs.
    const invited = invitation ? await readInvitation(invitation) : undefined;
    const known = await getItem<{ person: string }>(keys.identityKey(hashOfIdentity(identity)));
    const person = known && (await getItem<Person>(keys.personKey(known.person)));
    const { changed, steps, joining } = invited
      ? await accept(invited, identity, person)
      : { changed: person, steps: [], joining: undefined };
    if (joining && !agrees) return { joining };
    if (agrees === 'on the page' && !joining) throw invalidInvitation();
    if (!changed)
      throw new Problem(
        'not_invited',
        'The account with which you signed in has no access: it was not invited yet, or was removed. Ask an admin of ' +
          'your company to invite its address, then open the link that they give you. If you have another account, ' +
          'sign in again with that.',
      );
    const { cookie, session } = newSession(changed, authTime);
    const details = { ...detailsOf(identity), signed_in_at: session.started_at };
    await transact([
      ...steps,
      // A new person has all of it. The generation is repeated, so that no session outlives the end of all.
      ...(changed === person
        ? [update(keys.personKey(person.id), { set: details }, isAsRead(person, 'generation'))]
        : []),
      put(keys.sessionKey(hashOfCookie(cookie)), session, isFree('stale')),
      ...(earlier ? [remove(keys.sessionKey(hashOfCookie(earlier)))] : []),
    ]);
    return { cookie };
  });

/** As {@link signInOrAsk}, for a person who agrees. Returns the value of the session's cookie. */
export async function signIn(identity: Identity, options: Options): Promise<string> {
  const { cookie } = (await signInOrAsk(identity, options, true)) as { cookie: string };
  return cookie;
}

const invalidInvitation = (): Problem =>
  new Problem(
    'invitation_invalid',
    'This invitation has expired, was revoked or was accepted before. Ask an admin of your acquirer for another.',
  );

async function readInvitation(text: string) {
  const [acquirer = '', id = ''] = text.split('.');
  if (!UUID.test(acquirer) || !UUID.test(id)) throw invalidInvitation();
  const [invitation, registered] = await getItems<[Invitation, StoredAcquirer]>([
    keys.invitationKey(acquirer, id),
    keys.acquirerKey(acquirer),
  ]);
  return { acquirer, id, invitation, registered };
}

/**
 * Accepts an invitation, unless the person is one of its acquirer's people. Returns the person afterwards, and the
 * steps.
 */
async function accept(
  { acquirer, id, invitation, registered }: Awaited<ReturnType<typeof readInvitation>>,
  identity: Identity,
  person: Person | undefined,
): Promise<{ changed: Person; steps: Step[]; joining: Joining | undefined }> {
  if (person?.acquirers.has(acquirer)) {
    // Used up, so that it cannot let the person in again after they were removed.
    const isTheirs = invitation !== undefined && invitation.email === verifiedEmail(identity);
    return { changed: person, steps: isTheirs ? [remove(keys.invitationKey(acquirer, id))] : [], joining: undefined };
  }
  const now = new Date().toISOString();
  if (!invitation || invitation.expires_at <= now || !registered || registered.disabled_at) throw invalidInvitation();
  const email = verifiedEmail(identity);
  if (!email)
    throw new Problem(
      'email_not_verified',
      'Your issuer does not state that your address is verified. Verify it there, then open the link again.',
    );
  if (email !== invitation.email)
    throw new Problem(
      'email_differs',
      'This invitation is for another address. Sign in with the account that has it, or ask for another invitation.',
    );
  if (person && person.acquirers.size >= MOST_ACQUIRERS)
    throw new Problem('invitation_invalid', `You belong to ${MOST_ACQUIRERS} acquirers already. Leave one first.`);

  const identityHash = hashOfIdentity(identity);
  const changed: Person = person
    ? { ...person, acquirers: new Set([...person.acquirers, acquirer]) }
    : {
        id: randomUUID(),
        ...detailsOf(identity),
        identity: identityHash,
        acquirers: new Set([acquirer]),
        generation: 1,
        created_at: now,
        signed_in_at: now,
      };
  const joined = await newEvent(
    'person.joined',
    { acquirer, person: changed.id, invitation: id, role: invitation.role },
    personAuthor(changed.id),
  );
  const steps = [
    person
      ? update(
          keys.personKey(person.id),
          {
            set: { ...detailsOf(identity), signed_in_at: now },
            add: { acquirers: new Set([acquirer]) },
          },
          isAsRead(person, 'acquirers', 'generation'),
        )
      : put(keys.personKey(changed.id), changed, isFree('stale')),
    ...(person
      ? // They may have belonged to the acquirer before.
        [remove(keys.keptPersonKey(acquirer, person.id))]
      : [put(keys.identityKey(identityHash), { person: changed.id }, isFree('stale'))]),
    put(
      keys.membershipKey(acquirer, changed.id),
      {
        role: invitation.role,
        joined_at: now,
        browser_key: randomBytes(32).toString('base64url'),
      } satisfies Membership,
      isFree('stale'),
    ),
    remove(keys.invitationKey(acquirer, id), exists('stale')),
    ...recordSteps(joined, keys.acquirerSubject(acquirer), keys.personSubject(changed.id)),
  ];
  return { changed, steps, joining: { acquirer: registered.name, role: invitation.role } };
}

export const signOut = (sha256: string): Promise<void> => retrying(() => transact([remove(keys.sessionKey(sha256))]));
