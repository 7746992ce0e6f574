import { newApiKey } from '../../lib/base/apiKeyFormat.ts';
import type { Operation } from '../support/invoke.ts';
import type { Code } from '../support/promised.ts';
import type { Call } from './call.ts';
import type { Dice } from './dice.ts';
import { type Acquirer, type Branch, type Business, isOwner, type Terminal, type World } from './world.ts';

/** A script of an acquirer, with its own choices. */
export interface Caller {
  acquirer: Acquirer;
  dice: Dice;
  world: World;
}

/** Makes a request, if the caller knows enough for it. */
type Make = (caller: Caller) => Call | undefined;

const TEXTS = ['Lisboa', 'Délicatesse №1', 'Ñandú & Söhne', '北京路', 'Counter 🛒'];
const REASONS = ['Repair', 'Lost', 'Merchant closed down'];
const LOOKUPS = ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'];
/** Serials that many terminals are given, although only one at a time can have each. */
const WANTED_SERIALS = ['SOAKWANTED1', 'SOAKWANTED2', 'SOAKWANTED3', 'SOAKWANTED4'];

const isActive = ({ isArchived }: Branch): boolean => !isArchived;

const aBranch = ({ acquirer, dice, world }: Caller, suits?: (branch: Branch) => boolean): Branch | undefined =>
  world.of(acquirer).branches.pick(dice, suits);

const aTerminal = (
  { acquirer, dice, world }: Caller,
  suits: (terminal: Terminal) => boolean = () => true,
): Terminal | undefined =>
  world.of(acquirer).terminals.pick(dice, (each) => !each.isDeleted && isOwner(acquirer, each.branch) && suits(each));

const isArchived = (terminal: Terminal): boolean => terminal.isArchived || terminal.branch.isArchived;

/** In the meantime a provider may have removed a terminal from a distributor's reach, but not from its own. */
const outOfReach = ({ acquirer }: Caller): Code[] =>
  acquirer.type === 'DISTRIBUTOR' ? ['not_under_requesting_psp'] : [];

/** Half of the scripts send keys. Two acquirers use the same ones, which must not conflict. */
const maybeKeyed = ({ acquirer, dice, world }: Caller): Pick<Call, 'idempotencyKey' | 'once'> =>
  dice.oneIn(2) ? { idempotencyKey: world.newKey(acquirer), once: { executions: 0 } } : {};

/** Any page of a list of about `total` items, or one past its end. */
function aPage(dice: Dice, total: number): Record<string, string> {
  const per_page = dice.of([1, 10, 25, 100]);
  const page = 1 + dice.below(Math.ceil(total / per_page) + 1);
  return {
    ...(dice.oneIn(2) && { sort: dice.of(['asc', 'desc']) }),
    ...(!dice.oneIn(4) && { per_page: String(per_page), page: String(page) }),
  };
}

const listBranches = ({ acquirer, dice, world }: Caller): Call => ({
  operation: 'listBranches',
  query: aPage(dice, world.of(acquirer).listed),
  may: ['ok'],
});

const getBranch: Make = (caller) => {
  const branch = aBranch(caller);
  if (!branch) return undefined;
  const { mid, provider, distributor } = branch;
  return {
    operation: 'getBranch',
    path: { mid },
    may: ['ok'],
    shows: { mid, payment_provider: provider.id, distributor: distributor?.id ?? null },
  };
};

const listTerminals: Make = (caller) => {
  const branch = aBranch(caller);
  return branch && { operation: 'listTerminals', path: { id: branch.mid }, query: aPage(caller.dice, 8), may: ['ok'] };
};

const lookup = ({ dice }: Caller): Call => ({
  operation: 'lookup',
  path: { method: dice.of(LOOKUPS) },
  query: dice.oneIn(2) ? { search: dice.of(['a', 'CAFÉ', 'go', 'x y']) } : {},
  may: ['ok'],
});

const NOT_IDENTIFIED = { member_identified: false, rewards_available: false, rewards: [] };

