import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { tidOf } from '../../lib/table/keys.ts';
import { startServer } from '../support/server.ts';
import { looksAt } from './console/views.ts';
import { problemOf } from './console/wire.ts';
import { launch } from './launch.ts';

/*
 * Takes pictures of every view of the console at every size, in both schemes and a contrast theme, full, empty, slow
 * and failing, to be looked at: `npx node test/browser/looks.ts [pattern]`. They are in a new folder, which it names.
 * The pattern limits them, such as `^branch-390-dark-full`.
 */

const HEIGHTS = { 390: 844, 768: 1024, 1440: 900, 1920: 1080 };
const pattern = new RegExp(process.argv[2] ?? '');
const folder = mkdtempSync(join(tmpdir(), 'looks-'));

/** What happens to requests for what a view shows, by state. */
const STATES: Record<string, (route: Route) => unknown> = {
  full: (route) => route.continue(),
  async empty(route) {
    const response = await route.fetch();
    const { data, meta, ...rest } = await response.json();
    const nothing = data?.events ? { ...data, events: [] } : Array.isArray(data) ? [] : data;
    await route.fulfill({ response, json: { ...rest, data: nothing, meta: { ...meta, total: 0, next: null } } });
  },
  slow: () => {},
  failing: problemOf('server_error', 400),
};

const stops: (() => Promise<void>)[] = [];
const { demo } = await startServer(stops);
const browser = await launch();
const northgate = demo.acquirers.find(({ name }) => name.startsWith('Northgate'));
const created = await fetch(`${demo.base_url}/ext/api/v1/webhooks`, {
  method: 'POST',
  headers: { 'API-KEY': northgate?.api_key ?? '' },
  body: JSON.stringify({ url: 'https://hooks.example.com/events', description: 'Warehouse' }),
});
const { data: webhook } = (await created.json()) as { data: { id: string } };
const refused = await fetch(`${demo.base_url}/ext/api/v1/merchants/DEMOMID020`, {
  method: 'PATCH',
  headers: { 'API-KEY': northgate?.api_key ?? '' },
  body: JSON.stringify({ city: 7 }),
});
const request = refused.headers.get('x-request-id') ?? '';
const looks = looksAt({ mid: 'DEMOMID020', tid: tidOf('DEMOTERM0201'), webhook: webhook.id, request });

async function take(page: Page, view: string, name: string): Promise<void> {
  const [path, open] = looks[view] ?? [];
  await page.goto(`${demo.base_url}/console/${northgate?.id}${path}`);
  await page.getByRole('heading').first().waitFor();
  // Also what waits says so.
  await page.waitForTimeout(name.endsWith('slow') ? 3_500 : 700);
  await open?.(page).catch(() => process.stdout.write(`Nothing opens in ${name}\n`));
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', fullPage: open === undefined });
}

/** A contrast theme has its own colours: those of Chromium's emulation, which are dark ones here. */
const THEMES = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  contrast: { colorScheme: 'dark', forcedColors: 'active' },
} as const;

for (const [theme, colors] of Object.entries(THEMES))
  for (const [width, height] of Object.entries(HEIGHTS))
    for (const [state, respond] of Object.entries(STATES)) {
      const named = Object.keys(looks).map((view) => [view, `${view}-${width}-${theme}-${state}`] as const);
      const wanted = named.filter(([, name]) => pattern.test(name));
      if (wanted.length === 0) continue;
      const isPhone = width === '390';
      const size = { viewport: { width: Number(width), height }, hasTouch: isPhone, isMobile: isPhone };
      const context = await browser.newContext({ ...size, ...colors, reducedMotion: 'reduce' });
      context.setDefaultTimeout(20_000);
      context.setDefaultNavigationTimeout(60_000);
      const page = await context.newPage();
      await page.goto(`${demo.base_url}/console/sign-in?login_hint=nuno@northgate.example`);
      await context.route(/\/(ext|console)\/api\/(?!session)/, respond);
      for (const [view, name] of wanted) await take(await context.newPage(), view, name);
      await context.close();
    }
process.stdout.write(`${folder}\n`);
await browser.close();
for (const stop of stops.toReversed()) await stop();
