import { createHash } from 'node:crypto';
import { calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import * as v from 'valibot';
import { text as storable } from '../base/fields.ts';
import { Problem } from '../base/problem.ts';
import { authorizationUrl, CLOCK_SKEW_S, type Claims, exchange, redirectUrl } from './issuer.ts';
import type { Identity } from './person.ts';
import { returnPath } from './returnPath.ts';
import { open, seal } from './seal.ts';
import { SESSION } from './session.ts';
import { IssuerFailure } from './signInFailure.ts';

/** The cookie of a sign-in, by its `state`: each tab has its own. */
export const signInCookie = (state: string): string =>
  `__Host-sign-in-${createHash('sha256').update(state).digest('base64url').slice(0, 8)}`;

const SIGN_IN_COOKIE = /^(__Host-sign-in-[\w-]{8})=/;

/**
 * The most sign-ins of a browser, and bytes of their cookies. The gateway takes 10,240 bytes of request line and
 * headers, of which an issuer's code and a browser's own headers take up to half.
 */
const MOST_SIGN_INS = 4;
const MOST_BYTES = 4096;

/**
 * The cookies of the oldest sign-ins of a browser, which must go before another begins.
 *
 * @param cookies Those of the browser, the oldest first (RFC 6265 §5.4).
 * @param bytes The length of the cookie that is added.
 */
export function outdatedSignIns(cookies: string[], bytes: number): string[] {
  const begun = cookies.filter((cookie) => SIGN_IN_COOKIE.test(cookie));
  const outdated = begun.filter(
    (_, at) => begun.length - at >= MOST_SIGN_INS || begun.slice(at).join('; ').length + bytes > MOST_BYTES,
  );
  return outdated.flatMap((cookie) => SIGN_IN_COOKIE.exec(cookie)?.[1] ?? []);
}

/** What a sign-in is started with. All of it is what a browser sent, so none of it is trusted. */
export interface SignInRequest {
  /** Path of the console to return to. */
  returnTo?: string | undefined;
  /** Whether the person must sign in now, even if the issuer knows them already. */
  isFresh?: boolean;
  invitation?: string | undefined;
  /** The address that the issuer suggests. */
  loginHint?: string | undefined;
  /** The session that the browser has, to be ended at the end of this sign-in. */
  earlier?: string | undefined;
}

/** What the cookie keeps of a sign-in that has begun. Times are in seconds since 1970. */
interface Begun extends Pick<SignInRequest, 'invitation' | 'earlier'> {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  isFresh: boolean;
  startedAt: number;
}

export interface SignedIn {
  identity: Identity;
  /** When the person authenticated, in seconds since 1970; 0 if the issuer does not say. */
  authTime: number;
  returnTo: string;
  invitation: string | undefined;
  earlier: string | undefined;
  agrees: boolean;
}

/** The most characters of an address (RFC 5321), of a name, and of a value that is passed on. */
const LONGEST = 254;

const AGAIN = 'Sign in again. If you were invited, open the link of the invitation again.';

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= LONGEST && /^\P{Cc}+$/u.test(value) && v.is(storable, value)
    ? value
    : undefined;

const nowInSeconds = (): number => Math.floor(Date.now() / 1000);

/**
 * Begins a sign-in (authorization code flow with PKCE).
 *
 * @returns The URL at the issuer, and name and value of the cookie that binds the sign-in to this browser.
 * @throws Problem `issuer_unavailable`.
 */
export async function beginSignIn({
  returnTo,
  isFresh = false,
  invitation,
  loginHint,
  earlier,
}: SignInRequest): Promise<{ url: string; name: string; cookie: string }> {
  const begun: Begun = {
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    returnTo: returnPath(returnTo),
    // An invitation that is too long is refused as one that does not exist.
    invitation: invitation?.slice(0, LONGEST),
    earlier: text(earlier),
    isFresh,
    startedAt: nowInSeconds(),
  };
  const hint = text(loginHint);
  const url = await orProblem(
    authorizationUrl({
      redirect_uri: redirectUrl().href,
      scope: 'openid email profile',
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
      // With `max_age`, the issuer states when the person authenticated (OpenID Connect Core 1.0 §3.1.2.1).
      ...(isFresh ? { prompt: 'login', max_age: '0' } : { max_age: String(SESSION.longestMs / 1000) }),
      ...(hint && { login_hint: hint }),
    }),
  );
  return { url, name: signInCookie(begun.state), cookie: await seal(begun) };
}

const expiredSignIn = (): Problem =>
  new Problem(
    'sign_in_expired',
    `This sign-in took longer than 10 minutes, began in another browser or at another address of the console, or ` +
      `was completed before. ${AGAIN}`,
  );

/**
 * Completes a sign-in.
 *
 * @param search The query that the issuer sent the browser back with.
 * @param sealedCookie The cookie of {@link beginSignIn}, if the browser sent one.
 * @throws Problem `sign_in_expired` if this browser has begun no sign-in within 10 minutes; `sign_in_refused` by the
 *   person or the issuer; `sign_in_failed` if the response is not the issuer's to this sign-in; `issuer_unavailable`.
 */
export async function completeSignIn(search: string, sealedCookie: string | undefined): Promise<SignedIn> {
  const begun = sealedCookie ? await open<Begun>(sealedCookie) : undefined;
  if (!begun?.verifier) throw expiredSignIn();
  const currentUrl = redirectUrl();
  currentUrl.search = search;
  const { email, email_verified, name, ...claims } = await orProblem(exchange(currentUrl, begun));
  const shownEmail = text(email);
  const shownName = text(name)?.normalize('NFC');
  return {
    identity: {
      issuer: claims.iss,
      subject: claims.sub,
      ...(shownEmail && { email: shownEmail }),
      // Some issuers state it as a text. Nothing else is true.
      isEmailVerified: email_verified === true || (email_verified as unknown) === 'true',
      ...(shownName && { name: shownName }),
    },
    authTime: authTimeOf(claims, begun),
    returnTo: begun.returnTo,
    invitation: begun.invitation,
    earlier: begun.earlier,
    agrees: false,
  };
}

/** Seals who has signed in, until they agree to join: see {@link joined}. */
export const toJoin = (signedIn: SignedIn): Promise<string> => seal({ ...signedIn, agrees: true });

/**
 * Opens a cookie of {@link toJoin}.
 *
 * @throws Problem `sign_in_expired` if there is none, or it is older than 10 minutes.
 */
export async function joined(sealedCookie: string): Promise<SignedIn> {
  const signedIn = sealedCookie ? await open<SignedIn>(sealedCookie) : undefined;
  // A cookie of a sign-in that has begun is sealed too.
  if (!signedIn?.agrees) throw expiredSignIn();
  return signedIn;
}

/** @throws Problem `sign_in_failed` if the person should have authenticated during this sign-in, and has not. */
function authTimeOf({ auth_time = 0 }: Pick<Claims, 'auth_time'>, { isFresh, startedAt }: Begun): number {
  if (isFresh && auth_time < startedAt - CLOCK_SKEW_S)
    throw new Problem(
      'sign_in_failed',
      'Your sign-in provider did not ask you to authenticate again. Sign out there, then sign in again.',
      { cause: new IssuerFailure('NOT_FRESH') },
    );
  return Math.min(Math.floor(auth_time), nowInSeconds());
}

async function orProblem<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof IssuerFailure)) throw error;
    const more = { cause: error };
    if (error.isOutage)
      throw new Problem(
        'issuer_unavailable',
        'Your sign-in provider is unavailable. Wait a minute, then sign in again. API keys and sessions keep working.',
        { ...more, retryAfter: 60 },
      );
    if (error.isRefusal)
      throw new Problem(
        'sign_in_refused',
        `The sign-in was canceled, or your sign-in provider does not let you in. ${AGAIN}`,
        more,
      );
    throw new Problem('sign_in_failed', `The response of your sign-in provider is not valid. ${AGAIN}`, more);
  }
}