const memberCheck: Make = (caller) => {
  const terminal = aTerminal(caller);
  if (!terminal) return undefined;
  const { acquirer, dice, world } = caller;
  const { card_id, currency, card_pseudo_token: token } = dice.of(world.members);
  const { card_pseudo_token } = dice.of(world.members);
  return {
    operation: 'memberCheck',
    body: {
      amount: dice.below(200),
      currency,
      card_id,
      card_pseudo_token,
      terminal_id: terminal.terminal_id,
      acquirer_id: acquirer.id,
    },
    may: ['ok'],
    ...(card_pseudo_token !== token && { shows: NOT_IDENTIFIED }),
  };
};

const find: Make = (caller) => {
  const branch = caller.dice.oneIn(2) && aBranch(caller);
  if (branch) return { operation: 'find', query: { mid: branch.mid }, may: ['ok'], shows: { mid: branch.mid } };
  const terminal = aTerminal(caller);
  if (!terminal) return undefined;
  const { tid, terminal_id } = terminal;
  return {
    operation: 'find',
    query: caller.dice.of<Record<string, string>>([{ tid }, { terminal_id }]),
    may: ['ok', 'not_found'],
    shows: { tid, terminal_id },
  };
};

/** How a create names a master merchant: by its UUID, by its id, or by both. */
const nameOf = (dice: Dice, { uuid, id }: Business) =>
  dice.of([
    { existing_master_merchant: uuid },
    ...(id ? [{ master_merchant_id: id }, { existing_master_merchant: uuid, master_merchant_id: id }] : []),
  ]);

const createBranch: Make = (caller) => {
  const { acquirer, dice, world } = caller;
  const partners = world.partners(acquirer);
  const [provider, distributor] =
    acquirer.type === 'DISTRIBUTOR' ? [dice.of(partners), acquirer] : [acquirer, dice.of([undefined, ...partners])];
  const known = world.of(acquirer).businesses.pick(dice, (business) => business.provider === provider);
  const business = (!known || dice.oneIn(3)) && world.newBusiness(provider);
  if (!business && !known) return undefined;
  const isContested = dice.oneIn(8);
  const newMid = () => world.newMid(dice, provider, distributor);
  const mid = isContested ? world.contested(`MID ${provider.id} ${distributor?.id}`, dice, newMid) : newMid();
  const terminals = Array.from({ length: dice.below(4) }, () => ({
    terminal_id: world.newName('SOAKT'),
    serial_no: dice.of([world.newName('SOAKS'), null]),
    terminal_model: dice.of([...TEXTS, null]),
    payment_app: dice.of([...acquirer.payment_apps, null]),
  }));
  const branch = { mid, provider, distributor, isArchived: false };
  const [branch_name, city] = [dice.of(TEXTS), dice.of([...TEXTS, null])];
  return {
    operation: 'createBranch',
    body: {
      mid,
      branch_name,
      city,
      payment_provider: provider.id,
      distributor: distributor?.id ?? null,
      ...(business || nameOf(dice, known as Business)),
      ...(terminals.length > 0 && { terminals }),
    },
    ...maybeKeyed(caller),
    may: isContested ? ['ok', 'validation_failed'] : ['ok'],
    shows: {
      mid,
      merchant_name: branch_name,
      city,
      status: 'active',
      terminal_count: terminals.length,
      payment_provider: provider.id,
      distributor: distributor?.id ?? null,
      terminals: terminals.map((terminal) => ({ ...terminal, mid, status: 'active' })),
    },
    prepare: () => world.count(branch, 'sent'),
    learn: (data) => {
      world.count(branch, 'listed');
      world.learnBranch(branch);
      world.learnBusiness(data.existing_master_merchant, data.master_merchant_id, branch);
      world.learnNewTerminals(data.terminals, branch);
    },
  };
};

