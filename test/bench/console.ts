import type { Browser } from 'playwright-core';
import { buildConsole, type ConsoleApp } from '../../infra/console/build.ts';
import { giveSession, launch } from '../browser/launch.ts';
import { serveHandlers } from '../support/overHttp.ts';
import { personOf } from '../support/people.ts';
import { runBundle, withFolder, writeBundle } from './instance.ts';
import type { Part } from './part.ts';
import { median } from './statistics.ts';
import { newAcquirer } from './world.ts';

/** A slow line and a slow phone: bits per second, milliseconds, and how much slower than this machine. */
const LINE = { down: 1_600_000, up: 750_000, latency: 150 };
const SLOWER = 4;
const TARGET = { firstKb: 280, laterKb: 60, readyMs: 3_000 };

/** Bytes of an asset as it is sent. */
function sizeOf({ assets }: ConsoleApp, name: string, encoding: 'br' | 'gzip'): number {
  const bodies = assets[name]?.bodies as Record<string, string>;
  return Buffer.from(bodies[encoding] ?? bodies['identity'] ?? '', 'base64').length;
}

/** Milliseconds until the search box of a new page can be used, without a cache. */
async function readyMs(browser: Browser, url: string, cookie: string): Promise<number> {
  const context = await browser.newContext();
  await giveSession(context, new URL(url).origin, cookie);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  const { down, up, latency } = LINE;
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: down / 8,
    uploadThroughput: up / 8,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  const started = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('combobox').first().waitFor();
  const took = performance.now() - started;
  await context.close();
  return took;
}

export const consolePages: Part = {
  title: 'The console',
  about:
    'What a browser loads, as it is sent, and the time until the search box can be used on a slow line ' +
    `(${LINE.down / 1e6} Mbit/s, ${LINE.latency} ms) with a processor that is ${SLOWER} times slower. A cold start of its function is that of a new process.`,
  async measure({ runs }) {
    const app = await buildConsole();
    const first = [app.script, ...app.modules, app.style, app.font, app.icon];
    const later = Object.keys(app.assets).filter((name) => !first.includes(name));
    const kb = (names: string[], encoding: 'br' | 'gzip') =>
      names.reduce((sum, name) => sum + sizeOf(app, name, encoding), 0) / 1000;
    const firstKb = kb(first, 'gzip');
    const largestKb = Math.max(...later.map((name) => kb([name], 'gzip')));
    const event = { headers: {}, requestContext: { http: { method: 'GET' } } };
    const starts = await withFolder(async (folder) => {
      const file = await writeBundle(folder, 'openConsole');
      const took: number[] = [];
      for (let run = 0; run < runs; run += 1) {
        const { imported, calls } = await runBundle(file, [event], { STAGE: 'prod' });
        took.push(Number(imported.milliseconds) + Number(calls[0]?.milliseconds));
      }
      return took;
    });
    const { id } = await newAcquirer('PAYMENT_PROVIDER');
    process.env['STAGE'] = 'prod';
    const served = await serveHandlers();
    process.env['BASE_URL'] = served.url;
    const person = await personOf(id, 'admin');
    const browser = await launch();
    const url = `${served.url}/console/${id}`;
    const times: number[] = [];
    for (let run = 0; run < Math.min(runs, 5); run += 1) times.push(await readyMs(browser, url, person.session.cookie));
    await browser.close();
    await served.stop();
    const row = (what: string, names: string[]) => ({
      what,
      files: names.length,
      'KB with gzip': Math.round(kb(names, 'gzip')),
      'KB with Brotli': Math.round(kb(names, 'br')),
    });
    const ready = Math.round(median(times));
    return {
      tables: [
        { title: 'Bytes', rows: [row('the first view', first), row('all other views', later)] },
        {
          title: 'Times',
          rows: [
            { what: 'the search box can be used', 'after ms': ready },
            { what: 'cold start of openConsole, with the page', 'after ms': Math.round(median(starts)) },
          ],
        },
      ],
      targets: [
        {
          target: `The first view is at most ${TARGET.firstKb} KB with gzip`,
          measured: `${Math.round(firstKb)} KB`,
          isMet: firstKb <= TARGET.firstKb,
        },
        {
          target: `Each later file is at most ${TARGET.laterKb} KB with gzip`,
          measured: `${Math.round(largestKb)} KB`,
          isMet: largestKb <= TARGET.laterKb,
        },
        {
          target: `The search box can be used within ${TARGET.readyMs / 1000} s`,
          measured: `${ready} ms`,
          isMet: ready <= TARGET.readyMs,
          isTime: true,
        },
      ],
      counts: {},
    };
  },
};
