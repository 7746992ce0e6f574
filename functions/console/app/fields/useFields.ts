import { type ChangeEvent, useState } from 'react';
import { idIn } from '../shared/scanned.ts';
import { fieldErrors } from './fieldErrors.ts';
import { BRANCH, TERMINAL } from './fields.ts';
import { refusedFields } from './refusals.ts';
import type { Form } from './rules.ts';
import { labelOf } from './wording.ts';

const FIELDS: Record<string, { typing?: object; isScanned?: boolean }> = { ...BRANCH, ...TERMINAL };

/** What a field passes on when it changes: the event of a text, or the chosen key of a lookup. */
export type Typed = string | ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

/** What was typed into a field: of an ID or serial number of a terminal, without the label and signs of a sticker. */
export function typedText(field: string, next: Typed): string {
  const text = typeof next === 'string' ? next : next.currentTarget.value;
  return FIELDS[field]?.isScanned ? idIn(text) : text;
}

/** What is other in a text of several words than in an identifier: theme.ts turns all of it off. */
const PROSE = { autoCapitalize: 'sentences', autoCorrect: 'on', spellCheck: true };

/** How a phone's keyboard and a spelling checker treat a field that has no identifier. */
export const typingOf = (field: string): object =>
  FIELDS[field]?.typing ?? (field === 'reason' || field === 'description' ? PROSE : {});

/** Longer than a click takes. */
const PAUSE_MS = 200;

/**
 * The fields that a person has left: noted a moment later, so that no error moves a button away from under the click.
 */
export function useLeft(): [left: ReadonlySet<string>, leave: (field: string) => void] {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const leave = (field: string) => {
    setTimeout(() => setLeft((before) => new Set(before).add(field)), PAUSE_MS);
  };
  return [left, leave];
}

/**
 * The fields of a form, and what is wrong with them. A fault is said once the person has left its field or tries to
 * send, until it is corrected.
 */
export function useFields<Values extends object>(
  rules: Form | ((values: Values) => Record<string, string>),
  initial: Values,
  draft = initial,
) {
  const [values, setValues] = useState(draft);
  const [left, leave] = useLeft();
  const [tries, setTries] = useState(0);
  const faults = typeof rules === 'string' ? fieldErrors(rules, values) : rules(values);
  const isValid = Object.keys(faults).length === 0;
  const isTried = tries > 0;

  const set = (some: Partial<Values>) => setValues((before) => ({ ...before, ...some }));
  /** The properties of a field. `refused` is the error of the change, or what the service refuses, by field. */
  const about = (name: string, value: string, refused: Error | null | Record<string, string>) => {
    const refusals = refused instanceof Error || refused === null ? refusedFields(refused) : refused;
    const isSaid = isTried || (left.has(name) && value !== '');
    return {
      ...typingOf(name),
      label: labelOf(name),
      value,
      error: (isSaid ? faults[name] : undefined) ?? refusals[name],
      onBlur: () => leave(name),
    };
  };
  return {
    values,
    set,
    setValues,
    tries,
    isTried,
    isValid,
    about,
    field: (name: keyof Values & string, refused: Parameters<typeof about>[2]) => ({
      ...about(name, values[name] as string, refused),
      onChange: (next: Typed) => set({ [name]: typedText(name, next) } as Partial<Values>),
    }),
    /** Notes that the person tries to send. Returns whether nothing is wrong. */
    check(): boolean {
      setTries(tries + 1);
      return isValid;
    },
    clear() {
      setValues(initial);
      setTries(0);
    },
  };
}
