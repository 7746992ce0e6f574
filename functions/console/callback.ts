import { cookieOf, expired, isSameOrigin, sessionCookieOf } from '../../lib/http/cookies.ts';
import type { Incoming } from '../../lib/http/middleware.ts';
import { urlOf } from '../../lib/http/response.ts';
import { webPage } from '../../lib/http/webPage.ts';
import { signInOrAsk } from '../../lib/people/admission.ts';
import { completeSignIn, JOIN_COOKIE, joined, SIGN_IN_COOKIE, toJoin } from '../../lib/people/oidc.ts';
import { SEALED_S } from '../../lib/people/seal.ts';
import { SESSION, SESSION_COOKIE } from '../../lib/people/session.ts';

/** A sign-in is over with the callback, also if it was refused. */
const OVER = expired(SIGN_IN_COOKIE, 'Lax');

/** What a role permits, for a person who does not know the console yet. */
const ROLES = { viewer: 'see', operator: 'see and change', admin: 'see and change, and manage API keys and people of' };

/** Who signs in: the issuer has sent the browser back or, on the page that asks, the person agrees to join. */
const signedIn = (event: Incoming) =>
  event.routeKey.startsWith('POST')
    ? joined(isSameOrigin(event) ? cookieOf(event, JOIN_COOKIE) : '')
    : completeSignIn(event.rawQueryString, cookieOf(event, SIGN_IN_COOKIE));

/**
 * GET /console/callback: the issuer sends the browser back here. Starts a new session, and ends the one that the browser
 * had. A person who is invited is asked first, and POST /console/join agrees: a link alone makes nobody join.
 */
export const handler = webPage(
  async (event) => {
    const person = await signedIn(event);
    const { identity, authTime, returnTo, invitation, agrees } = person;
    const earlier = sessionCookieOf(event) || person.earlier;
    const result = await signInOrAsk(identity, { invitation, authTime, earlier }, agrees);
    if ('joining' in result) {
      const { acquirer, role } = result.joining;
      return {
        title: `Join ${acquirer}?`,
        texts: [
          `You are invited to ${ROLES[role]} the branches and terminals of ${acquirer}, as ${role}.`,
          `Its admins see your name, your e-mail address and when you last worked for ${acquirer}. You can leave at any time.`,
        ],
        agree: { label: 'Join', path: '/console/join' },
        cookies: [
          `${JOIN_COOKIE}=${await toJoin(person)}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${SEALED_S}`,
          OVER,
        ],
      };
    }
    const maxAge = SESSION.longestMs / 1000;
    return {
      location: urlOf(returnTo),
      cookies: [
        `${SESSION_COOKIE}=${result.cookie}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`,
        OVER,
        expired(JOIN_COOKIE, 'Strict'),
      ],
    };
  },
  { cookiesOnError: [OVER, expired(JOIN_COOKIE, 'Strict')] },
);
