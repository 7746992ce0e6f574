import { after, CURSOR, changed, historyPage, record } from './events.ts';
import {
  accessibleBranch,
  accessibleTerminal,
  acquirersOf,
  addTerminals,
  branchOf,
  byCreation,
  CHANGEABLE,
  changeableBranch,
  changeableTerminal,
  changedAt,
  foreign,
  mayUse,
  placeOf,
  release,
  showAsOf,
  showDeleted,
  showListed,
  showTerminal,
  takenBy,
  terminalErrors,
  terminalsOf,
  unknownNames,
} from './resources.ts';
import { created, expectFieldErrors, listPage, ok, Rejection } from './responses.ts';
import {
  type ApiResponse,
  type Branch,
  type Input,
  inOneCase,
  type Operations,
  type State,
  type Terminal,
} from './state.ts';

/* Operations on terminals. */

function rejectArchived({ archived_at }: Branch): void {
  if (archived_at)
    throw new Rejection('branch_archived', 'The branch is archived. Restore it before you add terminals to it.');
}

const sortKey = ({ created_at, place, tid }: Terminal) => `${created_at} ${String(place).padStart(2, '0')} ${tid}`;

/** What the list of all terminals shows of a branch. */
const OF_BRANCH = ['mid', 'merchant_name', 'area', 'city', 'status'];

/** Changes a terminal, records that, and shows the terminal. */
function change(
  s: State,
  ask: Input,
  { terminal, branch }: { terminal: Terminal; branch: Branch },
  type: string,
  fields: Partial<Terminal>,
  changes: object | null = null,
): ApiResponse {
  Object.assign(terminal, fields);
  const data = showTerminal(terminal);
  record(s, ask, branch, { at: terminal.updated_at, type, terminals: [terminal], data, changes });
  return ok(data);
}

