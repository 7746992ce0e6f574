import { validate as isUuid } from 'uuid';
import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { alphanumeric, keyName, mid, storedText, text } from './base/fields.ts';
import { type FieldError, Problem, validationFailed } from './base/problem.ts';
import { laterThan } from './base/time.ts';
import { field, shownId, shownMid, shownText, status, time, uuidValue } from './base/values.ts';
import {
  type Branch,
  branchArchived,
  branchNotFound,
  isAccessible,
  keyOfBranch,
  lastChangeOf,
  takesTerminals,
  viewersOf,
  viewsOf,
} from './branch.ts';
import { type Author, record, type View } from './event.ts';
import { getItem, getItems, getItemsAndTombstones } from './table/client.ts';
import {
  branchKey,
  branchOrder,
  type Key,
  masterAcquirerKey,
  NO_ID,
  paymentAppKey,
  serialKey,
  terminalKey,
  tidOf,
} from './table/keys.ts';
import { Contention, retrying } from './table/retry.ts';
import { deletionsOf, tombstoneOf } from './table/tombstone.ts';
import {
  type Alongside,
  type Claim,
  check,
  claim,
  isAsRead,
  put,
  remove,
  type Step,
  takenOf,
  transact,
  update,
} from './table/transaction.ts';
import { countIn, countOut } from './terminalList.ts';

/** The fields of a terminal that partners set. */
const terminalInput = v.object({
  terminal_id: alphanumeric,
  serial_no: v.optional(alphanumeric),
  terminal_model: v.optional(storedText),
  payment_app: v.optional(keyName),
  acquirer_name: v.optional(keyName),
});
export type TerminalInput = v.InferOutput<typeof terminalInput>;

/** The stored item of a payment terminal. */
export const terminalItem = v.object({
  tid: uuidValue,
  ...terminalInput.entries,
  mid,
  /** Sort key in the list of its branch. */
  branch_order: text,
  created_at: time,
  updated_at: time,
  /** When the terminal itself was archived. Its status also depends on its branch: see {@link archivingOf}. */
  archived_at: v.optional(time),
  archive_reason: v.optional(storedText),
  /** The terminal was restored while its branch was archived, so the branch no longer archives it. */
  restored: v.optional(v.literal(true)),
});
export type Terminal = v.InferOutput<typeof terminalItem>;

/** The stored item by which a terminal claims its serial number. */
export const serialItem = v.object({ tid: uuidValue });

/** What an update may change: `null` clears a field, an absent one stays. */
export type TerminalChanges = { [K in keyof Omit<TerminalInput, 'terminal_id'>]: TerminalInput[K] | null };

/** A terminal and the branch that it is under, which together tell its status and who may touch it. */
export interface TerminalInBranch {
  terminal: Terminal;
  branch: Branch;
}

const ARCHIVED_WITH_BRANCH = 'Archived with its branch.';

/** When and why a terminal was archived, by itself or with its branch; `undefined` while it is active. */
export function archivingOf({
  terminal,
  branch,
}: TerminalInBranch): { archived_at: string; archive_reason: string } | undefined {
  const { archived_at, archive_reason = '' } = terminal;
  if (archived_at) return { archived_at, archive_reason };
  if (branch.archived_at && !terminal.restored)
    return { archived_at: branch.archived_at, archive_reason: ARCHIVED_WITH_BRANCH };
  return undefined;
}

/** When a terminal last changed, be it with its branch: whoever syncs by this time misses nothing. */
function updatedAtOf(placed: TerminalInBranch): string {
  const { updated_at } = placed.terminal;
  const { archived_at = '' } = archivingOf(placed) ?? {};
  return archived_at > updated_at ? archived_at : updated_at;
}

/** A terminal in every response. */
export const shownTerminal = v.object({
  tid: field(uuidValue, 'TID: the UUID by which operations name the terminal.'),
  terminal_id: field(shownId, 'Id of the terminal, unique across all terminals.'),
  serial_no: field(v.nullable(shownId), 'Serial number, unique if present.'),
  terminal_model: field(v.nullable(shownText), 'Model of the terminal.'),
  payment_app: field(v.nullable(shownText), 'Name of one of your payment apps: see the lookup `paymentApp`.'),
  acquirer_name: field(v.nullable(shownText), 'Name of one of your master acquirers: see the lookup `acquirers`.'),
  mid: field(shownMid, 'MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs.'),
  status: field(status, 'Whether the terminal is archived, by itself or with its branch.'),
  created_at: field(time, 'When it was created (RFC 3339, UTC).'),
  updated_at: field(time, 'When it last changed, or when its branch archived it (RFC 3339, UTC).'),
  archived_at: field(v.nullable(time), 'When it was archived (RFC 3339, UTC).'),
  archive_reason: field(v.nullable(shownText), 'Why it was archived.'),
});

