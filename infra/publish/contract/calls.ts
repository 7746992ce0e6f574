import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { cursorAt } from '../../../lib/base/cursor.ts';
import { lowerBoundId } from '../../../lib/base/eventId.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../../lib/operator/referenceData.ts';
import { masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';

/*
 * The catalogue of calls: a valid request of each operation, with every field and query parameter that can be combined,
 * and the calls that it needs beforehand. The contract's story, the values that `npm start` puts into the reference, all
 * tests, the soak and the bench take their requests from here.
 */

/** A request of an operation. */
export interface Request {
  /** API key; if absent, the header is not sent. */
  key?: string | undefined;
  /** The session of a person: the value of its cookie, and the acquirer as which they act. */
  session?: { cookie: string; actingAs: string } | undefined;
  /** Path parameters by name. */
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
  /** Another branch of the same acquirers. */
  target: string;
  master_merchant_id: string;
  /** The terminal that a new branch has. */
  terminal_id: string;
  serial_no: string;
  /** A terminal that is added. */
  added: { terminal_id: string; serial_no: string };
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
  card: { card_id: 'card-anna', card_pseudo_token: 'token-anna' },
  payment_app: 'Checkout Go',
  acquirer_name: 'Atlantic Acquiring',
});

/** A request without a key. */
type ValidRequest = Omit<Request, 'key' | 'body'> & { body?: object };

/** A page that is not the default. */
const PAGE = { sort: 'asc', per_page: '10', page: '1' };
const HOUR_MS = 3_600_000;

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

/** The valid request of each operation. */
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
  memberCheck: ({ provider, terminal_id, card }) => ({
    body: { amount: 60, ...card, currency: 'EUR', terminal_id, acquirer_id: provider },
  }),
} satisfies Record<string, (subject: Subject) => ValidRequest>;

/** The operations of the API. */
export type ApiOperation = keyof typeof REQUESTS;
export const API_OPERATIONS = Object.keys(REQUESTS) as ApiOperation[];

/** A call to make with a subject. */
export type Call = [operation: ApiOperation, subject: Subject];

/** The calls that a request needs beforehand; by default, the creation of its branch. */
const BEFOREHAND: Partial<Record<ApiOperation, (subject: Subject) => Call[]>> = {
  createBranch: () => [],
  restoreBranch: (subject) => [
    ['createBranch', subject],
    ['archiveBranch', subject],
  ],
  restoreTerminal: (subject) => [
    ['createBranch', subject],
    ['archiveTerminal', subject],
  ],
  reassignTerminal: (subject) => [
    ['createBranch', subject],
    ['createBranch', ofTarget(subject)],
  ],
  // So that the history has more than one page.
  getTerminalHistory: (subject) => [
    ['createBranch', subject],
    ['archiveTerminal', subject],
    ['restoreTerminal', subject],
    ['updateTerminal', subject],
  ],
};

/** The subject whose branch is the target. */
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
export const beforehand = (operation: ApiOperation, subject: Subject): Call[] =>
  (BEFOREHAND[operation] ?? (() => [['createBranch', subject]]))(subject);

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

/** A request of a story. */
export interface AnyStep<Operation> {
  operation: Operation;
  /** Name of the example. By default, the code of a problem, or `success`. */
  name?: string;
  request?: Omit<Request, 'key' | 'session'>;
  /** The problem is the same for all operations. */
  isGeneral?: true;
  /** Repeat the request every tenth of a second until the response has this status. */
  until?: number;
  /** Send an event that no gateway would send, which causes a server error. */
  isBroken?: true;
  /** Send a body that is too large. It is not recorded. */
  isTooLarge?: true;
  /** The request only prepares later ones, and is not an example. */
  isHidden?: true;
  /** The request is about a branch with a thousand terminals. */
  isLarge?: true;
}

/** A request of the story. */
export interface Step extends AnyStep<ApiOperation> {
  /** The caller; by default Payfair. `viewer` is a key of Payfair with that role. */
  as?: Name | 'viewer' | 'nobody';
}

/** The limit of the acquirer that exceeds it. */
export const LOW_LIMIT = { rate: 5, burst: 10 };

