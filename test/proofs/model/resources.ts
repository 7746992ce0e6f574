import { listedBranch } from '../../../lib/branches/branch.ts';
import { type FieldError, Rejection, taken } from './responses.ts';
import { type Acquirer, type Branch, type Business, DETAILS, type State, type Terminal, tidOf } from './state.ts';

/* Branches, terminals and master merchants: access, representations and checks that several operations share. */

export const branchOf = (s: State, mid: string): Branch | undefined => s.branches.find((each) => each.mid === mid);

export const acquirersOf = ({ payment_provider, distributor }: Branch): string[] =>
  distributor ? [payment_provider, distributor] : [payment_provider];

export const mayUse = (branch: Branch, { id }: Acquirer): boolean => acquirersOf(branch).includes(id);

export const terminalsOf = (s: State, { mid }: Branch): Terminal[] => s.terminals.filter((each) => each.mid === mid);

/** Of branches created in the same millisecond, the one with the lower MID comes first. */
export const byCreation = (a: Branch, b: Branch): number =>
  `${a.created_at} ${a.mid}` < `${b.created_at} ${b.mid}` ? -1 : 1;

export function accessibleBranch(s: State, mid: string, caller: Acquirer): Branch {
  const branch = branchOf(s, mid);
  if (!branch || !mayUse(branch, caller))
    throw new Rejection('not_found', 'No branch with this MID exists or is accessible to you.');
  return branch;
}

/** Rejects a change by a distributor that is no partner of the branch's payment provider. */
function rejectFormerPartner({ payment_provider }: Branch, caller: Acquirer): void {
  if (caller.id !== payment_provider && !caller.partners.includes(payment_provider))
    throw new Rejection(
      'partnership_ended',
      'Your partnership with the payment provider of this branch has ended, so you cannot change the branch or its ' +
        'terminals. You can still read them. Ask the payment provider to renew the partnership.',
    );
}

export function changeableBranch(s: State, mid: string, caller: Acquirer): Branch {
  const branch = accessibleBranch(s, mid, caller);
  rejectFormerPartner(branch, caller);
  return branch;
}

const noTerminal = () => new Rejection('not_found', 'No terminal with this TID exists or is accessible to you.');

/** The rejection of some operations for a terminal that the caller cannot access. */
export const foreign = () =>
  new Rejection(
    'not_under_requesting_psp',
    'The terminal with this TID is under a branch that is not accessible to you.',
  );

/** A terminal and its branch. Throws `rejected` if the caller cannot access them. */
export function accessibleTerminal(
  s: State,
  tid: string,
  caller: Acquirer,
  rejected = noTerminal,
): { terminal: Terminal; branch: Branch } {
  const terminal = s.terminals.find((each) => each.tid === tid.toLowerCase());
  if (!terminal) throw noTerminal();
  const branch = branchOf(s, terminal.mid) as Branch;
  if (!mayUse(branch, caller)) throw rejected();
  return { terminal, branch };
}

/** Like {@link accessibleTerminal}, for a change. */
export function changeableTerminal(
  ...args: Parameters<typeof accessibleTerminal>
): ReturnType<typeof accessibleTerminal> {
  const found = accessibleTerminal(...args);
  rejectFormerPartner(found.branch, args[2]);
  return found;
}

/** A text without case and accents. */
export const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();

/** Whether each searched word begins a word of the branch's texts, or its MID or that of its business. */
export function isFound(s: State, branch: Branch, words: string[]): boolean {
  const { merchant_name, area, city } = branch;
  const business = s.businesses.find(({ uuid }) => uuid === branch.business) as Business;
  const texts = [merchant_name, area, city, business.name].map((text) => plain(text ?? '').split(/[^\p{L}\p{N}]+/u));
  const starts = [plain(branch.mid), plain(business.id), ...texts.flat()];
  return words.every((word) => starts.some((start) => start.startsWith(word)));
}

const statusOf = (archived: unknown) => (archived ? 'archived' : 'active');

/** A branch as its events name it. */
export const placeOf = ({ mid, archived_at }: Branch) => ({ mid, status: statusOf(archived_at), archived_at });

const detailsOf = (branch: Branch, names: typeof DETAILS) =>
  Object.fromEntries(names.map((name) => [name, branch[name]]));

export function showListed(s: State, branch: Branch) {
  const business = s.businesses.find(({ uuid }) => uuid === branch.business) as Business;
  const listed = DETAILS.filter((name) => name in listedBranch.entries);
  return {
    ...placeOf(branch),
    ...detailsOf(branch, listed),
    created_at: branch.created_at,
    updated_at: branch.updated_at,
    master_merchant_name: business.name,
    master_merchant_id: business.id,
  };
}

