import { cookieOf, expired, isSameOrigin, sessionCookieOf } from '../../lib/http/cookies.ts';
import type { Incoming } from '../../lib/http/middleware.ts';
import { urlOf } from '../../lib/http/response.ts';
import { webPage } from '../../lib/http/webPage.ts';
import { signInOrAsk } from '../../lib/people/admission.ts';
import { completeSignIn, joined, SIGN_IN_COOKIE, toJoin } from '../../lib/people/oidc.ts';
import { SEALED_S } from '../../lib/people/seal.ts';
import { JOIN_COOKIE, SESSION, SESSION_COOKIE } from '../../lib/people/session.ts';

/** A sign-in is over with the callback, also if it was refused. */
const OVER = expired(SIGN_IN_COOKIE, 'Lax');
/** So is the question, once it is answered. */
const ASKED = expired(JOIN_COOKIE, 'Strict');

/** What a role permits, for a person who has not seen the console. */
const ROLES = {
  viewer: 'You can see its branches and terminals.',
  operator: 'You can see and change its branches and terminals.',
  admin: 'You can see and change its branches and terminals, and manage its API keys and people.',
};

/** The fields of the form of the page that asks. */
const fieldsOf = ({ body, isBase64Encoded }: Incoming) =>
  new URLSearchParams(Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8').toString());

/**
 * GET /console/callback: the issuer sends the browser back here. Starts a new session, and ends the one that the browser
 * had. A person who is invited is asked first, and POST /console/join agrees: a link alone makes nobody join.
 */
export const handler = webPage(
  async (event) => {
    const answer = event.routeKey.startsWith('POST') ? fieldsOf(event) : undefined;
    if (answer?.get('answer') === 'no') return { location: urlOf('/console'), cookies: [ASKED] };
    const person = answer
      ? await joined(isSameOrigin(event) ? cookieOf(event, JOIN_COOKIE) : '', answer.get('form'))
      : await completeSignIn(event.rawQueryString, cookieOf(event, SIGN_IN_COOKIE));
    const { identity, authTime, returnTo, invitation } = person;
    const earlier = sessionCookieOf(event) || person.earlier;
    const result = await signInOrAsk(identity, { invitation, authTime, earlier }, answer ? 'on the page' : false);
    if ('joining' in result) {
      const { acquirer, role } = result.joining;
      const { cookie, form } = await toJoin(person);
      return {
        title: `Join ${acquirer}?`,
        texts: [
          `You are invited to ${acquirer} with the role ${role}. ${ROLES[role]}`,
          `Its admins see your name, your e-mail address and when you last worked for ${acquirer}. You can leave at any time.`,
        ],
        form: { path: '/console/join', secret: form, yes: 'Join', no: 'Do not join' },
        cookies: [`${JOIN_COOKIE}=${cookie}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${SEALED_S}`, OVER],
      };
    }
    const maxAge = SESSION.longestMs / 1000;
    return {
      location: urlOf(returnTo),
      cookies: [
        `${SESSION_COOKIE}=${result.cookie}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`,
        OVER,
        ASKED,
      ],
    };
  },
  { cookiesOnError: [OVER, ASKED] },
);
