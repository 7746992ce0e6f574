import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { PersonRole } from '../../../lib/acquirers/roles.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newWorld, type World } from '../../support/world.ts';
import { DESKTOP, expectAccessible, OF_COLORS, PHONE } from '../chromium.ts';
import { giveSession, launch } from '../launch.ts';

/*
 * The console in a real browser: all handlers on HTTP, each with only the permissions of its role, against DynamoDB Local.
 */

export const SIZES = [
  ['1440 px', DESKTOP],
  ['390 px', PHONE],
] as const;

interface Opened {
  page: Page;
  context: BrowserContext;
}

export interface Console {
  /** The origin of the service. */
  base: string;
  world: World;
  /** People of Payfair (`world.provider`), by role. */
  people: Record<PersonRole, SignedIn>;
  /**
   * Opens a view in a browser of its own, as a person who is signed in.
   *
   * @param path A path within the views of the acquirer, such as `/branches`.
   * @param options.as The person, or a role of {@link Console.people}; an admin by default.
   */
  open: (
    path: string,
    options?: BrowserContextOptions & { as?: SignedIn | PersonRole; acquirer?: Caller },
  ) => Promise<Opened>;
  /** Gives the browser the session of a person. */
  signIn: (context: BrowserContext, person: SignedIn) => Promise<void>;
  /** Expects no violations of axe in the light scheme, and in the dark one of the rules that depend on colors. */
  expectAccessible: (page: Page) => Promise<void>;
  /** Errors of the open pages since the last call: only those that a test causes on purpose. */
  takeErrors: () => string[];
  /** Requests to the API since the last call, such as `GET /console/api/session`. */
  takeRequests: () => string[];
}

/** What browsers log for each error response, which tests cause on purpose. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of|net::ERR_(INTERNET_DISCONNECTED|FAILED|ABORTED|CONNECTION))/;

/**
 * Starts service and browser for the tests of a file. After each test, no page may have had an error, broken its
 * Content-Security-Policy, or sent a request to another origin.
 */
export function useConsole(): Console {
  let browser: Browser;
  let errors: string[] = [];
  let requests: string[] = [];
  let stop: () => Promise<void>;
  const base = process.env['BASE_URL'];

  const of = {
    signIn: (context, { session: { cookie } }) => giveSession(context, of.base, cookie),

    async open(path, { as = 'admin', acquirer = of.world.provider, ...options } = {}) {
      const context = await browser.newContext({ viewport: DESKTOP, colorScheme: 'light', ...options });
      await of.signIn(context, typeof as === 'string' ? of.people[as] : as);
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      page.on('request', (request) => {
        const { origin, pathname } = new URL(request.url());
        if (origin !== of.base && origin !== 'null') errors.push(`Request to ${request.url()}`);
        if (/^\/(ext|console\/api)\//.test(pathname)) requests.push(`${request.method()} ${pathname}`);
      });
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()) && !EXPECTED.test(message.text()))
          errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`${of.base}/console/${acquirer.id}${path === '/' ? '' : path}`);
      return { page, context };
    },

    async expectAccessible(page) {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // Menus, tooltips and lists of options are in no landmark.
        await expectAccessible(page, colorScheme === 'light' ? { without: ['region'] } : { only: OF_COLORS });
      }
    },

    takeErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },

    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
  } as Console;

  beforeAll(async () => {
    // Builds the browser code.
    await import('../../../functions/console/openConsole.ts');
    const served = await serveHandlers();
    process.env['BASE_URL'] = served.url;
    process.env['STAGE'] = 'prod';
    stop = served.stop;
    const world = await newWorld();
    const person = (role: PersonRole, name: string) =>
      personOf(world.provider.id, role, { identity: newIdentity(name) });
    const people = {
      admin: await person('admin', 'Ana Almeida'),
      operator: await person('operator', 'Oscar Oliveira'),
      viewer: await person('viewer', 'Vera Vieira'),
    };
    Object.assign(of, { base: served.url, world, people });
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await stop();
    process.env['BASE_URL'] = base;
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    requests = [];
    expect(of.takeErrors()).toEqual([]);
  });
  return of;
}
