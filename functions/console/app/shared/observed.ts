import { useSyncExternalStore } from 'react';

/** A value outside of all views that they can show. */
export function observed<Value>(initial: Value) {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set(next: Value) {
      value = next;
      for (const listener of listeners) listener();
    },
    /** Shows what is made of the value. That must be the same as long as the value is. */
    use: <Shown>(read: (value: Value) => Shown): Shown => useSyncExternalStore(subscribe, () => read(value)),
  };
}

/** A map in memory. It outlives the views that show it, and ends with the tab. */
export function inMemory<Value>() {
  const map = observed(new Map<string, Value>());
  return {
    get: (key: string) => map.get().get(key),
    set(key: string, value: Value | undefined) {
      const values = map.get();
      if (value === undefined) values.delete(key);
      else values.set(key, value);
      map.set(values);
    },
    values: () => [...map.get().values()],
    use: map.use,
  };
}
