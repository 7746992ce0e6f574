import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { type LocalIssuer, startIssuer } from '../../../infra/local/issuer.ts';
import { DEMO_PEOPLE } from '../../../infra/local/people.ts';

const REDIRECT = 'http://127.0.0.1:9/console/callback';
const CLIENT_ID = 'console';
const SECRET = 'the-secret-of-the-client';
const ANA = 'ana@payfair.example';

const warn = jest.spyOn(console, 'warn');
const info = jest.spyOn(console, 'info');
let local: LocalIssuer;
let client: Configuration;

beforeAll(async () => {
  local = await startIssuer({
    port: 0,
    redirectUri: REDIRECT,
    clientId: CLIENT_ID,
    clientSecret: SECRET,
    people: DEMO_PEOPLE,
  });
  const execute = [allowInsecureRequests];
  client = await discovery(new URL(local.issuer), CLIENT_ID, SECRET, undefined, { execute });
  enableNonRepudiationChecks(client);
});
afterAll(async () => {
  await local.stop();
  expect(warn).not.toHaveBeenCalled();
  expect(info).not.toHaveBeenCalled();
});

/** A browser: keeps cookies by path, and follows redirects until the client's. */
class Browser {
  readonly cookies = new Map<string, { value: string; path: string }>();

  async request(url: URL, init: RequestInit = {}): Promise<{ url: URL; response: Response }> {
    if (url.href.startsWith(REDIRECT)) return { url, response: new Response() };
    const cookie = [...this.cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = '', path = ''] = /^([^=]+)=([^;]*); path=([^;]+)/.exec(line) ?? [];
      if (value) this.cookies.set(name, { value, path });
      else this.cookies.delete(name);
    }
    const location = response.headers.get('location');
    return location ? this.request(new URL(location, url)) : { url, response };
  }
}

/** Begins a sign-in. Returns where it led the browser, and how to redeem the code. */
async function begin(browser: Browser, parameters: Record<string, string> = {}) {
  const verifier = randomPKCECodeVerifier();
  const expected = { expectedState: randomState(), expectedNonce: randomNonce(), pkceCodeVerifier: verifier };
  const start = buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT,
    scope: 'openid profile email',
    state: expected.expectedState,
    nonce: expected.expectedNonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  const redeem = async (callback: URL) =>
    (await authorizationCodeGrant(client, callback, { ...expected, idTokenExpected: true })).claims();
  return { ...(await browser.request(start)), redeem };
}

/** Signs in without a click, and returns the claims of the ID token. */
async function signIn(browser: Browser, login_hint: string, parameters: Record<string, string> = {}) {
  const { url, redeem } = await begin(browser, { login_hint, ...parameters });
  return redeem(url);
}

const click = (subject: string): RequestInit => ({ method: 'POST', body: new URLSearchParams({ person: subject }) });

describe('the page', () => {
  test.each(DEMO_PEOPLE)('signs $name in with one click', async ({ subject, name, email }) => {
    const browser = new Browser();
    const { url, response, redeem } = await begin(browser);
    const page = await response.text();
    expect(page).toContain('never deployed');
    expect(page.match(/<button name="person" value="[^"]+">/g)).toHaveLength(DEMO_PEOPLE.length);
    expect(page).toContain(`value="${subject}"`);
    const { url: callback } = await browser.request(url, click(subject));
    expect(await redeem(callback)).toMatchObject({
      iss: local.issuer,
      sub: subject,
      name,
      email,
      email_verified: true,
      auth_time: expect.any(Number),
    });
  });

  test('loads nothing, and has no script', async () => {
    const { response } = await begin(new Browser());
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).not.toMatch(/<script|https?:\/\//);
  });

  test('is shown again for somebody unknown', async () => {
    const browser = new Browser();
    const { url } = await begin(browser);
    const { response } = await browser.request(url, click('nobody'));
    expect(await response.text()).toContain('Ana Almeida');
  });

  test('is shown at each sign-in, so that it is easy to become somebody else', async () => {
    const browser = new Browser();
    await signIn(browser, ANA);
    const { url, redeem } = await begin(browser);
    const { url: callback } = await browser.request(url, click('demo-vera'));
    expect(await redeem(callback)).toMatchObject({ sub: 'demo-vera' });
  });

  test('says what to do if another browser began the sign-in', async () => {
    const { url } = await begin(new Browser());
    for (const init of [{}, click('demo-ana')]) {
      const { response } = await new Browser().request(url, init);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('Go back to the application, and sign in again.');
    }
  });
});

describe('a login_hint', () => {
  test('signs its person in without a click, in any case of its letters', async () => {
    expect(await signIn(new Browser(), ANA)).toMatchObject({ sub: 'demo-ana', email: ANA });
    expect(await signIn(new Browser(), 'ANA@Payfair.example')).toMatchObject({ sub: 'demo-ana' });
  });

  test('replaces the person of an earlier session', async () => {
    const browser = new Browser();
    await signIn(browser, ANA);
    expect(await signIn(browser, 'oscar@payfair.example')).toMatchObject({ sub: 'demo-oscar' });
  });

  test('of somebody unknown leads to the page', async () => {
    const { response } = await begin(new Browser(), { login_hint: 'nobody@example.com' });
    expect(await response.text()).toContain('Ana Almeida');
  });
});

test.each([{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login', max_age: '0' }])(
  'auth_time is of the earlier sign-in, but newer with %j',
  async (parameters) => {
    const browser = new Browser();
    const first = (await signIn(browser, ANA))?.auth_time ?? Number.NaN;
    await sleep(1_100);
    expect((await signIn(browser, ANA))?.auth_time).toBe(first);
    expect((await signIn(browser, ANA, parameters))?.auth_time).toBeGreaterThan(first);
  },
);

describe('refuses', () => {
  test('a sign-in without PKCE', async () => {
    const { url } = await begin(new Browser(), { code_challenge: '', code_challenge_method: '' });
    expect(url.searchParams.get('error')).toBe('invalid_request');
  });

  test('another redirect URI, on a page of its own', async () => {
    const { url, response } = await begin(new Browser(), { redirect_uri: 'http://127.0.0.1:9/elsewhere' });
    expect([url.origin, response.status]).toEqual([local.issuer, 400]);
    expect(await response.text()).toContain('This sign-in cannot continue');
  });
});
