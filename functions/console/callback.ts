import { cookieOf, expired, isSameOrigin, sessionCookieOf } from '../../lib/http/cookies.ts';
import type { Incoming } from '../../lib/http/middleware.ts';
import { urlOf } from '../../lib/http/response.ts';
import { webPage } from '../../lib/http/webPage.ts';
import { signInOrAsk } from '../../lib/people/admission.ts';
import { completeSignIn, joined, signInCookie, toJoin } from '../../lib/people/oidc.ts';
import { SEALED_S } from '../../lib/people/seal.ts';
import { resolvePerson, SESSION, SESSION_COOKIE } from '../../lib/people/session.ts';
import { mayBeCompleted } from '../../lib/people/signInFailure.ts';

/** The `state` of the sign-in, which the issuer repeats, and the form of the page that asks. */
const stateOf = ({ rawQueryString }: Incoming): string => new URLSearchParams(rawQueryString).get('state') ?? '';

/** A sign-in is over with the callback, also if it was refused. Those of other tabs go on. */
const over = (event: Incoming): string => expired(signInCookie(stateOf(event)), 'Lax');

/** What a role permits, for a person who has not seen the console. */
const ROLES = {
  viewer: 'You can see its branches and terminals.',
  operator: 'You can see and change its branches and terminals.',
  admin: 'You can see and change its branches and terminals, and manage its API keys and people.',
};

/** Whether the person answers the page that asks with no. */
const isDeclined = ({ routeKey, body, isBase64Encoded }: Incoming): boolean =>
  routeKey.startsWith('POST') &&
  Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8').toString() === 'answer=no';

/** Who signs in: the issuer has sent the browser back or, on the page that asks, the person agrees to join. */
const signedIn = (event: Incoming) => {
  const cookie = cookieOf(event, signInCookie(stateOf(event)));
  return event.routeKey.startsWith('POST')
    ? joined(isSameOrigin(event) ? cookie : '')
    : completeSignIn(event.rawQueryString, cookie);
};

/** Whether a sign-in fails that may have been completed before, and its browser has a session. */
const isSignedInAlready = async (event: Incoming, error: unknown): Promise<boolean> =>
  mayBeCompleted(error) && (await resolvePerson(sessionCookieOf(event))) !== undefined;

/**
 * GET /console/callback: the issuer sends the browser back here. Starts a new session, and ends the one that the
 * browser had. A person who is invited is asked first, and POST /console/join agrees: a link alone makes nobody join.
 * What comes too late, or a second time, leads a person who is signed in into the console.
 */
export const handler = webPage(
  async (event) => {
    const person = isDeclined(event)
      ? undefined
      : await signedIn(event).catch(async (error) => {
          if (await isSignedInAlready(event, error)) return undefined;
          throw error;
        });
    if (!person) return { location: urlOf('/console'), cookies: [over(event)] };
    const { identity, authTime, returnTo, invitation, agrees } = person;
    const earlier = sessionCookieOf(event) || person.earlier;
    const result = await signInOrAsk(identity, { invitation, authTime, earlier }, agrees && 'on the page');
    if ('joining' in result) {
      const { acquirer, role } = result.joining;
      const state = stateOf(event);
      return {
        title: `Join ${acquirer}?`,
        texts: [
          `You are invited to ${acquirer} with the role ${role}. ${ROLES[role]}`,
          'Its admins see your name, your e-mail address and when you last signed in. What you do is kept under your ' +
            'name, also after you leave. You can leave at any time.',
        ],
        form: { path: `/console/join?state=${encodeURIComponent(state)}`, yes: 'Join', no: 'Do not join' },
        cookies: [
          `${signInCookie(state)}=${await toJoin(person)}; Path=/; Secure; HttpOnly; SameSite=Strict; ` +
            `Max-Age=${SEALED_S}`,
        ],
      };
    }
    const maxAge = SESSION.longestMs / 1000;
    return {
      location: urlOf(returnTo),
      cookies: [
        `${SESSION_COOKIE}=${result.cookie}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`,
        over(event),
      ],
    };
  },
  { cookiesOnError: (event) => [over(event)] },
);
