import type { RequestListener } from 'node:http';
import { call } from './api.ts';

/** An HTTP server's listener for the list of branches: the real handler, on this file's table. */
export const listBranches: RequestListener = async ({ method, url, headers }, response) => {
  if (`${method} ${url}` !== 'GET /ext/api/v1/merchants') return response.writeHead(404).end();
  const result = await call('listBranches', { key: headers['api-key'] as string });
  return response.writeHead(result.status, result.headers).end(JSON.stringify(result.body));
};
