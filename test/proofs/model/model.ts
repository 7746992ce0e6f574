import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import {
  BRANCH_ARCHIVED,
  FOREIGN_TERMINAL,
  INVALID_IDEMPOTENCY_KEY,
  INVALID_KEY,
  MALFORMED,
  NO_BRANCH,
  NO_MASTER_ACQUIRER,
  NO_PAYMENT_APP,
  NO_TERMINAL,
  NOTHING_FOUND,
  REUSED,
  unknownField,
  unknownParameter,
} from '../../support/constants.ts';
import type { Operation } from '../../support/invoke.ts';
import { type Code, TITLES } from '../../support/promised.ts';
import { cleaned, type FieldError, fieldErrorsOf, inOneCase, meaningOf, takesBody, unknownFields } from './bodies.ts';

/*
 * The interface in memory, plain and slow: what every operation answers, and what is there afterwards. It shares nothing with
 * lib/, and goes about things in other ways where there are any: it counts what lib/ keeps counts of, and archiving a
 * branch archives each of its terminals.
 */

/** Said again, not imported: another namespace would orphan every terminal and master merchant. */
const NAMESPACE = '6a3ff0c5-4f0e-5d0c-9b57-0a4b8d2f6c11';
/** The TID of a terminal. */
export const tidOf = (terminalId: string): string => uuidV5(`TERMINAL#${terminalId}`, NAMESPACE);
/** The UUID of a provider's master merchant. */
export const businessOf = (provider: string, id: string): string =>
  uuidV5(`MASTER_MERCHANT#${provider}#${id}`, NAMESPACE);

interface Acquirer {
  id: string;
  type: 'DISTRIBUTOR' | 'PAYMENT_PROVIDER';
  name: string;
  /** Ids of the acquirers of the other type that it acts with. */
  partners: string[];
  paymentApps: string[];
  masterAcquirers: string[];
  /** The API key that it calls with. */
  key: { key_id: string; key_label: string };
}

interface Reward {
  reward_id: string;
  name: string;
  currency: string;
  minimum_amount: number;
  valid_from: string;
  expires_at: string;
}

/** A loyalty member's card. */
export interface Card {
  card_id: string;
  card_pseudo_token: string;
  rewards: Reward[];
}

/** A master merchant. */
interface Business {
  uuid: string;
  payment_provider: string;
  id: string;
  name: string | null;
  details: Record<'email' | 'country_code' | 'phone' | 'mcc' | 'country', string | null>;
  visibleTo: string[];
}

interface Branch {
  mid: string;
  merchant_name: string | null;
  area: string | null;
  city: string | null;
  business: string;
  payment_provider: string;
  distributor: string | null;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
}

interface Terminal {
  tid: string;
  terminal_id: string;
  serial_no: string | null;
  terminal_model: string | null;
  payment_app: string | null;
  acquirer_name: string | null;
  mid: string;
  created_at: string;
  /** Its place in the request that created it. */
  place: number;
  updated_at: string;
  archived: { at: string; reason: string; withBranch: boolean } | null;
}

/** What an acquirer sees of a change. */
interface View {
  viewer: string;
  type: string;
  branch: { mid: string; status: string };
  data: unknown;
  changes: object | null;
}

/** A change of a branch or of terminals. It stays as it is, so that states share it. */
interface Change {
  request_id: string;
  author: string;
  at: string;
  /** The branches in whose histories it is, and the terminals. */
  mids: string[];
  tids: string[];
  /** The terminals were created by it. */
  isCreation: boolean;
  views: View[];
}

/** All that is there. */
export interface State {
  acquirers: Acquirer[];
  cards: Card[];
  businesses: Business[];
  branches: Branch[];
  terminals: Terminal[];
  /** What was answered to requests with an Idempotency-Key. */
  kept: { caller: string; key: string; request: string; response: ApiResponse }[];
  /** All changes, by the ids of their requests: in that order, calls at once end in one state whichever came first. */
  changes: Change[];
}

export interface Call {
  operation: Operation;
  /** Id of the acquirer whose API key is sent; without one, the key is nobody's. */
  caller: string | undefined;
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** A string is sent as it is. */
  body: unknown;
  /** What the cursor in its query is. */
  cursor?: Cursor | undefined;
}

/** A cursor that a response gave to its caller. */
export interface Cursor extends Pick<Call, 'operation' | 'caller' | 'path'> {
  text: string;
  /** The id of the event that it is at, or the time. */
  place: string;
}

export interface ApiResponse {
  status: number;
  location: string | null;
  /** Whether it says that it was given before. */
  isReplayed: boolean;
  /** A problem has no request_id here. */
  body: unknown;
}

/** What only the service can tell, as no model can know it. */
export interface Times {
  /** When its call began, and when it had ended. */
  began: string;
  ended: string;
  /** The time of the change, or to which a page of events is complete that has all that there is. */
  told: string;
  request_id: string;
}

