import { observed } from './observed.ts';

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
