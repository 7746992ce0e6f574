import { useEffect, useSyncExternalStore } from 'react';
import { onNoted } from '../api/ownChanges.ts';
import { type Acting, useActing } from '../session/session.ts';
import { findByPart } from './findByPart.ts';
import { type Estate, EstateFollower, UNREAD } from './follower.ts';
import { loadedEstate } from './loadedEstate.ts';
import type { Row } from './row.ts';
import { openStorage } from './storage.ts';

export type { Estate } from './follower.ts';
export type { Branch, Row } from './row.ts';

/** How often the feed is read, and how often a tab that rests looks whether it still does. */
const POLL_MS = 5_000;
const REST_MS = 1_000;
/** How many rows get their texts at once. */
const PREPARED = 1_000;

interface Followed {
  name: string;
  follower: EstateFollower;
  stop: AbortController;
}

/** The estate that is followed. There is one at a time. */
let followed: Followed | undefined;
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

const nameOf = ({ acquirer, person }: Acting): string => `${acquirer.id} ${person.id}`;

/** Follows the estate of the acquirer that one acts for, in place of another one, unless it is followed already. */
function follow(acting: Acting): void {
  const { api, acquirer } = acting;
  const name = nameOf(acting);
  if (followed?.name === name) return;
  followed?.stop.abort();
  const stop = new AbortController();
  let isPrepared = false;
  const follower = new EstateFollower({
    api,
    openStorage: () => openStorage(acting, stop.signal),
    signal: stop.signal,
    pause,
    onChange() {
      if (stop.signal.aborted) return;
      for (const listener of listeners) listener();
      const find = (text: string) => findByPart(follower.estate.rows, text);
      const citiesOf = (business: string) => {
        const own = [...follower.estate.branches.values()].filter((branch) => branch.master_merchant_id === business);
        return [...new Set(own.flatMap(({ city }) => city ?? []))];
      };
      loadedEstate.set(follower.estate.isComplete ? { acquirer: acquirer.id, find, citiesOf } : undefined);
      if (isPrepared || follower.estate.state.kind !== 'following') return;
      isPrepared = true;
      void prepare(follower.estate.rows);
    },
  });
  followed = { name, follower, stop };
  onNoted((id, changes) => id === acquirer.id && follower.note(changes));
  void follower.run();
}

/**
 * The estate of the acquirer that one acts for. It is read once the first component that uses it is shown. Without any,
 * or in a hidden or offline tab, it rests, and then goes on where it was.
 */
export function useEstate(): Estate {
  const acting = useActing();
  useEffect(() => follow(acting), [acting]);
  const name = nameOf(acting);
  return useSyncExternalStore(subscribe, () => (followed?.name === name ? followed.follower.estate : UNREAD));
}

/** Says the name of a branch of the estate; its MID if it has none. */
export function useBranchName(): (mid: string) => string {
  const { branches } = useEstate();
  return (mid) => branches.get(mid)?.merchant_name ?? mid;
}
