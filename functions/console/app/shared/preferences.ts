import { useMemo } from 'react';
import { observed } from './observed.ts';

/* What the console remembers in the browser, beside the appearance and an interrupted import. */

const ACQUIRER = 'console-acquirer';
const SINGLE_KEYS = 'console-single-keys';
const COLUMNS = 'console-columns';

/** What was stored. A browser that stores nothing has none. */
function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The next visit begins with the default.
  }
}

/** The acquirer as which the person acted last. */
export const rememberedAcquirer = (): string | null => stored(ACQUIRER);
export const rememberAcquirer = (id: string): void => store(ACQUIRER, id);

const singleKeys = observed(stored(SINGLE_KEYS) === 'on');

/** Whether keys without Ctrl or ⌘ are shortcuts: only once a person has turned them on. */
export const useSingleKeys = (): boolean => singleKeys.use((isOn) => isOn);

export function setSingleKeys(isOn: boolean): void {
  singleKeys.set(isOn);
  store(SINGLE_KEYS, isOn ? 'on' : 'off');
}

const columns = observed(stored(COLUMNS));

/** The columns of the fleet that the person has chosen, in their order; `null` before they have. */
export const useChosenColumns = (): string[] | null => {
  const names = columns.use((chosen) => chosen);
  return useMemo(() => names?.split(' ') ?? null, [names]);
};

export function chooseColumns(names: readonly string[]): void {
  columns.set(names.join(' '));
  store(COLUMNS, names.join(' '));
}