/** The card of the member. */
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
  card: CARD,
};
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
/** Created by Northgate for Payfair. */
const DISTRIBUTORS_BRANCH = {
  mid: 'PORTO0004',
  payment_provider: ACQUIRERS.payfair.id,
  master_merchant_id: FIRST_BRANCH.master_merchant_id,
};
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
const CHECK = REQUESTS.memberCheck(SUBJECT).body;
const SECOND_PAGE = { sort: 'asc', per_page: '1', page: '2' };
/** A time in the middle of the story, and one from which no event is retained. */
const [MIDDAY, LONG_AGO] = ['2026-11-20T10:00:00.000Z', '2026-01-01T00:00:00.000Z'] as const;
/** A cursor at a time in the event feed of an acquirer, by default Payfair's. */
export const cursorOf = (time: string, { id }: Pick<Acquirer, 'id'> = ACQUIRERS.payfair): string =>
  cursorAt(lowerBoundId(Date.parse(time)), [id, 'events']);
/** The cursors of the story, with their times. */
export const CURSORS = new Map([MIDDAY, LONG_AGO].map((time) => [cursorOf(time), time]));
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const VALIDATE_ONLY = { query: { validate_only: 'true' } };
/** The ETag of an earlier state. */
const OUTDATED = { headers: { 'if-match': '"2026-11-20T09:00:00.000Z"' } };

/**
 * The requests from which the examples of docs/openapi.json are recorded: the life of a branch, and the problems on the
 * way. Each request depends on the earlier ones.
 */
