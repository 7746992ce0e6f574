import { NIL } from 'uuid';
import type * as v from 'valibot';
import { apiKeyItem } from '../../../../lib/acquirers/apiKey.ts';
import { keyringItem, type ListedKey } from '../../../../lib/acquirers/keyring.ts';
import { apiKeyUseItem } from '../../../../lib/acquirers/keyUse.ts';
import { DAY_MS, expiryOf, newEventId, timeOfId } from '../../../../lib/base/eventId.ts';
import { CATALOGUE } from '../../../../lib/base/problem.ts';
import { type Branch, branchItem, toBranch } from '../../../../lib/branches/branch.ts';
import { searchablesOf } from '../../../../lib/branches/branchWords.ts';
import { lastSeenItem } from '../../../../lib/branches/lastSeen.ts';
import { masterMerchantEntryItem, masterMerchantItem } from '../../../../lib/branches/masterMerchant.ts';
import { branchListItem } from '../../../../lib/branches/ranks.ts';
import { releasedItem } from '../../../../lib/branches/releasedSerial.ts';
import { serialItem, terminalItem, toTerminal } from '../../../../lib/branches/terminal.ts';
import { copyKey, eventItem, reassignmentItem } from '../../../../lib/events/event.ts';
import { idempotencyKeyItem } from '../../../../lib/http/idempotency.ts';
import { rateLimitItem } from '../../../../lib/limits/rateLimiter.ts';
import { cardItem, rewardItem, ttlOf } from '../../../../lib/members/member.ts';
import { erasureItem } from '../../../../lib/operator/members.ts';
import { partnerItem } from '../../../../lib/operator/partnerships.ts';
import { keptNameItem } from '../../../../lib/people/keptName.ts';
import {
  identityItem,
  invitationItem,
  membershipItem,
  personItem,
  sessionItem,
  sessionUseItem,
} from '../../../../lib/people/person.ts';
import { recordItem } from '../../../../lib/record/record.ts';
import { KEPT_MS, refusedRequestItem } from '../../../../lib/refusedRequests/refusedRequest.ts';
import type { Key } from '../../../../lib/table/keys.ts';
import * as keys from '../../../../lib/table/keys.ts';
import { type Searchable, wordEntryItem } from '../../../../lib/table/wordEntries.ts';
import { DELIVERIES_MS, deliveryItem, MOST_WEBHOOKS, webhookItem } from '../../../../lib/webhooks/webhook.ts';
import { bodyOf, digestOfBranch, digestOfFields, eventBody, tallyOfEntries, terminalsIn } from './events.ts';
import { entryUuidOf, hashIn, isEventId, retentionDays, searchableIn } from './keyParts.ts';

/** The time to live of an item that ends at a time, in seconds since 1970. */
const endOf = (time: string): number => Math.ceil(Date.parse(time) / 1000);

/** An API key as the summary of its acquirer lists it. */
export const listedKey = ({
  sha256,
  key_id,
  label,
  role,
  expires_at,
}: Omit<ListedKey, 'created_at' | 'ends_with'>): string => JSON.stringify({ sha256, key_id, label, role, expires_at });

/** The time to live of what is retained from a time on, for a whole number of days, and an hour. */
const retainedFrom = (at: number, { ttl }: { ttl: number }) => ({
  ttl: expiryOf(new Date(at).toISOString(), Math.max(retentionDays(at, ttl), 1) * DAY_MS),
});
const timeIn = (id: string) => (isEventId(id) ? new Date(timeOfId(id)).toISOString() : undefined);
/** The same of an event with an id. */
const retained = (item: { ttl: number }, id: string) => (isEventId(id) ? retainedFrom(timeOfId(id), item) : {});

