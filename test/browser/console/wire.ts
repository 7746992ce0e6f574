import type { BrowserContext, Route } from 'playwright-core';
import { MOST } from '../../../functions/console/app/estate/most.ts';
import { terminalAt } from './largeEstate.ts';

/* What happens to requests on their way. */

/** Holds requests back until the returned function is called. */
export async function hold(context: BrowserContext, url: string): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await context.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Executes a request, and loses its response. */
export async function lose(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

/**
 * Loses the response of the first POST, and holds the next one back until `release` is called.
 *
 * @returns `keys` gets the idempotency key of each.
 */
export async function loseFirst(context: BrowserContext, url: string | RegExp) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const keys: (string | undefined)[] = [];
  await context.route(url, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length === 1) return lose(route);
    await released;
    return route.continue();
  });
  return { keys, release };
}

/** Adds the warning of a search that has too many matches. */
export async function warnOfMatches(route: Route): Promise<void> {
  const response = await route.fetch();
  const warnings = [{ parameter: 'search', code: 'too_many_matches', detail: 'Add a rarer word.' }];
  await route.fulfill({ response, json: { ...(await response.json()), warnings } });
}

/** Makes an estate too large for a browser, from the next page that is opened. */
export const outgrow = (context: BrowserContext, total = 200_001) =>
  context.route(/\/merchants\?.*per_page=10/, async (route) => {
    if (!route.request().headers()['unattended']) return route.continue();
    const response = await route.fetch();
    const { meta, ...rest } = await response.json();
    await route.fulfill({ response, json: { ...rest, meta: { ...meta, total } } });
  });

/** Pages longer than those of the service take less time. */
const PER_PAGE = 25_000;

/** The same by terminals, of which the service has one more than a browser keeps. What a person asks for is what it has. */
export const outgrowTerminals = (context: BrowserContext) =>
  context.route(/\/api\/v1\/terminals\?.*limit=/, async (route) => {
    if (!route.request().headers()['unattended']) return route.continue();
    const query = new URL(route.request().url()).searchParams;
    const from = Number(query.get('after'));
    const length = Math.min(PER_PAGE, MOST.terminals + 1 - from);
    const data = Array.from({ length }, (_, at) => terminalAt(from + at, MOST.branches));
    const to = from + data.length;
    await route.fulfill({ json: { data, meta: { next: to > MOST.terminals ? null : String(to) } } });
  });

/** Responds with a problem of the service. */
export const problemOf = (
  code: string,
  status: number,
  { headers = {}, errors }: { headers?: Record<string, string>; errors?: object[] } = {},
) => {
  const type = `https://api.example.com/docs/errors/${code}`;
  const request_id = '0f3c1e52-0000-4000-8000-000000000000';
  const json = { type, title: code, status, detail: 'What happened, in words.', code, request_id, errors };
  return (route: Route) => route.fulfill({ status, headers, contentType: 'application/problem+json', json });
};