interface Ask {
  caller: Acquirer;
  path: Record<string, string>;
  query: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a body that has no faults is what its rules say
  body: any;
  times: Times;
  cursor: Cursor | undefined;
  /** What a list reads its items from: see {@link responseOf}. */
  items: State;
}

class Refusal extends Error {
  readonly response: ApiResponse;

  constructor(code: Code, detail: string, errors?: FieldError[]) {
    super(detail);
    const [status, title] = TITLES[code];
    const type = `https://api.example.com/docs/errors/${code}`;
    this.response = {
      status,
      location: null,
      isReplayed: false,
      body: { type, title, status, detail, code, ...(errors && { errors }) },
    };
  }
}

/** Faults are told in no promised order. */
export const byPointer = (a: FieldError, b: FieldError): number => (a.pointer < b.pointer ? -1 : 1);

function expectFieldErrors(errors: FieldError[]): void {
  if (errors.length === 0) return;
  const count = errors.length === 1 ? '1 fault' : `${errors.length} faults`;
  throw new Refusal('validation_failed', `The request body has ${count}; see errors.`, errors.sort(byPointer));
}

const BASE_URL = 'https://api.example.com';
const ok = (data: unknown): ApiResponse => ({ status: 200, location: null, isReplayed: false, body: { data } });
const created = (data: unknown, path: string): ApiResponse => ({
  ...ok(data),
  status: 201,
  location: BASE_URL + path,
});

/** The time of a change, which is none of the times before it. */
function changed({ began, told }: Times, ...notBefore: string[]): string {
  const earliest = [began, ...notBefore].sort().at(-1) as string;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(told) && told >= earliest ? told : `from ${earliest} on`;
}

/** Notes a change; both acquirers of its branch see the same of it. */
function record(
  s: State,
  { caller, times }: Pick<Ask, 'caller' | 'times'>,
  branch: Branch,
  {
    at,
    type,
    terminals,
    data,
    changes = null,
  }: Pick<Change, 'at'> & Pick<View, 'type' | 'data'> & { terminals: Terminal[]; changes?: object | null },
  more: Partial<Change> = {},
): void {
  const views = viewersOf(branch).map((viewer) => ({ viewer, type, branch: placeOf(branch), data, changes }));
  s.changes.push({
    ...{
      request_id: times.request_id,
      author: caller.id,
      at,
      mids: [branch.mid],
      tids: terminals.map(({ tid }) => tid),
    },
    ...{ isCreation: type.endsWith('created'), views },
    ...more,
  });
  s.changes.sort((a, b) => (a.request_id < b.request_id ? -1 : 1));
}

const viewersOf = ({ payment_provider, distributor }: Branch): string[] =>
  distributor ? [payment_provider, distributor] : [payment_provider];
const placeOf = ({ mid, archived_at }: Branch) => ({ mid, status: archived_at ? 'archived' : 'active' });

/** An event as one of those is shown it who see it. */
function showEvent(s: State, { request_id, author, at }: Change, { viewer, ...shown }: View) {
  const random = createHash('sha256').update(request_id).digest().subarray(0, 16);
  const key = s.acquirers.find(({ id }) => id === author)?.key;
  return {
    ...{ id: uuidV7({ msecs: Date.parse(at), random }), at, request_id, ...shown },
    by: { acquirer: author, ...(viewer === author ? key : { key_id: null, key_label: null }) },
  };
}

/** The events of some changes that an acquirer sees, the oldest first. */
const eventsOf = (s: State, { id }: Acquirer, isAbout: (change: Change) => boolean = () => true) =>
  s.changes
    .filter(isAbout)
    .flatMap((change) => change.views.filter(({ viewer }) => viewer === id).map((view) => showEvent(s, change, view)))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** A cursor's text, in the model's form: it can be any. */
export const CURSOR = 'a cursor';

/** The limit of a list of events and the place of its cursor, if it has one. */
function rangeOf(operation: Operation, parameter: 'after' | 'before', { query, path, caller, cursor }: Ask) {
  const { [parameter]: text, limit } = query;
  const noCursor = `${parameter}: Must be a cursor from this list.`;
  const wrong = limit === undefined ? undefined : wrongNumber(limit, 100);
  const fieldErrors = [
    ...(text === undefined || /^[\w-]{1,128}$/.test(text) ? [] : [noCursor]),
    ...(wrong ? [`limit: ${wrong}`] : []),
  ];
  if (fieldErrors.length > 0) throw new Refusal('invalid_query', fieldErrors.join(' '));
  const isOwn =
    cursor?.text === text &&
    cursor?.operation === operation &&
    cursor.caller === caller.id &&
    Object.values(cursor.path).map(inOneCase).join() === Object.values(path).join();
  const isNow = parameter === 'after' && text === 'now';
  if (text !== undefined && !isNow && !isOwn) throw new Refusal('invalid_query', noCursor);
  return { most: Number(limit ?? (parameter === 'after' ? 100 : 20)), place: isOwn ? cursor.place : undefined };
}

