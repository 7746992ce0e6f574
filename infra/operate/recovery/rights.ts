import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { ApiKey } from '../../../lib/acquirers/apiKey.ts';
import type { Keyring } from '../../../lib/acquirers/keyring.ts';
import { permissionsOf } from '../../../lib/acquirers/roles.ts';
import { retrying } from '../../../lib/aws/retry.ts';
import type { Limit } from '../../../lib/base/rateAndBurst.ts';
import { laterThan } from '../../../lib/base/time.ts';
import { knownCardKeys, laterHashes } from '../../../lib/members/cardKeys.ts';
import { memberHashes, readCard } from '../../../lib/members/member.ts';
import { referenceOf } from '../../../lib/operator/members.ts';
import { keepPerson } from '../../../lib/people/keptName.ts';
import type { Invitation, Membership, Person } from '../../../lib/people/person.ts';
import { newEvent, recordSteps } from '../../../lib/record/record.ts';
import { type Item, table, tableName } from '../../../lib/table/client.ts';
import * as keys from '../../../lib/table/keys.ts';
import { exists, isAsRead, put, remove, transact, update } from '../../../lib/table/transaction.ts';
import { NOT_DUE, type Webhook } from '../../../lib/webhooks/webhook.ts';

/*
 * After a restore, each right is the lesser of what the restored table gives and what the table before gave: what only one of
 * them has does not exist, and of two roles, limits or ends, the lower or earlier one counts. So nothing comes back that was
 * taken away since, and nothing that an attacker was given or took since stays.
 *
 * It compares the items that requests read, one by one, and asks no rule of the service. So it does not matter what has expired,
 * was accepted or was removed meanwhile, and an acquirer may lose its last admin: an operator invites another.
 */

type Stored = Item<Record<string, unknown>>;

/** The items of two tables that give rights, by {@link nameOf}. */
interface Tables {
  restored: Map<string, Stored>;
  before: Map<string, Stored>;
  ownLimit: Limit | null;
}

const nameOf = ({ pk, sk }: keys.Key): string => `${pk}\n${sk}`;
const ownerOf = ({ pk }: keys.Key): string => pk.slice(pk.indexOf('#') + 1);

/** Leaves out what is undefined, as it is stored. */
const defined = <T extends object>(item: T): T =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as T;

type Role = Parameters<typeof permissionsOf>[0];

/** The role that permits only what both do; `undefined` for a till and a viewer, which have nothing in common. */
const lesserRole = (...roles: [Role, Role]): Role | undefined =>
  roles.find((role) =>
    roles.every((other) => permissionsOf(role).every((each) => permissionsOf(other).includes(each))),
  );

/** An API key, a membership or an invitation with the lesser role and the earlier end. An API key without a role is `full`. */
function lesserGrant<T extends { role?: Role | undefined; expires_at?: string | undefined }>(
  one: T,
  other: T,
): T | undefined {
  const role = lesserRole(one.role ?? 'full', other.role ?? 'full');
  const [expires_at] = [one.expires_at, other.expires_at].filter((time) => time !== undefined).sort();
  return role && { ...one, ...(role !== 'full' && { role }), ...(expires_at && { expires_at }) };
}

/** The lower rate and the lower burst of two limits, where `undefined` is the stage's. A burst is a multiple of its rate. */
function lesserLimit(one: Limit | undefined, other: Limit | undefined, { ownLimit }: Tables): Limit | undefined {
  const limits = [one, other].map((limit) => limit ?? ownLimit).filter((limit) => limit !== null);
  const rate = Math.min(...limits.map((limit) => limit.rate));
  const burst = Math.min(...limits.map((limit) => limit.burst));
  const lesser = limits.length > 0 ? { rate, burst: burst - (burst % rate) } : null;
  for (const limit of [one, other]) if (isDeepStrictEqual(limit ?? ownLimit, lesser)) return limit;
  return lesser ?? undefined;
}

/** Of an item that gives a right by being there. */
const asRestored = (restored: object): object => restored;

