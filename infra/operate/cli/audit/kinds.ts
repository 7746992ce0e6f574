import { NIL } from 'uuid';
import type * as v from 'valibot';
import { apiKeyItem } from '../../../../lib/acquirers/apiKey.ts';
import { keyringItem, type ListedKey } from '../../../../lib/acquirers/keyring.ts';
import { apiKeyUseItem } from '../../../../lib/acquirers/keyUse.ts';
import { DAY_MS, expiryOf, timeOfId } from '../../../../lib/base/eventId.ts';
import { type Branch, branchItem, toBranch } from '../../../../lib/branches/branch.ts';
import { searchablesOf } from '../../../../lib/branches/branchWords.ts';
import { masterMerchantEntryItem, masterMerchantItem } from '../../../../lib/branches/masterMerchant.ts';
import { branchListItem } from '../../../../lib/branches/ranks.ts';
import { copyKey, eventItem, reassignmentItem } from '../../../../lib/events/event.ts';
import { idempotencyKeyItem } from '../../../../lib/http/idempotentRequest.ts';
import { rateLimitItem } from '../../../../lib/http/tokens.ts';
import { cardItem, rewardItem, ttlOf } from '../../../../lib/members/member.ts';
import { erasureItem } from '../../../../lib/operator/members.ts';
import { partnerItem } from '../../../../lib/operator/partnerships.ts';
import {
  identityItem,
  invitationItem,
  membershipItem,
  personItem,
  sessionItem,
  sessionUseItem,
} from '../../../../lib/people/person.ts';
import { recordItem } from '../../../../lib/record/record.ts';
import type { Key } from '../../../../lib/table/keys.ts';
import * as keys from '../../../../lib/table/keys.ts';
import { type Searchable, wordEntryItem } from '../../../../lib/table/searchEntries.ts';
import { serialItem, terminalItem, toTerminal } from '../../../../lib/terminals/terminal.ts';
import { digestOfBranch, digestOfFields } from './digests.ts';
import { bodyOf, eventBody, terminalsIn } from './eventBody.ts';
import { entryUuidOf, hashIn, isEventId, orderIn, retentionDays, searchableIn } from './keyParts.ts';
import { tallyOfEntries } from './tally.ts';

/** The time to live of an item that ends at a time, in seconds since 1970. */
const endOf = (time: string): number => Math.ceil(Date.parse(time) / 1000);

/** An API key as the summary of its acquirer lists it. */
export const listedKey = ({ sha256, key_id, label, role, expires_at }: Omit<ListedKey, 'created_at'>): string =>
  JSON.stringify({ sha256, key_id, label, role, expires_at });

/** The time to live of an event with an id: it is retained for a whole number of days, and an hour. */
const retained = ({ ttl }: { ttl: number }, id: string) => {
  if (!isEventId(id)) return {};
  const days = Math.max(retentionDays(timeOfId(id), ttl), 1);
  return { ttl: expiryOf(new Date(timeOfId(id)).toISOString(), days * DAY_MS) };
};

/** A kind of item in the table. */
interface Kind<T extends object, S> {
  /** The schema of each attribute. An item may have others: a newer version may have added them. */
  schemas: { [A in keyof Required<T>]: v.GenericSchema<unknown, T[A]> };
  /** The expected key of an item. Parts that no attribute has come from `owner`, its pk after the kind, and `sk`. */
  keyOf(item: T, owner: string, sk: string): Key;
  /** The attributes that derive from others, from `owner` or from `sk`, with their values. */
  derive?: (item: T, owner: string, sk: string) => Partial<T>;
  /** The number of parts of the pk before the hash that it ends with. */
  hashAfter?: number;
  /** That hash is keyed, so it may have a version. */
  isKeyed?: true;
  /** Its sort key ends with the hash of a card. */
  hasHashInSk?: true;
  /** Returns what stays in memory of an item, for comparing it with others. Absent if no invariant needs it. */
  summarize?: (item: T) => S;
}

const kind =
  <E extends v.ObjectEntries>(schemas: E) =>
  <S = never>(
    definition: Omit<Kind<v.InferOutput<v.ObjectSchema<E, undefined>>, S>, 'schemas'>,
  ): Kind<v.InferOutput<v.ObjectSchema<E, undefined>>, S> =>
    ({ schemas, ...definition }) as never;

