import { useEffect, useSyncExternalStore } from 'react';
import { onNoted } from '../api/ownChanges.ts';
import { renewedSession } from '../session/renewal.ts';
import { type Acting, useActing } from '../session/session.ts';
import type { EstateStatus, FromWorker, ToWorker } from './messages.ts';
import type { Answer, Asked, Kind } from './questions.ts';

export { FIRST } from './first.ts';
export type { EstateStatus } from './messages.ts';
export type { Answer, Asked, Counted, Figures, Names } from './questions.ts';

/** An estate of which nothing is read yet. */
const UNREAD: EstateStatus = {
  state: { kind: 'loading' },
  version: 0,
  terminals: 0,
  branches: 0,
  isComplete: false,
  isKept: true,
  hasSummary: false,
};

interface Followed {
  name: string;
  status: EstateStatus;
  end: () => void;
  say: <K extends keyof ToWorker>(kind: K, said: ToWorker[K]) => void;
  ask: <K extends Kind>(kind: K, asked: Asked<K>) => Promise<Answer<K>>;
}

/** The estate that is followed. There is one at a time. */
let followed: Followed | undefined;
const listeners = new Set<() => void>();

function tellAttention(): void {
  followed?.say('attend', listeners.size > 0 && !document.hidden && navigator.onLine);
}
document.addEventListener('visibilitychange', tellAttention);
for (const change of ['online', 'offline']) addEventListener(change, tellAttention);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  tellAttention();
  return () => {
    listeners.delete(listener);
    tellAttention();
  };
};

const nameOf = ({ acquirer, person }: Acting): string => `${acquirer.id} ${person.id}`;

/** Follows the estate of an acquirer for a person, in a worker of its own. */
function follow({ person, acquirer }: Acting, name: string): Followed {
  // A file of its own, so that the policy of the page allows it.
  const worker = new Worker(new URL('./estate.worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const say: Followed['say'] = (kind, said) => worker.postMessage([kind, said]);
  const own: Followed = {
    name,
    status: UNREAD,
    say,
    end() {
      worker.terminate();
      for (const { reject } of waiting.values()) reject(new Error('The estate is followed no more.'));
    },
    ask(kind, asked) {
      const answer = Promise.withResolvers<unknown>();
      asking += 1;
      waiting.set(asking, answer);
      say('ask', { id: asking, kind, asked });
      return answer.promise as Promise<never>;
    },
  };
  let asking = 0;
  const fail = (message: string) => {
    own.status = { ...own.status, state: { kind: 'failed', problem: undefined, message } };
    for (const listener of listeners) listener();
  };
  worker.addEventListener('error', ({ message }) => fail(message));
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if ('status' in data) {
      own.status = data.status;
      for (const listener of listeners) listener();
    } else if ('renew' in data) {
      const { id, renew } = data;
      const tell = (isSignedIn: boolean) => say('renewed', { id, isSignedIn });
      renewedSession(renew, { isRead: true }).then(
        () => tell(true),
        () => tell(false),
      );
    } else {
      const { resolve, reject } = waiting.get(data.id) as PromiseWithResolvers<unknown>;
      waiting.delete(data.id);
      if ('answer' in data) resolve(data.answer);
      else reject(new Error(data.message));
    }
  });
  const { id, browser_key } = acquirer;
  say('follow', { person: { id: person.id }, acquirer: { id, browser_key } });
  onNoted((acquirerId, changes) => acquirerId === id && say('note', changes));
  return own;
}

/** The estate of the acquirer that one acts for, in place of another one, unless it is followed already. */
function estateOf(acting: Acting): Followed {
  const name = nameOf(acting);
  if (followed?.name === name) return followed;
  followed?.end();
  followed = follow(acting, name);
  tellAttention();
  return followed;
}

/** Asks the estate something: `askEstate(acting, 'byPart', '0172')`. It is read once somebody asks. */
export const askEstate = <K extends Kind>(acting: Acting, kind: K, asked: Asked<K>): Promise<Answer<K>> =>
  estateOf(acting).ask(kind, asked);

/** Reads the estate again after it has failed. */
export const retryEstate = (): void => followed?.say('retry', undefined);

/**
 * What is known of the estate of the acquirer that one acts for. It is read once the first component that uses it is shown.
 * Without any, or in a hidden or offline tab, it rests, and then goes on where it was.
 */
export function useEstateStatus(): EstateStatus {
  const acting = useActing();
  useEffect(() => void estateOf(acting), [acting]);
  const name = nameOf(acting);
  return useSyncExternalStore(subscribe, () => (followed?.name === name ? followed.status : UNREAD));
}