/** What two tables give together, of an item that both have, by its kind; `undefined` for nothing. */
const LESSER: Record<string, (restored: never, before: never, tables: Tables) => object | undefined> = {
  ACQUIRERS: (restored: Keyring, before: Keyring, tables) => ({
    ...restored,
    disabled_at: restored.disabled_at ?? before.disabled_at,
    limit: lesserLimit(restored.limit, before.limit, tables),
    api_keys: restored.api_keys?.flatMap((key) => {
      const other = before.api_keys?.find(({ sha256 }) => sha256 === key.sha256);
      return (other && lesserGrant(key, other)) ?? [];
    }),
  }),
  API_KEY(restored: ApiKey, before: ApiKey, tables) {
    const limit = lesserLimit(restored.acquirer.limit, before.acquirer.limit, tables);
    const grant = lesserGrant({ ...restored, acquirer: defined({ ...restored.acquirer, limit }) }, before);
    return grant?.expires_at ? { ...grant, ttl: Math.ceil(Date.parse(grant.expires_at) / 1000) } : grant;
  },
  PAYMENT_PROVIDERS: asRestored,
  DISTRIBUTORS: asRestored,
  PAYMENT_APPS: asRestored,
  MASTER_ACQUIRERS: asRestored,
  PEOPLE: (restored: Membership | Invitation, before: Membership | Invitation) => lesserGrant(restored, before),
  PERSON(restored: Person, before: Person) {
    const acquirers = restored.acquirers.intersection(before.acquirers);
    // Ends the sessions that were ended since. A session that both tables have stays.
    const generation = Math.max(restored.generation, before.generation);
    return acquirers.size > 0 ? { ...restored, acquirers, generation } : undefined;
  },
  IDENTITY: (restored: { person: string }, before: { person: string }, tables) =>
    restored.person === before.person && lesserOf(nameOf(keys.personKey(restored.person)), tables)
      ? restored
      : undefined,
  SESSION: asRestored,
  // With the cursor of the restored table, whose events it delivers: some again, and none is left out.
  WEBHOOKS(restored: Webhook, before: Webhook) {
    const known = before.secrets.map(({ sealed }) => sealed);
    const isSame = restored.id === before.id && restored.url === before.url && restored.secrets[0]?.sealed === known[0];
    if (!isSame) return undefined;
    const secrets = restored.secrets.filter(({ sealed }) => known.includes(sealed));
    const { status } = restored.status === 'active' ? before : restored;
    // One that an operator has suspended stays so when those of the restored table are resumed.
    const delivers_in = before.delivers_in && restored.delivers_in;
    return { ...restored, secrets, status, delivers_in, ...(status !== 'active' && NOT_DUE) };
  },
};

/** What both tables give together of an item; `undefined` for nothing. */
function lesserOf(name: string, tables: Tables): Stored | undefined {
  const [restored, before] = [tables.restored.get(name), tables.before.get(name)];
  const lesser = restored && before && LESSER[keys.kindOf(restored.pk)]?.(restored as never, before as never, tables);
  return lesser && (defined(lesser) as Stored);
}

/** Reads the items of a table that give rights, and its blocked cards. */
async function rightsIn(client: DynamoDBDocumentClient, TableName: string): Promise<Map<string, Stored>> {
  const kinds = Object.keys(LESSER);
  const scan = {
    TableName,
    FilterExpression: ['attribute_exists(blocked_at)', ...kinds.map((_, at) => `begins_with(pk, :${at})`)].join(' OR '),
    ExpressionAttributeValues: Object.fromEntries(kinds.map((kind, at) => [`:${at}`, kind])),
    ConsistentRead: true,
  };
  const found = new Map<string, Stored>();
  for await (const { Items = [] } of paginateScan({ client }, scan))
    for (const item of Items as Stored[])
      if ('blocked_at' in item || kinds.includes(keys.kindOf(item.pk))) found.set(nameOf(item), item);
  return found;
}

export interface Lowered {
  /** How many items were changed, by kind; only those that were changed at all. */
  changed: Record<string, number>;
  /** The ids of acquirers that had an admin and have none now. */
  withoutAdmin: string[];
}

/**
 * Lowers the rights in the table in use to what the table before the restore gave as well. If it is interrupted, another call
 * does the rest; after that, it changes nothing.
 *
 * @param client Client of the table before the restore.
 * @param before The name of that table.
 * @param ownLimit The rate limit of acquirers without their own; `null` if that is none.
 * @throws Error if the table before lacks an acquirer: acquirers are never removed.
 */