export const showBranch = (s: State, branch: Branch) => ({
  ...showListed(s, branch),
  ...detailsOf(branch, DETAILS),
  existing_master_merchant: branch.business,
  payment_provider: branch.payment_provider,
  distributor: branch.distributor,
  terminal_count: terminalsOf(s, branch).length,
});

export const showBusiness = ({ uuid, payment_provider, id, name, details }: Business) => ({
  existing_master_merchant: uuid,
  master_merchant_id: id,
  master_merchant_name: name,
  payment_provider,
  ...details,
});

/** How a terminal is archived that was active when its branch was archived. */
export const withBranch = (at: string) => ({ at, reason: 'Archived with its branch.', withBranch: true });

/** When a terminal last changed, on its own or with its branch. */
export const changedAt = ({ updated_at, moved }: Terminal): string => (moved > updated_at ? moved : updated_at);

export function showTerminal(each: Terminal) {
  const { place, archived, moved, restored, ...terminal } = each;
  return {
    ...terminal,
    updated_at: changedAt(each),
    status: statusOf(archived),
    archived_at: archived?.at ?? null,
    archive_reason: archived?.reason ?? null,
  };
}

/** A terminal as it is seen with its branch of another moment, which decides whether it is archived with that. */
export function showAsOf(terminal: Terminal, { archived_at, restored_at, restored_from }: Branch) {
  if (terminal.archived && !terminal.archived.withBranch) return showTerminal(terminal);
  if (archived_at && terminal.restored !== archived_at)
    return showTerminal({ ...terminal, archived: withBranch(archived_at), moved: archived_at });
  const moved = restored_at && terminal.restored !== restored_from ? restored_at : '';
  return showTerminal({ ...terminal, archived: null, moved });
}

/** Remembers the terminal that a serial led to until now. */
export function release(s: State, { tid, terminal_id, serial_no }: Terminal, branch: Branch, until: string): void {
  if (serial_no) s.released[serial_no] = { tid, terminal_id, until, acquirers: acquirersOf(branch) };
}

/** A deleted terminal. */
export const showDeleted = ({ tid, terminal_id }: Terminal) => ({ tid, terminal_id });

/** Field errors of names that the caller does not have. */
export function unknownNames(
  { paymentApps, masterAcquirers }: Acquirer,
  { payment_app, acquirer_name }: Partial<Terminal>,
  at = '',
): FieldError[] {
  const [noApp, noAcquirer] = ['payment apps; see lookup paymentApp', 'master acquirers; see lookup acquirers'];
  return [
    { field: 'payment_app', name: payment_app, known: paymentApps, which: noApp },
    { field: 'acquirer_name', name: acquirer_name, known: masterAcquirers, which: noAcquirer },
  ]
    .filter(({ name, known }) => name && !known.includes(name))
    .map(({ field, which }) => ({
      pointer: `${at}/${field}`,
      code: 'not_found',
      detail: `Must be one of your ${which}.`,
    }));
}

/** Field errors of ids and serials of a terminal that others have. */
export const takenBy = (others: Terminal[], terminal: Partial<Terminal>, at = ''): FieldError[] =>
  (['terminal_id', 'serial_no'] as const)
    .filter((name) => terminal[name] && others.some((each) => each[name] === terminal[name]))
    .map((name) => taken(`${at}/${name}`, `Another terminal has this ${name}.`));

/** The field errors of new terminals. */
export const terminalErrors = (s: State, caller: Acquirer, news: Partial<Terminal>[]): FieldError[] =>
  news.flatMap((each, place) => [
    ...unknownNames(caller, each, `/terminals/${place}`),
    ...takenBy(s.terminals, each, `/terminals/${place}`),
  ]);

/** The fields of a terminal that an update can change. */
export const CHANGEABLE = ['serial_no', 'terminal_model', 'payment_app', 'acquirer_name'] as const;
type Changeable = Pick<Terminal, (typeof CHANGEABLE)[number]>;

export function addTerminals(s: State, mid: string, news: Partial<Terminal>[], time: string): Terminal[] {
  const terminals = news.map(({ terminal_id = '', ...fields }, place): Terminal => {
    const given = Object.fromEntries(CHANGEABLE.map((name) => [name, fields[name] ?? null])) as Changeable;
    const times = { created_at: time, updated_at: time, archived: null, moved: '', restored: null };
    return { ...given, tid: tidOf(terminal_id), terminal_id, mid, place, ...times };
  });
  s.terminals.push(...terminals);
  if (terminals.length > 0) (branchOf(s, mid) as Branch).updated_at = time;
  return terminals;
}
