import fc from 'fast-check';
import type { Request } from '../../support/invoke.ts';
import { responseOf } from './model.ts';
import { CAST, CAST_NAMES, type CastName, filled, POOLS, type World } from './service.ts';
import {
  type Branch,
  type Call,
  type Cursor,
  DETAILS,
  inOneCase,
  type Modelled,
  requestedAs,
  type State,
  TURN_PARTNERSHIP,
  tidOf,
} from './state.ts';

/*
 * Arbitrary calls with valid bodies and queries. They use few branches, terminals, serials and master merchants, so
 * they conflict. A name in angle brackets stands for a value of the world.
 */

/** A call without a world. It reads the same in every world. */
export interface Draft {
  toString: () => string;
  /** The call; mostly `undefined` if it would fail. */
  placed: (world: World, state: State) => Call | undefined;
}

/** The caller: one of the two acquirers that can access the resource, or an acquirer by name. */
type Caller = 'insider1' | 'insider2' | CastName;

const NO_TIMES = { began: '', ended: '', stated: '', request_id: '' };

/** How a call may fail. */
type Risk = 'not at all' | 'by its values' | 'anyhow';

function suits(state: State, call: Call, risk: Risk): boolean {
  const { status, body } = responseOf(state, call, NO_TIMES).response;
  if (status < 300 || risk === 'anyhow') return true;
  return risk === 'by its values' && status === 422 && !/(mid|terminal_id)","code":"taken"/.test(JSON.stringify(body));
}

/** The acquirers of a branch, or of the branch of a terminal, which may be deleted. */
function insidersOf({ terminals, changes, branches }: State, id: string): string[] {
  const terminal = terminals.find((each) => [each.tid, each.terminal_id, each.serial_no].includes(id));
  const [last] = changes.filter(({ tids }) => tids.includes(id)).sort((a, b) => (a.at < b.at ? 1 : -1));
  const home = terminal?.mid ?? last?.mids.at(-1) ?? id;
  const branch = branches.find(({ mid }) => mid === home);
  return [branch?.payment_provider, branch?.distributor].filter((each) => typeof each === 'string');
}

/**
 * Adds names that depend on a state: `<home1>` is the MID of the branch of `<tid1>`, `<tid0>` some terminal, and `<M0>`
 * a branch that it can move to.
 */
function namesIn({ names }: World, { terminals, branches }: State): Map<string, string> {
  const { tid, terminal_id, mid } = terminals[0] ?? { tid: tidOf('NONE'), terminal_id: 'NONE' };
  const home = branches.find((each) => each.mid === mid);
  const isTarget = ({ payment_provider, archived_at }: Branch) =>
    payment_provider === home?.payment_provider && archived_at === null;
  const target = branches.find((each) => each !== home && isTarget(each));
  const all = new Map(names).set('tid0', tid).set('TID0', tid.toUpperCase()).set('T0', terminal_id);
  all.set('M0', target?.mid ?? 'NOSUCHMID');
  for (let n = 0; n <= POOLS.terminals; n += 1)
    all.set(`home${n}`, terminals.find((each) => each.tid === all.get(`tid${n}`))?.mid ?? 'NOSUCHMID');
  return all;
}

const draft = (operation: Modelled, caller: Caller, request: Request, risk: Risk): Draft => ({
  toString: () => `${caller} ${operation} ${JSON.stringify(request)}`,
  placed: (world, state) => {
    const names = namesIn(world, state);
    const named = operation === 'find' ? request.query : request.path;
    const about = Object.values(named ?? {})[0] ?? (request.body as { terminal_id?: string } | undefined)?.terminal_id;
    const [first = names.get('P1') as string, second = first] = insidersOf(
      state,
      inOneCase(filled(String(about), names)),
    );
    const id = { insider1: first, insider2: second }[caller as 'insider1'] ?? (names.get(caller) as string);
    const { path = {}, query = {}, headers = {}, body } = filled(request, names.set('me', id));
    const call = { operation, caller: id, path, query, headers, body: body as object | undefined };
    return suits(state, call, risk) ? call : undefined;
  },
});

