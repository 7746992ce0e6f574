import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newBranch } from '../../support/world.ts';
import { until } from '../chromium.ts';
import { filmStickers } from '../filmStickers.ts';
import { expectAccessible, useConsole } from './harness.ts';
import { button, dialog, hasFocus, searchBox } from './page.ts';

/** As long as serial numbers are. */
const number = String(Date.now()).slice(-10);
const [inUse, released, unknown] = [`MV${number}`, `RE${number}`, `NEW${number}`];
const ids = { terminal_id: `PT${number}`, mid: `CASA${number}` };

/** What the camera sees, again and again: each code for two seconds. So whatever is read is read within these. */
const folder = mkdtempSync(join(tmpdir(), 'camera-'));
const VIDEO = join(folder, 'stickers.y4m');
beforeAll(() =>
  filmStickers(VIDEO, [
    { text: inUse, format: 'Code128', degrees: 9, modulePx: 2.2 },
    { text: released, format: 'QRCode', degrees: 31, modulePx: 2.6 },
    { text: unknown, format: 'DataMatrix', degrees: -17, modulePx: 3 },
  ]),
);
afterAll(() => rmSync(folder, { recursive: true }));

const view = useConsole(['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${VIDEO}`]);

/** A terminal that has one of the serial numbers, and had another in an earlier branch. */
let tid: string;
beforeAll(async () => {
  const { terminals } = await newBranch(view.world.provider, {
    mid: ids.mid,
    branch_name: 'Casa Verde',
    terminals: [{ terminal_id: ids.terminal_id, serial_no: released }],
  });
  tid = terminals[0].tid;
  const { key } = view.world.provider;
  await call('updateTerminal', { key, path: { id: tid }, body: { serial_no: inUse } });
  const { mid } = await newBranch(view.world.provider, { branch_name: 'Casa Azul' });
  await call('reassignTerminal', { key, path: { id: tid }, body: { mid } });
});

/** Notes the cameras that the page opens, and gives each a light. */
const CAMERAS = `
  globalThis.cameras = [];
  globalThis.lights = [];
  const { getUserMedia } = MediaDevices.prototype;
  MediaDevices.prototype.getUserMedia = async function (...options) {
    const stream = await getUserMedia.apply(this, options);
    cameras.push(...stream.getTracks());
    return stream;
  };
  MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true });
  MediaStreamTrack.prototype.applyConstraints = async ({ advanced: [{ torch }] }) => { lights.push(torch); };`;

/** The interface of the browser's own reader, which reads these codes or does not work. */
const readerOf = (codes: string[] | undefined) => `
  globalThis.BarcodeDetector = class {
    static getSupportedFormats = async () => ['code_128', 'code_39', 'data_matrix', 'qr_code', 'ean_13'];
    async detect() {
      const codes = ${JSON.stringify(codes)};
      if (!codes) throw new DOMException('Barcode detection service unavailable.', 'NotSupportedError');
      return codes.map((rawValue) => ({ rawValue }));
    }
  };`;

/** Opens a view on a phone, whose browser reads codes itself if they are given. */
async function openPhone(path: string, { reads }: { reads?: { codes?: string[] } } = {}) {
  // A page of its own browser, to which something is added before the view is opened.
  const { page, context } = await view.open('/help', { isPhone: true });
  await context.grantPermissions(['camera']);
  await context.addInitScript(CAMERAS);
  if (reads) await context.addInitScript(readerOf(reads.codes));
  const loaded: string[] = [];
  page.on('request', (request) => {
    const [name] = /(?<=\/)[a-z_]+(?=-[^/]*\.wasm$)/.exec(request.url()) ?? [];
    if (name) loaded.push(name);
  });
  await page.goto(view.addressOf(path));
  return { page, context, loaded };
}

const scanner = (page: Page) => page.getByRole('dialog', { name: 'Scan with the camera' });
const read = (page: Page, code: string) =>
  scanner(page).getByRole('list', { name: 'Codes that were read' }).getByRole('listitem').filter({ hasText: code });
/** Waits until the camera is off. */
async function expectClosed(page: Page): Promise<void> {
  await scanner(page).waitFor({ state: 'detached' });
  expect(await page.evaluate('cameras.map(({ readyState }) => readyState)')).toEqual(['ended']);
}

test.each([
  ['no reader', undefined],
  ['a reader that does not work', {}],
])('in a browser with %s, the camera reads small codes that are askew, and says what has them', async (_, reads) => {
  const { page, loaded } = await openPhone('/', reads ? { reads } : {});
  await hasFocus(searchBox(page));
  expect(loaded).toEqual([]);
  await button(page, 'Scan with the camera').click();
  await read(page, inUse).getByText(`At ${ids.terminal_id}, Casa Azul`).waitFor();
  await read(page, released).getByText(`Free: was at ${ids.terminal_id}, Casa Verde until `).waitFor();
  await read(page, unknown).getByText('Free: none of your terminals has it.').waitFor();
  expect(loaded).toEqual(['zxing_reader']);
  await expectAccessible(page);
  await read(page, inUse).getByRole('button').click();
  await expectClosed(page);
  await page.getByRole('heading', { name: `Terminal ${ids.terminal_id}` }).waitFor();
});

test('who closes the scanner has the camera off, also before what reads the codes is loaded', async () => {
  const { page } = await openPhone('/');
  await page.route(/\.wasm$/, () => {});
  await button(page, 'Scan with the camera').click();
  await until(() => page.evaluate('cameras.length'));
  await button(page, 'Type instead').click();
  await expectClosed(page);
});

test('a browser that reads codes itself loads no reader, and its codes are read as those of a scanner', async () => {
  const sticker = ['S/N', 'https://example.com/device', `(01)09501101530003(21)${unknown}`, ids.mid, ids.terminal_id];
  const { page, loaded } = await openPhone(`/terminals/${tid}?do=swap`, { reads: { codes: sticker } });
  const field = dialog(page).getByLabel('Serial number of the new device');
  await dialog(page).getByRole('button', { name: 'Scan with the camera' }).click();
  await read(page, ids.mid).getByText('Branch Casa Verde').waitFor();
  await read(page, ids.terminal_id).getByText('Terminal, Casa Azul').waitFor();
  // Links and words are none that a terminal can have.
  expect(await scanner(page).getByRole('listitem').count()).toBe(3);
  await button(page, 'Light on').click();
  await button(page, 'Light off').click();
  expect(await page.evaluate('lights')).toEqual([true, false]);
  await read(page, unknown).getByRole('button').click();
  await expectClosed(page);
  expect(await field.inputValue()).toBe(unknown);
  expect(loaded).toEqual([]);
});

test('a list takes all devices that the camera reads, but for those that are removed', async () => {
  const { page } = await openPhone('/terminals?do=paste', { reads: { codes: [inUse, unknown, released] } });
  const list = dialog(page).getByLabel('Serial numbers or terminal IDs');
  await list.fill('TYPED1');
  await dialog(page).getByRole('button', { name: 'Scan with the camera' }).click();
  await read(page, unknown).getByText('Free').waitFor();
  await expectAccessible(page);
  await button(page, `Remove ${unknown}`).click();
  await button(page, 'Add 2').click();
  await expectClosed(page);
  expect(await list.inputValue()).toBe(`TYPED1\n${inUse}\n${released}`);
});

test('terminals that are added get the serial numbers that the camera reads', async () => {
  const { page } = await openPhone(`/branches/${ids.mid}?do=add`, { reads: { codes: ['SCANNED1', 'SCANNED2'] } });
  await dialog(page).getByLabel('Terminal ID').fill('TYPED1');
  await dialog(page).getByRole('button', { name: 'Scan with the camera' }).click();
  await button(page, 'Add 2').click();
  await expectClosed(page);
  const serials = dialog(page).getByLabel('Serial number');
  expect([await serials.first().inputValue(), await serials.last().inputValue()]).toEqual(['SCANNED1', 'SCANNED2']);
  expect(await dialog(page).getByLabel('Terminal ID').first().inputValue()).toBe('TYPED1');
  await button(page, 'Add 2 terminals').waitFor();
  await expectAccessible(page);
});

test('a scanner that cannot be loaded says so', async () => {
  const { page, context } = await view.open('/help', { isPhone: true });
  await context.route('**/console/assets/Scanner-*', (route) => route.fulfill({ status: 404, body: '' }));
  await page.reload();
  await button(page, 'Scan with the camera').click();
  await page.getByText('This view could not be loaded').waitFor();
  expect(view.takeErrors().length).toBeGreaterThan(0);
});

/** Takes the permission away that a test has. */
const refuse = (context: BrowserContext) => context.clearPermissions();

test('who refuses the camera is told what to do, and types instead', async () => {
  const { page, context } = await openPhone(`/terminals/${tid}?do=swap`);
  await refuse(context);
  const field = dialog(page).getByLabel('Serial number of the new device');
  await field.fill('MV1');
  await dialog(page).getByRole('button', { name: 'Scan with the camera' }).click();
  await page.getByRole('alert').getByText('This page may not use the camera.').waitFor();
  await expectAccessible(page);
  // The dialog below stays, with what was typed.
  await page.keyboard.press('Escape');
  await scanner(page).waitFor({ state: 'detached' });
  await dialog(page).getByRole('button', { name: 'Scan with the camera' }).click();
  await button(page, 'Type instead').click();
  await scanner(page).waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('MV1');
});
