import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';
import { networkOf } from '../../../lib/http/webPage.ts';
import { getItem } from '../../../lib/table/client.ts';
import { keptPersonKey } from '../../../lib/table/keys.ts';
import { asRole } from '../../support/access.ts';
import { stopClocks } from '../../support/clock.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  hmacBy,
  newKey,
  signedBy,
  startIssuer,
  type TestIssuer,
} from '../../support/issuer.ts';
import { captureLog, type Line } from '../../support/log.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';

const everywhere = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];
const CALLBACK = 'https://api.example.com/console/callback';
const EMAIL = 'alice@payfair.example';
const secrets: Record<string, string> = { client: CLIENT_SECRET, sealing: 'a sealing key that only tests have' };

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;
let handlers: Record<'signIn' | 'callback', Handler>;
let issuerOf: typeof import('../../../lib/people/issuer.ts');
let store: SecretStore;
let issuer: TestIssuer;
let lines: () => Line[];

const acquirer = { id: randomUUID(), type: 'PAYMENT_PROVIDER', name: 'Payfair' } as const;
const { resolvePerson } = await import('../../../lib/people/session.ts');

/** A browser of someone: cookies of this service and of the issuer, and an address. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly issuerCookies = new Map<string, string>();
  address = `203.0.113.${randomInt(256)}-${randomUUID()}`;

  /** Opens a page of this service, and keeps its cookies. */
  async open(page: 'signIn' | 'callback' | 'join', search: string, headers = {}, body?: string) {
    const rawPath = { signIn: '/console/sign-in', callback: '/console/callback', join: '/console/join' }[page];
    const method = page === 'join' ? 'POST' : 'GET';
    const query = Object.fromEntries(new URLSearchParams(search));
    const awsRequestId = randomUUID();
    const event = {
      version: '2.0',
      routeKey: `${method} ${rawPath}`,
      rawPath,
      rawQueryString: search.replace(/^\?/, ''),
      headers,
      body,
      cookies: [...this.cookies].map(([name, value]) => `${name}=${value}`),
      ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
      requestContext: { http: { method, path: rawPath, sourceIp: this.address } },
      isBase64Encoded: false,
    } as unknown as APIGatewayProxyEventV2;
    const name = page === 'signIn' ? page : 'callback';
    const response = await asRole(name, () => handlers[name](event, { awsRequestId } as Context));
    const received = response.headers as Record<string, string>;
    expect(received['x-request-id']).toBe(awsRequestId);
    for (const cookie of response.cookies ?? []) {
      const [, cookieName = '', value = '', age] = /^([^=]+)=([^;]*);.*Max-Age=(\d+)$/.exec(cookie) ?? [];
      if (age === '0') this.cookies.delete(cookieName);
      else this.cookies.set(cookieName, value);
    }
    return { ...response, headers: received, body: response.body ?? '', cookies: response.cookies ?? [], awsRequestId };
  }

  /** The names of its cookies of sign-ins, the oldest first. */
  get begun(): string[] {
    return [...this.cookies.keys()].filter((name) => name.startsWith('__Host-sign-in'));
  }

  /** Begins a sign-in, signs in at the issuer, and returns the URL that the issuer sends the browser to. */
  async begin(search = ''): Promise<URL> {
    const { headers } = await this.open('signIn', search);
    return issuer.visit(headers['location'] as string, this.issuerCookies);
  }

  /** Signs in. */
  async signIn(search = '') {
    return this.open('callback', (await this.begin(search)).search);
  }

  /** Signs in with the link of an invitation, and agrees to join. */
  async join(link: string) {
    return this.agree(await this.signIn(new URL(link, CALLBACK).search));
  }

  /** Sends the form of a page that asks. */
  agree({ body }: { body: string }, headers = {}, answer?: string) {
    const [, search = ''] = /action="[^"]*\/console\/join(\?[^"]*)"/.exec(body) ?? [];
    return this.open('join', search, headers, answer);
  }
}
type Page = Awaited<ReturnType<Browser['open']>>;

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  ),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': expect.any(String),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Deletes the cookie of a sign-in. */
const OVER = expect.stringMatching(/^__Host-sign-in-[\w-]{8}=; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=0$/);

