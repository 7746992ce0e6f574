import type { ApiResponse } from '../local/invoke.ts';
import type { Party } from './acquirers.ts';
import type { World } from './world.ts';

const PER_PAGE = 100;
const CONCURRENCY = 8;

/** Runs work on items, some at once. Returns the reasons of what failed. */
async function onEach<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<string[]> {
  const failures: string[] = [];
  const left = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = left.next(); !next.done; next = left.next())
      await work(next.value).catch(({ message }: Error) => failures.push(message));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return failures;
}

/** The MIDs of an acquirer's branches that are not archived. They are among the newest: older runs have archived theirs. */
async function activeBranches(world: World, by: Party): Promise<string[]> {
  const active: string[] = [];
  for (let page = 1; ; page += 1) {
    const query = { per_page: `${PER_PAGE}`, page: `${page}` };
    const { data, links } = (await world.call('listBranches', { query, by }, 200)).body;
    const open = data.filter(({ status }: { status: string }) => status === 'active');
    active.push(...open.map(({ mid }: { mid: string }) => mid));
    if (open.length === 0 || links.next === null) return active;
  }
}

/** Deletes the terminals of a branch, then archives it. */
async function closeBranch(world: World, mid: string, by: Party): Promise<void> {
  const terminals: ApiResponse['body'] = (
    await world.call('listTerminals', { path: { id: mid }, query: { per_page: '100' }, by }, 200)
  ).body.data;
  for (const { tid } of terminals) await world.send('deleteTerminal', { path: { id: tid }, by });
  const { status, body } = await world.send('archiveBranch', { path: { mid }, by });
  if (status !== 200 && body.code !== 'already_archived')
    throw new Error(`branch ${mid} is left: ${status} ${body.code}`);
}

/**
 * Deletes the terminals and archives the branches of this run, and of one that was interrupted. A branch cannot be deleted.
 *
 * @returns What is left, and why.
 */
export async function tidy(world: World): Promise<string[]> {
  const { parties, operator } = world.place;
  const found = new Map(world.created);
  // Acquirers whose keys were given may have other branches.
  const own = typeof operator === 'string' ? [] : [parties.provider, world.party('otherProvider')];
  const failures = await onEach(own, async (by) => {
    for (const mid of await activeBranches(world, by)) found.set(mid, by);
  });
  return [...failures, ...(await onEach(found, ([mid, by]) => closeBranch(world, mid, by)))];
}
