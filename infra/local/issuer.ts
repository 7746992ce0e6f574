import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import Provider, { errors, type Interaction, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
// @ts-expect-error: it has no types. It is the adapter that is used by default, which warns that it is the default.
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { failurePage, PAGE_HEADERS, peoplePage } from './issuerPages.ts';
import type { DemoPerson } from './people.ts';
import { serve } from './serve.ts';

/*
 * The OpenID Connect issuer of `npm start`. Everybody who can reach it can sign in as anybody: it listens on this machine
 * only, and is never deployed.
 */

/** A running issuer. `stop` ends it and its connections. */
export interface LocalIssuer {
  /** Its URL, with the port that it listens on. */
  issuer: string;
  stop: () => Promise<void>;
}

const SCOPE = 'openid profile email';
const INTERACTION = '/interaction/';

/**
 * Starts an issuer with one client. Its keys and sessions are in memory.
 *
 * @param options.port 0 is any free port.
 * @param options.redirectUri The one URL to which people return.
 */
export async function startIssuer(options: {
  port: number;
  redirectUri: string;
  clientId: string;
  clientSecret: string;
  people: readonly DemoPerson[];
}): Promise<LocalIssuer> {
  const { port, redirectUri, clientId, clientSecret, people } = options;
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  let respond: (request: IncomingMessage, response: ServerResponse) => unknown;
  const { url: issuer, stop } = await serve((request, response) => respond(request, response), port);

  /** The person with the address of a `login_hint`. */
  const hinted = (hint: unknown): DemoPerson | undefined =>
    people.find(({ email }) => email === String(hint).trim().toLowerCase());

  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        // Every ID token has `auth_time`.
        require_auth_time: true,
      },
    ],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    scopes: SCOPE.split(' '),
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // The ID token has the claims of all scopes.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    interactions: { policy: policyFor(hinted), url: (_, { uid }) => INTERACTION + uid },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 28_800, IdToken: 600, Interaction: 3_600, Session: 28_800 },
    findAccount(_, subject) {
      const person = people.find((each) => each.subject === subject);
      if (!person) return undefined;
      const { name, email } = person;
      return { accountId: subject, claims: () => ({ sub: subject, name, email, email_verified: true }) };
    },
    // Consents for everybody.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
  });
  const report = (error: Error) => process.stderr.write(`The local issuer failed: ${error.stack}\n`);
  provider.on('server_error', (_, error) => report(error));

  /** Completes an interaction. A session of somebody else becomes this person's, without a sign-out on a page before. */
  async function signIn(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
    { subject }: DemoPerson,
  ): Promise<void> {
    const session = await provider.Session.get(provider.createContext(request, response));
    if (session.accountId !== undefined && session.accountId !== subject) {
      session.authorizations = undefined;
      session.loginAccount({ accountId: subject });
      await session.persist();
      if (interaction.session) interaction.session.accountId = subject;
      await interaction.persist();
    }
    const result = { login: { accountId: subject, remember: false } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const show = (status: number, html: string) => response.writeHead(status, PAGE_HEADERS).end(html);
    let interaction: Interaction;
    try {
      interaction = await provider.interactionDetails(request, response);
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error;
      return show(
        400,
        failurePage('It has expired, or began in another browser. Go back to the application, and sign in again.'),
      );
    }
    const chosen = new URLSearchParams(await text(request)).get('person');
    const person =
      request.method === 'POST'
        ? people.find(({ subject }) => subject === chosen)
        : hinted(interaction.params['login_hint']);
    return person ? signIn(request, response, interaction, person) : show(200, peoplePage(people));
  }

  const callback = provider.callback();
  respond = (request, response) => {
    if (!request.url?.startsWith(INTERACTION)) return callback(request, response);
    return interact(request, response).catch((error: Error) => {
      report(error);
      response.destroy();
    });
  };
  return { issuer, stop };
}

/**
 * When a person has to choose: at each sign-in, so that it is easy to become somebody else. With a `login_hint`, only if
 * the session is not that person's. No policy asks for consent.
 */
function policyFor(hinted: (hint: unknown) => DemoPerson | undefined): interactionPolicy.Prompt[] {
  const { base, Check } = interactionPolicy;
  const policy = base();
  policy.remove('consent');
  policy.get('login')?.checks.add(
    new Check('person', 'The person must be chosen', 'login_required', ({ oidc }: KoaContextWithOIDC) => {
      if (oidc.result?.login) return Check.NO_NEED_TO_PROMPT;
      const person = hinted(oidc.params?.['login_hint']);
      const isSame = person && person.subject === oidc.session?.accountId;
      return isSame ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
    }),
  );
  return policy;
}
