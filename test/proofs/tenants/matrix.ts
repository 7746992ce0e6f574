import { type ApiOperation, requestOf, subjectOf } from '../../../infra/publish/contract/calls.ts';
import type { Request } from '../../support/api.ts';
import { isChange } from '../../support/contract.ts';
import { cursorOf } from '../../support/cursors.ts';
import type { Values } from './reaction.ts';
import {
  DISTRIBUTOR,
  GONE,
  HIDDEN,
  isNeighbour,
  isPartner,
  KEYED,
  OTHER_CARD,
  OUTSIDERS,
  type Outsider,
  PROVIDER,
  pastOf,
} from './world.ts';

/** A response: `success`, the code of a problem, or the pointer and code of a field error. */
type Expected = string;

/** One way to try to access what is hidden. */
export interface Attempt {
  what: string;
  /** Hidden values by their places in a request. The rest is the outsider's own and would succeed. */
  hidden: Values;
  expected: Expected | ((me: Outsider) => Expected);
  /**
   * Values that must lead to the same response, costs and changes: values that nobody has or, where values must be
   * unique, those of the outsider itself.
   */
  like?: Values | ((me: Outsider) => Values) | undefined;
  /** Outsiders from which it is not hidden. */
  known?: (me: Outsider) => boolean;
}
type More = Omit<Partial<Attempt>, 'what' | 'hidden'>;

/** A hidden value, with a value that nobody has in the same form. */
type Value = readonly [what: string, value: string, nobodys: string];

/** Values that nobody has. */
const NOBODYS = {
  uuid: '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55',
  tid: '3f0e8a52-7c1d-5b9e-a6f4-5d2c1b0a9e87',
  mid: 'NOSUCHMID1',
  terminal_id: 'NOSUCHT1',
  serial_no: 'NOSUCHS1',
  master_merchant_id: 'NOSUCHMM1',
  name: 'No Such Name',
};

const MID: Value = ['the MID of a branch', HIDDEN.mid, NOBODYS.mid];
const MIDS: Value[] = [
  MID,
  ['the MID of an archived branch', HIDDEN.past.mid, NOBODYS.mid],
  ['the MID of a branch without a distributor', HIDDEN.alone.mid, NOBODYS.uuid],
];
const TERMINALS = Object.entries({
  'a terminal': HIDDEN,
  'an archived terminal': HIDDEN.archived,
  'a terminal of an archived branch': HIDDEN.past,
  'a terminal of a branch without a distributor': HIDDEN.alone,
});
const TERMINAL_IDS = TERMINALS.map(
  ([what, { terminal_id }]): Value => [`the terminal_id of ${what}`, terminal_id, NOBODYS.terminal_id],
);
const TIDS = [
  ...TERMINALS.map(([what, { tid }]): Value => [`the TID of ${what}`, tid, NOBODYS.tid]),
  ['the TID of a terminal in upper case', HIDDEN.tid.toUpperCase(), NOBODYS.tid] as const,
];
const SERIALS: Value[] = [
  ['the serial_no of a terminal', HIDDEN.serial_no, NOBODYS.serial_no],
  ['the serial_no of an archived terminal', HIDDEN.archived.serial_no, NOBODYS.serial_no],
];
/** What the console searches, and whose activity it lists. */
export const SEARCHED = [...MIDS, ...TIDS, ...TERMINAL_IDS, ...SERIALS, ['a word', 'hidden', NOBODYS.name] as const];
export const WITH_ACTIVITY = { mid: MIDS, tid: TIDS };
const PROVIDER_ID: Value = ['the id of the provider', PROVIDER.id, NOBODYS.uuid];
const DISTRIBUTOR_ID: Value = ['the id of the distributor', DISTRIBUTOR.id, NOBODYS.uuid];
const { id: MASTER_MERCHANT_ID, uuid: MASTER_MERCHANT } = HIDDEN.master_merchant;