const archiveBranch: Make = (caller) => {
  const branch = aBranch(caller, isActive) ?? aBranch(caller);
  return (
    branch && {
      operation: 'archiveBranch',
      path: { mid: branch.mid },
      may: ['ok', 'already_archived'],
      shows: { mid: branch.mid, status: 'archived' },
      learn: () => {
        branch.isArchived = true;
      },
    }
  );
};

const createTerminals: Make = (caller) => {
  const branch = aBranch(caller, isActive) ?? aBranch(caller);
  if (!branch) return undefined;
  const { acquirer, dice, world } = caller;
  const isContested = dice.oneIn(4);
  const newId = () => world.newName('SOAKT');
  const terminals = Array.from({ length: 1 + dice.below(3) }, (_, place) => ({
    terminal_id: isContested && place === 0 ? world.contested('TERMINAL', dice, newId) : newId(),
    serial_no:
      isContested && place === 0 ? dice.of([...WANTED_SERIALS, null]) : dice.of([world.newName('SOAKS'), null]),
    terminal_model: dice.of([...TEXTS, null]),
    payment_app: dice.of([...acquirer.payment_apps, null]),
    acquirer_name: dice.of([...acquirer.master_acquirers, null]),
  }));
  return {
    operation: 'createTerminals',
    path: { id: branch.mid },
    body: { terminals },
    ...maybeKeyed(caller),
    may: ['ok', 'branch_archived', ...(isContested ? (['validation_failed'] as const) : [])],
    shows: terminals.map((terminal) => ({ ...terminal, mid: branch.mid, status: 'active' })),
    learn: (data) => world.learnNewTerminals(data, branch),
  };
};

const updateTerminal: Make = (caller) => {
  const terminal = aTerminal(caller);
  if (!terminal) return undefined;
  const { acquirer, dice, world } = caller;
  const wanted = { serial_no: dice.of(WANTED_SERIALS) };
  const changes = dice.of([
    wanted,
    { serial_no: world.newName('SOAKS'), payment_app: dice.of(acquirer.payment_apps) },
    { serial_no: null, acquirer_name: null },
    { terminal_model: dice.of(TEXTS) },
    {},
  ]);
  return {
    operation: 'updateTerminal',
    path: { id: terminal.tid },
    body: changes,
    may: ['ok', 'not_found', ...outOfReach(caller), ...(changes === wanted ? (['validation_failed'] as const) : [])],
    shows: { tid: terminal.tid, ...changes },
  };
};

const deleteTerminal: Make = (caller) => {
  const terminal = aTerminal(caller);
  if (!terminal) return undefined;
  const { tid, terminal_id } = terminal;
  return {
    operation: 'deleteTerminal',
    path: { id: tid },
    may: ['ok', 'not_found'],
    shows: { tid, terminal_id },
    learn: () => {
      terminal.isDeleted = true;
      caller.world.terminals -= 1;
    },
  };
};

const archiveTerminal: Make = (caller) => {
  const terminal = aTerminal(caller, (each) => !isArchived(each)) ?? aTerminal(caller);
  const reason = caller.dice.of(REASONS);
  return (
    terminal && {
      operation: 'archiveTerminal',
      path: { id: terminal.tid },
      body: { reason },
      may: ['ok', 'already_archived', 'not_found', ...outOfReach(caller)],
      shows: { tid: terminal.tid, status: 'archived', archive_reason: reason },
      learn: () => {
        terminal.isArchived = true;
      },
    }
  );
};

const restoreTerminal: Make = (caller) => {
  const terminal = aTerminal(caller, isArchived) ?? aTerminal(caller);
  return (
    terminal && {
      operation: 'restoreTerminal',
      path: { id: terminal.tid },
      may: ['ok', 'not_archived', 'not_found'],
      shows: { tid: terminal.tid, status: 'active', archived_at: null, archive_reason: null },
      learn: () => {
        terminal.isArchived = false;
      },
    }
  );
};

