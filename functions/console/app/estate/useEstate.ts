import { useSyncExternalStore } from 'react';
import { onNoted } from '../api/ownChanges.ts';
import { useActing } from '../session/session.ts';
import { findByPart } from './findByPart.ts';
import { type Fleet, FleetEngine } from './follower.ts';
import { inHand } from './loadedEstate.ts';
import type { Row } from './row.ts';
import { openStorage } from './storage.ts';

export type { Fleet } from './follower.ts';
export type { Branch, Row } from './row.ts';

/** How often the feed is read, and how often a tab that rests looks whether it still does. */
const POLL_MS = 5_000;
const REST_MS = 1_000;
/** How many rows get their texts at once. */
const PREPARED = 1_000;

/** The estate that is followed. There is one at a time. */
let running: { name: string; engine: FleetEngine; stop: AbortController } | undefined;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Makes the texts of rows before a person types one. */
async function prepare(rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += PREPARED) {
    await sleep(0);
    for (const row of rows.slice(at, at + PREPARED)) void row.text;
  }
}

async function pause(): Promise<void> {
  await sleep(POLL_MS);
  while (listeners.size === 0 || document.hidden || !navigator.onLine) await sleep(REST_MS);
}

/**
 * The estate of the acquirer that one acts for. It is read when the first component uses it. Without any, or in a hidden
 * or offline tab, it rests, and then goes on where it was.
 */
export function useFleet(): Fleet {
  const { api, acquirer, person } = useActing();
  const name = `${acquirer.id} ${person.id}`;
  if (running?.name !== name) {
    running?.stop.abort();
    const stop = new AbortController();
    let isPrepared = false;
    const engine = new FleetEngine({
      api,
      openStorage: () => openStorage({ acquirer, person }, stop.signal),
      signal: stop.signal,
      pause,
      onChange() {
        for (const listener of listeners) listener();
        inHand.set({ acquirer: acquirer.id, find: (text) => findByPart(engine.fleet.rows, text) });
        if (isPrepared || engine.fleet.state.kind !== 'following') return;
        isPrepared = true;
        void prepare(engine.fleet.rows);
      },
    });
    running = { name, engine, stop };
    onNoted((id, changes) => id === acquirer.id && engine.note(changes));
    void engine.run();
  }
  const { engine } = running;
  return useSyncExternalStore(subscribe, () => engine.fleet);
}

/** Says the name of a branch of the fleet; its MID if it has none. */
export function useBranchName(): (mid: string) => string {
  const { branches } = useFleet();
  return (mid) => branches.get(mid)?.merchant_name ?? mid;
}
