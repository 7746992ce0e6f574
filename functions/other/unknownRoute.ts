import { Problem } from '../../lib/base/problem.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

/** Any other method and path. Responds with 401 without a valid API key, otherwise 404. */
async function notFound(): Promise<never> {
  throw new Problem('not_found', 'No such operation. Check the method and the path.');
}

export const handler = endpoint(notFound);