/** A request of each operation that succeeds for an outsider, with every field it can have. */
export function succeeding(operation: ApiOperation, { subject, archived, ...me }: Outsider): Request {
  const { payment_app, acquirer_name, provider } = subject;
  const partner = me.id === provider ? subject.distributor : provider;
  if (operation === 'createBranch')
    return requestOf(operation, { ...subjectOf('NEW', { ...me, partner }), payment_app, acquirer_name });
  if (operation === 'restoreBranch') return requestOf(operation, pastOf(subject));
  return requestOf(
    operation,
    operation === 'restoreTerminal' ? { ...subject, terminal_id: archived.terminal_id } : subject,
  );
}

/** Sends one hidden value in one place. Its reaction must be that of a value that nobody has. */
const at = (place: string, [what, value, nobodys]: Value, expected: Attempt['expected'], more: More = {}): Attempt => ({
  what: `${what} in ${place}`,
  hidden: { [place]: value },
  like: { [place]: nobodys },
  expected,
  ...more,
});
const each = (values: Value[], place: string, expected: Attempt['expected'], more?: More): Attempt[] =>
  values.map((value) => at(place, value, expected, more));

/** Sends several values, of which some are replaced by values that nobody has. */
const several = (
  what: string,
  hidden: Values,
  nobodys: Values,
  expected: Attempt['expected'],
  known: Attempt['known'] = () => false,
): Attempt => ({ what, hidden, like: { ...hidden, ...nobodys }, expected, known });

/** Hidden branches, where they must look like missing ones. */
const hiddenBranches = (place: string): Attempt[] =>
  each([...MIDS, ['the TID of a terminal', HIDDEN.tid, NOBODYS.tid]], place, 'not_found');

/** Foreign resources, where the API distinguishes them from missing ones. */
const foreign = (values: Value[], place: string): Attempt[] =>
  each(values, place, 'not_under_requesting_psp', { like: undefined });

/** Cursors of the hidden provider, which must look like any invalid text. */
const hiddenCursors = (parameter: 'after' | 'before'): Attempt[] =>
  each(
    [
      ['the cursor of its events', cursorOf(PROVIDER, ['events']), NOBODYS.name],
      ['the cursor of the history of its branch', cursorOf(PROVIDER, ['branch', HIDDEN.mid]), NOBODYS.name],
      ['the cursor of the history of its terminal', cursorOf(PROVIDER, ['terminal', HIDDEN.tid]), NOBODYS.name],
    ],
    `query.${parameter}`,
    'invalid_query',
  );

/** A foreign resource with a cursor of the outsider's own that would fit it. */
const madeUpCursors = (place: string, kind: 'branch' | 'terminal', [what, value, nobodys]: Value): Attempt[] =>
  OUTSIDERS.map((me) =>
    several(
      `${what} in ${place}, and a made-up cursor`,
      { [place]: value, 'query.before': cursorOf(me, [kind, value]) },
      { [place]: nobodys, 'query.before': cursorOf(me, [kind, nobodys]) },
      'not_found',
      ({ id }) => id !== me.id,
    ),
  );

/** Lists, which must have nothing hidden. */
const listed = (...queries: Record<string, string>[]): Attempt[] =>
  queries.map((query) => ({
    what: new URLSearchParams(query).toString(),
    hidden: Object.fromEntries(Object.entries(query).map(([name, value]) => [`query.${name}`, value])),
    expected: 'success',
  }));
const PAGES = listed(
  { sort: 'asc', per_page: '100', page: '1' },
  { sort: 'desc', per_page: '100', page: '1' },
  { sort: 'desc', per_page: '1', page: '2' },
  { sort: 'asc', per_page: '100', page: '1000000000' },
);
/** Searches for hidden words, of which the outsider has none. */
const searches = (...words: string[]): Attempt[] =>
  words.map((word) =>
    several(`the search ${word}`, { 'query.search': word }, { 'query.search': NOBODYS.mid }, 'success'),
  );
