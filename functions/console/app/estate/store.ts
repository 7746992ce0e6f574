import { promisifyRequest as read } from 'idb-keyval';
import { answered, databaseOf, LONGEST, written } from '../kept/database.ts';
import { deflated, inflated } from '../kept/deflate.ts';
import type { Owner } from '../kept/seal.ts';
import type { EstateStore } from './feed.ts';

/** Beside the sealed records, random. */
const GENERATION = 'generation';

/** What this browser keeps for an owner: compressed, then sealed. */
export function storeOf(owner: Owner): EstateStore {
  const { run, sealBytes, openBytes } = databaseOf('estate', owner);
  return {
    async load(records) {
      const readNow = async (store: IDBObjectStore) => {
        const known = (await read(store.get(GENERATION))) as string | undefined;
        const generation = known ?? crypto.randomUUID();
        if (known === undefined) await read(store.put(generation, GENERATION));
        const names = (records ?? (await read(store.getAllKeys())).map(String)).filter((name) => name !== GENERATION);
        const values = await Promise.all(names.map((name) => read(store.get(name))));
        return { generation, sealed: new Map(names.map((name, at) => [name, values[at] as unknown])) };
      };
      // All of a large estate take longer than some records.
      const longest = records ? LONGEST.read : LONGEST.write;
      const { generation, sealed } = await answered(() => run('readwrite', readNow), longest);
      return {
        generation,
        records: [...sealed.keys()],
        async open(record) {
          const value = sealed.get(record);
          return value === undefined ? undefined : inflated(await openBytes(record, value));
        },
      };
    },
    async save(generation, entries, isAnew) {
      const sealed: [string, Uint8Array][] = [];
      for await (const [record, text] of entries) sealed.push([record, await sealBytes(record, await deflated(text))]);
      const write = async (store: IDBObjectStore) => {
        if ((await read(store.get(GENERATION))) !== generation) return false;
        if (isAnew) store.clear();
        for (const [record, value] of [[GENERATION, generation], ...sealed] as const) store.put(value, record);
        await written(store);
        return true;
      };
      return answered(() => run('readwrite', write), LONGEST.write);
    },
  };
}
