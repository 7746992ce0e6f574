import { expect } from '@jest/globals';
import type { ApiResponse, expectProblem, OPERATIONS, Request } from '../../support/api.ts';
import {
  FOREIGN_TERMINAL,
  NO_BRANCH,
  NO_MASTER_ACQUIRER,
  NO_PAYMENT_APP,
  NO_TERMINAL,
  NOTHING_FOUND,
} from '../../support/constants.ts';
import { cursorOf } from '../../support/cursors.ts';
import { branchBody, terminalBody } from '../../support/requests.ts';
import type { Values } from './reaction.ts';
import {
  CARD,
  DISTRIBUTOR,
  eventsOf,
  GONE,
  HIDDEN,
  isNeighbour,
  isPartner,
  KEYED,
  lookupsOf,
  midsOf,
  OTHER_CARD,
  OUTSIDERS,
  type Outsider,
  PROVIDER,
} from './world.ts';

export type Endpoint = (typeof OPERATIONS)[number];

/** A documented response: a problem's code and explanation, or a success. */
export type Documented =
  Parameters<typeof expectProblem> extends [ApiResponse, ...infer Problem] ? Problem | Success : never;
interface Success {
  /** The whole body, if it is to be compared. */
  body?: unknown;
}

/** One way to try to access what is hidden. */
export interface Attempt {
  what: string;
  /** Hidden values by their places in a request. The rest is the outsider's own and would succeed. */
  hidden: Values;
  response: (me: Outsider) => Documented;
  /**
   * Values that must lead to the same response, costs and changes: values that nobody has or, where values must be
   * unique, those of the outsider itself.
   */
  like?: (me: Outsider) => Values;
  /**
   * Only where the API distinguishes a foreign resource from a missing one: values that nobody has, and their response.
   */
  unlike?: { values: Values; response: Documented };
  /** Outsiders from which it is not hidden. */
  known?: ((me: Outsider) => boolean) | undefined;
}

/** Values that nobody has, in the forms of the hidden ones. */
const NOBODYS = {
  uuid: '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55',
  tid: '3f0e8a52-7c1d-5b9e-a6f4-5d2c1b0a9e87',
  mid: 'NOSUCHMID1',
  terminal_id: 'NOSUCHT1',
  serial_no: 'NOSUCHS1',
  master_merchant_id: 'NOSUCHMM1',
  name: 'No Such Name',
};

/** Hidden resources with their descriptions; MIDs also with a value that nobody has, in the same form. */
const MIDS = [
  ['the MID of a branch', HIDDEN.mid, NOBODYS.mid],
  ['the MID of an archived branch', HIDDEN.past.mid, NOBODYS.mid],
  ['the MID of a branch without a distributor', HIDDEN.alone.mid, NOBODYS.uuid],
] as const;
const TERMINALS = Object.entries({
  'a terminal': HIDDEN,
  'an archived terminal': HIDDEN.archived,
  'a terminal of an archived branch': HIDDEN.past,
  'a terminal of a branch without a distributor': HIDDEN.alone,
});
const TERMINAL_IDS = TERMINALS.map(([what, { terminal_id }]) => [`the terminal_id of ${what}`, terminal_id] as const);
const TIDS = [
  ...TERMINALS.map(([what, { tid }]) => [`the TID of ${what}`, tid] as const),
  ['the TID of a terminal in upper case', HIDDEN.tid.toUpperCase()] as const,
];
const SERIALS = [
  ['the serial_no of a terminal', HIDDEN.serial_no],
  ['the serial_no of an archived terminal', HIDDEN.archived.serial_no],
] as const;

const fieldError = (pointer: string, code: string, detail: string): Documented => [
  'validation_failed',
  [[pointer, code, detail]],
];
const always = (response: Documented) => () => response;
const success = always({});

