import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import { extname } from 'node:path';
import { pipeline } from 'node:stream';
import { joined, routed } from './gateway.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
};

/** What files hold, by their paths. */
export type Files = Map<string, string | Buffer>;

/** A running front server. `stop` ends it and its connections. */
export interface Front {
  stop: () => Promise<void>;
}

/** Of a single connection; each side has its own. How a body is encoded stays as it is. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

/** The headers to pass on, those that are repeated included. */
const endToEnd = ({ headers: { host }, headersDistinct }: IncomingMessage): OutgoingHttpHeaders => ({
  ...Object.fromEntries(Object.entries(headersDistinct).filter(([name]) => !HOP_BY_HOP.has(name))),
  // Node.js takes no list of those.
  ...(host !== undefined && { host }),
});

/** Where the API's own paths begin: no file is looked for there. */
const API = /^\/(ext|api)\//;

/**
 * Serves GET and HEAD of the paths of some files from these, of a folder from its `index.html`, and passes everything else
 * on to the server behind it, as it is. When that one breaks a connection off, the client's is broken off, too.
 *
 * @param port Where it listens, on this machine only.
 * @param behind The port of the server behind it.
 * @param files What the files hold, by their paths without the leading slash. Until they are there, requests for files wait.
 */
export async function startFront(port: number, behind: number, files: Promise<Files>): Promise<Front> {
  const agent = new Agent({ keepAlive: true });

  function pass(from: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = from;
    const headers = joined(endToEnd(from));
    const path = routed(method, url);
    const onward = request({ agent, host: '127.0.0.1', port: behind, method, path, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.statusMessage, endToEnd(upstream));
      // What fails is destroyed on both sides; there is nothing more to do about it.
      pipeline(upstream, response, () => {});
    });
    onward.on('error', () => response.headersSent || response.destroy());
    response.once('close', () => response.writableFinished || onward.destroy());
    from.pipe(onward);
  }

  const server = createServer(async (from, response) => {
    const { method = '', url = '' } = from;
    if (!['GET', 'HEAD'].includes(method) || API.test(url)) return pass(from, response);
    const [path = ''] = url.slice(1).split('?');
    const name = path.replace(/(^|\/)$/, '$1index.html');
    const held = await files;
    if (held.has(`${path}/index.html`)) return response.writeHead(308, { location: `/${path}/` }).end();
    const content = held.get(name);
    if (content === undefined) return pass(from, response);
    response.writeHead(200, {
      'content-type': `${TYPES[extname(name)] ?? 'text/plain'}; charset=utf-8`,
      'content-length': Buffer.byteLength(content),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(content);
  });
  // Of what is no HTTP the server behind would say the same.
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else socket.destroy();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
