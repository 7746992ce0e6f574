/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it. */
export interface Schema {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
}

/** What each field is, by its name, wherever it stands. Limits of requests come from the code's own schemas. */
export const FIELDS: Record<string, { description: string; example: unknown }> = {
  mid: { description: 'MID of the branch. Upper and lower case differ.', example: 'PORTO0001' },
  branch_name: { description: 'Display name of the branch; answers call it `merchant_name`.', example: 'Harbour Café' },
  merchant_name: { description: 'Display name of the branch.', example: 'Harbour Café' },
  area: { description: 'Area of the branch.', example: 'Ribeira' },
  city: { description: 'City of the branch.', example: 'Porto' },
  payment_provider: {
    description: 'UUID of the payment provider. A distributor must name one of its partners.',
    example: '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11',
  },
  distributor: {
    description: 'UUID of the distributor. A payment provider may name one of its partners.',
    example: '0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10',
  },
  existing_master_merchant: {
    description: 'UUID of the business that owns the branch. On creation, either this or `master_merchant_id`.',
    example: '9d3a2f0e-2c5b-5d7e-8f1a-3b4c5d6e7f80',
  },
  master_merchant_id: {
    description:
      'Id of the business that owns the branch, unique for its payment provider. On creation it makes a new one.',
    example: 'HARBOURCAFES',
  },
  master_merchant_name: { description: 'Display name of the business.', example: 'Harbour Cafés' },
  email: { description: 'E-mail address of the new business.', example: 'office@example.com' },
  country_code: { description: 'Country code of the new business.', example: 'PT' },
  phone: { description: 'Telephone number of the new business.', example: '+351 222 000 000' },
  mcc: { description: 'Merchant category code of the new business.', example: '5814' },
  country: { description: 'Country of the new business.', example: 'Portugal' },
  terminals: { description: 'Terminals of the branch, in this order.', example: [{ terminal_id: 'T0000001' }] },
  terminal_count: { description: 'How many terminals the branch has.', example: 1 },
  terminal_id: { description: 'Id of the terminal, unique across all terminals.', example: 'T0000001' },
  tid: {
    description: 'TID: the UUID by which operations name the terminal.',
    example: '7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a',
  },
  serial_no: { description: 'Serial number, unique where there is one.', example: 'SN20260001' },
  terminal_model: { description: 'Model of the terminal.', example: 'Countertop 3' },
  payment_app: {
    description: 'Name of one of your payment apps: see the lookup `paymentApp`.',
    example: 'Checkout Go',
  },
  acquirer_name: {
    description: 'Name of one of your master acquirers: see the lookup `acquirers`.',
    example: 'Atlantic Acquiring',
  },
  reason: { description: 'Why the terminal is archived.', example: 'Sent to repair' },
  status: { description: 'A terminal is also `archived` when its branch is.', example: 'active' },
  created_at: { description: 'When it was created (RFC 3339, UTC).', example: '2026-11-20T09:30:00.000Z' },
  updated_at: { description: 'When it was last changed itself (RFC 3339, UTC).', example: '2026-11-20T09:30:00.000Z' },
  archived_at: { description: 'When it was archived (RFC 3339, UTC).', example: null },
  archive_reason: { description: 'Why it was archived.', example: null },
  key: { description: 'What requests name it by.', example: 'Checkout Go' },
  text: { description: 'What people read.', example: 'Checkout Go' },
  amount: { description: 'Amount of the transaction, in major units of its currency.', example: 12.5 },
  card_id: { description: 'Identifier of the card.', example: 'card-of-a-member' },
  card_pseudo_token: { description: 'Pseudo token of the card.', example: 'token-of-the-card' },
  currency: { description: 'Currency (ISO 4217).', example: 'EUR' },
  acquirer_id: {
    description: 'Your UUID, or that of the payment provider of the terminal’s branch.',
    example: '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11',
  },
  member_identified: { description: 'Whether card, token and terminal identify a member.', example: true },
  rewards_available: { description: 'Whether there are rewards for this transaction.', example: true },
  rewards: { description: 'Rewards that this transaction reaches.', example: [] },
  reward_id: { description: 'Id of the reward.', example: 'WELCOME' },
  name: { description: 'Name of the reward.', example: 'Welcome' },
  minimum_amount: { description: 'Amount from which the reward counts.', example: 10 },
  valid_from: { description: 'From when the reward counts (RFC 3339, UTC).', example: '2026-01-01T00:00:00.000Z' },
  expires_at: { description: 'Until when the reward counts (RFC 3339, UTC).', example: '2027-01-01T00:00:00.000Z' },
};

const MOST_CHARACTERS = 255;
const text: Schema = { type: 'string', maxLength: MOST_CHARACTERS };
export const uuid: Schema = { type: 'string', format: 'uuid', maxLength: 36 };
const time: Schema = { type: 'string', format: 'date-time', maxLength: 24 };
const status: Schema = { type: 'string', enum: ['active', 'archived'] };
export const mid: Schema = { type: 'string', pattern: '^[0-9A-Za-z-]+$', maxLength: 64 };
const id: Schema = { type: 'string', pattern: '^[0-9A-Za-z]+$', maxLength: MOST_CHARACTERS };
const count: Schema = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const amount: Schema = { type: 'number', format: 'double', minimum: 0 };
const boolean: Schema = { type: 'boolean' };
/** It has all that the query has, of which nothing but the gateway is a limit. */
const link: Schema = { type: 'string', format: 'uri', maxLength: 1_000_000 };
const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema['type'], 'null'] });

/** An object with just these fields, none of which is ever missing. */
export const objectOf = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
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

/** What answers are made of. */
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
  Links: objectOf({ first: link, last: link, prev: orNull(link), next: orNull(link) }),
  Meta: objectOf({ current_page: count, per_page: count, total: count }),
};
