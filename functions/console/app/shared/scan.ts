import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useRef } from 'react';
import { codeOf, GS, withoutSigns } from './scanned.ts';

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
/**
 * Fields for identifiers: theme.ts, and the exceptions in useFields.ts. In others, such as phones, a sign may be meant.
 */
const IDENTIFIER = '[autocapitalize="none"]:not([inputmode])';

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

/** The character that a key adds to a scan; empty for other keys. With AltGr, Windows also reports Ctrl. */
function characterOf({ key, code, ctrlKey, altKey, metaKey, repeat }: KeyboardEvent): string {
  if (ctrlKey && !altKey && (key === ']' || code === 'BracketRight')) return GS;
  return key.length === 1 && (!ctrlKey || altKey) && !metaKey && !repeat ? key : '';
}

/** Puts a text into a field as if it were typed, in place of what is before the caret. */
function replaceTyped(field: HTMLInputElement | HTMLTextAreaElement, old: string, text: string): void {
  // Fields for dates and numbers have no caret.
  const caret = field.selectionStart;
  if (caret === null || !field.value.slice(0, caret).endsWith(old)) return;
  field.setRangeText(text, caret - old.length, caret, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
}

/** Leaves only the code of a scan in the field for identifiers in which it was typed. */
function keepCode(field: HTMLInputElement | HTMLTextAreaElement, scan: string): void {
  const code = codeOf(scan);
  if (code === scan || !field.matches(IDENTIFIER)) return;
  const typed = scan.replaceAll(GS, '');
  // Fields for IDs have removed more.
  replaceTyped(field, field.value.includes(typed) ? typed : withoutSigns(typed), code);
}

/**
 * Reads scans: bursts of characters that end in Enter or Tab. In a field of a form, a scan goes on to the next one
 * instead of sending the form. In a field without a form, it counts as typed. In the search box and everywhere else it
 * is searched for, unless a dialog covers the view.
 */
export function useScans(searchBox: RefObject<HTMLInputElement | null>, search: (code: string) => void): void {
  const burst = useRef({ text: '', at: 0 });
  const onKey = (event: KeyboardEvent) => {
    const { key, timeStamp: at } = event;
    const target = event.target as HTMLInputElement;
    const text = at - burst.current.at <= SCAN_GAP_MS ? burst.current.text : '';
    const isText = target.matches('textarea');
    const isField = target.matches(FIELD) && target !== searchBox.current;
    const isScan = text.length >= LEAST_CHARACTERS;
    if (key === 'Enter' || (key === 'Tab' && isScan)) {
      burst.current.text = '';
      if (isScan && (isField || isText)) keepCode(target, text);
      if (isScan && !isField && !isText) {
        event.preventDefault();
        event.stopPropagation();
        if (!isCovered()) search(codeOf(text));
      } else if (isField && target.form && (isScan || target.matches(CODE))) {
        event.preventDefault();
        // A list of options takes what it finds.
        if (!target.matches('[aria-haspopup="listbox"]')) goOn(target, target.form);
        else if (key === 'Tab') pressEnter(target);
      } else if (key === 'Tab') {
        event.preventDefault();
        if (isText) replaceTyped(target, '', '\n');
        else pressEnter(target);
      }
      return;
    }
    const character = characterOf(event);
    if (!character) return;
    burst.current = { text: text + character, at };
    // Such as a space, which would press a button.
    if (text && !isText && !target.matches(FIELD)) event.preventDefault();
  };
  // Before what has the focus acts on it.
  useWindowEvent('keydown', onKey, { capture: true });
}

/** Does what Enter does in a field, once the field has what was typed last. */
function pressEnter(field: HTMLElement): void {
  setTimeout(() =>
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })),
  );
}