export async function lowerRights(
  client: DynamoDBDocumentClient,
  before: string,
  ownLimit: Limit | null,
): Promise<Lowered> {
  const tables = { before: await rightsIn(client, before), restored: await rightsIn(table, tableName()), ownLimit };
  for (const [name, { pk, id }] of tables.restored)
    if (pk === 'ACQUIRERS' && !tables.before.has(name))
      throw new Error(
        `The table ${before} has no acquirer ${id}, so it is not the one before this restore. Name that with --from.`,
      );
  const changed: Lowered['changed'] = {};
  const count = (what: string) => (changed[what] = (changed[what] ?? 0) + 1);
  for (const [name, item] of tables.restored) {
    const kind = keys.kindOf(item.pk);
    const lesser = lesserOf(name, tables);
    if (!LESSER[kind] || isDeepStrictEqual(lesser, item)) continue;
    await lower(item, lesser, tables.restored);
    count(`${kind.toLowerCase().replaceAll('_', ' ')} ${lesser ? 'lowered' : 'removed'}`);
  }
  for (const card of tables.before.values())
    if ('blocked_at' in card && (await blockAgain(keys.hashIn(card)))) count('cards blocked');
  const admins = [...tables.before].filter(([, item]) => item['role'] === 'admin' && keys.idInPeople(item).person);
  const left = admins.filter(([name]) => lesserOf(name, tables)?.['role'] === 'admin');
  const [had, have] = [admins, left].map((each) => new Set(each.map(([, item]) => ownerOf(item))));
  return { changed, withoutAdmin: [...(had as Set<string>).difference(have as Set<string>)] };
}

type About = Record<string, string | undefined>;

/** `undefined` for a session or an identity: the record has nothing of them. */
function aboutOf(item: Stored): About | undefined {
  const [kind, owner] = [keys.kindOf(item.pk), ownerOf(item)];
  if (kind === 'ACQUIRERS') return { acquirer: String(item['id']) };
  if (kind === 'API_KEY') return { acquirer: (item as unknown as ApiKey).acquirer.id, key_id: String(item['key_id']) };
  if (kind === 'PEOPLE') return { acquirer: owner, ...keys.idInPeople(item) };
  if (kind === 'PERSON') return { person: owner };
  if (kind === 'WEBHOOKS') return { acquirer: owner, webhook: String(item['id']) };
  return kind === 'SESSION' || kind === 'IDENTITY' ? undefined : { acquirer: owner, [kind.toLowerCase()]: item.sk };
}

/** The attributes that the operator's record shows as they were and are. */
const SHOWN = ['disabled_at', 'limit', 'role', 'expires_at', 'generation', 'status'];

/**
 * Stores what is left of an item, or removes it, with an event if the record has any of its kind. Of one of an acquirer's
 * people, who they are is kept, as by any removal.
 */
async function lower(item: Stored, lowered: Stored | undefined, restored: Tables['restored']): Promise<void> {
  const { pk, sk, updated_at } = item;
  const changes = SHOWN.filter((name) => lowered && !isDeepStrictEqual(lowered[name], item[name])).flatMap((name) => [
    [name, lowered?.[name] ?? null],
    [`${name}_before`, item[name] ?? null],
  ]);
  const about = aboutOf(item);
  const { acquirer, key_id, person } = about ?? {};
  const subjects = [
    acquirer && keys.acquirerSubject(acquirer),
    key_id && keys.apiKeySubject(key_id),
    person && keys.personSubject(person),
  ].filter((each) => typeof each === 'string');
  const type = lowered ? 'right.lowered' : 'right.revoked';
  const event = about && (await newEvent(type, { ...about, ...Object.fromEntries(changes) }));
  const leaves = acquirer && person && !lowered && restored.get(nameOf(keys.personKey(person)));
  const version = typeof updated_at === 'string' && { updated_at: laterThan(updated_at) };
  await retrying(() =>
    transact([
      lowered ? put({ pk, sk }, { ...lowered, ...version }, exists('stale')) : remove({ pk, sk }),
      ...(leaves ? [keepPerson(acquirer, leaves as unknown as Person)] : []),
      ...(event ? recordSteps(event, ...subjects) : []),
    ]),
  );
}

/**
 * Blocks a card in the table in use, under the hash that it has there.
 *
 * @param hash The hash that it has in the table before: an older one, if only the restored table was rehashed.
 * @returns Whether it was there, and not blocked.
 */
async function blockAgain(hash: string): Promise<boolean> {
  const hashes = [hash, ...laterHashes(hash, await knownCardKeys())];
  return retrying(async () => {
    const { card } = await readCard(hashes);
    if (!card || card.blocked_at) return false;
    const event = await newEvent('card.blocked', { card: referenceOf(keys.hashIn(card)) });
    const [memberHash] = await memberHashes(card.member_id);
    await transact([
      update(
        keys.cardKey(keys.hashIn(card)),
        { set: { blocked_at: event.at } },
        isAsRead(card, 'member_id', 'blocked_at'),
      ),
      ...recordSteps(event, keys.memberSubject(memberHash)),
    ]);
    return true;
  });
}
