import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server. `stop` closes it and its connections. */
export interface Served {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a server on a port of this machine, by default a free one. */
export async function serve(listener: RequestListener, port = 0): Promise<Served> {
  const server = createServer(listener);
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