export const TERMINAL_OPERATIONS = {
  listTerminals(s, { caller, path: { id = '' }, query, items }) {
    const branch = accessibleBranch(s, id, caller);
    // The branch is read first, so it decides what is archived with it.
    const show = (each: Terminal) => showAsOf(each, branch);
    const shown = terminalsOf(items, branch).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    return listPage(`/ext/api/v1/terminals/${id}`, query, terminalsOf(s, branch).length, shown.map(show));
  },

  listAllTerminals(s, { caller, query, cursor }) {
    const all = s.branches
      .filter((each) => mayUse(each, caller))
      .sort(byCreation)
      .flatMap((branch) =>
        terminalsOf(s, branch)
          .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
          .map((each) => {
            const shown = Object.entries(showListed(s, branch)).filter(([name]) => OF_BRANCH.includes(name));
            return { ...showAsOf(each, branch), branch: Object.fromEntries(shown) };
          }),
      );
    const most = Number(query['limit'] ?? 100);
    const read = all.slice(all.findIndex(({ tid }) => tid === cursor?.place) + 1).slice(0, most);
    const data = read.filter(({ status }) => !query['status'] || status === query['status']);
    return ok(data, { meta: { next: read.length === most ? CURSOR : null } });
  },

  createTerminals(s, ask) {
    const { id = '' } = ask.path;
    const branch = changeableBranch(s, id, ask.caller);
    rejectArchived(branch);
    expectFieldErrors(terminalErrors(s, ask.caller, ask.body.terminals));
    const at = changed(ask.times, after(branch.updated_at));
    const terminals = addTerminals(s, id, ask.body.terminals, at);
    const data = terminals.map(showTerminal);
    record(s, ask, branch, { at, type: 'terminals.created', terminals, data });
    return created(data, `/ext/api/v1/terminals/${id}`);
  },

  updateTerminal(s, ask) {
    const { caller, path, body, times } = ask;
    const found = changeableTerminal(s, path['id'] ?? '', caller, foreign);
    const { terminal } = found;
    const others = s.terminals.filter((each) => each !== terminal);
    expectFieldErrors([...unknownNames(caller, body), ...takenBy(others, { serial_no: body.serial_no })]);
    const different = CHANGEABLE.filter((name) => body[name] !== undefined && body[name] !== terminal[name]);
    if (different.length === 0) return ok(showTerminal(terminal));
    const [before, now] = [terminal, body].map((each) =>
      Object.fromEntries(different.map((name) => [name, each[name]])),
    );
    // It may not know of a concurrent archiving of the branch.
    const updated_at = changed(times, after(terminal.updated_at));
    if (different.includes('serial_no')) release(s, terminal, found.branch, updated_at);
    return change(s, ask, found, 'terminal.updated', { ...now, updated_at }, before);
  },

  deleteTerminal(s, ask) {
    const { terminal, branch } = changeableTerminal(s, ask.path['id'] ?? '', ask.caller);
    s.terminals.splice(s.terminals.indexOf(terminal), 1);
    const data = showDeleted(terminal);
    const at = changed(ask.times, after(changedAt(terminal)), after(branch.updated_at));
    branch.updated_at = at;
    release(s, terminal, branch, at);
    record(s, ask, branch, { at, type: 'terminal.deleted', terminals: [terminal], data });
    return ok(data);
  },

  archiveTerminal(s, ask) {
    const found = changeableTerminal(s, ask.path['id'] ?? '', ask.caller, foreign);
    if (found.terminal.archived) throw new Rejection('already_archived', 'The terminal is already archived.');
    const at = changed(ask.times, after(changedAt(found.terminal)));
    const archived = { at, reason: ask.body.reason, withBranch: false };
    return change(s, ask, found, 'terminal.archived', { archived, restored: null, updated_at: at });
  },

  restoreTerminal(s, ask) {
    const found = changeableTerminal(s, ask.path['id'] ?? '', ask.caller);
    if (!found.terminal.archived) throw new Rejection('not_archived', 'The terminal is not archived.');
    const updated_at = changed(ask.times, after(changedAt(found.terminal)));
    const restored = found.branch.archived_at;
    return change(s, ask, found, 'terminal.restored', { archived: null, restored, updated_at });
  },

  reassignTerminal(s, ask) {
    const { caller, path, body, times } = ask;
    const { terminal, branch } = changeableTerminal(s, path['id'] ?? '', caller, foreign);
    const target = branchOf(s, inOneCase(body.mid));
    if (!target) throw new Rejection('not_found', 'No branch with the target MID exists.');
    if (!mayUse(target, caller) || target.payment_provider !== branch.payment_provider)
      throw new Rejection(
        'not_under_requesting_psp',
        'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
      );
    if (target === branch)
      throw new Rejection('already_under_target_mid', 'The terminal is already under the target MID.');
    rejectArchived(target);
    const at = changed(times, after(changedAt(terminal)), after(branch.updated_at), after(target.updated_at));
    const archived = terminal.archived && { ...terminal.archived, withBranch: false };
    Object.assign(terminal, { mid: target.mid, updated_at: at, archived, restored: null });
    branch.updated_at = at;
    target.updated_at = at;
    const data = showTerminal(terminal);
    const left = { type: 'terminal.left', branch: placeOf(branch), data: showDeleted(terminal), changes: null };
    const joined = { type: 'terminal.joined', branch: placeOf(target), data, changes: null };
    const moved = { ...joined, type: 'terminal.reassigned', changes: { mid: branch.mid } };
    const [leavers, takers] = [acquirersOf(branch), acquirersOf(target)];
    const views = [...new Set([...leavers, ...takers])].map((acquirer) => {
      const seen = leavers.includes(acquirer) ? moved : joined;
      return { acquirer, ...(takers.includes(acquirer) ? seen : left) };
    });
    const event = { at, type: 'terminal.reassigned', terminals: [terminal], data };
    record(s, ask, target, event, { mids: [branch.mid, target.mid], views });
    return ok(data);
  },

  getTerminalHistory(s, ask) {
    const { id = '' } = ask.path;
    const page = historyPage(ask, ({ tids }) => tids.includes(id));
    if ((page.body as { data: unknown[] }).data.length === 0) accessibleTerminal(s, id, ask.caller);
    return page;
  },
} satisfies Partial<Operations>;
