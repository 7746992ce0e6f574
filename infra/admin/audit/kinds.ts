import { isDeepStrictEqual } from 'node:util';
import { NIL } from 'uuid';
import * as v from 'valibot';
import type { Registered } from '../../../lib/acquirer.ts';
import type { ApiKey, KeyInfo } from '../../../lib/apiKey.ts';
import type { Branch } from '../../../lib/branch.ts';
import type { BranchListHead } from '../../../lib/branchList.ts';
import { alphanumeric, currency, keyName, mid, storedText, text } from '../../../lib/http/fields.ts';
import type { StoredAnswer } from '../../../lib/idempotency.ts';
import { faultOfLimit } from '../../../lib/limit.ts';
import type { MasterMerchant } from '../../../lib/masterMerchant.ts';
import type { Reward } from '../../../lib/member.ts';
import {
  acquirerKey,
  apiKeyKey,
  branchKey,
  branchListEntryKey,
  branchListEntryOf,
  branchListKey,
  cardKey,
  distributorKey,
  idempotencyKeyKey,
  type Key,
  masterAcquirerKey,
  masterMerchantEntryKey,
  masterMerchantEntryUuidOf,
  masterMerchantKey,
  paymentAppKey,
  providerKey,
  rateLimitKey,
  rewardKey,
  serialKey,
  terminalKey,
} from '../../../lib/table/keys.ts';
import type { Terminal } from '../../../lib/terminal.ts';

/** A kind of item that the table holds, and what is needed to judge its items. */
interface Kind<T extends object, Kept> {
  /** The form of each attribute. An item may have others: a newer version may have added them. */
  form: { [A in keyof Required<T>]: v.GenericSchema<unknown, T[A]> };
  /** The key of an item; `owner` is what stands in its pk after the kind, and `sk` its sort key, for what no attribute tells. */
  keyOf(item: T, owner: string, sk: string): Key;
  /** Its sort key is the id of what it is about, and does not begin with a word that all items of the kind share. */
  hasIdAsSk?: true;
  /** How many parts of the pk stand before its last one, if that is a hash. */
  hashAfter?: number;
  /**
   * What of an item is kept in memory, to be held against other items; nothing, where its kind has no others to be held
   * against. An attribute that is not in its form is absent.
   */
  keep?: (item: Partial<T>) => Kept;
}

const kind =
  <T extends object>() =>
  <Kept = never>(definition: Kind<T, Kept>): Kind<T, Kept> =>
    definition;

/** UUIDs are stored in lower case, whatever case they were sent in. */
const id = v.pipe(v.string(), v.regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/));
const UUID_LENGTH = 36;
const time = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
/** Since 1970, as the table's time to live wants them; milliseconds would be larger. */
const seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9_999_999_999));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const rank = v.pipe(v.number(), v.integer(), v.minValue(1));
/** A time and a MID. */
const PLACE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#[\w-]+$/;
/** Of SHA-256 or an HMAC with it. */
const hash = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/));
const keyId = v.pipe(v.string(), v.regex(/^[\da-f]{12}$/));
const acquirerType = v.picklist(['DISTRIBUTOR', 'PAYMENT_PROVIDER'] as const);

const limit = v.optional(
  v.pipe(
    v.object({ rate: count, burst: count }),
    v.check((value) => !faultOfLimit(value)),
  ),
);

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
    keep: ({ type, name, limit, disabled_at, api_keys = [] }) => ({ type, name, limit, disabled_at, api_keys }),
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
    keep: ({ acquirer, key_id, label, expires_at }) => ({ acquirer, key_id, label, expires_at }),
  }),
  provider: kind<{ name: string }>()({
    form: { name: storedText },
    keyOf: (_, owner, sk) => providerKey(owner, sk),
    hasIdAsSk: true,
    keep: ({ name }) => ({ name }),
  }),
  distributor: kind<{ name: string }>()({
    form: { name: storedText },
    keyOf: (_, owner, sk) => distributorKey(owner, sk),
    hasIdAsSk: true,
    keep: ({ name }) => ({ name }),
  }),
  payment_app: kind<object>()({
    form: {},
    keyOf: (_, owner, sk) => paymentAppKey(owner, sk),
    hasIdAsSk: true,
    keep: () => ({}),
  }),
  master_acquirer: kind<object>()({
    form: {},
    keyOf: (_, owner, sk) => masterAcquirerKey(owner, sk),
    hasIdAsSk: true,
    keep: () => ({}),
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
    keep: ({ name, master_merchant_id, payment_provider }) => ({ name, master_merchant_id, payment_provider }),
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
    keep: ({ email, country_code, phone, mcc, country, ...kept }) => kept,
  }),
  branch_list: kind<BranchListHead>()({
    form: { count: rank, sealed: v.array(mid), sealed_to: v.pipe(v.string(), v.regex(PLACE)) },
    keyOf: (_, owner) => branchListKey(owner),
    keep: (list) => list,
  }),
  branch_list_entry: kind<object>()({
    form: {},
    keyOf(_, owner, sk) {
      const { created_at = '<created_at>', mid = '<mid>' } = branchListEntryOf({ pk: '', sk }) ?? {};
      return branchListEntryKey(owner, created_at, mid);
    },
    keep: () => ({}),
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
      terminal_changes: v.record(v.string(), v.union([v.object({ came: v.array(text) }), v.object({ went: id })])),
      created_at: time,
      updated_at: time,
      archived_at: v.optional(time),
    },
    keyOf: (item) => branchKey(item.mid),
    keep: ({ mid, merchant_name, area, city, updated_at, ...kept }) => kept,
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
    keep: ({ mid, serial_no, archived_at, restored }) => ({ mid, serial_no, archived_at, restored }),
  }),
  serial: kind<{ tid: string }>()({
    form: { tid: id },
    keyOf: (_, owner) => serialKey(owner),
    keep: ({ tid }) => ({ tid }),
  }),
  card: kind<{ member_id: string; pseudo_token_hash: string }>()({
    form: { member_id: keyName, pseudo_token_hash: hash },
    keyOf: (_, owner) => cardKey(owner),
    hashAfter: 1,
  }),
  reward: kind<Reward>()({
    form: {
      reward_id: keyName,
      name: storedText,
      currency,
      minimum_amount: v.pipe(v.number(), v.minValue(0)),
      valid_from: time,
      expires_at: time,
    },
    keyOf: ({ reward_id }, owner) => rewardKey(owner, reward_id),
  }),
  idempotency_key: kind<StoredAnswer>()({
    form: {
      fingerprint: hash,
      status: v.picklist([200, 201] as const),
      body: v.union([v.string(), v.instance(Uint8Array)]),
      location: v.optional(v.string()),
      ttl: seconds,
    },
    keyOf: (_, owner) => idempotencyKeyKey(...(owner.split('#') as [string, string])),
    hashAfter: 2,
    keep: ({ location }) => ({ location }),
  }),
  rate_limit: kind<{ taken: number; ttl: number }>()({
    form: { taken: rank, ttl: seconds },
    keyOf: (_, owner) => rateLimitKey(...(owner.split('#') as [string, string, number])),
    keep: () => ({}),
  }),
};

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** An item with all its attributes in their form. */
export type Item<K extends KindName> = (typeof KINDS)[K] extends Kind<infer T, unknown> ? T : never;
/** What is kept of an item. */
export type Kept<K extends KindName> = (typeof KINDS)[K] extends Kind<infer _, infer T> ? T : never;

