import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { serve } from '../../infra/local/serve.ts';
import { startServer } from '../support/server.ts';
import { launch } from './launch.ts';

/*
 * A person is signed in, and visits a page of somebody else, in a real browser. `localhost` is another site than
 * 127.0.0.1; another port of 127.0.0.1 is another origin of the same site.
 */

const stops: (() => Promise<void>)[] = [];
let base: string;
let payfair: string | undefined;
let context: BrowserContext;
/** The console. */
let own: Page;
let evil: string;
beforeAll(async () => {
  const { demo } = await startServer(stops);
  base = demo.base_url;
  payfair = demo.acquirers.find(({ name }) => name === 'Payfair')?.id;
  const served = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Prizes</title>');
  });
  evil = served.url;
  const browser = await launch();
  stops.push(served.stop, () => browser.close());
  context = await browser.newContext();
  own = await context.newPage();
  await own.goto(`${base}/console/sign-in?login_hint=ana@payfair.example`);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** Sends a request as a page of this service does. */
async function asConsole(path: string, more: object = {}): Promise<{ status: number; body: string }> {
  const headers = { 'Acting-As': payfair, 'Content-Type': 'application/json' };
  return own.evaluate(
    `fetch(${JSON.stringify(base + path)}, { ...${JSON.stringify({ headers, ...more })}, signal: AbortSignal.timeout(60000) })
      .then(async (response) => ({ status: response.status, body: await response.text() }))`,
  );
}

const keys = async () => JSON.parse((await asConsole('/console/api/keys')).body).data;

test('a page of this service acts for the person', async () => {
  const created = await asConsole('/console/api/keys', { method: 'POST', body: '{"label":"own","role":"viewer"}' });
  expect(created.status).toBe(201);
  expect(await keys()).toContainEqual(expect.objectContaining({ label: 'own', role: 'viewer' }));
});

describe.each(['localhost', '127.0.0.1'])('a page of another origin on %s', (host) => {
  let page: Page;
  let before: unknown;
  beforeEach(async () => {
    before = await keys();
    page = await context.newPage();
    await page.goto(evil.replace('127.0.0.1', host));
  });
  afterEach(async () => {
    expect(await keys()).toEqual(before);
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])(
    'changes nothing with a form of the type %s',
    async (type) => {
      const form =
        `<form method="post" action="${base}/console/api/keys" enctype="${type}"><input ` +
        `name='{"label":"evil","role":"full","x":"' value='"}'></form>`;
      const [response] = await Promise.all([
        page.waitForResponse((each) => each.url().includes('/console/api/keys')),
        page.evaluate(
          `document.body.innerHTML = ${JSON.stringify(form)}; setTimeout(() => document.forms[0].submit());`,
        ),
      ]);
      expect(response.status()).toBe(401);
    },
  );

  test.each(['cors', 'no-cors'])('changes and reads nothing with fetch in the mode %s', async (mode) => {
    const body = '{"label":"evil","role":"full"}';
    const headers = { 'Acting-As': payfair };
    for (const attempt of [{ method: 'POST', body }, { method: 'POST', body, headers }, { headers }]) {
      const init =
        `{ ...${JSON.stringify({ ...attempt, mode, credentials: 'include' })}, signal: ` +
        `AbortSignal.timeout(5000) }`;
      const read = page.evaluate(
        `fetch(${JSON.stringify(`${base}/console/api/keys`)}, ${init}).then((each) => each.text(), () => '')`,
      );
      expect(await read).toBe('');
    }
  });

  test.each(['img', 'script'])('learns nothing from an element <%s>', async (tag) => {
    const loaded = page.evaluate(
      `new Promise((resolve) => {
        const element = document.createElement('${tag}');
        element.onload = () => resolve('loaded');
        element.onerror = () => resolve('failed');
        element.src = ${JSON.stringify(`${base}/console/api/session`)};
        document.body.append(element);
      })`,
    );
    expect(await loaded).toBe('failed');
  });

  test('cannot show the pages of the sign-in in a frame', async () => {
    const url = `${base}/console/callback?error=access_denied`;
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url() === url),
      page.evaluate(`document.body.innerHTML = '<iframe src="${url}"></iframe>'`),
    ]);
    expect(response.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
    const shown = await page
      .frames()[1]
      ?.evaluate('document.body.innerText')
      .catch(() => '');
    expect(shown).not.toContain('Sign in');
  });

  test('signs nobody out, and nobody in', async () => {
    await page.goto(`${base}/console/callback?code=stolen&state=stolen`);
    // A callback that comes late leads into the console of whoever is signed in.
    expect(page.url()).toBe(`${base}/console`);
    expect((await asConsole('/console/api/keys')).status).toBe(200);
  });
});
