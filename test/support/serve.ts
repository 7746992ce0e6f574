import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call } from './api.ts';

/** A running server. `stop` ends it and its connections. */
export interface Served {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a server on a free port of this machine. */
export async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
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

/** The list of branches over HTTP: the real handler, on this file's table. */
export const listBranches: RequestListener = async ({ method, url, headers }, response) => {
  if (`${method} ${url}` !== 'GET /ext/api/v1/merchants') return response.writeHead(404).end();
  const answer = await call('listBranches', { key: headers['api-key'] as string });
  return response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
};
