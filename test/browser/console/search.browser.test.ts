import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newBranch, unique } from '../../support/world.ts';
import { useConsole } from './harness.ts';

const view = useConsole();
const searchBox = (page: Page) => page.getByRole('combobox', { name: 'Find a terminal or a branch' });

test('opens with Enter what the typed text finds, and nothing of an earlier one', async () => {
  const { provider } = view.world;
  const word = unique('Enter');
  for (const name of ['One', 'Two']) await newBranch(provider, { branch_name: `${name} ${word}` });
  const { page, context } = await view.open('/');
  await searchBox(page).fill(`one ${word}`);
  await page.getByRole('option', { name: `One ${word}` }).waitFor();
  await context.route('**/console/api/search?*', async (route) => {
    const response = await route.fetch();
    const warnings = [{ parameter: 'q', code: 'too_many_matches', detail: 'Add a rarer word.' }];
    await route.fulfill({ response, json: { ...(await response.json()), warnings } });
  });
  await searchBox(page).fill(`two ${word}`);
  await page.keyboard.press('Enter');
  await searchBox(page).fill(`two ${word} `.toUpperCase());
  await page.getByRole('option', { name: `Two ${word}` }).waitFor();
  await page.getByRole('status').getByText('Add a rarer word.').waitFor();
  await view.expectAccessible(page);
  expect(new URL(page.url()).pathname).toBe(`/console/${provider.id}`);
  await searchBox(page).fill(`one ${word}`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `One ${word}` }).waitFor();
});
