import { MID } from '../../lib/base/mid.ts';
import type { EventType } from '../../lib/event.ts';

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it. */
export interface Schema {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
}

/** What each field is, by its name, wherever it stands. Limits of requests come from the code's own schemas. */
export const FIELDS: Record<string, string> = {
  mid: 'MID of the branch: a UUID, or alphanumeric. Upper and lower case differ, but for a UUID.',
  branch_name: 'Display name of the branch. Responses call it `merchant_name`.',
  merchant_name: 'Display name of the branch.',
  area: 'Area of the branch.',
  city: 'City of the branch.',
  payment_provider: 'UUID of the payment provider. A distributor must name one of its partners.',
  distributor: 'UUID of the distributor. A payment provider may name one of its partners.',
  existing_master_merchant: 'UUID of the business that owns the branch.',
  master_merchant_id:
    'Id of the business that owns the branch, unique for its payment provider. A create joins the business that has it or, if there is none, creates one.',
  master_merchant_name: 'Display name of the business.',
  email: 'E-mail address of the business.',
  country_code: 'Country code of the business.',
  phone: 'Telephone number of the business.',
  mcc: 'Merchant category code of the business.',
  country: 'Country of the business.',
  terminals:
    'Terminals of the branch, in this order. Within a request, each `terminal_id` and each `serial_no` must differ.',
  terminal_count: 'How many terminals the branch has.',
  terminal_id: 'Id of the terminal, unique across all terminals.',
  tid: 'TID: the UUID by which operations name the terminal.',
  serial_no: 'Serial number, unique where there is one.',
  terminal_model: 'Model of the terminal.',
  payment_app: 'Name of one of your payment apps: see the lookup `paymentApp`.',
  acquirer_name: 'Name of one of your master acquirers: see the lookup `acquirers`.',
  reason: 'Why the terminal is archived.',
  status: 'A terminal is also `archived` when its branch is.',
  created_at: 'When it was created (RFC 3339, UTC).',
  updated_at: 'When it last changed; for a terminal, also by the archiving of its branch (RFC 3339, UTC).',
  archived_at: 'When it was archived (RFC 3339, UTC).',
  archive_reason: 'Why it was archived.',
  warnings:
    'What you sent and the operation does not know: it changed nothing. Absent if there is nothing of the kind.',
  changes: 'The fields that changed, with their values before; `null` for other events than updates and reassignments.',
  by: 'Who did it. The API key is only told to the acquirer that it belongs to.',
  request_id: 'The `X-Request-Id` of the request that did it.',
  up_to_date: 'Whether there is nothing more to read by now. If `false`, read on at once.',
  complete_to: 'Every event before this time is on this page or on one before it (RFC 3339, UTC).',
  key: 'What requests name it by.',
  text: 'What people read.',
  amount: 'Amount of the transaction, in major units of its currency.',
  card_id: 'Identifier of the card.',
  card_pseudo_token: 'Pseudo token of the card.',
  currency: 'Currency (ISO 4217).',
  acquirer_id: 'Your UUID, or that of the payment provider of the terminal’s branch.',
  member_identified: 'Whether card, token and terminal identify a member.',
  rewards_available: 'Whether there are rewards for this transaction.',
  rewards: 'Rewards that this transaction reaches.',
  reward_id: 'Id of the reward.',
  name: 'Name of the reward.',
  minimum_amount: 'Amount from which the reward counts.',
  valid_from: 'From when the reward counts (RFC 3339, UTC).',
  expires_at: 'Until when the reward counts (RFC 3339, UTC).',
};

const MOST_CHARACTERS = 255;
const text: Schema = { type: 'string', maxLength: MOST_CHARACTERS };
export const uuid: Schema = { type: 'string', format: 'uuid', maxLength: 36 };
const time: Schema = { type: 'string', format: 'date-time', maxLength: 24 };
const status: Schema = { type: 'string', enum: ['active', 'archived'] };
export const mid: Schema = { type: 'string', pattern: MID.source, maxLength: 64 };
const id: Schema = { type: 'string', pattern: '^[0-9A-Za-z]+$', maxLength: MOST_CHARACTERS };
const count: Schema = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const amount: Schema = { type: 'number', format: 'double', minimum: 0 };
const boolean: Schema = { type: 'boolean' };
/** It has all that the query has, of which nothing but the gateway is a limit. */
const link: Schema = { type: 'string', format: 'uri', maxLength: 1_000_000 };
const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] });

/**
 * An object of a response: it always has these fields, and sometimes the optional ones. The schema is open, because later
 * versions may add fields; test/support/contract.ts closes it.
 */
