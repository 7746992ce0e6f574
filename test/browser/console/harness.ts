import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { PersonRole } from '../../../lib/acquirers/roles.ts';
import { forgetSessions, SESSION_COOKIE } from '../../../lib/people/session.ts';
import { deep } from '../../support/depth.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import '../../../infra/local/patient.ts';
import { newIdentity, personOf, type SignedIn, signInAgain } from '../../support/people.ts';
import { type Caller, newWorld, type World } from '../../support/world.ts';
import { DESKTOP, expectNotWider, expectNoViolations, PHONE, SMALL_PHONE } from '../chromium.ts';
import { launch } from '../launch.ts';
import { TEXTS_OF_REACT, translator } from '../translator.ts';

/*
 * The console in a real browser: all handlers on HTTP, each with only the permissions of its role, against DynamoDB
 * Local.
 */

const DESKTOPS = [['1440 px', DESKTOP]] as const;
const PHONES = [['390 px', PHONE]] as const;
const ALL = [...DESKTOPS, ...PHONES, ['360 px', SMALL_PHONE]] as const;

/** Tests of a task at a size: on a push at one, and at all if {@link deep}. Phones are emulated, and touched. */
export const onDesktop = test.each(deep ? ALL : DESKTOPS);
export const onPhone = test.each(deep ? ALL : PHONES);

/** The pages of phones, on which a click is a tap. */
const touched = new WeakSet<Page>();
function tapOnPhones(page: Page): void {
  const locator: Locator = Object.getPrototypeOf(page.locator('body'));
  const { click } = locator;
  locator.click = function tapOrClick(options) {
    return touched.has(this.page()) ? this.tap(options as Parameters<Locator['tap']>[0]) : click.call(this, options);
  };
}

export interface Options {
  /** The person, or the role of one of Payfair (`world.provider`); an admin by default. */
  as?: SignedIn | PersonRole;
  acquirer?: Caller;
  viewport?: { width: number; height: number };
  /** Whether the page is in a browser of its own, with nothing of earlier tests. */
  isFresh?: boolean;
  /** Whether to emulate a phone, in a browser of its own: 390 px wide. A viewport of a phone does so too. */
  isPhone?: boolean;
  /** The language of the browser, which is then one of its own. */
  locale?: string;
  /** Whether tests can put the clock of the page forward, which is then in a browser of its own. */
  hasClock?: boolean;
}

const COOKIE = { secure: true, httpOnly: true, sameSite: 'Strict' } as const;

/** What browsers log for each error response, which tests cause on purpose. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of|net::ERR_(INTERNET_DISCONNECTED|FAILED|ABORTED|CONNECTION))/;

/**
 * Starts service and browser for the tests of a file, with a window that keeps the code that it has compiled. After
 * each test, no page may have had an error, broken its Content-Security-Policy, or sent a request to another origin.
 *
 * @param browserArguments Of Chromium, such as a camera.
 */