const NO_SUCH_BRANCH: Documented = ['not_found', NO_BRANCH];
const NO_SUCH_TERMINAL: Documented = ['not_found', NO_TERMINAL];
const NO_SUCH_TARGET: Documented = ['not_found', 'No branch with the target MID exists.'];
const NOT_YOUR_TERMINAL: Documented = ['not_under_requesting_psp', FOREIGN_TERMINAL];
const NOT_YOUR_TARGET: Documented = [
  'not_under_requesting_psp',
  'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
];
const NO_SUCH_LOOKUP: Documented = [
  'not_found',
  'Unknown lookup. Use one of paymentProviders, distributors, acquirers, paymentApp, masterMerchants.',
];
const NOTHING: Documented = ['not_found', NOTHING_FOUND];
const NOT_IDENTIFIED: Documented = {
  body: { data: { member_identified: false, rewards_available: false, rewards: [] } },
};
const MID_TAKEN = fieldError('/mid', 'taken', 'Another branch has this MID.');
const TERMINAL_TAKEN = fieldError('/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.');
const NO_SUCH_MASTER_MERCHANT = fieldError(
  '/existing_master_merchant',
  'not_found',
  'Must be a master merchant of this payment provider that you may use; see lookup masterMerchants.',
);

/** The response to a create with an acquirer that is no partner, as the other acquirer or in the caller's place. */
const notAPartner = (pointer: '/payment_provider' | '/distributor') => (me: Outsider) =>
  (pointer === '/distributor') === (me.type === 'DISTRIBUTOR')
    ? fieldError(pointer, 'not_yourself', 'Must be your own UUID, or omitted.')
    : fieldError(pointer, 'not_a_partner', 'Must be the UUID of one of your partners.');

/** Times before and after everything that happens in the world. */
const [BEFORE, AFTER] = [Date.now() - 60_000, Date.now() + 3_600_000];

/** A terminal of an outsider, with every field that a create accepts. */
const terminal = ({ payment_app, acquirer_name }: Outsider) =>
  terminalBody({ terminal_id: 'NEWT1', serial_no: 'NEWS1', payment_app, acquirer_name });

/** A request of each operation that succeeds for an outsider, with every field it can have. */
export const SUCCEEDING: Record<Endpoint, (me: Outsider) => Request> = {
  listBranches: () => ({ query: { sort: 'asc', per_page: '10', page: '1' } }),
  createBranch: (me) => ({
    body: branchBody({
      mid: 'NEWMID1',
      ...me.names,
      master_merchant_id: 'NEWMM1',
      mcc: '5462',
      terminals: [terminal(me)],
    }),
  }),
  getBranch: ({ mid }) => ({ path: { mid } }),
  getBranchHistory: (me) => ({
    path: { mid: me.mid },
    query: { before: cursorOf(me, ['branch', me.mid], AFTER), limit: '100' },
  }),
  archiveBranch: ({ mid }) => ({ path: { mid } }),
  listTerminals: ({ mid }) => ({ path: { id: mid }, query: { sort: 'asc', per_page: '10', page: '1' } }),
  createTerminals: (me) => ({ path: { id: me.mid }, body: { terminals: [terminal(me)] } }),
  updateTerminal: (me) => {
    const { terminal_id: _, ...body } = terminal(me);
    return { path: { id: me.tid }, body };
  },
  deleteTerminal: ({ tid }) => ({ path: { id: tid } }),
  archiveTerminal: ({ tid }) => ({ path: { id: tid }, body: { reason: 'Repair' } }),
  restoreTerminal: ({ archived }) => ({ path: { id: archived.tid } }),
  reassignTerminal: ({ tid, otherMid }) => ({ path: { id: tid }, body: { mid: otherMid } }),
  getTerminalHistory: (me) => ({
    path: { id: me.tid },
    query: { before: cursorOf(me, ['terminal', me.tid], AFTER), limit: '100' },
  }),
  lookup: () => ({ path: { method: 'masterMerchants' }, query: { search: '' } }),
  find: ({ serial_no }) => ({ query: { serial_no } }),
  listEvents: (me) => ({ query: { after: cursorOf(me, ['events'], BEFORE), limit: '100' } }),
  memberCheck: ({ terminal_id, id }) => ({
    body: { amount: 50, ...CARD, currency: 'EUR', terminal_id, acquirer_id: id },
  }),
};

