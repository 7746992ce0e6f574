import { clear, createStore, entries, get, set } from 'idb-keyval';
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
  query?(): Promise<{ held?: { name?: string }[] }>;
}

/** An import that was started. With the plan, a later version of the console sends the same requests. */
export interface StoredImport {
  /** Random. The keys of its requests derive from it. */
  id: string;
  fileName: string;
  /** When it was started, in milliseconds since 1970. */
  startedAt: number;
  plan: Plan;
  /** What a dry run has found of each branch, by its place in the plan. */
  known?: BranchState[];
}

/** The key of what was started. What became of its parts so far has their places as keys. */
export const STARTED = 'import';

/** What is stored, and the names of the databases, which end with the acquirer. */
const DATABASES = { import: 'estate-import-', change: 'estate-change-' };

/** The stored import, or change of many terminals, of an acquirer in this browser's IndexedDB. */
export function storageOf(acquirer: string, what: keyof typeof DATABASES = 'import'): Storage {
  const database = createStore(DATABASES[what] + acquirer, what);
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
  started: Omit<StoredImport, 'id' | 'startedAt'>,
): Promise<StoredImport | undefined> {
  if (await storage.get(STARTED)) return undefined;
  await storage.clear();
  const stored = { id: crypto.randomUUID(), startedAt: Date.now(), ...started };
  await storage.set(STARTED, stored);
  return stored;
}

/** Reads the stored import and what became of it so far; `undefined` if there is none. */
export async function loadImport(storage: Storage): Promise<{ stored: StoredImport; ledger: Ledger } | undefined> {
  const entries = Object.fromEntries(await storage.entries());
  const stored = entries[STARTED] as StoredImport | undefined;
  if (!stored) return undefined;
  const { plan, known = [] } = stored;
  const ledger = new Ledger(plan);
  for (const at of plan.branches.keys()) {
    const state = (entries[at] as BranchState | undefined) ?? known[at];
    if (state) ledger.add(at, { ...state, updates: known[at]?.updates ?? [] });
  }
  return { stored, ledger };
}

/** Stores what became of a branch so far. */
export const storeState = async (storage: Storage, at: number, state: BranchState): Promise<void> => {
  await storage.set(`${at}`, state);
};

/**
 * Removes the stored import or change, when it has finished and its report was taken, or when a person gives it up.
 *
 * @returns Whether it was removed: not while it runs, in this tab or another.
 */
export async function discardStored(storage: Storage, locks?: Locks): Promise<boolean> {
  const stored = (await storage.get(STARTED)) as StoredImport | undefined;
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

/** What is left of the stored change of many terminals; `undefined` if there is none that is not finished. */
export async function unfinishedChange(storage: Storage): Promise<{ title: string; left: number } | undefined> {
  const { [STARTED]: stored, ...outcomes } = Object.fromEntries(await storage.entries());
  if (!stored) return undefined;
  const { title, steps } = stored as { title: string; steps: unknown[] };
  const left = steps.length - Object.keys(outcomes).length;
  return left > 0 ? { title, left } : undefined;
}

/** Removes the imports and changes of all other acquirers from this browser. */
export async function forgetImports({ except }: { except: string[] }): Promise<void> {
  for (const [store, prefix] of Object.entries(DATABASES))
    await clearDatabases(
      prefix,
      store,
      except.map((id) => prefix + id),
    );
}

/**
 * Clears the databases of this browser whose names begin with a prefix.
 *
 * @param store The name of their object store.
 * @param except Names of databases that stay.
 */
export async function clearDatabases(prefix: string, store: string, except: string[]): Promise<void> {
  const { indexedDB } = globalThis as unknown as { indexedDB: { databases(): Promise<{ name?: string }[]> } };
  const databases = await indexedDB.databases();
  const names = databases.flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name] : []));
  await Promise.all(names.filter((name) => !except.includes(name)).map((name) => clear(createStore(name, store))));
}

const lockOf = (id: string): string => `estate-import-${id}`;

/** Whether an import runs, in this tab or another. */
export async function isRunning(id: string, locks: Locks | undefined = browserLocks()): Promise<boolean> {
  const { held = [] } = (await locks?.query?.()) ?? {};
  return held.some(({ name }) => name === lockOf(id));
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
  return locks.request(lockOf(id), { ifAvailable: true }, async (lock) => (lock ? run() : undefined));
}
