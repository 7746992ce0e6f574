import type { Api, Schemas } from './client.ts';
import { Interrupted } from './interrupted.ts';
import type { Patience } from './patience.ts';

/**
 * Reads all terminals of a branch, at most 1,000, the oldest first. Starts again if terminals were added or removed
 * meanwhile, because others can then be missing.
 *
 * @throws Interrupted with the problem of a response.
 */
export async function readTerminals(api: Api, patience: Patience, mid: string): Promise<Schemas['Terminal'][]> {
  const terminals: Schemas['Terminal'][] = [];
  for (let page = 1, total: number | undefined; ; page += 1) {
    const params = { path: { mid }, query: { sort: 'asc', per_page: 100, page } } as const;
    const { data, problem } = await patience(() => api.GET('/ext/api/v1/terminals/{mid}', { params }));
    if (problem) throw new Interrupted(problem);
    if (page > 1 && data.meta.total !== total) {
      [page, total] = [0, undefined];
      terminals.length = 0;
      continue;
    }
    total = data.meta.total;
    terminals.push(...data.data);
    if (data.links.next === null) return terminals;
  }
}

/**
 * Reads when the terminals of a branch were last seen, by TID.
 *
 * @throws Interrupted with the problem of a response.
 */
export async function readLastSeen(api: Api, patience: Patience, mid: string): Promise<Map<string, string>> {
  const params = { query: { mid } };
  const { data, problem } = await patience(() => api.GET('/console/api/last-seen', { params }));
  if (problem) throw new Interrupted(problem);
  return new Map(data.data.map(({ tid, last_seen_at }) => [tid, last_seen_at]));
}

/** As {@link readTerminals}, each with when it was last seen. */
export async function readSeenTerminals(api: Api, patience: Patience, mid: string) {
  const [terminals, seen] = await Promise.all([readTerminals(api, patience, mid), readLastSeen(api, patience, mid)]);
  return terminals.map((terminal) => ({ ...terminal, last_seen_at: seen.get(terminal.tid) ?? null }));
}

/**
 * Reads all terminals, those of the oldest branch first, a page at a time.
 *
 * @throws Interrupted with the problem of a response.
 */
export async function* terminalPages(
  api: Api,
  patience: Patience,
  limit: number,
  headers: Record<string, string> = {},
): AsyncGenerator<Schemas['TerminalWithBranch'][], void> {
  for (let after: string | null | undefined; after !== null; ) {
    const params = { query: { limit, ...(after !== undefined && { after }) } };
    const { data, problem } = await patience(() => api.GET('/ext/api/v1/terminals', { params, headers }));
    if (problem) throw new Interrupted(problem);
    yield data.data;
    after = data.meta.next;
  }
}
