import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as oidc from 'openid-client';
import { type LocalIssuer, startIssuer } from '../../../infra/local/issuer.ts';
import { DEMO_PEOPLE } from '../../../infra/local/people.ts';

const REDIRECT = 'http://127.0.0.1:9/console/callback';
const CLIENT = { redirectUri: REDIRECT, clientId: 'console', clientSecret: 'the-secret-of-the-client' };
const ANA = 'ana@payfair.example';

const warn = jest.spyOn(console, 'warn');
const info = jest.spyOn(console, 'info');
let local: LocalIssuer;
let client: oidc.Configuration;

beforeAll(async () => {
  local = await startIssuer({ port: 0, ...CLIENT, people: DEMO_PEOPLE });
  const insecure = { execute: [oidc.allowInsecureRequests] };
  client = await oidc.discovery(new URL(local.issuer), CLIENT.clientId, CLIENT.clientSecret, undefined, insecure);
  oidc.enableNonRepudiationChecks(client);
});
afterAll(async () => {
  await local.stop();
  expect(warn).not.toHaveBeenCalled();
  expect(info).not.toHaveBeenCalled();
});

/** A browser: keeps cookies, and follows redirects until the client's. */
class Browser {
  readonly cookies = new Map<string, string>();

  async request(url: URL, init: RequestInit = {}): Promise<{ url: URL; response: Response }> {
    if (url.href.startsWith(REDIRECT)) return { url, response: new Response() };
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return location ? this.request(new URL(location, url)) : { url, response };
  }
}

/** Begins a sign-in. Returns where it led the browser, and how to redeem the code for the claims of the ID token. */
async function begin(browser: Browser, parameters: Record<string, string> = {}) {
  const verifier = oidc.randomPKCECodeVerifier();
  const expected = { expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce(), pkceCodeVerifier: verifier };
  const start = oidc.buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT,
    scope: 'openid profile email',
    state: expected.expectedState,
    nonce: expected.expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  const redeem = async (callback: URL) =>
    (await oidc.authorizationCodeGrant(client, callback, { ...expected, idTokenExpected: true })).claims();
  return { ...(await browser.request(start)), redeem };
}

/** Signs in without a click, and returns the claims of the ID token. */
async function signIn(browser: Browser, login_hint: string, parameters: Record<string, string> = {}) {
  const { url, redeem } = await begin(browser, { login_hint, ...parameters });
  return redeem(url);
}

const click = (subject: string): RequestInit => ({ method: 'POST', body: new URLSearchParams({ person: subject }) });

describe('the page', () => {
  test('signs anybody in with one click, at each sign-in, loads nothing and has no script', async () => {
    const browser = new Browser();
    for (const { subject, name, email } of DEMO_PEOPLE) {
      const { url, response, redeem } = await begin(browser);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const page = await response.text();
      expect(page).toContain('never deployed');
      expect(page).not.toMatch(/<script|https?:\/\//);
      const { url: callback } = await browser.request(url, click(subject));
      const claims = { iss: local.issuer, sub: subject, name, email, email_verified: true };
      expect(await redeem(callback)).toMatchObject({ ...claims, auth_time: expect.any(Number) });
    }
  });

  test('is shown again for somebody unknown', async () => {
    const browser = new Browser();
    const { url } = await begin(browser, { login_hint: 'nobody@example.com' });
    const { response } = await browser.request(url, click('nobody'));
    const values = [...(await response.text()).matchAll(/<button name="person" value="([^"]+)">/g)];
    expect(values.map(([, subject]) => subject)).toEqual(DEMO_PEOPLE.map(({ subject }) => subject));
  });
});

test('a login_hint signs its person in without a click, in any case, also in place of somebody else', async () => {
  const browser = new Browser();
  expect(await signIn(browser, ANA)).toMatchObject({ sub: 'demo-ana', email: ANA });
  expect(await signIn(browser, 'OSCAR@Payfair.example')).toMatchObject({ sub: 'demo-oscar' });
});

test('auth_time is of the earlier sign-in, unless the client asks for a newer one', async () => {
  const browser = new Browser();
  let last = (await signIn(browser, ANA))?.auth_time ?? Number.NaN;
  for (const parameters of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login', max_age: '0' }]) {
    await sleep(1_100);
    expect((await signIn(browser, ANA))?.auth_time).toBe(last);
    const newer = (await signIn(browser, ANA, parameters))?.auth_time ?? Number.NaN;
    expect(newer).toBeGreaterThan(last);
    last = newer;
  }
});
