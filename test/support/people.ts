import { randomUUID } from 'node:crypto';
import type { PersonRole } from '../../lib/acquirers/roles.ts';
import { signIn } from '../../lib/people/admission.ts';
import { invitePerson } from '../../lib/people/people.ts';
import type { Identity } from '../../lib/people/person.ts';
import { invitationKey, type Key, longUuid } from '../../lib/table/keys.ts';
import { storeMany } from './storeMany.ts';

/** A person who has signed in. */
export interface SignedIn {
  id: string;
  identity: Identity & { email: string; name: string };
  /** Their session, with the acquirer as which they act: see `Request` in infra/publish/contract/calls.ts. */
  session: { cookie: string; actingAs: string };
}

/** An identity of an issuer that no other test uses. */
export function newIdentity(name = 'Anna Example'): SignedIn['identity'] {
  const subject = randomUUID();
  const email = `${subject}@example.com`;
  return { issuer: 'https://issuer.example.com', subject, email, isEmailVerified: true, name };
}

/** Signs in, by the link of an invitation if there is one. Returns the cookie of the session. */
export const enter = (identity: Identity, invited?: { link: string }, authTime = 0): Promise<string> =>
  signIn(identity, { invitation: invited?.link.split('invitation=')[1], authTime, earlier: undefined });

/** The person whose UUID the value of a session's cookie begins with. */
const personIn = (cookie: string): string => longUuid(cookie.slice(0, 22));

/**
 * Invites a person to the people of an acquirer, and signs them in.
 *
 * @param options.authTime When they signed in at the issuer, in seconds since 1970; now by default.
 * @param options.identity Of a person who may belong to another acquirer already; by default a new one.
 */
export async function personOf(
  acquirerId: string,
  role: PersonRole,
  {
    authTime = Math.floor(Date.now() / 1000),
    identity = newIdentity(),
  }: Partial<Pick<SignedIn, 'identity'>> & { authTime?: number } = {},
): Promise<SignedIn> {
  const cookie = await enter(identity, await invitePerson(acquirerId, { email: identity.email, role }), authTime);
  return { id: personIn(cookie), identity, session: { cookie, actingAs: acquirerId } };
}

/** Signs a person in again, with a session of its own. `authTime` is that of {@link personOf}. */
export async function signInAgain(
  { id, identity, session: { actingAs } }: SignedIn,
  authTime = Math.floor(Date.now() / 1000),
): Promise<SignedIn> {
  const cookie = await enter(identity, undefined, authTime);
  return { id, identity, session: { cookie, actingAs } };
}

/** Stores so many invitations directly, which end in so many milliseconds. Returns their keys. */
export async function storeInvitations(
  acquirer: string,
  { count, endsIn, emailOf }: { count: number; endsIn: number; emailOf: (at: number) => string },
): Promise<Key[]> {
  const [created_at, expires_at] = [0, endsIn].map((later) => new Date(Date.now() + later).toISOString());
  const ttl = Math.ceil((Date.now() + endsIn) / 1000);
  const keys = Array.from({ length: count }, () => invitationKey(acquirer, randomUUID()));
  const invitation = { role: 'viewer', created_at, expires_at, ttl };
  await storeMany(0, count - 1, (at) => ({ ...keys[at], ...invitation, email: emailOf(at) }));
  return keys;
}
