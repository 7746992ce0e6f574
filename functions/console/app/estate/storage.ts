import { promisifyRequest as read } from 'idb-keyval';
import { answered, databaseOf, LONGEST, recordsIn, written } from '../kept/database.ts';
import type { Owner } from '../kept/seal.ts';
import type { EstateStorage } from './follower.ts';

/** Beside the sealed records, random. */
const GENERATION = 'generation';

/** The estate that this browser keeps for an owner. Until the signal is aborted, it may be this tab's own. */
export async function openStorage(owner: Owner, signal: AbortSignal): Promise<EstateStorage> {
  const { name, run, ...sealed } = databaseOf('estate', owner);
  let isOwn = false;
  const hold = async () => {
    isOwn = !signal.aborted;
    if (isOwn) await new Promise((release) => signal.addEventListener('abort', release));
  };
  const lock = new Promise<void>((decide) => {
    const { locks } = navigator;
    const decided = locks.request(name, { ifAvailable: true }, (lock) => {
      decide();
      return lock ? hold() : locks.request(name, { signal }, hold);
    });
    decided.catch(() => decide());
  });
  await answered(() => lock);
  return {
    isOwn: () => isOwn && !signal.aborted,
    async load() {
      const recordsNow = async (store: IDBObjectStore) => {
        const records = await recordsIn(store);
        const generation = (records.get(GENERATION) as string | undefined) ?? crypto.randomUUID();
        if (!records.delete(GENERATION)) await read(store.put(generation, GENERATION));
        return { generation, records };
      };
      const { generation, records } = await answered(() => run('readwrite', recordsNow));
      return { generation, entries: await sealed.open(records).catch(() => new Map<string, string>()) };
    },
    async save(generation, entries, isAnew) {
      const records = await sealed.seal(entries);
      const write = async (store: IDBObjectStore) => {
        if ((await read(store.get(GENERATION))) !== generation) return false;
        if (isAnew) store.clear();
        for (const [record, value] of [[GENERATION, generation], ...records] as const) store.put(value, record);
        await written(store);
        return true;
      };
      return answered(() => run('readwrite', write), LONGEST.write);
    },
  };
}
