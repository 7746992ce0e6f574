import { hash } from 'node:crypto';
import type { Branch, toBranch } from '../../../lib/branches/branch.ts';
import { type Terminal, toTerminal } from '../../../lib/terminals/terminal.ts';

/** A 48-bit digest of a value, to compare values in little memory. Different values hardly ever have the same one. */
export const digestOf = (value: unknown): number =>
  Number.parseInt(hash('sha256', JSON.stringify(value)).slice(0, 12), 16);

type ShownTerminal = ReturnType<typeof toTerminal>;

/** The digest of a branch as responses show it, without its terminals, which have events of their own. */
export function digestOfBranch(branch: Partial<ReturnType<typeof toBranch>> & { terminals?: unknown }): number {
  const { terminal_count, terminals, ...shown } = branch;
  return digestOf(shown);
}

/** The digest of the fields of a terminal that its branch's status does not affect. */
export function digestOfFields({ status, updated_at, archived_at, archive_reason, ...fields }: ShownTerminal): number {
  return digestOf(fields);
}

/** The attributes of a terminal that, with its branch, determine its status. */
export type Status = { [A in 'updated_at' | 'archived_at' | 'archive_reason' | 'restored']?: Terminal[A] | undefined };

/** The status fields of a terminal in a branch, as responses show them. */
export function shownStatus(terminal: Status, branch: Pick<Partial<Branch>, 'archived_at'>) {
  const shown = toTerminal({ terminal: terminal as Terminal, branch: branch as Branch });
  const { status, updated_at, archived_at, archive_reason } = shown;
  return { status, updated_at, archived_at, archive_reason };
}

/**
 * Derives a terminal's status attributes from an event. A terminal that is active in an archived branch was restored
 * there; one that is active in an active branch becomes archived with the branch.
 */
export const statusInEvent = ({ status, ...shown }: ShownTerminal, branch: 'active' | 'archived'): Status =>
  status === 'archived'
    ? {
        updated_at: shown.updated_at,
        archived_at: shown.archived_at ?? undefined,
        archive_reason: shown.archive_reason ?? undefined,
      }
    : { updated_at: shown.updated_at, restored: branch === 'archived' ? true : undefined };