export function toTerminal(placed: TerminalInBranch): v.InferOutput<typeof shownTerminal> {
  const { terminal } = placed;
  const archiving = archivingOf(placed);
  return {
    tid: terminal.tid,
    terminal_id: terminal.terminal_id,
    serial_no: terminal.serial_no ?? null,
    terminal_model: terminal.terminal_model ?? null,
    payment_app: terminal.payment_app ?? null,
    acquirer_name: terminal.acquirer_name ?? null,
    mid: terminal.mid,
    status: archiving ? 'archived' : 'active',
    created_at: terminal.created_at,
    updated_at: updatedAtOf(placed),
    archived_at: archiving?.archived_at ?? null,
    archive_reason: archiving?.archive_reason ?? null,
  };
}

/** A terminal that is deleted, or that moved out of the acquirer's sight. */
export const deletedTerminal = v.object({
  tid: shownTerminal.entries.tid,
  terminal_id: shownTerminal.entries.terminal_id,
});

const toDeleted = ({ tid, terminal_id }: Terminal): v.InferOutput<typeof deletedTerminal> => ({ tid, terminal_id });

export const terminalNotFound = () =>
  new Problem('not_found', 'No terminal with this TID exists or is accessible to you.');
const foreignTerminal = () =>
  new Problem(
    'not_under_requesting_psp',
    'The terminal with this TID is under a branch that is not accessible to you.',
  );

/** Makes the stored terminals of one request; their places keep its order in ascending lists. */
export const newTerminals = (inputs: TerminalInput[], mid: string, created_at: string): Terminal[] =>
  inputs.map((input, place) => {
    const tid = tidOf(input.terminal_id);
    return {
      ...input,
      tid,
      mid,
      branch_order: branchOrder(created_at, place, tid),
      created_at,
      updated_at: created_at,
    };
  });

/** The keys of what a new terminal claims, in the order of {@link claimsOf}. */
export const claimKeys = ({ terminal_id, serial_no }: TerminalInput): Key[] => [
  terminalKey(tidOf(terminal_id)),
  ...(serial_no ? [serialKey(serial_no)] : []),
];

const serialTaken = (pointer: string): FieldError => ({
  pointer: `${pointer}/serial_no`,
  code: 'taken',
  detail: 'Another terminal has this serial_no.',
});

/** What a new terminal claims: its terminal_id, and its serial if it has one. */
export const claimsOf = (terminal: Terminal, pointer: string): Claim[] => {
  const { tid, serial_no, created_at } = terminal;
  const taken = {
    pointer: `${pointer}/terminal_id`,
    code: 'taken',
    detail: 'Another terminal has this terminal_id.',
  };
  return [
    { key: terminalKey(tid), attributes: terminal, taken, since: created_at },
    ...(serial_no ? [{ key: serialKey(serial_no), attributes: { tid }, taken: serialTaken(pointer) }] : []),
  ];
};

/** Claims a serial for a terminal that exists, unless another one has it; the same change may have just claimed it. */
const claimSerial = (serialNo: string, tid: string): Step =>
  put(
    serialKey(serialNo),
    { tid },
    {
      expression: 'attribute_not_exists(pk) OR tid = :tid',
      values: { ':tid': tid },
      refusal: [serialTaken('')],
    },
  );

const releaseSerial = (serialNo: string, tid: string): Step =>
  remove(serialKey(serialNo), { expression: 'tid = :tid', values: { ':tid': tid }, refusal: 'stale' });

/** Reference data that a terminal names, and the fault that it is if the caller has no such item. */
interface Reference {
  key: Key;
  fieldError: FieldError;
}