/** What the audit knows of a kind of item, besides the schema of each attribute. */
interface More<T extends object, S> {
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

/** The expected key of an item. Parts that no attribute has come from `owner`, its pk after the kind, and `sk`. */
type KeyOf<T> = (item: T, owner: string, sk: string) => Key;

type Attributes<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>;

/** A kind of item. An item may have other attributes: a newer version may have added them. */
const kind = <E extends v.ObjectEntries, S = never>(
  { entries: schemas }: { entries: E },
  keyOf: KeyOf<Attributes<E>>,
  more: More<Attributes<E>, S> = {},
) => ({ schemas, keyOf, ...more });

/** The key of what its pk alone identifies, and of what is listed for an owner. */
const byOwner = (keyOf: (owner: string) => Key) => (_: unknown, owner: string) => keyOf(owner);
const listed = (keyOf: (owner: string, sk: string) => Key) => (_: unknown, owner: string, sk: string) =>
  keyOf(owner, sk);

/** Of items whose key has all, or whose existence alone matters. */
const NONE = { entries: {} };
const exists = { summarize: () => ({}) };

export const KINDS = {
  acquirer: kind(keyringItem, ({ id }) => keys.acquirerKey(id), {
    summarize({ type, name, limit, disabled_at, api_keys = [] }) {
      // DynamoDB deletes expired keys late, so the item of one may or may not exist.
      const now = new Date().toISOString();
      const valid = disabled_at ? [] : api_keys.filter(({ expires_at = now }) => expires_at >= now);
      const stored = valid.map(({ sha256 }) => sha256);
      return { type, name, limit, disabled_at, api_keys: new Set(api_keys.map(listedKey)), stored };
    },
  }),
  api_key: kind(apiKeyItem, byOwner(keys.apiKeyKey), {
    // The id of an API key is the beginning of its hash.
    derive: ({ expires_at }, owner) => ({
      key_id: owner.slice(0, 12),
      ttl: expires_at ? endOf(expires_at) : undefined,
    }),
    hashAfter: 1,
    summarize: ({ ttl, ...compared }) => compared,
  }),
  api_key_use: kind(apiKeyUseItem, byOwner(keys.apiKeyUseKey)),
  person: kind(personItem, ({ id }) => keys.personKey(id), {
    summarize: ({ identity, acquirers }) => ({ identity, acquirers }),
  }),
  identity: kind(identityItem, byOwner(keys.identityKey), {
    hashAfter: 1,
    summarize: ({ person }) => ({ person }),
  }),
  session: kind(sessionItem, byOwner(keys.sessionKey), {
    derive: ({ ends_at }) => ({ ttl: endOf(ends_at) }),
    hashAfter: 1,
  }),
  session_use: kind(sessionUseItem, byOwner(keys.sessionUseKey), { hashAfter: 1 }),
  membership_use: kind(sessionUseItem, (_, owner, sk) =>
    keys.membershipUseKey(owner, keys.idInPeople({ pk: '', sk }).person ?? ''),
  ),
  membership: kind(
    membershipItem,
    (_, owner, sk) => keys.membershipKey(owner, keys.idInPeople({ pk: '', sk }).person ?? ''),
    exists,
  ),
  invitation: kind(
    invitationItem,
    (_, owner, sk) => keys.invitationKey(owner, keys.idInPeople({ pk: '', sk }).invitation ?? ''),
    {
      derive: ({ expires_at }) => ({ ttl: endOf(expires_at) }),
      summarize: ({ expires_at }) => ({ expires_at }),
    },
  ),
  kept_name: kind(keptNameItem, (_, owner, sk) => {
    const { person, invitation = '' } = keys.idInPeople({ pk: '', sk });
    return person === undefined ? keys.keptInvitationKey(owner, invitation) : keys.keptPersonKey(owner, person);
  }),
  provider: kind(partnerItem, listed(keys.providerKey), { summarize: ({ name }) => ({ name }) }),
  distributor: kind(partnerItem, listed(keys.distributorKey), { summarize: ({ name }) => ({ name }) }),
  payment_app: kind(NONE, listed(keys.paymentAppKey), exists),
  master_acquirer: kind(NONE, listed(keys.masterAcquirerKey), exists),
  master_merchant_entry: kind(
    masterMerchantEntryItem,
    (_, owner, sk) => {
      const uuid = entryUuidOf(sk);
      const key = keys.masterMerchantEntryKey(owner, uuid ?? NIL);
      return uuid ? key : { ...key, sk: '<UUID in base64url>' };
    },
    {
      // Only in the lookup of a distributor.
      derive: ({ payment_provider }, owner) => (payment_provider === owner ? { payment_provider: undefined } : {}),
      summarize: (entry) => entry,
    },
  ),
  master_merchant: kind(masterMerchantItem, ({ uuid }) => keys.masterMerchantKey(uuid), {
    derive: (item) => ({ uuid: keys.masterMerchantUuidOf(item.payment_provider, item.master_merchant_id) }),
    summarize: ({ email, country_code, phone, mcc, country, ...compared }) => compared,
  }),
  branch_list: kind(branchListItem, byOwner(keys.branchListKey), { summarize: (list) => list }),
  branch_list_entry: kind(
    NONE,
    (_, owner, sk) => {
      const { created_at = '<created_at>', mid = '<mid>' } = keys.branchListEntryOf({ pk: '', sk }) ?? {};
      return keys.branchListEntryKey(owner, created_at, mid);
    },
    exists,
  ),
  word_entry: kind(wordEntryItem, (item, owner, sk) => {
    const each = searchableIn({ ...item, pk: `WORDS#${owner}`, sk });
    if (!each) return { pk: 'WORDS#<acquirer>', sk: '<id>' };
    const { list, acquirer, id } = each;
    const [word = '', rest] = sk.split('#');
    return rest === undefined
      ? keys.unindexedWordsKey(list, acquirer, id)
      : keys.wordEntryKey(list, acquirer, word, id);
  }),
  branch: kind(branchItem, ({ mid }) => keys.branchKey(mid), {
    summarize(item) {
      const { merchant_name, area, city, terminals = new Set(), ...compared } = item;
      return {
        ...compared,
        // Copied, because V8 keeps the parts of a concatenated string, which take 200 bytes more.
        terminals: new Set([...terminals].map((each) => Buffer.from(keys.unpackOrder(each).order).toString())),
        search_entries: tallyOfEntries(searchablesOf(item)[0] as Searchable),
        shown: digestOfBranch(toBranch(item)),
      };
    },
  }),
  terminal: kind(terminalItem, ({ tid }) => keys.terminalKey(tid), {
    derive({ tid, terminal_id, created_at, branch_order }) {
      const [, inRequest] = branch_order.split('#');
      return { tid: keys.tidOf(terminal_id), branch_order: keys.branchOrder(created_at, Number(inRequest), tid) };
    },
    summarize(item) {
      const { mid, branch_order, serial_no, archived_at, archive_reason, restored, updated_at, creation_event } = item;
      const fields = digestOfFields(toTerminal({ terminal: item, branch: {} as Branch }));
      const status = { archived_at, archive_reason, restored, updated_at };
      return { mid, branch_order, serial_no, creation_event, ...status, fields };
    },
  }),
  last_seen: kind(lastSeenItem, byOwner(keys.lastSeenKey), {
    derive: ({ provider_position: hour }) => ({ distributor_position: hour }),
    summarize: ({ provider_position, distributor_position, ...compared }) => compared,
  }),
  serial: kind(serialItem, byOwner(keys.serialKey), { summarize: ({ tid }) => ({ tid }) }),
  released: kind(releasedItem, byOwner(keys.releasedKey), {
    derive: (item) => ({ tid: keys.tidOf(item.terminal_id), ...retainedFrom(Date.parse(item.released_at), item) }),
  }),
  event: kind(
    { entries: { ...eventItem.entries, body: eventBody } },
    (_, owner, sk) => {
      const [acquirer = '', month = ''] = owner.split('#');
      return isEventId(sk) ? copyKey(acquirer, sk) : keys.eventKey(acquirer, month, '<version-7 UUID>');
    },
    {
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
    },
  ),
  reassignment: kind(
    { entries: { ...reassignmentItem.entries, body: eventBody } },
    ({ branch_history }, _, sk) => keys.reassignmentKey(branch_history, isEventId(sk) ? sk : '<version-7 UUID>'),
    { derive: (item, _, sk) => retained(item, sk) },
  ),
  card: kind(cardItem, byOwner(keys.cardKey), {
    hashAfter: 1,
    isKeyed: true,
    summarize: ({ member_id }) => ({ member_id }),
  }),
  member_card: kind(NONE, (_, owner, sk) => keys.memberCardKey(owner, hashIn(sk) ?? ''), {
    hasHashInSk: true,
    summarize: () => ({}),
  }),
  reward: kind(rewardItem, ({ reward_id }, owner) => keys.rewardKey(owner, reward_id), {
    derive: (reward) => ({ ttl: ttlOf(reward) }),
  }),
  erasure: kind(erasureItem, byOwner(keys.erasureKey), { hashAfter: 1, isKeyed: true }),
  record: kind(recordItem, ({ id }, owner) => keys.recordKey(owner, id), {
    // It is retained longer if it is of an erasure.
    derive: ({ id, at, ttl }) => ({ at: new Date(timeOfId(id)).toISOString(), ttl: Math.max(ttl, endOf(at)) }),
    summarize: () => ({}),
  }),
  idempotency_key: kind(
    idempotencyKeyItem,
    (_, owner) => keys.idempotencyKeyKey(...(owner.split('#') as [string, string])),
    { hashAfter: 2, summarize: ({ location }) => ({ location }) },
  ),
  rate_limit: kind(
    rateLimitItem,
    (_, owner) => keys.rateLimitKey(...(owner.split('#') as [string, string, number])),
    exists,
  ),
  webhook: kind(
    webhookItem,
    (_, owner, sk) => {
      const slot = keys.slotOf({ pk: '', sk });
      const key = keys.webhookKey(owner, slot);
      return slot >= 1 && slot <= MOST_WEBHOOKS ? key : { ...key, sk: `SLOT#<1 to ${MOST_WEBHOOKS}>` };
    },
    { derive: ({ id, due_at }) => ({ due_shard: due_at && keys.dueShardOf(id) }), ...exists },
  ),
  delivery: kind(deliveryItem, (_, owner, sk) => keys.deliveryKey(owner, isEventId(sk) ? sk : '<version-7 UUID>'), {
    derive: ({ at }, _, sk) => ({ at: timeIn(sk) ?? at, ttl: expiryOf(at, DELIVERIES_MS) }),
  }),
  refused_request: kind(
    refusedRequestItem,
    // Those that the rate limit refused are one for each caller and window.
    ({ at, refused_request_id, key_id, person }, owner, sk) => {
      const [ofRequest = '', ofWindow] = [refused_request_id, key_id ?? person].map((seed) => newEventId(at, seed));
      return keys.refusedRequestKey(owner, sk === ofWindow ? sk : ofRequest);
    },
    { derive: ({ at, code }) => ({ status: CATALOGUE[code][0], ttl: expiryOf(at, KEPT_MS) }) },
  ),
};

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** An item whose attributes are all valid. */
export type Item<K extends KindName> = Parameters<(typeof KINDS)[K]['keyOf']>[0];
export type Summary<K extends KindName> = (typeof KINDS)[K] extends { summarize?: (item: never) => infer S }
  ? S
  : never;
