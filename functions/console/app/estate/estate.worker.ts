import type { Estate, Noted } from '../../../../docs/client/estate/estate.ts';
import { createApi } from '../api/client.ts';
import { Interrupted } from '../api/interrupted.ts';
import { sendOnce, signInFor } from '../api/request.ts';
import type { Owner } from '../kept/seal.ts';
import { EstateFeed, type Kept } from './feed.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { ANSWERS, answerIn, summaryOf } from './questions.ts';
import { storeOf } from './store.ts';

/* The estate, in a thread of its own: see estatePage.ts. */

/** How often the feed is read. */
const POLL_MS = 5_000;

const say = <K extends keyof FromWorker>(kind: K, said: FromWorker[K]) => postMessage([kind, said]);
const sleep = (ms?: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Whether somebody looks at the tab. */
let attention = Promise.withResolvers<void>();
let isAttended = false;
function attend(isNow: boolean): void {
  if (isNow) attention.resolve();
  else if (isAttended) attention = Promise.withResolvers();
  isAttended = isNow;
}

const renewals = new Map<number, PromiseWithResolvers<void>>();

/** Sends a request. If the session has ended, waits until the person has signed in again, then sends it once more. */
async function send(request: Request): Promise<Response> {
  for (;;) {
    const response = await sendOnce(request);
    const reason = await signInFor(response);
    if (!reason) return response;
    const renewal = Promise.withResolvers<void>();
    const id = renewals.size;
    renewals.set(id, renewal);
    say('renew', { id, why: reason });
    await renewal.promise;
  }
}

function followed(owner: Owner): EstateFeed {
  const name = `estate ${owner.acquirer.id} ${owner.person.id}`;
  const channel = new BroadcastChannel(name);
  const feed = new EstateFeed({
    api: createApi(owner.acquirer.id, { baseUrl: location.origin, send }),
    store: storeOf(owner),
    lead: (run) => navigator.locks.request(name, run),
    tell: (kept) => channel.postMessage(kept),
    // It ends with its worker.
    signal: new AbortController().signal,
    async pause() {
      await sleep(POLL_MS);
      return isAttended;
    },
    attended: () => attention.promise,
    summaryOf: (estate) => summaryOf(estate, Date.now()),
    onChange() {
      const { estate, state, isComplete, isKept, summary } = feed;
      const { version, terminals, branches } = estate;
      const status = { version, terminals: terminals.size, branches: branches.size, isComplete, isKept };
      const shown = state.kind === 'failed' ? { kind: state.kind, ...saidOf(state.error) } : state;
      say('status', { ...status, state: shown, hasSummary: summary !== undefined });
      void prepare(feed);
    },
  });
  channel.addEventListener('message', ({ data }: MessageEvent<Kept>) => feed.kept(data));
  return feed;
}

const saidOf = (error: unknown) => {
  const { name, message } = error as Error;
  return { name, message, problem: error instanceof Interrupted ? error.problem : undefined };
};

let isPreparing = false;

/** Makes what searching needs before a person searches. */
async function prepare({ estate }: EstateFeed): Promise<void> {
  if (isPreparing) return;
  isPreparing = true;
  while (estate.prepare()) await sleep();
  isPreparing = false;
}

let feed: EstateFeed;

const HANDLERS: { [K in keyof ToWorker]: (said: ToWorker[K]) => void } = {
  follow(owner) {
    feed = followed(owner);
    void feed.run();
  },
  attend,
  note: (changes: Noted[]) => feed.note(changes),
  retry: () => feed.retry(),
  renewed({ id, isSignedIn }) {
    const { resolve, reject } = renewals.get(id) as PromiseWithResolvers<void>;
    if (isSignedIn) resolve();
    else reject(Object.assign(new Error('The session has ended.'), { name: 'NotSignedIn' }));
  },
  ask({ kind, asked }) {
    const { estate, summary } = feed;
    const answerOf = ANSWERS[kind] as (estate: Estate, asked: unknown) => unknown;
    try {
      say('answered', { answer: (summary !== undefined && answerIn(summary, kind, asked)) || answerOf(estate, asked) });
    } catch (error) {
      say('answered', { message: (error as Error).message });
    }
  },
};

addEventListener('message', ({ data: [kind, said] }: MessageEvent<[keyof ToWorker, never]>) => HANDLERS[kind](said));