/** The reference data that a terminal names; `pointer` is where the terminal is in the request body. */
export function references(
  acquirer: Acquirer,
  { payment_app, acquirer_name }: TerminalChanges,
  pointer = '',
): Reference[] {
  const named: [string | null | undefined, (acquirer: string, name: string) => Key, string, string][] = [
    [payment_app, paymentAppKey, 'payment_app', 'Not the name of one of your payment apps; see lookup paymentApp.'],
    [
      acquirer_name,
      masterAcquirerKey,
      'acquirer_name',
      'Not the name of one of your master acquirers; see lookup acquirers.',
    ],
  ];
  return named.flatMap(([name, keyOf, field, detail]) =>
    name
      ? [{ key: keyOf(acquirer.id, name), fieldError: { pointer: `${pointer}/${field}`, code: 'not_found', detail } }]
      : [],
  );
}

/**
 * The faults of reference data that a read did not find. What was found is not checked again by the write: one popular
 * payment app would put every write in conflict with every other, and a name that was removed a moment ago breaks nothing.
 */
export const unknownOf = (wanted: Reference[], found: unknown[]): FieldError[] =>
  wanted.flatMap(({ fieldError }, at) => (found[at] ? [] : [fieldError]));

/**
 * Creates terminals for a branch: all or none (interface §4.6).
 *
 * @throws Problem `not_found`, `branch_archived`, or `validation_failed` naming every terminal_id and serial_no that is
 *   taken and every name that is not among the caller's.
 */
export const createTerminals = (
  author: Author,
  mid: string,
  inputs: TerminalInput[],
  alongside: Alongside<TerminalInBranch[]> = () => [],
): Promise<TerminalInBranch[]> =>
  retrying(async () => {
    const { acquirer } = author;
    const key = keyOfBranch(mid);
    if (!key) throw branchNotFound();
    const wanted = inputs.flatMap((input, place) => references(acquirer, input, `/terminals/${place}`));
    const {
      items: [branch, ...found],
      tombstones,
    } = await getItemsAndTombstones<[Branch, ...unknown[]]>([
      key,
      ...wanted.map((each) => each.key),
      ...inputs.flatMap(claimKeys),
    ]);
    if (!branch || !isAccessible(branch, acquirer)) throw branchNotFound();
    if (branch.archived_at) throw branchArchived();
    const at = laterThan(lastChangeOf(branch), ...deletionsOf(tombstones));
    const terminals = newTerminals(inputs, mid, at);
    const claims = terminals.flatMap((terminal, place) => claimsOf(terminal, `/terminals/${place}`));
    const fieldErrors = [...unknownOf(wanted, found), ...takenOf(claims, found.slice(wanted.length))];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const created = terminals.map((terminal) => ({ terminal, branch }));
    const views = viewsOf(branch, { type: 'terminals.created', data: created.map(toTerminal) });
    await transact([
      ...alongside(created),
      countIn(branch, terminals, takesTerminals()),
      ...claims.map(claim),
      ...record(author, { at, branch, views }),
    ]);
    return created;
  });

/**
 * Makes sure that a terminal was still under its branch when that was found archived: it may have left it just before. A
 * branch is archived for good, so one that is not archived was not when its terminal was read either. Only an answer
 * without a write needs this: a write's conditions see to it themselves.
 *
 * @throws Contention when the terminal has changed since.
 */
async function confirm({ terminal, branch }: TerminalInBranch): Promise<void> {
  if (!branch.archived_at) return;
  const now = await getItem<Terminal>(terminalKey(terminal.tid));
  if (now?.updated_at !== terminal.updated_at) throw new Contention('The terminal changed while its branch was read');
}

/** What else an operation reads together with its terminal. */
type Keys<T extends unknown[]> = { [K in keyof T]: Key | undefined };
type Found<T extends unknown[]> = { [K in keyof T]: T[K] | undefined };

/**
 * Reads a terminal and then its branch, and with the terminal whatever else an operation needs.
 *
 * @throws Problem `not_found` when there is no such terminal; `foreign` when its branch is not accessible.
 */
async function load<T extends unknown[] = []>(
  acquirer: Acquirer,
  tid: string,
  foreign: () => Problem,
  also: Keys<T> = [] as never,
): Promise<TerminalInBranch & { also: Found<T> }> {
  if (!isUuid(tid)) throw terminalNotFound();
  const [terminal, ...others] = await getItems<[Terminal, ...unknown[]]>([terminalKey(tid), ...also]);
  // The same reads whether there is such a terminal or not, so that the time which a 404 takes does not tell.
  const branch = await getItem<Branch>(branchKey(terminal?.mid ?? NO_ID));
  if (!terminal) throw terminalNotFound();
  if (!branch || !isAccessible(branch, acquirer)) throw foreign();
  return { terminal, branch, also: others as Found<T> };
}