const reassignTerminal: Make = (caller) => {
  const terminal = aTerminal(caller);
  const target = aBranch(caller, (branch) => branch.provider === terminal?.branch.provider);
  if (!terminal || !target) return undefined;
  return {
    operation: 'reassignTerminal',
    path: { id: terminal.tid },
    body: { mid: target.mid },
    ...maybeKeyed(caller),
    may: ['ok', 'already_under_target_mid', 'branch_archived', 'not_found', ...outOfReach(caller)],
    shows: { tid: terminal.tid, mid: target.mid },
    learn: () => {
      terminal.branch = target;
      caller.world.learnTerminal(terminal);
    },
  };
};

type Weighted<T> = readonly (readonly [weight: number, choice: T])[];

/** Reads the acquirer's next events, or repeats a page that must never change. */
const listEvents = ({ acquirer, dice, world }: Caller): Call => {
  const known = world.of(acquirer);
  if (known.page && dice.oneIn(3))
    return { operation: 'listEvents', query: known.page.query, may: ['ok'], shows: known.page.data };
  const query = { ...(known.cursor && { after: known.cursor }), limit: dice.of(['1', '10', '100']) };
  return {
    operation: 'listEvents',
    query,
    may: ['ok'],
    learn: (data, { next, up_to_date }) => {
      known.cursor = next;
      if (!up_to_date) known.page = { query, data };
    },
  };
};

/** A history from its newest event on, or from a cursor on. */
const history = (caller: Caller, right: Pick<Call, 'operation' | 'path' | 'may'>): Call => {
  const { histories } = caller.world.of(caller.acquirer);
  const more = caller.dice.oneIn(2) && histories.pick(caller.dice, (call) => call.operation === right.operation);
  const limit = caller.dice.of(['1', '5', '20']);
  return {
    ...(more || { ...right, query: { limit } }),
    learn: (_, { next: before }) => {
      if (before !== null) histories.add({ ...(more || right), query: { before, limit } });
    },
  };
};

const getBranchHistory: Make = (caller) => {
  const branch = aBranch(caller);
  return branch && history(caller, { operation: 'getBranchHistory', path: { mid: branch.mid }, may: ['ok'] });
};

const getTerminalHistory: Make = (caller) => {
  const terminal = aTerminal(caller);
  const may: Call['may'] = ['ok', 'not_found'];
  return terminal && history(caller, { operation: 'getTerminalHistory', path: { id: terminal.tid }, may });
};

/** The calls of partners' scripts with their weights: mostly reads, sometimes changes. */
const RIGHT: Weighted<Make> = [
  [14, listBranches],
  [14, getBranch],
  [14, listTerminals],
  [10, lookup],
  [8, find],
  [12, memberCheck],
  [5, createBranch],
  [2, archiveBranch],
  [8, createTerminals],
  [7, updateTerminal],
  [3, deleteTerminal],
  [4, archiveTerminal],
  [4, restoreTerminal],
  [5, reassignTerminal],
  [6, listEvents],
  [5, getBranchHistory],
  [5, getTerminalHistory],
];

/** Repeats a request with its key, as if the response had been lost or before it arrives. */
const repeat: Make = ({ acquirer, dice, world }) => {
  const call = world.of(acquirer).keyed.pick(dice);
  return call && (call.once?.response === undefined ? call : { ...call, may: ['ok'], isReplay: true });
};

/** An invalid variant of a valid request. It must return one of these problems and change nothing. */
function rejected({ operation, path, query, body }: Call, changes: Partial<Call> & Pick<Call, 'may'>): Call {
  const request = { operation, ...(path && { path }), ...(query && { query }) };
  return { ...request, ...(body !== undefined && { body }), ...changes };
}

