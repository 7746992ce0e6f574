import * as v from 'valibot';
import type { Named, Registered } from '../../../lib/acquirer.ts';
import type { ApiKey, KeyInfo } from '../../../lib/apiKey.ts';
import type { Branch, BranchList } from '../../../lib/branch.ts';
import { alphanumeric, currency, keyName, storedText, text } from '../../../lib/http/fields.ts';
import type { KeptAnswer } from '../../../lib/idempotency.ts';
import type { MasterMerchant } from '../../../lib/masterMerchant.ts';
import type { Reward } from '../../../lib/member.ts';
import {
  acquirerKey,
  apiKeyKey,
  branchKey,
  branchListKey,
  cardKey,
  distributorKey,
  idempotencyKeyKey,
  type Key,
  masterAcquirerKey,
  masterMerchantKey,
  paymentAppKey,
  providerKey,
  rewardKey,
  serialKey,
  terminalKey,
} from '../../../lib/table/keys.ts';
import type { Terminal } from '../../../lib/terminal.ts';

/** A kind of item that the table holds, and what is needed to judge its items. */
interface Kind<T extends object, Kept> {
  /** The form of each attribute. An item may have others: a newer version may have added them. */
  form: { [A in keyof Required<T>]: v.GenericSchema<unknown, T[A]> };
  /** The key of an item; `owner` is what stands in its pk after the kind, for what no attribute tells. */
  keyOf(item: T, owner: string): Key;
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
const time = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
/** Since 1970, as the table's time to live wants them; milliseconds would be larger. */
const seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9_999_999_999));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const rank = v.pipe(v.number(), v.integer(), v.minValue(1));
const mid = v.union([alphanumeric, v.pipe(v.string(), v.uuid())]);
/** Of SHA-256 or an HMAC with it. */
const hash = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/));
const keyId = v.pipe(v.string(), v.regex(/^[\da-f]{12}$/));
const acquirerType = v.picklist(['DISTRIBUTOR', 'PAYMENT_PROVIDER'] as const);

type Keyring = Registered & { api_keys?: (KeyInfo & { sha256: string })[] | undefined };

const named = { id: keyName, name: keyName };
const partner = { id, name: storedText };

/** All kinds of items that there are, each by the name that a report gives it. */
export const KINDS = {
  acquirer: kind<Keyring>()({
    form: {
      id,
      type: acquirerType,
      name: storedText,
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
    keep: ({ type, name, disabled_at, api_keys = [] }) => ({ type, name, disabled_at, api_keys }),
  }),
  api_key: kind<ApiKey & { ttl?: number | undefined }>()({
    form: {
      acquirer: v.object({ id, type: acquirerType, name: storedText }),
      key_id: keyId,
      label: storedText,
      expires_at: v.optional(time),
      ttl: v.optional(seconds),
    },
    keyOf: (_, owner) => apiKeyKey(owner),
    hashAfter: 1,
    keep: ({ acquirer, key_id, label, expires_at }) => ({ acquirer, key_id, label, expires_at }),
  }),
  provider: kind<Named>()({
    form: partner,
    keyOf: (item, owner) => providerKey(owner, item.id),
    keep: (item) => ({ partner: item.id, name: item.name }),
  }),
  distributor: kind<Named>()({
    form: partner,
    keyOf: (item, owner) => distributorKey(owner, item.id),
    keep: (item) => ({ partner: item.id, name: item.name }),
  }),
  payment_app: kind<Named>()({
    form: named,
    keyOf: ({ name }, owner) => paymentAppKey(owner, name),
    keep: () => ({}),
  }),
  master_acquirer: kind<Named>()({
    form: named,
    keyOf: ({ name }, owner) => masterAcquirerKey(owner, name),
    keep: () => ({}),
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
    keyOf: ({ uuid }, owner) => masterMerchantKey(owner, uuid),
    keep: ({ email, country_code, phone, mcc, country, ...kept }) => kept,
  }),
  branch_list: kind<BranchList>()({
    form: { count: rank, last_created_at: time },
    keyOf: (_, owner) => branchListKey(owner),
    keep: (list) => ({ count: list.count, last_created_at: list.last_created_at }),
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
  idempotency_key: kind<KeptAnswer & { fingerprint: string; ttl: number }>()({
    form: {
      fingerprint: hash,
      status: v.picklist([200, 201] as const),
      body: v.string(),
      location: v.optional(v.string()),
      ttl: seconds,
    },
    keyOf: (_, owner) => idempotencyKeyKey(...(owner.split('#') as [string, string])),
    hashAfter: 2,
    keep: ({ location }) => ({ location }),
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

/** The first parts of both keys tell the kind. */
const partsOf = ({ pk, sk }: Key): string => [pk, sk].map((part) => part.split('#', 1)[0]).join();

const BY_PARTS = new Map(KIND_NAMES.map((name) => [partsOf(KINDS[name].keyOf({} as never, '')), name]));

const kindOf = (key: Key): KindName | undefined => BY_PARTS.get(partsOf(key));

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

/** Judges an item as it is stored by its kind. */
export function see({ pk, sk, ...stored }: Key & Record<string, unknown>): Seen {
  const key = { pk, sk };
  const kind = kindOf(key);
  const forms: [string, v.GenericSchema][] = kind ? Object.entries(KINDS[kind].form) : [];
  const malformed = forms.filter(([name, form]) => !v.is(form, stored[name])).map(([name]) => name);
  const attributes = Object.fromEntries(
    forms.flatMap(([name]) => (malformed.includes(name) ? [] : [[name, stored[name]]])),
  );
  const others = Object.keys(stored).filter((name) => !forms.some(([known]) => known === name));
  return { key, kind, attributes, malformed, others };
}
