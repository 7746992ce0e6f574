import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { urlUnder } from '../../../lib/base/url.ts';
import type { Request } from '../../publish/contract/invoke.ts';
import type { Send } from '../../publish/contract/send.ts';
import { tools } from '../../stack/assistants/tools.ts';
import { PARTNERS } from './acquirers.ts';
import { patient, reasonOf } from './replay.ts';
import { Failure, type FunctionName, type Run, type Sent } from './verify.ts';

/*
 * What no story has: other routes, assistants, and the pages of the console.
 */

export interface Site {
  baseUrl: string;
  send: Send;
  run: Run;
}

/** A route that does not exist leads to `unknownRoute`. */
export async function checkUnknownRoute({ run, send }: Site, caller: Pick<Request, 'key'>): Promise<void> {
  const { status, headers, body } = await patient(send, 'unknownRoute', caller);
  const sent = { operation: 'unknownRoute', requestId: headers['x-request-id'] } as const;
  if (status !== 404 || body.code !== 'not_found')
    throw new Failure(`unknownRoute responded with ${status} ${body.code}, not 404`, sent);
  run.note(sent);
}

/** An assistant with this key is offered a tool for each operation, and a tool reaches its operation. */
export async function checkAssistants({ run, baseUrl }: Site, { key = '' }: Pick<Request, 'key'>): Promise<void> {
  let sent: Sent = { operation: 'mcp' };
  const noted = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    sent = { operation: 'mcp', requestId: response.headers.get('x-request-id') ?? undefined };
    return response;
  };
  const client = new Client({ name: 'verify', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const options = { fetch: noted, requestInit: { headers: { authorization: `Bearer ${key}` } } };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(urlUnder(baseUrl, '/mcp')), options));
    const offered = (await client.listTools()).tools.map(({ name }) => name);
    const missing = tools.filter(({ name }) => !offered.includes(name));
    if (missing.length > 0) throw new Error(`it lacks the tools ${missing.map(({ name }) => name).join(', ')}`);
    const { isError, content } = await client.callTool({ name: 'getCaller', arguments: {} });
    if (isError || !JSON.stringify(content).includes(PARTNERS.payfair.id))
      throw new Error(`its tool getCaller responded with ${JSON.stringify(content)}`);
  } catch (error) {
    throw new Failure(`mcp: ${reasonOf(error as Error)}`, sent);
  } finally {
    await client.close();
  }
  run.note(sent);
}

interface Page {
  status: number;
  text: string;
  headers: Headers;
}

/** Opens a page. @throws Failure that says what it is not, unless it is so. */
async function open(
  { run, baseUrl }: Site,
  operation: FunctionName,
  path: string,
  [isSo, isNot]: [isSo: (page: Page) => boolean, isNot: string],
  cookie = '',
): Promise<Page> {
  const init: RequestInit = { redirect: 'manual', headers: { accept: '*/*', cookie } };
  const response = await fetch(new URL(path, baseUrl), init).catch((error) => {
    throw new Failure(reasonOf(error), { operation });
  });
  const { status, headers } = response;
  const page = { status, headers, text: await response.text() };
  const sent = { operation, requestId: headers.get('x-request-id') ?? undefined };
  const [, title = page.text.slice(0, 200)] = /<h1>(.*?)<\/h1>/.exec(page.text) ?? [];
  if (!isSo(page)) throw new Failure(`${operation}: ${path} ${isNot}: ${status} ${title}`, sent);
  run.note(sent);
  return page;
}

/** Where pages of the docs site would be. */
const OF_SITE = ['/', '/docs/', '/docs/quickstart/', '/reference/', '/docs/errors/not_found/', '/docs/no-such-page/'];

/**
 * The base URL serves no page with a script, whatever its status: what the docs site runs, which is others' code, would share the
 * origin of the console, and could act as the people who are signed in. The `type` of a problem leads elsewhere, or to its title.
 */
export async function checkNoSite({ baseUrl }: Pick<Site, 'baseUrl'>): Promise<void> {
  const get = (path: string) =>
    fetch(urlUnder(baseUrl, path), { redirect: 'manual', headers: { accept: 'text/html' } });
  const paths: string[] = [];
  for (const path of OF_SITE) if (/<script/i.test(await (await get(path)).text())) paths.push(path);
  if (paths.length > 0)
    throw new Failure(
      `the base URL serves pages with scripts, which could act as the people of the console: ${paths.join(', ')}. ` +
        'Serve the docs site on a host of its own, and name it in the row as siteUrl (docs/partners.md#the-docs-site)',
    );
  const { status, headers } = await get('/docs/errors/not_found');
  const leadsElsewhere =
    status === 308 && new URL(headers.get('location') ?? '', baseUrl).origin !== new URL(baseUrl).origin;
  if (status !== 200 && !leadsElsewhere)
    throw new Failure(`the type of a problem leads nowhere: /docs/errors/not_found responds with ${status}`);
}

/** The page of the console loads, with all files that it refers to. */
export async function checkConsole(site: Site): Promise<void> {
  const filesOf = ({ text }: Page) => [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)];
  const isPage = (page: Page) =>
    page.status === 200 && page.text.startsWith('<!doctype html>') && filesOf(page).length > 2;
  for (const path of ['/console', '/console/branches/any']) {
    const page = await open(site, 'openConsole', path, [isPage, 'is not the console’s page']);
    const isFile = ({ status, text }: Page) => status === 200 && text.length > 0;
    for (const [, file = ''] of filesOf(page)) await open(site, 'openConsole', file, [isFile, 'is not served']);
  }
}

/** A sign-in leads to the issuer, which knows this client: it refuses only the code of a forged callback. */
export async function checkSignIn(site: Site): Promise<void> {
  const begun = await open(site, 'signIn', '/console/sign-in', [
    ({ status }) => status === 303,
    'does not lead to the issuer',
  ]);
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const cookies = begun.headers.getSetCookie().map((each) => each.replace(/;.*/, ''));
  const path = `/console/callback?${new URLSearchParams({ code: 'forged', state })}`;
  const isRefused = ({ status, text }: Page) =>
    status >= 400 && status < 500 && !/Sign-in unavailable|Server error/.test(text);
  await open(site, 'callback', path, [isRefused, 'is not refused by the issuer'], cookies.join('; '));
}
