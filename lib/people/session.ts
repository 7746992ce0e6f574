import { createHash, randomBytes } from 'node:crypto';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { readCredential } from '../acquirers/credential.ts';
import { RETENTION_S, recordUse } from '../acquirers/keyUse.ts';
import type { StoredAcquirer } from '../acquirers/registry.ts';
import { CACHE_MS, Cache } from '../base/cache.ts';
import { UUID } from '../base/mid.ts';
import { getItem, getItems } from '../table/client.ts';
import * as keys from '../table/keys.ts';
import type { Membership, Person, Session, SessionUse } from './person.ts';

/** Browsers accept it only from this host, over https or from this machine (RFC 6265bis §4.1.3). */
export const SESSION_COOKIE = '__Host-session';

/** Times of sessions, in milliseconds. Tests change them. */
export const SESSION = {
  /** The end of a session that is not used. */
  idleMs: 30 * 60_000,
  /** The end of every session. */
  longestMs: 8 * 3_600_000,
  /** How often a use of the session is recorded, and that the person acts as an acquirer. */
  useIntervalMs: 60_000,
  memberUseIntervalMs: 3_600_000,
};

/** The value of a cookie: the person's UUID and 32 random bytes, in base64url. */
const COOKIE = /^([\w-]{22})\.[\w-]{43}$/;

export const hashOfCookie = (cookie: string): string => createHash('sha256').update(cookie).digest('hex');

function personIn(cookie: string): string | undefined {
  const [, encoded] = COOKIE.exec(cookie) ?? [];
  const person = encoded && keys.longUuid(encoded);
  return person && UUID.test(person) ? person : undefined;
}

/** Makes the value of a cookie and the session that it leads to. */
export function newSession(
  { id: person, generation }: Pick<Person, 'id' | 'generation'>,
  auth_time: number,
): { cookie: string; session: Session } {
  const cookie = `${keys.shortUuid(person)}.${randomBytes(32).toString('base64url')}`;
  const now = Date.now();
  const started_at = new Date(now).toISOString();
  const ends = now + SESSION.longestMs;
  const ends_at = new Date(ends).toISOString();
  return { cookie, session: { person, generation, auth_time, started_at, ends_at, ttl: Math.ceil(ends / 1000) } };
}

export interface OpenSession {
  /** Hash of the cookie. */
  sha256: string;
  person: Person;
  session: Session;
}

/** The milliseconds until a session ends if it is not used. */
const leftOf = ({ started_at, ends_at }: Session, { used_at = started_at }: Partial<SessionUse> = {}): number =>
  Math.min(Date.parse(ends_at), Date.parse(used_at) + SESSION.idleMs) - Date.now();

/** Whether a session has not ended, and the person has not ended all sessions since. */
const isValid = (session: Session, person: Person | undefined, use: SessionUse | undefined): boolean =>
  session.generation === person?.generation && leftOf(session, use) > 0;

/** Counts a request against the limit of a person whose session is read: the session may not be valid any more. */
type Count = (person: string) => Promise<void>;
const uncounted: Count = async () => undefined;

/** Resolves the value of a cookie to its session and person. Returns `undefined` if it is not valid. */
export async function resolvePerson(cookie: string, count = uncounted): Promise<OpenSession | undefined> {
  const id = personIn(cookie);
  if (!id) return undefined;
  const sha256 = hashOfCookie(cookie);
  const session = await readCredential<Session>(keys.sessionKey(sha256));
  if (!session) return undefined;
  await count(session.person);
  const [use, person] = await getItems<[SessionUse, Person]>([keys.sessionUseKey(sha256), keys.personKey(id)]);
  return person && isValid(session, person, use) ? { sha256, person, session } : undefined;
}

export interface Acting {
  sha256: string;
  acquirer: Acquirer;
  person: string;
  role: Membership['role'];
  auth_time: number;
  started_at: string;
}

/** What sessions resolve to. A person who was removed acts until it expires from this cache. */
const cache = new Cache<Acting>(10_000);

/** Forgets all resolved sessions, as a new process has none. For tests. */
export const forgetSessions = (): void => cache.clear();

/**
 * Resolves the value of a cookie, and the acquirer as which the person wants to act. Returns `undefined` unless the
 * session is valid, the person is one of the people of that acquirer, and the acquirer is enabled. Costs no read if the
 * cookie is malformed or cached (for {@link CACHE_MS}), and half a unit if there is no such session.
 *
 * @param options.isCacheable Whether what is cached suffices.
 * @param options.count Called before a session that is not cached costs more than a made-up one.
 */
export async function resolveSession(
  cookie: string,
  acquirerId: string,
  { isCacheable = true, count = uncounted } = {},
): Promise<Acting | undefined> {
  const id = personIn(cookie);
  if (!id || !UUID.test(acquirerId)) return undefined;
  const sha256 = hashOfCookie(cookie);
  const name = `${sha256}#${acquirerId}`;
  const cached = cache.get(name);
  if (cached && isCacheable) return cached;
  // First by itself, so that a made-up cookie costs little.
  const session = await (isCacheable ? readCredential<Session> : getItem<Session>)(keys.sessionKey(sha256));
  if (!session) return undefined;
  await count(session.person);
  const [use, person, membership, acquirer] = await getItems<[SessionUse, Person, Membership, StoredAcquirer]>([
    keys.sessionUseKey(sha256),
    keys.personKey(id),
    keys.membershipKey(acquirerId, id),
    keys.acquirerKey(acquirerId),
  ]);
  if (!isValid(session, person, use) || !membership || !acquirer || acquirer.disabled_at) return undefined;
  const { type, name: acquirerName, limit } = acquirer;
  const acting = {
    sha256,
    acquirer: { id: acquirerId, type, name: acquirerName, ...(limit && { limit }) },
    person: id,
    role: membership.role,
    auth_time: session.auth_time,
    started_at: session.started_at,
  };
  cache.set(name, acting, leftOf(session, use));
  return acting;
}

/**
 * Extends a session, at most once a minute. No request waits for it before its handler, and none fails because of it.
 */
export const recordSessionUse = (sha256: string): Promise<void> =>
  recordUse({
    key: keys.sessionUseKey(sha256),
    intervalMs: SESSION.useIntervalMs,
    retentionS: SESSION.longestMs / 1000,
  });

/**
 * Records when the session began with which a person acts as an acquirer. Its admins see it as the last sign-in, and
 * nothing of other acquirers.
 */
export const recordMembershipUse = (acquirer: string, person: string, started_at: string): Promise<void> =>
  recordUse({
    key: keys.membershipUseKey(acquirer, person),
    at: started_at,
    intervalMs: SESSION.memberUseIntervalMs,
    retentionS: RETENTION_S,
  });
