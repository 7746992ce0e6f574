import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { cursorAt } from '../../../lib/base/cursor.ts';
import { lowerBoundId, upperBoundId } from '../../../lib/base/eventId.ts';
import { CATALOGUE, type ProblemCode } from '../../../lib/base/problem.ts';
import { timeText } from '../../../lib/base/time.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../../lib/operator/referenceData.ts';
import { masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';
import { MOST_WEBHOOKS } from '../../../lib/webhooks/webhook.ts';

/*
 * The catalogue of calls: a valid request of each operation, with every field and query parameter that can be combined,
 * and the calls that it needs beforehand. The contract's story and all tests take their requests from here.
 */

export interface Request {
  /** API key; if absent, the header is not sent. */
  key?: string | undefined;
  /** The session of a person: the value of its cookie, and the acquirer as which they act. */
  session?: { cookie: string; actingAs: string } | undefined;
  path?: Record<string, string> | undefined;
  query?: Record<string, string>;
  /** Further headers, with names in lower case as from API Gateway. */
  headers?: Record<string, string>;
  /** Sent as JSON, except for a string, which is sent as it is. */
  body?: unknown;
}

/** What the requests of a small estate are about: who calls, and the ids of what exists or is created. */
export interface Subject {
  caller: Pick<Acquirer, 'id' | 'type'>;
  provider: string;
  /** Without one, the branch has no distributor. */
  distributor?: string | undefined;
  mid: string;
  target: string;
  master_merchant_id: string;
  terminal_id: string;
  serial_no: string;
  added: { terminal_id: string; serial_no: string };
  /** The id of a webhook. It is random: see {@link readyRequest}. */
  webhook: string;
  /** The request id of a refused request, which is random too. */
  refused: string;
  card: { card_id: string; card_pseudo_token: string };
  /** Names that terminals may have, among the caller's reference data. */
  payment_app: string;
  acquirer_name: string;
}

/** A subject with ids that contain `tag`, which must be alphanumeric. */
export const subjectOf = (
  tag: string,
  { type, id, partner }: Pick<Acquirer, 'id' | 'type'> & { partner?: string | undefined },
): Subject => ({
  caller: { id, type },
  provider: type === 'PAYMENT_PROVIDER' ? id : (partner as string),
  distributor: type === 'DISTRIBUTOR' ? id : partner,
  mid: `A${tag}`,
  target: `B${tag}`,
  master_merchant_id: `M${tag}`,
  terminal_id: `T${tag}`,
  serial_no: `S${tag}`,
  added: { terminal_id: `U${tag}`, serial_no: `R${tag}` },
  webhook: '',
  refused: '',
  card: { card_id: 'card-anna', card_pseudo_token: 'token-anna' },
  payment_app: 'Checkout Go',
  acquirer_name: 'Atlantic Acquiring',
});

type ValidRequest = Omit<Request, 'key' | 'body'> & { body?: object };

/** A page that is not the default. */
const PAGE = { sort: 'asc', per_page: '10', page: '1' };
const HOUR_MS = 3_600_000;
const ofWebhook = ({ webhook }: Subject) => ({ path: { id: webhook } });
const ofTerminal = ({ terminal_id }: Subject) => ({ path: { id: tidOf(terminal_id) } });

/** Every field of a terminal that an update can change. */
const terminalFields = (
  { payment_app, acquirer_name }: Pick<Subject, 'payment_app' | 'acquirer_name'>,
  serial_no: string,
) => ({
  serial_no,
  terminal_model: 'Handheld 2',
  payment_app,
  acquirer_name,
});

const REQUESTS = {
  listBranches: () => ({ query: { ...PAGE, search: 'harbour café' } }),
  createBranch: ({ provider, distributor, mid, master_merchant_id, terminal_id, ...subject }) => ({
    body: {
      mid,
      branch_name: 'Harbour Café',
      area: 'Ribeira',
      city: 'Porto',
      payment_provider: provider,
      ...(distributor && { distributor }),
      master_merchant_id,
      master_merchant_name: 'Harbour Cafés',
      email: 'office@example.com',
      country_code: 'PT',
      phone: '+351 222 000 000',
      mcc: '5814',
      country: 'Portugal',
      terminals: [{ terminal_id, ...terminalFields(subject, subject.serial_no) }],
    },
  }),
  getBranch: ({ mid }) => ({ path: { mid } }),
  updateBranch: ({ mid }) => ({
    path: { mid },
    body: { branch_name: 'Harbour Café Central', area: 'Sé', city: 'Braga' },
  }),
  getBranchHistory: ({ mid }) => ({ path: { mid }, query: { limit: '2' } }),
  archiveBranch: ({ mid }) => ({ path: { mid } }),
  restoreBranch: ({ mid }) => ({ path: { mid } }),
  listAllTerminals: ({ mid, caller }) => ({
    query: { after: cursorAt(`${mid}#`, [caller.id, 'terminals']), limit: '2', status: 'active' },
  }),
  listTerminals: ({ mid }) => ({ path: { id: mid }, query: PAGE }),
  createTerminals: ({ mid, added, ...subject }) => ({
    path: { id: mid },
    body: { terminals: [{ terminal_id: added.terminal_id, ...terminalFields(subject, added.serial_no) }] },
  }),
  updateTerminal: (subject) => ({ ...ofTerminal(subject), body: terminalFields(subject, subject.added.serial_no) }),
  deleteTerminal: (subject) => ofTerminal(subject),
  archiveTerminal: (subject) => ({ ...ofTerminal(subject), body: { reason: 'Sent to repair' } }),
  restoreTerminal: (subject) => ofTerminal(subject),
  reassignTerminal: (subject) => ({ ...ofTerminal(subject), body: { mid: subject.target } }),
  getTerminalHistory: (subject) => ({ ...ofTerminal(subject), query: { limit: '1' } }),
  lookup: () => ({ path: { method: 'masterMerchants' }, query: { search: 'Café' } }),
  find: ({ serial_no }) => ({ query: { serial_no } }),
  listEvents: ({ caller }) => ({
    query: { after: cursorAt(lowerBoundId(Date.now() - HOUR_MS), [caller.id, 'events']), limit: '2' },
  }),
  createWebhook: () => ({ body: { url: 'https://hooks.payfair.example/events', description: 'For the warehouse' } }),
  listWebhooks: () => ({}),
  getWebhook: ofWebhook,
  updateWebhook: (subject) => ({
    ...ofWebhook(subject),
    body: {
      url: `https://hooks.payfair.example/events/${subject.mid}`,
      description: 'For the new warehouse',
      status: 'active',
    },
  }),
  deleteWebhook: ofWebhook,
  rotateWebhookSecret: ofWebhook,
  testWebhook: ofWebhook,
  rewindWebhook: (subject) => ({ ...ofWebhook(subject), body: { after: 'oldest' } }),
  listDeliveries: (subject) => ({
    ...ofWebhook(subject),
    query: {
      after: cursorAt(upperBoundId(Date.now()), [subject.caller.id, 'deliveries', subject.webhook]),
      limit: '2',
    },
  }),
  listRefusedRequests: ({ caller }) => ({
    query: {
      after: cursorAt(upperBoundId(Date.now()), [caller.id, 'refused-requests']),
      status: '404',
      code: 'not_found',
      operation: 'getBranch',
      key_id: '0123456789ab',
      from: timeText(Date.now() - HOUR_MS),
      to: timeText(Date.now() + HOUR_MS),
      limit: '2',
    },
  }),
  getRefusedRequest: ({ refused }) => ({ path: { request_id: refused } }),
  getCaller: () => ({}),
  memberCheck: ({ provider, terminal_id, card }) => ({
    body: { amount: 60, ...card, currency: 'EUR', terminal_id, acquirer_id: provider },
  }),
} satisfies Record<string, (subject: Subject) => ValidRequest>;

export type ApiOperation = keyof typeof REQUESTS;
export const API_OPERATIONS = Object.keys(REQUESTS) as ApiOperation[];

export type Call = [operation: ApiOperation, subject: Subject];

/** The operations that a request needs beforehand; by default, the creation of its branch. */
const BEFOREHAND: Partial<Record<ApiOperation, ApiOperation[]>> = {
  createBranch: [],
  restoreBranch: ['createBranch', 'archiveBranch'],
  restoreTerminal: ['createBranch', 'archiveTerminal'],
  // So that the history has more than one page.
  getTerminalHistory: ['createBranch', 'archiveTerminal', 'restoreTerminal', 'updateTerminal'],
};

/** The operations of webhooks. */
export type WebhookOperation = Extract<ApiOperation, `${string}${'Webhook' | 'Deliveries'}${string}`>;
export const isOfWebhooks = (operation: string): operation is WebhookOperation => /Webhook|Deliveries/.test(operation);

/** The operations of refused requests. */
export type RefusedRequestOperation = Extract<ApiOperation, `${string}RefusedRequest${string}`>;
export const isOfRefused = (operation: string): operation is RefusedRequestOperation =>
  operation.includes('RefusedRequest');

const ofTarget = ({ target, terminal_id, serial_no, ...subject }: Subject): Subject => ({
  ...subject,
  mid: target,
  target: subject.mid,
  terminal_id: `${terminal_id}B`,
  serial_no: `${serial_no}B`,
});

/** The valid request of an operation. It succeeds after {@link beforehand}. */
export const requestOf = (operation: ApiOperation, subject: Subject): ValidRequest => REQUESTS[operation](subject);

/** The calls that an operation needs beforehand, in this order. */
export const beforehand = (operation: ApiOperation, subject: Subject): Call[] => [
  ...(BEFOREHAND[operation] ?? (isOfWebhooks(operation) || isOfRefused(operation) ? [] : ['createBranch'])).map(
    (each): Call => [each, subject],
  ),
  ...(operation === 'reassignTerminal' ? [['createBranch', ofTarget(subject)] satisfies Call] : []),
];

// biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
type SendValid = (operation: ApiOperation, request: ValidRequest) => Promise<{ body: any }>;

/**
 * The webhook of a request: one that its caller has or, to delete it or if there is none, a new one. If the caller has as
 * many as there can be, the newest makes room.
 */
async function webhookFor(operation: ApiOperation, subject: Subject, send: SendValid): Promise<string> {
  const { data } = (await send('listWebhooks', {})).body;
  const isNew = operation === 'deleteWebhook' || data.length === 0;
  const [first, last] = [data.at(0)?.id, data.at(-1)?.id];
  if (data.length === MOST_WEBHOOKS && (isNew || operation === 'createWebhook'))
    await send('deleteWebhook', { path: { id: last } });
  return isNew ? (await send('createWebhook', requestOf('createWebhook', subject))).body.data.id : first;
}

/** Makes the calls that an operation needs beforehand. Returns its valid request, which succeeds once. */
export async function readyRequest(operation: ApiOperation, subject: Subject, send: SendValid): Promise<ValidRequest> {
  for (const [each, about] of beforehand(operation, subject)) await send(each, requestOf(each, about));
  if (isOfWebhooks(operation)) subject.webhook = await webhookFor(operation, subject, send);
  if (operation === 'getRefusedRequest')
    subject.refused = (await send('getBranch', { path: { mid: 'NOSUCHMID' } })).body.request_id;
  return requestOf(operation, subject);
}

/** The acquirers of the story, by the names used in `as`. */
export const ACQUIRERS = {
  payfair: { id: '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11', type: 'PAYMENT_PROVIDER', name: 'Payfair' },
  northgate: { id: '0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10', type: 'DISTRIBUTOR', name: 'Northgate Distribution' },
  trustcard: { id: 'c3a1f0de-77b2-4d0c-8c55-9e1b6a2d4f30', type: 'PAYMENT_PROVIDER', name: 'Trustcard' },
  limited: { id: 'e8d94b7a-15cf-4a3e-b6d2-7c0f9a8e5b21', type: 'PAYMENT_PROVIDER', name: 'Quickpay' },
} satisfies Record<string, Acquirer>;

type Name = keyof typeof ACQUIRERS;

/** Acquirers in place of those of a story. */
export type Acquirers<Names extends Name = Name> = Record<Names, Acquirer>;

export interface AnyStep<Operation> {
  operation: Operation;
  /** Name of the example; by default `success`. */
  name?: string;
  /** The code of the problem that it leads to. Without one, it succeeds. */
  code?: ProblemCode;
  request?: Omit<Request, 'key' | 'session'>;
  /** The problem is the same for all operations. */
  isGeneral?: true;
  /** Repeat the request every tenth of a second until the response has this status. */
  until?: number;
  /** Send an event that no gateway would send, which causes a server error. Only a recording does. */
  isBroken?: true;
  /** Send a body that is too large. It is not recorded. */
  isTooLarge?: true;
  /** The request only prepares later ones, and is not an example. */
  isHidden?: true;
  /** The request is about a branch with a thousand terminals. */
  isLarge?: true;
  /** The partnership of Northgate and Payfair ends before the request. */
  endsPartnership?: true;
  /** Fields of the response that are random, and how later requests name them. */
  makes?: Record<string, string>;
  /** The response shows what earlier requests made. */
  isFind?: true;
}

export interface Step extends AnyStep<ApiOperation> {
  /** The caller; by default Payfair. `viewer` is a key of Payfair with that role. */
  as?: Name | 'viewer' | 'nobody';
}

/**
 * Makes a step of a story.
 *
 * @param name Of its example: `success`, the code of the problem, or another name, with which it succeeds unless `more` has
 *   a code.
 */
export const stepOf = <Operation extends string, More extends object>(
  operation: Operation,
  name: string,
  request: AnyStep<Operation>['request'] = {},
  more?: More,
) => ({ operation, name, request, ...(name in CATALOGUE && { code: name as ProblemCode }), ...more });

export const LOW_LIMIT = { rate: 1, burst: 10 };

export const CARD = { card_id: 'card-of-a-member', card_pseudo_token: 'token-of-the-card' };

const PAYMENT_APPS = ['Checkout Go', 'Counter Plus'];
const MASTER_ACQUIRERS = ['Atlantic Acquiring', 'Baltic Merchant Bank'];

/** In whose names a story is prepared, if not those of the examples. */
interface Cast {
  acquirers: Acquirers;
  /** Makes an acquirer exist, without API keys. */
  register: (acquirer: Acquirer) => Promise<unknown>;
  member: string;
  card: Subject['card'];
}

/** Stores the acquirers of the story, their reference data and a loyalty member. Returns the acquirers' API keys. */
export async function prepare(cast: Partial<Cast> = {}): Promise<Record<string, string>> {
  const { acquirers = ACQUIRERS, register = createAcquirer, member = 'member', card = CARD } = cast;
  const { payfair, northgate, limited } = acquirers;
  for (const acquirer of Object.values(acquirers)) {
    await register(acquirer);
    await addReferenceData(acquirer.id, 'PAYMENT_APPS', PAYMENT_APPS);
    await addReferenceData(acquirer.id, 'MASTER_ACQUIRERS', MASTER_ACQUIRERS);
  }
  await linkPartners(northgate.id, payfair.id);
  await limitAcquirer(limited.id, LOW_LIMIT);
  await addCard(member, card);
  const year = new Date().getUTCFullYear();
  await addReward(member, {
    reward_id: 'WELCOME',
    name: 'Welcome',
    currency: 'EUR',
    minimum_amount: 10,
    valid_from: `${year}-01-01T00:00:00.000Z`,
    expires_at: `${year + 1}-01-01T00:00:00.000Z`,
  });
  const keys = Object.entries(acquirers).map(async ([name, { id }]) => [
    name,
    (await issueApiKey(id, 'story')).api_key,
  ]);
  const viewer = await issueApiKey(payfair.id, 'reports', { role: 'viewer' });
  return { ...Object.fromEntries(await Promise.all(keys)), viewer: viewer.api_key };
}

const BRANCH = { path: { mid: 'PORTO0001' } };
const BRANCH_BY_ID = { path: { id: 'PORTO0001' } };
const NO_BRANCH = { path: { mid: 'NOSUCHMID' } };
const NO_BRANCH_BY_ID = { path: { id: 'NOSUCHMID' } };
const TERMINAL = { path: { id: tidOf('T0000002') } };
const FIRST_TERMINAL = { path: { id: tidOf('T0000001') } };
const NO_TERMINAL = { path: { id: tidOf('NOSUCHTERMINAL') } };
const FOREIGN_TERMINAL = { path: { id: tidOf('T0000009') } };

const SUBJECT: Subject = {
  ...subjectOf('', ACQUIRERS.payfair),
  mid: 'PORTO0001',
  target: 'PORTO0002',
  master_merchant_id: 'HARBOURCAFES',
  terminal_id: 'T0000001',
  added: { terminal_id: 'T0000002', serial_no: 'SN20260002' },
  webhook: '01956b3e-5a80-7c1d-9f40-2b7de8a4c601',
  refused: '7d1f0b52-93c4-4e0a-8f55-2c61d7a9e3b0',
  card: CARD,
};
const WEBHOOK = { path: { id: SUBJECT.webhook } };
const NO_WEBHOOK = { path: { id: '01956b3e-5a80-7c1d-9f40-2b7de8a4c600' } };
/** What stands for secrets, which are random. */
const [SECRET, ROTATED_SECRET] = ['The secret of an example, no key', 'The one after it was rotated, ok'].map(
  (text) => `whsec_${Buffer.from(text).toString('base64')}`,
) as [string, string];
const NEW_WEBHOOK = REQUESTS.createWebhook();
const MORE_WEBHOOKS = ['2', '3', '4', '5'].map((at) => ({
  body: { url: `https://hooks.payfair.example/${at}` },
  id: `${SUBJECT.webhook.slice(0, -1)}${at}`,
}));
const FIRST_BRANCH = {
  ...REQUESTS.createBranch(SUBJECT).body,
  // Payfair need not name itself.
  payment_provider: undefined,
  terminals: [{ terminal_id: SUBJECT.terminal_id, terminal_model: 'Countertop 3' }],
};
const SECOND_BRANCH = {
  mid: 'PORTO0002',
  branch_name: 'Harbour Café Station',
  city: 'Porto',
  existing_master_merchant: masterMerchantUuidOf(ACQUIRERS.payfair.id, FIRST_BRANCH.master_merchant_id),
};
/** Created by Northgate for Payfair. Northgate changes no branch before the partnership ends, so no process has it cached. */
const DISTRIBUTORS_BRANCH = {
  mid: 'PORTO0004',
  payment_provider: ACQUIRERS.payfair.id,
  master_merchant_id: FIRST_BRANCH.master_merchant_id,
};
const UPDATE_BY_NORTHGATE = { path: { mid: DISTRIBUTORS_BRANCH.mid }, body: { city: 'Braga' } };
const FOREIGN_BRANCH = {
  mid: 'LISBON0009',
  master_merchant_id: 'BOOKSHOPS',
  terminals: [{ terminal_id: 'T0000009' }],
};
const FULL_BRANCH = { mid: 'LISBON1000', master_merchant_id: 'BOOKSHOPS' };
const FULL_BRANCH_BY_ID = { path: { id: FULL_BRANCH.mid } };
const FULL_BRANCH_TERMINALS = Array.from({ length: 25 }, (_, request) =>
  Array.from({ length: 40 }, (_, at) => ({ terminal_id: `TF${40 * request + at + 1}` })),
);
const TERMINALS = REQUESTS.createTerminals(SUBJECT).body;
const THIRD_TERMINAL = { terminals: [{ terminal_id: 'T0000003' }] };
const TO_REPAIR = { body: { reason: 'Sent to repair' } };
const INVALID_BRANCH = { mid: 'PORTO-0003', terminals: [{ terminal_model: 'Countertop 3' }] };
const DIFFERENT_BRANCH = { mid: 'PORTO0003', master_merchant_id: 'HARBOURCAFES', country_code: 'ES' };
const CHECK = REQUESTS.memberCheck(SUBJECT).body;
const SECOND_PAGE = { sort: 'asc', per_page: '1', page: '2' };
/** A time in the middle of the story, and one from which no event is retained. */
export const [MIDDAY, LONG_AGO] = ['2026-11-20T10:00:00.000Z', '2020-01-01T00:00:00.000Z'] as const;
/** A cursor at a time in the event feed of an acquirer, by default Payfair's. */
export const cursorOf = (time: string, { id }: Pick<Acquirer, 'id'> = ACQUIRERS.payfair): string =>
  cursorAt(lowerBoundId(Date.parse(time)), [id, 'events']);
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const VALIDATE_ONLY = { query: { validate_only: 'true' } };
/** The ETag of an earlier state. */
const OUTDATED = { headers: { 'if-match': '"2026-11-20T09:00:00.000Z"' } };

const step = (...args: Parameters<typeof stepOf<ApiOperation, Partial<Step>>>): Step => stepOf(...args);
/** A problem that is the same for all operations. */
const general = (operation: ApiOperation, code: string, request = {}, more: Partial<Step> = {}): Step =>
  step(operation, code, request, { isGeneral: true, ...more });
const hidden = (operation: ApiOperation, request: Step['request'], more: Partial<Step> = {}): Step =>
  step(operation, 'success', request, { isHidden: true, ...more });
const masterMerchantsOf = (payment_provider: string) => ({
  path: { method: 'masterMerchants' },
  query: { payment_provider },
});
const moved = (mid: string) => ({ body: { mid } });
const [INVALID, INVALID_QUERY] = [{ code: 'validation_failed' }, { code: 'invalid_query' }] as const;
const LARGE = { as: 'trustcard', isLarge: true } as const;

/**
 * The requests from which the examples of docs/openapi.json are recorded: the life of a branch, and the problems on the
 * way. Each request depends on the earlier ones. The contract lists the problems that occur here.
 */
export const STORY: Step[] = [
  general('listBranches', 'invalid_api_key', {}, { as: 'nobody' }),
  general('listBranches', 'rate_limited', {}, { as: 'limited', until: 429 }),
  general('listBranches', 'server_error', {}, { isBroken: true }),
  general('createBranch', 'body_too_large', {}, { isTooLarge: true }),
  general('createBranch', 'malformed_json', { body: '{"mid": "PORTO0001"' }),

  step('lookup', 'paymentProviders', { path: { method: 'paymentProviders' } }),
  step('lookup', 'distributors', { path: { method: 'distributors' } }),
  step('lookup', 'paymentApp', { path: { method: 'paymentApp' } }),
  step('lookup', 'acquirers', { path: { method: 'acquirers' }, query: { search: 'atlantic' } }),
  step('lookup', 'not_found', { path: { method: 'models' } }),

  step('createBranch', 'success', { body: FIRST_BRANCH, ...keyed('create-porto0001') }),
  step('createBranch', 'validated', { body: SECOND_BRANCH, ...VALIDATE_ONLY }),
  step('createBranch', 'another_branch', { body: SECOND_BRANCH, ...keyed('create-porto0002') }),
  step('createBranch', 'validation_failed', { body: INVALID_BRANCH }),
  step('createBranch', 'taken', { body: FIRST_BRANCH }, INVALID),
  step('createBranch', 'differs', { body: DIFFERENT_BRANCH }, INVALID),
  general('createBranch', 'idempotency_key_reused', { body: FOREIGN_BRANCH, ...keyed('create-porto0001') }),
  general('createBranch', 'invalid_idempotency_key', { body: FOREIGN_BRANCH, ...keyed('create porto0003') }),
  step('lookup', 'masterMerchants', masterMerchantsOf(ACQUIRERS.payfair.id)),
  step('lookup', 'invalid_query', masterMerchantsOf('Payfair')),
  step('getBranch', 'success', BRANCH),
  step('getBranch', 'not_found', NO_BRANCH),
  step('listBranches', 'success'),
  step('listBranches', 'second_page', { query: SECOND_PAGE }),
  step('listBranches', 'search', { query: { search: 'cafe porto' } }),
  step('listBranches', 'invalid_query', { query: { per_page: '0', search: 'a' } }),

  step('updateBranch', 'success', { ...BRANCH, body: { branch_name: 'Harbour Café Ribeira', area: null } }),
  general('updateBranch', 'precondition_failed', { ...BRANCH, body: { city: 'Braga' }, ...OUTDATED }),
  general('updateBranch', 'invalid_validate_only', { ...BRANCH, query: { validate_only: 'yes' } }, INVALID_QUERY),
  step('updateBranch', 'validation_failed', { ...BRANCH, body: { city: 5 } }),
  step('updateBranch', 'not_found', { ...NO_BRANCH, body: { city: 'Braga' } }),

  step('createTerminals', 'success', { ...BRANCH_BY_ID, body: TERMINALS, ...keyed('create-t0000002') }),
  step('createTerminals', 'validated', { ...BRANCH_BY_ID, body: THIRD_TERMINAL, ...VALIDATE_ONLY }),
  step('createTerminals', 'validation_failed', { ...BRANCH_BY_ID, body: TERMINALS }),
  step('createTerminals', 'not_found', { ...NO_BRANCH_BY_ID, body: TERMINALS }),
  step('listTerminals', 'success', BRANCH_BY_ID),
  step('listTerminals', 'second_page', { ...BRANCH_BY_ID, query: SECOND_PAGE }),
  step('listTerminals', 'not_found', NO_BRANCH_BY_ID),
  step('listTerminals', 'tid_as_mid', TERMINAL, { code: 'not_found' }),
  step('listTerminals', 'invalid_query', { ...BRANCH_BY_ID, query: { sort: 'newest', page: '0' } }),

  step('find', 'terminal', { query: { terminal_id: 'T0000002' } }),
  step('find', 'branch', { query: { mid: 'PORTO0001' } }),
  step('find', 'master_merchant', { query: { master_merchant_id: 'HARBOURCAFES' } }),
  step('find', 'not_found', { query: { serial_no: 'NOSUCHSERIAL' } }),
  step('find', 'invalid_query', { query: { terminal_id: 'T0000002', mid: 'PORTO0001' } }),

  step('updateTerminal', 'success', { ...TERMINAL, body: { terminal_model: 'Handheld 3', serial_no: null } }),
  step('updateTerminal', 'unknown_field', { ...TERMINAL, body: { status: 'archived' } }),
  step('updateTerminal', 'validation_failed', { ...TERMINAL, body: { payment_app: 'Checkout' } }),
  step('updateTerminal', 'not_found', { ...NO_TERMINAL, body: { terminal_model: 'Handheld 3' } }),
  hidden('createBranch', { body: FOREIGN_BRANCH }, { as: 'trustcard' }),
  step('updateTerminal', 'not_under_requesting_psp', { ...FOREIGN_TERMINAL, body: { terminal_model: 'Handheld 3' } }),

  step('restoreTerminal', 'not_archived', TERMINAL),
  step('archiveTerminal', 'success', { ...TERMINAL, ...TO_REPAIR }),
  step('archiveTerminal', 'already_archived', { ...TERMINAL, ...TO_REPAIR }),
  step('archiveTerminal', 'validation_failed', { ...TERMINAL, body: {} }),
  step('archiveTerminal', 'not_found', { ...NO_TERMINAL, ...TO_REPAIR }),
  step('archiveTerminal', 'not_under_requesting_psp', { ...FOREIGN_TERMINAL, ...TO_REPAIR }),
  step('restoreTerminal', 'success', TERMINAL),
  step('restoreTerminal', 'not_found', NO_TERMINAL),

  step('memberCheck', 'success', { body: CHECK }),
  step('memberCheck', 'not_identified', { body: { ...CHECK, card_pseudo_token: 'another' } }),
  step('memberCheck', 'validation_failed', { body: { ...CHECK, amount: -1, currency: 'EURO' } }),

  step('reassignTerminal', 'success', { ...TERMINAL, ...moved('PORTO0002'), ...keyed('move-t0000002') }),
  step('reassignTerminal', 'already_under_target_mid', { ...TERMINAL, ...moved('PORTO0002') }),
  step('reassignTerminal', 'not_found', { ...TERMINAL, ...moved('NOSUCHMID') }),
  step('reassignTerminal', 'not_under_requesting_psp', { ...TERMINAL, ...moved('LISBON0009') }),
  step('reassignTerminal', 'validation_failed', { ...TERMINAL, body: {} }),

  step('archiveBranch', 'success', BRANCH),
  step('archiveBranch', 'already_archived', BRANCH),
  step('archiveBranch', 'not_found', NO_BRANCH),
  step('createTerminals', 'branch_archived', { ...BRANCH_BY_ID, body: THIRD_TERMINAL }),
  step('reassignTerminal', 'branch_archived', { ...TERMINAL, ...moved('PORTO0001') }),

  step('restoreBranch', 'success', BRANCH),
  step('restoreBranch', 'not_archived', BRANCH),
  step('restoreBranch', 'not_found', NO_BRANCH),

  hidden('createBranch', { body: DISTRIBUTORS_BRANCH }, { as: 'northgate' }),
  hidden('reassignTerminal', { ...TERMINAL, ...moved('PORTO0004') }),
  hidden('reassignTerminal', { ...TERMINAL, ...moved('PORTO0002') }),

  step('deleteTerminal', 'success', TERMINAL),
  step('deleteTerminal', 'not_found', TERMINAL),

  step('listEvents', 'success'),
  step('listEvents', 'as_a_distributor', {}, { as: 'northgate' }),
  step('listEvents', 'next_page', { query: { after: cursorOf(MIDDAY), limit: '2' } }),
  step('listEvents', 'now', { query: { after: 'now' } }),
  step('listEvents', 'invalid_query', { query: { after: 'yesterday' } }),
  step('listEvents', 'cursor_expired', { query: { after: cursorOf(LONG_AGO) } }),
  step('getBranchHistory', 'success', BRANCH),
  step('getBranchHistory', 'first_page', { ...BRANCH, query: { limit: '2' } }),
  step('getBranchHistory', 'not_found', NO_BRANCH),
  step('getBranchHistory', 'invalid_query', { ...BRANCH, query: { before: 'yesterday' } }),
  step('getTerminalHistory', 'success', TERMINAL),
  step('getTerminalHistory', 'through_its_branch', FIRST_TERMINAL),
  step('getTerminalHistory', 'not_found', FOREIGN_TERMINAL),
  step('getTerminalHistory', 'invalid_query', { ...TERMINAL, query: { limit: '0' } }),

  step('find', 'released', { query: { serial_no: 'SN20260002' } }, { code: 'not_found' }),

  step('listAllTerminals', 'success', { query: { limit: '2' } }),
  step('listAllTerminals', 'invalid_query', { query: { limit: '0', status: 'lost' } }),

  hidden('createBranch', { body: FULL_BRANCH }, LARGE),
  ...FULL_BRANCH_TERMINALS.map((terminals) =>
    hidden('createTerminals', { ...FULL_BRANCH_BY_ID, body: { terminals } }, LARGE),
  ),
  step('createTerminals', 'too_many_terminals', { ...FULL_BRANCH_BY_ID, body: TERMINALS }, LARGE),
  step('reassignTerminal', 'too_many_terminals', { ...FOREIGN_TERMINAL, ...moved(FULL_BRANCH.mid) }, LARGE),

  // At the end, so that the times of all other examples stay as they are.
  general('createBranch', 'insufficient_permission', {}, { as: 'viewer' }),
  general('memberCheck', 'unknown_parameter', { query: { validateOnly: 'true' }, body: CHECK }, INVALID_QUERY),
  general('archiveBranch', 'misplaced_check', { ...BRANCH, body: { dry_run: true } }, INVALID),
  general('updateBranch', 'partnership_ended', UPDATE_BY_NORTHGATE, { as: 'northgate', endsPartnership: true }),

  step(
    'createWebhook',
    'success',
    { ...NEW_WEBHOOK, ...keyed('create-webhook-harbour') },
    { makes: { id: SUBJECT.webhook, secret: SECRET } },
  ),
  step('createWebhook', 'replayed', { ...NEW_WEBHOOK, ...keyed('create-webhook-harbour') }),
  step('createWebhook', 'validated', { ...NEW_WEBHOOK, ...VALIDATE_ONLY }),
  step('createWebhook', 'validation_failed', { body: { url: 'https://10.0.0.1/events' } }),
  ...MORE_WEBHOOKS.map(({ body, id }) => hidden('createWebhook', { body }, { makes: { id } })),
  step('createWebhook', 'too_many_webhooks', NEW_WEBHOOK),
  step('listWebhooks', 'success'),
  ...MORE_WEBHOOKS.map(({ id }) => hidden('deleteWebhook', { path: { id } })),
  step('testWebhook', 'success', WEBHOOK),
  step('testWebhook', 'not_found', NO_WEBHOOK),
  step('updateWebhook', 'success', { ...WEBHOOK, body: { description: null, status: 'paused' } }),
  step('updateWebhook', 'resumed', { ...WEBHOOK, body: { status: 'active' } }),
  step('updateWebhook', 'validation_failed', {
    ...WEBHOOK,
    body: { url: 'http://hooks.payfair.example', status: 'disabled' },
  }),
  step('updateWebhook', 'not_found', { ...NO_WEBHOOK, body: { status: 'paused' } }),
  step('rewindWebhook', 'success', { ...WEBHOOK, body: { after: cursorOf(MIDDAY) } }),
  step('rewindWebhook', 'oldest', { ...WEBHOOK, body: { after: 'oldest' } }),
  step('rewindWebhook', 'validation_failed', { ...WEBHOOK, body: { after: 'yesterday' } }),
  step('rewindWebhook', 'expired', { ...WEBHOOK, body: { after: cursorOf(LONG_AGO) } }, INVALID),
  step('rewindWebhook', 'not_found', { ...NO_WEBHOOK, body: { after: 'oldest' } }),
  step('rotateWebhookSecret', 'success', WEBHOOK, { makes: { secret: ROTATED_SECRET } }),
  step('rotateWebhookSecret', 'not_found', NO_WEBHOOK),
  step('getWebhook', 'success', WEBHOOK),
  step('getWebhook', 'not_found', NO_WEBHOOK),
  step('listDeliveries', 'success', WEBHOOK),
  step('listDeliveries', 'invalid_query', { ...WEBHOOK, query: { limit: '0' } }),
  step('listDeliveries', 'not_found', NO_WEBHOOK),
  step('deleteWebhook', 'success', WEBHOOK),
  step('deleteWebhook', 'not_found', WEBHOOK),

  step(
    'createTerminals',
    'validation_failed_again',
    { ...BRANCH_BY_ID, body: { terminals: [{ terminal_id: 'T-1' }] } },
    { code: 'validation_failed', isHidden: true, makes: { request_id: SUBJECT.refused } },
  ),
  step('listRefusedRequests', 'success', { query: { operation: 'createTerminals', limit: '1' } }),
  step('listRefusedRequests', 'invalid_query', { query: { status: '200', code: 'forbidden' } }),
  // By an index, which can lag.
  step('getRefusedRequest', 'success', { path: { request_id: SUBJECT.refused } }, { until: 200 }),
  step('getRefusedRequest', 'not_found', { path: { request_id: '7d1f0b52-93c4-4e0a-8f55-2c61d7a9e3b1' } }),
  step('getCaller', 'success'),
];
