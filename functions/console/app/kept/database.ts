import { clear, createStore, promisifyRequest, type UseStore } from 'idb-keyval';
import { NotOpened, type Owner, open, seal } from './seal.ts';

/*
 * What the browser keeps of an acquirer for a person, in IndexedDB. Each kind has a database, whose records are sealed.
 * Their names and number are always the same, so they tell nothing.
 */

const KINDS = ['estate', 'import', 'change'] as const;
type Kind = (typeof KINDS)[number];

/** The beginning of their names. What is kept says its form so. */
const FORM = 'sealed-1-';
const STORE = 'sealed';

/** How long to wait for IndexedDB, which some browsers leave without an answer, in milliseconds. */
export const LONGEST = { read: 5_000, write: 30_000 };

/** The browser keeps nothing: IndexedDB is not there, not allowed, full, or does not respond. */
export class NotKept extends Error {
  override name = 'NotKept';
}

/** Does something with IndexedDB. Throws NotKept if it fails, or takes too long. */
export function answered<T>(work: () => Promise<T>, ms = LONGEST.read): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NotKept('IndexedDB did not respond.')), ms);
  // It can throw at once, too.
  const asked = (async () => work())().catch((error: Error) => {
    throw new NotKept(error.message);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

const nameOf = (kind: Kind, { acquirer, person }: Owner): string => `${FORM}${kind}-${acquirer.id}-${person.id}`;

/** A record before it is sealed, or after it was opened. */
type Entry = [record: string, text: string];

interface Database {
  name: string;
  /** Runs a transaction, with what is kept as it is. */
  run: UseStore;
  seal(entries: Entry[]): Promise<[record: string, sealed: Uint8Array][]>;
  sealBytes(record: string, bytes: Uint8Array): Promise<Uint8Array>;
  /** Opens a record. Throws NotOpened if it cannot be opened. */
  openBytes(record: string, sealed: unknown): Promise<Uint8Array<ArrayBuffer>>;
  /** Opens records. Throws NotOpened if one of them cannot be opened. */
  open(records: Iterable<[record: string, sealed: unknown]>): Promise<Map<string, string>>;
}

/** The database of a kind. It is opened with its first transaction. */
export function databaseOf(kind: Kind, owner: Owner): Database {
  const name = nameOf(kind, owner);
  const of = (record: string) => `${name} ${record}`;
  const sealBytes: Database['sealBytes'] = (record, bytes) => seal(owner, of(record), bytes);
  const openBytes: Database['openBytes'] = async (record, sealed) => {
    if (!(sealed instanceof Uint8Array)) throw new NotOpened(`${record} is not sealed.`);
    return open(owner, of(record), sealed);
  };
  return {
    name,
    run: createStore(name, STORE),
    sealBytes,
    openBytes,
    seal: (entries) =>
      Promise.all(
        entries.map(async ([record, text]) => [record, await sealBytes(record, new TextEncoder().encode(text))]),
      ),
    async open(records) {
      const opened = [...records].map(async ([record, sealed]): Promise<Entry> => {
        return [record, new TextDecoder().decode(await openBytes(record, sealed))];
      });
      return new Map(await Promise.all(opened));
    },
  };
}

/** All records as they are kept. */
export async function recordsIn(store: IDBObjectStore): Promise<Map<string, unknown>> {
  const [keys, values] = await Promise.all([promisifyRequest(store.getAllKeys()), promisifyRequest(store.getAll())]);
  return new Map(keys.map((key, at) => [String(key), values[at] as unknown]));
}

/** Resolves when all that a transaction writes is kept. */
export const written = ({ transaction }: IDBObjectStore): Promise<void> => promisifyRequest(transaction);

/**
 * Removes what a person need not find again: what they kept as other acquirers than these, and the estates of all
 * others. The imports and changes of others stay for them. Tabs that use what is removed keep nothing more.
 */
export async function forget(person: Owner['person'], { except }: { except: Owner['acquirer'][] }): Promise<void> {
  const own = except.flatMap((acquirer) => KINDS.map((kind) => nameOf(kind, { acquirer, person })));
  const databases = await answered(() => indexedDB.databases());
  const isGone = (name: string) => name.startsWith(`${FORM}estate-`) || name.endsWith(person.id);
  const gone = databases.flatMap(({ name = '' }) =>
    name.startsWith(FORM) && !own.includes(name) && isGone(name) ? [name] : [],
  );
  await Promise.all(gone.map((name) => answered(() => clear(createStore(name, STORE)))));
}
