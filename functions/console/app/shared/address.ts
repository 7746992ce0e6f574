import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/**
 * Values of the address, by which a view can be sent to a colleague.
 *
 * @returns The value of each name, and a function that changes some. By default that is a step to go back from.
 */
export function useAddress(): [
  values: URLSearchParams,
  change: (values: Record<string, string | null>, options?: { replace?: boolean }) => void,
] {
  const [values, setValues] = useSearchParams();
  const change = useCallback(
    (changed: Record<string, string | null>, options: { replace?: boolean } = {}) =>
      setValues((current) => {
        const next = new URLSearchParams(current);
        for (const [name, value] of Object.entries(changed)) {
          if (value === null || value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      }, options),
    [setValues],
  );
  return [values, change];
}

/** The dialog that is open, as `?do=` in the address, so that going back closes it. */
export function useDialog(): [dialog: string | null, open: (dialog: string) => void, close: () => void] {
  const [values, change] = useAddress();
  return [values.get('do'), (dialog) => change({ do: dialog }), () => change({ do: null }, { replace: true })];
}

/** Paths within the views of an acquirer. */
export const paths = {
  branch: (mid: string) => `/branches/${encodeURIComponent(mid)}`,
  terminal: (tid: string) => `/terminals/${encodeURIComponent(tid)}`,
};
