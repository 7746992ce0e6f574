import { type ApiOperation, isOfWebhooks, requestOf, subjectOf } from '../../../infra/publish/contract/calls.ts';
import { routeKey } from '../../../infra/stack/template/definitions.ts';
import type { Request } from '../../support/api.ts';
import { DESCRIBED, isChange, parametersOf } from '../../support/contract.ts';
import { cursorOf } from '../../support/cursors.ts';
import {
  DISTRIBUTOR,
  GONE,
  HIDDEN,
  isNeighbour,
  isPartner,
  KEYED,
  OTHER_CARD,
  type Outsider,
  PROVIDER,
  pastOf,
  REFUSED_KEY,
} from './hidden.ts';
import type { Values } from './reaction.ts';

/** One way to try to access what is hidden. */
export interface Attempt {
  what: string;
  /** Hidden values by their places in a request. The rest is the outsider's own and would succeed. */
  hidden: Values;
  /** Values that must lead to the same response: values that nobody has or, where these must be unique, own ones. */
  like?: Values;
  /** The code of the problem, where the API distinguishes the hidden resource from a missing one. */
  code?: string;
}

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
  url: 'https://hooks.nobody.example/',
};

const MIDS: Value[] = [
  ['the MID of a branch', HIDDEN.mid, NOBODYS.mid],
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
const TIDS: Value[] = [
  ...TERMINALS.map(([what, { tid }]): Value => [`the TID of ${what}`, tid, NOBODYS.tid]),
  ['the TID of a terminal in upper case', HIDDEN.tid.toUpperCase(), NOBODYS.tid],
];
const DELETED: Value = ['the TID of a deleted terminal', HIDDEN.deleted.tid, NOBODYS.tid];
const SERIALS: Value[] = [
  ['the serial_no of a terminal', HIDDEN.serial_no, NOBODYS.serial_no],
  ['the serial_no of an archived terminal', HIDDEN.archived.serial_no, NOBODYS.serial_no],
];
const ACQUIRERS: Value[] = [
  ['the id of the provider', PROVIDER.id, NOBODYS.uuid],
  ['the id of the distributor', DISTRIBUTOR.id, NOBODYS.uuid],
];
const { id: MASTER_MERCHANT_ID, uuid: MASTER_MERCHANT } = HIDDEN.master_merchant;
const NOBODYS_CURSOR = cursorOf({ id: NOBODYS.uuid }, ['events']);
const CURSORS: Value[] = [
  ['the cursor of its events', cursorOf(PROVIDER, ['events']), NOBODYS_CURSOR],
  ['the cursor of the history of its branch', cursorOf(PROVIDER, ['branch', HIDDEN.mid]), NOBODYS_CURSOR],
  ['the cursor of the history of its terminal', cursorOf(PROVIDER, ['terminal', HIDDEN.tid]), NOBODYS_CURSOR],
];
const KEY: Value = ['an Idempotency-Key', KEYED.headers['idempotency-key'], NOBODYS.uuid];

/** The hidden values by the names of parameters and fields. `branch` is a branch in a path. */
const VALUES: Record<string, Value[]> = {
  branch: [...MIDS, ['the TID of a terminal', HIDDEN.tid, NOBODYS.tid]],
  mid: MIDS,
  tid: [...TIDS, DELETED, ['the TID of a terminal that has moved there', GONE.tid, NOBODYS.tid]],
  webhook: [['the id of a webhook', HIDDEN.webhook, NOBODYS.uuid]],
  request_id: [['the id of a refused request', HIDDEN.refused, NOBODYS.uuid]],
  key_id: [['the id of an API key', REFUSED_KEY, 'abababababab']],
  url: [['the URL of a webhook', HIDDEN.texts['url'] as string, NOBODYS.url]],
  terminal_id: TERMINAL_IDS,
  serial_no: SERIALS,
  payment_provider: ACQUIRERS,
  distributor: ACQUIRERS,
  acquirer_id: ACQUIRERS,
  method: ACQUIRERS,
  master_merchant_id: [['the id of a master merchant', MASTER_MERCHANT_ID, NOBODYS.master_merchant_id]],
  existing_master_merchant: [['the UUID of a master merchant', MASTER_MERCHANT, NOBODYS.uuid]],
  payment_app: [['a payment app', HIDDEN.payment_app, NOBODYS.name]],
  acquirer_name: [['a master acquirer', HIDDEN.acquirer_name, NOBODYS.name]],
  search: ['hidden', HIDDEN.mid, MASTER_MERCHANT_ID].map((word) => [`the word ${word}`, word, NOBODYS.mid]),
  after: CURSORS,
  before: CURSORS,
  card_id: [["another member's card", OTHER_CARD.card_id, NOBODYS.name]],
  card_pseudo_token: [["the token of another member's card", OTHER_CARD.card_pseudo_token, NOBODYS.name]],
  'idempotency-key': [KEY],
};
/** What the console searches, and whose activity it lists. */
export const SEARCHED = [...MIDS, ...TIDS, ...TERMINAL_IDS, ...SERIALS, ['a word', 'hidden', NOBODYS.name] as const];
export const WITH_ACTIVITY = { mid: MIDS, tid: TIDS };

/** Names of parameters and fields that identify nothing and whose texts are not stored. */
const PLAIN =
  /^(sort|per_page|page|limit|status|code|operation|from|to|validate_only|if-match|amount|currency|reason)$/;

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}
const fieldsOf = ({ properties, items }: Schema, place: string): string[] => {
  if (items) return fieldsOf(items, `${place}.0`);
  if (!properties) return [place];
  return Object.entries(properties).flatMap(([name, schema]) => fieldsOf(schema, `${place}.${name}`));
};