/** Lists of events, with the parameters of their cursors. */
const CURSORS = {
  listEvents: 'after',
  listAllTerminals: 'after',
  getBranchHistory: 'before',
  getTerminalHistory: 'before',
} as const;
type EventList = keyof typeof CURSORS;

/** The call for the page after a cursor. */
export const goingOn = (cursor: Cursor, operation = cursor.operation, query: Call['query'] = {}): Call => ({
  operation,
  caller: cursor.caller,
  path: cursor.path,
  headers: {},
  cursor,
  query: { ...query, [CURSORS[operation as EventList]]: cursor.text },
});

const one = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
/** Choices with weights. */
const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
type Weighted = [weight: number, arbitrary: fc.Arbitrary<Draft>];
const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, times = 15) => weighted([times, usual], [1, rare]);
/** A field that is omitted so many times as often as it is there. */
const maybe = (value: fc.Arbitrary<unknown>, times = 1) => often<unknown>(one(undefined), value, times);
/** `<M1>` to `<M4>`, for example. */
const named = (letters: string, most: number, least = 1) =>
  fc.integer({ min: least, max: most }).map((n) => `<${letters}${n}>`);

type Fields = Record<string, fc.Arbitrary<unknown>>;

const queries = (parameters: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Request> =>
  fc.record(parameters, { requiredKeys: [] }).map((query) => ({ query }) as Request);

const castName = one<CastName>(...CAST_NAMES);
const insider = often<Caller>(one('insider1', 'insider2'), castName, 10);
const anyAcquirer = castName.map((name) => `<${name}>`);
const someRisk = weighted<Risk>([6, one('not at all')], [3, one('by its values')], [1, one('anyhow')]);

/** Few keys, so requests share them. Some operations ignore them. */
const headers = often<Record<string, string>>(
  one({}),
  one('key-1', 'key-2').map((key) => ({ 'idempotency-key': key })),
  2,
);

const label = maybe(one('Kiosk', 'Ünder the 🌉', null));
/** Names, some of which are the caller's. */
const details = Object.fromEntries(DETAILS.map((name) => [requestedAs(name), label]));
const names = (usual: string, ...others: string[]) => maybe(often<unknown>(one(usual), one(...others, null), 3));

const listQuery = queries({ sort: one('asc', 'desc'), per_page: one('1', '2', '3', '100'), page: one('1', '2', '3') });
const searchQuery = queries({
  sort: one('asc', 'desc'),
  per_page: one('1', '2', '100'),
  page: one('1', '2'),
  search: one(
    'kiosk',
    'KIO',
    'under',
    'Ünd the',
    'w1',
    'cafe',
    'corner sho',
    '<M1>',
    '<MID2>',
    '<B1> kiosk',
    'nothing',
  ),
});
const limits = one<Record<string, string>>({}, { limit: '1' }, { limit: '2' }, { limit: '5' });

const lookup: fc.Arbitrary<Request> = fc.record({
  path: fc.record({ method: one('paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants') }),
  query: fc.record({ search: one('P', 'CAFÉ', ' shop ', 'W', 'B1', 'none of them') }, { requiredKeys: [] }),
});

const serial = named('S', POOLS.serials);
const changes = {
  serial_no: maybe(often<unknown>(serial, one(null), 3)),
  terminal_model: maybe(one('Handheld 2', 'Pocket', null)),
  payment_app: names('Counter Plus', 'Checkout Go', 'Desk'),
  acquirer_name: names('Atlantic Acquiring', 'Baltic Merchant Bank'),
};
const isSame = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  one['terminal_id'] === other['terminal_id'] || (one['serial_no'] ?? '') === other['serial_no'];
const newTerminals = (most: number): fc.Arbitrary<unknown> =>
  fc.uniqueArray(fc.record({ terminal_id: named('T', most), ...changes }), {
    comparator: isSame,
    minLength: 1,
    maxLength: 2,
  });

/**
 * How many branches and terminals calls create, and how many named terminals the others are about, besides `<tid0>`.
 */
interface Pools {
  mids: number;
  terminals: number;
  about?: number;
}

const business = named('B', POOLS.businesses);
/** A master merchant of a provider, by its UUID. */
const uuidOf = (provider: CastName, id: string): string => `<${provider}.${id.slice(1)}`;

function createBranch(caller: CastName, provider: CastName, pools: Pools): fc.Arbitrary<Draft> {
  const partners = CAST[caller].partners.map((each) => `<${each}>`);
  const others = anyAcquirer.filter((each) => each !== `<${caller}>`);
  const acquirers: Fields =
    caller === provider
      ? { distributor: often<unknown>(one(undefined, ...partners), others) }
      : { payment_provider: often<unknown>(one(`<${provider}>`), others) };
  const owner = weighted<object>(
    [15, business.map((master_merchant_id) => ({ master_merchant_id }))],
    [15, business.map((id) => ({ existing_master_merchant: uuidOf(provider, id) }))],
    [2, business.map((id) => ({ existing_master_merchant: uuidOf(provider, id), master_merchant_id: id }))],
    [1, one({ existing_master_merchant: uuidOf(provider, '<B1>'), master_merchant_id: '<B2>' })],
    [1, one({ existing_master_merchant: '<P1.B1>' }, { existing_master_merchant: '<P2.B1>' })],
  );
  const body = fc.record({
    mid: named('M', pools.mids),
    ...details,
    // Mostly omitted: to join a master merchant, they must equal those of its first create.
    master_merchant_name: maybe(one('Café Central', 'corner shop', 'Corner Shop'), 4),
    email: maybe(one('shop@example.com'), 6),
    phone: maybe(one('+351 210 000'), 6),
    mcc: maybe(one('5411'), 6),
    terminals: maybe(newTerminals(pools.terminals)),
    ...acquirers,
  });
  return fc
    .tuple(headers, body, owner, someRisk)
    .map(([headers, fields, whose, risk]) =>
      draft('createBranch', caller, { headers, body: { ...whose, ...fields } }, risk),
    );
}

/** A list of events from an earlier cursor. */
const further = (operation: EventList): fc.Arbitrary<Draft> =>
  fc.tuple(fc.integer({ min: 1, max: 4 }), limits).map(([back, query]) => ({
    toString: () => `${operation} ${JSON.stringify(query)} from a cursor, ${back} before`,
    placed: ({ cursors }) => {
      const cursor = cursors.filter((each) => each.operation === operation).at(-back);
      return cursor && goingOn(cursor, operation, query);
    },
  }));

/** A repetition of an earlier call. */
const again = fc.integer({ min: 1, max: 5 }).map((back): Draft => {
  return { toString: () => `again, ${back} calls before`, placed: ({ calls }) => calls.at(-back) };
});

/** Calls of a kind, and how frequent they are among all calls, and among those that move or archive. */
type Kind = [usual: number, moving: number, drafts: fc.Arbitrary<Draft>];

/** Calls of each kind: of an operation, or repetitions. */
function kindsOf(pools: Pools) {
  const { mids, terminals, about: known = terminals } = pools;
  const mid = named('M', mids);
  const pathMid = often(mid, one('NOSUCHMID', 'no such mid', '<MID2>'), 4);
  const home = often(pathMid, named('home', known, 0), 1);
  const terminalId = named('T', known, 0);
  const tid = weighted(
    [10, named('tid', known, 0)],
    [1, named('TID', known, 0)],
    [2, one('3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87', 'no-uuid')],
  );

  const byAnybody = (operation: Modelled, request: fc.Arbitrary<Request>) =>
    fc.tuple(castName, request).map(([caller, asked]) => draft(operation, caller, asked, 'anyhow'));
  const byInsider = (operation: Modelled, request: fc.Arbitrary<Request>) =>
    fc.tuple(insider, request, someRisk).map(([caller, asked, risk]) =>
      // Others mostly fail.
      draft(operation, caller, asked, caller.startsWith('insider') ? risk : 'anyhow'),
    );
  const about =
    (parameter: string, id: fc.Arbitrary<string>) =>
    (operation: Modelled, more = one<Request>({})) => {
      const request = fc.tuple(id, headers, more);
      const whole = request.map(([value, headers, rest]) => ({ path: { [parameter]: value }, headers, ...rest }));
      return byInsider(operation, whole);
    };
  const [ofBranch, listOfBranch, ofTerminal] = [about('mid', home), about('id', home), about('id', tid)];
  const body = (fields: Fields) => fc.record(fields).map((each): Request => ({ body: each }));
  const history = (operation: 'getBranchHistory' | 'getTerminalHistory', of: typeof ofBranch) =>
    fc.oneof(
      of(
        operation,
        limits.map((query) => ({ query })),
      ),
      further(operation),
    );

  const createsBranch = weighted(
    // Mostly of one provider, so terminals can move.
    [16, createBranch('D1', 'P1', pools)],
    [16, createBranch('P1', 'P1', pools)],
    [4, createBranch('D1', 'P2', pools)],
    [3, createBranch('D2', 'P2', pools)],
    [2, createBranch('P2', 'P2', pools)],
    [2, createBranch('P3', 'P3', pools)],
  );
  const target = body({ mid: often(weighted([1, mid], [1, one('<M0>')]), pathMid, 4) });
  const find = weighted<Record<string, string>>(
    [3, tid.map((each) => ({ tid: each }))],
    [3, terminalId.map((terminal_id) => ({ terminal_id }))],
    [4, serial.map((serial_no) => ({ serial_no }))],
    [3, home.map((each) => ({ mid: each }))],
    [5, fc.record({ master_merchant_id: business, payment_provider: anyAcquirer })],
  ).map((query) => ({ query }));
  const memberCheck = body({
    amount: one(0, 10, 49.99, 50, 1000),
    card_id: one('CARD1', 'CARD1', 'CARD1', 'CARD2', 'CARD3'),
    card_pseudo_token: often(one('TOKEN1'), one('TOKEN2'), 4),
    currency: one('EUR', 'EUR', 'USD', 'JPY'),
    terminal_id: terminalId,
    acquirer_id: often(one('<me>'), anyAcquirer, 2),
  });
  const listsEvents = weighted(
    [1, byAnybody('listEvents', queries({ after: one('now'), limit: one('1', '2', '5', '100') }))],
    [2, byAnybody('listEvents', queries({ limit: one('1', '2', '5', '100') }))],
    [5, further('listEvents')],
  );
  return {
    // Creates are frequent, because nothing else succeeds before. They fail once everything that can be created exists.
    createBranch: [40, 2, createsBranch],
    getBranch: [3, 0, ofBranch('getBranch')],
    archiveBranch: [4, 2, ofBranch('archiveBranch')],
    restoreBranch: [6, 2, ofBranch('restoreBranch')],
    updateBranch: [6, 1, ofBranch('updateBranch', body(details))],
    listBranches: [6, 0, byAnybody('listBranches', fc.oneof(listQuery, searchQuery))],
    createTerminals: [40, 3, listOfBranch('createTerminals', body({ terminals: newTerminals(terminals) }))],
    listAllTerminals: [4, 0, byAnybody('listAllTerminals', queries({ status: one('active', 'archived') }))],
    listTerminals: [5, 1, listOfBranch('listTerminals', listQuery)],
    updateTerminal: [12, 2, ofTerminal('updateTerminal', body(changes))],
    deleteTerminal: [6, 1, ofTerminal('deleteTerminal')],
    archiveTerminal: [9, 3, ofTerminal('archiveTerminal', body({ reason: one('Lost', 'Ünder water 🌊') }))],
    restoreTerminal: [9, 2, ofTerminal('restoreTerminal')],
    reassignTerminal: [18, 4, ofTerminal('reassignTerminal', target)],
    lookup: [3, 0, byAnybody('lookup', lookup)],
    find: [8, 3, byInsider('find', find)],
    memberCheck: [8, 2, byInsider('memberCheck', memberCheck)],
    listEvents: [6, 0, listsEvents],
    getBranchHistory: [5, 0, history('getBranchHistory', ofBranch)],
    getTerminalHistory: [6, 0, history('getTerminalHistory', ofTerminal)],
    again: [8, 0, again],
  } satisfies Partial<Record<Modelled | 'again', Kind>>;
}

/** Calls of all kinds. */
const usual = (): fc.Arbitrary<Draft> =>
  weighted(...Object.values(kindsOf(POOLS)).map(([weight, , each]) => [weight, each] as Weighted));

/** Calls that move and archive a terminal or its branch, and that read both. */
const moving = (): fc.Arbitrary<Draft> =>
  weighted(...Object.values(kindsOf({ ...POOLS, about: 0 })).map(([, weight, each]) => [weight, each] as Weighted));

/** Creates of a few branches and terminals. */
function creates(): fc.Arbitrary<Draft> {
  const { createBranch: ofBranch, createTerminals: ofTerminals } = kindsOf({ mids: 2, terminals: 2 });
  return fc.oneof(ofBranch[2], ofTerminals[2]);
}

/** Calls that are made at once. */
export interface Step {
  drafts: Draft[];
  /** How many of the drafts become calls: the first that are placed. */
  most: number;
  /** Whether the first call is made twice. */
  isTwice?: boolean;
  /** The table request before which the first call waits until all others have ended. */
  freezesAt?: number | undefined;
}

/** A call of a step that is written by hand; by P1, unless it says otherwise. */
export type Given = [operation: Modelled, request?: Request | undefined, caller?: CastName | undefined];

/** A step of these calls, even if they fail. */
export const stepOf = (...calls: Given[]): Step => ({
  drafts: calls.map(([operation, request = {}, caller = 'P1']) => draft(operation, caller, request, 'anyhow')),
  most: calls.length,
});

const single = (each: fc.Arbitrary<Draft>) => each.map((draft): Step => ({ drafts: [draft], most: 1 }));
const several = (least: number, each: fc.Arbitrary<Draft>): fc.Arbitrary<Step> =>
  fc.record({
    drafts: fc.array(each, { minLength: 1, maxLength: 32, size: 'max' }),
    most: fc.integer({ min: least, max: 4 }),
    isTwice: fc.nat(5).map((dice) => dice === 5),
    freezesAt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 3 }),
  });
