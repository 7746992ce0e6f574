import { isHolding, leave } from '../shared/draft.ts';
import { observed } from '../shared/observed.ts';

/** Why a person must sign in: the session has ended, or what they do needs a sign-in of the last minutes. */
export type Reason = 'ended' | 'again';

/** Where the windows of a browser tell each other that its session has changed. */
const CHANNEL = 'console-session';

/** The address of the page that says that a session has ended, and leads back to another address. */
const ENDED = '/console/ended';

interface Renewal {
  reason: Reason;
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

const renewal = observed<Renewal | undefined>(undefined);

/** A person did not sign in again, so the request was not sent. */
export class NotSignedIn extends Error {
  override name = 'NotSignedIn';
}

/**
 * Resolves once the person has signed in. If nothing would be lost, the page that shows what the session could read
 * gives way to one that shows nothing.
 *
 * @param options.isRead The request only reads, perhaps by itself.
 */
export async function renewedSession(reason: Reason, { isRead }: { isRead: boolean }): Promise<void> {
  const current = renewal.get();
  // A change that waits for the sign-in would be lost.
  if (reason === 'ended' && isRead && !current && !isHolding()) leaveEnded();
  const { promise, resolve, reject } = current ?? Promise.withResolvers<void>();
  if (!current || (reason === 'ended' && current.reason === 'again')) renewal.set({ reason, promise, resolve, reject });
  return promise;
}

/** Drops all that the page has, shown or typed. */
export const leaveEnded = (): void =>
  leave(`${ENDED}?${new URLSearchParams({ return_to: location.pathname + location.search })}`);

export const isAsking = (): boolean => renewal.get() !== undefined;

/** The reason to sign in; `undefined` while there is none. */
export const useRenewal = (): Reason | undefined => renewal.use((current) => current?.reason);

export function renew(): void {
  const current = renewal.get();
  renewal.set(undefined);
  current?.resolve();
}

export function giveUp(): void {
  const current = renewal.get();
  renewal.set(undefined);
  current?.reject(new NotSignedIn('The session has ended.'));
}

/** It does not get its own messages. */
const channel = new BroadcastChannel(CHANNEL);

/** Calls back when the session has changed in another window of this browser. */
export function onSessionChange(callback: () => void): () => void {
  channel.addEventListener('message', callback);
  return () => channel.removeEventListener('message', callback);
}

/** Tells the other windows that a person has signed in or out. */
export const announceSession = (): void => channel.postMessage(null);
