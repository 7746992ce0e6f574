import { branchOf, mayUse, plain, showBranch, showBusiness, showTerminal } from './resources.ts';
import { ok, Rejection } from './responses.ts';
import type { Acquirer, Operations, State } from './state.ts';

/* Lookups, finds and member checks. */

/** An item of a lookup, and other texts by which a search or a filter finds it. */
interface Item {
  key: string;
  text: string;
  id?: string;
  provider?: string;
}

type Lookup = (s: State, caller: Acquirer) => Item[];

const named = (names: string[]) => names.map((name) => ({ key: name, text: name }));

/** The caller itself for its own type, and its partners for the other type. */
const sideOf =
  (type: Acquirer['type']): Lookup =>
  (s, caller) =>
    s.acquirers
      .filter(({ id }) => (caller.type === type ? id === caller.id : caller.partners.includes(id)))
      .map(({ id, name }) => ({ key: id, text: name }));

const LOOKUPS: Record<string, Lookup> = {
  paymentProviders: sideOf('PAYMENT_PROVIDER'),
  distributors: sideOf('DISTRIBUTOR'),
  acquirers: (_, { masterAcquirers }) => named(masterAcquirers),
  paymentApp: (_, { paymentApps }) => named(paymentApps),
  masterMerchants: (s, { id: caller }) =>
    s.businesses
      .filter(({ visibleTo }) => visibleTo.includes(caller))
      .map(({ uuid, name, id, payment_provider: provider }) => ({ key: uuid, text: name ?? id, id, provider })),
};

export const LOOKUP_OPERATIONS = {
  lookup(s, { caller, path: { method = '' }, query }) {
    const lookup = LOOKUPS[method] as Lookup;
    const wanted = plain(query['search']?.trim() ?? '');
    const only = method === 'masterMerchants' ? query['payment_provider'] : undefined;
    const items = lookup(s, caller)
      .filter(({ text, id = '' }) => [text, id].some((each) => plain(each).includes(wanted)))
      .filter(({ provider }) => !only || provider === only)
      .map(({ key, text }) => ({ key, text }));
    return ok(
      items.sort((a, b) => a.text.localeCompare(b.text, 'en', { sensitivity: 'base' }) || (a.key < b.key ? -1 : 1)),
    );
  },

  find(s, { caller, query: { payment_provider: provider = caller.id, ...identifier } }) {
    const [[by, id] = ['', '']] = Object.entries(identifier);
    const found = (type: string, data: object) => ok(data, { type });
    const isIt = (value: string | null | undefined) => value === (id.includes('-') ? id.toLowerCase() : id);
    const business = s.businesses.find((each) => each.payment_provider === provider && isIt(each.id));
    if (by === 'master_merchant_id' && business?.visibleTo.includes(caller.id))
      return found('master_merchant', showBusiness(business));
    const terminal = s.terminals.find(({ tid, terminal_id, serial_no }) =>
      isIt({ tid, terminal_id, serial_no }[by as 'tid']),
    );
    const branch = branchOf(s, terminal?.mid ?? '') ?? s.branches.find(({ mid }) => by === 'mid' && isIt(mid));
    const last = by === 'serial_no' && !terminal ? s.released[id] : undefined;
    const { acquirers = [], ...released } = last ?? {};
    if (!branch || !mayUse(branch, caller))
      throw new Rejection('not_found', 'Nothing with this identifier exists or is accessible to you.', undefined, {
        ...(acquirers.includes(caller.id) && { released }),
      });
    return terminal ? found('terminal', showTerminal(terminal)) : found('branch', showBranch(s, branch));
  },

  memberCheck(s, { caller, body }) {
    const card = s.cards.find(({ card_id }) => card_id === body.card_id);
    const terminal = s.terminals.find(({ terminal_id }) => terminal_id === body.terminal_id);
    const branch = terminal && branchOf(s, terminal.mid);
    const isIdentified =
      card !== undefined &&
      card.card_pseudo_token === body.card_pseudo_token &&
      terminal?.archived === null &&
      branch &&
      mayUse(branch, caller) &&
      [caller.id, branch.payment_provider].includes(body.acquirer_id.toLowerCase());
    const now = new Date().toISOString();
    const rewards = (isIdentified ? card.rewards : []).filter(
      ({ valid_from, expires_at, currency, minimum_amount }) =>
        valid_from <= now && now < expires_at && currency === body.currency && minimum_amount <= body.amount,
    );
    return ok({ member_identified: Boolean(isIdentified), rewards_available: rewards.length > 0, rewards });
  },
} satisfies Partial<Operations>;