/**
 * Condition of every write to a terminal: it is what was read. Each change sets a later `updated_at` than the one before,
 * so that this one attribute tells.
 */
const terminalIsAsRead = (terminal: Terminal) => isAsRead(terminal, 'updated_at');

/** Changes a terminal's own attributes, on condition that it is what was read. */
function change(before: TerminalInBranch, changesAt: (at: string) => Partial<Terminal>, branch = before.branch) {
  const { terminal } = before;
  const at = laterThan(terminal.updated_at, lastChangeOf(before.branch), lastChangeOf(branch));
  const set = { ...changesAt(at), updated_at: at };
  const placed: TerminalInBranch = { terminal: { ...terminal, ...set }, branch };
  return { placed, at, step: update(terminalKey(terminal.tid), { set }, terminalIsAsRead(terminal)) };
}

/** Stores the change of one terminal, which both acquirers of its branch see alike, as events. */
const recordOne = (
  author: Author,
  at: string,
  { terminal, branch }: TerminalInBranch,
  view: Parameters<typeof viewsOf>[1],
) => record(author, { at, branch, terminal, views: viewsOf(branch, view) });

/**
 * Lets a write that was decided by a terminal's status pass only while its branch is not archived. A branch that was found
 * archived stays so, and needs no check.
 */
const branchStaysActive = ({ branch }: TerminalInBranch): Step[] =>
  branch.archived_at ? [] : [check(branchKey(branch.mid), isAsRead(branch, 'archived_at'))];

/**
 * Changes the supplied fields of a terminal (interface §4.7). It decides nothing by the branch, so it does not wait for others that
 * do; of a branch that is archived at the same moment, the terminal returned may still be active.
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, or `validation_failed` for a serial_no that is taken or a
 *   name that is not among the caller's.
 */
export const updateTerminal = (author: Author, tid: string, changes: TerminalChanges): Promise<TerminalInBranch> =>
  retrying(async () => {
    const { acquirer } = author;
    const wanted = references(acquirer, changes);
    const { serial_no } = changes;
    const { also, ...before } = await load<[{ tid: string }, ...unknown[]]>(acquirer, tid, foreignTerminal, [
      serial_no ? serialKey(serial_no) : undefined,
      ...wanted.map(({ key }) => key),
    ]);
    const [holder, ...found] = also;
    const isTaken = holder !== undefined && holder.tid !== before.terminal.tid;
    const fieldErrors = [...(isTaken ? [serialTaken('')] : []), ...unknownOf(wanted, found)];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const shown: Record<string, unknown> = toTerminal(before);
    const changed = Object.entries(changes).filter(([name, value]) => value !== undefined && value !== shown[name]);
    if (changed.length === 0) {
      await confirm(before);
      return before;
    }
    const set = Object.fromEntries(changed.map(([name, value]) => [name, value ?? undefined]));
    const { placed, at, step } = change(before, () => set);
    const [serialBefore, serial] = [before.terminal.serial_no, placed.terminal.serial_no];
    const serialChanges = serial !== serialBefore;
    await transact([
      step,
      ...(serialChanges && serial ? [claimSerial(serial, placed.terminal.tid)] : []),
      ...(serialChanges && serialBefore ? [releaseSerial(serialBefore, placed.terminal.tid)] : []),
      ...recordOne(author, at, placed, {
        type: 'terminal.updated',
        data: toTerminal(placed),
        changes: Object.fromEntries(changed.map(([name]) => [name, shown[name]])),
      }),
    ]);
    return placed;
  });

/**
 * Deletes a terminal and releases its serial (interface §4.8).
 *
 * @throws Problem `not_found` when there is no such terminal or it is not accessible.
 */
export const deleteTerminal = (author: Author, tid: string): Promise<v.InferOutput<typeof deletedTerminal>> =>
  retrying(async () => {
    const { terminal, branch } = await load(author.acquirer, tid, terminalNotFound);
    const at = laterThan(terminal.updated_at, lastChangeOf(branch));
    const data = toDeleted(terminal);
    await transact([
      put(terminalKey(terminal.tid), tombstoneOf(at), terminalIsAsRead(terminal)),
      ...(terminal.serial_no ? [releaseSerial(terminal.serial_no, terminal.tid)] : []),
      countOut(branch, { ...terminal, updated_at: at }, isAsRead(branch, 'archived_at')),
      ...recordOne(author, at, { terminal, branch }, { type: 'terminal.deleted', data }),
    ]);
    return data;
  });