/** Asserts that a response is a page that refuses a sign-in, says what to do, and ends the sign-in of this browser. */
function expectRefusal({ statusCode, headers, body, cookies, awsRequestId }: Page, code: string, status = 400): void {
  expect(lines().at(-1)).toMatchObject({ code, status, request_id: awsRequestId });
  expect(statusCode).toBe(status);
  expect(headers).toMatchObject({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
  expect(body).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(body).toMatch(/<h1>[A-Z][\w -]+<\/h1>\n<p>[A-Z][^<]+\.<\/p>/);
  expect(body).toMatch(/[Ss]ign in again/);
  expect(body).toContain('<a href="https://api.example.com/console/sign-in">Sign in again</a>');
  expect(body).toContain(awsRequestId);
  expect(body).not.toMatch(/<script|<img|<link|javascript:|src=/i);
  expect(cookies).toEqual([OVER]);
}

/** Asserts that neither a page nor the log contains any of these. */
function expectNowhere(page: Page, ...secret: (string | null | undefined)[]): void {
  const { awsRequestId, ...shown } = page;
  const everything = JSON.stringify(shown) + JSON.stringify(lines());
  for (const each of [...secret, EMAIL, CLIENT_SECRET, secrets['sealing'], 'eyJ'])
    if (each) expect(everything).not.toContain(each);
}

beforeAll(async () => {
  store = await startSecretStore(secrets);
  issuer = await startIssuer(CALLBACK);
  issuer.accounts['alice'] = { email: EMAIL, email_verified: true, name: 'Alice' };
  issuer.accounts['mallory'] = { email: 'mallory@evil.example', email_verified: true };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: store.endpoint,
    ISSUER: issuer.url,
    CLIENT_ID,
    CLIENT_CREDENTIAL_SECRET: 'client',
    SEALING_KEY_SECRET: 'sealing',
    LOG_LEVEL: 'INFO',
  });
  issuerOf = await import('../../../lib/people/issuer.ts');
  handlers = {
    signIn: (await import('../../../functions/console/signIn.ts')).handler,
    callback: (await import('../../../functions/console/callback.ts')).handler,
  };
  await (await import('../../../lib/acquirers/registry.ts')).createAcquirer(acquirer);
  const { invitePerson } = await import('../../../lib/people/people.ts');
  const { link } = await invitePerson(acquirer.id, { email: EMAIL, role: 'viewer' });
  issuer.signsIn.account = 'alice';
  lines = captureLog();
  const joined = await new Browser().join(link);
  jest.restoreAllMocks();
  expect(joined.statusCode).toBe(303);
});
beforeEach(() => {
  issuer.signsIn.account = 'alice';
  lines = captureLog();
});
afterEach(() => {
  issuer.reset();
  issuerOf.forgetIssuer();
  issuerOf.ISSUER_TIMEOUT.seconds = 5;
  process.env['ISSUER'] = issuer.url;
  jest.restoreAllMocks();
});
afterAll(async () => {
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = everywhere;
  await store.stop();
  await issuer.stop();
});

