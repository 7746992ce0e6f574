import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone } from '../aws/retry.ts';
import { withoutInvisible } from '../base/invisible.ts';
import { storedId, UUID } from '../base/mid.ts';
import { extend, field, listOf, shownNumber } from '../base/values.ts';
import { searchedWords, withoutLabel } from '../base/words.ts';
import { listedBranch, shownBranchSummary, toBranchSummary, toListedBranch } from '../branches/branch.ts';
import { seenTerminal } from '../branches/lastSeen.ts';
import { releasedSerial } from '../branches/releasedSerial.ts';
import { searchBranches } from '../branches/searchBranches.ts';
import { findOptional, type Identifier } from './find.ts';

const MOST_BRANCHES = 8;

export const shownFoundTerminal = extend(seenTerminal, {
  branch: field(shownBranchSummary, 'The branch that the terminal is in.'),
});

export const shownFound = v.object({
  terminals: field(listOf(shownFoundTerminal, 2), 'Terminals with this `tid`, `terminal_id` or `serial_no`.'),
  released: field(
    listOf(releasedSerial, 1),
    'The terminal that had this `serial_no` until it released it, if nothing has it now.',
  ),
  branches: field(
    listOf(listedBranch, MOST_BRANCHES),
    'The branch with this MID, then those with these words: whole words first, then the newest.',
  ),
  total_branches: field(shownNumber(0, 10_000), 'How many branches match. The list of branches has all of them.'),
});

/** A text of fewer digits is a name rather than an identifier with spaces or dashes. */
const LEAST_DIGITS = 4;

/** The identifiers that a text may mean: as it is typed, and in either case. At most three. */
function identifiersIn(typed: string): string[] {
  const text = storedId(withoutLabel(withoutInvisible(typed.normalize('NFKC'))));
  if (UUID.test(text)) return [text];
  const isGrouped = text.replace(/\D/g, '').length >= LEAST_DIGITS;
  const id = isGrouped ? text.replace(/[\s\p{Pd}.,/()]/gu, '') : text;
  return [...new Set([id, id.toUpperCase(), id.toLowerCase()])];
}

/** By the first of these identifiers that a resource has, or else what the first released serial led to. */
async function findFirst(acquirer: Acquirer, by: Identifier, ids: string[]): ReturnType<typeof findOptional> {
  let released: Awaited<ReturnType<typeof findOptional>>;
  for (const id of ids) {
    const found = await findOptional(acquirer, [by, id]);
    if (found && found.type !== 'released') return found;
    released ??= found;
  }
  return released;
}

/**
 * Finds what a person may mean by a text: terminals by TID, `terminal_id` or `serial_no`, and branches by MID or by
 * words, as searchBranches does. If the text can be an identifier, it is tried as typed, in capitals and in small
 * letters: at most 24 read units, or 84 with full branches. A status that words find may be outdated by milliseconds.
 *
 * @param text Trimmed.
 * @returns Also whether there may be more branches, because all words are common.
 */
export async function findByText(
  acquirer: Acquirer,
  text: string,
): Promise<v.InferOutput<typeof shownFound> & { hasMore: boolean }> {
  const words = searchedWords(text);
  const ids = identifiersIn(text);
  const [withWords, branch, ...found] = await allDone([
    words
      ? searchBranches(acquirer, words, { page: 1, per_page: MOST_BRANCHES, sort: 'desc', byWholeWords: true })
      : { total: 0, branches: [], hasMore: false },
    ...(['mid', 'tid', 'terminal_id', 'serial_no'] as const).map((by) => findFirst(acquirer, by, ids)),
  ]);
  const exact = branch?.type === 'branch' ? [branch.branch] : [];
  const others = withWords.branches.filter(({ mid }) => mid !== exact[0]?.mid);
  const branches = [...exact, ...others].slice(0, MOST_BRANCHES);
  const terminals = found.flatMap((each) =>
    each?.type === 'terminal' ? { ...each.data, branch: toBranchSummary(each.branch) } : [],
  );
  return {
    terminals: [...new Map(terminals.map((terminal) => [terminal.tid, terminal])).values()],
    branches: branches.map(toListedBranch),
    released: found.flatMap((each) => (each?.type === 'released' ? each.data : [])),
    // Words may not find a branch that an identifier finds, such as one with spaces between.
    total_branches: Math.max(withWords.total, branches.length),
    hasMore: withWords.hasMore,
  };
}