/** One hidden value in one place, and the value that must have the same response there. */
const at = (
  place: string,
  [what, value]: readonly [what: string, value: unknown],
  like: string | undefined | ((me: Outsider) => string | undefined),
  response: Attempt['response'],
  known?: Attempt['known'],
): Attempt => ({
  what: `${what} in ${place}`,
  hidden: { [place]: value },
  response,
  known,
  like: (me) => ({ [place]: typeof like === 'function' ? like(me) : like }),
});

/** Hidden branches, where they must look like missing ones. */
const hiddenBranches = (place: string): Attempt[] => [
  ...MIDS.map(([what, mid, nobodys]) => at(place, [what, mid], nobodys, always(NO_SUCH_BRANCH))),
  at(place, ['the TID of a terminal', HIDDEN.tid], NOBODYS.tid, always(NO_SUCH_BRANCH)),
];

/** Hidden terminals, where they must look like missing ones. */
const hiddenTerminals = TIDS.map((tid) => at('path.id', tid, NOBODYS.tid, always(NO_SUCH_TERMINAL)));

/** The same attempts without the outsider's own cursor, which belongs to one branch or terminal. */
const withoutCursor = (attempts: Attempt[]): Attempt[] =>
  attempts.map(({ hidden, like, ...attempt }) => ({
    ...attempt,
    hidden: { 'query.before': undefined, ...hidden },
    like: (me) => ({ 'query.before': undefined, ...like?.(me) }),
  }));

/** Cursors of the hidden provider, which must look like any invalid text. */
const hiddenCursors = (parameter: 'after' | 'before'): Attempt[] =>
  Object.entries({
    'the cursor of its events': cursorOf(PROVIDER, ['events']),
    'the cursor of the history of its branch': cursorOf(PROVIDER, ['branch', HIDDEN.mid]),
    'the cursor of the history of its terminal': cursorOf(PROVIDER, ['terminal', HIDDEN.tid]),
  }).map((cursor) =>
    at(
      `query.${parameter}`,
      cursor,
      NOBODYS.name,
      always(['invalid_query', `${parameter}: Must be a cursor from this list.`]),
    ),
  );

/** A foreign resource with a cursor of the outsider's own that would fit it. */
const madeUpCursors = (
  place: 'path.mid' | 'path.id',
  kind: 'branch' | 'terminal',
  [what, value, nobodys]: readonly [what: string, value: string, nobodys: string],
  response: Documented,
): Attempt[] =>
  OUTSIDERS.map((me) => ({
    what: `${what} in ${place}, and a made-up cursor`,
    hidden: { [place]: value, 'query.before': cursorOf(me, [kind, value]) },
    like: () => ({ [place]: nobodys, 'query.before': cursorOf(me, [kind, nobodys]) }),
    response: always(response),
    known: ({ id }) => id !== me.id,
  }));

/** Limits, each of which returns only the outsider's own events. */
const limits = (eventsFor: (me: Outsider) => object[]): Attempt[] =>
  [100, 2, 1].map((limit) => ({
    what: `a limit of ${limit}`,
    hidden: { 'query.limit': String(limit) },
    response: (me) => ({
      body: {
        data: eventsFor(me)
          .slice(0, limit)
          .map((event) => expect.objectContaining(event)),
        meta: expect.anything(),
      },
    }),
  }));

/** A foreign resource, where the API distinguishes it from a missing one. */
const foreign = (
  place: string,
  [what, value, nobodys]: readonly [what: string, value: string, nobodys: string],
  response: Documented,
  responseToUnknown: Documented,
): Attempt => ({
  what: `${what} in ${place}`,
  hidden: { [place]: value },
  response: always(response),
  unlike: { values: { [place]: nobodys }, response: responseToUnknown },
});

