import { useSyncExternalStore } from 'react';

const TICK_MS = 30_000;

let now = Date.now();
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

setInterval(tick, TICK_MS);
// Browsers stop the timers of a tab that is out of sight.
document.addEventListener('visibilitychange', tick);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present, every 30 seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
