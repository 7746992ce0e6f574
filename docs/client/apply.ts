import type { components } from './schema.d.ts';

export type Event = components['schemas']['Event'];
export type Branch = components['schemas']['ListedBranch'];
/** A terminal, with what only the list of all terminals has. */
export type Terminal = components['schemas']['Terminal'] & { last_seen_at?: string | null };

/** A copy of an estate. */
export interface Replica {
  /** By MID. */
  branches: Map<string, Branch>;
  /** By TID. */
  terminals: Map<string, Terminal>;
  /** All events up to this cursor are applied. */
  cursor: string;
}

/** Items by their keys, as in a `Map`. */
interface Items<Item> {
  get(key: string): Item | undefined;
  set(key: string, item: Item): unknown;
  delete(key: string): unknown;
}

/** A copy that is not made of maps. It finds the terminals of a branch itself. */
export interface Copy {
  branches: Items<Branch>;
  terminals: Items<Terminal>;
  terminalsOf(mid: string): Iterable<Terminal>;
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

/**
 * Applies an event to a copy. Call it in the order of the events. The first ones may be older than the state of the copy.
 * Types of events that it does not know change nothing.
 */
export function apply(copy: Replica | Copy, event: Event): void {
  const { branches, terminals }: { branches: Items<Branch>; terminals: Items<Terminal> } = copy;
  const { at, branch } = event;
  /** Keeps what events lack. */
  const put = (terminal: Terminal) => terminals.set(terminal.tid, { ...terminals.get(terminal.tid), ...terminal });
  /** A branch to which a terminal was added, or from which it was removed. */
  function touch(mid = branch.mid) {
    const known = branches.get(mid);
    if (known) branches.set(mid, { ...known, updated_at: later(known.updated_at, at) });
  }
  /** Changes the status of a branch and of some of its terminals. */
  function changeStatus(data: Branch, status: Status, isChanged: (terminal: Terminal) => boolean) {
    branches.set(data.mid, listed(data));
    const all = 'terminalsOf' in copy ? copy.terminalsOf(data.mid) : copy.terminals.values();
    for (const each of [...all].filter(({ mid }) => mid === data.mid).filter(isChanged))
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
