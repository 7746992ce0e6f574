import { NIL } from 'uuid';
import * as v from 'valibot';
import type { Registered } from '../../../lib/acquirer.ts';
import type { ApiKey, KeyInfo } from '../../../lib/apiKey.ts';
import { alphanumeric, currency, keyName, mid, storedText, text } from '../../../lib/base/fields.ts';
import { type Branch, toBranch } from '../../../lib/branch.ts';
import type { BranchListHead } from '../../../lib/branchList.ts';
import { copyKey, type StoredEvent } from '../../../lib/event.ts';
import type { StoredResponse } from '../../../lib/idempotencyKey.ts';
import type { MasterMerchant } from '../../../lib/masterMerchant.ts';
import type { Card, Imported, Reward } from '../../../lib/member.ts';
import type { RecordEvent } from '../../../lib/record.ts';
import { RECORD_TYPES } from '../../../lib/recordTypes.ts';
import {
  acquirerKey,
  apiKeyKey,
  branchKey,
  branchListEntryKey,
  branchListEntryOf,
  branchListKey,
  cardKey,
  distributorKey,
  erasureKey,
  eventKey,
  idempotencyKeyKey,
  type Key,
  masterAcquirerKey,
  masterMerchantEntryKey,
  masterMerchantKey,
  memberCardKey,
  paymentAppKey,
  providerKey,
  rateLimitKey,
  reassignmentKey,
  recordKey,
  rewardKey,
  serialKey,
  terminalKey,
} from '../../../lib/table/keys.ts';
import { type Terminal, toTerminal } from '../../../lib/terminal.ts';
import { digestOfBranch, digestOfFields } from './digests.ts';
import { eventBody } from './eventBody.ts';
import {
  acquirerType,
  count,
  entryUuidOf,
  hash,
  hashIn,
  id,
  isEventId,
  keyId,
  limit,
  PLACE,
  rank,
  seconds,
  time,
} from './forms.ts';

/** A kind of item that the table holds, and what is needed to judge its items. */
interface Kind<T extends object, Summary> {
  /** The form of each attribute. An item may have others: a newer version may have added them. */
  form: { [A in keyof Required<T>]: v.GenericSchema<unknown, T[A]> };
  /** The key of an item; `owner` is what stands in its pk after the kind, and `sk` its sort key, for what no attribute tells. */
  keyOf(item: T, owner: string, sk: string): Key;
  /** Its sort key is the id of what it is about, and does not begin with a word that all items of the kind share. */
  hasIdAsSk?: true;
  /** How many parts of the pk stand before its last one, if that is a hash. */
  hashAfter?: number;
  /** Its sort key ends with the hash of a card. */
  hasHashInSk?: true;
  /**
   * What of an item is kept in memory, to be held against other items; nothing, where its kind has no others to be held
   * against. An attribute that is not in its form is absent.
   */
  summarize?: (item: Partial<T>) => Summary;
}

const kind =
  <T extends object>() =>
  <Summary = never>(definition: Kind<T, Summary>): Kind<T, Summary> =>
    definition;

type Keyring = Registered & { api_keys?: (KeyInfo & { sha256: string })[] | undefined };

