/** How many requests are under way at once. */
const WORKERS = 4;

/**
 * Works on items, four at once, each taken when one before it is done. The first error ends the others through the
 * signal of `failure`, and is thrown once all of them have ended.
 */
export async function inPool<Item>(
  items: Iterable<Item>,
  failure: AbortController,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const takeAll = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  const workers = Array.from({ length: WORKERS }, () =>
    takeAll().catch((error: Error) => {
      failure.abort(error);
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  if (ends.some(({ status }) => status === 'rejected')) throw failure.signal.reason;
}