/** Every parameter and field of an operation. */
function placesOf(operation: ApiOperation): string[] {
  const { requestBody } = DESCRIBED.get(operation) ?? {};
  const fields = requestBody ? fieldsOf(requestBody.content['application/json'].schema, 'body') : [];
  const parameters = parametersOf(operation).map(({ in: part, name }) =>
    part === 'header' ? `headers.${name.toLowerCase()}` : `${part}.${name}`,
  );
  return [...parameters, ...fields];
}

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

/** Whether a value is not hidden from an outsider: ids of partners, and what it has seen itself or joins by its id. */
function isKnown(operation: ApiOperation, place: string, value: string, me: Outsider): boolean {
  if (value === PROVIDER.id || value === MASTER_MERCHANT_ID) return isPartner(me) && place !== 'body.distributor';
  if (value === DISTRIBUTOR.id) return isNeighbour(me) && place !== 'body.payment_provider';
  return value === GONE.tid && isPartner(me) && operation === 'getTerminalHistory';
}

/** Where the API tells a foreign resource from a missing one. */
const isForeign = (operation: ApiOperation, place: string, value: Value): boolean =>
  (place === 'path.id' && /^(update|archive|reassign)Terminal$/.test(operation) && value !== DELETED) ||
  (place === 'body.mid' && operation === 'reassignTerminal' && MIDS.includes(value));

/** The outsider's own value of the same kind, where values are unique among all acquirers. */
function ownOf(operation: ApiOperation, place: string, { subject, archived }: Outsider): string | undefined {
  if (place === 'body.mid' && operation === 'createBranch') return subject.mid;
  if (/^body\..*terminal_id$/.test(place) && operation !== 'memberCheck') return subject.terminal_id;
  // Not the serial_no of the terminal that is updated.
  return /^body\..*serial_no$/.test(place) ? archived.serial_no : undefined;
}

/**
 * Each hidden value in each place that takes one of its kind.
 *
 * @param variants Of several values of a kind, every outsider sends the first, and every second outsider each other.
 */
function single(operation: ApiOperation, me: Outsider, variants: number): Attempt[] {
  const { path = {} } = succeeding(operation, me);
  const isOfTerminal = Object.values(path)[0] === me.tid || operation === 'restoreTerminal';
  const identified = isOfWebhooks(operation) ? 'webhook' : isOfTerminal ? 'tid' : 'branch';
  return placesOf(operation).flatMap((place) => {
    const name = place.split('.').at(-1) as string;
    const values = VALUES[/^path\.m?id$/.test(place) ? identified : name];
    if (!values && !PLAIN.test(name) && !HIDDEN.texts[name]) throw new Error(`No hidden value for ${place}.`);
    // A find takes one identifier.
    const others = operation === 'find' && name !== 'serial_no' ? { 'query.serial_no': undefined } : {};
    return (values ?? [])
      .filter(([, value], at) => !isKnown(operation, place, value, me) && (at === 0 || at % 2 === variants))
      .map((value): Attempt => {
        const [what, hidden, nobodys] = value;
        const more = { what: `${what} in ${place}`, hidden: { [place]: hidden, ...others } };
        if (isForeign(operation, place, value)) return { ...more, code: 'not_under_requesting_psp' };
        return { ...more, like: { [place]: ownOf(operation, place, me) ?? nobodys, ...others } };
      });
  });
}

