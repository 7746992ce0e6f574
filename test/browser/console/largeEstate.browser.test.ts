import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { deep } from '../../support/depth.ts';
import { useConsole } from './harness.ts';
import { branchAt, serveEstate, terminalAt } from './largeEstate.ts';

/*
 * The largest estate that a browser keeps. With DEEP=1 it has half a million terminals, and prints how long each step took
 * and what it takes.
 */

const SIZE = deep ? { terminals: 500_000, branches: 200_000 } : { terminals: 5_000, branches: 2_000 };
const LONGEST = { timeout: 900_000 };
const view = useConsole();

/** Notes, for each typed text, how long after its last key the rows that it finds are painted, in milliseconds. */
const WATCH = `(() => {
  const typed = new Map();
  globalThis.painted = [];
  addEventListener('input', ({ target, timeStamp }) => typed.set(target.value, timeStamp), true);
  globalThis.Worker = class extends Worker {
    #texts = [];
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data: [kind] }) => {
        if (kind !== 'answered') return;
        const text = this.#texts.shift();
        const at = typed.get(text);
        if (at === undefined) return;
        typed.delete(text);
        requestAnimationFrame(() => setTimeout(() => painted.push(performance.now() - at)));
      });
    }
    postMessage(message) {
      const [kind, said] = message;
      if (kind === 'ask') this.#texts.push(said.kind === 'terminals' ? said.asked.criteria.text : undefined);
      super.postMessage(message);
    }
  };
})()`;

const TYPED = [
  '17255',
  '8791',
  'casa verde',
  'São João da Mad',
  'MV53',
  '7',
  'T1725',
  'دبي',
  '172-55',
  'biz42',
  'porto',
  'S/N: 10',
];

const said: Record<string, unknown> = {};
/** How long something takes, in milliseconds. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const done = await work();
  said[what] = Math.round(performance.now() - from);
  return done;
}

/** What the largest process of pages has in memory, with its worker, in MB. */
async function memoryOf(page: Page): Promise<number> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]) / 1_024);
  return Math.round(Math.max(...sizes));
}

const percentile = (times: number[], part: number) =>
  Math.round(times.toSorted((one, other) => one - other)[Math.floor(part * (times.length - 1))] ?? 0);

test('the largest estate is read, kept, and found in at once', async () => {
  const { page, context } = await view.open('/help', { isFresh: true });
  await context.addInitScript(WATCH);
  const served = await serveEstate(context, SIZE);
  const shown = (text: string | RegExp) => page.getByRole('main').getByText(text).first().waitFor(LONGEST);
  const all = `${SIZE.terminals.toLocaleString('en')} terminals`;
  const rows = page.getByRole('grid').locator('tbody tr');

  await page.goto(view.addressOf('/terminals'));
  await timed('first walk, first rows', () => rows.nth(5).waitFor());
  await timed('first walk, all', () => page.getByText(/^Loading/).waitFor({ ...LONGEST, state: 'detached' }));
  await shown(all);
  said['pages'] = served.pages;
  // What is kept is written every few seconds.
  await page.waitForTimeout(deep ? 20_000 : 6_000);

  const field = page.getByLabel('Filter terminals');
  const type = async (label: string) => {
    for (const text of TYPED) {
      await field.fill('');
      await field.pressSequentially(text, { delay: 80 });
    }
    const times = await page.evaluate<number[]>('painted.splice(0)');
    said[label] = {
      keys: times.length,
      p50: percentile(times, 0.5),
      p95: percentile(times, 0.95),
      most: percentile(times, 1),
    };
  };
  await type('keys to paint, the first time');
  await type('keys to paint, again');
  await field.fill('');
  await page.getByRole('button', { name: 'City', exact: true }).first().click();
  await timed('values of a filter', () => page.getByRole('checkbox').nth(5).waitFor());
  await page.keyboard.press('Escape');
  await timed('sorted by branch', async () => {
    await page.getByRole('button', { name: 'Branch', exact: true }).last().click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
  });

  // Counted by reading all of it.
  const places = Array.from({ length: SIZE.terminals }, (_, place) => terminalAt(place, SIZE.branches));
  const having = (isIn: (terminal: (typeof places)[number]) => boolean) => places.filter(isIn).length;
  for (const [text, count] of [
    ['t17255', having(({ terminal_id, serial_no }) => [terminal_id, serial_no].some((id) => id?.includes('T17255')))],
    [branchAt(12).mid, having(({ mid }) => mid === branchAt(12).mid)],
  ] as const) {
    await field.fill(text);
    await shown(`${count.toLocaleString('en')} of ${all}`);
  }
  await field.fill('');
  await shown(all);
  said['memory'] = await memoryOf(page);
  said['disk'] = await page.evaluate('navigator.storage.estimate().then(({ usage }) => usage)');

  await page.goto('about:blank');
  await timed('second visit, first rows', async () => {
    await page.goto(view.addressOf('/terminals'));
    await rows.nth(5).waitFor();
  });
  await timed('second visit, all', () => page.getByText(/Reading what/).waitFor({ ...LONGEST, state: 'detached' }));
  await shown(all);
  expect(served.pages).toBe(said['pages']);
  await type('keys to paint, second visit');
  if (deep) process.stdout.write(`${JSON.stringify(said, null, 1)}\n`);
}, 1_800_000);