const foreignTerminals = TIDS.map(([what, tid]) =>
  foreign('path.id', [what, tid, NOBODYS.tid], NOT_YOUR_TERMINAL, NO_SUCH_TERMINAL),
);

/** Values that are unique among all acquirers: taken, exactly as if they were the outsider's own. */
const takenTerminalIds = TERMINAL_IDS.map((id) =>
  at('body.terminals.0.terminal_id', id, (me) => me.terminal_id, always(TERMINAL_TAKEN)),
);
const takenSerials = (place: string, pointer: string): Attempt[] =>
  SERIALS.map((serial) =>
    at(
      place,
      serial,
      // Not the serial_no of the terminal that is updated.
      (me) => me.archived.serial_no,
      always(fieldError(pointer, 'taken', 'Another terminal has this serial_no.')),
    ),
  );

/** Names that a terminal can have only if its acquirer has them. */
const hiddenNames = (prefix: string, pointer: string): Attempt[] => [
  at(
    `${prefix}payment_app`,
    ['the name of a payment app', HIDDEN.payment_app],
    NOBODYS.name,
    always(fieldError(`${pointer}/payment_app`, 'not_found', NO_PAYMENT_APP)),
  ),
  at(
    `${prefix}acquirer_name`,
    ['the name of a master acquirer', HIDDEN.acquirer_name],
    NOBODYS.name,
    always(fieldError(`${pointer}/acquirer_name`, 'not_found', NO_MASTER_ACQUIRER)),
  ),
];

/**
 * Idempotency-Keys of another acquirer, on a request of one's own and on the very same request. They must look unused.
 */
const hiddenKeys = (operation: keyof typeof KEYED, response: Attempt['response']): Attempt[] => {
  const { headers, ...request } = KEYED[operation];
  const key = headers['idempotency-key'];
  return [
    at('headers.idempotency-key', ['an Idempotency-Key', key], NOBODYS.uuid, success),
    {
      what: 'an Idempotency-Key, and the request that it was given to',
      hidden: { ...request, 'headers.idempotency-key': key },
      like: () => ({ ...request, 'headers.idempotency-key': NOBODYS.uuid }),
      response,
    },
  ];
};

/** Pages of a list, which must have everything of the outsider's own and nothing else. */
const pages = (
  itemsOf: (me: Outsider) => object[],
  ...queries: [sort: 'asc' | 'desc', per_page: number, page: number][]
): Attempt[] =>
  queries.map(([sort, per_page, page]) => ({
    what: `page ${page} of ${per_page} each, ${sort}`,
    hidden: { 'query.sort': sort, 'query.per_page': String(per_page), 'query.page': String(page) },
    response: (me) => {
      const items = itemsOf(me);
      const sorted = sort === 'asc' ? items : items.toReversed();
      const data = sorted.slice((page - 1) * per_page, page * per_page).map((item) => expect.objectContaining(item));
      const meta = { current_page: page, per_page, total: items.length };
      return { body: { data, links: expect.anything(), meta } };
    },
  }));

const LOOKUPS = ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'] as const;
type Lookup = (typeof LOOKUPS)[number];

const search = (method: Lookup, text: string | undefined, known?: Attempt['known']): Attempt => ({
  what: `the lookup ${method} with the search ${text}`,
  hidden: { 'path.method': method, 'query.search': text },
  known,
  like: () => ({ 'path.method': method, 'query.search': NOBODYS.name }),
  response: always({ body: { data: [] } }),
});

/** A find by these values only, and by values that nobody has. */
const find = (what: string, hidden: Values, nobodys: Values): Attempt => ({
  what,
  hidden: { 'query.serial_no': undefined, ...hidden },
  like: () => ({ 'query.serial_no': undefined, ...hidden, ...nobodys }),
  response: always(NOTHING),
});

const [MASTER_MERCHANT, OTHER_MASTER_MERCHANT] = HIDDEN.masterMerchants;