/** Sends hidden values, of which some are replaced by values that nobody has. */
const several = (what: string, hidden: Values, nobodys: Values): Attempt => ({
  what,
  hidden,
  like: { ...hidden, ...nobodys },
});
/** Lists, which must have nothing hidden. */
const listed = (...queries: Record<string, string | undefined>[]): Attempt[] =>
  queries.map((query) => ({
    what: JSON.stringify(query),
    hidden: Object.fromEntries(Object.entries(query).map(([name, value]) => [`query.${name}`, value])),
  }));
const PAGES = listed(
  { sort: 'asc', per_page: '100', search: undefined },
  { sort: 'desc', per_page: '1', page: '2', search: undefined },
  { sort: 'asc', per_page: '100', page: '1000000000', search: undefined },
);
/** Of refused requests, all of the last minutes. */
const WITHOUT_FILTERS = {
  after: undefined,
  status: undefined,
  code: undefined,
  operation: undefined,
  key_id: undefined,
};
const LIMITS = listed({ limit: '100' }, { limit: '1' });

const LOOKUPS = {
  paymentProviders: PROVIDER.name,
  distributors: DISTRIBUTOR.name,
  acquirers: HIDDEN.acquirer_name,
  paymentApp: HIDDEN.payment_app,
  masterMerchants: HIDDEN.texts['master_merchant_name'],
};

/**
 * Several hidden values at once, and lists without any. A partner may use what is named by the hidden provider's id.
 */
const COMBINED: Partial<Record<ApiOperation, (me: Outsider) => Attempt[]>> = {
  listBranches: () => PAGES,
  listTerminals: () => PAGES,
  listAllTerminals: () => LIMITS,
  listEvents: () => LIMITS,
  listRefusedRequests: () => [
    ...listed({ ...WITHOUT_FILTERS, limit: '100' }, { ...WITHOUT_FILTERS, code: 'already_archived' }),
  ],
  lookup: (me) =>
    Object.entries(LOOKUPS).flatMap(([method, text]) => [
      { what: `the lookup ${method}`, hidden: { 'path.method': method, 'query.search': undefined } },
      ...(text === PROVIDER.name && isPartner(me) ? [] : text === DISTRIBUTOR.name && isNeighbour(me) ? [] : [text])
        .concat(method === 'masterMerchants' ? [MASTER_MERCHANT_ID, MASTER_MERCHANT] : [])
        .map((search) =>
          several(
            `the lookup ${method} with the search ${search}`,
            { 'path.method': method, 'query.search': search },
            { 'query.search': NOBODYS.name },
          ),
        ),
    ]),
  createBranch: (me) => [
    several(
      'the UUID of a master merchant alone',
      { 'body.existing_master_merchant': MASTER_MERCHANT, 'body.master_merchant_id': undefined },
      { 'body.existing_master_merchant': NOBODYS.uuid },
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
      ),
    ),
    ...(isPartner(me)
      ? []
      : [
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
          ),
        ]),
  ],
  createTerminals: () => [
    several(
      'the MID of a branch, and its terminal',
      { 'path.id': HIDDEN.mid, 'body.terminals.0.terminal_id': HIDDEN.terminal_id },
      { 'path.id': NOBODYS.mid, 'body.terminals.0.terminal_id': NOBODYS.terminal_id },
    ),
    several(
      'an Idempotency-Key, and the request that it was given to',
      { path: KEYED.path, body: KEYED.body, 'headers.idempotency-key': KEY[1] },
      { 'headers.idempotency-key': KEY[2] },
    ),
  ],
  updateTerminal: () => [
    several(
      'the TID of a terminal, and its serial_no',
      { 'path.id': HIDDEN.tid, 'body.serial_no': HIDDEN.serial_no },
      { 'body.serial_no': NOBODYS.serial_no },
    ),
  ],
  reassignTerminal: ({ subject }) =>
    [HIDDEN.mid, HIDDEN.target, HIDDEN.past.mid, NOBODYS.mid].map((mid) =>
      several(
        `the TID of a terminal, and the MID ${mid}`,
        { 'path.id': HIDDEN.tid, 'body.mid': mid },
        { 'body.mid': subject.mid },
      ),
    ),
  getBranchHistory: (me) => [...madeUp(me, 'path.mid', 'branch', MIDS[0] as Value), ...LIMITS],
  getTerminalHistory: (me) => [
    ...[TIDS[0] as Value, DELETED].flatMap((value) => madeUp(me, 'path.id', 'terminal', value)),
    ...LIMITS,
  ],
  find: () =>
    [
      [MASTER_MERCHANT_ID, NOBODYS.master_merchant_id],
      [MASTER_MERCHANT, NOBODYS.uuid],
    ].map(([id, nobodys]) =>
      several(
        `the id of a provider, and ${id}`,
        {
          'query.serial_no': undefined,
          'query.master_merchant_id': id,
          'query.payment_provider': PROVIDER.id,
        },
        { 'query.master_merchant_id': nobodys },
      ),
    ),
  memberCheck: () => [
    several(
      'the terminal_id of a terminal, and the id of its provider, for any amount',
      { 'body.terminal_id': HIDDEN.terminal_id, 'body.acquirer_id': PROVIDER.id, 'body.amount': 0 },
      { 'body.terminal_id': NOBODYS.terminal_id, 'body.amount': 60 },
    ),
  ],
};

