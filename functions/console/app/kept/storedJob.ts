/** Where a job is stored: an import, whose tasks are branches, or a change of many terminals. A `Map` is one. */
export interface Storage {
  set(key: string, value: unknown): unknown;
  entries(): Iterable<[string, unknown]> | Promise<Iterable<[string, unknown]>>;
  clear(): unknown;
}

/** The Web Locks API, as far as it is needed here. */
export interface Locks {
  request<T>(name: string, options: { ifAvailable: true }, run: (lock: unknown) => Promise<T>): Promise<T>;
  query?(): Promise<{ held?: { name?: string }[] }>;
}

export interface Stored {
  /** Random. The keys of its requests derive from it. */
  id: string;
  /** In milliseconds since 1970. */
  startedAt: number;
}

/** The key of what was started. The outcome of a task has its index as key. Changes are stored with `import` too. */
const STARTED = 'import';

/**
 * Stores a new job, before its first request.
 *
 * @returns `false` if there is another one, which must be finished or discarded first.
 */
export async function storeJob<Job extends Stored>(storage: Storage, started: Omit<Job, keyof Stored>) {
  if (await loadJob(storage)) return false;
  await storage.clear();
  await storage.set(STARTED, { id: crypto.randomUUID(), startedAt: Date.now(), ...started });
  return true;
}

/** Reads the stored job and the outcomes of its tasks so far, by their indexes; `undefined` if there is none. */
export async function loadJob<Job extends Stored, State>(storage: Storage) {
  const { [STARTED]: stored, ...outcomes } = Object.fromEntries(await storage.entries());
  const states = new Map(Object.entries(outcomes).map(([at, state]) => [Number(at), state as State]));
  return stored ? { stored: stored as Job, states } : undefined;
}

/**
 * Runs a stored job, from where it was stopped or its tab was closed.
 *
 * @returns `undefined` if it runs in another tab, or was discarded there.
 */
export async function resumeJob<Found extends { stored: Stored }, Done>(
  load: () => Promise<Found | undefined>,
  run: (found: Found) => Promise<Done>,
  locks?: Locks,
): Promise<Done | undefined> {
  const id = (await load())?.stored.id;
  if (id === undefined) return undefined;
  const runNow = async () => {
    // Another tab may have run or discarded it until now.
    const now = await load();
    return now?.stored.id === id ? run(now) : undefined;
  };
  return exclusively(id, runNow, locks);
}

/** Removes the stored job. Returns `false` if it stays, because it runs in this tab or another. */
export async function discardStored(storage: Storage): Promise<boolean> {
  const found = await loadJob(storage);
  const remove = async () => {
    await storage.clear();
    return true;
  };
  return found === undefined || ((await exclusively(found.stored.id, remove)) ?? false);
}

/** The lock of a job of either kind. */
const lockOf = (id: string): string => `job-${id}`;
const browserLocks = (): Locks | undefined => (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;

/** Whether a job runs, in this tab or another. */
export async function isRunning(id: string): Promise<boolean> {
  const { held = [] } = (await browserLocks()?.query?.()) ?? {};
  return held.some(({ name }) => name === lockOf(id));
}

/** Runs something for a job, unless it runs already, in this tab or another: then returns `undefined`. */
async function exclusively<T>(id: string, run: () => Promise<T>, locks = browserLocks()): Promise<T | undefined> {
  if (!locks) return run();
  return locks.request(lockOf(id), { ifAvailable: true }, async (lock) => (lock ? run() : undefined));
}
