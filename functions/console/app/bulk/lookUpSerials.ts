import type { Api, Schemas } from '../api/client.ts';
import { inPool, type RunOptions } from './pool.ts';

/** The terminal that has a serial number or, with `until`, had it last; nothing if neither is known. */
export type Holder = (Pick<Schemas['Terminal'], 'tid' | 'terminal_id'> & { until?: string }) | undefined;

/**
 * Finds out where serial numbers are or went, with one request for each.
 *
 * @throws Interrupted when it is stopped, and with the problem of a response as of a role that may not read.
 */
export async function lookUpSerials(
  api: Api,
  serials: readonly string[],
  { onProgress, ...options }: RunOptions<ReadonlyMap<string, Holder>>,
): Promise<ReadonlyMap<string, Holder>> {
  const found = new Map<string, Holder>();
  await inPool([[...serials]], options, async (serial_no, patience) => {
    const { data, problem } = await patience(() => api.GET('/ext/api/v1/find', { params: { query: { serial_no } } }));
    found.set(serial_no, data ? (data.data as Schemas['Terminal']) : problem.released);
    onProgress?.(found);
  });
  return found;
}