/** A foreign resource with a cursor of the outsider's own that would fit it. */
const madeUp = (me: Outsider, place: string, kind: 'branch' | 'terminal', [what, value, nobodys]: Value): Attempt[] => [
  several(
    `${what} in ${place}, and a made-up cursor`,
    { [place]: value, 'query.before': cursorOf(me, [kind, value]) },
    { [place]: nobodys, 'query.before': cursorOf(me, [kind, nobodys]) },
  ),
];

const IDS = ['acquirer', 'acquirer_id', 'payment_provider', 'distributor', 'mid', 'tid', 'terminal_id'];
/** Places that no operation reads but that an attacker may try. */
const ELSEWHERE = [
  ...['authorization', 'cookie', 'forwarded', 'idempotency-key', 'x-acquirer-id', 'x-api-key'].map(
    (name) => `headers.${name}`,
  ),
  ...['x-forwarded-for', 'x-forwarded-user'].map((name) => `headers.${name}`),
  ...[...IDS, 'api_key'].map((name) => `query.${name}`),
  ...[...IDS, 'branch_order', 'pk'].map((name) => `body.${name}`),
];

/**
 * Hidden values in places that identify nothing. Links repeat a query; warnings name parameters and fields. Unknown
 * parameters of what is not only read are refused.
 */
function inert(operation: ApiOperation): Attempt {
  const places = placesOf(operation);
  const isRead = routeKey(operation).startsWith('GET');
  const elsewhere = ELSEWHERE.filter((place) => !places.includes(place) && (isRead || !place.startsWith('query.')));
  const filled = ({ mid, tid, id }: Record<'mid' | 'tid' | 'id', string>): Values =>
    Object.fromEntries(elsewhere.map((place) => [place, { mid, tid }[place.split('.')[1] as 'mid'] ?? id]));
  const texts = places.flatMap((place) => {
    const text = HIDDEN.texts[place.split('.').at(-1) as string];
    return text && place.startsWith('body.') ? [[place, text]] : [];
  });
  return {
    what: 'hidden texts, and hidden identifiers in unknown headers, parameters and fields',
    hidden: { ...filled({ ...HIDDEN, id: PROVIDER.id }), ...Object.fromEntries(texts) },
    like: filled({ ...NOBODYS, id: NOBODYS.uuid }),
  };
}

/** A change that is only validated, or that depends on a state, has the same response. */
const CONDITIONS: Values[] = [{ 'query.validate_only': 'true' }, { 'headers.if-match': '*' }];
const conditional = ({ what, hidden, like, ...rest }: Attempt): Attempt[] =>
  CONDITIONS.map((more) => ({
    ...rest,
    what: `${what}, with ${Object.keys(more)}`,
    hidden: { ...hidden, ...more },
    ...(like && { like: { ...like, ...more } }),
  }));

/** All attempts of an outsider with an operation, with these variants of values: see {@link single}. */
export function attemptsOf(operation: ApiOperation, me: Outsider, variants: number): Attempt[] {
  const attempts = [...single(operation, me, variants), ...(COMBINED[operation]?.(me) ?? [])];
  const [first] = attempts;
  return [...attempts, ...(isChange(operation) && first ? conditional(first) : []), inert(operation)];
}
