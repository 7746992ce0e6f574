import { expect, test } from '@jest/globals';
import { useConsole } from './harness.ts';

const view = useConsole();

test('opens with the search box ready', async () => {
  const { page } = await view.open('/');
  await page.getByRole('combobox', { name: 'Find a terminal or a branch' }).waitFor();
  await view.expectAccessible(page);
  expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /console/api/activity']);
});
