import type { Page } from 'playwright-core';
import { button, searchBox } from './page.ts';

const isOpen = (page: Page) => page.getByRole('link', { name: 'Home' }).click({ trial: true });
const option = (page: Page) => page.getByRole('option').first();

/** What is on top: the other things of a view are behind it. */
export const TOP = `[...document.querySelectorAll('[role="dialog"], [role="menu"], [role="listbox"], :has([aria-label="Menu"][aria-expanded="true"]) ~ nav')]
  .find((each) => each.checkVisibility({ visibilityProperty: true })) ?? document`;

/** What an admin can look at: a path, and what is opened there. */
export type Look = [path: string, open?: (page: Page) => Promise<unknown>];

const PLAIN = [
  ...['branches', 'new-branch', 'terminals', 'activity', 'requests'],
  ...['import', 'keys', 'people', 'webhooks', 'help'],
];

/** The ids of the things that are looked at. */
export interface Ids {
  mid: string;
  tid: string;
  webhook: string;
  /** The request id of a refused request. */
  request: string;
}

/** Every view, with those of things, and an example of what opens over them. */
export const looksAt = ({ mid, tid, webhook, request }: Ids): Record<string, Look> => ({
  home: ['/'],
  ...Object.fromEntries(PLAIN.map((name) => [name, [`/${name}`] as Look])),
  branch: [`/branches/${mid}`],
  terminal: [`/terminals/${tid}`],
  webhook: [`/webhooks/${webhook}`],
  request: [`/requests/${request}`],
  dialog: [`/branches/${mid}?do=add`],
  question: [`/terminals/${tid}?do=archive`],
  actions: [`/terminals/${tid}`, (page) => button(page, 'More actions').click()],
  account: ['/help', (page) => button(page, /Account of/).click()],
  navigation: [
    '/help',
    (page) =>
      page
        .locator('.mantine-Burger-root')
        .dispatchEvent('click')
        .then(() => isOpen(page)),
  ],
  // In a page that is translated in a test, texts are in brackets.
  filters: ['/terminals', (page) => page.click('text=/^\\[?(Filters|Status)\\]?$/')],
  search: [
    '/help',
    (page) =>
      searchBox(page)
        .fill(mid)
        .then(() => option(page).waitFor()),
  ],
});

/** The dialogs that hold what a person types or chooses, by view, with their names in the address. */
export const dialogsAt = ({ mid, tid, webhook }: Ids): Record<string, string[]> => ({
  [`/branches/${mid}`]: ['edit', 'add', 'archive'],
  [`/terminals/${tid}`]: ['edit', 'swap', 'move', 'archive', 'delete'],
  '/terminals': ['paste', 'move', 'archive', 'app', 'acquirer'],
  '/keys': ['create'],
  '/people': ['invite'],
  '/webhooks': ['create'],
  [`/webhooks/${webhook}`]: ['edit'],
});
