import { cookieOf, expired, sessionCookieOf } from '../../lib/http/cookies.ts';
import { urlOf } from '../../lib/http/response.ts';
import { webPage } from '../../lib/http/webPage.ts';
import { signIn } from '../../lib/people/admission.ts';
import { completeSignIn, SIGN_IN_COOKIE } from '../../lib/people/oidc.ts';
import { SESSION, SESSION_COOKIE } from '../../lib/people/session.ts';

/** A sign-in is over with the callback, also if it was refused. */
const OVER = expired(SIGN_IN_COOKIE, 'Lax');

/**
 * GET /console/callback: the issuer sends the browser back here. Starts a new session, and ends the one that the
 * browser had.
 */
export const handler = webPage(
  async (event) => {
    const { identity, authTime, returnTo, invitation, earlier } = await completeSignIn(
      event.rawQueryString,
      cookieOf(event, SIGN_IN_COOKIE),
    );
    const session = await signIn(identity, { invitation, authTime, earlier: sessionCookieOf(event) || earlier });
    const maxAge = SESSION.longestMs / 1000;
    return {
      location: urlOf(returnTo),
      cookies: [`${SESSION_COOKIE}=${session}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`, OVER],
    };
  },
  { cookiesOnError: [OVER] },
);
