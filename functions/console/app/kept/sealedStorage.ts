import { answered, databaseOf, LONGEST, recordsIn, written } from './database.ts';
import type { Owner } from './seal.ts';
import type { Storage } from './storedJob.ts';

/** In how many records all outcomes are, so that the number of records does not tell how many tasks there are. */
const SHARED = 256;
const EMPTY = Array.from({ length: SHARED }, (_, at): [string, string] => [`${at}`, '{}']);

const isOutcome = (key: string): boolean => /^\d+$/.test(key);

/** The import, or change of many terminals, that the browser keeps for an owner. Its values are plain data. */
export function storageOf(owner: Owner, kind: 'import' | 'change'): Storage {
  const database = databaseOf(kind, owner);
  const put = async (entries: [record: string, text: string][]) => {
    const sealed = await database.seal(entries);
    const write = (store: IDBObjectStore) => {
      for (const [record, bytes] of sealed) store.put(bytes, record);
      return written(store);
    };
    await answered(() => database.run('readwrite', write), LONGEST.write);
  };
  /** Opens all records, or those with some names. */
  async function textsIn(isWanted = (_record: string) => true) {
    const records = await answered(() => database.run('readonly', recordsIn));
    return database.open([...records].filter(([record]) => isWanted(record)));
  }
  /** The outcomes in each record, once one was set. The outcome of task 300 is in record 300 % 256 = 44. */
  let outcomes: Promise<Map<string, Record<string, unknown>>> | undefined;
  /** One after the other: a record is sealed with all of its outcomes. */
  let last: Promise<void> = Promise.resolve();
  async function set(key: string, value: unknown) {
    if (!isOutcome(key)) return put([...EMPTY, [key, JSON.stringify({ [key]: value })]]);
    outcomes ??= textsIn(isOutcome).then(
      (texts) => new Map([...texts].map(([record, text]) => [record, JSON.parse(text)])),
    );
    const record = `${Number(key) % SHARED}`;
    const shared = { ...(await outcomes).get(record), [key]: value };
    await put([[record, JSON.stringify(shared)]]);
    (await outcomes).set(record, shared);
  }
  return {
    set(key, value) {
      const before = last.catch(() => {});
      last = before.then(() => set(key, value));
      return last;
    },
    entries: async () => [...(await textsIn()).values()].flatMap((text) => Object.entries(JSON.parse(text))),
    clear() {
      outcomes = undefined;
      const remove = (store: IDBObjectStore) => {
        store.clear();
        return written(store);
      };
      return answered(() => database.run('readwrite', remove), LONGEST.write);
    },
  };
}