/** A page of a history. */
function historyPage(operation: Operation, ask: Ask, isAbout: (change: Change) => boolean): ApiResponse {
  const { most, place = '~' } = rangeOf(operation, 'before', ask);
  const events = eventsOf(ask.items, ask.caller, isAbout).reverse();
  const left = events.filter(({ id }) => id < place);
  return { ...ok(undefined), body: { data: left.slice(0, most), meta: { next: left.length > most ? CURSOR : null } } };
}

const after = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

const branchOf = (s: State, mid: string): Branch | undefined => s.branches.find((each) => each.mid === mid);
const mayUse = (branch: Branch, { id }: Acquirer): boolean =>
  [branch.payment_provider, branch.distributor].includes(id);
const terminalsOf = (s: State, { mid }: Branch): Terminal[] => s.terminals.filter((each) => each.mid === mid);

function accessibleBranch(s: State, mid: string, caller: Acquirer): Branch {
  const branch = branchOf(s, mid);
  if (!branch || !mayUse(branch, caller)) throw new Refusal('not_found', NO_BRANCH);
  return branch;
}

const noTerminal = () => new Refusal('not_found', NO_TERMINAL);
const foreignTerminal = () => new Refusal('not_under_requesting_psp', FOREIGN_TERMINAL);

/** A terminal and its branch; `foreign` says what it is when somebody else has them. */
function accessibleTerminal(
  s: State,
  tid: string,
  caller: Acquirer,
  foreign: () => Refusal,
): { terminal: Terminal; branch: Branch } {
  const terminal = s.terminals.find((each) => each.tid === tid.toLowerCase());
  if (!terminal) throw noTerminal();
  const branch = branchOf(s, terminal.mid) as Branch;
  if (!mayUse(branch, caller)) throw foreign();
  return { terminal, branch };
}

function refuseArchived({ archived_at }: Branch): void {
  if (archived_at) throw new Refusal('branch_archived', BRANCH_ARCHIVED);
}

function showListed(s: State, branch: Branch) {
  const { mid, merchant_name, area, city, created_at, archived_at } = branch;
  const business = s.businesses.find(({ uuid }) => uuid === branch.business) as Business;
  return {
    ...{ mid, merchant_name, area, city, created_at },
    master_merchant_name: business.name,
    master_merchant_id: business.id,
    status: archived_at ? 'archived' : 'active',
  };
}

const showBranch = (s: State, branch: Branch) => ({
  ...showListed(s, branch),
  existing_master_merchant: branch.business,
  payment_provider: branch.payment_provider,
  distributor: branch.distributor,
  terminal_count: terminalsOf(s, branch).length,
  updated_at: branch.updated_at,
  archived_at: branch.archived_at,
});

/** What a body says of a new master merchant beside its id and name. */
const detailsOf = ({ email = null, country_code = null, phone = null, mcc = null, country = null }) => ({
  ...{ email, country_code, phone, mcc, country },
});

const showBusiness = ({ uuid, payment_provider, id, name, details }: Business) => ({
  existing_master_merchant: uuid,
  master_merchant_id: id,
  master_merchant_name: name,
  payment_provider,
  ...details,
});

/** When a terminal last changed, be it with its branch. */
const changedAt = ({ archived, updated_at }: Terminal): string =>
  archived?.withBranch && archived.at > updated_at ? archived.at : updated_at;

function showTerminal(each: Terminal) {
  const { place, archived, ...terminal } = each;
  return {
    ...terminal,
    updated_at: changedAt(each),
    status: archived ? 'archived' : 'active',
    archived_at: archived?.at ?? null,
    archive_reason: archived?.reason ?? null,
  };
}

/** What there is to say of a terminal that is gone. */
const showDeleted = ({ tid, terminal_id }: Terminal) => ({ tid, terminal_id });

/** Faults of names that the caller does not have. */
function unknownNames(caller: Acquirer, { payment_app, acquirer_name }: Partial<Terminal>, at = ''): FieldError[] {
  const fieldErrors: FieldError[] = [];
  const code = 'not_found';
  if (payment_app && !caller.paymentApps.includes(payment_app))
    fieldErrors.push({ pointer: `${at}/payment_app`, code, detail: NO_PAYMENT_APP });
  if (acquirer_name && !caller.masterAcquirers.includes(acquirer_name))
    fieldErrors.push({ pointer: `${at}/acquirer_name`, code, detail: NO_MASTER_ACQUIRER });
  return fieldErrors;
}

const taken = (pointer: string, detail: string): FieldError => ({ pointer, code: 'taken', detail });

/** Faults of new terminals of which somebody has the id or the serial. */
const takenByTerminals = (s: State, news: { terminal_id: string; serial_no?: string | null }[]): FieldError[] =>
  news.flatMap(({ terminal_id, serial_no }, at) => [
    ...(s.terminals.some((each) => each.terminal_id === terminal_id)
      ? [taken(`/terminals/${at}/terminal_id`, 'Another terminal has this terminal_id.')]
      : []),
    ...(serial_no && s.terminals.some((each) => each.serial_no === serial_no)
      ? [taken(`/terminals/${at}/serial_no`, 'Another terminal has this serial_no.')]
      : []),
  ]);

