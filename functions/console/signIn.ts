import { expired, sessionCookieOf } from '../../lib/http/cookies.ts';
import { webPage } from '../../lib/http/webPage.ts';
import { beginSignIn, outdatedSignIns } from '../../lib/people/oidc.ts';
import { SEALED_S } from '../../lib/people/seal.ts';

/**
 * GET /console/sign-in: sends the browser to the issuer.
 *
 * Query: `return_to`, the path of the console to return to; `invitation`; `again=true`, if the person must authenticate
 * anew; `login_hint`, the address that the issuer suggests.
 */
export const handler = webPage(async (event) => {
  const { return_to, invitation, again, login_hint } = event.queryStringParameters ?? {};
  const { url, name, cookie } = await beginSignIn({
    returnTo: return_to,
    isFresh: again === 'true',
    invitation,
    loginHint: login_hint,
    // Kept until the callback, where the browser does not send it: it comes from the issuer's site (SameSite=Strict).
    earlier: sessionCookieOf(event),
  });
  const begun = `${name}=${cookie}`;
  return {
    location: url,
    cookies: [
      ...outdatedSignIns(event.cookies ?? [], begun.length).map((outdated) => expired(outdated, 'Lax')),
      `${begun}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${SEALED_S}`,
    ],
  };
});
