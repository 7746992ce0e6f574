import fc from 'fast-check';
import type { Operation } from '../../support/invoke.ts';
import { REQUESTED_AS } from '../../support/requests.ts';
import { INDEXES_LAG } from '../../support/waitForIndexes.ts';
import { type Call, type Cursor, DETAILS, type State } from './state.ts';
import { CAST, CAST_NAMES, type CastName, filled, type Pools, type World } from './world.ts';

/*
 * Arbitrary calls. They use few branches, terminals, serials and master merchants, so they conflict. A name in angle
 * brackets stands for a value of the world.
 */

/** A call without a world. It reads the same in every world. */
export interface Draft {
  toString: () => string;
  /** The call; `undefined` if it would fail, as most calls should succeed. */
  placed: (world: World, state: State) => Call | undefined;
}

/** The caller: an acquirer by name, one of the two that can access the resource, or one with an invalid key. */
type Caller = CastName | 'insider1' | 'insider2' | 'nobody';

interface Body {
  mid?: unknown;
  terminal_id?: unknown;
  existing_master_merchant?: unknown;
  terminals?: unknown;
}

interface Request {
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string> | undefined;
  /** A body that is not an object is sent as it is. */
  body?: Body | string;
}

const terminalOf = ({ terminals }: State, id: unknown) =>
  terminals.find(
    ({ tid, terminal_id, serial_no }) =>
      tid === String(id).toLowerCase() || [terminal_id, serial_no].includes(id as string),
  );

/** The last change of a terminal, even of a deleted one. */
const lastChangeOf = ({ changes }: State, tid = '') =>
  changes
    .filter(({ tids }) => tids.includes(tid.toLowerCase()))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .at(0);

/** Whether a branch, terminal or master merchant has this id. */
const isThere = (state: State, id: unknown): boolean =>
  state.branches.some(({ mid }) => mid === id) ||
  state.businesses.some(({ uuid, id: own }) => uuid === id || own === id) ||
  terminalOf(state, id) !== undefined;

/** Whether the resource of a call exists in the required state and what it creates does not exist. */
function suits(state: State, { operation, path, query, body }: Call): boolean {
  const { mid, terminal_id, existing_master_merchant, terminals } = (body ?? {}) as Body;
  const about = Object.values(path)[0];
  const branchOf = (id: unknown) => state.branches.find((each) => each.mid === id);
  const branch = branchOf(about);
  const terminal = state.terminals.find(({ tid }) => tid === about?.toLowerCase());
  const news = [mid, ...(Array.isArray(terminals) ? terminals.map((each) => each.terminal_id) : [])];
  const isNew = !news.some((id) => isThere(state, id));
  switch (operation) {
    case 'createBranch':
      return isNew && (existing_master_merchant === undefined || isThere(state, existing_master_merchant));
    case 'createTerminals':
      return isNew && branch?.archived_at === null;
    case 'archiveBranch':
      return branch?.archived_at === null;
    case 'archiveTerminal':
      return terminal?.archived === null;
    case 'restoreTerminal':
      return Boolean(terminal?.archived);
    case 'reassignTerminal': {
      const [from, to] = [branchOf(terminal?.mid), branchOf(mid)];
      return from !== to && from?.payment_provider === to?.payment_provider;
    }
    case 'getTerminalHistory':
      return lastChangeOf(state, about) !== undefined;
    case 'find':
      return Object.values(query).some((id) => isThere(state, id));
    case 'memberCheck':
      return isThere(state, terminal_id);
    default:
      return about === undefined || isThere(state, about);
  }
}

/** The acquirers of a branch, or of a terminal's branch. */
function insidersOf(state: State, id: string): string[] {
  const home = terminalOf(state, id)?.mid ?? lastChangeOf(state, id)?.mids.at(-1) ?? id;
  const branch = state.branches.find(({ mid }) => mid === home);
  return [branch?.payment_provider, branch?.distributor].filter((each) => typeof each === 'string');
}

/** Names that depend on a state: `<home1>` is the MID of the branch of `<tid1>`. */
const homesOf = ({ names }: World, { terminals }: State): [string, string][] =>
  [...names].flatMap(([name, id]): [string, string][] => {
    const [, number] = /^tid(\d+)$/.exec(name) ?? [];
    return number ? [[`home${number}`, terminals.find(({ tid }) => tid === id)?.mid ?? 'NOSUCHMID']] : [];
  });

