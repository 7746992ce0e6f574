import type { Api, ConsoleSchemas } from '../api/client.ts';
import { Interrupted } from '../api/interrupted.ts';
import type { Patience } from '../api/patience.ts';
import { MOST_CHARACTERS } from '../shared/searchedText.ts';
import { inPool, type RunOptions } from './pool.ts';

/** A terminal with its branch. */
export type FoundTerminal = ConsoleSchemas['FoundTerminal'];

/** The terminal that has an ID or serial number or, with `until`, had it last. `found` is as it is now, if it is accessible. */
export type Holder = Pick<FoundTerminal, 'tid' | 'terminal_id'> & {
  until?: string;
  found: FoundTerminal | undefined;
};

async function find(api: Api, patience: Patience, q: string) {
  const params = { query: { q: q.slice(0, MOST_CHARACTERS) } };
  const { data, problem } = await patience(() => api.GET('/console/api/search', { params }));
  if (problem) throw new Interrupted(problem);
  return { found: data.data.terminals[0], released: data.data.released[0] };
}

async function holderOf(api: Api, patience: Patience, text: string): Promise<Holder | undefined> {
  const { found, released } = await find(api, patience, text);
  if (found) return { tid: found.tid, terminal_id: found.terminal_id, found };
  if (!released) return undefined;
  const { tid, terminal_id, until } = released;
  return { tid, terminal_id, until, found: (await find(api, patience, tid)).found };
}

/**
 * Finds out where serial numbers and IDs are or went, with one request for each, and another one for each that was released.
 * Those that are not known are `undefined`.
 *
 * @param texts Each has a letter or digit.
 * @throws Interrupted when it is stopped, and with the problem of a response as of a role that may not read.
 */
export async function lookUpTerminals(
  api: Api,
  texts: readonly string[],
  { onProgress, ...options }: RunOptions<ReadonlyMap<string, Holder | undefined>>,
): Promise<ReadonlyMap<string, Holder | undefined>> {
  const holders = new Map<string, Holder | undefined>();
  await inPool([[...texts]], options, async (text, patience) => {
    holders.set(text, await holderOf(api, patience, text));
    onProgress?.(holders);
  });
  return holders;
}
