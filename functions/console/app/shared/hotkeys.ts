import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import { useSingleKeys } from '../preferences.ts';

const SEQUENCE_MS = 1_000;

/**
 * Does something when keys are pressed: one (`n`), two after each other (`g b`), or one with Ctrl or ⌘ (`mod+k`). Those
 * without are ignored while something is typed, and if the person has turned them off (WCAG 2.2, 2.1.4). A dialog that
 * covers the view ignores all.
 */
export function useKeys(actions: Record<string, () => void>): void {
  const isOn = useSingleKeys();
  const last = useRef({ key: '', at: 0 });
  useWindowEvent('keydown', (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, target, timeStamp: at } = event;
    const isMod = ctrlKey || metaKey;
    const isTyped = (target as HTMLElement).closest('input, textarea, select') !== null;
    if (altKey || (isMod ? shiftKey : isTyped || !isOn) || document.querySelector('[aria-modal="true"]')) return;
    const key = `${isMod ? 'mod+' : ''}${event.key.toLowerCase()}`;
    const before = at - last.current.at < SEQUENCE_MS ? last.current.key : '';
    last.current = { key, at };
    const action = actions[`${before} ${key}`] ?? actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
