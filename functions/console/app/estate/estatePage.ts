import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { Interrupted } from '../api/interrupted.ts';
import { onNoted } from '../api/ownChanges.ts';
import { renewedSession } from '../session/renewal.ts';
import { type Acting, useActing } from '../session/session.ts';
import { ASKED, loadedEstate } from './loadedEstate.ts';
import type { EstateStatus, FromWorker, ToWorker } from './messages.ts';
import type { Answer, Asked, Kind } from './questions.ts';

export { FIRST } from './first.ts';
export type { EstateStatus } from './messages.ts';
export type { Answer, Asked, Figures } from './questions.ts';

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

type Ask = <K extends Kind>(kind: K, asked: Asked<K>, signal?: AbortSignal) => Promise<Answer<K>>;

interface Question {
  kind: Kind;
  asked: unknown;
  signal: AbortSignal | undefined;
  answer: PromiseWithResolvers<unknown>;
}

interface Followed {
  name: string;
  status: EstateStatus;
  end: () => void;
  say: <K extends keyof ToWorker>(kind: K, said: ToWorker[K]) => void;
  ask: Ask;
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
  const { id, browser_key } = acquirer;
  /** The worker has one question at a time, so that those that are outdated before their turn cost nothing. */
  const questions: Question[] = [];
  let current: Question | undefined;
  const say: Followed['say'] = (kind, said) => worker.postMessage([kind, said]);
  const sendNext = () => {
    while (!current && questions.length > 0) {
      const next = questions.shift() as Question;
      if (next.signal?.aborted) {
        next.answer.reject(next.signal.reason);
        continue;
      }
      current = next;
      say('ask', { kind: next.kind, asked: next.asked });
    }
  };
  const own: Followed = {
    name,
    status: UNREAD,
    say,
    end() {
      worker.terminate();
      for (const { answer } of [...(current ? [current] : []), ...questions])
        answer.reject(new Error('The estate is followed no more.'));
      loadedEstate.set(undefined);
    },
    ask(kind, asked, signal) {
      const answer = Promise.withResolvers<unknown>();
      questions.push({ kind, asked, signal, answer });
      sendNext();
      return answer.promise as Promise<never>;
    },
  };
  const show = (status: EstateStatus) => {
    own.status = status;
    loadedEstate.set(status.isComplete ? { acquirer: id, version: status.version, ask: own.ask } : undefined);
    for (const listener of listeners) listener();
  };
  worker.addEventListener('error', ({ message }) =>
    show({ ...own.status, state: { kind: 'failed', error: new Error(message) } }),
  );
  const heard: { [K in keyof FromWorker]: (said: FromWorker[K]) => void } = {
    status: ({ state, ...status }) => show({ ...status, state: state.kind === 'failed' ? failureOf(state) : state }),
    renew({ id: renewal, why }) {
      const tell = (isSignedIn: boolean) => say('renewed', { id: renewal, isSignedIn });
      renewedSession(why, { isRead: true }).then(
        () => tell(true),
        () => tell(false),
      );
    },
    answered(said) {
      const { answer } = current as Question;
      current = undefined;
      sendNext();
      if ('answer' in said) answer.resolve(said.answer);
      else answer.reject(new Error(said.message));
    },
  };
  worker.addEventListener('message', ({ data: [kind, said] }: MessageEvent<[keyof FromWorker, never]>) =>
    heard[kind](said),
  );
  say('follow', { person: { id: person.id }, acquirer: { id, browser_key } });
  onNoted((acquirerId, changes) => acquirerId === id && say('note', changes));
  return own;
}

function failureOf({ name, message, problem }: { name: string; message: string; problem: Interrupted['problem'] }) {
  const error = name === 'Interrupted' ? new Interrupted(problem) : Object.assign(new Error(message), { name });
  return { kind: 'failed', error } as const;
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

/**
 * What the estate answers, again whenever it changes. The last answer stays until the next is there; it is `undefined` before
 * the first one.
 *
 * @param options.isAsked Whether it is asked at all.
 * @returns The answer, to what, and whether something else is asked by now.
 */
export function useAnswer<K extends Kind>(
  kind: K,
  asked: Asked<K>,
  { isAsked = true } = {},
): { data: Answer<K> | undefined; to: Asked<K> | undefined; isOutdated: boolean } {
  const acting = useActing();
  const { version } = useEstateStatus();
  const { data, isPlaceholderData } = useQuery({
    queryKey: [acting.acquirer.id, 'estate', kind, asked, version],
    queryFn: async ({ signal }) => ({ asked, answer: await estateOf(acting).ask(kind, asked, signal) }),
    enabled: isAsked,
    ...ASKED,
  });
  const answered = data as { asked: Asked<K>; answer: Answer<K> } | undefined;
  return { data: answered?.answer, to: answered?.asked, isOutdated: isPlaceholderData };
}

/** Says the names of some branches of the estate. A branch without one, or that is not known yet, is called by its MID. */
export function useBranchNames(mids: readonly string[]): (mid: string) => string {
  const wanted = [...new Set(mids)].sort();
  const { data } = useAnswer('names', { mids: wanted }, { isAsked: wanted.length > 0 });
  return useMemo(() => {
    const names = new Map(data?.branches.map(({ mid, merchant_name }) => [mid, merchant_name]));
    return (mid) => names.get(mid) ?? mid;
  }, [data]);
}
