import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';

/** Values of the address that change, by name: a text or several, or none. */
export type Changed = Record<string, string | readonly string[] | null>;

/** Values of the address, and a function that changes some: by default, a step to go back from. */
export function useAddress(): [
  values: URLSearchParams,
  change: (values: Changed, options?: { replace?: boolean }) => void,
] {
  const [values, setValues] = useSearchParams();
  const change = useCallback(
    (changed: Changed, options: { replace?: boolean } = {}) =>
      setValues((current) => {
        const next = new URLSearchParams(current);
        for (const [name, value] of Object.entries(changed)) {
          next.delete(name);
          if (value) for (const each of [value].flat()) next.append(name, each);
        }
        return next;
      }, options),
    [setValues],
  );
  return [values, change];
}

/** How long a person pauses before what they type is settled, in milliseconds. */
export const PAUSE_MS = 300;

/**
 * Puts a typed text into the address after a pause, or at once when its field unmounts. Does nothing if the person has left
 * the page, because its view stays mounted until the next one is loaded.
 */
export function useDebouncedText(put: (text: string) => void): { type: (text: string) => void; flush: () => void } {
  const later = useDebouncedCallback(
    (text: string, path: string) => {
      if (location.pathname === path) put(text);
    },
    { delay: PAUSE_MS, flushOnUnmount: true },
  );
  return useMemo(
    () => ({ type: (text: string) => later(text, location.pathname), flush: () => later.flush() }),
    [later],
  );
}

/** The value of a table whose name is in the address; `undefined` if there is none. */
export const ownValue = <Value>(table: Record<string, Value>, name: string | null): Value | undefined =>
  name !== null && Object.hasOwn(table, name) ? table[name] : undefined;

/** The dialog that is open, as `?do=` in the address, so that going back closes it. */
export function useDialog(): [dialog: string | null, open: (dialog: string) => void, close: () => void] {
  const [values, change] = useAddress();
  return [values.get('do'), (dialog) => change({ do: dialog }), () => change({ do: null }, { replace: true })];
}

/** The dialog that is open and its item of a list, as `?do=action:id`. The item stays, also if it is gone meanwhile. */
export function useItemDialog<Item>(items: Item[] | undefined, idOf: (item: Item) => string) {
  const [dialog, open, close] = useDialog();
  const [action, id] = dialog?.split(':') ?? [];
  const [last, setLast] = useState<Item>();
  const found = items?.find((item) => idOf(item) === id);
  if (found && found !== last) setLast(found);
  const item = found ?? (last && idOf(last) === id ? last : undefined);
  return { action, item, open: (name: string, of = '') => open(of ? `${name}:${of}` : name), close };
}
