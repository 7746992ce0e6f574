import { useState } from 'react';

/** Longer than a click takes. */
const PAUSE_MS = 200;

/**
 * The fields that a person has left, and a function that notes one. A moment later, so that an error that appears then
 * does not move a button away from under the click that left the field.
 */
export function useLeft(): [left: ReadonlySet<string>, leave: (field: string) => void] {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const leave = (field: string) => {
    setTimeout(() => setLeft((before) => new Set(before).add(field)), PAUSE_MS);
  };
  return [left, leave];
}