function addTerminals(s: State, mid: string, news: Partial<Terminal>[], time: string): Terminal[] {
  const terminals = news.map(
    ({ terminal_id = '', serial_no, terminal_model, payment_app, acquirer_name }, place): Terminal => ({
      tid: tidOf(terminal_id),
      terminal_id,
      serial_no: serial_no ?? null,
      terminal_model: terminal_model ?? null,
      payment_app: payment_app ?? null,
      acquirer_name: acquirer_name ?? null,
      mid,
      created_at: time,
      place,
      updated_at: time,
      archived: null,
    }),
  );
  s.terminals.push(...terminals);
  return terminals;
}

/** What each query parameter of a list must be, and what it is when it is not given. */
const QUERY: Record<string, { absent: string; wrong: (value: string) => string | undefined }> = {
  sort: { absent: 'desc', wrong: (value) => (/^(asc|desc)$/.test(value) ? undefined : 'Must be asc or desc.') },
  per_page: { absent: '10', wrong: (value) => wrongNumber(value, 100) },
  page: { absent: '1', wrong: (value) => wrongNumber(value, Number.MAX_SAFE_INTEGER) },
};

function wrongNumber(value: string, most: number): string | undefined {
  if (!/^\d+$/.test(value)) return 'Must be a whole number.';
  if (Number(value) < 1) return 'Must be at least 1.';
  return Number(value) > most ? `Must be at most ${most}.` : undefined;
}

function refuseQuery(query: Record<string, string>): void {
  const fieldErrors = Object.entries(QUERY).flatMap(([name, { wrong }]) => {
    const failure = query[name] === undefined ? undefined : wrong(query[name]);
    return failure ? [`${name}: ${failure}`] : [];
  });
  if (fieldErrors.length > 0) throw new Refusal('invalid_query', fieldErrors.join(' '));
}

/**
 * A page of a list whose items stand in ascending order; `total` may be of another moment than they are. The page has its
 * place by the `total`; in descending order counted from the end that it is nearer to.
 */
function listPage(path: string, query: Record<string, string>, total: number, items: unknown[]): ApiResponse {
  const asked = (name: string): string => query[name] ?? QUERY[name]?.absent ?? '';
  const [page, per_page] = [Number(asked('page')), Number(asked('per_page'))];
  const skipped = (page - 1) * per_page;
  const sorted = asked('sort') === 'asc' ? items : items.toReversed();
  const behind = Math.max(0, total - skipped - per_page);
  const fromStart = sorted.slice(skipped, Math.min(skipped + per_page, total));
  const fromEnd = sorted
    .toReversed()
    .slice(behind, total - skipped)
    .toReversed();
  const data = asked('sort') === 'desc' && skipped > behind ? fromEnd : fromStart;
  const last = Math.max(1, Math.ceil(total / per_page));
  const link = (to: number) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(to));
    return `${BASE_URL}${path}?${parameters}`;
  };
  const prev = page > last ? last : page - 1;
  return {
    ...ok(undefined),
    body: {
      data: skipped >= total ? [] : data,
      links: {
        first: link(1),
        last: link(last),
        prev: page === 1 ? null : link(prev),
        next: page >= last ? null : link(page + 1),
      },
      meta: { current_page: page, per_page, total },
    },
  };
}

const bySortKey = (a: Terminal, b: Terminal): number => {
  const [one, other] = [a, b].map(
    ({ created_at, place, tid }) => `${created_at} ${String(place).padStart(2, '0')} ${tid}`,
  );
  return (one as string) < (other as string) ? -1 : 1;
};

/** Of branches that were created in the same millisecond, the one with the lower MID comes first. */
const byCreation = (one: Branch, other: Branch): number => {
  const [a, b] = [one, other].map(({ created_at, mid }) => `${created_at} ${mid}`);
  return (a as string) < (b as string) ? -1 : 1;
};

/** An item of a lookup, and what else a search finds it by, or a filter knows it by. */
interface Item {
  key: string;
  text: string;
  id?: string;
  provider?: string;
}
const IDENTIFIERS = ['tid', 'terminal_id', 'serial_no', 'mid', 'master_merchant_id'];

