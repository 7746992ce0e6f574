import { useSyncExternalStore } from 'react';

let announced = '';
const listeners = new Set<() => void>();

/** Tells those who cannot see the view what has become of their action (WCAG 2.2, 4.1.3). */
export function announce(text: string): void {
  // The same text again would not be read out.
  announced = announced === text ? `${text} ` : text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The last announcement. */
export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => announced);
