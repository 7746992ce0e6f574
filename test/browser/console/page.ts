import type { Locator, Page } from 'playwright-core';

/* What a person does in a view. */

export const dialog = (page: Page) => page.getByRole('dialog');
export const searchBox = (page: Page) => page.getByRole('combobox', { name: 'Find a terminal or a branch' });
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Waits until keys go to an element. */
export const hasFocus = (element: Locator) => element.and(element.page().locator(':focus')).waitFor();

/** Sends the form of the dialog, and waits until it is closed. */
export async function submit(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole('button', { name }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** Opens a dialog of a menu. */
export async function chooseFrom(menu: Locator, item: string): Promise<void> {
  const page = menu.page();
  await menu.click();
  await page.getByRole('menuitem', { name: item }).click();
  await dialog(page).waitFor();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** Turns single-key shortcuts on, as the menu of the account does. */
export async function turnKeysOn(page: Page): Promise<void> {
  await page.evaluate("localStorage.setItem('console-single-keys', 'on')");
  await page.reload();
}

/** Presses keys one after the other, at the speed of a person. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key, { delay: 100 });
}

/** The key that ends a scan. */
const ENDS = {
  Enter: { key: 'Enter', code: 'Enter', text: '\r', windowsVirtualKeyCode: 13 },
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
};
/** Ctrl ], as which scanners send the separator of GS1 elements. */
const SEPARATOR = { key: ']', code: 'BracketRight', modifiers: 2 };

/** Scans a code with a scanner that is a keyboard: all characters at once, and the key that ends it. */
export async function scan(page: Page, code: string, end: keyof typeof ENDS = 'Enter'): Promise<void> {
  const keyboard = await page.context().newCDPSession(page);
  // However busy the machine is.
  const timestamp = Date.now() / 1000;
  const down = (key: object) => keyboard.send('Input.dispatchKeyEvent', { type: 'keyDown', timestamp, ...key });
  const characters = [...code].map((key) => (key === '\x1d' ? SEPARATOR : { key, text: key }));
  await Promise.all([...characters, ENDS[end]].map(down));
  await keyboard.detach();
}