/** The one identifier of a query, and what it is. */
function identifierOf(query: Record<string, string>, caller: Acquirer): [by: string, id: string] {
  const given = IDENTIFIERS.filter((name) => query[name] !== undefined);
  const { master_merchant_id, payment_provider } = query;
  const fieldErrors = [...IDENTIFIERS, 'payment_provider']
    .filter((name) => query[name]?.trim() === '')
    .map((name) => `${name}: Must not be empty.`);
  if (given.length !== 1) fieldErrors.push(`Send exactly one of ${IDENTIFIERS.join(', ')}.`);
  if (payment_provider?.trim() && master_merchant_id === undefined)
    fieldErrors.push('payment_provider: Allowed only with master_merchant_id.');
  if (caller.type === 'DISTRIBUTOR' && master_merchant_id !== undefined && payment_provider === undefined)
    fieldErrors.push('payment_provider: Is required with master_merchant_id.');
  if (fieldErrors.length > 0) throw new Refusal('invalid_query', fieldErrors.join(' '));
  const [by = ''] = given;
  return [by, query[by]?.trim() ?? ''];
}

type Lookup = (s: State, caller: Acquirer) => Item[];
const named = (names: string[]) => names.map((name) => ({ key: name, text: name }));

/** The caller itself on its own side of partnerships, its partners on the other. */
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

/** What a create may say of a master merchant besides its id and its name. */
const DETAILS = ['email', 'country_code', 'phone', 'mcc', 'country'];