/** Creates of some resources, and then these steps. */
const founded = (step: fc.Arbitrary<Step>, maxLength: number): fc.Arbitrary<Step[]> =>
  fc
    .tuple(fc.array(single(creates()), { maxLength: 60, size: 'max' }), fc.array(step, { maxLength, size: 'max' }))
    .map(([first, then]) => [...first, ...then]);

const turnPartnership = one<[CastName, CastName]>(['D1', 'P1'], ['D1', 'P1'], ['D1', 'P2'], ['D2', 'P2']).map(
  ([distributor, provider]): Draft => ({
    toString: () => `the partnership of ${distributor} and ${provider} ends or begins`,
    placed: ({ names }) => {
      const path = filled({ distributor: `<${distributor}>`, provider: `<${provider}>` }, names);
      return { operation: TURN_PARTNERSHIP, caller: path.distributor, path, query: {}, headers: {} };
    },
  }),
);

/** One call after another. In between, partnerships end and begin again. */
export const SEQUENTIAL = founded(single(often(usual(), turnPartnership)), 200);

/** Calls at once. Half of them are about one terminal and its branch, where most conflicts are. */
export const concurrent = (maxLength: number): fc.Arbitrary<Step[]> =>
  founded(fc.oneof(several(1, usual()), several(3, moving())), maxLength);
