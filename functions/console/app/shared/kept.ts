import { useSyncExternalStore } from 'react';

/** A map that outlives the views that show it, until the tab is closed. */
export interface Kept<Value> {
  get: (key: string) => Value | undefined;
  set: (key: string, value: Value | undefined) => void;
  values: () => Value[];
  /** Shows a value, or what is made of all of them. It must be the same as long as the map is. */
  use: <Shown>(read: () => Shown) => Shown;
}

export function kept<Value>(): Kept<Value> {
  const map = new Map<string, Value>();
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: (key) => map.get(key),
    set(key, value) {
      if (value === undefined) map.delete(key);
      else map.set(key, value);
      for (const listener of listeners) listener();
    },
    values: () => [...map.values()],
    use: (read) => useSyncExternalStore(subscribe, read),
  };
}