/** @param isBlind Whether it is called even if it would fail. */
const draft = (operation: Operation, caller: Caller, request: Request, isBlind = true): Draft => ({
  toString: () => `${caller} ${operation} ${JSON.stringify(request)}`,
  placed: (world, state) => {
    const names = new Map([...world.names, ...homesOf(world, state)]);
    const named = operation === 'find' ? request.query : request.path;
    const about = Object.values(named ?? {})[0] ?? (request.body as Body | undefined)?.terminal_id;
    const [first = names.get('P1'), second = first] = insidersOf(state, filled(String(about), names));
    const callers = new Map([...names, ['insider1', first], ['insider2', second]]);
    const id = callers.get(caller);
    const { path = {}, query = {}, headers = {}, body } = filled(request, names.set('me', id ?? 'nobody'));
    const call = { operation, caller: id, path, query, headers, body };
    return isBlind || suits(state, call) ? call : undefined;
  },
});

/** Lists of events, with the parameters of their cursors. */
const LISTS = { listEvents: 'after', getBranchHistory: 'before', getTerminalHistory: 'before' } as const;

/** The call for the page after a cursor. */
export const goingOn = (cursor: Cursor, operation: Operation, query: Record<string, string> = {}): Call => ({
  operation,
  caller: cursor.caller,
  path: cursor.path,
  headers: {},
  body: undefined,
  cursor,
  query: { ...query, [LISTS[operation as keyof typeof LISTS]]: cursor.text },
});

/** A list of events from an earlier cursor, by the same caller and list or by others. */
const from = (
  operation: keyof typeof LISTS,
  back: number,
  given: { by: Operation; to: CastName | undefined },
  query: Record<string, string>,
): Draft => ({
  toString: () =>
    `${given.to ?? ''} ${operation} ${JSON.stringify(query)} from a cursor of ${given.by}, ${back} before`,
  placed: ({ names, cursors }) => {
    const cursor = cursors.filter((each) => each.operation === given.by).at(-back);
    if (!cursor) return undefined;
    const call = goingOn(cursor, operation, query);
    return given.to ? { ...call, caller: names.get(given.to) } : call;
  },
});

/** A repetition of an earlier call. */
const again = (back: number): Draft => ({
  toString: () => `again, ${back} calls before`,
  placed: ({ calls }) => calls.at(-back),
});

const one = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
/** Choices with weights. */
const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
type Weighted = [weight: number, arbitrary: fc.Arbitrary<Draft>];
const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, times = 15) => weighted([times, usual], [1, rare]);
/** An optional field. */
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const named = (name: fc.Arbitrary<string>): fc.Arbitrary<string> => name.map((each) => `<${each}>`);
const numbered = (letters: string, most: number) => fc.integer({ min: 1, max: most }).map((n) => `${letters}${n}`);

/** Values that are invalid for most fields, and for all required ones. */
const wrong: fc.Arbitrary<unknown> = one<unknown>(null, 5, '', ' \n', 'no such!', 'x'.repeat(256), []);

