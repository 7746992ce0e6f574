import type { Acquirer } from '../acquirers/acquirer.ts';
import { Conflict, retrying } from '../aws/retry.ts';
import type { PageRequest } from '../base/paging.ts';
import { cut } from '../base/words.ts';
import { getItems } from '../table/client.ts';
import { branchKey } from '../table/keys.ts';
import { allWords, type Searchable } from '../table/wordEntries.ts';
import { search } from '../table/wordSearch.ts';
import type { Branch } from './branch.ts';

interface SearchedPage extends PageRequest {
  /** Whether branches come first that have more of the words as whole words. */
  byWholeWords?: boolean;
}

/**
 * Returns one page of the acquirer's branches that match all searched words, and the number of matches. A status that
 * changed milliseconds ago may be outdated.
 *
 * @param words See searchedWords.
 * @returns Also whether there may be more, because all words are common.
 */
export const searchBranches = (
  { id }: Acquirer,
  words: string[],
  { page, per_page, sort, byWholeWords = false }: SearchedPage,
): Promise<{ total: number; branches: Branch[]; hasMore: boolean }> =>
  retrying(async () => {
    const { found, hasMore } = await search('BRANCHES', id, words);
    const sorted = found.sort((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1));
    if (sort === 'desc') sorted.reverse();
    const ordered = byWholeWords ? wholeFirst(sorted, words) : sorted;
    const branches = await branchesOf(ordered.slice((page - 1) * per_page, page * per_page));
    return { total: found.length, branches, hasMore };
  });

const timeOf = ({ attributes: { at = 0 } }: Searchable): number => at;

/**
 * Puts those first that have more of the searched words as they are, not only as beginnings. A word with which another
 * word of the same branch begins is not stored, so it does not count.
 */
function wholeFirst(found: Searchable[], words: string[]): Searchable[] {
  const byCount = Map.groupBy(found, (each) => {
    const own = allWords(each);
    return words.filter((word) => own.includes(cut(word))).length;
  });
  return [...byCount].sort(([one], [other]) => other - one).flatMap(([, group]) => group);
}

const isAsFound = (branch: Branch | undefined, { attributes: { since = 0 } }: Searchable): boolean =>
  branch !== undefined && Date.parse(branch.updated_at) >= since;

/**
 * Reads branches eventually consistent, which costs half, and again those that are older than what was found.
 *
 * @throws Conflict when one is still older, because its transaction is in progress.
 */
async function branchesOf(found: Searchable[]): Promise<Branch[]> {
  const read = (all: Searchable[], ConsistentRead: boolean) =>
    getItems<Branch[]>(
      all.map(({ id }) => branchKey(id)),
      { ConsistentRead },
    );
  const branches = await read(found, false);
  const outdated = found.filter((each, at) => !isAsFound(branches[at], each));
  if (outdated.length === 0) return branches as Branch[];
  const current = new Map((await read(outdated, true)).map((branch) => [branch?.mid, branch]));
  if (outdated.some((each) => !isAsFound(current.get(each.id), each)))
    throw new Conflict('A branch is not visible yet as its words are');
  return found.map(({ id }, at) => current.get(id) ?? (branches[at] as Branch));
}