/** All kinds of items that there are, each by the name that a report gives it. */
export const KINDS = {
  acquirer: kind<Keyring>()({
    form: {
      id,
      type: acquirerType,
      name: storedText,
      limit,
      created_at: time,
      updated_at: time,
      disabled_at: v.optional(time),
      api_keys: v.optional(
        v.array(
          v.object({
            key_id: keyId,
            label: storedText,
            created_at: time,
            expires_at: v.optional(time),
            sha256: hash,
          }),
        ),
      ),
    },
    keyOf: (item) => acquirerKey(item.id),
    summarize: ({ type, name, limit, disabled_at, api_keys = [] }) => ({ type, name, limit, disabled_at, api_keys }),
  }),
  api_key: kind<ApiKey & { ttl?: number | undefined }>()({
    form: {
      acquirer: v.object({ id, type: acquirerType, name: storedText, limit }),
      key_id: keyId,
      label: storedText,
      expires_at: v.optional(time),
      ttl: v.optional(seconds),
    },
    keyOf: (_, owner) => apiKeyKey(owner),
    hashAfter: 1,
    summarize: ({ acquirer, key_id, label, expires_at }) => ({ acquirer, key_id, label, expires_at }),
  }),
  provider: kind<{ name: string }>()({
    form: { name: storedText },
    keyOf: (_, owner, sk) => providerKey(owner, sk),
    hasIdAsSk: true,
    summarize: ({ name }) => ({ name }),
  }),
  distributor: kind<{ name: string }>()({
    form: { name: storedText },
    keyOf: (_, owner, sk) => distributorKey(owner, sk),
    hasIdAsSk: true,
    summarize: ({ name }) => ({ name }),
  }),
  payment_app: kind<object>()({
    form: {},
    keyOf: (_, owner, sk) => paymentAppKey(owner, sk),
    hasIdAsSk: true,
    summarize: () => ({}),
  }),
  master_acquirer: kind<object>()({
    form: {},
    keyOf: (_, owner, sk) => masterAcquirerKey(owner, sk),
    hasIdAsSk: true,
    summarize: () => ({}),
  }),
  master_merchant_entry: kind<Pick<MasterMerchant, 'name' | 'master_merchant_id'> & { payment_provider?: string }>()({
    form: { name: v.optional(storedText), master_merchant_id: alphanumeric, payment_provider: v.optional(id) },
    keyOf(_, owner, sk) {
      const uuid = entryUuidOf(sk);
      return uuid
        ? masterMerchantEntryKey(owner, uuid)
        : { ...masterMerchantEntryKey(owner, NIL), sk: '<UUID in base64url>' };
    },
    hasIdAsSk: true,
    summarize: ({ name, master_merchant_id, payment_provider }) => ({ name, master_merchant_id, payment_provider }),
  }),
  master_merchant: kind<MasterMerchant>()({
    form: {
      uuid: id,
      payment_provider: id,
      master_merchant_id: alphanumeric,
      name: v.optional(storedText),
      email: v.optional(storedText),
      country_code: v.optional(storedText),
      phone: v.optional(storedText),
      mcc: v.optional(text),
      country: v.optional(storedText),
    },
    keyOf: ({ uuid }) => masterMerchantKey(uuid),
    summarize: ({ email, country_code, phone, mcc, country, ...kept }) => kept,
  }),
  branch_list: kind<BranchListHead>()({
    form: { count: rank, sealed: v.array(mid), sealed_to: v.pipe(v.string(), v.regex(PLACE)) },
    keyOf: (_, owner) => branchListKey(owner),
    summarize: (list) => list,
  }),
  branch_list_entry: kind<object>()({
    form: {},
    keyOf(_, owner, sk) {
      const { created_at = '<created_at>', mid = '<mid>' } = branchListEntryOf({ pk: '', sk }) ?? {};
      return branchListEntryKey(owner, created_at, mid);
    },
    summarize: () => ({}),
  }),
  branch: kind<Branch>()({
    form: {
      mid,
      merchant_name: v.optional(storedText),
      area: v.optional(storedText),
      city: v.optional(storedText),
      existing_master_merchant: id,
      master_merchant_id: alphanumeric,
      master_merchant_name: v.optional(storedText),
      payment_provider: id,
      provider_position: rank,
      distributor: v.optional(id),
      distributor_position: v.optional(rank),
      terminal_count: count,
      terminal_changes: v.record(v.string(), v.union([v.object({ added: v.array(text) }), v.object({ removed: id })])),
      created_at: time,
      updated_at: time,
      archived_at: v.optional(time),
    },
    keyOf: (item) => branchKey(item.mid),
    summarize(item) {
      const { mid, merchant_name, area, city, ...kept } = item;
      return { ...kept, shown: digestOfBranch(toBranch(item as Branch)) };
    },
  }),
  terminal: kind<Terminal>()({
    form: {
      tid: id,
      terminal_id: alphanumeric,
      serial_no: v.optional(alphanumeric),
      terminal_model: v.optional(storedText),
      payment_app: v.optional(keyName),
      acquirer_name: v.optional(keyName),
      mid,
      branch_order: text,
      created_at: time,
      updated_at: time,
      archived_at: v.optional(time),
      archive_reason: v.optional(storedText),
      restored: v.optional(v.literal(true)),
    },
    keyOf: ({ tid }) => terminalKey(tid),
    summarize(item) {
      const { mid, serial_no, archived_at, archive_reason, restored, updated_at } = item;
      const fields = digestOfFields(toTerminal({ terminal: item as Terminal, branch: {} as Branch }));
      return { mid, serial_no, archived_at, archive_reason, restored, updated_at, fields };
    },
  }),
  serial: kind<{ tid: string }>()({
    form: { tid: id },
    keyOf: (_, owner) => serialKey(owner),
    summarize: ({ tid }) => ({ tid }),
  }),
  event: kind<StoredEvent>()({
    form: {
      body: eventBody,
      ttl: seconds,
      branch_history: v.optional(mid),
      terminal_history: v.optional(id),
      terminal_created_at: v.optional(time),
    },
    keyOf(_, owner, sk) {
      const [acquirer = '', month = ''] = owner.split('#');
      return isEventId(sk) ? copyKey(acquirer, sk) : eventKey(acquirer, month, '<version-7 UUID>');
    },
    hasIdAsSk: true,
  }),
  reassignment: kind<Pick<StoredEvent, 'ttl'> & { branch_history: string }>()({
    form: { branch_history: mid, ttl: seconds },
    keyOf: ({ branch_history }, _, sk) => reassignmentKey(branch_history, isEventId(sk) ? sk : '<version-7 UUID>'),
    hasIdAsSk: true,
  }),
  card: kind<Card>()({
    form: {
      member_id: keyName,
      pseudo_token_hash: hash,
      blocked_at: v.optional(time),
      import_id: v.optional(id),
    },
    keyOf: (_, owner) => cardKey(owner),
    hashAfter: 1,
    summarize: ({ member_id }) => ({ member_id }),
  }),
  member_card: kind<object>()({
    form: {},
    keyOf: (_, owner, sk) => memberCardKey(owner, hashIn(sk) ?? ''),
    hasHashInSk: true,
    summarize: () => ({}),
  }),
  reward: kind<Reward & Imported>()({
    form: {
      reward_id: keyName,
      name: storedText,
      currency,
      minimum_amount: v.pipe(v.number(), v.minValue(0)),
      valid_from: time,
      expires_at: time,
      import_id: v.optional(id),
    },
    keyOf: ({ reward_id }, owner) => rewardKey(owner, reward_id),
  }),
  erasure: kind<{ id: string; ttl: number }>()({
    form: { id, ttl: seconds },
    keyOf: (_, owner) => erasureKey(owner),
    hashAfter: 1,
  }),
  record: kind<RecordEvent & { ttl: number }>()({
    form: {
      id,
      type: v.picklist(RECORD_TYPES),
      at: time,
      by: v.pipe(v.string(), v.minLength(1)),
      details: v.record(v.string(), v.unknown()),
      ttl: seconds,
    },
    keyOf: (item, owner) => recordKey(owner, item.id),
    hasIdAsSk: true,
    summarize: () => ({}),
  }),
  idempotency_key: kind<StoredResponse>()({
    form: {
      fingerprint: hash,
      status: v.picklist([200, 201] as const),
      body: v.union([v.string(), v.instance(Uint8Array)]),
      location: v.optional(v.string()),
      ttl: seconds,
    },
    keyOf: (_, owner) => idempotencyKeyKey(...(owner.split('#') as [string, string])),
    hashAfter: 2,
    summarize: ({ location }) => ({ location }),
  }),
  rate_limit: kind<{ taken: number; ttl: number }>()({
    form: { taken: rank, ttl: seconds },
    keyOf: (_, owner) => rateLimitKey(...(owner.split('#') as [string, string, number])),
    summarize: () => ({}),
  }),
};

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** An item with all its attributes in their form. */
export type Item<K extends KindName> = (typeof KINDS)[K] extends Kind<infer T, unknown> ? T : never;
/** What is kept of an item. */
export type Summary<K extends KindName> = (typeof KINDS)[K] extends Kind<infer _, infer T> ? T : never;