const UNKNOWN_IDS = ['00000000-0000-4000-8000-000000000000', 'UNKNOWN', 'un/known', '%'];
const UNKNOWN_ROUTES = [
  'PUT /ext/api/v1/merchants',
  'GET /ext/api/v2/merchants',
  'DELETE /',
  'POST /ext/api/v1/lookup/x',
];
const INVALID_QUERIES = [{ per_page: '0' }, { page: '-1' }, { sort: 'up', per_page: '101' }];
/** The cursor parameters. */
const CURSORS: { [K in Operation]?: 'after' | 'before' } = {
  listEvents: 'after',
  getBranchHistory: 'before',
  getTerminalHistory: 'before',
};

const invalidRanges = (parameter: string): Record<string, string>[] => [
  { limit: '0' },
  { limit: '101' },
  { [parameter]: 'yesterday' },
];
const INVALID_FINDS = [{}, { mid: ' ' }, { mid: 'UNKNOWN', tid: 'UNKNOWN' }];
const KEYED = new Set<Operation>(['createBranch', 'createTerminals', 'reassignTerminal']);
/** The problem for a terminal of another acquirer, for the three operations that do not return 404. */
const FOREIGN_TERMINAL: Partial<Record<Operation, Code>> = {
  updateTerminal: 'not_under_requesting_psp',
  archiveTerminal: 'not_under_requesting_psp',
  reassignTerminal: 'not_under_requesting_psp',
  restoreTerminal: 'not_found',
  deleteTerminal: 'not_found',
  getTerminalHistory: 'not_found',
};

/** Sends a request for a resource of another acquirer. */
function atForeign(right: Call, { acquirer, dice, world }: Caller): Call | undefined {
  const [[parameter] = []] = Object.entries(right.path ?? {});
  if (parameter === undefined || right.operation === 'lookup') return undefined;
  const other = world.of(dice.of(world.acquirers));
  const code = FOREIGN_TERMINAL[right.operation];
  if (!code) {
    const branch = other.branches.pick(dice, (each) => !isOwner(acquirer, each));
    return branch && rejected(right, { path: { [parameter]: branch.mid }, query: {}, may: ['not_found'] });
  }
  // A terminal never changes its provider, so one of a provider that is no partner is never accessible.
  const isForeign = ({ branch: { provider } }: Terminal) =>
    provider !== acquirer && !acquirer.partners.includes(provider.id);
  const terminal = other.terminals.pick(dice, isForeign);
  return terminal && rejected(right, { path: { [parameter]: terminal.tid }, query: {}, may: [code, 'not_found'] });
}

/** Sends a request with the key of another one that has succeeded. */
function withUsedKey(right: Call, { acquirer, dice, world }: Caller): Call | undefined {
  const isAnother = ({ once, body }: Call) =>
    once?.response !== undefined && JSON.stringify(body) !== JSON.stringify(right.body);
  const { idempotencyKey } = world.of(acquirer).keyed.pick(dice, isAnother) ?? {};
  return idempotencyKey === undefined
    ? undefined
    : rejected(right, { idempotencyKey, may: ['idempotency_key_reused'] });
}

const hasBody = ({ body }: Call): boolean => body !== undefined;