/** Bodies with an unknown field, sometimes with an invalid one, and values that are not a body. */
function bodies(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Body | string> {
  const all: typeof fields = { ...fields, note: maybe(one('ignored')) };
  const valid = fc.record(all);
  const spoilt = fc.tuple(valid, one(...Object.keys(fields)), wrong);
  return weighted<Body | string>(
    [60, valid],
    [4, spoilt.map(([body, name, value]) => ({ ...body, [name]: value }))],
    [1, one('{', '[]', '')],
  );
}

const castName = one<CastName>(...CAST_NAMES);
const anybody = often<Caller>(castName, one('nobody'));
const insider = weighted<Caller>([25, one('insider1', 'insider2')], [4, castName], [1, one('nobody')]);
const anyAcquirer = named(castName);
const isBlind = often(one(false), one(true), 12);

/** Few keys, so requests share them. Some operations ignore them. */
const headers = weighted<Request['headers']>(
  [20, one(undefined)],
  [10, one('key-1', 'key-2').map((key) => ({ 'idempotency-key': key }))],
  [1, one('', 'two words', 'clé', 'x'.repeat(256)).map((key) => ({ 'idempotency-key': key }))],
);

const label = maybe(one('Kiosk', ' Ünder the 🌉\n', '', null));
const model = maybe(one('Handheld 2', 'Pocket', ' ', null));
/** Names, some of which are the caller's. */
const names = (usual: string, ...others: string[]) =>
  weighted<unknown>([4, one(undefined)], [3, one(usual)], [1, one(...others, null)]);

const listQuery = fc.record(
  {
    sort: often(one('asc', 'desc'), one('up')),
    per_page: often(one('1', '2', '3', '100'), one('0', '101', 'x')),
    page: often(one('1', '2', '3'), one('0', '-1', '9007199254740992')),
    colour: one('light blue'),
  },
  { requiredKeys: [] },
);

const eventsQuery = (parameter: 'after' | 'before'): fc.Arbitrary<Record<string, string>> =>
  fc.record<Record<string, string>>(
    {
      [parameter]: one('now', 'junk', 'no cursor!', ''),
      limit: often(one('1', '2', '5', '100'), one('0', '101', 'x', '')),
      colour: one('light blue'),
    },
    { requiredKeys: [] },
  );

const limits = one<Record<string, string>>({}, { limit: '1' }, { limit: '2' }, { limit: '5' });

/** A kind of call: of an operation, or a repetition. */
type Kind = Exclude<Operation, 'unknownRoute'> | 'again';

const USUAL: Record<Kind, number> = {
  // Frequent, because nothing else succeeds before. It fails once everything that can be created exists.
  createBranch: 40,
  createTerminals: 40,
  getBranch: 3,
  archiveBranch: 3,
  listBranches: 3,
  listTerminals: 5,
  updateTerminal: 12,
  deleteTerminal: 6,
  archiveTerminal: 9,
  restoreTerminal: 9,
  reassignTerminal: 18,
  lookup: 3,
  find: 8,
  memberCheck: 8,
  listEvents: 6,
  getBranchHistory: 5,
  getTerminalHistory: 6,
  again: 8,
};

/** Without histories if the indexes lag, because they then show no single moment. */
export const AT_ONCE = INDEXES_LAG ? { ...USUAL, getBranchHistory: 0, getTerminalHistory: 0 } : USUAL;

const NONE = Object.fromEntries(Object.keys(USUAL).map((kind) => [kind, 0])) as Record<Kind, number>;

/** Creates, so later calls have something to work with. */
export const FOUNDING: Record<Kind, number> = { ...NONE, createBranch: 1, createTerminals: 1 };

/** Calls for one terminal and its branch: those that move and archive, and those that read both. */
export const MOVING: Record<Kind, number> = {
  ...NONE,
  createBranch: 1,
  createTerminals: 3,
  archiveBranch: 4,
  listTerminals: 1,
  updateTerminal: 2,
  deleteTerminal: 2,
  archiveTerminal: 3,
  restoreTerminal: 2,
  reassignTerminal: 4,
  find: 3,
  memberCheck: 2,
};

/**
 * Calls of all operations for so many resources, each kind as often as its weight.
 *
 * @param terminals Number of terminals that calls are about, except those that create some.
 */
export function drafts(
  pools: Pools,
  weights: Record<Kind, number> = USUAL,
  terminals: number = pools.terminals,
): fc.Arbitrary<Draft> {
  const mid = named(numbered('M', pools.mids));
  const pathMid = often(mid, one('NOSUCHMID', 'no such mid', '<MID2>'), 4);
  const terminalId = named(numbered('T', terminals));
  const tid = weighted(
    [10, named(numbered('tid', terminals))],
    [1, named(numbered('TID', terminals))],
    [2, one('3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87', 'no-uuid')],
  );
  const place = often(pathMid, named(numbered('home', terminals)), 1);
  const business = numbered('B', pools.businesses);
  const changes = {
    serial_no: weighted<unknown>([4, one(undefined)], [3, named(numbered('S', pools.serials))], [1, one(null)]),
    terminal_model: model,
    payment_app: names('Counter Plus', 'Checkout Go', 'Desk'),
    acquirer_name: names('Atlantic Acquiring', 'Baltic Merchant Bank'),
  };
  const newTerminals = (fields: Record<string, fc.Arbitrary<unknown>>) => {
    const terminal_id = named(numbered('T', pools.terminals));
    const differ = { selector: (each: Body) => each.terminal_id, minLength: 1, maxLength: 2 };
    const item = fc.record({ terminal_id: often<unknown>(terminal_id, wrong, 4), ...fields });
    return often<unknown>(
      fc.uniqueArray(fc.record({ terminal_id, ...fields }), differ),
      often<unknown>(fc.array(item, { maxLength: 3 }), one(Array.from({ length: 41 }, () => ({})))),
    );
  };

  const createBranch = (
    caller: CastName,
    provider: CastName,
    acquirers: Record<'payment_provider' | 'distributor', fc.Arbitrary<unknown>>,
  ): fc.Arbitrary<Draft> => {
    const owner = weighted<object>(
      [15, business.map((id) => ({ master_merchant_id: `<${id}>` }))],
      [15, business.map((id) => ({ existing_master_merchant: `<${provider}.${id}>` }))],
      [2, business.map((id) => ({ existing_master_merchant: `<${provider}.${id}>`, master_merchant_id: `<${id}>` }))],
      [1, one({}, { existing_master_merchant: `<${provider}.B1>`, master_merchant_id: '<B2>' })],
      [1, one({ existing_master_merchant: '<P1.B1>' }, { existing_master_merchant: '<P2.B1>' })],
      [1, fc.record({ master_merchant_id: wrong })],
      [1, fc.record({ existing_master_merchant: wrong })],
    );
    const body = bodies({
      mid,
      ...Object.fromEntries(DETAILS.map((name) => [REQUESTED_AS[name] ?? name, label])),
      // Mostly omitted: to join a master merchant, they must equal those of its first create.
      master_merchant_name: often<unknown>(one(undefined), one('Café Central', 'corner shop', 'Corner Shop'), 4),
      email: often<unknown>(one(undefined), one('shop@example.com', ''), 6),
      phone: often<unknown>(one(undefined), one('+351 210 000'), 6),
      mcc: often<unknown>(one(undefined), one('5411'), 6),
      terminals: often<unknown>(one(undefined), newTerminals(changes), 1),
      ...acquirers,
    });
    return fc
      .tuple(often<Caller>(one(caller), one('nobody'), 40), headers, body, owner, isBlind)
      .map(([who, sent, fields, whose, blind]) => {
        const whole = typeof fields === 'string' ? fields : { ...whose, ...fields };
        return draft('createBranch', who, { headers: sent, body: whole }, blind);
      });
  };
  const me = often<unknown>(one(undefined), one('<me>', null), 4);
  const byDistributor = (caller: 'D1' | 'D2', provider: CastName) =>
    createBranch(caller, provider, {
      payment_provider: often<unknown>(one(`<${provider}>`), often<unknown>(anyAcquirer, one(undefined), 4)),
      distributor: often(me, anyAcquirer),
    });
  const byProvider = (caller: 'P1' | 'P2' | 'P3') =>
    createBranch(caller, caller, {
      payment_provider: often(me, anyAcquirer),
      distributor: often<unknown>(one(undefined, ...CAST[caller].partners.map((each) => `<${each}>`)), anyAcquirer),
    });

  const about = (
    operation: Operation,
    parameter: string,
    id: fc.Arbitrary<string>,
    rest: fc.Arbitrary<Request>,
    blindly = isBlind,
  ) =>
    fc
      .tuple(insider, id, headers, rest, blindly)
      .map(([caller, value, sent, more, blind]) =>
        draft(operation, caller, { path: { [parameter]: value }, headers: sent, ...more }, blind),
      );
  const none = one<Request>({});
  const body = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    bodies(fields).map((each): Request => ({ body: each }));
  const query = listQuery.map((each): Request => ({ query: each }));

  const memberCheck = fc
    .tuple(
      insider,
      bodies({
        amount: often(one(0, 10, 49.99, 50, 1000), one(-0.01)),
        card_id: one('CARD1', 'CARD1', 'CARD1', 'CARD2', 'CARD3'),
        card_pseudo_token: often(one('TOKEN1'), one('TOKEN2'), 4),
        currency: often(one('EUR', 'EUR', 'USD', 'JPY'), one('eur')),
        terminal_id: terminalId,
        acquirer_id: often(one('<me>'), anyAcquirer, 2),
      }),
      isBlind,
    )
    .map(([caller, asked, blind]) => draft('memberCheck', caller, { body: asked }, blind));
  const businessId = business.map((id) => `<${id}>`);
  const find = fc
    .tuple(
      insider,
      weighted<Record<string, string>>(
        [3, tid.map((each) => ({ tid: each }))],
        [3, terminalId.map((terminal_id) => ({ terminal_id }))],
        [4, named(numbered('S', pools.serials)).map((serial_no) => ({ serial_no }))],
        [3, place.map((each) => ({ mid: each }))],
        [2, businessId.map((master_merchant_id) => ({ master_merchant_id }))],
        [3, fc.record({ master_merchant_id: businessId, payment_provider: anyAcquirer })],
        [1, one({ tid: ' <TID1>\n' }, {}, { mid: '<M1>', tid: '' }, { serial_no: ' ', payment_provider: '<P1>' })],
      ),
      isBlind,
    )
    .map(([caller, query, blind]) => draft('find', caller, { query }, blind));
  const lookup = fc
    .tuple(
      anybody,
      often(one('paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'), one('terminals')),
      fc.record(
        {
          search: one('', 'P', 'CAFÉ', ' shop ', 'W', 'B1', 'none of them'),
          payment_provider: one('<P1>', '<P2>', '<D1>', ''),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([caller, method, asked]) => draft('lookup', caller, { path: { method }, query: asked }));

  const more = (operation: keyof typeof LISTS, by: fc.Arbitrary<Operation> = one(operation)) =>
    fc
      .tuple(fc.integer({ min: 1, max: 4 }), by, often<CastName | undefined>(one(undefined), castName, 5), limits)
      .map(([back, list, to, limit]) => from(operation, back, { by: list, to }, limit));
  const history = (operation: 'getBranchHistory' | 'getTerminalHistory', parameter: string, id: fc.Arbitrary<string>) =>
    weighted<Draft>(
      [
        2,
        about(
          operation,
          parameter,
          id,
          limits.map((each): Request => ({ query: each })),
        ),
      ],
      [
        1,
        about(
          operation,
          parameter,
          id,
          eventsQuery('before').map((each): Request => ({ query: each })),
        ),
      ],
      [3, more(operation)],
    );

  const kinds: Record<Kind, fc.Arbitrary<Draft>> = {
    createBranch: weighted(
      // Mostly of one provider, so terminals can move.
      [16, byDistributor('D1', 'P1')],
      [16, byProvider('P1')],
      [4, byDistributor('D1', 'P2')],
      [3, byDistributor('D2', 'P2')],
      [2, byProvider('P2')],
      [2, byProvider('P3')],
    ),
    getBranch: about('getBranch', 'mid', place, none),
    archiveBranch: about('archiveBranch', 'mid', place, none),
    listBranches: fc.tuple(anybody, query).map(([caller, asked]) => draft('listBranches', caller, asked)),
    createTerminals: about('createTerminals', 'id', place, body({ terminals: newTerminals(changes) })),
    listTerminals: about('listTerminals', 'id', place, query),
    updateTerminal: about('updateTerminal', 'id', tid, body(changes)),
    deleteTerminal: about('deleteTerminal', 'id', tid, none),
    archiveTerminal: about('archiveTerminal', 'id', tid, body({ reason: one('Lost', 'Ünder water 🌊') })),
    restoreTerminal: about('restoreTerminal', 'id', tid, none),
    reassignTerminal: about(
      'reassignTerminal',
      'id',
      tid,
      body({ mid: often(mid, pathMid, 2) }),
      often(one(false), one(true), 5),
    ),
    lookup,
    find,
    memberCheck,
    listEvents: weighted(
      [2, fc.tuple(castName, limits).map(([caller, asked]) => draft('listEvents', caller, { query: asked }))],
      [
        2,
        fc.tuple(anybody, eventsQuery('after')).map(([caller, asked]) => draft('listEvents', caller, { query: asked })),
      ],
      [5, more('listEvents', often<Operation>(one('listEvents'), one('getBranchHistory', 'getTerminalHistory')))],
    ),
    getBranchHistory: history('getBranchHistory', 'mid', place),
    getTerminalHistory: history('getTerminalHistory', 'id', tid),
    again: fc.integer({ min: 1, max: 5 }).map(again),
  };
  return weighted(...Object.entries(weights).map(([kind, weight]) => [weight, kinds[kind as Kind]] as Weighted));
}