export function useConsole(browserArguments: string[] = []) {
  let browser: Browser;
  let common: Page;
  const errors: string[] = [];
  let requests: string[] = [];
  /** That of the view that was opened last. Only its requests are noted: earlier ones go on following the feed. */
  let shown: BrowserContext;
  let stop: () => Promise<void>;
  const base = process.env['BASE_URL'];

  async function newPage({ isPhone = false, locale = 'en-US' } = {}) {
    const device = isPhone ? { isMobile: true, hasTouch: true, deviceScaleFactor: 3 } : {};
    const context = await browser.newContext({ colorScheme: 'light', reducedMotion: 'reduce', locale, ...device });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(process.env['TRANSLATED'] ? translator('(text) => text') : TEXTS_OF_REACT);
    context.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== of.base && origin !== 'null') errors.push(`Request to ${request.url()}`);
      if (context === shown && /^\/(ext|console\/api)\//.test(pathname))
        requests.push(`${request.method()} ${pathname}`);
    });
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !EXPECTED.test(message.text())) errors.push(message.text());
    });
    context.on('weberror', (error) => errors.push(error.error().message));
    const page = await context.newPage();
    if (isPhone) touched.add(page);
    return page;
  }

  const of = {
    /** The origin of the service. */
    base: '',
    world: undefined as unknown as World,
    /** People of Payfair, by role. */
    people: undefined as unknown as Record<PersonRole, SignedIn>,
  };

  const addressOf = (path: string, { id }: Caller = of.world.provider) =>
    `${of.base}/console/${id}${path === '/' ? '' : path}`;

  /** Gives the browser the session of a person. */
  const signIn = (context: BrowserContext, { session: { cookie: value } }: SignedIn) =>
    // Chromium sends secure cookies to this machine also without TLS.
    context.addCookies([{ name: SESSION_COOKIE, value, url: of.base.replace('http:', 'https:'), ...COOKIE }]);

  /** Signs a person in at the window that asks for it. */
  const signInWhenAsked = (context: BrowserContext, person: SignedIn) =>
    context.route('**/console/sign-in?*', async (route) => {
      const to = new URL(route.request().url()).searchParams.get('return_to');
      const { cookie } = (await signInAgain(person)).session;
      const headers = {
        location: `${of.base}${to}`,
        'set-cookie': `${SESSION_COOKIE}=${cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`,
      };
      await route.fulfill({ status: 303, headers });
    });

  /**
   * Opens a view as a person who is signed in.
   *
   * @param path A path within the views of the acquirer, such as `/branches`.
   */
  async function open(path: string, options: Options = {}) {
    const { as = 'admin', acquirer, isFresh, locale, hasClock } = options;
    const viewport = options.viewport ?? (options.isPhone ? PHONE : DESKTOP);
    const isPhone = viewport.width < DESKTOP.width / 2;
    const page = isFresh || isPhone || locale || hasClock ? await newPage({ isPhone, locale }) : common;
    const context = page.context();
    // A view that is open would go to the page of ended sessions.
    await page.goto('about:blank');
    await context.clearCookies();
    await signIn(context, typeof as === 'string' ? of.people[as] : as);
    await page.setViewportSize(viewport);
    if (hasClock) await page.clock.install();
    [shown, requests] = [context, []];
    await page.goto(addressOf(path, acquirer));
    return { page, context };
  }

  /** Errors of the open pages since the last call: only those that a test causes on purpose. */
  const takeErrors = () => errors.splice(0);

  /** Requests to the API since the last call or the last view that was opened, such as `GET /console/api/session`. */
  const takeRequests = () => requests.splice(0);

  beforeAll(async () => {
    // Builds the browser code.
    await import('../../../functions/console/openConsole.ts');
    const served = await serveHandlers();
    stop = served.stop;
    of.base = served.url;
    process.env['BASE_URL'] = served.url;
    process.env['STAGE'] = 'prod';
    of.world = await newWorld();
    const person = (role: PersonRole, name: string) =>
      personOf(of.world.provider.id, role, { identity: newIdentity(name) });
    of.people = {
      admin: await person('admin', 'Ana Almeida'),
      operator: await person('operator', 'Oscar Oliveira'),
      viewer: await person('viewer', 'Vera Vieira'),
    };
    browser = await launch(browserArguments);
    common = await newPage();
    tapOnPhones(common);
  });
  afterAll(async () => {
    await browser.close();
    await stop();
    process.env['BASE_URL'] = base;
  });
  afterEach(async () => {
    const own = common.context();
    for (const context of browser.contexts()) if (context !== own) await context.close();
    for (const page of own.pages()) if (page !== common) await page.close();
    await common.unrouteAll({ behavior: 'ignoreErrors' });
    await own.unrouteAll({ behavior: 'ignoreErrors' });
    await common.goto('about:blank');
    forgetSessions();
    expect(takeErrors()).toEqual([]);
  });
  return Object.assign(of, { addressOf, signIn, signInWhenAsked, open, takeErrors, takeRequests });
}

/**
 * Expects no violations of axe in a view as it is, and that it is not wider than the screen, also at the other size. In
 * the dark scheme: looks.browser.test.ts.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const own = page.viewportSize() ?? DESKTOP;
  const other = own.width === PHONE.width ? DESKTOP : PHONE;
  for (const size of [other, own]) {
    await page.setViewportSize(size);
    await expectNotWider(page);
    // Menus, tooltips and lists of options are in no landmark.
    if (deep || size === own) await expectNoViolations(page, { without: ['region'] });
  }
}

/** A name that is no markup, is written in both directions, and is long. */
export const HOSTILE = `<img src=x onerror=alert(1)> ‮gnirts‬ שלום 🏪 ${'é'.repeat(200)}`;
