import { useEffect, useId } from 'react';

/** What a person has typed into forms that they have left, by form, until it is sent or the page is closed. */
const drafts = new Map<string, unknown>();

/** What a person typed into a form before, if they left it. */
export const draftOf = <Values>(form: string): Values | undefined => drafts.get(form) as Values | undefined;

/** Keeps what a person types into a form while they look elsewhere in the console. */
export function useDraft(form: string, values: unknown, isDirty: boolean): void {
  useEffect(() => {
    if (isDirty) drafts.set(form, values);
    else drafts.delete(form);
  }, [form, values, isDirty]);
  useUnsaved(isDirty);
}

export const dropDraft = (form: string): boolean => drafts.delete(form);

/** What a person would lose if the page reloaded by itself. */
const held = new Set<string>();

/** Keeps the page from reloading by itself when the session ends, until it is called with `false`. */
export const holdReload = (what: string, isHeld: boolean): unknown => (isHeld ? held.add(what) : held.delete(what));

/** Keeps the page from reloading by itself while a component is shown. */
function useHeld(isHeld: boolean): void {
  const id = useId();
  useEffect(() => {
    holdReload(id, isHeld);
    return () => void holdReload(id, false);
  }, [id, isHeld]);
}

/** Whether a person would lose something if the page loaded anew. */
export const isHolding = (): boolean => held.size + drafts.size > 0;

let isLeaving = false;

/** Opens another address of the console, without what was typed, and without anything that was read. */
export function leave(address = location.href): void {
  isLeaving = true;
  drafts.clear();
  // The same address would not load anything.
  if (address === location.href) location.reload();
  else location.assign(address);
}

/**
 * Makes the browser ask before it closes a page with something that was typed and not sent.
 *
 * @param isUnsaved Whether there is something, or what says so when the page is closed.
 */
export function useUnsaved(isUnsaved: boolean | (() => boolean)): void {
  // What may hold something counts, until it is gone.
  useHeld(isUnsaved !== false);
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (!isLeaving && (isUnsaved === true || isUnsaved())) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}
