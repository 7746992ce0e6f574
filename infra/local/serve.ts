import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server. `stop` closes it and its connections. */
export interface Served {
  url: string;
  stop: () => Promise<void>;
}

/** A `Host` by which this machine reaches its own servers. */
const OWN_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/** Starts a server on a port of this machine, by default a free one. */
export async function serve(listener: RequestListener, port = 0): Promise<Served> {
  const server = createServer((request, response) => {
    if (OWN_HOST.test(request.headers.host ?? '')) return listener(request, response);
    // A page whose name leads to this machine could otherwise read what it serves (DNS rebinding; RFC 9110 §15.5.20).
    const own = `http://127.0.0.1:${request.socket.localPort}/`;
    return response.writeHead(421, { connection: 'close' }).end(`This server is for this machine only: open ${own}\n`);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