export const STORY: Step[] = [
  // Problems that are the same for all operations.
  { operation: 'listBranches', as: 'nobody', isGeneral: true },
  { operation: 'listBranches', as: 'limited', isGeneral: true, until: 429 },
  { operation: 'listBranches', isGeneral: true, isBroken: true },
  { operation: 'createBranch', isGeneral: true, isTooLarge: true },
  { operation: 'createBranch', isGeneral: true, request: { body: '{"mid": "PORTO0001"' } },

  { operation: 'lookup', name: 'paymentProviders', request: { path: { method: 'paymentProviders' } } },
  { operation: 'lookup', name: 'distributors', request: { path: { method: 'distributors' } } },
  { operation: 'lookup', name: 'paymentApp', request: { path: { method: 'paymentApp' } } },
  { operation: 'lookup', name: 'acquirers', request: { path: { method: 'acquirers' }, query: { search: 'atlantic' } } },
  { operation: 'lookup', request: { path: { method: 'models' } } },

  { operation: 'createBranch', request: { body: FIRST_BRANCH, ...keyed('create-porto0001') } },
  { operation: 'createBranch', name: 'validated', request: { body: SECOND_BRANCH, ...VALIDATE_ONLY } },
  { operation: 'createBranch', name: 'another_branch', request: { body: SECOND_BRANCH, ...keyed('create-porto0002') } },
  {
    operation: 'createBranch',
    request: { body: { mid: 'PORTO-0003', terminals: [{ terminal_model: 'Countertop 3' }] } },
  },
  { operation: 'createBranch', name: 'taken', request: { body: FIRST_BRANCH } },
  {
    operation: 'createBranch',
    name: 'differs',
    request: { body: { mid: 'PORTO0003', master_merchant_id: 'HARBOURCAFES', country_code: 'ES' } },
  },
  { operation: 'createBranch', isGeneral: true, request: { body: FOREIGN_BRANCH, ...keyed('create-porto0001') } },
  { operation: 'createBranch', isGeneral: true, request: { body: FOREIGN_BRANCH, ...keyed('create porto0003') } },
  {
    operation: 'lookup',
    name: 'masterMerchants',
    request: { path: { method: 'masterMerchants' }, query: { payment_provider: ACQUIRERS.payfair.id } },
  },
  {
    operation: 'lookup',
    request: { path: { method: 'masterMerchants' }, query: { payment_provider: 'Payfair' } },
  },
  { operation: 'getBranch', request: BRANCH },
  { operation: 'getBranch', request: NO_BRANCH },
  { operation: 'listBranches' },
  { operation: 'listBranches', name: 'second_page', request: { query: SECOND_PAGE } },
  { operation: 'listBranches', name: 'search', request: { query: { search: 'cafe porto' } } },
  { operation: 'listBranches', request: { query: { per_page: '0', search: 'a' } } },

  { operation: 'updateBranch', request: { ...BRANCH, body: { branch_name: 'Harbour Café Ribeira', area: null } } },
  { operation: 'updateBranch', isGeneral: true, request: { ...BRANCH, body: { city: 'Braga' }, ...OUTDATED } },
  {
    operation: 'updateBranch',
    name: 'invalid_validate_only',
    isGeneral: true,
    request: { ...BRANCH, query: { validate_only: 'yes' } },
  },
  { operation: 'updateBranch', request: { ...BRANCH, body: { city: 5 } } },
  { operation: 'updateBranch', request: { ...NO_BRANCH, body: { city: 'Braga' } } },

  { operation: 'createTerminals', request: { ...BRANCH_BY_ID, body: TERMINALS, ...keyed('create-t0000002') } },
  {
    operation: 'createTerminals',
    name: 'validated',
    request: { ...BRANCH_BY_ID, body: { terminals: [{ terminal_id: 'T0000003' }] }, ...VALIDATE_ONLY },
  },
  { operation: 'createTerminals', request: { ...BRANCH_BY_ID, body: TERMINALS } },
  { operation: 'createTerminals', request: { ...NO_BRANCH_BY_ID, body: TERMINALS } },
  { operation: 'listTerminals', request: BRANCH_BY_ID },
  { operation: 'listTerminals', name: 'second_page', request: { ...BRANCH_BY_ID, query: SECOND_PAGE } },
  { operation: 'listTerminals', request: NO_BRANCH_BY_ID },
  { operation: 'listTerminals', name: 'tid_as_mid', request: TERMINAL },
  { operation: 'listTerminals', request: { ...BRANCH_BY_ID, query: { sort: 'newest', page: '0' } } },

  { operation: 'find', name: 'terminal', request: { query: { terminal_id: 'T0000002' } } },
  { operation: 'find', name: 'branch', request: { query: { mid: 'PORTO0001' } } },
  { operation: 'find', name: 'master_merchant', request: { query: { master_merchant_id: 'HARBOURCAFES' } } },
  { operation: 'find', request: { query: { serial_no: 'NOSUCHSERIAL' } } },
  { operation: 'find', request: { query: { terminal_id: 'T0000002', mid: 'PORTO0001' } } },

  { operation: 'updateTerminal', request: { ...TERMINAL, body: { terminal_model: 'Handheld 3', serial_no: null } } },
  { operation: 'updateTerminal', name: 'unknown_field', request: { ...TERMINAL, body: { status: 'archived' } } },
  { operation: 'updateTerminal', request: { ...TERMINAL, body: { payment_app: 'Checkout' } } },
  { operation: 'updateTerminal', request: { ...NO_TERMINAL, body: { terminal_model: 'Handheld 3' } } },
  { operation: 'createBranch', as: 'trustcard', isHidden: true, request: { body: FOREIGN_BRANCH } },
  { operation: 'updateTerminal', request: { ...FOREIGN_TERMINAL, body: { terminal_model: 'Handheld 3' } } },

  { operation: 'restoreTerminal', request: TERMINAL },
  { operation: 'archiveTerminal', request: { ...TERMINAL, body: { reason: 'Sent to repair' } } },
  { operation: 'archiveTerminal', request: { ...TERMINAL, body: { reason: 'Sent to repair' } } },
  { operation: 'archiveTerminal', request: { ...TERMINAL, body: {} } },
  { operation: 'archiveTerminal', request: { ...NO_TERMINAL, body: { reason: 'Sent to repair' } } },
  { operation: 'archiveTerminal', request: { ...FOREIGN_TERMINAL, body: { reason: 'Sent to repair' } } },
  { operation: 'restoreTerminal', request: TERMINAL },
  { operation: 'restoreTerminal', request: NO_TERMINAL },

  { operation: 'memberCheck', request: { body: CHECK } },
  { operation: 'memberCheck', name: 'not_identified', request: { body: { ...CHECK, card_pseudo_token: 'another' } } },
  { operation: 'memberCheck', request: { body: { ...CHECK, amount: -1, currency: 'EURO' } } },

  { operation: 'reassignTerminal', request: { ...TERMINAL, body: { mid: 'PORTO0002' }, ...keyed('move-t0000002') } },
  { operation: 'reassignTerminal', request: { ...TERMINAL, body: { mid: 'PORTO0002' } } },
  { operation: 'reassignTerminal', request: { ...TERMINAL, body: { mid: 'NOSUCHMID' } } },
  { operation: 'reassignTerminal', request: { ...TERMINAL, body: { mid: 'LISBON0009' } } },
  { operation: 'reassignTerminal', request: { ...TERMINAL, body: {} } },

  { operation: 'archiveBranch', request: BRANCH },
  { operation: 'archiveBranch', request: BRANCH },
  { operation: 'archiveBranch', request: NO_BRANCH },
  { operation: 'createTerminals', request: { ...BRANCH_BY_ID, body: { terminals: [{ terminal_id: 'T0000003' }] } } },
  { operation: 'reassignTerminal', request: { ...TERMINAL, body: { mid: 'PORTO0001' } } },

  { operation: 'restoreBranch', request: BRANCH },
  { operation: 'restoreBranch', request: BRANCH },
  { operation: 'restoreBranch', request: NO_BRANCH },

  { operation: 'createBranch', as: 'northgate', isHidden: true, request: { body: DISTRIBUTORS_BRANCH } },
  { operation: 'reassignTerminal', isHidden: true, request: { ...TERMINAL, body: { mid: 'PORTO0004' } } },
  { operation: 'reassignTerminal', isHidden: true, request: { ...TERMINAL, body: { mid: 'PORTO0002' } } },

  { operation: 'deleteTerminal', request: TERMINAL },
  { operation: 'deleteTerminal', request: TERMINAL },

  { operation: 'listEvents' },
  { operation: 'listEvents', name: 'as_a_distributor', as: 'northgate' },
  { operation: 'listEvents', name: 'next_page', request: { query: { after: cursorOf(MIDDAY), limit: '2' } } },
  { operation: 'listEvents', name: 'now', request: { query: { after: 'now' } } },
  { operation: 'listEvents', request: { query: { after: 'yesterday' } } },
  { operation: 'listEvents', request: { query: { after: cursorOf(LONG_AGO) } } },
  { operation: 'getBranchHistory', request: BRANCH },
  { operation: 'getBranchHistory', name: 'first_page', request: { ...BRANCH, query: { limit: '2' } } },
  { operation: 'getBranchHistory', request: NO_BRANCH },
  { operation: 'getBranchHistory', request: { ...BRANCH, query: { before: 'yesterday' } } },
  { operation: 'getTerminalHistory', request: TERMINAL },
  { operation: 'getTerminalHistory', name: 'through_its_branch', request: FIRST_TERMINAL },
  { operation: 'getTerminalHistory', request: FOREIGN_TERMINAL },
  { operation: 'getTerminalHistory', request: { ...TERMINAL, query: { limit: '0' } } },

  { operation: 'createBranch', as: 'trustcard', isHidden: true, isLarge: true, request: { body: FULL_BRANCH } },
  ...FULL_BRANCH_TERMINALS.map(
    (terminals): Step => ({
      operation: 'createTerminals',
      as: 'trustcard',
      isHidden: true,
      isLarge: true,
      request: { ...FULL_BRANCH_BY_ID, body: { terminals } },
    }),
  ),
  { operation: 'createTerminals', as: 'trustcard', isLarge: true, request: { ...FULL_BRANCH_BY_ID, body: TERMINALS } },
  {
    operation: 'reassignTerminal',
    as: 'trustcard',
    isLarge: true,
    request: { ...FOREIGN_TERMINAL, body: { mid: FULL_BRANCH.mid } },
  },

  // At the end, so that the times of all other examples stay as they are.
  { operation: 'createBranch', as: 'viewer', isGeneral: true },
];
