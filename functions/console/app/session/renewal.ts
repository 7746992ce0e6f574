import { useSyncExternalStore } from 'react';

/** Why a person must sign in: the session has ended, or what they do needs a sign-in of the last minutes. */
export type Reason = 'ended' | 'again';

/** The message of the window in which a person has signed in, to those that wait for it. */
const CHANNEL = 'console-session';
const SIGNED_IN = 'signed-in';

interface Renewal {
  reason: Reason;
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

let current: Renewal | undefined;
const listeners = new Set<() => void>();

function become(renewal: Renewal | undefined): void {
  current = renewal;
  for (const listener of listeners) listener();
}

/** A person did not sign in again, so the request was not sent. */
export class NotSignedIn extends Error {
  override name = 'NotSignedIn';
}

/** Asks the person to sign in, and resolves once they have. All requests that are refused meanwhile wait for the same. */
export function renewedSession(reason: Reason): Promise<void> {
  if (!current || (reason === 'ended' && current.reason === 'again')) {
    const { promise, resolve, reject } = current ?? Promise.withResolvers<void>();
    become({ reason, promise, resolve, reject });
  }
  return (current as Renewal).promise;
}

/** The reason to sign in; `undefined` while there is none. */
export const useRenewal = (): Reason | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current?.reason,
  );

/** Sends the waiting requests again. */
export function renew(): void {
  const renewal = current;
  become(undefined);
  renewal?.resolve();
}

/** Gives the waiting requests up. */
export function giveUp(): void {
  const renewal = current;
  become(undefined);
  renewal?.reject(new NotSignedIn('The session has ended.'));
}

/** Calls back when a person has signed in, in any window of this browser. */
export function onSignIn(callback: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = callback;
  return () => channel.close();
}

/** Tells the other windows that a person has signed in. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(SIGNED_IN);
  channel.close();
}
