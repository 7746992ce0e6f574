import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isPreflight, preflightHeaders, readableHeaders, requested, responded, routed } from './gateway.ts';
import { serve } from './serve.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
};

/** Contents of files, by path. */
export type Files = Map<string, string | Buffer>;

/** A running front server. `stop` ends it and its connections. */
export interface Front {
  stop: () => Promise<void>;
}

/**
 * Headers of a single connection, which are not forwarded. `transfer-encoding` is not among them: bodies are forwarded in
 * the same form.
 */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

/** The headers to forward, including repeated ones. */
const endToEnd = ({ headers: { host }, headersDistinct }: IncomingMessage): OutgoingHttpHeaders => ({
  ...Object.fromEntries(Object.entries(headersDistinct).filter(([name]) => !HOP_BY_HOP.has(name))),
  // Node.js does not accept a list of values for this one.
  ...(host !== undefined && { host }),
});

/** Paths of functions, which never lead to a file. */
const API = /^\/((ext|api)\/|console(\/|\?|$))/;

/** Paths of the site. If one has no file, every client gets the page for unknown paths. */
const SITE = /^\/(docs|reference)(\/|$)/;
const NOT_FOUND = '404.html';

/**
 * Serves files, and forwards all other requests to an upstream server. A folder is served by its `index.html`. An unknown
 * path of the site gets a 404 with `404.html`, and so does any unknown path that a browser opens. If the upstream server
 * closes a connection, the client's is closed too.
 *
 * @param port The port to listen on, on this machine only.
 * @param upstreamPort The port of the upstream server.
 * @param files The files by their paths, without the leading slash. Requests outside the API wait for this promise.
 * @param siteOrigin The origin of a docs site elsewhere whose pages may send requests (CORS).
 */
export async function startFront(
  port: number,
  upstreamPort: number,
  files: Promise<Files>,
  siteOrigin?: string,
): Promise<Front> {
  const agent = new Agent({ keepAlive: true });

  async function forward(from: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = from;
    if (siteOrigin !== undefined && isPreflight(from)) {
      response.writeHead(204, preflightHeaders(from, siteOrigin)).end();
      return;
    }
    const headers = requested(method, endToEnd(from));
    const onward = request({
      agent,
      host: '127.0.0.1',
      port: upstreamPort,
      method,
      path: routed(method, url),
      headers,
    });
    // Also after the response has begun, when nothing else listens.
    onward.on('error', () => response.destroy());
    response.once('close', () => response.writableFinished || onward.destroy());
    from.pipe(onward);
    const [upstream] = (await once(onward, 'response')) as [IncomingMessage];
    response.writeHead(upstream.statusCode ?? 502, upstream.statusMessage, {
      ...responded(endToEnd(upstream)),
      ...readableHeaders(from, siteOrigin),
    });
    await pipeline(upstream, response);
  }

  async function respond(from: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = '', url = '', headers } = from;
    if (!['GET', 'HEAD'].includes(method) || API.test(url)) return forward(from, response);
    const [path = ''] = url.slice(1).split('?');
    const contents = await files;
    if (contents.has(`${path}/index.html`)) return response.writeHead(308, { location: `/${path}/` }).end();
    const found = path.replace(/(^|\/)$/, '$1index.html');
    const isOfSite = SITE.test(`/${path}`) || headers.accept?.includes('text/html');
    const name = !contents.has(found) && isOfSite ? NOT_FOUND : found;
    const content = contents.get(name);
    if (content === undefined) return forward(from, response);
    response.writeHead(name === found ? 200 : 404, {
      'content-type': `${TYPES[extname(name)] ?? 'text/plain'}; charset=utf-8`,
      'content-length': Buffer.byteLength(content),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    return response.end(content);
  }

  const { stop } = await serve((from, response) => {
    // The client or the upstream server has closed its connection.
    respond(from, response).catch(() => response.destroy());
  }, port);
  return {
    stop: async () => {
      agent.destroy();
      await stop();
    },
  };
}
