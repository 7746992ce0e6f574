import { acquirersOf, after, changed, historyPage, placeOf, record } from './events.ts';
import { checkQuery, listPage } from './lists.ts';
import {
  accessibleBranch,
  accessibleTerminal,
  addTerminals,
  branchOf,
  changedAt,
  foreignTerminal,
  mayUse,
  noTerminal,
  rejectArchived,
  showDeleted,
  showTerminal,
  takenByTerminals,
  terminalsOf,
  unknownNames,
} from './resources.ts';
import { created, expectFieldErrors, ok, Rejection, taken } from './responses.ts';
import type { Change, Operations, Terminal } from './state.ts';

/* Operations on terminals. */

const bySortKey = (a: Terminal, b: Terminal): number => {
  const [one, other] = [a, b].map(
    ({ created_at, place, tid }) => `${created_at} ${String(place).padStart(2, '0')} ${tid}`,
  );
  return (one as string) < (other as string) ? -1 : 1;
};

export const TERMINAL_OPERATIONS = {
  listTerminals(s, { caller, path: { id = '' }, query, items }) {
    checkQuery(query);
    const branch = accessibleBranch(s, id, caller);
    // The branch is read first, so it decides what is archived with it.
    const show = (each: Terminal) =>
      showTerminal(each.archived?.withBranch && !branch.archived_at ? { ...each, archived: null } : each);
    return listPage(
      `/ext/api/v1/terminals/${id}`,
      query,
      terminalsOf(s, branch).length,
      terminalsOf(items, branch).sort(bySortKey).map(show),
    );
  },

  createTerminals(s, { caller, path: { id = '' }, body, times }) {
    const branch = accessibleBranch(s, id, caller);
    rejectArchived(branch);
    const terminals: Terminal[] = body.terminals;
    expectFieldErrors([
      ...terminals.flatMap((each, at) => unknownNames(caller, each, `/terminals/${at}`)),
      ...takenByTerminals(s, terminals),
    ]);
    const at = changed(times, after(branch.updated_at));
    const added = addTerminals(s, id, terminals, at);
    const data = added.map(showTerminal);
    record(s, { caller, times }, branch, { at, type: 'terminals.created', terminals: added, data });
    return created(data, `/ext/api/v1/terminals/${id}`);
  },

  updateTerminal(s, { caller, path: { id = '' }, body, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, foreignTerminal);
    const fieldErrors = unknownNames(caller, body);
    if (body.serial_no && s.terminals.some((each) => each !== terminal && each.serial_no === body.serial_no))
      fieldErrors.push(taken('/serial_no', 'Another terminal has this serial_no.'));
    expectFieldErrors(fieldErrors);
    const fields = ['serial_no', 'terminal_model', 'payment_app', 'acquirer_name'] as const;
    const different = fields.filter((name) => body[name] !== undefined && body[name] !== terminal[name]);
    if (different.length === 0) return ok(showTerminal(terminal));
    const changes = Object.fromEntries(different.map((name) => [name, terminal[name]]));
    for (const name of different) terminal[name] = body[name];
    // It may not know of a concurrent archiving of the branch.
    const at = changed(times, after(terminal.updated_at));
    terminal.updated_at = at;
    const data = showTerminal(terminal);
    record(s, { caller, times }, branch, { at, type: 'terminal.updated', terminals: [terminal], data, changes });
    return ok(data);
  },

  deleteTerminal(s, { caller, path: { id = '' }, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, noTerminal);
    s.terminals.splice(s.terminals.indexOf(terminal), 1);
    const data = showDeleted(terminal);
    const at = changed(times, after(changedAt(terminal)), after(branch.updated_at));
    record(s, { caller, times }, branch, { at, type: 'terminal.deleted', terminals: [terminal], data });
    return ok(data);
  },

  archiveTerminal(s, { caller, path: { id = '' }, body, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, foreignTerminal);
    if (terminal.archived) throw new Rejection('already_archived', 'The terminal is already archived.');
    const at = changed(times, after(changedAt(terminal)));
    terminal.archived = { at, reason: body.reason, withBranch: false };
    terminal.updated_at = at;
    const data = showTerminal(terminal);
    record(s, { caller, times }, branch, { at, type: 'terminal.archived', terminals: [terminal], data });
    return ok(data);
  },

  restoreTerminal(s, { caller, path: { id = '' }, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, noTerminal);
    if (!terminal.archived) throw new Rejection('not_archived', 'The terminal is not archived.');
    const at = changed(times, after(changedAt(terminal)));
    terminal.updated_at = at;
    terminal.archived = null;
    const data = showTerminal(terminal);
    record(s, { caller, times }, branch, { at, type: 'terminal.restored', terminals: [terminal], data });
    return ok(data);
  },

  reassignTerminal(s, { caller, path: { id = '' }, body, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, foreignTerminal);
    const target = branchOf(s, body.mid);
    if (!target) throw new Rejection('not_found', 'No branch with the target MID exists.');
    if (!mayUse(target, caller) || target.payment_provider !== branch.payment_provider)
      throw new Rejection(
        'not_under_requesting_psp',
        'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
      );
    if (target === branch)
      throw new Rejection('already_under_target_mid', 'The terminal is already under the target MID.');
    rejectArchived(target);
    terminal.mid = target.mid;
    const at = changed(times, after(changedAt(terminal)));
    terminal.updated_at = at;
    if (terminal.archived) terminal.archived.withBranch = false;
    const data = showTerminal(terminal);
    const [leavers, takers] = [acquirersOf(branch), acquirersOf(target)];
    const left = { type: 'terminal.left', branch: placeOf(branch), data: showDeleted(terminal), changes: null };
    const joined = { type: 'terminal.joined', branch: placeOf(target), data, changes: null };
    const moved = { ...joined, type: 'terminal.reassigned', changes: { mid: branch.mid } };
    const views = [...new Set([...leavers, ...takers])].map((acquirer) => {
      const seen = leavers.includes(acquirer) ? moved : joined;
      return { acquirer, ...(takers.includes(acquirer) ? seen : left) };
    });
    const event = { at, type: 'terminal.reassigned', terminals: [terminal], data };
    record(s, { caller, times }, target, event, { mids: [branch.mid, target.mid], views });
    return ok(data);
  },

  getTerminalHistory(s, ask) {
    const { caller, path } = ask;
    const id = path['id'] ?? '';
    const isAbout = ({ tids }: Change) => tids.includes(id);
    const page = historyPage('getTerminalHistory', ask, isAbout);
    if ((page.body as { data: unknown[] }).data.length === 0) accessibleTerminal(s, id, caller, noTerminal);
    return page;
  },
} satisfies Partial<Operations>;