const ATTEMPTS: Record<Endpoint, Attempt[]> = {
  listBranches: pages(
    (me) => midsOf(me).map((mid) => ({ mid })),
    ['asc', 100, 1],
    ['desc', 100, 1],
    ['desc', 1, 2],
    ['asc', 2, 3],
    ['asc', 100, Number.MAX_SAFE_INTEGER],
  ),
  createBranch: [
    ...MIDS.map(([what, mid]) => at('body.mid', [what, mid], (me) => me.mid, always(MID_TAKEN))),
    ...takenTerminalIds,
    ...takenSerials('body.terminals.0.serial_no', '/terminals/0/serial_no'),
    ...hiddenNames('body.terminals.0.', '/terminals/0'),
    at(
      'body.payment_provider',
      ['the id of the provider', PROVIDER.id],
      NOBODYS.uuid,
      notAPartner('/payment_provider'),
      isPartner,
    ),
    at(
      'body.payment_provider',
      ['the id of the distributor', DISTRIBUTOR.id],
      NOBODYS.uuid,
      notAPartner('/payment_provider'),
    ),
    at(
      'body.distributor',
      ['the id of the distributor', DISTRIBUTOR.id],
      NOBODYS.uuid,
      notAPartner('/distributor'),
      isNeighbour,
    ),
    at('body.distributor', ['the id of the provider', PROVIDER.id], NOBODYS.uuid, notAPartner('/distributor')),
    {
      what: 'the UUID of a master merchant',
      hidden: { 'body.existing_master_merchant': MASTER_MERCHANT?.uuid, 'body.master_merchant_id': undefined },
      like: () => ({ 'body.existing_master_merchant': NOBODYS.uuid, 'body.master_merchant_id': undefined }),
      response: always(NO_SUCH_MASTER_MERCHANT),
    },
    {
      what: 'the UUID of a master merchant, and its provider',
      hidden: {
        'body.payment_provider': PROVIDER.id,
        'body.existing_master_merchant': MASTER_MERCHANT?.uuid,
        'body.master_merchant_id': undefined,
      },
      like: () => ({
        'body.payment_provider': PROVIDER.id,
        'body.existing_master_merchant': NOBODYS.uuid,
        'body.master_merchant_id': undefined,
      }),
      response: (me) => (isPartner(me) ? NO_SUCH_MASTER_MERCHANT : notAPartner('/payment_provider')(me)),
    },
    // The id is unique only under its provider, so it is free under any other.
    at(
      'body.master_merchant_id',
      ['the id of a master merchant', MASTER_MERCHANT?.id],
      NOBODYS.master_merchant_id,
      success,
      isPartner,
    ),
    {
      what: 'the id of a master merchant, and its provider',
      hidden: { 'body.payment_provider': PROVIDER.id, 'body.master_merchant_id': MASTER_MERCHANT?.id },
      like: () => ({
        'body.payment_provider': PROVIDER.id,
        // A partner that knows the id may join it.
      }),
      response: notAPartner('/payment_provider'),
      // A partner that knows the id may join it.
      known: isPartner,
    },
    {
      what: 'the UUID of a master merchant, and an id that is not its',
      hidden: {
        'body.payment_provider': PROVIDER.id,
        'body.existing_master_merchant': MASTER_MERCHANT?.uuid,
        'body.master_merchant_id': NOBODYS.master_merchant_id,
      },
      like: () => ({
        'body.payment_provider': PROVIDER.id,
        'body.existing_master_merchant': NOBODYS.uuid,
        'body.master_merchant_id': NOBODYS.master_merchant_id,
      }),
      response: (me) => (isPartner(me) ? NO_SUCH_MASTER_MERCHANT : notAPartner('/payment_provider')(me)),
    },
    {
      what: 'the MID of a branch, its provider, and what else is taken there',
      hidden: {
        'body.mid': HIDDEN.mid,
        'body.payment_provider': PROVIDER.id,
        'body.master_merchant_id': MASTER_MERCHANT?.id,
        'body.terminals.0.terminal_id': HIDDEN.terminal_id,
      },
      like: () => ({
        'body.mid': NOBODYS.mid,
        'body.payment_provider': PROVIDER.id,
        'body.master_merchant_id': NOBODYS.master_merchant_id,
        'body.terminals.0.terminal_id': NOBODYS.terminal_id,
      }),
      response: notAPartner('/payment_provider'),
      known: isPartner,
    },
    ...hiddenKeys('createBranch', ({ type }) =>
      type === 'DISTRIBUTOR' ? fieldError('/payment_provider', 'required', 'Is required.') : MID_TAKEN,
    ),
  ],
  getBranch: hiddenBranches('path.mid'),
  getBranchHistory: [
    ...withoutCursor(hiddenBranches('path.mid')),
    ...madeUpCursors('path.mid', 'branch', MIDS[0], NO_SUCH_BRANCH),
    ...hiddenCursors('before'),
    ...limits((me) =>
      eventsOf(me)
        .filter(({ branch }) => branch.mid === me.mid)
        .reverse(),
    ),
  ],
  archiveBranch: hiddenBranches('path.mid'),
  listTerminals: [
    ...hiddenBranches('path.id'),
    ...pages(
      ({ tid, archived }) => [{ tid }, { tid: archived.tid }],
      ['asc', 100, 1],
      ['desc', 1, 2],
      ['asc', 100, Number.MAX_SAFE_INTEGER],
    ),
  ],
  createTerminals: [
    ...hiddenBranches('path.id'),
    ...takenTerminalIds,
    ...takenSerials('body.terminals.0.serial_no', '/terminals/0/serial_no'),
    ...hiddenNames('body.terminals.0.', '/terminals/0'),
    {
      what: 'the MID of a branch, and its terminal',
      hidden: {
        'path.id': HIDDEN.mid,
        'body.terminals.0.terminal_id': HIDDEN.terminal_id,
        'body.terminals.0.serial_no': HIDDEN.serial_no,
      },
      like: () => ({ 'path.id': NOBODYS.mid }),
      response: always(NO_SUCH_BRANCH),
    },
    ...hiddenKeys('createTerminals', always(NO_SUCH_BRANCH)),
  ],
  updateTerminal: [
    ...foreignTerminals,
    ...takenSerials('body.serial_no', '/serial_no'),
    ...hiddenNames('body.', ''),
    {
      what: 'the TID of a terminal, and its serial_no',
      hidden: { 'path.id': HIDDEN.tid, 'body.serial_no': HIDDEN.serial_no },
      like: () => ({ 'path.id': HIDDEN.tid, 'body.serial_no': NOBODYS.serial_no }),
      response: always(NOT_YOUR_TERMINAL),
    },
  ],
  deleteTerminal: hiddenTerminals,
  archiveTerminal: foreignTerminals,
  restoreTerminal: hiddenTerminals,
  reassignTerminal: [
    ...foreignTerminals,
    ...MIDS.map((branch) => foreign('body.mid', branch, NOT_YOUR_TARGET, NO_SUCH_TARGET)),
    ...[
      ['the MID that it is under', HIDDEN.mid],
      ['the MID of another branch', HIDDEN.otherMid],
      ['the MID of an archived branch', HIDDEN.past.mid],
      ['a MID that nobody has', NOBODYS.mid],
    ].map(
      ([what, mid]): Attempt => ({
        what: `the TID of a terminal, and ${what}`,
        hidden: { 'path.id': HIDDEN.tid, 'body.mid': mid },
        like: (me) => ({ 'path.id': HIDDEN.tid, 'body.mid': me.mid }),
        response: always(NOT_YOUR_TERMINAL),
      }),
    ),
    ...hiddenKeys('reassignTerminal', always(NOT_YOUR_TERMINAL)),
  ],
  getTerminalHistory: [
    ...withoutCursor([
      ...hiddenTerminals,
      at(
        'path.id',
        ['the TID of a terminal that is deleted', HIDDEN.deleted.tid],
        NOBODYS.tid,
        always(NO_SUCH_TERMINAL),
      ),
      at(
        'path.id',
        ['the TID of a terminal that has moved there', GONE.tid],
        NOBODYS.tid,
        always(NO_SUCH_TERMINAL),
        // It keeps what it has seen.
        isPartner,
      ),
    ]),
    ...[
      ['the TID of a terminal', HIDDEN.tid, NOBODYS.tid] as const,
      ['the TID of a terminal that is deleted', HIDDEN.deleted.tid, NOBODYS.tid] as const,
    ].flatMap((tid) => madeUpCursors('path.id', 'terminal', tid, NO_SUCH_TERMINAL)),
    ...hiddenCursors('before'),
    ...limits(({ mid }) => [{ type: 'terminals.created', branch: { mid, status: 'active' } }]),
  ],
  lookup: [
    ...LOOKUPS.map(
      (method): Attempt => ({
        what: `the lookup ${method}`,
        hidden: { 'path.method': method },
        response: (me) => ({ body: { data: lookupsOf(me)[method] } }),
      }),
    ),
    search('paymentProviders', PROVIDER.name, isPartner),
    search('distributors', DISTRIBUTOR.name, isNeighbour),
    search('acquirers', HIDDEN.acquirer_name),
    search('paymentApp', HIDDEN.payment_app),
    search('masterMerchants', HIDDEN.texts.master_merchant_name),
    search('masterMerchants', OTHER_MASTER_MERCHANT?.id),
    search('masterMerchants', MASTER_MERCHANT?.id),
    search('masterMerchants', MASTER_MERCHANT?.uuid),
    {
      what: 'the lookup masterMerchants of the provider',
      hidden: { 'path.method': 'masterMerchants', 'query.payment_provider': PROVIDER.id },
      like: () => ({ 'path.method': 'masterMerchants', 'query.payment_provider': NOBODYS.uuid }),
      response: always({ body: { data: [] } }),
      known: isPartner,
    },
    at('path.method', ['the id of the provider', PROVIDER.id], NOBODYS.uuid, always(NO_SUCH_LOOKUP)),
  ],
  find: [
    ...TIDS.map(([what, tid]) => find(what, { 'query.tid': tid }, { 'query.tid': NOBODYS.tid })),
    ...TERMINAL_IDS.map(([what, id]) =>
      find(what, { 'query.terminal_id': id }, { 'query.terminal_id': NOBODYS.terminal_id }),
    ),
    ...SERIALS.map(([what, serial]) =>
      find(what, { 'query.serial_no': serial }, { 'query.serial_no': NOBODYS.serial_no }),
    ),
    ...MIDS.map(([what, mid, nobodys]) => find(what, { 'query.mid': mid }, { 'query.mid': nobodys })),
    find(
      'the id of a master merchant, and its provider',
      { 'query.master_merchant_id': MASTER_MERCHANT?.id, 'query.payment_provider': PROVIDER.id },
      { 'query.master_merchant_id': NOBODYS.master_merchant_id },
    ),
    find(
      'the UUID of a master merchant, and its provider',
      { 'query.master_merchant_id': MASTER_MERCHANT?.uuid, 'query.payment_provider': PROVIDER.id },
      { 'query.master_merchant_id': NOBODYS.uuid },
    ),
    find(
      'the id of a provider, and an id that it may have given to a master merchant',
      { 'query.master_merchant_id': NOBODYS.master_merchant_id, 'query.payment_provider': PROVIDER.id },
      { 'query.payment_provider': NOBODYS.uuid },
    ),
  ],
  listEvents: [...hiddenCursors('after'), ...limits(eventsOf)],
  memberCheck: [
    ...TERMINAL_IDS.map((id) => at('body.terminal_id', id, NOBODYS.terminal_id, always(NOT_IDENTIFIED))),
    {
      what: 'the terminal_id of a terminal, and the id of its provider, for any amount',
      hidden: {
        'body.terminal_id': HIDDEN.terminal_id,
        'body.acquirer_id': PROVIDER.id,
        'body.amount': 0,
        'body.currency': 'USD',
      },
      like: () => ({ 'body.terminal_id': NOBODYS.terminal_id, 'body.acquirer_id': PROVIDER.id }),
      response: always(NOT_IDENTIFIED),
    },
    at('body.acquirer_id', ['the id of the provider', PROVIDER.id], NOBODYS.uuid, always(NOT_IDENTIFIED), isPartner),
    at('body.acquirer_id', ['the id of the distributor', DISTRIBUTOR.id], NOBODYS.uuid, always(NOT_IDENTIFIED)),
    at(
      'body.card_id',
      ["the card_id of another member's card", OTHER_CARD.card_id],
      NOBODYS.name,
      always(NOT_IDENTIFIED),
    ),
    at(
      'body.card_pseudo_token',
      ["the token of another member's card", OTHER_CARD.card_pseudo_token],
      NOBODYS.name,
      always(NOT_IDENTIFIED),
    ),
  ],
};

