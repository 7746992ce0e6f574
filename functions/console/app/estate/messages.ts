import type { Noted } from '../../../../docs/client/estate/estate.ts';
import type { Problem } from '../api/client.ts';
import type { Owner } from '../kept/seal.ts';
import type { EstateState } from './feed.ts';
import type { Kind } from './questions.ts';

/** What is known of the estate at any time. */
export interface EstateStatus {
  state: Exclude<EstateState, { kind: 'failed' }> | { kind: 'failed'; problem: Problem | undefined; message: string };
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

/** What the page says to the worker. */
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
  ask: { id: number; kind: Kind; asked: unknown };
}

/** What the worker says to the page. */
export type FromWorker =
  | { status: EstateStatus }
  | { id: number; answer: unknown }
  | { id: number; message: string }
  /** The session has ended. */
  | { id: number; renew: 'ended' | 'again' };
