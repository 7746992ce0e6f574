import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import Provider from 'oidc-provider';
// @ts-expect-error: it has no types. It is the adapter that is used by default, which warns that it is the default.
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { type Served, serve } from '../../infra/local/serve.ts';

/*
 * An issuer (oidc-provider) on HTTP, and in front of it a proxy that tampers with its responses. To the client, the
 * proxy is the issuer.
 */

export const CLIENT_ID = 'the-console';

/** The secret that the issuer accepts from the client. */
export const CLIENT_SECRET = 'the-client-secret-of-the-tests';

/** A person at the issuer. The subject is the account's id. */
interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/** The parts of an ID token. */
interface IdToken {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/** What the proxy changes, until `reset`. */
interface Tampering {
  /** Changes an ID token, which is then signed again with the issuer's key. */
  idToken?: ((token: IdToken) => unknown) | undefined;
  /** Signs an ID token (by its signing input) in place of the issuer. */
  signature?: ((input: string) => string) | undefined;
  /** Changes the issuer's metadata. */
  metadata?: ((metadata: Record<string, unknown>) => unknown) | undefined;
  /** Responds in place of the issuer; `undefined` to pass the request on. */
  respond?:
    | ((path: string, headers: IncomingMessage['headers']) => { status: number; body?: string } | 'never' | undefined)
    | undefined;
}

export interface TestIssuer extends Served {
  accounts: Record<string, Account>;
  /** The account that signs in next. */
  signsIn: { account: string; refuses: boolean };
  tampering: Tampering;
  /** Paths of the requests so far, and the headers of the last one to each. */
  requests: { path: string; headers: IncomingMessage['headers'] }[];
  reset: () => void;
  /**
   * Acts as the browser at the issuer: signs in, and returns the URL that the issuer sends the browser to.
   *
   * @param cookies The browser's cookies at the issuer, by name.
   */
  visit: (url: string, cookies?: Map<string, string>) => Promise<URL>;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = ''): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString());

export const signedBy =
  (key: KeyObject) =>
  (input: string): string =>
    sign('sha256', Buffer.from(input), key).toString('base64url');

export const hmacBy =
  (secret: string) =>
  (input: string): string =>
    createHmac('sha256', secret).update(input).digest('base64url');

export const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** @param callback The client's redirect URI. */
export async function startIssuer(callback: string): Promise<TestIssuer> {
  const key = newKey();
  const tampering: Tampering = {};
  const requests: TestIssuer['requests'] = [];
  const accounts: Record<string, Account> = {};
  const signsIn = { account: '', refuses: false };

  const front = await serve((request, response) => {
    void relay(request, response).catch(() => response.destroy());
  });
  const { url } = front;
  const provider = newProvider(url, callback, key, accounts);
  const upstream = await serve(provider.callback());

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', url).pathname;
    requests.push({ path, headers: request.headers });
    const own = tampering.respond?.(path, request.headers);
    if (own === 'never') return;
    if (own) {
      response.writeHead(own.status, { 'content-type': 'application/json' });
      response.end(own.body ?? '{}');
      return;
    }
    if (path.startsWith('/interaction/')) return interact(request, response);
    const body = await buffer(request);
    const { connection, 'content-length': _, 'transfer-encoding': __, ...headers } = request.headers;
    const passed = await fetch(upstream.url + request.url, {
      method: request.method ?? 'GET',
      // The issuer's URLs are those of the proxy.
      headers: { ...(headers as Record<string, string>), 'x-forwarded-host': new URL(url).host },
      redirect: 'manual',
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await passed.text();
    const isJson = passed.headers.get('content-type')?.startsWith('application/json');
    response.statusCode = passed.status;
    for (const [name, value] of passed.headers)
      if (!/^(connection|content-length|keep-alive|set-cookie|transfer-encoding|date)$/.test(name))
        response.setHeader(name, value);
    response.setHeader('set-cookie', passed.headers.getSetCookie());
    response.end(isJson ? tampered(path, text) : text);
  }

  function tampered(path: string, text: string): string {
    const body = JSON.parse(text);
    if (path === '/.well-known/openid-configuration') tampering.metadata?.(body);
    if (path === '/token' && body.id_token && (tampering.idToken || tampering.signature)) {
      const [header, claims] = body.id_token.split('.');
      const token = { header: decode(header), claims: decode(claims) };
      tampering.idToken?.(token);
      const input = `${encode(token.header)}.${encode(token.claims)}`;
      body.id_token = `${input}.${(tampering.signature ?? signedBy(key))(input)}`;
    }
    return JSON.stringify(body);
  }

  /** The issuer's page: signs the account in without asking. */
  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.headers.host = new URL(url).host;
    await provider.interactionFinished(
      request,
      response,
      signsIn.refuses
        ? { error: 'access_denied', error_description: 'The person with the address alice@payfair.example refused.' }
        : { login: { accountId: signsIn.account } },
      { mergeWithLastSubmission: false },
    );
  }

  return {
    url,
    accounts,
    signsIn,
    tampering,
    requests,
    reset() {
      for (const name of Object.keys(tampering)) delete tampering[name as keyof Tampering];
      signsIn.refuses = false;
      requests.length = 0;
    },
    async visit(start, cookies = new Map()) {
      let next = new URL(start);
      for (let hops = 0; hops < 10; hops += 1) {
        if (next.href.startsWith(callback)) return next;
        const response = await fetch(next, {
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        });
        const text = await response.text();
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          if (value === '' || /expires=Thu, 01 Jan 1970/i.test(cookie)) cookies.delete(name);
          else cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (!location) throw new Error(`The issuer responded with ${response.status}: ${text}`);
        next = new URL(location, next);
      }
      throw new Error('The issuer sends the browser around in circles.');
    },
    async stop() {
      await Promise.all([front.stop(), upstream.stop()]);
    },
  };
}

function newProvider(url: string, callback: string, key: KeyObject, accounts: Record<string, Account>): Provider {
  const provider = new Provider(url, {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [callback],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'the-key' }] },
    cookies: { keys: ['only-for-tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
    // All of the client's scopes are granted, so that no consent is asked for.
    async loadExistingGrant({ oidc }) {
      // Its codes are valid only with the grant of the session, which all tabs share.
      const known = oidc.session?.grantIdFor(CLIENT_ID);
      const found = known && (await provider.Grant.find(known));
      if (found) return found;
      const grant = new provider.Grant({ clientId: CLIENT_ID, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  provider.proxy = true;
  return provider;
}
