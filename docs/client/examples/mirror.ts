import type { Client, components, Problem } from 'acquirer-partner-api-client';

export type Event = components['schemas']['Event'];
export type Terminal = components['schemas']['Terminal'];
export type Branch = components['schemas']['ListedBranch'] & { archived_at: string | null };

/** A copy of your estate. Replace the maps with two tables of your database. */
export interface Replica {
  /** By MID. */
  branches: Map<string, Branch>;
  /** By TID. */
  terminals: Map<string, Terminal>;
  /** All events up to this cursor are applied. */
  cursor: string;
}

const failed = ({ code, detail, request_id }: Problem) => new Error(`${code}: ${detail} (request ${request_id})`);

function bodyOf<T>({ data, error }: { data?: T; error?: Problem }): T {
  if (error) throw failed(error);
  return data as T;
}

/** Keeps the fields of the list, and `archived_at`. Others, such as `terminal_count`, change without a branch event. */
const listed = ({ mid, merchant_name, area, city, status, created_at, archived_at, ...business }: Branch): Branch => {
  const { master_merchant_name, master_merchant_id } = business;
  return { mid, merchant_name, area, city, master_merchant_name, master_merchant_id, status, created_at, archived_at };
};

/** A terminal as the API returns it after its branch was archived. */
const archivedWith = (archived_at: string, terminal: Terminal): Terminal => ({
  ...terminal,
  status: 'archived',
  archived_at,
  archive_reason: 'Archived with its branch.',
  updated_at: terminal.updated_at > archived_at ? terminal.updated_at : archived_at,
});

const isActive = ({ status }: { status: string }) => status === 'active';

/** Applies an event. Call it in the order of the events. The first ones may be older than the state of the replica. */
export function apply({ branches, terminals }: Replica, event: Event): void {
  function put(terminal: Terminal) {
    const { archived_at = null } = branches.get(terminal.mid) ?? {};
    // The event shows an active terminal in an active branch. If that branch is archived by now, so is the terminal.
    const isCovered = archived_at && isActive(terminal) && isActive(event.branch);
    terminals.set(terminal.tid, isCovered ? archivedWith(archived_at, terminal) : terminal);
  }
  switch (event.type) {
    case 'branch.created':
      branches.set(event.data.mid, listed(event.data));
      event.data.terminals.forEach(put);
      break;
    case 'branch.archived': {
      const { mid, archived_at } = event.data;
      branches.set(mid, listed(event.data));
      for (const terminal of terminals.values())
        if (archived_at && terminal.mid === mid && isActive(terminal))
          terminals.set(terminal.tid, archivedWith(archived_at, terminal));
      break;
    }
    case 'terminals.created':
      event.data.forEach(put);
      break;
    case 'terminal.updated':
    case 'terminal.archived':
    case 'terminal.restored':
    case 'terminal.reassigned':
    case 'terminal.joined':
      put(event.data);
      break;
    case 'terminal.deleted':
    case 'terminal.left':
      terminals.delete(event.data.tid);
  }
}

/** A terminal that is deleted and created again has the same TID, but another place in the list. */
const nameOf = ({ tid, created_at }: Terminal) => `${tid} ${created_at}`;

/** Of the pages that include item number `end`, counted from 1, returns the one that reaches furthest. */
function pageAt(end: number, most: number) {
  const pages = Array.from({ length: most }, (_, at) => ({ per_page: most - at, page: Math.ceil(end / (most - at)) }));
  const endOf = ({ page, per_page }: { page: number; per_page: number }) => page * per_page;
  return pages.reduce((best, each) => (endOf(each) > endOf(best) ? each : best));
}

/**
 * Reads all terminals of a branch. Each page must begin with a terminal of the page before. If it does not, terminals
 * have left the branch and others have moved up to earlier pages, so it goes back.
 */
async function terminalsOf(api: Client, mid: string, most: number): Promise<Terminal[]> {
  const read = new Map<string, Terminal>();
  for (let end = 1; ; ) {
    const query = { sort: 'asc', ...pageAt(end, most) } as const;
    const { data, links } = bodyOf(
      await api.GET('/ext/api/v1/terminals/{id}', { params: { path: { id: mid }, query } }),
    );
    const isJoined = data.slice(0, 1).some((first) => read.has(nameOf(first)));
    if (query.page > 1 && !isJoined) end = (query.page - 1) * query.per_page;
    else {
      for (const terminal of data) read.set(nameOf(terminal), terminal);
      if (links.next === null) return [...read.values()];
      end = query.page * query.per_page;
    }
  }
}

/**
 * Builds a replica from the lists. It is exact once all events after its cursor are applied, even if the estate changes
 * while the lists are read.
 *
 * @param most Items per page.
 */
export async function walk(api: Client, most = 100): Promise<Replica> {
  const { meta } = bodyOf(await api.GET('/ext/api/v1/events', { params: { query: { after: 'now' } } }));
  const replica: Replica = { branches: new Map(), terminals: new Map(), cursor: meta.next };
  for (let page = 1, next: string | null = ''; next !== null; page += 1) {
    const query = { sort: 'asc', per_page: most, page } as const;
    const { data, links } = bodyOf(await api.GET('/ext/api/v1/merchants', { params: { query } }));
    for (const shown of data) {
      const { mid } = shown;
      // The list has no `archived_at`.
      const branch = isActive(shown)
        ? { ...shown, archived_at: null }
        : bodyOf(await api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid } } })).data;
      replica.branches.set(mid, listed(branch));
      for (const terminal of await terminalsOf(api, mid, most)) replica.terminals.set(terminal.tid, terminal);
    }
    next = links.next;
  }
  return replica;
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
