import * as client from 'openid-client';
import { rotatingSecret } from '../aws/secret.ts';
import { setting } from '../base/config.ts';
import { urlUnder } from '../base/url.ts';
import { failureOf, fetchFromIssuer, IssuerFailure } from './signInFailure.ts';

/** Timeout of each request to the issuer, in seconds. Tests change it. */
export const ISSUER_TIMEOUT = { seconds: 5 };

/** How long a process uses the issuer's metadata. openid-client caches its keys for 5 minutes. */
const METADATA_MS = 3_600_000;

/** Tolerated difference between the issuer's clock and ours, in seconds. */
export const CLOCK_SKEW_S = 10;

/** Accepted signatures of ID tokens. With others (`HS256`, `none`), others than the issuer could sign. */
const ALGORITHMS = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

const clientSecret = rotatingSecret(() => setting('CLIENT_CREDENTIAL_SECRET'));

/** The client's secret in use. Replaced when the issuer rejects it. */
const authenticateBy: Record<'basic' | 'post', client.ClientAuth> = {
  basic: async (...request) => client.ClientSecretBasic((await clientSecret.known())[0])(...request),
  post: async (...request) => client.ClientSecretPost((await clientSecret.known())[0])(...request),
};

const issuerUrl = (): URL => new URL(setting('ISSUER'));

/** Where the issuer sends the browser back to. */
export const redirectUrl = (): URL => new URL(urlUnder(setting('BASE_URL'), '/console/callback'));

const isInsecure = (): boolean => issuerUrl().protocol === 'http:';

/** Applies our rules to what the issuer says of itself. */
function configured(metadata: client.ServerMetadata): client.Configuration {
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata;
  const configuration = new client.Configuration(
    {
      ...metadata,
      id_token_signing_alg_values_supported: (metadata.id_token_signing_alg_values_supported ?? ['RS256']).filter(
        (algorithm) => ALGORITHMS.test(algorithm),
      ),
    },
    setting('CLIENT_ID'),
    { [client.clockTolerance]: CLOCK_SKEW_S },
    methods.includes('client_secret_basic') ? authenticateBy.basic : authenticateBy.post,
  );
  configuration.timeout = ISSUER_TIMEOUT.seconds;
  configuration[client.customFetch] = fetchFromIssuer;
  if (isInsecure()) client.allowInsecureRequests(configuration);
  // Verifies the signature, although the token comes from the issuer over TLS.
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

async function discover(): Promise<client.Configuration> {
  const url = issuerUrl();
  const found = await client.discovery(url, setting('CLIENT_ID'), undefined, undefined, {
    timeout: ISSUER_TIMEOUT.seconds,
    [client.customFetch]: fetchFromIssuer,
    ...(isInsecure() && { execute: [client.allowInsecureRequests] }),
  });
  const metadata = found.serverMetadata();
  // For Microsoft's multi-tenant issuers, openid-client accepts another one.
  if (new URL(metadata.issuer).href !== url.href) throw new IssuerFailure('METADATA_OF_ANOTHER_ISSUER');
  return configured(metadata);
}

let discovering: Promise<client.Configuration> | undefined;
let discovered = Number.NEGATIVE_INFINITY;

/**
 * The issuer, discovered on first use, once more if that fails quickly, and again after {@link METADATA_MS}.
 *
 * @throws IssuerFailure `isOutage`.
 */
async function issuer(): Promise<client.Configuration> {
  if (discovering && discovered + METADATA_MS > performance.now()) return discovering;
  // A setting that is not valid is an error of ours.
  issuerUrl();
  discovered = performance.now();
  const attempt = discover()
    .catch((error) => {
      if (failureOf(error).isTimeout) throw error;
      return discover();
    })
    .catch((error) => {
      if (discovering === attempt) discovering = undefined;
      throw new IssuerFailure(failureOf(error).reason, { isOutage: true });
    });
  discovering = attempt;
  return attempt;
}

/** Forgets the issuer's metadata and keys, as a new process. */
export function forgetIssuer(): void {
  discovering = undefined;
}

/**
 * The URL at the issuer where a person signs in.
 *
 * @throws IssuerFailure `isOutage`.
 */
export const authorizationUrl = async (parameters: Record<string, string>): Promise<string> =>
  client.buildAuthorizationUrl(await issuer(), parameters).href;

/**
 * Exchanges the code of an authorization response for the person's claims, after all checks of OpenID Connect Core 1.0
 * and RFC 9207. If the issuer rejects the client's secret, it may have been rotated: the exchange is retried once with
 * it fetched anew.
 *
 * @param currentUrl The redirect URL, with the parameters that the browser sent.
 * @throws IssuerFailure
 */
export async function exchange(
  currentUrl: URL,
  { state, nonce, verifier }: { state: string; nonce: string; verifier: string },
): Promise<Claims> {
  const configuration = await issuer();
  const [secret] = await clientSecret.known();
  const redeem = () =>
    client.authorizationCodeGrant(configuration, currentUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
  try {
    const tokens = await redeem().catch(async (error) => {
      if (!failureOf(error).isRejectedSecret) throw error;
      const [fresh = secret] = (await clientSecret.refreshed()) ?? [];
      if (fresh === secret) throw error;
      return redeem();
    });
    const claims = tokens.claims() as client.IDToken;
    return { ...claims, ...(await addressOf(configuration, tokens.access_token, claims)) };
  } catch (error) {
    throw failureOf(error);
  }
}

export type Claims = Pick<client.IDToken, 'iss' | 'sub' | 'auth_time'> & Address;
type Address = Pick<client.UserInfoResponse, 'email' | 'email_verified' | 'name'>;

/**
 * Address and name from the same source, so that `email_verified` is about this address; often only UserInfo has them.
 */
async function addressOf(at: client.Configuration, accessToken: string, claims: client.IDToken): Promise<Address> {
  const isComplete = claims['email'] !== undefined && claims['email_verified'] !== undefined;
  if (isComplete || !at.serverMetadata().userinfo_endpoint) return claims as Address;
  const { email, email_verified, name } = await client.fetchUserInfo(at, accessToken, claims.sub);
  if (email === undefined) return claims as Address;
  return { email, email_verified, name: name ?? (claims['name'] as string) } as Address;
}
