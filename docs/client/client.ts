import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

/** How often a request is sent before the caller gets its 429. */
const MOST_ATTEMPTS = 10;

/** `fetch` that sends a request again when a rate limit refused it, after as many seconds as `Retry-After` says. */
async function patientFetch(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(request.clone());
    if (response.status !== 429 || attempt === MOST_ATTEMPTS) return response;
    // A 429 of the gateway itself has no Retry-After.
    const stated = Number(response.headers.get('retry-after'));
    const seconds = stated > 0 ? stated : Math.random() * Math.min(30, 2 ** attempt);
    await new Promise((done) => setTimeout(done, seconds * 1000));
  }
}

/** The API for `fetch`: paths, parameters, bodies and responses are those of the contract. */
export const partnerApi = (baseUrl: string, apiKey: string) =>
  createClient<paths>({ baseUrl, headers: { 'API-KEY': apiKey }, fetch: patientFetch });