/** All kinds of items, by their names in reports. */
export const KINDS = {
  acquirer: kind(keyringItem.entries)({
    keyOf: (item) => keys.acquirerKey(item.id),
    summarize({ type, name, limit, disabled_at, api_keys = [] }) {
      // DynamoDB deletes expired keys late, so the item of one may or may not exist.
      const now = new Date().toISOString();
      const valid = disabled_at ? [] : api_keys.filter(({ expires_at = now }) => expires_at >= now);
      const stored = valid.map(({ sha256 }) => sha256);
      return { type, name, limit, disabled_at, api_keys: new Set(api_keys.map(listedKey)), stored };
    },
  }),
  api_key: kind(apiKeyItem.entries)({
    keyOf: (_, owner) => keys.apiKeyKey(owner),
    // The id of an API key is the beginning of its hash.
    derive: ({ expires_at }, owner) => ({
      key_id: owner.slice(0, 12),
      ttl: expires_at ? endOf(expires_at) : undefined,
    }),
    hashAfter: 1,
    summarize: ({ ttl, ...compared }) => compared,
  }),
  api_key_use: kind(apiKeyUseItem.entries)({
    keyOf: (_, owner) => keys.apiKeyUseKey(owner),
  }),
  person: kind(personItem.entries)({
    keyOf: ({ id }) => keys.personKey(id),
    summarize: ({ identity, acquirers }) => ({ identity, acquirers }),
  }),
  identity: kind(identityItem.entries)({
    keyOf: (_, owner) => keys.identityKey(owner),
    hashAfter: 1,
    summarize: ({ person }) => ({ person }),
  }),
  session: kind(sessionItem.entries)({
    keyOf: (_, owner) => keys.sessionKey(owner),
    derive: ({ ends_at }) => ({ ttl: endOf(ends_at) }),
    hashAfter: 1,
  }),
  session_use: kind(sessionUseItem.entries)({
    keyOf: (_, owner) => keys.sessionUseKey(owner),
    hashAfter: 1,
  }),
  membership: kind(membershipItem.entries)({
    keyOf: (_, owner, sk) => keys.membershipKey(owner, keys.idInPeople({ pk: '', sk }).person ?? ''),
    summarize: () => ({}),
  }),
  invitation: kind(invitationItem.entries)({
    keyOf: (_, owner, sk) => keys.invitationKey(owner, keys.idInPeople({ pk: '', sk }).invitation ?? ''),
    derive: ({ expires_at }) => ({ ttl: endOf(expires_at) }),
    summarize: ({ expires_at }) => ({ expires_at }),
  }),
  provider: kind(partnerItem.entries)({
    keyOf: (_, owner, sk) => keys.providerKey(owner, sk),
    summarize: ({ name }) => ({ name }),
  }),
  distributor: kind(partnerItem.entries)({
    keyOf: (_, owner, sk) => keys.distributorKey(owner, sk),
    summarize: ({ name }) => ({ name }),
  }),
  payment_app: kind({})({
    keyOf: (_, owner, sk) => keys.paymentAppKey(owner, sk),
    summarize: () => ({}),
  }),
  master_acquirer: kind({})({
    keyOf: (_, owner, sk) => keys.masterAcquirerKey(owner, sk),
    summarize: () => ({}),
  }),
  master_merchant_entry: kind(masterMerchantEntryItem.entries)({
    keyOf(_, owner, sk) {
      const uuid = entryUuidOf(sk);
      return uuid
        ? keys.masterMerchantEntryKey(owner, uuid)
        : { ...keys.masterMerchantEntryKey(owner, NIL), sk: '<UUID in base64url>' };
    },
    // Only in the lookup of a distributor.
    derive: ({ payment_provider }, owner) => (payment_provider === owner ? { payment_provider: undefined } : {}),
    summarize: (entry) => entry,
  }),
  master_merchant: kind(masterMerchantItem.entries)({
    keyOf: ({ uuid }) => keys.masterMerchantKey(uuid),
    derive: (item) => ({ uuid: keys.masterMerchantUuidOf(item.payment_provider, item.master_merchant_id) }),
    summarize: ({ email, country_code, phone, mcc, country, ...compared }) => compared,
  }),
  branch_list: kind(branchListItem.entries)({
    keyOf: (_, owner) => keys.branchListKey(owner),
    summarize: (list) => list,
  }),
  branch_list_entry: kind({})({
    keyOf(_, owner, sk) {
      const { created_at = '<created_at>', mid = '<mid>' } = keys.branchListEntryOf({ pk: '', sk }) ?? {};
      return keys.branchListEntryKey(owner, created_at, mid);
    },
    summarize: () => ({}),
  }),
  word_entry: kind(wordEntryItem.entries)({
    keyOf(item, owner, sk) {
      const key = { pk: `WORDS#${owner}`, sk };
      const each = searchableIn({ ...item, ...key });
      if (!each) return { pk: 'WORDS#<acquirer>', sk: '<id>' };
      const { list, acquirer, id } = each;
      const [word, rest] = sk.split('#');
      return rest === undefined
        ? keys.unindexedWordsKey(list, acquirer, id)
        : keys.wordEntryKey(list, acquirer, word as string, id);
    },
  }),
  branch: kind(branchItem.entries)({
    keyOf: (item) => keys.branchKey(item.mid),
    summarize(item) {
      const { merchant_name, area, city, terminals = new Set(), ...compared } = item;
      return {
        ...compared,
        terminals: new Set([...terminals].map(orderIn)),
        search_entries: tallyOfEntries(searchablesOf(item)[0] as Searchable),
        shown: digestOfBranch(toBranch(item)),
      };
    },
  }),
  terminal: kind(terminalItem.entries)({
    keyOf: ({ tid }) => keys.terminalKey(tid),
    derive({ tid, terminal_id, created_at, branch_order }) {
      const [, place] = branch_order.split('#');
      return { tid: keys.tidOf(terminal_id), branch_order: keys.branchOrder(created_at, Number(place), tid) };
    },
    summarize(item) {
      const { mid, branch_order, serial_no, archived_at, archive_reason, restored, updated_at, creation_event } = item;
      const fields = digestOfFields(toTerminal({ terminal: item, branch: {} as Branch }));
      const status = { archived_at, archive_reason, restored, updated_at };
      return { mid, branch_order, serial_no, creation_event, ...status, fields };
    },
  }),
  serial: kind(serialItem.entries)({
    keyOf: (_, owner) => keys.serialKey(owner),
    summarize: ({ tid }) => ({ tid }),
  }),
  event: kind({ ...eventItem.entries, body: eventBody })({
    keyOf(_, owner, sk) {
      const [acquirer = '', month = ''] = owner.split('#');
      return isEventId(sk) ? copyKey(acquirer, sk) : keys.eventKey(acquirer, month, '<version-7 UUID>');
    },
    // It is in the history of its branch. One of a single terminal is also in the history of that terminal, and one that
    // archived or restored the branch in its status history.
    derive(item, owner, sk) {
      const [acquirer = ''] = owner.split('#');
      const { type, branch, data } = bodyOf(item.body);
      const { tid } = data as { tid?: string };
      const [created = { tid }, ...others] = terminalsIn(bodyOf(item.body));
      const isStatus = type === 'branch.archived' || type === 'branch.restored';
      const ofTerminal = created.tid && others.length === 0 ? keys.historyOf(acquirer, created.tid) : undefined;
      return {
        ...retained(item, sk),
        branch_history: keys.historyOf(acquirer, branch.mid),
        terminal_history: isStatus ? keys.statusHistoryOf(acquirer, branch.mid) : ofTerminal,
      };
    },
  }),
  reassignment: kind({ ...reassignmentItem.entries, body: eventBody })({
    keyOf: ({ branch_history }, _, sk) => keys.reassignmentKey(branch_history, isEventId(sk) ? sk : '<version-7 UUID>'),
    derive: (item, _, sk) => retained(item, sk),
  }),
  card: kind(cardItem.entries)({
    keyOf: (_, owner) => keys.cardKey(owner),
    hashAfter: 1,
    isKeyed: true,
    summarize: ({ member_id }) => ({ member_id }),
  }),
  member_card: kind({})({
    keyOf: (_, owner, sk) => keys.memberCardKey(owner, hashIn(sk) ?? ''),
    hasHashInSk: true,
    summarize: () => ({}),
  }),
  reward: kind(rewardItem.entries)({
    keyOf: ({ reward_id }, owner) => keys.rewardKey(owner, reward_id),
    // A version without the time to live has stored it.
    derive: (reward) => (reward.ttl === undefined ? {} : { ttl: ttlOf(reward) }),
  }),
  erasure: kind(erasureItem.entries)({
    keyOf: (_, owner) => keys.erasureKey(owner),
    hashAfter: 1,
    isKeyed: true,
  }),
  record: kind(recordItem.entries)({
    keyOf: (item, owner) => keys.recordKey(owner, item.id),
    // It is retained longer if it is of an erasure.
    derive: ({ id, at, ttl }) => ({ at: new Date(timeOfId(id)).toISOString(), ttl: Math.max(ttl, endOf(at)) }),
    summarize: () => ({}),
  }),
  idempotency_key: kind(idempotencyKeyItem.entries)({
    keyOf: (_, owner) => keys.idempotencyKeyKey(...(owner.split('#') as [string, string])),
    hashAfter: 2,
    summarize: ({ location }) => ({ location }),
  }),
  rate_limit: kind(rateLimitItem.entries)({
    keyOf: (_, owner) => keys.rateLimitKey(...(owner.split('#') as [string, string, number])),
    summarize: () => ({}),
  }),
};

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** An item whose attributes are all valid. */
export type Item<K extends KindName> = Parameters<(typeof KINDS)[K]['keyOf']>[0];
/** The summary of an item, as `summarize` returns it. */
export type Summary<K extends KindName> = (typeof KINDS)[K] extends { summarize?: (item: never) => infer S }
  ? S
  : never;
