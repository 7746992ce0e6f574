import { describe, expect, test } from '@jest/globals';
import { anchorOf, guides } from '../../../infra/publish/site/guides.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();

const CALLS = [
  'The terminal at a shop is dead',
  'A shop closes',
  'A device was swapped',
  'Import a list of shops',
  'An employee leaves',
  'A key has leaked',
];

describe.each(SIZES)('at %s', (_, viewport) => {
  test('answers each call with steps and a guide, without a request', async () => {
    const { page } = await view.open('/help', { viewport });
    for (const call of CALLS) {
      const section = page.locator('section', { has: page.getByRole('heading', { name: call }) });
      await section.getByRole('link', { name: `Guide: ${call}` }).waitFor();
      expect(await section.getByRole('listitem').count()).toBeGreaterThan(1);
    }
    await view.expectAccessible(page);
    expect(view.takeRequests()).toEqual(['GET /console/api/session']);
  });
});

test('links to guides and sections that exist', async () => {
  const { page } = await view.open('/help');
  await page.getByRole('heading', { name: 'Help' }).waitFor();
  const links = await page.locator('main a[href^="/docs/"]').all();
  expect(links).toHaveLength(CALLS.length + 2);
  for (const link of links) {
    const [, name, anchor] = /^\/docs\/([\w-]+)\/(?:#(.+))?$/.exec((await link.getAttribute('href')) ?? '') ?? [];
    const guide = guides().find((each) => each.name === name);
    expect({ name, guide: guide?.name }).toEqual({ name, guide: name });
    const headings = [...(guide?.text ?? '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
    if (anchor) expect(headings).toContain(anchor);
  }
});

test('leads to the views of its steps', async () => {
  const { page } = await view.open('/help');
  for (const [link, heading] of [
    ['Branches', 'Branches'],
    ['People', 'People'],
    ['API keys', 'API keys'],
    ['Activity', 'Activity'],
  ] as const) {
    await page.getByRole('main').getByRole('link', { name: link, exact: true }).first().click();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.goBack();
  }
});

test('lists the shortcuts that "?" shows, and what each role may do', async () => {
  const { page } = await view.open('/help', { as: 'viewer' });
  const rows = page.getByRole('table', { name: 'Keyboard shortcuts' }).getByRole('row');
  await rows.first().waitFor();
  const onPage = await rows.allTextContents();
  expect(onPage).toContain('BranchesGB');
  await page.keyboard.press('?');
  const inDialog = page.getByRole('dialog').getByRole('row');
  await inDialog.first().waitFor();
  expect(await inDialog.allTextContents()).toEqual(onPage);
  await page.keyboard.press('Escape');
  const own = page.locator('dl > div', { hasText: 'Yours' });
  expect(await own.locator('dt').allTextContents()).toEqual(['Viewer']);
  await view.expectAccessible(page);
});
