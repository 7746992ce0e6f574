import { v5 as uuidV5 } from 'uuid';
import type { ApiOperation, RefusedRequestOperation, WebhookOperation } from '../../../infra/publish/contract/calls.ts';
import { type BranchDetails, DETAIL_NAMES } from '../../../lib/branches/branchDetails.ts';
import type { Reward } from '../../../lib/members/member.ts';

/** Repeated, not imported: another namespace would orphan every terminal and master merchant. */
const NAMESPACE = '6a3ff0c5-4f0e-5d0c-9b57-0a4b8d2f6c11';

/** The TID of a terminal. */
export const tidOf = (terminalId: string): string => uuidV5(`TERMINAL#${terminalId}`, NAMESPACE);

/** The UUID of a provider's master merchant. */
export const businessOf = (provider: string, id: string): string =>
  uuidV5(`MASTER_MERCHANT#${provider}#${id}`, NAMESPACE);

export interface Acquirer {
  id: string;
  type: 'DISTRIBUTOR' | 'PAYMENT_PROVIDER';
  name: string;
  /** Ids of its partners. */
  partners: string[];
  paymentApps: string[];
  masterAcquirers: string[];
  /** The API key of its requests. */
  key_id: string;
}

/** A loyalty member's card. */
export interface Card {
  card_id: string;
  card_pseudo_token: string;
  rewards: Reward[];
}

/** A master merchant. */
export interface Business {
  uuid: string;
  payment_provider: string;
  id: string;
  name: string | null;
  details: Record<'email' | 'country_code' | 'phone' | 'mcc' | 'country', string | null>;
  visibleTo: string[];
}

/** The names of a branch's descriptive texts, such as `city`. */
export const DETAILS = DETAIL_NAMES;

/** The name of a detail in requests. */
export const requestedAs = (name: string): string => (name === 'merchant_name' ? 'branch_name' : name);

export interface Branch extends Record<keyof BranchDetails, string | null> {
  mid: string;
  business: string;
  payment_provider: string;
  distributor: string | null;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
  restored_at: string | null;
  /** Its `archived_at` before it was last restored. */
  restored_from: string | null;
}

export interface Terminal {
  tid: string;
  terminal_id: string;
  serial_no: string | null;
  terminal_model: string | null;
  payment_app: string | null;
  acquirer_name: string | null;
  mid: string;
  created_at: string;
  /** Its position in the request that created it. */
  place: number;
  updated_at: string;
  archived: { at: string; reason: string; withBranch: boolean } | null;
  /** When it was last archived or restored with its branch. */
  moved: string;
  /** When its branch had been archived as the terminal was restored there. */
  restored: string | null;
}

/** A change as an acquirer sees it. */
export interface View {
  acquirer: string;
  type: string;
  branch: { mid: string; status: string };
  data: unknown;
  changes: object | null;
}

/** A change of a branch or of terminals. It is immutable, so states share it. */
export interface Change {
  request_id: string;
  author: string;
  at: string;
  /** The branches whose histories have it, and the terminals. */
  mids: string[];
  tids: string[];
  views: View[];
}

/** UUIDs are case-insensitive. */
export const inOneCase = (id: string): string =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.toLowerCase() : id;

/** Everything that exists. */
export interface State {
  acquirers: Acquirer[];
  cards: Card[];
  businesses: Business[];
  branches: Branch[];
  terminals: Terminal[];
  /** The responses to requests with an Idempotency-Key. */
  saved: { caller: string; key: string; request: string; response: ApiResponse }[];
  changes: Change[];
  /** The terminal that last released a serial, and the acquirers of its branch. */
  released: Record<string, { tid: string; terminal_id: string; until: string; acquirers: string[] }>;
}

/** What is not an operation of the API: the operator ends a partnership or, if there is none, begins one. */
export const TURN_PARTNERSHIP = 'turnPartnership';
/** The operations of the model. Those of webhooks and of refused requests say nothing of branches and terminals. */
export type Modelled = Exclude<ApiOperation, WebhookOperation | RefusedRequestOperation>;
type ModelOperation = Modelled | typeof TURN_PARTNERSHIP;

export interface Call {
  operation: ModelOperation;
  /** Id of the acquirer that sends it. */
  caller: string;
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  body?: object | undefined;
  /** The cursor in its query. */
  cursor?: Cursor | undefined;
}

/** A cursor that a response returned to its caller. */
export interface Cursor extends Pick<Call, 'operation' | 'caller' | 'path'> {
  text: string;
  /** The id of its event, or a time. */
  place: string;
}

export interface ApiResponse {
  status: number;
  location: string | null;
  /** Whether it is a replay. */
  isReplayed: boolean;
  /** A problem has no request_id here. */
  body: unknown;
}

/** Times that only the service can know. */
export interface Times {
  /** When the call began and ended. */
  began: string;
  ended: string;
  /** The time of the change or, if a page of events has no next one, the time up to which it is complete. */
  stated: string;
  request_id: string;
}

export interface Input {
  caller: Acquirer;
  path: Record<string, string>;
  query: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a valid body has the form that its rules require
  body: any;
  times: Times;
  cursor: Cursor | undefined;
  /** The state from which a list reads its items: see {@link responseOf}. */
  items: State;
}

/** The operations of the model. They change the given state. */
export type Operations = Record<ModelOperation, (s: State, input: Input) => ApiResponse>;
