import { useSyncExternalStore } from 'react';

const TICK_MS = 30_000;

let now = Date.now();

function subscribe(listener: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now();
    listener();
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** The present, every 30 seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