/** Texts that are stored but identify nothing. */
const TEXTS: { [K in Endpoint]?: Values } = {
  createBranch: {
    ...Object.fromEntries(Object.entries(HIDDEN.texts).map(([name, value]) => [`body.${name}`, value])),
    'body.terminals.0.terminal_model': HIDDEN.terminal_model,
  },
  createTerminals: { 'body.terminals.0.terminal_model': HIDDEN.terminal_model },
  updateTerminal: { 'body.terminal_model': HIDDEN.terminal_model },
  archiveTerminal: { 'body.reason': HIDDEN.reason },
};

/** Places that no operation reads but that an attacker may try. */
const ELSEWHERE = {
  headers: [
    'authorization',
    'cookie',
    'forwarded',
    'idempotency-key',
    'x-acquirer-id',
    'x-api-key',
    'x-forwarded-for',
    'x-forwarded-user',
  ],
  query: ['acquirer', 'acquirer_id', 'payment_provider', 'distributor', 'mid', 'tid', 'terminal_id', 'api_key'],
  body: [
    'acquirer',
    'acquirer_id',
    'payment_provider',
    'distributor',
    'mid',
    'tid',
    'terminal_id',
    'branch_order',
    'pk',
  ],
};

/** The places of an operation in which hidden values are sent. */
export const placesOf = (operation: Endpoint): string[] =>
  [...ATTEMPTS[operation].map(({ hidden }) => hidden), TEXTS[operation] ?? {}].flatMap((values) => Object.keys(values));

/** Hidden values in places that identify nothing. Links repeat a query; warnings name parameters and fields. */
function inert(operation: Endpoint): Attempt {
  const places = placesOf(operation);
  const filled = (parts: (keyof typeof ELSEWHERE)[], { mid, tid, id }: Record<'mid' | 'tid' | 'id', string>): Values =>
    Object.fromEntries(
      parts
        .flatMap((part) => ELSEWHERE[part].map((name) => [`${part}.${name}`, { mid, tid }[name] ?? id] as const))
        .filter(([place]) => !places.includes(place)),
    );
  return {
    what: 'hidden texts, and hidden identifiers in unknown headers, parameters and fields',
    hidden: { ...filled(['headers', 'query', 'body'], { ...HIDDEN, id: PROVIDER.id }), ...TEXTS[operation] },
    like: () => filled(['query', 'body'], { ...NOBODYS, id: NOBODYS.uuid }),
    response: success,
  };
}

/** All attempts of an outsider with an operation. */
export const attemptsOf = (operation: Endpoint, me: Outsider): Attempt[] =>
  [...ATTEMPTS[operation], inert(operation)].filter(({ known }) => !known?.(me));
