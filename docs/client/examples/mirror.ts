import type { Client, components, Problem } from 'acquirer-partner-api-client';

export type Event = components['schemas']['Event'];
export type Terminal = components['schemas']['Terminal'];
export type Branch = components['schemas']['ListedBranch'];

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

/** Keeps the fields of the list. */
const listed = ({ mid, merchant_name, area, city, status, created_at, updated_at, ...others }: Branch): Branch => {
  const { master_merchant_name, master_merchant_id, archived_at } = others;
  const business = { master_merchant_name, master_merchant_id };
  return { mid, merchant_name, area, city, ...business, status, created_at, updated_at, archived_at };
};

const later = (one: string, other: string): string => (one > other ? one : other);

type Status = Pick<Terminal, 'status' | 'archived_at' | 'archive_reason'>;
const ACTIVE: Status = { status: 'active', archived_at: null, archive_reason: null };

/** Applies an event. Call it in the order of the events. The first ones may be older than the state of the replica. */
export function apply({ branches, terminals }: Replica, event: Event): void {
  const { at, branch } = event;
  const put = (terminal: Terminal) => terminals.set(terminal.tid, terminal);
  /** A branch to which a terminal was added, or from which it was removed. */
  function touch(mid = branch.mid) {
    const known = branches.get(mid);
    if (known) branches.set(mid, { ...known, updated_at: later(known.updated_at, at) });
  }
  /** Changes the status of a branch and of some of its terminals. */
  function changeStatus(data: Branch, status: Status, isChanged: (terminal: Terminal) => boolean) {
    branches.set(data.mid, listed(data));
    for (const each of [...terminals.values()].filter(({ mid }) => mid === data.mid).filter(isChanged))
      put({ ...each, ...status, updated_at: later(each.updated_at, at) });
  }
  switch (event.type) {
    case 'branch.created':
      branches.set(event.data.mid, listed(event.data));
      event.data.terminals.forEach(put);
      break;
    case 'branch.updated':
      branches.set(event.data.mid, listed(event.data));
      break;
    case 'branch.archived': {
      const archived: Status = { status: 'archived', archived_at: at, archive_reason: 'Archived with its branch.' };
      changeStatus(event.data, archived, ({ status }) => status === 'active');
      break;
    }
    case 'branch.restored': {
      // A terminal that was archived at the same time was archived with the branch.
      changeStatus(event.data, ACTIVE, ({ archived_at }) => archived_at === event.changes?.archived_at);
      break;
    }
    case 'terminals.created':
      event.data.forEach(put);
      touch();
      break;
    case 'terminal.updated': {
      // It shows the status that was read before the update. Only other events change the status.
      const { status, archived_at, archive_reason, updated_at } = terminals.get(event.data.tid) ?? event.data;
      const known = { status, archived_at, archive_reason };
      put({ ...event.data, ...known, updated_at: later(updated_at, event.data.updated_at) });
      break;
    }
    case 'terminal.archived':
    case 'terminal.restored':
      put(event.data);
      break;
    case 'terminal.reassigned':
    case 'terminal.joined':
      put(event.data);
      touch();
      if (event.changes?.mid) touch(event.changes.mid);
      break;
    case 'terminal.deleted':
    case 'terminal.left':
      terminals.delete(event.data.tid);
      touch();
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
    const { data, links } = bodyOf(await api.GET('/ext/api/v1/terminals/{mid}', { params: { path: { mid }, query } }));
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
    for (const branch of data) {
      replica.branches.set(branch.mid, branch);
      for (const terminal of await terminalsOf(api, branch.mid, most)) replica.terminals.set(terminal.tid, terminal);
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
