import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import { remembered } from './remembered.ts';
import { isCovered, SCAN_GAP_MS } from './scan.ts';

const SEQUENCE_MS = 1_000;

export const SEARCH_KEYS = [/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl', 'K'];

const singleKeys = remembered('console-single-keys');

/** Whether keys without Ctrl or ⌘ are shortcuts: only once a person has turned them on. */
export const useSingleKeys = (): boolean => singleKeys.use((text) => text === 'on');
export const setSingleKeys = (isOn: boolean): void => singleKeys.set(isOn ? 'on' : 'off');

/**
 * Does something when keys are pressed: one (`n`), two after each other (`g b`), or one with Ctrl or ⌘ (`mod+k`).
 * Without Ctrl or ⌘, they only work if the person has turned them on (WCAG 2.2, 2.1.4), and not in a field. They wait
 * until it is clear that they do not begin a scan. A dialog that covers the view ignores all.
 */
export function useKeys(actions: Record<string, () => void>): void {
  const isOn = useSingleKeys();
  const last = useRef({ key: '', at: 0, waiting: 0 });
  useWindowEvent('keydown', (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, target, timeStamp: at } = event;
    const isMod = ctrlKey || metaKey;
    const isTyped = (target as HTMLElement).closest('input, textarea, select') !== null;
    // Keys such as Shift have longer names.
    if (event.key.length > 1 || altKey || (isMod ? shiftKey : isTyped || !isOn) || isCovered()) return;
    const key = `${isMod ? 'mod+' : ''}${event.key.toLowerCase()}`;
    const before = last.current;
    const isBurst = at - before.at <= SCAN_GAP_MS;
    if (isBurst) clearTimeout(before.waiting);
    last.current = { key, at, waiting: 0 };
    const sequence = at - before.at < SEQUENCE_MS ? `${before.key} ${key}` : key;
    const action = actions[sequence] ?? actions[key];
    if (!action) return;
    event.preventDefault();
    if (isMod) action();
    else if (!isBurst) last.current.waiting = window.setTimeout(action, SCAN_GAP_MS);
  });
}
