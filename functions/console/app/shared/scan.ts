import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useRef } from 'react';

/**
 * The longest time between two characters of a scan. Scanners that are keyboards send them without a delay by default
 * (Honeywell 8650, Datalogic Gryphon: "Intercharacter Delay"). People take 239 ms on average (Dhakal et al.,
 * "Observations on Typing from 136 Million Keystrokes", CHI 2018), but few characters may come at once.
 */
export const SCAN_GAP_MS = 50;
const LEAST_CHARACTERS = 4;

const FIELD = 'input:enabled:not([type="checkbox"], [type="radio"], [type="file"], [type="hidden"])';
/** Fields for codes, where a typed Enter goes on too. The last one in a form is the button that adds a row. */
const CODE = '[data-scanned]:enabled';

export const isCovered = (): boolean => document.querySelector('[aria-modal="true"]') !== null;

/** Moves the focus to the next empty field of the form or, from a field for codes, to the next of these. */
function goOn(from: HTMLInputElement, form: HTMLFormElement): void {
  const isCode = from.matches(CODE);
  const fields = [...form.querySelectorAll<HTMLInputElement | HTMLButtonElement>(isCode ? CODE : FIELD)];
  const next = fields.slice(fields.indexOf(from) + 1).find(({ value }) => isCode || value === '') ?? from;
  next.focus();
  if (next instanceof HTMLButtonElement) next.click();
  // The next scan replaces what is there.
  else next.select();
}

/**
 * Reads scans: bursts of characters that end in Enter. In a field of a form, a scan goes on to the next one instead of
 * sending the form. In a field without a form, it counts as typed. In the search box and everywhere else it is searched
 * for, unless a dialog covers the view.
 */
export function useScans(searchBox: RefObject<HTMLInputElement | null>, search: (code: string) => void): void {
  const burst = useRef({ text: '', at: 0 });
  const onKey = (event: KeyboardEvent) => {
    const { key, timeStamp: at } = event;
    const target = event.target as HTMLInputElement;
    const text = at - burst.current.at <= SCAN_GAP_MS ? burst.current.text : '';
    const isField = target.matches(FIELD) && target !== searchBox.current;
    if (key === 'Enter') {
      burst.current.text = '';
      const isScan = text.length >= LEAST_CHARACTERS && !target.matches('textarea');
      if (isField && target.form && (isScan || target.matches(CODE))) {
        event.preventDefault();
        // A list of options takes what it finds.
        if (!target.matches('[aria-haspopup="listbox"]')) goOn(target, target.form);
      } else if (!isField && isScan) {
        event.preventDefault();
        event.stopPropagation();
        if (!isCovered()) search(text);
      }
    } else if (key.length === 1 && !event.ctrlKey && !event.metaKey && !event.repeat) {
      burst.current = { text: text + key, at };
      // Such as a space, which would press a button.
      if (text && !target.matches(`${FIELD}, textarea`)) event.preventDefault();
    }
  };
  // Before what has the focus acts on it.
  useWindowEvent('keydown', onKey, { capture: true });
}