/** All operations. They change the state that they are given. */
const OPERATIONS: Record<Operation, (s: State, ask: Ask) => ApiResponse> = {
  listBranches(s, { caller, query, items }) {
    refuseQuery(query);
    // None ever goes, so each is there when they are shown, if not yet when they are counted.
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
      // Nothing else is told: it would show what strangers have.
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
    const details = Object.fromEntries(DETAILS.flatMap((name) => (body[name] ? [[name, body[name]]] : [])));
    const isVisible = known && (known.visibleTo.includes(caller.id) || known.id === id);
    if (isVisible) {
      const stored: Record<string, unknown> = {
        ...known.details,
        ...{ master_merchant_id: known.id, master_merchant_name: known.name },
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
      ...{ uuid, payment_provider, id: id as string, name: body.master_merchant_name ?? null },
      details: detailsOf(body),
      visibleTo: [payment_provider],
    };
    if (!known) s.businesses.push(business);
    if (distributor) business.visibleTo.push(distributor);
    const branch: Branch = {
      mid: body.mid,
      merchant_name: body.branch_name ?? null,
      area: body.area ?? null,
      city: body.city ?? null,
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

  archiveBranch(s, { caller, path: { mid = '' }, times }) {
    const branch = accessibleBranch(s, mid, caller);
    if (branch.archived_at) throw new Refusal('already_archived', 'The branch is already archived.');
    const at = changed(times, after(branch.updated_at));
    branch.archived_at = at;
    branch.updated_at = at;
    for (const terminal of terminalsOf(s, branch))
      terminal.archived ??= { at, reason: 'Archived with its branch.', withBranch: true };
    const data = showBranch(s, branch);
    record(s, { caller, times }, branch, { at, type: 'branch.archived', terminals: [], data });
    return ok(data);
  },

  listTerminals(s, { caller, path: { id = '' }, query, items }) {
    refuseQuery(query);
    const branch = accessibleBranch(s, id, caller);
    // The branch is read first, and says what is archived with it.
    const show = (each: Terminal) =>
      showTerminal(each.archived?.withBranch && !branch.archived_at ? { ...each, archived: null } : each);
    return listPage(
      `/ext/api/v1/terminals/${id}`,
      query,
      terminalsOf(s, branch).length,
      terminalsOf(items, branch).sort(bySortKey).map(show),
    );
  },

  createTerminals(s, { caller, path: { id = '' }, body, times }) {
    const branch = accessibleBranch(s, id, caller);
    refuseArchived(branch);
    const terminals: Terminal[] = body.terminals;
    expectFieldErrors([
      ...terminals.flatMap((each, at) => unknownNames(caller, each, `/terminals/${at}`)),
      ...takenByTerminals(s, terminals),
    ]);
    const at = changed(times, after(branch.updated_at));
    const added = addTerminals(s, id, terminals, at);
    const data = added.map(showTerminal);
    record(s, { caller, times }, branch, { at, type: 'terminals.created', terminals: added, data });
    return created(data, `/ext/api/v1/terminals/${id}`);
  },

  updateTerminal(s, { caller, path: { id = '' }, body, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, foreignTerminal);
    const fieldErrors = unknownNames(caller, body);
    if (body.serial_no && s.terminals.some((each) => each !== terminal && each.serial_no === body.serial_no))
      fieldErrors.push(taken('/serial_no', 'Another terminal has this serial_no.'));
    expectFieldErrors(fieldErrors);
    const fields = ['serial_no', 'terminal_model', 'payment_app', 'acquirer_name'] as const;
    const different = fields.filter((name) => body[name] !== undefined && body[name] !== terminal[name]);
    if (different.length === 0) return ok(showTerminal(terminal));
    const changes = Object.fromEntries(different.map((name) => [name, terminal[name]]));
    for (const name of different) terminal[name] = body[name];
    // Of an archiving of the branch at the same moment it may know nothing yet.
    const at = changed(times, after(terminal.updated_at));
    terminal.updated_at = at;
    const data = showTerminal(terminal);
    record(s, { caller, times }, branch, { at, type: 'terminal.updated', terminals: [terminal], data, changes });
    return ok(data);
  },

  deleteTerminal(s, { caller, path: { id = '' }, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, noTerminal);
    s.terminals.splice(s.terminals.indexOf(terminal), 1);
    const data = showDeleted(terminal);
    const at = changed(times, after(changedAt(terminal)), after(branch.updated_at));
    record(s, { caller, times }, branch, { at, type: 'terminal.deleted', terminals: [terminal], data });
    return ok(data);
  },

  archiveTerminal(s, { caller, path: { id = '' }, body, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, foreignTerminal);
    if (terminal.archived) throw new Refusal('already_archived', 'The terminal is already archived.');
    const at = changed(times, after(changedAt(terminal)));
    terminal.archived = { at, reason: body.reason, withBranch: false };
    terminal.updated_at = at;
    const data = showTerminal(terminal);
    record(s, { caller, times }, branch, { at, type: 'terminal.archived', terminals: [terminal], data });
    return ok(data);
  },

  restoreTerminal(s, { caller, path: { id = '' }, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, noTerminal);
    if (!terminal.archived) throw new Refusal('not_archived', 'The terminal is not archived.');
    const at = changed(times, after(changedAt(terminal)));
    terminal.updated_at = at;
    terminal.archived = null;
    const data = showTerminal(terminal);
    record(s, { caller, times }, branch, { at, type: 'terminal.restored', terminals: [terminal], data });
    return ok(data);
  },

  reassignTerminal(s, { caller, path: { id = '' }, body, times }) {
    const { terminal, branch } = accessibleTerminal(s, id, caller, foreignTerminal);
    const target = branchOf(s, body.mid);
    if (!target) throw new Refusal('not_found', 'No branch with the target MID exists.');
    if (!mayUse(target, caller) || target.payment_provider !== branch.payment_provider)
      throw new Refusal(
        'not_under_requesting_psp',
        'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
      );
    if (target === branch)
      throw new Refusal('already_under_target_mid', 'The terminal is already under the target MID.');
    refuseArchived(target);
    terminal.mid = target.mid;
    const at = changed(times, after(changedAt(terminal)));
    terminal.updated_at = at;
    if (terminal.archived) terminal.archived.withBranch = false;
    const data = showTerminal(terminal);
    const [leavers, takers] = [viewersOf(branch), viewersOf(target)];
    const left = { type: 'terminal.left', branch: placeOf(branch), data: showDeleted(terminal), changes: null };
    const joined = { type: 'terminal.joined', branch: placeOf(target), data, changes: null };
    const moved = { ...joined, type: 'terminal.reassigned', changes: { mid: branch.mid } };
    const views = [...new Set([...leavers, ...takers])].map((viewer) => {
      const seen = leavers.includes(viewer) ? moved : joined;
      return { viewer, ...(takers.includes(viewer) ? seen : left) };
    });
    const event = { at, type: 'terminal.reassigned', terminals: [terminal], data };
    record(s, { caller, times }, target, event, { mids: [branch.mid, target.mid], views });
    return ok(data);
  },

  listEvents(s, ask) {
    const { caller, query, times } = ask;
    const { most, place = '' } = rangeOf('listEvents', 'after', ask);
    const isTime = place.includes('T');
    // Until when it shows events, only the response of a page tells that has them all.
    const { began, ended, told } = times;
    const end = began <= told && told <= ended ? told : ended;
    const shown = eventsOf(s, caller).filter(
      ({ id, at }) => at < end && query['after'] !== 'now' && (isTime ? at >= place : id > place),
    );
    const data = shown.slice(0, most);
    const isFull = data.length === most;
    const complete_to = isFull ? data.at(-1)?.at : end;
    return { ...ok(undefined), body: { data, meta: { next: CURSOR, up_to_date: !isFull, complete_to } } };
  },

  getBranchHistory(s, ask) {
    const { mid = '' } = ask.path;
    const page = historyPage('getBranchHistory', ask, ({ mids }) => mids.includes(mid));
    accessibleBranch(s, mid, ask.caller);
    return page;
  },

  getTerminalHistory(s, ask) {
    const { caller, path, items } = ask;
    const id = path['id'] ?? '';
    const isAbout = ({ tids }: Change) => tids.includes(id);
    const page = historyPage('getTerminalHistory', ask, isAbout);
    if (s.terminals.some(({ tid }) => tid === id)) accessibleTerminal(s, id, caller, noTerminal);
    else {
      const [last] = items.changes
        .filter((change) => isAbout(change) && !change.isCreation)
        .sort((a, b) => (a.at < b.at ? 1 : -1));
      const isMine = ({ viewer, type }: View) => viewer === caller.id && type === 'terminal.deleted';
      if (!last?.views.some(isMine)) throw noTerminal();
    }
    return page;
  },

  lookup(s, { caller, path: { method = '' }, query }) {
    const lookup = LOOKUPS[method];
    if (!lookup) throw new Refusal('not_found', `Unknown lookup. Use one of ${Object.keys(LOOKUPS).join(', ')}.`);
    const wanted = query['search']?.trim().toLowerCase() ?? '';
    const only = method === 'masterMerchants' ? query['payment_provider'] : undefined;
    const items = lookup(s, caller)
      .filter(({ text, id = '' }) => [text, id].some((each) => each.toLowerCase().includes(wanted)))
      .filter(({ provider }) => !only || provider === only)
      .map(({ key, text }) => ({ key, text }));
    return ok(
      items.sort((a, b) => a.text.localeCompare(b.text, 'en', { sensitivity: 'base' }) || (a.key < b.key ? -1 : 1)),
    );
  },

  find(s, { caller, query }) {
    const [by, id] = identifierOf(query, caller);
    const found = (type: string, data: object): ApiResponse => ({ ...ok(undefined), body: { data, type } });
    const provider = (query['payment_provider'] ?? caller.id).trim().toLowerCase();
    const isIt = (value: string | null | undefined) => value === (id.includes('-') ? id.toLowerCase() : id);
    const business = s.businesses.find((each) => each.payment_provider === provider && isIt(each.id));
    if (by === 'master_merchant_id' && business?.visibleTo.includes(caller.id))
      return found('master_merchant', showBusiness(business));
    const terminal = s.terminals.find(({ tid, terminal_id, serial_no }) =>
      isIt(new Map(Object.entries({ tid, terminal_id, serial_no })).get(by)),
    );
    const branch = branchOf(s, terminal?.mid ?? '') ?? s.branches.find(({ mid }) => by === 'mid' && isIt(mid));
    if (!branch || !mayUse(branch, caller)) throw new Refusal('not_found', NOTHING_FOUND);
    return terminal ? found('terminal', showTerminal(terminal)) : found('branch', showBranch(s, branch));
  },

  memberCheck(s, { caller, body }) {
    const card = s.cards.find(({ card_id }) => card_id === body.card_id);
    const terminal = s.terminals.find(({ terminal_id }) => terminal_id === body.terminal_id);
    const branch = terminal && branchOf(s, terminal.mid);
    const isIdentified =
      card?.card_pseudo_token === body.card_pseudo_token &&
      terminal?.archived === null &&
      branch &&
      mayUse(branch, caller) &&
      [caller.id, branch.payment_provider].includes(body.acquirer_id.toLowerCase());
    const now = new Date().toISOString();
    const rewards = !isIdentified
      ? []
      : (card?.rewards ?? []).filter(
          ({ valid_from, expires_at, currency, minimum_amount }) =>
            valid_from <= now && now < expires_at && currency === body.currency && minimum_amount <= body.amount,
        );
    return ok({ member_identified: Boolean(isIdentified), rewards_available: rewards.length > 0, rewards });
  },

  unknownRoute() {
    throw new Refusal('not_found', 'No such operation. Check the method and the path.');
  },
};

function parsed(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body || '{}') : (body ?? {});
  } catch {
    throw new Refusal('malformed_json', MALFORMED);
  }
}

/** The query parameters that each operation knows. */
const PARAMETERS: Partial<Record<Operation, string[]>> = {
  listBranches: Object.keys(QUERY),
  listTerminals: Object.keys(QUERY),
  listEvents: ['after', 'limit'],
  getBranchHistory: ['before', 'limit'],
  getTerminalHistory: ['before', 'limit'],
  lookup: ['search'],
  find: [...IDENTIFIERS, 'payment_provider'],
};

/** A success that names what it was sent and did not know. */
function warned(
  { operation, path, query }: Pick<Call, 'operation' | 'path' | 'query'>,
  body: unknown,
  response: ApiResponse,
) {
  const known = [
    ...(PARAMETERS[operation] ?? []),
    ...(operation === 'lookup' && path['method'] === 'masterMerchants' ? ['payment_provider'] : []),
  ];
  const warnings = [
    ...Object.keys(query)
      .filter((name) => !known.includes(name))
      .map(unknownParameter),
    ...unknownFields(operation, (body ?? {}) as Record<string, unknown>).map(unknownField),
  ];
  return warnings.length > 0 ? { ...response, body: { ...(response.body as object), warnings } } : response;
}

/** Operations that are executed once for each Idempotency-Key. */
const KEYED: Operation[] = ['createBranch', 'createTerminals', 'reassignTerminal'];

/** What a request with this key was answered before. */
function savedResponse({ kept }: State, caller: Acquirer, key: string, request: string): ApiResponse | undefined {
  if (!/^[!-~]{1,255}$/.test(key)) throw new Refusal('invalid_idempotency_key', INVALID_IDEMPOTENCY_KEY);
  const before = kept.find((each) => each.caller === caller.id && each.key === key);
  if (before && before.request !== request)
    throw new Refusal('idempotency_key_reused', REUSED, [
      { pointer: '', code: 'idempotency_key_reused', detail: REUSED },
    ]);
  return before && { ...before.response, isReplayed: true };
}

/**
 * What a call is answered in a state, and the state after it.
 *
 * @param items The state in which a list finds its items, when it is another one than that in which it finds their count.
 */
export function responseOf(
  state: State,
  { operation, query, cursor, ...call }: Call,
  times: Times,
  items: State = state,
): { response: ApiResponse; state: State } {
  const { changes, ...rest } = state;
  const next: State = { ...JSON.parse(JSON.stringify(rest)), changes: [...changes] };
  try {
    const caller = state.acquirers.find(({ id }) => id === call.caller);
    if (!caller) throw new Refusal('invalid_api_key', INVALID_KEY);
    const path = Object.fromEntries(Object.entries(call.path).map(([name, value]) => [name, inOneCase(value)]));
    const sent = takesBody(operation) ? parsed(call.body) : undefined;
    expectFieldErrors(fieldErrorsOf(operation, sent as never, caller));
    const body = cleaned(sent);
    const asked = { operation, path, query };
    const key = KEYED.includes(operation) ? call.headers['idempotency-key'] : undefined;
    const request = JSON.stringify([operation, path, key && meaningOf(body as never, caller)]);
    const before = key === undefined ? undefined : savedResponse(state, caller, key, request);
    if (before) return { response: warned(asked, sent, before), state };
    const response = OPERATIONS[operation](next, { caller, path, query, body, times, cursor, items });
    if (key !== undefined) next.kept.push({ caller: caller.id, key, request, response });
    return { response: warned(asked, sent, response), state: next };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return { response: refusal.response, state };
  }
}

/**
 * An update decides nothing by the branch, and tells what it has read of that. So what it and its event tell of the status may
 * be of an earlier moment: such an answer and state, made of those after the update and of the state at that moment.
 */
export function withStatusOf(
  { response, state: now }: { response: ApiResponse; state: State },
  earlier: State,
  request_id: string,
): { response: ApiResponse; state: State } {
  const { data } = response.body as { data?: { tid: string } };
  const [terminal, before] = [now, earlier].map((state) => state.terminals.find(({ tid }) => tid === data?.tid));
  const branch = terminal && branchOf(earlier, terminal.mid);
  if (!branch || !before) return { response, state: now };
  const shown = showTerminal({ ...terminal, archived: before.archived });
  const changes = now.changes.map((change) => {
    const views = change.views.map((view) => ({ ...view, branch: placeOf(branch), data: shown }));
    return change.request_id === request_id ? { ...change, views } : change;
  });
  return { response: { ...response, body: { ...(response.body as object), data: shown } }, state: { ...now, changes } };
}

/**
 * A find reads a terminal and then its branch. If both change in between, and the branch is archived, the response shows the
 * terminal as it was, archived with its branch. Returns such a response.
 *
 * @param found What it would have returned in the earlier state, in which it read the terminal.
 */
export function withBranchOf(found: ApiResponse, earlier: State, later: State): ApiResponse | undefined {
  const { data } = found.body as { data?: { tid?: string } };
  const terminal = earlier.terminals.find(({ tid }) => tid === data?.tid);
  const [before, now] = [earlier, later].map((state) => branchOf(state, terminal?.mid ?? ''));
  const isThere = later.terminals.some(({ tid, mid }) => tid === terminal?.tid && mid === terminal.mid);
  if (!terminal || terminal.archived || before?.archived_at || !now?.archived_at || !isThere) return undefined;
  const archived = { at: now.archived_at, reason: 'Archived with its branch.', withBranch: true };
  return { ...found, body: { ...(found.body as object), data: showTerminal({ ...terminal, archived }) } };
}

/** An item of a list. */
export type Row = Record<string, unknown> & { mid: string; tid?: string };

/**
 * Whether a row of a list may be what an index that is behind shows of an item that is in the list: the item as it was in
 * one of these states. That a terminal's branch is archived is never old, as the branch is read itself.
 */
export function isOldRow(row: Row, now: State, history: State[]): boolean {
  const { archived_at = null } = branchOf(now, row.mid) ?? {};
  return history.some((state) => {
    const branch = branchOf(state, row.mid);
    if (!branch) return false;
    if (row.tid === undefined) return isDeepStrictEqual(row, showListed(state, branch));
    const terminal = state.terminals.find(({ tid, mid }) => tid === row.tid && mid === row.mid);
    if (!terminal) return false;
    const isOwn = terminal.archived?.withBranch === false;
    const wasRestored = branch.archived_at !== null && terminal.archived === null;
    const withBranch = archived_at && { at: archived_at, reason: 'Archived with its branch.', withBranch: true };
    const archived = isOwn ? terminal.archived : (!wasRestored && withBranch) || null;
    return isDeepStrictEqual(row, showTerminal({ ...terminal, archived }));
  });
}
