import { isDeepStrictEqual } from 'node:util';
import { placeOf } from './events.ts';
import { branchOf, showListed, showTerminal } from './resources.ts';
import type { ApiResponse, State } from './state.ts';

/* Responses that may have parts of an earlier moment. */

/**
 * An update does not depend on the status of the branch, so it returns the status that it has read. Its response and
 * event may therefore have the status of an earlier moment. Returns such a response and state, made of those after the
 * update and of the state at that moment.
 */
export function withStatusOf(
  { response, state: now }: { response: ApiResponse; state: State },
  earlier: State,
  request_id: string,
): { response: ApiResponse; state: State } {
  const { data } = response.body as { data?: { tid: string } };
  const [terminal, before] = [now, earlier].map((state) => state.terminals.find(({ tid }) => tid === data?.tid));
  const branch = terminal && branchOf(earlier, terminal.mid);
  if (!branch || !before) return { response, state: now };
  const shown = showTerminal({ ...terminal, archived: before.archived });
  const changes = now.changes.map((change) => {
    const views = change.views.map((view) => ({ ...view, branch: placeOf(branch), data: shown }));
    return change.request_id === request_id ? { ...change, views } : change;
  });
  return { response: { ...response, body: { ...(response.body as object), data: shown } }, state: { ...now, changes } };
}

/**
 * A find reads a terminal and then its branch. If both change in between and the branch is archived, the response shows
 * the terminal as it was, archived with its branch. Returns such a response.
 *
 * @param found The response in the earlier state, in which the terminal was read.
 */
export function withBranchOf(found: ApiResponse, earlier: State, later: State): ApiResponse | undefined {
  const { data } = found.body as { data?: { tid?: string } };
  const terminal = earlier.terminals.find(({ tid }) => tid === data?.tid);
  const [before, now] = [earlier, later].map((state) => branchOf(state, terminal?.mid ?? ''));
  const isThere = later.terminals.some(({ tid, mid }) => tid === terminal?.tid && mid === terminal.mid);
  if (!terminal || terminal.archived || before?.archived_at || !now?.archived_at || !isThere) return undefined;
  const archived = { at: now.archived_at, reason: 'Archived with its branch.', withBranch: true };
  return { ...found, body: { ...(found.body as object), data: showTerminal({ ...terminal, archived }) } };
}

/** An item of a list. */
export type Row = Record<string, unknown> & { mid: string; tid?: string };

/**
 * Whether a row of a list may be what a lagging index shows of an item in the list: the item as it was in one of these
 * states. The archiving of a terminal's branch is never missing, because the branch itself is read.
 */
export function isOldRow(row: Row, now: State, history: State[]): boolean {
  const { archived_at = null } = branchOf(now, row.mid) ?? {};
  return history.some((state) => {
    const branch = branchOf(state, row.mid);
    if (!branch) return false;
    if (row.tid === undefined) return isDeepStrictEqual(row, showListed(state, branch));
    const terminal = state.terminals.find(({ tid, mid }) => tid === row.tid && mid === row.mid);
    if (!terminal) return false;
    const isOwn = terminal.archived?.withBranch === false;
    const wasRestored = branch.archived_at !== null && terminal.archived === null;
    const withBranch = archived_at && { at: archived_at, reason: 'Archived with its branch.', withBranch: true };
    const archived = isOwn ? terminal.archived : (!wasRestored && withBranch) || null;
    return isDeepStrictEqual(row, showTerminal({ ...terminal, archived }));
  });
}
