import { SESSION_COOKIE } from '../people/session.ts';
import type { Incoming } from './middleware.ts';

/** The value of a cookie; empty if there is none. API Gateway passes each cookie by itself (payload 2.0). */
export function cookieOf({ cookies = [] }: Pick<Incoming, 'cookies'>, name: string): string {
  const start = `${name}=`;
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? '';
}

export const sessionCookieOf = (event: Pick<Incoming, 'cookies'>): string => cookieOf(event, SESSION_COOKIE);

/** Whether a request comes from a page of this service, as far as its browser states it (Fetch Metadata, W3C). */
export const isSameOrigin = ({ headers }: Pick<Incoming, 'headers'>): boolean =>
  (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';

/** A `Set-Cookie` that deletes a cookie. */
export const expired = (name: string, sameSite: 'Strict' | 'Lax'): string =>
  `${name}=; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=0`;
