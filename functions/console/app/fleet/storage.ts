import { createStore, promisifyRequest as read } from 'idb-keyval';
import { clearDatabases } from '../estate/store.ts';
import type { FleetStorage } from './engine.ts';

const PREFIX = 'fleet-';
const STORE = 'fleet';
const GENERATION = 'generation';

/** The name of the estate of an acquirer in the browser of a person. */
export const fleetName = (acquirer: string, person: string): string => `${PREFIX}${acquirer}-${person}`;

/** Removes all estates but those with these names. Tabs that show them store nothing more. */
export const forgetFleets = (except: string[]): Promise<void> => clearDatabases(PREFIX, STORE, except);

/** The stored estate with a name in this browser's IndexedDB. Until the signal is aborted, it may be this tab's own. */
export async function openStorage(name: string, signal: AbortSignal): Promise<FleetStorage> {
  let isOwn = false;
  const hold = async () => {
    isOwn = !signal.aborted;
    if (isOwn) await new Promise((release) => signal.addEventListener('abort', release));
  };
  await new Promise<void>((decide) => {
    const { locks } = navigator;
    const decided = locks.request(name, { ifAvailable: true }, (lock) => {
      decide();
      return lock ? hold() : locks.request(name, { signal }, hold);
    });
    decided.catch(() => decide());
  });
  const database = createStore(name, STORE);
  return {
    isOwn: () => isOwn && !signal.aborted,
    load: () =>
      database('readwrite', async (store) => {
        const [keys, values] = await Promise.all([read(store.getAllKeys()), read(store.getAll())]);
        const entries = new Map(keys.map((key, at) => [String(key), values[at] as unknown]));
        const generation = (entries.get(GENERATION) as string | undefined) ?? crypto.randomUUID();
        if (!entries.has(GENERATION)) await read(store.put(generation, GENERATION));
        return { generation, entries };
      }),
    save: (generation, entries, isAnew) =>
      database('readwrite', async (store) => {
        if ((await read(store.get(GENERATION))) !== generation) return false;
        if (isAnew) store.clear();
        for (const [key, value] of [[GENERATION, generation], ...entries] as const) store.put(value, key);
        return new Promise((resolve, reject) => {
          store.transaction.oncomplete = () => resolve(true);
          store.transaction.onabort = () => reject(store.transaction.error);
        });
      }),
  };
}
