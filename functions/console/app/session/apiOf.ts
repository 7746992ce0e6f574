import { type Api, createApi } from '../api/client.ts';
import { noteChange } from '../api/ownChanges.ts';
import { sendOnce, signInFor } from '../api/request.ts';
import { renewedSession } from './renewal.ts';

const online = (): Promise<unknown> =>
  navigator.onLine ? Promise.resolve() : new Promise((done) => addEventListener('online', done, { once: true }));

/** Sends a request. If the session has ended, waits until the person has signed in again, then sends it once more. */
async function send(request: Request): Promise<Response> {
  const isRead = request.method === 'GET';
  for (;;) {
    // Reads wait in the cache of queries, which also cancels them.
    if (!isRead) await online();
    const response = await sendOnce(request);
    const reason = await signInFor(response);
    if (!reason) {
      // What cannot be read of it is in the feed.
      noteChange(request, response).catch(() => {});
      return response;
    }
    await renewedSession(reason, { isRead });
  }
}

/** The client of a person who acts as an acquirer. */
export const apiOf = (actingAs: string): Api => createApi(actingAs, { baseUrl: location.origin, send });