describe('a sign-in', () => {
  test('leads to the issuer with state, nonce and PKCE, bound to the browser by a sealed cookie', async () => {
    const page = await new Browser().open('signIn', '?return_to=/console/keys&login_hint=alice%40payfair.example');
    expect(page.statusCode).toBe(303);
    expect(page.headers).toMatchObject(HEADERS);
    expect(page.body).toBe('');
    expect(page.cookies).toEqual([
      expect.stringMatching(
        /^__Host-sign-in-[\w-]{8}=[\w.-]{100,1000}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
      ),
    ]);
    const { origin, pathname, searchParams } = new URL(page.headers['location'] as string);
    expect(origin + pathname).toBe(`${issuer.url}/auth`);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT_ID,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      max_age: '28800',
      login_hint: EMAIL,
    });
  });

  test('starts a session with a Strict cookie, and returns to the path of the console', async () => {
    const browser = new Browser();
    const page = await browser.signIn('?return_to=/console/keys%3Ftab%3Dcreated');
    expect(page.statusCode).toBe(303);
    expect(page.headers).toMatchObject({ ...HEADERS, location: 'https://api.example.com/console/keys?tab=created' });
    expect(page.cookies).toEqual([
      expect.stringMatching(/^__Host-session=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=28800$/),
      OVER,
    ]);
    const open = await resolvePerson(browser.cookies.get('__Host-session') as string);
    expect(open).toMatchObject({ person: { name: 'Alice', email: EMAIL } });
    expect(Math.abs((open?.session.auth_time ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    expect(lines().map(({ code, level }) => [code, level])).toEqual([
      [undefined, 'INFO'],
      [undefined, 'INFO'],
    ]);
    expectNowhere({ ...page, cookies: [] }, browser.cookies.get('__Host-session'), browser.address);
  });

  test('returns to /console in place of another origin', async () => {
    const page = await new Browser().signIn('?return_to=//evil.example');
    expect(page.headers['location']).toBe('https://api.example.com/console');
  });

  test('never keeps a session that the browser had: its id is new, and the earlier one ends', async () => {
    const browser = new Browser();
    await browser.signIn();
    const earlier = browser.cookies.get('__Host-session') as string;
    const back = await browser.begin();
    // The browser does not send it when it comes from the issuer's site (SameSite=Strict).
    browser.cookies.delete('__Host-session');
    await browser.open('callback', back.search);
    const later = browser.cookies.get('__Host-session') as string;
    expect(later).not.toBe(earlier);
    expect(await resolvePerson(earlier)).toBeUndefined();
    expect(await resolvePerson(later)).toBeDefined();

    // A session that someone planted in the browser.
    const victim = new Browser();
    victim.cookies.set('__Host-session', later);
    await victim.signIn();
    expect(victim.cookies.get('__Host-session')).not.toBe(later);
    expect(await resolvePerson(later)).toBeUndefined();
  });

  test('asks the issuer to authenticate the person again if that is wanted', async () => {
    const browser = new Browser();
    await browser.signIn();
    const location = (await browser.open('signIn', '?again=true')).headers['location'] as string;
    const { searchParams } = new URL(location);
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0']);
    const { search } = await issuer.visit(location, browser.issuerCookies);
    expect((await browser.open('callback', search)).statusCode).toBe(303);
    const open = await resolvePerson(browser.cookies.get('__Host-session') as string);
    expect(open?.session.auth_time).toBeGreaterThan(Date.now() / 1000 - 60);
    expect(open?.session.auth_time).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test('takes the address from the ID token if it is verified there, and needs no UserInfo', async () => {
    issuer.tampering.idToken = ({ claims }) => Object.assign(claims, { email: EMAIL, email_verified: true });
    await new Browser().signIn();
    expect(issuer.requests.map(({ path }) => path)).not.toContain('/me');
  });

  test('goes on with a secret of the client that was rotated since it was fetched', async () => {
    const wait = stopClocks();
    wait(2 * 3_600_000);
    secrets['client'] = 'the secret before';
    const used: string[] = [];
    issuer.tampering.respond = (path, { authorization = '' }) => {
      if (path !== '/token') return undefined;
      secrets['client'] = CLIENT_SECRET;
      used.push(decodeURIComponent(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()));
      return undefined;
    };
    expect((await new Browser().signIn()).statusCode).toBe(303);
    const sent = ['the secret before', CLIENT_SECRET].map((secret) => `${CLIENT_ID}:${secret}`);
    expect(used.map((each) => each.replaceAll('+', ' '))).toEqual(sent);
  });
});

describe('sign-ins in several tabs', () => {
  test('are completed each by itself, in any order', async () => {
    const browser = new Browser();
    const first = await browser.begin('?return_to=/console/keys');
    const second = await browser.begin('?return_to=/console/people');
    expect(browser.begun).toHaveLength(2);
    expect((await browser.open('callback', second.search)).headers['location']).toMatch(/\/console\/people$/);
    expect(browser.begun).toHaveLength(1);
    expect((await browser.open('callback', first.search)).headers['location']).toMatch(/\/console\/keys$/);
    expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
  });

  test('go on if one fails', async () => {
    const browser = new Browser();
    const first = await browser.begin();
    const second = await browser.begin();
    second.searchParams.set('code', 'a-code-of-nobody');
    expectRefusal(await browser.open('callback', second.search), 'sign_in_failed');
    expectRefusal(await browser.open('callback', '?code=x&state=another'), 'sign_in_expired');
    expectRefusal(await browser.open('callback', '?code=x'), 'sign_in_expired');
    expect((await browser.open('callback', first.search)).statusCode).toBe(303);
  });

  test('are at most four: the oldest goes, whatever other cookies there are', async () => {
    const browser = new Browser();
    browser.cookies.set('another', 'x');
    browser.cookies.set('__Host-sign-in-', 'of-no-state');
    const begun: URL[] = [];
    for (let tab = 0; tab < 5; tab += 1) begun.push(await browser.begin());
    expect(browser.begun.filter((name) => name !== '__Host-sign-in-')).toHaveLength(4);
    expectRefusal(await browser.open('callback', begun[0]?.search ?? ''), 'sign_in_expired');
    for (const { search } of begun.slice(1)) expect((await browser.open('callback', search)).statusCode).toBe(303);
  });

  test('have cookies of at most 4 KB together, so that their requests fit through the gateway', async () => {
    const browser = new Browser();
    const long = `?${new URLSearchParams({ return_to: `/console/${'x'.repeat(1000)}`, invitation: '☃'.repeat(300) })}`;
    for (let tab = 0; tab < 4; tab += 1) await browser.begin(long);
    expect(browser.begun.length).toBeGreaterThan(0);
    const sent = browser.begun.map((name) => `${name}=${browser.cookies.get(name)}`).join('; ');
    expect(sent.length).toBeLessThanOrEqual(4096);
    const usual = new Browser();
    for (let tab = 0; tab < 4; tab += 1) await usual.begin('?return_to=/console/branches/PORTO0001');
    expect(usual.begun).toHaveLength(4);
  });
});

describe('a sign-in that comes too late', () => {
  const CROSS_SITE = { 'sec-fetch-site': 'cross-site' };
  const REFRESH = '<meta http-equiv="refresh" content="0;url=https://api.example.com/console/callback">';

  /** Asserts that a callback only leads into the console. */
  async function expectLed(browser: Browser, search: string): Promise<void> {
    const { response: page, changed } = await storedBy(() => browser.open('callback', search));
    expect([page.statusCode, page.headers['location']]).toEqual([303, 'https://api.example.com/console']);
    expect(page.cookies).toEqual([OVER]);
    expect(Object.keys(changed).filter((key) => !key.startsWith('RATE_LIMIT#'))).toEqual([]);
  }

  test('leads into the console if the browser has a session, and changes nothing', async () => {
    const browser = new Browser();
    const back = await browser.begin();
    const [name = ''] = browser.begun;
    const cookie = browser.cookies.get(name) as string;
    await browser.open('callback', back.search);
    const session = browser.cookies.get('__Host-session') as string;
    await expectLed(browser, back.search);
    expect(await resolvePerson(session)).toBeDefined();
    // Also if its code was used, with the cookie of the sign-in.
    browser.cookies.set(name, cookie);
    await expectLed(browser, back.search);
    // From the issuer's site, the browser does not send its session.
    browser.cookies.clear();
    browser.cookies.set(name, cookie);
    const asked = await browser.open('callback', back.search, CROSS_SITE);
    expectRefusal(asked, 'sign_in_failed');
    expect(lines().at(-1)).toMatchObject({ reason: 'invalid_grant' });
    expect(asked.body).toContain(REFRESH);
    // A code of somebody else leads a person who is signed in into their own console.
    const victim = new Browser();
    victim.cookies.set('__Host-session', session);
    const begun = await victim.begin();
    issuer.signsIn.account = 'mallory';
    begun.searchParams.set('code', (await new Browser().begin()).searchParams.get('code') as string);
    await expectLed(victim, begun.search);
  });

  test('asks once more from its own page, because the issuer’s site leads there without the session', async () => {
    const browser = new Browser();
    const { search } = await browser.begin();
    await browser.open('callback', search);
    const session = browser.cookies.get('__Host-session') as string;
    browser.cookies.delete('__Host-session');
    const page = await browser.open('callback', search, CROSS_SITE);
    expectRefusal(page, 'sign_in_expired');
    expect(page.body).toContain(REFRESH);
    browser.cookies.set('__Host-session', session);
    const next = await browser.open('callback', '', { 'sec-fetch-site': 'same-origin' });
    expect([next.statusCode, next.headers['location']]).toEqual([303, 'https://api.example.com/console']);
  });

  test('shows what to do without a session, or with one that has ended, and does not ask again', async () => {
    const browser = new Browser();
    const { search } = await browser.begin();
    await browser.open('callback', search);
    await resolvePerson(browser.cookies.get('__Host-session') as string);
    browser.cookies.set('__Host-session', `${'A'.repeat(22)}.${'A'.repeat(43)}`);
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]) {
      const page = await browser.open('callback', search, headers);
      expectRefusal(page, 'sign_in_expired');
      expect(page.body).not.toContain('http-equiv');
    }
    const failed = await browser.open('callback', '?error=access_denied', CROSS_SITE);
    expectRefusal(failed, 'sign_in_expired');
  });
});

/** What issuers state by their documents and their users' reports: in the ID token, and at UserInfo. */
interface Stated {
  idToken: object;
  userInfo?: object;
  /** The person as shown afterwards. */
  person: { name: string; email: string | undefined };
}

describe('the claims of', () => {
  const ADDRESS = 'ana@payfair.example';
  const ANA = { name: 'Ana Martins', email: ADDRESS };
  const now = Math.floor(Date.now() / 1000);
  const ISSUERS: [string, Stated][] = [
    [
      'Amazon Cognito, in the ID token',
      {
        idToken: {
          ...{ email: ADDRESS, email_verified: true, name: 'Ana Martins', 'cognito:username': '0f2b', auth_time: now },
          ...{ token_use: 'id', 'cognito:groups': ['console'], event_id: '7c9e', origin_jti: 'a1', jti: 'b2' },
        },
        person: ANA,
      },
    ],
    [
      'Amazon Cognito, at UserInfo, which states a text',
      {
        idToken: { auth_time: now, 'cognito:username': '0f2b' },
        userInfo: { ...ANA, email_verified: 'true', preferred_username: 'ana', username: '0f2b' },
        person: ANA,
      },
    ],
    [
      'Microsoft Entra ID, with the claims mapping policy of our guide',
      {
        idToken: {
          ...{ email: ADDRESS, email_verified: 'true', name: 'Ana Martins', preferred_username: 'ana@corp.example' },
          ...{ oid: '6c0f', tid: '72f9', rh: '0.AQ', uti: 'x', ver: '2.0', auth_time: now },
        },
        userInfo: { name: 'Another', email: 'another@corp.example', picture: 'https://graph.microsoft.com/photo' },
        person: ANA,
      },
    ],
    [
      'Google, without auth_time',
      {
        idToken: {
          ...{ email: ADDRESS, email_verified: true, name: 'Ana Martins', hd: 'payfair.example', auth_time: undefined },
          ...{ azp: CLIENT_ID, at_hash: undefined, picture: 'https://lh3.googleusercontent.com/a' },
        },
        person: ANA,
      },
    ],
    [
      'Keycloak, for two audiences',
      {
        idToken: {
          ...{ email: ADDRESS, email_verified: true, name: 'Ana Martins', preferred_username: 'ana', acr: '1' },
          ...{ aud: [CLIENT_ID, 'account'], azp: CLIENT_ID, typ: 'ID', session_state: 'x', auth_time: now },
        },
        person: ANA,
      },
    ],
    [
      'an issuer without a name',
      {
        idToken: { email: ADDRESS, email_verified: true, preferred_username: 'ana' },
        person: { name: ADDRESS, email: ADDRESS },
      },
    ],
    ...['\u200b\u2060', 'Ana \ufffe', 'Ana \ud83c'].map((name): [string, Stated] => [
      `an issuer with a name that is not stored, ${JSON.stringify(name)},`,
      {
        idToken: { email: ADDRESS, email_verified: true, name },
        person: { name: ADDRESS, email: ADDRESS },
      },
    ]),
    [
      'an issuer that decomposes letters in names',
      {
        idToken: { email: ADDRESS, email_verified: true, name: 'Joa\u0303o' },
        person: { name: 'Jo\u00e3o', email: ADDRESS },
      },
    ],
  ];

  const invitedBy = async ({ idToken, userInfo }: Pick<Stated, 'idToken' | 'userInfo'>) => {
    const subject = randomUUID();
    issuer.accounts[subject] = {};
    issuer.signsIn.account = subject;
    issuer.tampering.idToken = ({ claims }) => Object.assign(claims, idToken);
    if (userInfo)
      issuer.tampering.respond = (path) =>
        path === '/me' ? { status: 200, body: JSON.stringify({ sub: subject, ...userInfo }) } : undefined;
    const { invitePerson } = await import('../../../lib/people/people.ts');
    const browser = new Browser();
    const { link } = await invitePerson(acquirer.id, { email: ADDRESS, role: 'viewer' });
    return { browser, page: await browser.signIn(new URL(link, CALLBACK).search) };
  };

  test.each(ISSUERS)('%s let an invited person join', async (_, { person, ...stated }) => {
    const { browser, page } = await invitedBy(stated);
    expect(page.body).toContain('<h1>Join Payfair?</h1>');
    expect((await browser.agree(page)).statusCode).toBe(303);
    expect(await resolvePerson(browser.cookies.get('__Host-session') as string)).toMatchObject({ person });
  });

  test.each<[string, Pick<Stated, 'idToken' | 'userInfo'>]>([
    ...['false', 'True', 'TRUE', ' true', '1', '', 1, 'yes', [true], { value: true }, null, false].map(
      (email_verified): [string, Pick<Stated, 'idToken'>] => [
        `an issuer that states ${JSON.stringify(email_verified)}`,
        { idToken: { email: ADDRESS, email_verified } },
      ],
    ),
    [
      'an issuer that states it only of another source’s address',
      {
        idToken: { email_verified: 'true' },
        userInfo: { email: ADDRESS },
      },
    ],
    ['Microsoft Entra ID without the policy', { idToken: { email: ADDRESS, xms_edov: true } }],
    [
      'an issuer with the address only as preferred_username',
      {
        idToken: { preferred_username: ADDRESS, email_verified: true },
      },
    ],
  ])('%s do not verify the address', async (_, stated) => {
    const { browser, page } = await invitedBy(stated);
    expectRefusal(page, 'email_not_verified', 403);
    expect(browser.cookies.size).toBe(0);
  });
});

describe('a sign-in at an issuer', () => {
  test('that states no algorithms accepts RS256', async () => {
    issuer.tampering.metadata = (metadata) => void delete metadata['id_token_signing_alg_values_supported'];
    const browser = new Browser();
    expect((await browser.signIn()).statusCode).toBe(303);
    expect(await resolvePerson(browser.cookies.get('__Host-session') as string)).toMatchObject({
      person: { name: 'Alice', email: EMAIL },
    });
  });

  test('that accepts the secret of the client only in the body sends it there', async () => {
    issuer.tampering.metadata = (metadata) =>
      Object.assign(metadata, { token_endpoint_auth_methods_supported: ['client_secret_post'] });
    // The test issuer's client is registered for the header.
    issuer.tampering.respond = (path, { authorization }) =>
      path === '/token' && !authorization ? { status: 401, body: '{"error":"invalid_client"}' } : undefined;
    const requests = jest.spyOn(globalThis, 'fetch');
    const page = await new Browser().signIn();
    const sent = requests.mock.calls.filter(([url]) => String(url).endsWith('/token'));
    const bodies = sent.map(([, options]) => new URLSearchParams(String(options?.body)));
    expect(bodies.map((body) => [body.get('client_id'), body.get('client_secret')])).toEqual([
      [CLIENT_ID, CLIENT_SECRET],
    ]);
    // A secret that the issuer rejects is an outage, and not a failed sign-in.
    expectRefusal(page, 'issuer_unavailable');
    expectNowhere(page);
    expect(lines().at(-1)).toMatchObject({ level: 'ERROR', issuer_failures: 1, reason: 'invalid_client' });
    // Nor does it become one within a minute, in which the secret is not fetched again.
    expectRefusal(await new Browser().signIn(), 'issuer_unavailable');
  });

  test('whose UserInfo has no address takes address and name from the ID token', async () => {
    issuer.tampering.idToken = ({ claims }) => Object.assign(claims, { name: 'Alice of the token' });
    issuer.tampering.respond = (path) =>
      path === '/me' ? { status: 200, body: '{"sub":"alice","name":"Eve"}' } : undefined;
    const browser = new Browser();
    expect((await browser.signIn()).statusCode).toBe(303);
    const { person } = (await resolvePerson(browser.cookies.get('__Host-session') as string)) ?? {};
    expect([person?.name, person?.email]).toEqual(['Alice of the token', undefined]);
    issuer.reset();
    await new Browser().signIn();
  });
});

describe('an ID token is refused', () => {
  const foreign = newKey();
  const byForeign = signedBy(foreign);
  const { n, e } = foreign.export({ format: 'jwk' });
  const [INVALID, COMPARED] = ['OAUTH_INVALID_RESPONSE', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'];
  const now = Math.floor(Date.now() / 1000);
  /** What a token has instead; `undefined` removes a claim. */
  interface Change {
    claims?: object;
    header?: object;
    sign?: (input: string) => string;
  }
  const TAMPERED: [title: string, reason: string, Change][] = [
    ['with another nonce', `${COMPARED} nonce`, { claims: { nonce: 'another' } }],
    ['without a nonce', INVALID, { claims: { nonce: undefined } }],
    ['of another issuer', `${COMPARED} iss`, { claims: { iss: 'https://evil.example' } }],
    ['for another audience', `${COMPARED} aud`, { claims: { aud: 'another-client' } }],
    ['for another of two audiences', `${COMPARED} azp`, { claims: { aud: [CLIENT_ID, 'another'], azp: 'another' } }],
    ['that has expired', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED exp', { claims: { exp: now - 60 } }],
    ['that is not valid yet', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED nbf', { claims: { nbf: now + 3600 } }],
    ['without a subject', INVALID, { claims: { sub: undefined } }],
    ['of another person, by another key', INVALID, { claims: { sub: 'mallory' }, sign: byForeign }],
    ['signed by a key that it brings along', INVALID, { header: { jwk: { kty: 'RSA', n, e } }, sign: byForeign }],
    ['signed by an unknown key', 'OAUTH_KEY_SELECTION_FAILED', { header: { kid: 'unknown' }, sign: byForeign }],
    ['without a signature', INVALID, { sign: () => '' }],
    ['with alg none', INVALID, { header: { alg: 'none' }, sign: () => '' }],
    ['with alg HS256 and the client’s secret', INVALID, { header: { alg: 'HS256' }, sign: hmacBy(CLIENT_SECRET) }],
  ];
  test.each(TAMPERED)('%s', async (_, reason, { claims, header, sign }) => {
    // What an issuer that is under attack would say.
    issuer.tampering.metadata = (metadata) =>
      Object.assign(metadata, { id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] });
    issuer.tampering.idToken = (token) => [Object.assign(token.claims, claims), Object.assign(token.header, header)];
    issuer.tampering.signature = sign;
    const browser = new Browser();
    const back = await browser.begin();
    const cookie = browser.cookies.get(browser.begun[0] as string);
    const page = await browser.open('callback', back.search);
    expectRefusal(page, 'sign_in_failed');
    expect(lines().at(-1)).toMatchObject({ reason, failed_sign_ins: 1, level: 'WARN' });
    expect(browser.cookies.has('__Host-session')).toBe(false);
    expectNowhere(page, back.searchParams.get('code'), back.searchParams.get('state'), cookie, browser.address);
  });

  test.each([
    ['an hour ago', now - 3600],
    ['at no stated time', undefined],
  ])('of a person who should authenticate again, and did so %s', async (_, auth_time) => {
    issuer.tampering.idToken = ({ claims }) => Object.assign(claims, { auth_time });
    const page = await new Browser().signIn('?again=true');
    expectRefusal(page, 'sign_in_failed');
    expect(lines().at(-1)).toMatchObject({ reason: 'NOT_FRESH' });
    expect(page.body).toContain('did not ask you to authenticate again');
  });
});

describe('a response of the issuer is refused', () => {
  const CHANGED: [string, (search: URLSearchParams) => void, string?][] = [
    ['with two states', (search) => search.append('state', 'another')],
    ['in the name of another issuer (mix-up)', (search) => search.set('iss', 'https://evil.example')],
    ['without the name of its issuer', (search) => search.delete('iss')],
    ['with a code of nobody', (search) => search.set('code', 'a-code-of-nobody'), 'invalid_grant'],
    ['without a code', (search) => search.delete('code')],
    ['with an unknown error', (search) => search.set('error', '<script>alert(1)</script>'), 'unknown_error'],
    ['with an ID token beside the code', (search) => search.set('id_token', 'eyJhbGciOiJub25lIn0.e30.')],
  ];
  test.each(CHANGED)('%s', async (...[, change, reason]) => {
    const browser = new Browser();
    const back = await browser.begin();
    const code = back.searchParams.get('code');
    change(back.searchParams);
    const page = await browser.open('callback', back.search);
    expectRefusal(page, 'sign_in_failed');
    expect(lines().at(-1)).toMatchObject({ failed_sign_ins: 1, ...(reason && { reason }) });
    expectNowhere(page, code, back.searchParams.get('state'), browser.address, 'evil', 'alert(1)');
  });

  test('when its code is that of another browser', async () => {
    const mallory = new Browser();
    issuer.signsIn.account = 'mallory';
    const back = await mallory.begin();
    // A victim without a sign-in, and one that has begun one.
    expectRefusal(await new Browser().open('callback', back.search), 'sign_in_expired');
    issuer.signsIn.account = 'alice';
    const victim = new Browser();
    await victim.begin();
    expectRefusal(await victim.open('callback', back.search), 'sign_in_expired');
    // With the victim's cookie under the name of the other sign-in.
    victim.cookies.set(mallory.begun[0] as string, victim.cookies.get(victim.begun[0] as string) as string);
    expectRefusal(await victim.open('callback', back.search), 'sign_in_failed');
    // Also where it has the victim's state: PKCE binds the code to the browser.
    const again = await victim.begin();
    again.searchParams.set('code', back.searchParams.get('code') as string);
    expectRefusal(await victim.open('callback', again.search), 'sign_in_failed');
    expect(lines().at(-1)).toMatchObject({ reason: 'invalid_grant' });
  });

  test('when the person or the issuer refuses', async () => {
    issuer.signsIn.refuses = true;
    const browser = new Browser();
    const page = await browser.signIn();
    expectRefusal(page, 'sign_in_refused', 403);
    expect(lines().at(-1)).toMatchObject({ reason: 'access_denied' });
    expectNowhere(page, browser.address);
  });

  test('when its code is replayed, also with the cookie of its browser', async () => {
    const browser = new Browser();
    const back = await browser.begin();
    const [name = ''] = browser.begun;
    const cookie = browser.cookies.get(name) as string;
    expect((await browser.open('callback', back.search)).statusCode).toBe(303);
    expectRefusal(await new Browser().open('callback', back.search), 'sign_in_expired');
    browser.cookies.set(name, cookie);
    browser.cookies.delete('__Host-session');
    expectRefusal(await browser.open('callback', back.search), 'sign_in_failed');
    expect(lines().at(-1)).toMatchObject({ reason: 'invalid_grant' });
  });

  test('when the cookie of the sign-in was changed', async () => {
    const browser = new Browser();
    const back = await browser.begin();
    const [name = ''] = browser.begun;
    const cookie = browser.cookies.get(name) as string;
    // The first character of its tag.
    const changed = cookie.replace(/\.(.)(?=[^.]*$)/, (_, first) => `.${first === 'A' ? 'B' : 'A'}`);
    browser.cookies.set(name, changed);
    expectRefusal(await browser.open('callback', back.search), 'sign_in_expired');
    expect(lines().at(-1)).not.toHaveProperty('failed_sign_ins');
    expect(issuer.requests.map(({ path }) => path)).not.toContain('/token');
  });

  test('when nobody has invited the person', async () => {
    issuer.signsIn.account = 'mallory';
    const browser = new Browser();
    const page = await browser.signIn();
    expectRefusal(page, 'not_invited', 403);
    expect(lines().at(-1)).toMatchObject({ failed_sign_ins: 1 });
    expectNowhere(page, 'mallory');
    expect(browser.cookies.size).toBe(0);
  });
});

describe('an invitation', () => {
  const MARIA = 'maria@payfair.example';
  const invited = async (email = MARIA) => {
    const { invitePerson } = await import('../../../lib/people/people.ts');
    return (await invitePerson(acquirer.id, { email, role: 'operator' })).link;
  };
  beforeEach(() => {
    issuer.accounts['olga'] = { email: 'olga@payfair.example', email_verified: true };
    issuer.accounts['maria'] = { email: MARIA, email_verified: true, name: 'Maria' };
    issuer.signsIn.account = 'maria';
  });

  test('asks who has signed in, and stores nothing before they agree', async () => {
    const browser = new Browser();
    const back = await browser.begin(new URL(await invited(), CALLBACK).search);
    const { response: page, changed } = await storedBy(() => browser.open('callback', back.search));
    expect(splitRecord(changed).others).toEqual({});
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    expect(page.body).toContain('<h1>Join Payfair?</h1>');
    expect(page.body).toContain(
      'You are invited to Payfair with the role operator. You can see and change its branches and terminals.',
    );
    expect(page.body).toContain(
      `<form method="post" action="https://api.example.com/console/join?state=${back.searchParams.get('state')}">\n<button>Join</button>`,
    );
    expect([...browser.cookies.keys()]).toEqual(browser.begun);
    expect(page.cookies).toEqual([
      expect.stringMatching(/^__Host-sign-in-[\w-]{8}=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=600$/),
    ]);
    expect(page.cookies[0]?.split('=')[0]).toBe(browser.begun[0]);

    const asked = new Map(browser.cookies);
    const joined = await browser.agree(page);
    expect([joined.statusCode, joined.headers['location']]).toEqual([303, 'https://api.example.com/console']);
    expect([...browser.cookies.keys()]).toEqual(['__Host-session']);
    // A second click leads into the console too.
    const again = await browser.agree(page);
    expect([again.statusCode, again.headers['location']]).toEqual([303, 'https://api.example.com/console']);
    browser.cookies.clear();
    expectRefusal(await browser.agree(page), 'sign_in_expired');
    // Used up with the invitation, the cookie signs nobody in.
    for (const [name, value] of asked) browser.cookies.set(name, value);
    expectRefusal(await browser.agree(page), 'invitation_invalid');
  });

  test('is accepted by somebody of another acquirer, also after they were removed: what was kept of them ends', async () => {
    const other = { ...acquirer, id: randomUUID() };
    const { createAcquirer } = await import('../../../lib/acquirers/registry.ts');
    const { invitePerson, listPeople, removePerson } = await import('../../../lib/people/people.ts');
    await createAcquirer(other);
    issuer.signsIn.account = 'alice';
    for (const time of ['first', 'second']) {
      const { link } = await invitePerson(other.id, { email: EMAIL, role: 'viewer' });
      expect([time, (await new Browser().join(link)).statusCode]).toEqual([time, 303]);
      const [{ id = '' } = {}] = (await listPeople(other.id)).people;
      expect(await getItem(keptPersonKey(other.id, id))).toBeUndefined();
      await removePerson(other.id, id);
      expect(await getItem(keptPersonKey(other.id, id))).toMatchObject({ name: 'Alice', email: EMAIL });
    }
  });

  test('can be declined, and then nothing of it is left', async () => {
    const browser = new Browser();
    issuer.signsIn.account = 'olga';
    const page = await browser.signIn(new URL(await invited('olga@payfair.example'), CALLBACK).search);
    const declined = await browser.agree(page, {}, 'answer=no');
    expect([declined.statusCode, declined.headers['location']]).toEqual([303, 'https://api.example.com/console']);
    expect(browser.cookies.size).toBe(0);
  });

  test('is not accepted by a page of another origin, nor without the cookie of the page that asks', async () => {
    const other = new Browser();
    issuer.signsIn.account = 'olga';
    const asked = await other.signIn(new URL(await invited('olga@payfair.example'), CALLBACK).search);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
      expectRefusal(await other.agree(asked, headers), 'sign_in_expired');
    expectRefusal(await new Browser().agree(asked), 'sign_in_expired');
    const begun = new Browser();
    const { search } = await begun.begin();
    expectRefusal(await begun.open('join', search), 'sign_in_expired');
  });
});

describe('when the issuer is out of reach', () => {
  const DOWN: [string, (path: string) => ReturnType<NonNullable<TestIssuer['tampering']['respond']>>, string][] = [
    ['nobody hears it', () => 'never', 'TIMEOUT'],
    ['it responds with 503', () => ({ status: 503 }), 'HTTP_503'],
    ['it responds with 404', () => ({ status: 404 }), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  ];
  const expectOutage = (page: Page, reason: string) => {
    expect(page.headers['retry-after']).toBe('60');
    expect(lines().at(-1)).toMatchObject({
      level: 'ERROR',
      issuer_failures: 1,
      reason,
      causes: [{ name: 'IssuerFailure', message: reason }],
    });
  };

  test.each(DOWN)('a sign-in does not begin: %s', async (_, respond, reason) => {
    issuer.tampering.respond = respond;
    if (reason === 'TIMEOUT') issuerOf.ISSUER_TIMEOUT.seconds = 0.1;
    const browser = new Browser();
    const page = await browser.open('signIn', '');
    expect([page.statusCode, lines().at(-1)?.['code']]).toEqual([400, 'issuer_unavailable']);
    expectOutage(page, reason);
    // The failure is not cached.
    issuer.reset();
    issuerOf.ISSUER_TIMEOUT.seconds = 5;
    expect((await browser.open('signIn', '')).statusCode).toBe(303);
  });

  test.each([
    ['/token', () => 'never', 'TIMEOUT'],
    ['/jwks', () => ({ status: 503 }), 'HTTP_503'],
    ['/me', () => ({ status: 404 }), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  ] as typeof DOWN)('a sign-in is not completed without %s', async (endpoint, respond, reason) => {
    // The discovery before it is in time even on a busy machine.
    if (reason === 'TIMEOUT') issuerOf.ISSUER_TIMEOUT.seconds = 2;
    issuer.tampering.respond = (path) => (path === endpoint ? respond(path) : undefined);
    const browser = new Browser();
    const back = await browser.begin();
    const page = await browser.open('callback', back.search);
    expectRefusal(page, 'issuer_unavailable');
    expectOutage(page, reason);
    expectNowhere(page, back.searchParams.get('code'), back.searchParams.get('state'), browser.address);
  });

  test('a single failure of the discovery is retried at once', async () => {
    let calls = 0;
    issuer.tampering.respond = () => (++calls === 1 ? { status: 503 } : undefined);
    expect((await new Browser().open('signIn', '')).statusCode).toBe(303);
  });

  test('an issuer of many tenants, whose metadata names none of them, is none', async () => {
    process.env['ISSUER'] = 'https://login.microsoftonline.com/common/v2.0';
    const ofTenants = 'https://login.microsoftonline.com/{tenantid}/v2.0';
    const metadata = { issuer: ofTenants, authorization_endpoint: issuer.url };
    const requests = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(metadata));
    const page = await new Browser().open('signIn', '');
    expect([page.statusCode, lines().at(-1)?.['code']]).toEqual([400, 'issuer_unavailable']);
    expectOutage(page, 'METADATA_OF_ANOTHER_ISSUER');
    expect(page.cookies.join()).not.toMatch(/__Host-sign-in-[\w-]+=[^;]/);
    const discovery = 'https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration';
    expect(new Set(requests.mock.calls.map(([url]) => String(url)))).toEqual(new Set([discovery]));
  });
});

test.each([
  'http://127.0.0.2:8080',
  'http://localhost:8080',
  'http://issuer.example',
  'https://a:b@issuer.example',
  'https://issuer.example?a=b',
  'ftp://127.0.0.1',
])('refuses the issuer %s', async (url) => {
  process.env['ISSUER'] = url;
  const page = await new Browser().open('signIn', '');
  expect([page.statusCode, lines().at(-1)?.['code']]).toEqual([400, 'server_error']);
  expect(lines().at(-1)?.['causes'][0].message).toMatch(/^The environment variable ISSUER must be/);
  expect(page.body).not.toContain('ISSUER');
});

describe('an address', () => {
  test('may make 20 requests in 20 seconds, and is neither stored nor logged', async () => {
    const open = (at: number) => {
      const browser = new Browser();
      browser.address = `2001:db8:77:88::${at + 1}`;
      return browser.open('signIn', '');
    };
    const pages: Page[] = [];
    let page: Page | undefined;
    // Several at once: one by one, a slow machine does not send so many in the time.
    for (let sent = 0; sent < 200 && !page; sent += 10) {
      pages.push(...(await Promise.all(Array.from({ length: 10 }, (_, at) => open(sent + at)))));
      page = pages.find(({ statusCode }) => statusCode === 429);
    }
    expect(pages.filter(({ statusCode }) => statusCode === 303).length).toBeGreaterThanOrEqual(20);
    expect(Number(page?.headers['retry-after'])).toBeGreaterThan(0);
    expect(page?.body).toContain('<h1>Rate limit exceeded</h1>');
    expect(lines().filter(({ code }) => code === 'rate_limited')[0]).toMatchObject({ rate_limited: 1 });
    expectNowhere(page as Page, '2001:db8', '77:88');
  });

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:0001:2::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0'],
    ['1:2:3:4:5:6:203.0.113.7', '1:2:3:4'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
