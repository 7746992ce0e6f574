import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { deep } from '../../support/depth.ts';
import { until } from '../chromium.ts';
import { useConsole } from './harness.ts';
import { branchAt, serveEstate, terminalAt } from './largeEstate.ts';

/*
 * The largest estate that a browser keeps. With DEEP=1 it has half a million terminals, and prints how long each step took
 * and what it takes.
 */

const SIZE = deep ? { terminals: 500_000, branches: 200_000 } : { terminals: 5_000, branches: 2_000 };
const LONGEST = { timeout: 900_000 };
const view = useConsole();

/**
 * Records, in milliseconds, when the first rows are painted, and for each typed key how long it takes until the next paint
 * (Event Timing, which reports 16 ms and more) and until its rows are painted.
 */
const WATCH = `(() => {
  const typed = [];
  globalThis.painted = { typed, keys: [], pressed: 0 };
  addEventListener('keydown', () => { painted.pressed += 1; }, true);
  addEventListener('input', ({ timeStamp }) => typed.push({ at: timeStamp }), true);
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') painted.keys.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
  new MutationObserver((records) => {
    if (!records.some(({ target }) => (target.closest ? target : target.parentElement)?.closest('[role="grid"]'))) return;
    const key = typed.at(-1);
    requestAnimationFrame(() => setTimeout(() => {
      const now = performance.now();
      if (document.querySelector('[role="grid"] tbody a')) painted.firstRows ??= now;
      // What is settled after a pause is painted once more.
      const isOfKey = key && key === typed.at(-1) && (!key.rows || now - key.at < 280);
      if (isOfKey) key.rows = now - key.at;
    }));
  }).observe(document, { subtree: true, childList: true, characterData: true });
})()`;
/** The recorded times of keys and of their rows. A key that was not reported counts as 16 ms. */
const PAINTED = `(() => {
  const keys = painted.keys.splice(0);
  const short = Array(Math.max(0, painted.pressed - keys.length)).fill(16);
  painted.pressed = 0;
  return { keys: [...short, ...keys], rows: painted.typed.splice(0).flatMap(({ rows }) => rows ?? []) };
})()`;
const FIRST_ROWS = 'Math.round(painted.firstRows)';

interface Heap {
  usedSize: number;
  backingStorageSize: number;
}

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

/** What the page and its worker have in memory, after garbage collection, in MB. */
async function memoryOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const workers: string[] = [];
  const heaps: Heap[] = [];
  session.on(
    'Target.attachedToTarget',
    ({ sessionId, targetInfo }) => targetInfo.type === 'worker' && workers.push(sessionId),
  );
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message);
    if (id === 2) heaps.push(result);
  });
  await session.send('HeapProfiler.collectGarbage');
  heaps.push(await session.send('Runtime.getHeapUsage'));
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  await until(async () => workers.length === 1);
  for (const [id, method] of [
    [1, 'HeapProfiler.collectGarbage'],
    [2, 'Runtime.getHeapUsage'],
  ] as const)
    await session.send('Target.sendMessageToTarget', {
      sessionId: workers[0] as string,
      message: JSON.stringify({ id, method }),
    });
  await until(async () => heaps.length === 2);
  const bytes = heaps.reduce((sum, { usedSize, backingStorageSize }) => sum + usedSize + backingStorageSize, 0);
  await session.detach();
  return Math.round(bytes / 1e6);
}

/** Returns how long a loop takes, which shows how much slower the browser is on a busy machine. */
const SPIN =
  '(() => { const from = performance.now(); for (let at = 0; at < 3e8; at += 1); return performance.now() - from; })()';

/** Keeps both cores busy. Each process has a session of its own, because Linux shares its time between sessions. */
function busy(): () => void {
  const processes = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { detached: true, stdio: 'ignore' }),
  );
  return () => {
    for (const each of processes) each.kill();
  };
}

/** The median, the 95th percentile and the longest of some times. */
function partsOf(times: number[]) {
  const sorted = times.toSorted((one, other) => one - other);
  const [p50, p95, most] = [0.5, 0.95, 1].map((part) =>
    Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0),
  );
  return { p50, p95, most };
}

test('the largest estate is read, kept, and found in at once', async () => {
  const { page, context } = await view.open('/help', { isFresh: true });
  await context.addInitScript(WATCH);
  const served = await serveEstate(context, SIZE);
  const shown = (text: string | RegExp) => page.getByRole('main').getByText(text).first().waitFor(LONGEST);
  const all = `${SIZE.terminals.toLocaleString('en')} terminals`;
  const rows = page.getByRole('grid').locator('tbody tr');

  await page.goto(view.addressOf('/terminals'));
  await rows.nth(5).waitFor();
  said['first walk, first rows'] = await page.evaluate(FIRST_ROWS);
  await timed('first walk, all', () => page.getByText(/^Loading/).waitFor({ ...LONGEST, state: 'detached' }));
  await shown(all);
  said['pages'] = served.pages;
  // What is kept is written every few seconds.
  await page.waitForTimeout(deep ? 20_000 : 6_000);

  const field = page.getByLabel('Filter terminals');
  const type = async (label: string) => {
    await page.evaluate(PAINTED);
    for (const text of TYPED) {
      await field.fill('');
      await field.pressSequentially(text, { delay: deep ? 500 : 80 });
    }
    const { keys, rows } = await page.evaluate<Record<'keys' | 'rows', number[]>>(PAINTED);
    said[label] = { key: partsOf(keys), rows: partsOf(rows) };
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
  const saving = page.waitForEvent('download', LONGEST);
  await timed('export of all', async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    if (deep) await page.getByText(/rows written so far/).waitFor();
    await saving;
  });
  const ids = new Set<string>();
  for await (const line of createInterface(createReadStream(await (await saving).path())))
    ids.add(line.split(',', 1)[0] as string);
  expect(ids.size).toBe(1 + SIZE.terminals);
  said['memory'] = await memoryOf(page);
  said['disk'] = await page.evaluate('navigator.storage.estimate().then(({ usage }) => usage)');

  const visitAgain = async (label: string) => {
    await page.goto('about:blank');
    await page.goto(view.addressOf('/terminals'));
    await rows.nth(5).waitFor();
    said[label] = await page.evaluate(FIRST_ROWS);
    await page.getByText(/Reading what/).waitFor({ ...LONGEST, state: 'detached' });
    await shown(all);
  };
  await timed('second visit, all', () => visitAgain('second visit, first rows'));
  expect(served.pages).toBe(said['pages']);
  await type('keys to paint, second visit');
  if (!deep) return;

  const spin = () => page.evaluate<number>(SPIN);
  const plain = await spin();
  const rest = busy();
  try {
    said['times slower'] = (await spin()) / plain;
    await type('slower: keys to paint');
    await visitAgain('slower: second visit, first rows');
  } finally {
    rest();
  }
  process.stdout.write(`${JSON.stringify(said, null, 1)}\n`);
}, 1_800_000);
