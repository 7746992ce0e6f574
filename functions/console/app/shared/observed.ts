import { useSyncExternalStore } from 'react';

/** A value outside of all views that they can show. */
export interface Observed<Value> {
  get: () => Value;
  set: (value: Value) => void;
  /** Shows the value, or what is made of it. That must be the same as long as the value is. */
  use: <Shown>(read: (value: Value) => Shown) => Shown;
}

export function observed<Value>(initial: Value): Observed<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: (read) => useSyncExternalStore(subscribe, () => read(value)),
  };
}

/** A map that outlives the views that show it, until the tab is closed. */
export interface Kept<Value> {
  get: (key: string) => Value | undefined;
  set: (key: string, value: Value | undefined) => void;
  values: () => Value[];
  /** Shows a value, or what is made of all of them. It must be the same as long as the map is. */
  use: <Shown>(read: () => Shown) => Shown;
}

export function kept<Value>(): Kept<Value> {
  const map = observed(new Map<string, Value>());
  return {
    get: (key) => map.get().get(key),
    set(key, value) {
      const values = map.get();
      if (value === undefined) values.delete(key);
      else values.set(key, value);
      map.set(values);
    },
    values: () => [...map.get().values()],
    use: map.use,
  };
}
