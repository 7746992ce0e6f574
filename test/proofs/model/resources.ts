import { listedBranch } from '../../../lib/branches/branch.ts';
import {
  BRANCH_ARCHIVED,
  FOREIGN_TERMINAL,
  NO_BRANCH,
  NO_MASTER_ACQUIRER,
  NO_PAYMENT_APP,
  NO_TERMINAL,
} from '../../support/constants.ts';
import type { FieldError } from './bodies.ts';
import { Rejection, taken } from './responses.ts';
import { type Acquirer, type Branch, type Business, DETAILS, type State, type Terminal, tidOf } from './state.ts';

/* Branches, terminals and master merchants: access, representations and checks that several operations share. */

export const branchOf = (s: State, mid: string): Branch | undefined => s.branches.find((each) => each.mid === mid);

export const mayUse = (branch: Branch, { id }: Acquirer): boolean =>
  [branch.payment_provider, branch.distributor].includes(id);

export const terminalsOf = (s: State, { mid }: Branch): Terminal[] => s.terminals.filter((each) => each.mid === mid);

export function accessibleBranch(s: State, mid: string, caller: Acquirer): Branch {
  const branch = branchOf(s, mid);
  if (!branch || !mayUse(branch, caller)) throw new Rejection('not_found', NO_BRANCH);
  return branch;
}

export const noTerminal = () => new Rejection('not_found', NO_TERMINAL);

export const foreignTerminal = () => new Rejection('not_under_requesting_psp', FOREIGN_TERMINAL);

/** A terminal and its branch. Throws `foreign` if the caller cannot access them. */
export function accessibleTerminal(
  s: State,
  tid: string,
  caller: Acquirer,
  foreign: () => Rejection,
): { terminal: Terminal; branch: Branch } {
  const terminal = s.terminals.find((each) => each.tid === tid.toLowerCase());
  if (!terminal) throw noTerminal();
  const branch = branchOf(s, terminal.mid) as Branch;
  if (!mayUse(branch, caller)) throw foreign();
  return { terminal, branch };
}

export function rejectArchived({ archived_at }: Branch): void {
  if (archived_at) throw new Rejection('branch_archived', BRANCH_ARCHIVED);
}

const detailsOf = (branch: Branch, names: typeof DETAILS) =>
  Object.fromEntries(names.map((name) => [name, branch[name]]));

export function showListed(s: State, branch: Branch) {
  const { mid, created_at, archived_at } = branch;
  const business = s.businesses.find(({ uuid }) => uuid === branch.business) as Business;
  return {
    mid,
    ...detailsOf(
      branch,
      DETAILS.filter((name) => name in listedBranch.entries),
    ),
    created_at,
    master_merchant_name: business.name,
    master_merchant_id: business.id,
    status: archived_at ? 'archived' : 'active',
  };
}

export const showBranch = (s: State, branch: Branch) => ({
  ...showListed(s, branch),
  ...detailsOf(branch, DETAILS),
  existing_master_merchant: branch.business,
  payment_provider: branch.payment_provider,
  distributor: branch.distributor,
  terminal_count: terminalsOf(s, branch).length,
  updated_at: branch.updated_at,
  archived_at: branch.archived_at,
});

export const showBusiness = ({ uuid, payment_provider, id, name, details }: Business) => ({
  existing_master_merchant: uuid,
  master_merchant_id: id,
  master_merchant_name: name,
  payment_provider,
  ...details,
});

/** When a terminal last changed, on its own or with its branch. */
export const changedAt = ({ archived, updated_at }: Terminal): string =>
  archived?.withBranch && archived.at > updated_at ? archived.at : updated_at;

export function showTerminal(each: Terminal) {
  const { place, archived, ...terminal } = each;
  return {
    ...terminal,
    updated_at: changedAt(each),
    status: archived ? 'archived' : 'active',
    archived_at: archived?.at ?? null,
    archive_reason: archived?.reason ?? null,
  };
}

/** A deleted terminal. */
export const showDeleted = ({ tid, terminal_id }: Terminal) => ({ tid, terminal_id });

/** Field errors of names that the caller does not have. */
export function unknownNames(
  caller: Acquirer,
  { payment_app, acquirer_name }: Partial<Terminal>,
  at = '',
): FieldError[] {
  const fieldErrors: FieldError[] = [];
  const code = 'not_found';
  if (payment_app && !caller.paymentApps.includes(payment_app))
    fieldErrors.push({ pointer: `${at}/payment_app`, code, detail: NO_PAYMENT_APP });
  if (acquirer_name && !caller.masterAcquirers.includes(acquirer_name))
    fieldErrors.push({ pointer: `${at}/acquirer_name`, code, detail: NO_MASTER_ACQUIRER });
  return fieldErrors;
}

/** Field errors of new terminals whose id or serial is taken. */
export const takenByTerminals = (s: State, news: { terminal_id: string; serial_no?: string | null }[]): FieldError[] =>
  news.flatMap(({ terminal_id, serial_no }, at) => [
    ...(s.terminals.some((each) => each.terminal_id === terminal_id)
      ? [taken(`/terminals/${at}/terminal_id`, 'Another terminal has this terminal_id.')]
      : []),
    ...(serial_no && s.terminals.some((each) => each.serial_no === serial_no)
      ? [taken(`/terminals/${at}/serial_no`, 'Another terminal has this serial_no.')]
      : []),
  ]);

export function addTerminals(s: State, mid: string, news: Partial<Terminal>[], time: string): Terminal[] {
  const terminals = news.map(
    ({ terminal_id = '', serial_no, terminal_model, payment_app, acquirer_name }, place): Terminal => ({
      tid: tidOf(terminal_id),
      terminal_id,
      serial_no: serial_no ?? null,
      terminal_model: terminal_model ?? null,
      payment_app: payment_app ?? null,
      acquirer_name: acquirer_name ?? null,
      mid,
      created_at: time,
      place,
      updated_at: time,
      archived: null,
    }),
  );
  s.terminals.push(...terminals);
  return terminals;
}
