import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { freePort } from '../../infra/local/engine.ts';
import { type Served, serve } from '../../infra/local/serve.ts';
import { type Files, withSite } from '../../infra/local/siteFiles.ts';
import { guideGroups, guides } from '../../infra/publish/site/guides.ts';
import { contactsOf, siteSettings } from '../../infra/publish/site/settings.ts';
import { filesOf } from '../../infra/publish/site/site.ts';
import { sources } from '../../infra/publish/site/sources.ts';
import { readersEnvironment } from '../docs/reader.ts';
import { type Server, startServer } from '../support/server.ts';
import { DESKTOP, PHONE, until, useBrowser, WIDE } from './chromium.ts';

/*
 * The site as it is published for two environments, on an origin of its own. `npm start` plays the one that accepts
 * requests from it, behind a gateway with the CORS of a stage with `siteOrigin`.
 */

const stops: (() => Promise<void>)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-site-'));
stops.push(async () => rmSync(folder, { recursive: true }));
let sandbox: Pick<Server, 'demo'>;
let site: string;
let files: Map<string, Buffer>;
const PRODUCTION = 'https://api.example.com';
const window = useBrowser(() => sandbox.demo.base_url);

/** Serves an API with the headers by which API Gateway lets the pages of the site send requests. */
function withCors(api: string): Promise<Served> {
  const { AllowMethods, AllowHeaders, ExposeHeaders } = parse(readFileSync('infra/stack/cors.yml', 'utf8')).extensions
    .HttpApi.Properties.CorsConfiguration;
  const allowed = {
    'access-control-allow-origin': site,
    'access-control-allow-methods': AllowMethods.join(),
    'access-control-allow-headers': AllowHeaders.join(),
    'access-control-expose-headers': ExposeHeaders.join(),
  };
  return serve((from, response) => {
    const { method, url, headers } = from;
    if (method === 'OPTIONS') return response.writeHead(204, allowed).end();
    const onward = request(`${api}${url}`, { method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, { ...upstream.headers, ...allowed });
      upstream.pipe(response);
    });
    return from.pipe(onward);
  });
}

