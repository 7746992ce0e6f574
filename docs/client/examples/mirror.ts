import type { Client, Problem } from 'acquirer-partner-api-client';
import { apply, type Event, type Replica } from 'acquirer-partner-api-client/apply';

const failed = ({ code, detail, request_id }: Problem) => new Error(`${code}: ${detail} (request ${request_id})`);

function bodyOf<T>({ data, error }: { data?: T; error?: Problem }): T {
  if (error) throw failed(error);
  return data as T;
}

/**
 * Builds a replica from the lists. It is exact once all events after its cursor are applied, even if the estate changes
 * while the lists are read.
 *
 * @param limit Most terminals per page.
 */
export async function walk(api: Client, limit = 1_000): Promise<Replica> {
  const { meta } = bodyOf(await api.GET('/ext/api/v1/events', { params: { query: { after: 'now' } } }));
  const replica: Replica = { branches: new Map(), terminals: new Map(), cursor: meta.next };
  for (let page = 1, next: string | null = ''; next !== null; page += 1) {
    const query = { sort: 'asc', per_page: 100, page } as const;
    const { data, links } = bodyOf(await api.GET('/ext/api/v1/merchants', { params: { query } }));
    for (const branch of data) replica.branches.set(branch.mid, branch);
    next = links.next;
  }
  for (let after: string | undefined; ; ) {
    const query = after === undefined ? { limit } : { limit, after };
    const page = bodyOf(await api.GET('/ext/api/v1/terminals', { params: { query } }));
    for (const { branch: _, ...terminal } of page.data) replica.terminals.set(terminal.tid, terminal);
    if (page.meta.next === null) return replica;
    after = page.meta.next;
  }
}

/**
 * Brings a replica up to date. Builds a new one if there is none, or if its cursor has expired.
 *
 * @param save Stores the replica with its cursor. It is called after each page of events, with the events of that page.
 */
export async function update(
  api: Client,
  before: Replica | undefined,
  save: (replica: Replica, events: Event[]) => void,
): Promise<Replica> {
  const replica = before ?? (await walk(api));
  for (;;) {
    const { data, error } = await api.GET('/ext/api/v1/events', { params: { query: { after: replica.cursor } } });
    if (error?.code === 'cursor_expired') return update(api, undefined, save);
    if (error) throw failed(error);
    for (const event of data.data) apply(replica, event);
    replica.cursor = data.meta.next;
    save(replica, data.data);
    if (data.meta.up_to_date) return replica;
  }
}
