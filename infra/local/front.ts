import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { requested, responded, routed } from './gateway.ts';
import { type Served, serve } from './serve.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.tgz': 'application/gzip',
};

export type Files = Map<string, string | Buffer>;

/** An agent of its own uses no proxy of the environment: https://nodejs.org/api/http.html#built-in-proxy-support */
const agent = new Agent({ keepAlive: true });

/** Paths of functions, which never lead to a file. */
const API = /^\/((ext|api)\/|console(\/|\?|$))/;

/** Paths of the site. If one has no file, every client gets the page for unknown paths. */
const SITE = /^\/(docs|reference)(\/|$)/;

/**
 * Serves files, and forwards all other requests to an upstream server. A folder is served by its `index.html`. An unknown
 * path of the site gets a 404 with `404.html`, and so does any unknown path that a browser opens. If the upstream server
 * closes a connection, the client's is closed too.
 *
 * @param port The port to listen on, on this machine only.
 * @param upstreamPort The port of the upstream server.
 * @param files The files by their paths, without the leading slash. Requests outside the API wait for this promise.
 */
export function startFront(port: number, upstreamPort: number, files: Promise<Files>): Promise<Served> {
  async function forward(from: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = '', url = '' } = from;
    const path = routed(method, url);
    const headers = requested(method, from.headersDistinct);
    const onward = request({ host: '127.0.0.1', port: upstreamPort, method, path, headers, agent });
    // Also after the response has begun, when nothing else listens.
    onward.on('error', () => response.destroy());
    response.once('close', () => response.writableFinished || onward.destroy());
    from.pipe(onward);
    const [upstream] = (await once(onward, 'response')) as [IncomingMessage];
    const status = upstream.statusCode ?? 502;
    response.writeHead(status, upstream.statusMessage, responded(upstream.headersDistinct));
    return pipeline(upstream, response);
  }

  async function respond(from: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = '', url = '', headers } = from;
    if (!['GET', 'HEAD'].includes(method) || API.test(url)) return forward(from, response);
    const [path = ''] = url.slice(1).split('?');
    const contents = await files;
    if (contents.has(`${path}/index.html`)) return response.writeHead(308, { location: `/${path}/` }).end();
    const found = path.replace(/(^|\/)$/, '$1index.html');
    const isOfSite = SITE.test(`/${path}`) || headers.accept?.includes('text/html');
    const name = !contents.has(found) && isOfSite ? '404.html' : found;
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

  return serve((from, response) => {
    // The client or the upstream server has closed its connection.
    respond(from, response).catch(() => response.destroy());
  }, port);
}
