import { clear, createStore, entries, get, set } from 'idb-keyval';
import type { Mapping } from './columns.ts';
import { type BranchState, Ledger } from './ledger.ts';
import type { Plan } from './plan.ts';

/** Where an import is stored; a `Map` of strings is one. */
export interface Storage {
  get(key: string): unknown;
  set(key: string, value: unknown): unknown;
  entries(): Iterable<[string, unknown]> | Promise<Iterable<[string, unknown]>>;
  clear(): unknown;
}

/** The Web Locks API, as far as it is needed here. */
export interface Locks {
  request<T>(name: string, options: { ifAvailable: true }, run: (lock: unknown) => Promise<T>): Promise<T>;
}

/** An import that was started. With the plan, a later version of the console sends the same requests. */
export interface StoredImport {
  /** Random. The keys of its requests derive from it. */
  id: string;
  fileName: string;
  /** When it was started, in milliseconds since 1970. */
  startedAt: number;
  header: string[];
  mapping: Mapping;
  plan: Plan;
}

/** The key of the import. The states of its branches have their places in the plan as keys. */
const IMPORT = 'import';

/** The stored import of an acquirer in this browser's IndexedDB. */
export function storageOf(acquirer: string): Storage {
  const database = createStore(`estate-import-${acquirer}`, 'import');
  return {
    get: (key) => get(key, database),
    set: (key, value) => set(key, value, database),
    entries: () => entries<string, unknown>(database),
    clear: () => clear(database),
  };
}

/**
 * Stores a new import, before its first request.
 *
 * @returns `undefined` if there is another one, which must be finished or discarded first.
 */
export async function storeImport(
  storage: Storage,
  { fileName, header, mapping, plan }: Pick<StoredImport, 'fileName' | 'header' | 'mapping' | 'plan'>,
): Promise<StoredImport | undefined> {
  if (await storage.get(IMPORT)) return undefined;
  await storage.clear();
  const stored = { id: crypto.randomUUID(), fileName, startedAt: Date.now(), header, mapping, plan };
  await storage.set(IMPORT, stored);
  return stored;
}

/** Reads the stored import and what became of it so far; `undefined` if there is none. */
export async function loadImport(storage: Storage): Promise<{ stored: StoredImport; ledger: Ledger } | undefined> {
  const { [IMPORT]: stored, ...states } = Object.fromEntries(await storage.entries());
  if (!stored) return undefined;
  const ledger = new Ledger((stored as StoredImport).plan);
  for (const [at, state] of Object.entries(states)) ledger.add(Number(at), state as BranchState);
  return { stored: stored as StoredImport, ledger };
}

/** Stores what became of a branch so far. */
export const storeState = async (storage: Storage, at: number, state: BranchState): Promise<void> => {
  await storage.set(`${at}`, state);
};

/**
 * Removes the stored import, when it has finished and its report was taken, or when a person gives it up.
 *
 * @returns Whether it was removed: not while it runs, in this tab or another.
 */
export async function discardImport(storage: Storage, locks?: Locks): Promise<boolean> {
  const stored = (await storage.get(IMPORT)) as StoredImport | undefined;
  if (!stored) return true;
  const removed = await exclusively(
    stored.id,
    async () => {
      await storage.clear();
      return true;
    },
    locks,
  );
  return removed ?? false;
}

const browserLocks = (): Locks | undefined => (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;

/**
 * Runs something for an import, unless it runs already, in this tab or another.
 *
 * @param locks By default the browser's, if it has any.
 * @returns `undefined` if it runs already.
 */
export async function exclusively<T>(
  id: string,
  run: () => Promise<T>,
  locks: Locks | undefined = browserLocks(),
): Promise<T | undefined> {
  if (!locks) return run();
  return locks.request(`estate-import-${id}`, { ifAvailable: true }, async (lock) => (lock ? run() : undefined));
}
