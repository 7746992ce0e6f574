import type { BranchDetails } from '../../../lib/branches/branch.ts';
import { REQUESTED_AS } from '../../support/requests.ts';
import { after, changed, historyPage, record } from './events.ts';
import { checkQuery, listPage } from './lists.ts';
import {
  accessibleBranch,
  addTerminals,
  branchOf,
  mayUse,
  showBranch,
  showListed,
  showTerminal,
  takenByTerminals,
  terminalsOf,
  unknownNames,
} from './resources.ts';
import { created, expectFieldErrors, ok, Rejection, taken } from './responses.ts';
import { type Branch, businessOf, DETAILS, type Operations, type Terminal } from './state.ts';

/* Operations on branches. */

/** The details of a new master merchant in a body, without its id and name. */
const detailsOf = ({ email = null, country_code = null, phone = null, mcc = null, country = null }) => ({
  email,
  country_code,
  phone,
  mcc,
  country,
});

/** Of branches created in the same millisecond, the one with the lower MID comes first. */
const byCreation = (one: Branch, other: Branch): number => {
  const [a, b] = [one, other].map(({ created_at, mid }) => `${created_at} ${mid}`);
  return (a as string) < (b as string) ? -1 : 1;
};

/** The fields of a create that describe a master merchant besides its id and name. */
const MERCHANT_DETAILS = ['email', 'country_code', 'phone', 'mcc', 'country'];

export const BRANCH_OPERATIONS = {
  listBranches(s, { caller, query, items }) {
    checkQuery(query);
    // Branches are never deleted, so each counted one can still be shown.
    const counted = s.branches.filter((each) => mayUse(each, caller)).sort(byCreation);
    const shown = counted.map((each) => {
      const branch = branchOf(items, each.mid);
      return branch ? showListed(items, branch) : showListed(s, each);
    });
    return listPage('/ext/api/v1/merchants', query, counted.length, shown);
  },

  createBranch(s, { caller, body, times }) {
    const isDistributor = caller.type === 'DISTRIBUTOR';
    const payment_provider: string = body.payment_provider?.toLowerCase() ?? caller.id;
    const distributor: string | null = body.distributor?.toLowerCase() ?? (isDistributor ? caller.id : null);
    const partner = isDistributor ? payment_provider : distributor;
    const isStranger = partner !== null && !caller.partners.includes(partner);
    const id: string | undefined = body.master_merchant_id ?? undefined;
    const named: string | undefined = body.existing_master_merchant?.toLowerCase();
    const uuid: string = named ?? businessOf(payment_provider, id as string);
    const known = s.businesses.find((each) => each.uuid === uuid && each.payment_provider === payment_provider);
    const terminals = body.terminals ?? [];

    if (isStranger)
      // Returns no other field error, because it would reveal what other acquirers have.
      expectFieldErrors([
        {
          pointer: isDistributor ? '/payment_provider' : '/distributor',
          code: 'not_a_partner',
          detail: 'Must be the UUID of one of your partners.',
        },
      ]);
    const fieldErrors = [
      ...terminals.flatMap((each: Terminal, at: number) => unknownNames(caller, each, `/terminals/${at}`)),
      ...takenByTerminals(s, terminals),
    ];
    if (branchOf(s, body.mid)) fieldErrors.push(taken('/mid', 'Another branch has this MID.'));
    const details = Object.fromEntries(MERCHANT_DETAILS.flatMap((name) => (body[name] ? [[name, body[name]]] : [])));
    const isVisible = known && (known.visibleTo.includes(caller.id) || known.id === id);
    if (isVisible) {
      const stored: Record<string, unknown> = {
        ...known.details,
        master_merchant_id: known.id,
        master_merchant_name: known.name,
      };
      const sent = { master_merchant_id: id, master_merchant_name: body.master_merchant_name, ...details };
      for (const [name, value] of Object.entries(sent))
        if (value && value !== stored[name])
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
    const business = known ?? {
      uuid,
      payment_provider,
      id: id as string,
      name: body.master_merchant_name ?? null,
      details: detailsOf(body),
      visibleTo: [payment_provider],
    };
    if (!known) s.businesses.push(business);
    if (distributor) business.visibleTo.push(distributor);
    const branch: Branch = {
      ...(Object.fromEntries(DETAILS.map((name) => [name, body[REQUESTED_AS[name] ?? name] ?? null])) as Record<
        keyof BranchDetails,
        string | null
      >),
      mid: body.mid,
      business: uuid,
      payment_provider,
      distributor,
      created_at: time,
      updated_at: time,
      archived_at: null,
    };
    s.branches.push(branch);
    const added = addTerminals(s, branch.mid, terminals, time);
    const data = { ...showBranch(s, branch), terminals: added.map(showTerminal) };
    record(s, { caller, times }, branch, { at: time, type: 'branch.created', terminals: added, data });
    return created(data, `/ext/api/v1/merchants/${branch.mid}`);
  },

  getBranch: (s, { caller, path: { mid = '' } }) => ok(showBranch(s, accessibleBranch(s, mid, caller))),

  getBranchHistory(s, ask) {
    const { mid = '' } = ask.path;
    const page = historyPage('getBranchHistory', ask, ({ mids }) => mids.includes(mid));
    accessibleBranch(s, mid, ask.caller);
    return page;
  },

  archiveBranch(s, { caller, path: { mid = '' }, times }) {
    const branch = accessibleBranch(s, mid, caller);
    if (branch.archived_at) throw new Rejection('already_archived', 'The branch is already archived.');
    const at = changed(times, after(branch.updated_at));
    branch.archived_at = at;
    branch.updated_at = at;
    for (const terminal of terminalsOf(s, branch))
      terminal.archived ??= { at, reason: 'Archived with its branch.', withBranch: true };
    const data = showBranch(s, branch);
    record(s, { caller, times }, branch, { at, type: 'branch.archived', terminals: [], data });
    return ok(data);
  },
} satisfies Partial<Operations>;