const LIMITS = listed({ limit: '100' }, { limit: '1' });

/** Values that are unique among all acquirers: taken, exactly as if they were the outsider's own. */
const taken = (values: Value[], place: string, own: (me: Outsider) => string): Attempt[] =>
  each(values, `body.${place}`, `/${place.replaceAll('.', '/')} taken`, {
    like: (me) => ({ [`body.${place}`]: own(me) }),
  });
const takenTerminals = (prefix: string): Attempt[] => [
  ...taken(TERMINAL_IDS, `${prefix}terminal_id`, ({ subject }) => subject.terminal_id),
  ...takenSerials(prefix),
];
// Not the serial_no of the terminal that is updated.
const takenSerials = (prefix: string) => taken(SERIALS, `${prefix}serial_no`, ({ archived }) => archived.serial_no);

/** Names that a terminal can have only if its acquirer has them. */
const hiddenNames = (prefix: string): Attempt[] =>
  (['payment_app', 'acquirer_name'] as const).map((name) =>
    at(
      `body.${prefix}${name}`,
      [`the hidden ${name}`, HIDDEN[name], NOBODYS.name],
      `/${prefix.replaceAll('.', '/')}${name} not_found`,
    ),
  );

/** An Idempotency-Key of another acquirer, which must look unused. */
const KEY: Value = ['an Idempotency-Key', KEYED.headers['idempotency-key'], NOBODYS.uuid];
const hiddenKey = at('headers.idempotency-key', KEY, 'success');

/** The response to a create with an acquirer that is no partner, as the other acquirer or in the caller's place. */
const notAPartner = (name: 'payment_provider' | 'distributor') => (me: Outsider) =>
  (name === 'distributor') === (me.type === 'DISTRIBUTOR') ? `/${name} not_yourself` : `/${name} not_a_partner`;

const LOOKUPS = ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'] as const;
/** A search for a hidden text in a lookup. It finds nothing. */
const search = (method: (typeof LOOKUPS)[number], text: string | undefined, known?: Attempt['known']): Attempt =>
  several(
    `the lookup ${method} with the search ${text}`,
    { 'path.method': method, 'query.search': text },
    { 'query.search': NOBODYS.name },
    'success',
    known,
  );

/** A find by these values only, and by values that nobody has. */
const find = (what: string, hidden: Values, nobodys: Values): Attempt =>
  several(what, { 'query.serial_no': undefined, ...hidden }, nobodys, 'not_found');
const findBy = (name: string, values: Value[]): Attempt[] =>
  values.map(([what, value, nobodys]) => find(what, { [`query.${name}`]: value }, { [`query.${name}`]: nobodys }));