beforeAll(async () => {
  const port = await freePort();
  site = `http://127.0.0.1:${port}`;
  const served = Promise.withResolvers<Files>();
  // It listens at once, so that nothing else takes the port. It has nothing but files.
  const front = await serve(
    withSite(served.promise, (_, response) => response.destroy()),
    port,
  );
  stops.push(front.stop);
  const server = await startServer(stops);
  const gateway = await withCors(server.demo.base_url);
  stops.push(gateway.stop);
  sandbox = { demo: { ...server.demo, base_url: gateway.url } };
  const environments = [
    { name: 'Sandbox', base_url: sandbox.demo.base_url, can_send: true, has_console: true },
    { name: 'Production', base_url: PRODUCTION },
  ];
  const to = join(folder, 'site');
  const env = {
    ...process.env,
    SITE_NAME: 'Example Acquiring',
    SUPPORT_EMAIL: 'help@example.com',
    SITE_ENVIRONMENTS: JSON.stringify(environments),
  };
  await promisify(execFile)(process.execPath, ['infra/publish/site/main.ts', to], { env });
  files = filesOf(to);
  served.resolve(files);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const textOf = (path: string): string => String(files.get(path));

describe('the files of the site', () => {
  test('name the environments and the support contact, and have no API key', () => {
    expect(JSON.parse(textOf('settings.json'))).toEqual({
      environments: [
        { name: 'Sandbox', base_url: sandbox.demo.base_url, can_send: true, has_console: true },
        { name: 'Production', base_url: PRODUCTION, can_send: false, has_console: false },
      ],
    });
    const contract = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    expect(JSON.parse(textOf('openapi.json'))).toEqual({
      ...contract,
      info: {
        ...contract.info,
        title: 'Example Acquiring',
        contact: { name: 'Partner support', email: 'help@example.com' },
      },
      servers: [
        { url: sandbox.demo.base_url, description: 'Sandbox' },
        { url: PRODUCTION, description: 'Production' },
      ],
    });
    expect([...files.values()].filter((content) => /apk_[\w-]{20}/.test(String(content)))).toEqual([]);
  });

  test('have each guide as Markdown, listed in llms.txt, with the environments filled in', () => {
    const index = textOf('llms.txt');
    for (const { name, title } of guides()) {
      expect(index).toContain(`- [${title}](/docs/${name}.md): `);
      expect(textOf(`docs/${name}.md`)).toContain(`# ${title}`);
      expect(textOf(`docs/${name}.md`)).not.toMatch(/<!--|:::|\{base_url\}/);
    }
    expect(textOf('docs/quickstart.md')).toContain(`export BASE_URL='${sandbox.demo.base_url}'`);
    expect(textOf('docs/environments.md')).toContain(`- **Production**: \`${PRODUCTION}\``);
    expect(textOf('docs/support.md')).toContain('[help@example.com](mailto:help@example.com)');
  });

  test('have the partners’ part of the changelog only', () => {
    const changelog = textOf('docs/changelog.md');
    expect(changelog).toContain('## Since 1.0.0');
    expect(changelog).toContain('- Check whether a card belongs to a loyalty member');
    expect(changelog).not.toMatch(/For operators|For developers|For the platform team|DynamoDB/);
  });

  test('have no placeholder where a setting is missing', async () => {
    const settings = siteSettings({});
    const plain = await sources(settings);
    expect(JSON.parse(String(plain.get('public/openapi.json'))).info.contact).toBeUndefined();
    for (const page of ['support', 'environments'])
      for (const path of [`public/docs/${page}.md`, `docs/${page}/index.md`])
        expect(String(plain.get(path))).not.toMatch(/<!--|example\.com|undefined|Partner support/);
    expect(contactsOf(settings)).toBe('');
    expect(String(plain.get('public/docs/support.md'))).toContain('They give you the address of our support.');
    expect(String(plain.get('docs/quickstart/index.md'))).not.toContain('Environment:');
  });

  test.each([
    ['https://api.example.com/', 1, '0.base_url: A base_url is a URL without a slash at its end.'],
    [PRODUCTION, 2, 'Two environments have the same name.'],
  ])('are not built for invalid environments, with an error that says why: %s', (base_url, count, error) => {
    const environments = Array(count).fill({ name: 'Sandbox', base_url });
    expect(() => siteSettings({ SITE_ENVIRONMENTS: JSON.stringify(environments) })).toThrow(error);
  });

  test('have a policy that allows requests to the sandbox only', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(textOf('reference/index.html')) ?? [];
    expect(policy).toContain(`connect-src 'self' ${sandbox.demo.base_url};`);
    expect(policy).not.toContain('api.example.com');
  });
});

describe('the reference', () => {
  test.each([
    ['a desktop', { viewport: DESKTOP }],
    ['a phone', { viewport: PHONE, isMobile: true, hasTouch: true }],
  ])('sends a request to the sandbox with the reader’s API key, and shows the response on %s', async (_, screen) => {
    // What is below the screen is loaded when a reader comes near it.
    await window.open(`${site}/reference/#tag/branches/listBranches`, screen);
    await window.sectionOf('listBranches').getByRole('button', { name: 'Test Request' }).click();
    const form = window.page.getByRole('dialog');
    await form.waitFor();
    for (const selector of ['.ascii-art', 'a[href*="scalar.com"]', 'button:not([role="tab"]):text("Cookies")'])
      expect([selector, await window.page.locator(selector).filter({ visible: true }).count()]).toEqual([selector, 0]);
    expect(await window.page.locator('[data-placeholder^="QUx"]').filter({ visible: true }).count()).toBe(0);
    await form.getByLabel('Value', { exact: true }).or(form.locator('[data-placeholder="apk_…"]')).first().click();
    await window.page.keyboard.insertText(sandbox.demo.acquirers[2]?.api_key ?? '');
    const response = window.page.waitForResponse(/\/ext\//);
    await form.locator('[data-addressbar-action="send"]').filter({ visible: true }).click();
    expect((await response).status()).toBe(200);
    const status = form.getByText('200 OK');
    await status.waitFor();
    expect(await form.locator('.response-section-content-cookies').filter({ visible: true }).count()).toBe(0);
    const { y = Number.NaN } = (await status.boundingBox()) ?? {};
    expect(y).toBeLessThan(screen.viewport.height);
  });

  test('names path parameters as the guides do, and has samples of requests to the sandbox only', async () => {
    await window.open(`${site}/reference/#tag/branches/createBranch`);
    const samples = window.sectionOf('createBranch').locator('.scalar-code-block');
    await samples
      .filter({ hasText: `${sandbox.demo.base_url}/ext/api/v1/merchants` })
      .first()
      .waitFor();
    const paths = (await window.page.locator('.endpoints').allInnerTexts()).join();
    expect(paths).toContain('/ext/api/v1/terminals/{mid}');
    expect(paths).toContain('/ext/api/v1/terminals/{tid}/archive');
    expect(paths).not.toMatch(/(merchants|terminals)\/\{id\}/);
    expect(await window.page.locator('.vp-raw').innerText()).not.toMatch(/api\.example\.com|Any of/);
  });
});

describe('the quickstart', () => {
  /** Copies the visible blocks of code with the buttons beside them. Resolves to what was copied. */
  async function copied(blocks: string): Promise<string[]> {
    const texts: string[] = [];
    for (const block of await window.page.locator(blocks).filter({ visible: true }).all()) {
      await block.hover();
      await block.getByRole('button', { name: 'Copy Code' }).click();
      texts.push(await window.page.evaluate<string>('navigator.clipboard.readText()'));
    }
    return texts;
  }
  const choose = (name: string) =>
    window.page
      .locator('.tabs label')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .click();

  test('has commands that run as they are pasted, with the base URL of the chosen environment', async () => {
    await window.open(`${site}/docs/quickstart/`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await choose('Production');
    expect(await copied('[data-tab="Production"] .language-sh')).toEqual([
      `export BASE_URL='${PRODUCTION}'\nexport API_KEY='<API_KEY>'`,
    ]);
    await choose('Sandbox');
    const [setup = ''] = await copied('[data-tab="Sandbox"] .language-sh');
    const commands = await copied('[data-tab="curl"] .language-sh');
    await choose('Python');
    const [program = ''] = await copied('[data-tab="Python"] .language-python');
    const [start = ''] = await copied('[data-tab="Python"] .language-sh');
    writeFileSync(join(folder, 'quickstart.py'), program);
    // Nothing else is filled in.
    const script = [setup.replace('<API_KEY>', sandbox.demo.acquirers[2]?.api_key ?? ''), ...commands, start].join(
      '\n',
    );
    const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: folder, env: readersEnvironment() });
    expect(stdout).toMatch(
      /^{"data":\[{"mid":"DEMO.* 201 .*"mid":"QUICK.*"terminal_model":"Handheld 2".*Created QUICKPY.*\/mid taken\n$/s,
    );
  });

  test('shows the language that its reader chose, on other pages and visits too', async () => {
    await window.open(`${site}/docs/quickstart/`);
    const shown = () =>
      window.page
        .locator('[data-tab]')
        .filter({ visible: true })
        .evaluateAll((all) => all.map(({ dataset }) => dataset['tab']));
    expect(await shown()).toEqual(['Sandbox', 'curl']);
    await choose('Production');
    await choose('Python');
    expect(await shown()).toEqual(['Production', 'Python']);
    await window.page.getByRole('link', { name: 'Webhooks' }).first().click();
    await window.page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(await shown()).toEqual(['Python']);
    const context = window.page.context();
    await window.page.close();
    window.page = await context.newPage();
    await window.page.goto(site);
    await until(async () => String(await shown()) === 'Production');
    // An address may name another one.
    await window.page.goto(`${site}/docs/quickstart/#typescript`);
    await until(async () => String(await shown()) === 'Production,TypeScript');
    await until(() => window.page.evaluate(`scrollY > 0`));
    expect(await window.page.getByRole('radio', { name: 'TypeScript' }).isChecked()).toBe(true);
    // There are no commands by curl only.
    await choose('curl');
    await window.page.goto(`${site}/docs/webhooks/`);
    await until(async () => String(await shown()) === 'TypeScript');
  });
});

test('the first page says what the API is, has a first call, and leads to all guides', async () => {
  await window.open(site);
  const text = await window.page.locator('.VPHome').innerText();
  expect(text).toContain('Merchant branches, payment terminals');
  expect(text).toContain(`${sandbox.demo.base_url}/ext/api/v1/merchants?search=cafe+porto`);
  expect(await window.page.locator('.VPHome [class*="language-"]').filter({ visible: true }).count()).toBe(1);
  const links = await window.page
    .locator('.groups li a')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  expect(links).toEqual(guides().map(({ name }) => `/docs/${name}/`));
  const console = window.page.getByRole('navigation').getByRole('link', { name: 'Console', exact: true });
  expect(await console.getAttribute('href')).toBe(`${sandbox.demo.base_url}/console`);
});

const RECIPES = guideGroups().flatMap(([group, listed]) => (group === 'Recipes' ? listed.map(({ name }) => name) : []));

describe('a guide', () => {
  test('shows no raw markup, cuts no code on a desktop, and uses the screen', async () => {
    await window.open(`${site}/docs/quickstart/`);
    for (const { name } of guides()) {
      await window.page.goto(`${site}/docs/${name}/`);
      expect(await window.page.locator('.VPDoc').innerText()).not.toMatch(/\[ \]|<!--|:::|\{site\}|\{base_url\}/);
      for (const viewport of [DESKTOP, WIDE]) {
        await window.page.setViewportSize(viewport);
        const { cut, wrapped, used } = await window.page.evaluate<{ cut: number; wrapped: string[]; used: number }>(`({
          cut: [...document.querySelectorAll('.vp-doc pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).length,
          wrapped: [...document.querySelectorAll('.vp-doc pre .line')]
            .filter((line) => new Set([...line.getClientRects()].map(({ top }) => top)).size > 1)
            .map((line) => line.textContent),
          used: document.querySelector('.VPDoc .container').getBoundingClientRect().width
            + document.querySelector('.VPSidebar').getBoundingClientRect().width,
        })`);
        expect({ name, cut }).toEqual({ name, cut: 0 });
        if (RECIPES.includes(name)) expect({ name, wrapped }).toEqual({ name, wrapped: [] });
        expect(used / viewport.width).toBeGreaterThan(0.85);
      }
    }
  });

  test('that does not exist is a page that leads on', async () => {
    const response = await fetch(`${site}/docs/no-such-page/`);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await response.text()).toContain('404');
  });
});

/** Questions in people's words, and the page that answers them. */
const QUESTIONS = [
  ['move a terminal', '/docs/move-a-terminal/'],
  ['swap a broken terminal', '/docs/swap-a-terminal/'],
  ['replace device', '/docs/swap-a-terminal/'],
  ['close a shop', '/docs/close-a-shop/'],
  ['delete a branch', '/docs/close-a-shop/'],
  ['reopen', '/docs/reopen-a-shop/'],
  ['undo', '/docs/reopen-a-shop/'],
  ['find a terminal', '/docs/find-a-terminal/'],
  ['serial number', '/docs/find-a-terminal/'],
  ['rotate key', '/docs/api-keys/#rotate-a-key'],
  ['leaked key', '/docs/api-keys/#if-a-key-has-leaked'],
  ['limit', '/docs/rate-limits/'],
  ['too many requests', '/docs/rate-limits/'],
  ['webhooks', '/docs/webhooks/'],
  ['verify a signature', '/docs/webhooks/'],
  ['firewall', '/docs/webhooks/#networks-and-certificates'],
  ['events by push', '/docs/mirror-your-estate/#by-push'],
  ['sandbox', '/docs/environments/'],
  ['why was my request rejected', '/docs/refused-requests/'],
  ['duplicate', '/docs/idempotency-and-retries/'],
  ['support', '/docs/support/'],
  ['version', '/docs/versions/'],
  ['changelog', '/docs/changelog/'],
  ['csv', '/docs/import-your-estate/'],
  ['who changed what', '/docs/change-safely/#who-changed-what'],
  ['psp', '/docs/glossary/'],
  ['what is a tid', '/docs/glossary/'],
  ['rename', '/docs/change-safely/'],
  ['contact', '/docs/support/'],
  ['dashboard', '/docs/the-console/'],
  ['see who archived it in the browser', '/docs/the-console/'],
  ['sdk', '/docs/tools/'],
  ['postman', '/docs/tools/'],
  ['connect an ai assistant', '/docs/assistants/'],
  ['test card', '/docs/tools/'],
  ['uptime', '/docs/support/'],
  ['status page', '/docs/support/'],
] as const;

/** Words that developers type, and the page about each. */
const WORDS = [
  ['authenticate', '/docs/api-keys/'],
  ['authorization', '/docs/api-keys/'],
  ['auth', '/docs/api-keys/'],
  ['bearer', '/docs/api-keys/'],
  ['oauth', '/docs/api-keys/'],
  ['token', '/docs/api-keys/'],
  ['API key header', '/docs/api-keys/'],
  ['x-api-key', '/docs/api-keys/'],
  ['createBranch', '/reference/#api-1/tag/branches/createBranch'],
  ['listTerminals', '/reference/#api-1/tag/terminals/listTerminals'],
  ['memberCheck', '/reference/#api-1/tag/members/memberCheck'],
  ['webhook', '/docs/webhooks/'],
  ['callback', '/docs/webhooks/'],
  ['getting started', '/docs/quickstart/'],
  ['curl', '/docs/quickstart/'],
  ['python', '/docs/quickstart/'],
  ['javascript', '/docs/tools/'],
  ['openapi', '/docs/tools/'],
  ['base url', '/docs/quickstart/#base-url-and-api-key'],
  ['endpoint', '/docs/environments/'],
  ['production', '/docs/going-live/'],
  ['401', '/docs/errors/'],
  ['unauthorized', '/docs/errors/'],
  ['forbidden', '/docs/errors/'],
  ['404', '/docs/errors/'],
  ['422', '/docs/errors/'],
  ['429', '/docs/rate-limits/'],
  ['Retry-After', '/docs/idempotency-and-retries/'],
  ['Idempotency-Key', '/docs/idempotency-and-retries/'],
  ['timeout', '/docs/idempotency-and-retries/'],
  ['If-Match', '/docs/change-safely/'],
  ['validate_only', '/docs/change-safely/'],
  ['per_page', '/docs/pagination/'],
  ['cursor', '/docs/pagination/'],
  ['polling', '/docs/mirror-your-estate/'],
  ['mcp', '/docs/assistants/'],
  ['invite', '/docs/people-and-roles/'],
  ['merchant', '/docs/glossary/'],
  ['deprecated', '/docs/versions/'],
  ['X-Request-Id', '/docs/support/'],
] as const;

describe('the search', () => {
  const results = () => window.page.locator('a.result');
  const search = async (text: string) => {
    await window.page.getByRole('searchbox').fill('');
    await results().first().waitFor({ state: 'detached' });
    await window.page.getByRole('searchbox').fill(text);
    await results().first().waitFor();
  };

  test.each([
    ['by the questions of people', QUESTIONS, 30],
    ['by the words of developers', WORDS, 35],
  ])('finds the right page among the first three, and mostly as the first, %s', async (_, asked, leastFirst) => {
    await window.open(`${site}/docs/concepts/`);
    await window.page.keyboard.press('Control+k');
    let first = 0;
    for (const [question, path] of asked) {
      await search(question);
      const links = await results().evaluateAll((all) => all.flatMap((each) => each.getAttribute('href') ?? []));
      expect({ question, found: links.slice(0, 3) }).toEqual({
        question,
        found: expect.arrayContaining([expect.stringMatching(new RegExp(`^${path}`))]),
      });
      if (links[0]?.startsWith(path)) first += 1;
    }
    expect(first).toBeGreaterThanOrEqual(leastFirst);
  });

  test('highlights no words within others', async () => {
    await window.open(`${site}/`);
    await window.page.keyboard.press('Control+k');
    await search('terminals at a shop');
    const marks = window.page.locator('.VPLocalSearchBox mark');
    await marks.first().waitFor();
    expect((await marks.allInnerTexts()).filter((text) => text.length < 4)).toEqual([]);
  });
});
