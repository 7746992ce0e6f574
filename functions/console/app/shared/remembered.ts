import { observed } from './observed.ts';

function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** A text that the browser remembers until the next visit; `null` at first, and always in one that stores nothing. */
export function remembered(name: string) {
  const text = observed(read(name));
  return {
    ...text,
    set(next: string) {
      text.set(next);
      try {
        localStorage.setItem(name, next);
      } catch {
        // It is remembered until the page is closed.
      }
    },
  };
}
