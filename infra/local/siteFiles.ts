import type { RequestListener } from 'node:http';
import { extname } from 'node:path';

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

/** Paths of functions, which never lead to a file. */
const API = /^\/((ext|api)\/|console(\/|\?|$))/;

/** Paths of the site. If one has no file, every client gets the page for unknown paths. */
const SITE = /^\/(docs|reference)(\/|$)/;

/**
 * Serves files, and leaves all other requests to another listener. A folder is served by its `index.html`. An unknown path of
 * the site gets a 404 with `404.html`, and so does any unknown path that a browser opens.
 *
 * @param files The files by their paths, without the leading slash. Requests outside the API wait for this promise.
 * @param others Serves all other requests.
 */
export const withSite =
  (files: Promise<Files>, others: RequestListener): RequestListener =>
  async (request, response) => {
    const { method = '', url = '', headers } = request;
    if (!['GET', 'HEAD'].includes(method) || API.test(url)) return others(request, response);
    const [path = ''] = url.slice(1).split('?');
    const contents = await files;
    if (contents.has(`${path}/index.html`)) return response.writeHead(308, { location: `/${path}/` }).end();
    const found = path.replace(/(^|\/)$/, '$1index.html');
    const isOfSite = SITE.test(`/${path}`) || headers.accept?.includes('text/html');
    const name = !contents.has(found) && isOfSite ? '404.html' : found;
    const content = contents.get(name);
    if (content === undefined) return others(request, response);
    response.writeHead(name === found ? 200 : 404, {
      'content-type': `${TYPES[extname(name)] ?? 'text/plain'}; charset=utf-8`,
      'content-length': Buffer.byteLength(content),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    return response.end(content);
  };
