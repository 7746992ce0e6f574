import type { Noted } from '../../../../docs/client/estate/estate.ts';
import type { Problem } from '../api/client.ts';
import type { Owner } from '../kept/seal.ts';
import type { EstateState } from './feed.ts';
import type { Kind } from './questions.ts';

/** What is known of the estate at any time. */
export interface EstateStatus {
  state: EstateState;
  /** Another one whenever answers may be others. */
  version: number;
  terminals: number;
  branches: number;
  /** Whether all of it is in memory, also after reading the feed has failed. */
  isComplete: boolean;
  /** Whether the browser keeps it until the next visit, as far as it is known. */
  isKept: boolean;
  /** What is kept is still being read, and `FIRST` is answered as it was at the last visit. */
  hasSummary: boolean;
}

/** A state, and of its error what the page makes the same one of. */
type SentState =
  | Exclude<EstateState, { kind: 'failed' }>
  | { kind: 'failed'; name: string; message: string; problem: Problem | undefined };

/** What the page says to the worker, each as `[kind, said]`. */
export interface ToWorker {
  /** The first message. */
  follow: Owner;
  /** Whether somebody looks at the tab. */
  attend: boolean;
  note: Noted[];
  /** Reads again after it has failed. */
  retry: undefined;
  /** Whether the person has signed in again. */
  renewed: { id: number; isSignedIn: boolean };
  /** The next question comes after the answer to this one. */
  ask: { kind: Kind; asked: unknown };
}

/** What the worker says to the page, each as `[kind, said]`. */
export interface FromWorker {
  status: Omit<EstateStatus, 'state'> & { state: SentState };
  answered: { answer: unknown } | { message: string };
  /** The session has ended. */
  renew: { id: number; why: 'ended' | 'again' };
}