export const objectOf = (properties: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

/** A word of which there may be more in later versions. `x-extensible-enum` lists those of this one. */
export const oneOfCodes = (codes: readonly string[]): Schema => ({
  type: 'string',
  pattern: '^[a-z_]+$',
  maxLength: 64,
  'x-extensible-enum': codes,
});

export const listOf = (items: Schema, maxItems: number): Schema => ({ type: 'array', maxItems, items });

/** A reference to one of the schemas below. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const listedBranch = {
  mid,
  merchant_name: orNull(text),
  area: orNull(text),
  city: orNull(text),
  master_merchant_name: orNull(text),
  master_merchant_id: id,
  status,
  created_at: time,
};
const branch = {
  ...listedBranch,
  existing_master_merchant: uuid,
  payment_provider: uuid,
  distributor: orNull(uuid),
  terminal_count: count,
  updated_at: time,
  archived_at: orNull(time),
};

const changed: Schema = {
  type: ['object', 'null'],
  properties: Object.fromEntries(
    ['mid', 'serial_no', 'terminal_model', 'payment_app', 'acquirer_name'].map((name) => [name, orNull(text)]),
  ),
};

/** What `data` of an event is, by its type. */
const EVENT_DATA: Record<EventType, Schema> = {
  'branch.created': ref('CreatedBranch'),
  'branch.archived': ref('Branch'),
  'terminals.created': listOf(ref('Terminal'), 40),
  'terminal.updated': ref('Terminal'),
  'terminal.archived': ref('Terminal'),
  'terminal.restored': ref('Terminal'),
  'terminal.reassigned': ref('Terminal'),
  'terminal.deleted': ref('DeletedTerminal'),
  'terminal.left': ref('DeletedTerminal'),
  'terminal.joined': ref('Terminal'),
};

/** An opaque text. */
const cursor: Schema = {
  description: 'Cursor to go on from.',
  type: 'string',
  pattern: '^[0-9A-Za-z_-]+$',
  maxLength: 128,
};

/** What responses are made of. */
export const SCHEMAS: Record<string, Schema> = {
  ListedBranch: objectOf(listedBranch),
  Branch: objectOf(branch),
  CreatedBranch: objectOf({ ...branch, terminals: listOf(ref('Terminal'), 40) }),
  Terminal: objectOf({
    tid: uuid,
    terminal_id: id,
    serial_no: orNull(id),
    terminal_model: orNull(text),
    payment_app: orNull(text),
    acquirer_name: orNull(text),
    mid,
    status,
    created_at: time,
    updated_at: time,
    archived_at: orNull(time),
    archive_reason: orNull(text),
  }),
  DeletedTerminal: objectOf({ tid: uuid, terminal_id: id }),
  MasterMerchant: objectOf({
    existing_master_merchant: uuid,
    master_merchant_id: id,
    master_merchant_name: orNull(text),
    payment_provider: uuid,
    email: orNull(text),
    country_code: orNull(text),
    phone: orNull(text),
    mcc: orNull(text),
    country: orNull(text),
  }),
  LookupItem: objectOf({ key: text, text }),
  MemberCheck: objectOf({
    member_identified: boolean,
    rewards_available: boolean,
    rewards: listOf(
      objectOf({
        reward_id: text,
        name: text,
        currency: { type: 'string', pattern: '^[A-Z]{3}$', maxLength: 3 },
        minimum_amount: amount,
        valid_from: time,
        expires_at: time,
      }),
      10_000,
    ),
  }),
  FieldWarning: objectOf({
    pointer: {
      ...text,
      description: 'JSON Pointer (RFC 6901) to the field in the request body.',
    },
    code: oneOfCodes(['unknown_field']),
    detail: text,
  }),
  ParameterWarning: objectOf({
    parameter: { ...text, description: 'Name of the query parameter.' },
    code: oneOfCodes(['unknown_parameter']),
    detail: text,
  }),
  Event: {
    oneOf: Object.entries(EVENT_DATA).map(([type, data]) =>
      objectOf({
        id: {
          ...uuid,
          description: 'UUID of the event, by which events are in order. Whoever sees it sees the same id.',
        },
        type: { type: 'string', const: type },
        at: { ...time, description: 'When it happened (RFC 3339, UTC): the time that it gave to what it changed.' },
        branch: {
          ...objectOf({ mid, status }),
          description:
            'The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it.',
        },
        data: { ...data, description: 'What the operation returned: the resource after the change.' },
        changes: changed,
        by: objectOf({ acquirer: uuid, key_id: orNull(text), key_label: orNull(text) }),
        request_id: text,
      }),
    ),
  },
  EventsMeta: objectOf({ next: cursor, up_to_date: boolean, complete_to: time }),
  HistoryMeta: objectOf({ next: orNull(cursor) }),
  Links: objectOf({ first: link, last: link, prev: orNull(link), next: orNull(link) }),
  Meta: objectOf({ current_page: count, per_page: count, total: count }),
};
