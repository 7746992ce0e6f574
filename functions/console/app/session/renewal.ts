import { observed } from '../shared/observed.ts';

/** Why a person must sign in: the session has ended, or what they do needs a sign-in of the last minutes. */
export type Reason = 'ended' | 'again';

/** Where the windows of a browser tell each other that its session has changed. */
const CHANNEL = 'console-session';

interface Renewal {
  reason: Reason;
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

const renewal = observed<Renewal | undefined>(undefined);
/** Whether the person did not want to sign in. Until they do something, they are not asked again. */
let isRefused = false;

/** A person did not sign in again, so the request was not sent. */
export class NotSignedIn extends Error {
  override name = 'NotSignedIn';
}

/** Resolves once the person has signed in. `isRead`: the request only reads, perhaps by itself. */
export async function renewedSession(reason: Reason, { isRead }: { isRead: boolean }): Promise<void> {
  if (isRead && isRefused) throw new NotSignedIn('The session has ended.');
  const current = renewal.get();
  const { promise, resolve, reject } = current ?? Promise.withResolvers<void>();
  if (!current || (reason === 'ended' && current.reason === 'again')) renewal.set({ reason, promise, resolve, reject });
  return promise;
}

export const isAsking = (): boolean => renewal.get() !== undefined;

/** The reason to sign in; `undefined` while there is none. */
export const useRenewal = (): Reason | undefined => renewal.use((current) => current?.reason);

export function askAgain(): void {
  isRefused = false;
}

export function renew(): void {
  askAgain();
  const current = renewal.get();
  renewal.set(undefined);
  current?.resolve();
}

export function giveUp(): void {
  isRefused = true;
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
