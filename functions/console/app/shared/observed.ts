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