/** What stands in an item's pk after the kind. */
export const ownerOf = ({ pk }: Key): string => pk.slice(pk.indexOf('#') + 1);

/** The UUID in the key of a master merchant's entry; `undefined`, where there is something else. */
export function entryUuidOf(sk: string): string | undefined {
  // What follows a UUID is for the invariant `key` to tell.
  const uuid = masterMerchantEntryUuidOf({ pk: '', sk }).slice(0, UUID_LENGTH);
  return v.is(id, uuid) ? uuid : undefined;
}

/** What tells a kind: how pk and sk begin, and whether more follows in the sk. */
const partsOf = ({ pk, sk }: Key): string => `${pk.split('#', 1)[0]} ${sk.replace(/#.*/s, '#')}`;
const [BY_PK, BY_PARTS] = [true, false].map(
  (hasIdAsSk) =>
    new Map(
      KIND_NAMES.filter((name) => hasIdAsSk === 'hasIdAsSk' in KINDS[name]).map((name) => {
        const key = KINDS[name].keyOf({} as never, '', NIL);
        return [hasIdAsSk ? key.pk.split('#', 1)[0] : partsOf(key), name] as const;
      }),
    ),
) as [Map<string | undefined, KindName>, Map<string | undefined, KindName>];

/** An item whose sk has more behind its first word than its kind has, or less, is of that kind, and its key is wrong. */
function kindOf(key: Key): KindName | undefined {
  const parts = partsOf(key);
  const otherParts = parts.endsWith('#') ? parts.slice(0, -1) : `${parts}#`;
  return BY_PK.get(key.pk.split('#', 1)[0]) ?? BY_PARTS.get(parts) ?? BY_PARTS.get(otherParts);
}

/** What stands in a pk in the place of a hash; `undefined` when it is one, or none has to be there. */
export function unhashedIn(key: Key): string | undefined {
  const { hashAfter }: { hashAfter?: number } = KINDS[kindOf(key) ?? 'acquirer'];
  const text = hashAfter && key.pk.split('#').slice(hashAfter).join('#');
  return typeof text !== 'string' || v.is(hash, text) ? undefined : text;
}

/** A key as it is shown: of a hash its beginning, as of API keys everywhere, and nothing of what is not hashed. */
export function shownKey(key: Key): Key {
  const end = key.pk.length - (unhashedIn(key)?.length ?? 0);
  const shorten = (text: string) => text.replace(/([\da-f]{12})[\da-f]{52}/g, '$1…');
  return { pk: shorten(key.pk.slice(0, end)) + (end < key.pk.length ? '…' : ''), sk: shorten(key.sk) };
}

/** An item, judged by its kind. */
export interface Seen {
  key: Key;
  /** `undefined` when it is of none. */
  kind: KindName | undefined;
  /** Those that are in their form. */
  attributes: object;
  /** The names of those that are missing or not in their form. */
  malformed: string[];
  /** The names of those that its kind does not have. */
  others: string[];
}

/** Whether a value is as its form leaves it: a text without white space at its ends, a UUID in lower case. */
function isInForm(form: v.GenericSchema, value: unknown): boolean {
  const { success, output } = v.safeParse(form, value);
  return success && isDeepStrictEqual(output, value);
}

/** Judges an item as it is stored by its kind. */
export function see({ pk, sk, ...stored }: Key & Record<string, unknown>): Seen {
  const key = { pk, sk };
  const kind = kindOf(key);
  const forms: [string, v.GenericSchema][] = kind ? Object.entries(KINDS[kind].form) : [];
  const malformed = forms.filter(([name, form]) => !isInForm(form, stored[name])).map(([name]) => name);
  const attributes = Object.fromEntries(
    forms.flatMap(([name]) => (malformed.includes(name) ? [] : [[name, stored[name]]])),
  );
  const others = Object.keys(stored).filter((name) => !forms.some(([known]) => known === name));
  return { key, kind, attributes, malformed, others };
}
