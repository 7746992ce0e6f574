import { Problem } from '../../lib/base/problem.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

/** Every method and path that is no operation, so that these too are refused as the interface says (§5, §7). */
async function refuse(): Promise<never> {
  throw new Problem('not_found', 'There is no such operation; check the method and the path.');
}

export const handler = endpoint(refuse);
