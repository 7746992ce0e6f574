import { hash } from 'node:crypto';
import type { Branch, toBranch } from '../../../lib/branch.ts';
import { type Terminal, toTerminal } from '../../../lib/terminal.ts';

/** A number that stands for a value: equal values have equal ones, and others hardly ever. It takes less memory. */
export const digestOf = (value: unknown): number =>
  Number.parseInt(hash('sha256', JSON.stringify(value)).slice(0, 12), 16);

type ShownTerminal = ReturnType<typeof toTerminal>;

/** What a branch shows, except for its terminals: their events tell of those. */
export function digestOfBranch(branch: Partial<ReturnType<typeof toBranch>> & { terminals?: unknown }): number {
  const { terminal_count, terminals, ...shown } = branch;
  return digestOf(shown);
}

/** What a terminal shows, whatever its branch's status is. */
export function digestOfFields({ status, updated_at, archived_at, archive_reason, ...fields }: ShownTerminal): number {
  return digestOf(fields);
}

/** What decides, with its branch, on a terminal's status. */
export type Status = { [A in 'updated_at' | 'archived_at' | 'archive_reason' | 'restored']?: Terminal[A] | undefined };

/** What a terminal shows of its status under a branch. */
export function shownStatus(terminal: Status, branch: Partial<Branch>) {
  const shown = toTerminal({ terminal: terminal as Terminal, branch: branch as Branch });
  const { status, updated_at, archived_at, archive_reason } = shown;
  return { status, updated_at, archived_at, archive_reason };
}

/**
 * What an event tells of a terminal's status. A terminal that is active in an archived branch was restored there; one
 * that is active in an active branch is archived once its branch is.
 */
export const statusTold = ({ status, ...shown }: ShownTerminal, branch: 'active' | 'archived'): Status =>
  status === 'archived'
    ? {
        updated_at: shown.updated_at,
        archived_at: shown.archived_at ?? undefined,
        archive_reason: shown.archive_reason ?? undefined,
      }
    : { updated_at: shown.updated_at, restored: branch === 'archived' ? true : undefined };