/** By operation. One that takes no more than the MID of a branch is not listed. */
const ATTEMPTS: Partial<Record<ApiOperation, Attempt[]>> = {
  listBranches: [
    ...PAGES.map((attempt) => ({ ...attempt, hidden: { ...attempt.hidden, 'query.search': undefined } })),
    ...searches('hidden', HIDDEN.mid, MASTER_MERCHANT_ID),
  ],
  createBranch: [
    ...taken(MIDS, 'mid', ({ subject }) => subject.mid),
    ...takenTerminals('terminals.0.'),
    ...hiddenNames('terminals.0.'),
    at('body.payment_provider', PROVIDER_ID, notAPartner('payment_provider'), { known: isPartner }),
    at('body.payment_provider', DISTRIBUTOR_ID, notAPartner('payment_provider')),
    at('body.distributor', DISTRIBUTOR_ID, notAPartner('distributor'), { known: isNeighbour }),
    at('body.distributor', PROVIDER_ID, notAPartner('distributor')),
    several(
      'the UUID of a master merchant',
      { 'body.existing_master_merchant': MASTER_MERCHANT, 'body.master_merchant_id': undefined },
      { 'body.existing_master_merchant': NOBODYS.uuid },
      '/existing_master_merchant not_found',
    ),
    ...[undefined, NOBODYS.master_merchant_id].map((id) =>
      several(
        `the UUID of a master merchant, its provider, and ${id ? 'an id that is not its' : 'no id'}`,
        {
          'body.payment_provider': PROVIDER.id,
          'body.existing_master_merchant': MASTER_MERCHANT,
          'body.master_merchant_id': id,
        },
        { 'body.existing_master_merchant': NOBODYS.uuid },
        (me) => (isPartner(me) ? '/existing_master_merchant not_found' : notAPartner('payment_provider')(me)),
      ),
    ),
    // The id is unique only under its provider, so it is free under any other. A partner that knows it may join it.
    at(
      'body.master_merchant_id',
      ['the id of a master merchant', MASTER_MERCHANT_ID, NOBODYS.master_merchant_id],
      'success',
      { known: isPartner },
    ),
    several(
      'the id of a master merchant, and its provider',
      { 'body.payment_provider': PROVIDER.id, 'body.master_merchant_id': MASTER_MERCHANT_ID },
      { 'body.master_merchant_id': NOBODYS.master_merchant_id },
      notAPartner('payment_provider'),
      isPartner,
    ),
    several(
      'the MID of a branch, its provider, and what else is taken there',
      {
        'body.mid': HIDDEN.mid,
        'body.payment_provider': PROVIDER.id,
        'body.master_merchant_id': MASTER_MERCHANT_ID,
        'body.terminals.0.terminal_id': HIDDEN.terminal_id,
      },
      {
        'body.mid': NOBODYS.mid,
        'body.master_merchant_id': NOBODYS.master_merchant_id,
        'body.terminals.0.terminal_id': NOBODYS.terminal_id,
      },
      notAPartner('payment_provider'),
      isPartner,
    ),
    hiddenKey,
  ],
  getBranchHistory: [
    ...hiddenBranches('path.mid'),
    ...madeUpCursors('path.mid', 'branch', MID),
    ...hiddenCursors('before'),
    ...LIMITS,
  ],
  listTerminals: [...hiddenBranches('path.id'), ...PAGES],
  createTerminals: [
    ...hiddenBranches('path.id'),
    ...takenTerminals('terminals.0.'),
    ...hiddenNames('terminals.0.'),
    several(
      'the MID of a branch, and its terminal',
      {
        'path.id': HIDDEN.mid,
        'body.terminals.0.terminal_id': HIDDEN.terminal_id,
        'body.terminals.0.serial_no': HIDDEN.serial_no,
      },
      {
        'path.id': NOBODYS.mid,
        'body.terminals.0.terminal_id': NOBODYS.terminal_id,
        'body.terminals.0.serial_no': NOBODYS.serial_no,
      },
      'not_found',
    ),
    hiddenKey,
    several(
      'an Idempotency-Key, and the request that it was given to',
      { path: KEYED.path, body: KEYED.body, 'headers.idempotency-key': KEY[1] },
      { 'headers.idempotency-key': KEY[2] },
      'not_found',
    ),
  ],
  updateTerminal: [
    ...foreign(TIDS, 'path.id'),
    ...takenSerials(''),
    ...hiddenNames(''),
    several(
      'the TID of a terminal, and its serial_no',
      { 'path.id': HIDDEN.tid, 'body.serial_no': HIDDEN.serial_no },
      { 'body.serial_no': NOBODYS.serial_no },
      'not_under_requesting_psp',
    ),
  ],
  deleteTerminal: each(TIDS, 'path.id', 'not_found'),
  archiveTerminal: foreign(TIDS, 'path.id'),
  restoreTerminal: each(TIDS, 'path.id', 'not_found'),
  reassignTerminal: [
    ...foreign(TIDS, 'path.id'),
    ...foreign(MIDS, 'body.mid'),
    ...Object.entries({
      'the MID that it is under': HIDDEN.mid,
      'the MID of another branch': HIDDEN.target,
      'the MID of an archived branch': HIDDEN.past.mid,
      'a MID that nobody has': NOBODYS.mid,
    }).map(
      ([what, mid]): Attempt => ({
        what: `the TID of a terminal, and ${what}`,
        hidden: { 'path.id': HIDDEN.tid, 'body.mid': mid },
        like: ({ subject }) => ({ 'path.id': HIDDEN.tid, 'body.mid': subject.mid }),
        expected: 'not_under_requesting_psp',
      }),
    ),
    hiddenKey,
  ],
  getTerminalHistory: [
    ...each(TIDS, 'path.id', 'not_found'),
    ...each([['the TID of a terminal that is deleted', HIDDEN.deleted.tid, NOBODYS.tid]], 'path.id', 'not_found'),
    // The partner keeps what it has seen.
    at('path.id', ['the TID of a terminal that has moved there', GONE.tid, NOBODYS.tid], 'not_found', {
      known: isPartner,
    }),
    ...madeUpCursors('path.id', 'terminal', ['the TID of a terminal', HIDDEN.tid, NOBODYS.tid]),
    ...madeUpCursors('path.id', 'terminal', ['the TID of a deleted terminal', HIDDEN.deleted.tid, NOBODYS.tid]),
    ...hiddenCursors('before'),
    ...LIMITS,
  ],
  lookup: [
    ...LOOKUPS.map(
      (method): Attempt => ({
        what: `the lookup ${method}`,
        hidden: { 'path.method': method, 'query.search': undefined },
        expected: 'success',
      }),
    ),
    search('paymentProviders', PROVIDER.name, isPartner),
    search('distributors', DISTRIBUTOR.name, isNeighbour),
    search('acquirers', HIDDEN.acquirer_name),
    search('paymentApp', HIDDEN.payment_app),
    search('masterMerchants', HIDDEN.texts['master_merchant_name']),
    search('masterMerchants', MASTER_MERCHANT_ID),
    search('masterMerchants', MASTER_MERCHANT),
    at('query.payment_provider', PROVIDER_ID, 'success', { known: isPartner }),
    at('path.method', PROVIDER_ID, 'not_found'),
  ],
  find: [
    ...findBy('tid', TIDS),
    ...findBy('terminal_id', TERMINAL_IDS),
    ...findBy('serial_no', SERIALS),
    ...findBy('mid', MIDS),
    ...[
      ['the id of a master merchant', MASTER_MERCHANT_ID, NOBODYS.master_merchant_id],
      ['the UUID of a master merchant', MASTER_MERCHANT, NOBODYS.uuid],
    ].map(([what, id, nobodys]) =>
      find(
        `${what}, and its provider`,
        { 'query.master_merchant_id': id, 'query.payment_provider': PROVIDER.id },
        { 'query.master_merchant_id': nobodys },
      ),
    ),
    find(
      'the id of a provider, and an id that it may have given to a master merchant',
      { 'query.master_merchant_id': NOBODYS.master_merchant_id, 'query.payment_provider': PROVIDER.id },
      { 'query.payment_provider': NOBODYS.uuid },
    ),
  ],
  listEvents: [...hiddenCursors('after'), ...LIMITS],
  memberCheck: [
    ...each(TERMINAL_IDS, 'body.terminal_id', 'success'),
    several(
      'the terminal_id of a terminal, and the id of its provider, for any amount',
      {
        'body.terminal_id': HIDDEN.terminal_id,
        'body.acquirer_id': PROVIDER.id,
        'body.amount': 0,
        'body.currency': 'USD',
      },
      { 'body.terminal_id': NOBODYS.terminal_id, 'body.amount': 60, 'body.currency': 'EUR' },
      'success',
    ),
    at('body.acquirer_id', PROVIDER_ID, 'success', { known: isPartner }),
    at('body.acquirer_id', DISTRIBUTOR_ID, 'success'),
    at('body.card_id', ["the card_id of another member's card", OTHER_CARD.card_id, NOBODYS.name], 'success'),
    at(
      'body.card_pseudo_token',
      ["the token of another member's card", OTHER_CARD.card_pseudo_token, NOBODYS.name],
      'success',
    ),
  ],
};

