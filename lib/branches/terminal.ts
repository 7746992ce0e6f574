import * as v from 'valibot';
import { alphanumeric, keyName, MOST_PER_REQUEST, mid, storedText } from '../base/fields.ts';
import { Problem } from '../base/problem.ts';
import type { Update } from '../base/update.ts';
import {
  extend,
  field,
  listOf,
  shownAs,
  shownId,
  shownMid,
  shownText,
  status,
  time,
  uuidValue,
} from '../base/values.ts';
import { type Branch, shownBranch } from './branch.ts';

const terminalInput = v.object({
  terminal_id: alphanumeric,
  serial_no: v.optional(alphanumeric),
  terminal_model: v.optional(storedText),
  payment_app: v.optional(keyName),
  acquirer_name: v.optional(keyName),
});
export type TerminalInput = v.InferOutput<typeof terminalInput>;

/** What the caller sends of a terminal and can change. */
type TerminalDetails = Omit<TerminalInput, 'terminal_id'>;
export const TERMINAL_DETAIL_NAMES = Object.keys(
  v.omit(terminalInput, ['terminal_id']).entries,
) as (keyof TerminalDetails)[];

/** The stored item of a payment terminal. */
export const terminalItem = extend(terminalInput, {
  tid: uuidValue,
  mid,
  /** Sort key in its branch's list: see branchOrder. */
  branch_order: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#\d{3}#[\da-f-]{36}$/)),
  created_at: time,
  updated_at: time,
  /** Id of the event that created it, if that created several terminals: see creationEventOf. */
  creation_event: v.optional(uuidValue),
  /** When the terminal itself was archived. Its status also depends on its branch: see {@link archivingOf}. */
  archived_at: v.optional(time),
  archive_reason: v.optional(storedText),
  /** The `archived_at` of its branch when the terminal was restored: that archiving no longer archives it. */
  restored: v.optional(time),
});
export type Terminal = v.InferOutput<typeof terminalItem>;

/** The stored item that makes a serial number unique: the terminal that has it. */
export const serialItem = v.object({ tid: uuidValue });

export type TerminalUpdate = Update<TerminalDetails>;

/** A terminal and its branch, which together determine its status and who can access it. */
export interface TerminalInBranch {
  terminal: Terminal;
  branch: Branch;
}

const ARCHIVED_WITH_BRANCH = 'Archived with its branch.';

/** When and why a terminal was archived, by itself or with its branch; `undefined` if it is active. */
export function archivingOf({ terminal, branch }: TerminalInBranch) {
  const { archived_at, archive_reason = '' } = terminal;
  if (archived_at) return { archived_at, archive_reason };
  if (branch.archived_at && terminal.restored !== branch.archived_at)
    return { archived_at: branch.archived_at, archive_reason: ARCHIVED_WITH_BRANCH };
  return undefined;
}

/** When a terminal last changed, also with its branch, so that syncing by `updated_at` misses nothing. */
function updatedAtOf({ terminal, branch }: TerminalInBranch): string {
  const { archived_at } = archivingOf({ terminal, branch }) ?? {};
  const { restored_at = '', restored_from } = branch;
  const withBranch = archived_at ?? (terminal.restored === restored_from ? '' : restored_at);
  return withBranch > terminal.updated_at ? withBranch : terminal.updated_at;
}

export const shownTerminal = v.object({
  tid: field(uuidValue, 'TID: the UUID that identifies the terminal in operations.'),
  terminal_id: field(shownId, 'Id of the terminal, unique across all terminals.'),
  serial_no: field(v.nullable(shownId), 'Serial number, unique if present.'),
  terminal_model: field(v.nullable(shownText), 'Model of the terminal.'),
  payment_app: field(
    v.nullable(shownText),
    'Name of a payment app. In a request, one of yours: see lookup `paymentApp`.',
  ),
  acquirer_name: field(
    v.nullable(shownText),
    'Name of a master acquirer. In a request, one of yours: see lookup `acquirers`.',
  ),
  mid: field(shownMid, 'MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs.'),
  status: field(status, 'Whether the terminal is archived, by itself or with its branch.'),
  created_at: field(time, 'When it was created (RFC 3339, UTC).'),
  updated_at: field(time, 'When it last changed, or was archived or restored with its branch (RFC 3339, UTC).'),
  archived_at: field(v.nullable(time), 'When it was archived (RFC 3339, UTC).'),
  archive_reason: field(v.nullable(shownText), 'Why it was archived.'),
});

export type ShownTerminal = v.InferOutput<typeof shownTerminal>;

/** A new branch with its terminals. */
export const shownCreatedBranch = extend(shownBranch, {
  terminals: field(
    listOf(shownTerminal, MOST_PER_REQUEST),
    'Terminals of the branch, in the order of the request. Each `terminal_id` and `serial_no` must be unique within ' +
      'the request.',
  ),
});
export type CreatedBranch = v.InferOutput<typeof shownCreatedBranch>;

export function toTerminal(terminalInBranch: TerminalInBranch): ShownTerminal {
  const archiving = archivingOf(terminalInBranch);
  return shownAs(shownTerminal, {
    ...terminalInBranch.terminal,
    ...archiving,
    status: archiving ? 'archived' : 'active',
    updated_at: updatedAtOf(terminalInBranch),
  });
}

/** A terminal that was deleted, or moved to a branch that is not accessible to the acquirer. */
export const deletedTerminal = v.pick(shownTerminal, ['tid', 'terminal_id']);
export type DeletedTerminal = v.InferOutput<typeof deletedTerminal>;

export const toDeleted = (terminal: Terminal): DeletedTerminal => shownAs(deletedTerminal, terminal);

export const terminalNotFound = () =>
  new Problem('not_found', 'No terminal with this TID exists or is accessible to you.');
export const foreignTerminal = () =>
  new Problem(
    'not_under_requesting_psp',
    'The terminal with this TID is under a branch that is not accessible to you.',
  );
