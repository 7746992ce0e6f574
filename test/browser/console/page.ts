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