/** Texts that are stored but identify nothing, in all fields of an operation that have some. */
function textsOf(operation: ApiOperation): Values {
  const { terminals, ...fields }: { terminals?: [object] } = requestOf(operation, HIDDEN).body ?? {};
  const named = (place: string, value = {}) =>
    Object.keys(value).flatMap((name) => (HIDDEN.texts[name] ? [[`${place}.${name}`, HIDDEN.texts[name]]] : []));
  return Object.fromEntries([...named('body', fields), ...named('body.terminals.0', terminals?.[0])]);
}

const IDS = ['acquirer', 'acquirer_id', 'payment_provider', 'distributor', 'mid', 'tid', 'terminal_id'];
/** Places that no operation reads but that an attacker may try. */
const ELSEWHERE = {
  headers: [
    ...['authorization', 'cookie', 'forwarded', 'idempotency-key', 'x-acquirer-id', 'x-api-key'],
    ...['x-forwarded-for', 'x-forwarded-user'],
  ],
  query: [...IDS, 'api_key'],
  body: [...IDS, 'branch_order', 'pk'],
};

const ofBranch = (operation: ApiOperation): Attempt[] => ATTEMPTS[operation] ?? hiddenBranches('path.mid');

/** What a change must answer that is only validated, or that depends on a state: the same as without. */
const CONDITIONS: Values[] = [{ 'query.validate_only': 'true' }, { 'headers.if-match': '*' }];
const tried = (operation: ApiOperation): Attempt[] => {
  const [attempt] = ofBranch(operation).filter(({ expected }) => expected !== 'success');
  const conditions = isChange(operation) && attempt ? CONDITIONS.map((more) => under(more, attempt)) : [];
  return [...ofBranch(operation), ...conditions];
};
/** An attempt with further values, which are the same for what it is compared with. */
const under = (more: Values, { what, hidden, like, ...rest }: Attempt): Attempt => ({
  ...rest,
  what: `${what}, with ${Object.keys(more)}`,
  hidden: { ...hidden, ...more },
  like: like && ((me) => ({ ...(typeof like === 'function' ? like(me) : like), ...more })),
});

