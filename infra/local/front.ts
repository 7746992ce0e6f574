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

/** Contents of files, by path. */
export type Files = Map<string, string | Buffer>;

/** A running front server. `stop` ends it and its connections. */
export interface Front {
  stop: () => Promise<void>;
}

/**
 * Headers of a single connection, which are not forwarded. `transfer-encoding` is not among them: bodies are piped as
 * they are.
 */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

/** The headers to forward, including repeated ones. */
const endToEnd = ({ headers: { host }, headersDistinct }: IncomingMessage): OutgoingHttpHeaders => ({
  ...Object.fromEntries(Object.entries(headersDistinct).filter(([name]) => !HOP_BY_HOP.has(name))),
  // Node.js does not accept a list of values for this one.
  ...(host !== undefined && { host }),
});

/** Paths of the API, which never lead to a file. */
const API = /^\/(ext|api)\//;

/**
 * Serves files, and forwards all other requests to an upstream server. A folder is served by its `index.html`. If the
 * upstream server closes a connection, the client's is closed too.
 *
 * @param port The port to listen on, on this machine only.
 * @param upstreamPort The port of the upstream server.
 * @param files The files by their paths, without the leading slash. Requests outside the API wait for this promise.
 */
export async function startFront(port: number, upstreamPort: number, files: Promise<Files>): Promise<Front> {
  const agent = new Agent({ keepAlive: true });

  function forward(from: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = from;
    const headers = joined(endToEnd(from));
    const path = routed(method, url);
    const onward = request({ agent, host: '127.0.0.1', port: upstreamPort, method, path, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.statusMessage, endToEnd(upstream));
      // `pipeline` destroys both sides on failure, so there is nothing to handle.
      pipeline(upstream, response, () => {});
    });
    onward.on('error', () => response.headersSent || response.destroy());
    response.once('close', () => response.writableFinished || onward.destroy());
    from.pipe(onward);
  }

  const server = createServer(async (from, response) => {
    const { method = '', url = '' } = from;
    if (!['GET', 'HEAD'].includes(method) || API.test(url)) return forward(from, response);
    const [path = ''] = url.slice(1).split('?');
    const name = path.replace(/(^|\/)$/, '$1index.html');
    const contents = await files;
    if (contents.has(`${path}/index.html`)) return response.writeHead(308, { location: `/${path}/` }).end();
    const content = contents.get(name);
    if (content === undefined) return forward(from, response);
    response.writeHead(200, {
      'content-type': `${TYPES[extname(name)] ?? 'text/plain'}; charset=utf-8`,
      'content-length': Buffer.byteLength(content),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(content);
  });
  // As the upstream server responds to malformed HTTP.
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
