import type { Send } from '../contract/send.ts';
import type { Request } from '../local/invoke.ts';
import { CORS } from '../template/cors.ts';
import { patient, reasonOf } from './replay.ts';
import { Failure, type FunctionName, type Run, Skipped } from './verify.ts';

/*
 * What no story has: other routes, pages of other origins, and the pages of the console.
 */

/** Requests to a stage. */
export interface Site {
  baseUrl: string;
  send: Send;
  run: Run;
}

/** A route that does not exist leads to `unknownRoute`. */
export async function checkUnknownRoute({ run, send }: Site, caller: Pick<Request, 'key'>): Promise<void> {
  const { status, headers, body } = await patient(send, 'unknownRoute', caller);
  const requestId = headers['x-request-id'];
  if (status !== 404 || body.code !== 'not_found')
    throw new Failure(`unknownRoute responded with ${status} ${body.code}, not 404`, 'unknownRoute', requestId);
  run.note('unknownRoute', requestId);
}

/** Only pages of the docs site of a stage may send requests. */
export async function checkOrigins({ baseUrl }: Site, siteOrigin: string): Promise<void> {
  if (!siteOrigin) throw new Skipped('the stage has no siteOrigin');
  const allowed = async (origin: string) => {
    const response = await fetch(`${baseUrl}/ext/api/v1/merchants`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': CORS.requestHeaders.join(','),
      },
    });
    return response.headers.get('access-control-allow-origin');
  };
  const [own, other] = [await allowed(siteOrigin), await allowed('https://verification.invalid')];
  if (own !== siteOrigin) throw new Failure(`the preflight of ${siteOrigin} allows ${own}: see cors in infra/api.yml`);
  if (other !== null) throw new Failure(`the preflight of any other origin allows ${other}`);
}

/** A page, as it was received. */
interface Page {
  status: number;
  text: string;
  headers: Headers;
  /** @throws Failure of this page, unless something holds. */
  expect: (holds: boolean, what: string) => void;
}

async function open({ run, baseUrl }: Site, operation: FunctionName, path: string, cookie = ''): Promise<Page> {
  const response = await fetch(new URL(path, baseUrl), {
    redirect: 'manual',
    headers: { accept: '*/*', cookie },
  }).catch((error) => {
    throw new Failure(reasonOf(error), operation);
  });
  const { status, headers } = response;
  const text = await response.text();
  const requestId = headers.get('x-request-id') ?? undefined;
  const expect: Page['expect'] = (holds, what) => {
    const [, title = text.slice(0, 200)] = /<h1>(.*?)<\/h1>/.exec(text) ?? [];
    if (!holds) throw new Failure(`${operation}: ${path} ${what}: ${status} ${title}`, operation, requestId);
    run.note(operation, requestId);
  };
  return { status, text, headers, expect };
}

/** The page of the console loads, with all files that it refers to. */
export async function checkConsole(site: Site): Promise<void> {
  const page = await open(site, 'openConsole', '/console');
  const isPage = page.status === 200 && page.text.startsWith('<!doctype html>');
  const files = [...page.text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
  page.expect(isPage && files.length > 2, 'is not the console’s page');
  const deeper = await open(site, 'openConsole', '/console/branches/any');
  deeper.expect(deeper.text.startsWith('<!doctype html>'), 'is not the console’s page');
  for (const path of files) {
    const file = await open(site, 'openConsole', path);
    file.expect(file.status === 200 && file.text.length > 0, 'is not served');
  }
}

/** A sign-in leads to the issuer, which knows this client: it refuses only the code of a forged callback. */
export async function checkSignIn(site: Site): Promise<void> {
  const begun = await open(site, 'signIn', '/console/sign-in');
  begun.expect(begun.status === 303, 'does not lead to the issuer');
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const cookie = begun.headers
    .getSetCookie()
    .map((each) => each.replace(/;.*/, ''))
    .join('; ');
  const path = `/console/callback?${new URLSearchParams({ code: 'forged', state })}`;
  const refused = await open(site, 'callback', path, cookie);
  const isUnavailable = /Sign-in unavailable|Server error/.test(refused.text);
  refused.expect(refused.status >= 400 && refused.status < 500 && !isUnavailable, 'is not refused by the issuer');
}
