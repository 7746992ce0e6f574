import { useSyncExternalStore } from 'react';
import { type Acting, useActing } from '../session/session.ts';
import { type Fleet, FleetEngine } from './engine.ts';
import { onNoted } from './noted.ts';
import type { Row } from './row.ts';
import { fleetName, openStorage } from './storage.ts';

export type { Fleet, FleetState } from './engine.ts';
export type { Branch, Row, Terminal } from './row.ts';

/** How often the feed is read. */
const POLL_MS = 5_000;
const HIDDEN_POLL_MS = 1_000;
/** How many rows get their texts at once, while nothing else is to be done. */
const AT_ONCE = 1_000;

interface Running {
  name: string;
  engine: FleetEngine;
  listeners: Set<() => void>;
  subscribe: (listener: () => void) => () => void;
  stop: AbortController;
}

let running: Running | undefined;

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Makes the texts of rows before a person types one. */
async function prepare(rows: readonly Row[]): Promise<number> {
  let length = 0;
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    await sleep(0);
    for (const row of rows.slice(at, at + AT_ONCE)) length += row.text.length;
  }
  return length;
}

function start(name: string, { api, acquirer }: Acting): Running {
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  const isPaused = () => listeners.size === 0 || document.hidden || !navigator.onLine;
  let isPrepared = false;
  const engine = new FleetEngine({
    api,
    openStorage: () => openStorage(name, stop.signal),
    signal: stop.signal,
    async pause() {
      await sleep(POLL_MS);
      while (isPaused() && !stop.signal.aborted) await sleep(HIDDEN_POLL_MS);
    },
    onChange() {
      for (const listener of listeners) listener();
      if (isPrepared || engine.fleet.state.kind !== 'following') return;
      isPrepared = true;
      void prepare(engine.fleet.rows);
    },
  });
  onNoted((id, changes) => id === acquirer.id && engine.note(changes));
  void engine.run();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { name, engine, listeners, subscribe, stop };
}

/**
 * The estate of the acquirer that one acts for. It is read when the first component uses it. Without any, or in a hidden
 * or offline tab, it rests, and then goes on where it was.
 */
export function useFleet(): Fleet {
  const acting = useActing();
  const name = fleetName(acting.acquirer.id, acting.person.id);
  if (running?.name !== name) {
    running?.stop.abort();
    running = start(name, acting);
  }
  const { engine, subscribe } = running;
  return useSyncExternalStore(subscribe, () => engine.fleet);
}