/** The places of an operation in which hidden values are sent. */
export const placesOf = (operation: ApiOperation): string[] =>
  [...tried(operation).map(({ hidden }) => hidden), textsOf(operation)].flatMap((values) => Object.keys(values));

/** Hidden values in places that identify nothing. Links repeat a query; warnings name parameters and fields. */
function inert(operation: ApiOperation): Attempt {
  const places = placesOf(operation);
  const filled = (parts: (keyof typeof ELSEWHERE)[], { mid, tid, id }: Record<'mid' | 'tid' | 'id', string>): Values =>
    Object.fromEntries(
      parts
        .flatMap((part) => ELSEWHERE[part].map((name) => [`${part}.${name}`, { mid, tid }[name] ?? id] as const))
        .filter(([place]) => !places.includes(place)),
    );
  return {
    what: 'hidden texts, and hidden identifiers in unknown headers, parameters and fields',
    hidden: { ...filled(['headers', 'query', 'body'], { ...HIDDEN, id: PROVIDER.id }), ...textsOf(operation) },
    like: filled(['query', 'body'], { ...NOBODYS, id: NOBODYS.uuid }),
    expected: 'success',
  };
}

/** All attempts of an outsider with an operation. */
export const attemptsOf = (operation: ApiOperation, me: Outsider): Attempt[] =>
  [...tried(operation), inert(operation)].filter(({ known }) => !known?.(me));