/** Invalid requests of scripts with their weights. */
const WRONG: Weighted<(right: Call, caller: Caller) => Call | undefined | false> = [
  [
    3,
    (right, { dice }) => rejected(right, { apiKey: dice.of(['', 'apk_wrong', newApiKey()]), may: ['invalid_api_key'] }),
  ],
  [
    3,
    (right, { dice }) =>
      hasBody(right) &&
      rejected(right, { body: dice.of(['{"', '[1,]', '\u0000', '{"__proto__":1}']), may: ['malformed_json'] }),
  ],
  [2, (right, { dice }) => hasBody(right) && rejected(right, { body: dice.of([[], 7]), may: ['validation_failed'] })],
  [
    2,
    (right) =>
      hasBody(right) &&
      right.operation !== 'updateTerminal' &&
      rejected(right, { body: {}, may: ['validation_failed'] }),
  ],
  [
    2,
    (right, { dice }) =>
      /^list(Branches|Terminals)$/.test(right.operation) &&
      rejected(right, { query: dice.of(INVALID_QUERIES), may: ['invalid_query'] }),
  ],
  [
    2,
    (right, { dice }) => {
      const parameter = CURSORS[right.operation];
      return parameter && rejected(right, { query: dice.of(invalidRanges(parameter)), may: ['invalid_query'] });
    },
  ],
  [
    2,
    (right, { acquirer, dice, world }) => {
      const [parameter, other] = [CURSORS[right.operation], dice.of(world.acquirers)];
      const { cursor } = world.of(other);
      if (!parameter || !cursor || other === acquirer) return undefined;
      return rejected(right, { query: { [parameter]: cursor }, may: ['invalid_query'] });
    },
  ],
  [
    2,
    (right, { dice }) =>
      right.operation === 'find' &&
      rejected(right, { query: dice.of<Record<string, string>>(INVALID_FINDS), may: ['invalid_query'] }),
  ],
  [
    4,
    (right, { dice }) => {
      const [[parameter] = []] = Object.entries(right.path ?? {});
      return (
        parameter !== undefined &&
        rejected(right, { path: { [parameter]: dice.of(UNKNOWN_IDS) }, query: {}, may: ['not_found'] })
      );
    },
  ],
  [6, atForeign],
  [
    2,
    (right, { acquirer, dice, world }) => {
      const branch =
        right.operation === 'find' &&
        world.of(dice.of(world.acquirers)).branches.pick(dice, (each) => !isOwner(acquirer, each));
      return branch && rejected(right, { query: { mid: branch.mid }, may: ['not_found'] });
    },
  ],
  [
    2,
    (right, { acquirer, dice, world }) => {
      const branch =
        right.operation === 'reassignTerminal' &&
        world.of(dice.of(world.acquirers)).branches.pick(dice, (each) => !isOwner(acquirer, each));
      return branch && rejected(right, { body: { mid: branch.mid }, may: ['not_under_requesting_psp', 'not_found'] });
    },
  ],
  [
    2,
    (right, { dice, world }) => {
      const taken = right.operation === 'createBranch' && world.of(dice.of(world.acquirers)).branches.pick(dice);
      return (
        taken && rejected(right, { body: { ...(right.body as object), mid: taken.mid }, may: ['validation_failed'] })
      );
    },
  ],
  [
    2,
    (right, { dice }) =>
      KEYED.has(right.operation) &&
      rejected(right, { idempotencyKey: dice.of(['a b', 'x'.repeat(256)]), may: ['invalid_idempotency_key'] }),
  ],
  [3, (right, caller) => KEYED.has(right.operation) && withUsedKey(right, caller)],
  [1, (_, { dice }) => ({ operation: 'unknownRoute', route: dice.of(UNKNOWN_ROUTES), may: ['not_found'] })],
];

/** Calls `make` until it returns a value. */
function untilMade<T>(make: () => T | undefined | false): T {
  for (;;) {
    const made = make();
    if (made) return made;
  }
}

function rightCall(caller: Caller): Call {
  const { acquirer, dice, world } = caller;
  const call = untilMade(() => dice.weighted(RIGHT)(caller));
  if (call.once) world.of(acquirer).keyed.add(call);
  return call;
}

/** The next call of a caller. */
export const nextCall = (caller: Caller): Call =>
  untilMade(() =>
    caller.dice.weighted<Make>([
      [83, rightCall],
      [12, () => untilMade(() => caller.dice.weighted(WRONG)(rightCall(caller), caller))],
      [5, repeat],
    ])(caller),
  );

/** A request that changes nothing. */
export const harmlessCall: (caller: Caller) => Call = lookup;

const READS = new Set<Operation>([
  ...(['listBranches', 'getBranch', 'listTerminals', 'lookup', 'find', 'memberCheck'] as const),
  ...(['listEvents', 'getBranchHistory', 'getTerminalHistory'] as const),
]);

/** Whether a request may change something. */
export const isWrite = ({ operation }: Call): boolean => !READS.has(operation);
