/**
 * Whether a key event is for somebody else: for an input method, which takes Enter, Escape and arrows while a person
 * composes a text, or for nobody, such as what autofill sends, which has no `key`. Safari ends the composition before
 * it sends the Enter that ended it, which only has the key code of all keys of an input method.
 */
const isForeign = ({ isComposing, keyCode, key }: KeyboardEvent): boolean =>
  isComposing || keyCode === 229 || key === undefined;

/**
 * Hides such keys from the whole console, so that no field, list, dialog or shortcut has to know of them. Must be
 * called before anything else listens. What the browser does with them is not prevented.
 */
export function hideForeignKeys(): void {
  const hide = (event: KeyboardEvent) => isForeign(event) && event.stopImmediatePropagation();
  addEventListener('keydown', hide, { capture: true });
}
