import { after, changed, historyPage, record } from './events.ts';
import {
  accessibleBranch,
  acquirersOf,
  addTerminals,
  branchOf,
  byCreation,
  changeableBranch,
  isFound,
  mayUse,
  plain,
  showBranch,
  showListed,
  showTerminal,
  terminalErrors,
  terminalsOf,
  withBranch,
} from './resources.ts';
import { created, expectFieldErrors, listPage, ok, Rejection, taken } from './responses.ts';
import { type Branch, type Business, businessOf, DETAILS, type Operations, requestedAs } from './state.ts';

/* Operations on branches. */

/** The details of a new master merchant in a body, without its id and name. */
const detailsOf = ({ email = null, country_code = null, phone = null, mcc = null, country = null }) => {
  return { email, country_code, phone, mcc, country };
};

export const BRANCH_OPERATIONS = {
  listBranches(s, { caller, query, items }) {
    const words = plain(query['search'] ?? '').match(/[\p{L}\p{N}-]+/gu) ?? [];
    // Branches are never deleted, so each counted one can still be shown.
    const counted = s.branches.filter((each) => mayUse(each, caller) && isFound(s, each, words)).sort(byCreation);
    const shown = counted.map((each) => {
      const branch = branchOf(items, each.mid);
      return branch ? showListed(items, branch) : showListed(s, each);
    });
    return listPage('/ext/api/v1/merchants', query, counted.length, shown);
  },

  createBranch(s, ask) {
    const { caller, body, times } = ask;
    const isDistributor = caller.type === 'DISTRIBUTOR';
    const payment_provider: string = body.payment_provider?.toLowerCase() ?? caller.id;
    const distributor: string | null = body.distributor?.toLowerCase() ?? (isDistributor ? caller.id : null);
    const partner = isDistributor ? payment_provider : distributor;
    const id: string | undefined = body.master_merchant_id ?? undefined;
    const named: string | undefined = body.existing_master_merchant?.toLowerCase();
    const uuid: string = named ?? businessOf(payment_provider, id as string);
    const known = s.businesses.find((each) => each.uuid === uuid && each.payment_provider === payment_provider);
    const terminals = body.terminals ?? [];
    const details = detailsOf(body);

    if (partner !== null && !caller.partners.includes(partner))
      // Returns no other field error, because it would reveal what other acquirers have.
      expectFieldErrors([
        {
          pointer: isDistributor ? '/payment_provider' : '/distributor',
          code: 'not_a_partner',
          detail: 'Must be the UUID of one of your partners.',
        },
      ]);
    const fieldErrors = terminalErrors(s, caller, terminals);
    if (branchOf(s, body.mid)) fieldErrors.push(taken('/mid', 'Another branch has this MID.'));
    if (known && (known.visibleTo.includes(caller.id) || known.id === id)) {
      const sent = { master_merchant_id: id, master_merchant_name: body.master_merchant_name, ...details };
      const stored = { master_merchant_id: known.id, master_merchant_name: known.name, ...known.details };
      for (const [name, value] of Object.entries(stored))
        if (sent[name as keyof typeof sent] && sent[name as keyof typeof sent] !== value)
          fieldErrors.push({
            pointer: `/${name}`,
            code: 'differs',
            detail: 'Differs from what is stored for this master merchant. Send the stored value, or omit the field.',
          });
    } else if (named)
      fieldErrors.push({
        pointer: '/existing_master_merchant',
        code: 'not_found',
        detail: 'Must be a master merchant of this payment provider that you may use; see lookup masterMerchants.',
      });
    expectFieldErrors(fieldErrors);

    const time = changed(times);
    const name: string | null = body.master_merchant_name ?? null;
    const business: Business = known ?? { uuid, payment_provider, id: id as string, name, details, visibleTo: [] };
    if (!known) s.businesses.push(business);
    const branch: Branch = {
      ...(Object.fromEntries(DETAILS.map((name) => [name, body[requestedAs(name)] ?? null])) as Branch),
      mid: body.mid,
      business: uuid,
      payment_provider,
      distributor,
      created_at: time,
      updated_at: time,
      archived_at: null,
      restored_at: null,
      restored_from: null,
    };
    s.branches.push(branch);
    business.visibleTo = [...new Set([...business.visibleTo, ...acquirersOf(branch)])].sort();
    const added = addTerminals(s, branch.mid, terminals, time);
    const data = { ...showBranch(s, branch), terminals: added.map(showTerminal) };
    record(s, ask, branch, { at: time, type: 'branch.created', terminals: added, data });
    return created(data, `/ext/api/v1/merchants/${branch.mid}`);
  },

  getBranch: (s, { caller, path: { mid = '' } }) => ok(showBranch(s, accessibleBranch(s, mid, caller))),

  getBranchHistory(s, ask) {
    const { mid = '' } = ask.path;
    const page = historyPage(ask, ({ mids }) => mids.includes(mid));
    accessibleBranch(s, mid, ask.caller);
    return page;
  },

  archiveBranch(s, ask) {
    const branch = changeableBranch(s, ask.path['mid'] ?? '', ask.caller);
    if (branch.archived_at) throw new Rejection('already_archived', 'The branch is already archived.');
    const at = changed(ask.times, after(branch.updated_at));
    branch.archived_at = at;
    branch.updated_at = at;
    const terminals = terminalsOf(s, branch);
    for (const terminal of terminals.filter(({ archived }) => !archived))
      Object.assign(terminal, { archived: withBranch(at), moved: at });
    const data = showBranch(s, branch);
    record(s, ask, branch, { at, type: 'branch.archived', terminals, data });
    return ok(data);
  },

  restoreBranch(s, ask) {
    const branch = changeableBranch(s, ask.path['mid'] ?? '', ask.caller);
    const { archived_at } = branch;
    if (!archived_at) throw new Rejection('not_archived', 'The branch is not archived.');
    const at = changed(ask.times, after(branch.updated_at));
    Object.assign(branch, { archived_at: null, restored_at: at, restored_from: archived_at, updated_at: at });
    const terminals = terminalsOf(s, branch);
    for (const terminal of terminals.filter(({ archived }) => archived?.withBranch))
      Object.assign(terminal, { archived: null, moved: at });
    const data = showBranch(s, branch);
    const changes = { status: 'archived', archived_at };
    record(s, ask, branch, { at, type: 'branch.restored', terminals, data, changes });
    return ok(data);
  },

  updateBranch(s, ask) {
    const branch = changeableBranch(s, ask.path['mid'] ?? '', ask.caller);
    const sent = (name: (typeof DETAILS)[number]) => ask.body[requestedAs(name)];
    const different = DETAILS.filter((name) => sent(name) !== undefined && sent(name) !== branch[name]);
    if (different.length === 0) return ok(showBranch(s, branch));
    const changes = Object.fromEntries(different.map((name) => [name, branch[name]]));
    const at = changed(ask.times, after(branch.updated_at));
    for (const name of different) branch[name] = sent(name);
    branch.updated_at = at;
    const data = showBranch(s, branch);
    record(s, ask, branch, { at, type: 'branch.updated', terminals: [], data, changes });
    return ok(data);
  },
} satisfies Partial<Operations>;
