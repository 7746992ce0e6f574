import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { personRole } from '../acquirers/roles.ts';
import { text } from '../base/fields.ts';
import { browserKey, extend, hash, positive, seconds, time, uuidValue } from '../base/values.ts';
import { personSubject } from '../table/keys.ts';

/** Who signs in, as the issuer states it in the ID token (OpenID Connect Core 1.0 §5.1). */
export interface Identity {
  issuer: string;
  subject: string;
  email?: string;
  isEmailVerified: boolean;
  name?: string;
}

/** The hash by which the person of an identity is found. No issuer contains a line break. */
export const hashOfIdentity = ({ issuer, subject }: Identity): string =>
  createHash('sha256').update(`${issuer}\n${subject}`).digest('hex');

/** The stored item that binds an issuer's subject to a person. */
export const identityItem = v.object({ person: uuidValue });

/** The stored item of a person, while they belong to an acquirer. */
export const personItem = v.object({
  id: uuidValue,
  name: text,
  email: v.optional(text),
  identity: hash,
  /** Ids of the acquirers that the person belongs to. */
  acquirers: v.custom<Set<string>>((value) => value instanceof Set && value.size > 0),
  /** Counts how often all sessions of the person were ended. A session with an earlier number is not valid. */
  generation: positive,
  created_at: time,
  signed_in_at: time,
});
export type Person = v.InferOutput<typeof personItem>;

export const MOST_ACQUIRERS = 20;

/**
 * The stored item that makes a person one of the people of an acquirer. With the key, the person's browser encrypts
 * what it keeps of the acquirer. It is not a hash: it opens nothing but that. It ends with the membership, so what a
 * browser kept before a removal stays closed, also if the person is invited again.
 */
export const membershipItem = v.object({ role: personRole, joined_at: time, browser_key: browserKey });
export type Membership = v.InferOutput<typeof membershipItem>;

export const invitationItem = v.object({
  email: text,
  role: personRole,
  created_at: time,
  expires_at: time,
  ttl: seconds,
});
export type Invitation = v.InferOutput<typeof invitationItem>;

export const sessionItem = extend(v.object({ person: uuidValue }), {
  generation: positive,
  /** When the person last signed in at the issuer, in seconds since 1970; 0 if the issuer does not state it. */
  auth_time: v.pipe(v.number(), v.integer(), v.minValue(0)),
  started_at: time,
  ends_at: time,
  ttl: seconds,
});
export type Session = v.InferOutput<typeof sessionItem>;

/**
 * The stored item of a session's last use, written at most once a minute, and of when the session began with which a
 * person last acted as an acquirer. A session without one was used when it started.
 */
export const sessionUseItem = v.object({ used_at: time, ttl: seconds });
export type SessionUse = v.InferOutput<typeof sessionUseItem>;

/** A person as the author of an event in the operator's record. */
export const personAuthor = personSubject;
