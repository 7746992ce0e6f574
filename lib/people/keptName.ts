import * as v from 'valibot';
import { expiryOf } from '../base/eventId.ts';
import { text } from '../base/fields.ts';
import { seconds } from '../base/values.ts';
import * as keys from '../table/keys.ts';
import { put, type Step } from '../table/transaction.ts';
import type { Invitation, Person } from './person.ts';

/**
 * The stored item of what an acquirer still knows of a person who was removed, as of then, or of the address that an
 * invitation is for. It is read by key only, gives no access, and expires after the last event that can mention it.
 */
export const keptNameItem = v.object({ name: v.optional(text), email: v.optional(text), ttl: seconds });
export type KeptName = v.InferOutput<typeof keptNameItem>;

/** Keeps the name and address of a person for the acquirer that they leave. */
export const keepPerson = (acquirer: string, { id, name, email }: Person): Step =>
  put(keys.keptPersonKey(acquirer, id), { name, email, ttl: expiryOf(new Date().toISOString()) } satisfies KeptName);

/** Keeps the address of an invitation, which can be accepted or revoked until it ends. */
export const keepInvited = (acquirer: string, id: string, { email, expires_at }: Invitation): Step =>
  put(keys.keptInvitationKey(acquirer, id), { email, ttl: expiryOf(expires_at) } satisfies KeptName);