/**
 * Archives a terminal (interface §4.9).
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, `already_archived`.
 */
export const archiveTerminal = (author: Author, tid: string, reason: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await load(author.acquirer, tid, foreignTerminal);
    if (archivingOf(before)) {
      await confirm(before);
      throw new Problem('already_archived', 'The terminal is archived already.');
    }
    const { placed, at, step } = change(before, (now) => ({
      archived_at: now,
      archive_reason: reason,
      restored: undefined,
    }));
    await transact([
      step,
      ...branchStaysActive(before),
      ...recordOne(author, at, placed, { type: 'terminal.archived', data: toTerminal(placed) }),
    ]);
    return placed;
  });

/**
 * Makes an archived terminal active again, also under a branch that stays archived (interface §4.10).
 *
 * @throws Problem `not_found` when there is no such terminal or it is not accessible; `not_archived`.
 */
export const restoreTerminal = (author: Author, tid: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await load(author.acquirer, tid, terminalNotFound);
    if (!archivingOf(before)) throw new Problem('not_archived', 'The terminal is not archived.');
    const { placed, at, step } = change(before, () => ({
      archived_at: undefined,
      archive_reason: undefined,
      restored: before.branch.archived_at ? true : undefined,
    }));
    await transact([
      step,
      ...branchStaysActive(before),
      ...recordOne(author, at, placed, { type: 'terminal.restored', data: toTerminal(placed) }),
    ]);
    return placed;
  });

/**
 * Moves a terminal to another branch of the same payment provider; its status goes along (interface §4.11).
 *
 * @throws Problem `not_found` for an unknown TID or MID, `not_under_requesting_psp`, `already_under_target_mid`,
 *   `branch_archived`.
 */
export const reassignTerminal = (
  author: Author,
  tid: string,
  mid: string,
  alongside: Alongside<TerminalInBranch> = () => [],
): Promise<TerminalInBranch> =>
  retrying(async () => {
    const { acquirer } = author;
    const { also, ...before } = await load<[Branch]>(acquirer, tid, foreignTerminal, [keyOfBranch(mid)]);
    const [target] = also;
    if (!target) throw new Problem('not_found', 'No branch with the target MID exists.');
    if (!isAccessible(target, acquirer) || target.payment_provider !== before.branch.payment_provider)
      throw new Problem(
        'not_under_requesting_psp',
        'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
      );
    if (target.mid === before.branch.mid)
      throw new Problem('already_under_target_mid', 'The terminal is already under the target MID.');
    if (target.archived_at) throw branchArchived();
    const moves = () => ({
      mid,
      archived_at: undefined,
      archive_reason: undefined,
      ...archivingOf(before),
      restored: undefined,
    });
    const { placed: reassigned, at, step } = change(before, moves, target);
    const { terminal } = reassigned;
    await transact([
      ...alongside(reassigned),
      step,
      countIn(target, [terminal], takesTerminals()),
      countOut(before.branch, terminal, isAsRead(before.branch, 'archived_at')),
      ...record(author, {
        at,
        branch: target,
        terminal,
        from: before.branch.mid,
        views: reassignmentViews(before, reassigned),
      }),
    ]);
    return reassigned;
  });

/** A reassignment as each acquirer of the two branches sees it: what is not accessible to it is not named. */
function reassignmentViews({ branch: from }: TerminalInBranch, reassigned: TerminalInBranch): View[] {
  const { terminal, branch: to } = reassigned;
  const data = toTerminal(reassigned);
  const arrivals = viewsOf(to, { type: 'terminal.joined', data });
  const moved = { type: 'terminal.reassigned', changes: { mid: from.mid } } as const;
  return [
    ...arrivals.map((view) => (viewersOf(from).includes(view.viewer) ? { ...view, ...moved } : view)),
    ...viewsOf(from, { type: 'terminal.left', data: toDeleted(terminal) }).filter(
      ({ viewer }) => !viewersOf(to).includes(viewer),
    ),
  ];
}
