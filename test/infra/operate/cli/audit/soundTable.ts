import { randomUUID } from 'node:crypto';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { serve } from '../../../../../infra/local/serve.ts';
import { createTable } from '../../../../../infra/local/table.ts';
import type { Acquirer } from '../../../../../lib/acquirers/acquirer.ts';
import { issueApiKey, revokeApiKey, rotateApiKey } from '../../../../../lib/acquirers/keyring.ts';
import { KEY_USE } from '../../../../../lib/acquirers/keyUse.ts';
import { hashOf } from '../../../../../lib/base/apiKeyFormat.ts';
import { lowerBoundId, newEventId } from '../../../../../lib/base/eventId.ts';
import { decideCreateBranch } from '../../../../../lib/branches/createBranch.ts';
import { SEEING } from '../../../../../lib/branches/lastSeen.ts';
import { listBranches } from '../../../../../lib/branches/listBranches.ts';
import { SEALING } from '../../../../../lib/branches/ranks.ts';
import { commit } from '../../../../../lib/events/decision.ts';
import { FEED } from '../../../../../lib/events/feed.ts';
import { disableAcquirer, enableAcquirer } from '../../../../../lib/operator/acquirerChanges.ts';
import { addCard, addReward, beginImport } from '../../../../../lib/operator/memberImport.ts';
import { eraseMember, getMember, setCardBlocked } from '../../../../../lib/operator/members.ts';
import { linkPartners, unlinkPartners } from '../../../../../lib/operator/partnerships.ts';
import { erasePerson } from '../../../../../lib/operator/people.ts';
import { changeRole, endSessions, invitePerson, removePerson } from '../../../../../lib/people/people.ts';
import { hashOfCookie } from '../../../../../lib/people/session.ts';
import { table, tableName } from '../../../../../lib/table/client.ts';
import * as keys from '../../../../../lib/table/keys.ts';
import { newSecret, sealSecret } from '../../../../../lib/webhooks/secret.ts';
import { work } from '../../../../../lib/webhooks/worker.ts';
import { call, type Operation, type Request } from '../../../../support/api.ts';
import { personOf, signInAgain } from '../../../../support/people.ts';
import { storeWebhook } from '../../../../support/webhooks.ts';
import { authorOf, type Caller, newWorld, type World } from '../../../../support/world.ts';

/*
 * A table without invariant violations that has items of all kinds, made by the API and the operator. Tests change a
 * copy of its items and serve that to the audit, so each runs without a request to the table.
 */

await createTable(tableName());
const world = await newWorld();
const withoutKey = ({ key: _, ...acquirer }: Caller): Acquirer => acquirer;
export const payfair = withoutKey(world.provider);
const quickpay = withoutKey(world.secondProvider);
/** Disabled. */
const trustcard = withoutKey(world.stranger);
export const northgate = withoutKey(world.distributor);
/** No longer a partner. */
const silverline = withoutKey(world.strangeDistributor);

export const ACQUIRERS = [payfair, quickpay, trustcard, northgate, silverline];

/** An alphanumeric id may contain the digits of a card number, a name may not. This business has no name. */
const CARD_LIKE = 4111111111111111;
/** The UUID of a master merchant. */
const business = (number: number, provider = payfair): string =>
  keys.masterMerchantUuidOf(provider.id, `BUSINESS${number}`);

export const EARLY = '2001-01-01T00:00:00.000Z';
export const LATE = '2099-01-01T00:00:00.000Z';

/** A stored item, as the audit reads it. */
export type Item = keys.Key & Record<string, unknown>;
/** Items by `pk sk`. */
export type Items = Record<string, Item>;
export const nameOf = ({ pk, sk }: keys.Key): string => `${pk} ${sk}`;

async function succeed(operation: Operation, request: Request): Promise<void> {
  const { status, body } = await call(operation, request);
  if (status >= 300) throw new Error(`${operation}: ${JSON.stringify(body)}`);
}

/** Ranks branches of an acquirer's list, `count` at a time. */
async function rank(who: Acquirer, ...counts: number[]): Promise<void> {
  const before = { ...SEALING };
  for (const count of counts) {
    Object.assign(SEALING, { horizonMs: 0, least: count, most: count });
    await listBranches(who, { page: 1, per_page: 1, sort: 'asc' });
  }
  Object.assign(SEALING, before);
}

async function createBranches({ provider, secondProvider, distributor }: World): Promise<void> {
  const create = ({ key }: Caller, mid: string, body: object, headers = {}) =>
    succeed('createBranch', { key, headers, body: { mid, branch_name: `Shop ${mid}`, ...body } });
  await create(
    provider,
    'SHOP1',
    {
      master_merchant_id: 'BUSINESS1',
      master_merchant_name: 'Blue Harbour',
      mcc: '5812',
      terminals: [{ terminal_id: 'T1', terminal_model: 'Pocket' }, { terminal_id: 'T2' }],
    },
    { 'idempotency-key': 'shop-1' },
  );
  await create(distributor, 'SHOP2', { payment_provider: payfair.id, master_merchant_id: `BUSINESS${CARD_LIKE}` });
  await linkPartners(silverline.id, payfair.id);
  await create(provider, 'SHOP3', { existing_master_merchant: business(1), distributor: silverline.id });
  await unlinkPartners(silverline.id, payfair.id);
  await create(provider, 'SHOP4', { existing_master_merchant: business(CARD_LIKE), distributor: northgate.id });
  await create(provider, 'SHOP5', { existing_master_merchant: business(1) });
  const author = authorOf(quickpay);
  for (const mid of ['SMALL1', 'SMALL2']) {
    const { change } = await decideCreateBranch(author, {
      mid,
      payment_provider: quickpay.id,
      details: {},
      master_merchant: mid === 'SMALL1' ? { master_merchant_id: 'BUSINESS1' } : { uuid: business(1, quickpay) },
      terminals: [],
    });
    await commit(author, {}, change);
  }
  await create(secondProvider, 'SMALL3', {
    existing_master_merchant: business(1, quickpay),
    distributor: northgate.id,
    terminals: [{ terminal_id: 'ONE' }],
  });
}

/** Checks a card of nobody at a terminal of a branch with a distributor, and at one without. */
async function seeTerminals({ provider, secondProvider }: World): Promise<void> {
  const before = { ...SEEING };
  Object.assign(SEEING, { intervalMs: -1, attemptMs: 5_000 });
  const card = { card_id: 'card-of-nobody', card_pseudo_token: 'token', currency: 'EUR', amount: 1 };
  for (const [{ id, key }, terminal_id] of [
    [provider, 'T1'],
    [secondProvider, 'ONE'],
  ] as const)
    await succeed('memberCheck', { key, body: { ...card, terminal_id, acquirer_id: id } });
  Object.assign(SEEING, before);
}

async function changeTerminals({ key }: Caller): Promise<void> {
  const change = (operation: Operation, terminalId: string, body?: object, headers = {}) =>
    succeed(operation, { key, path: { id: keys.tidOf(terminalId) }, headers, body });
  await succeed('createTerminals', {
    key,
    path: { id: 'SHOP4' },
    headers: { 'idempotency-key': 'terminals-of-shop-4' },
    body: {
      terminals: [
        ...['OWN', 'WITH', 'BACK', 'MOVED', 'MOVEDTOO', 'GONE'].map((terminal_id) => ({ terminal_id })),
        { terminal_id: 'SER1', serial_no: 'SN1', payment_app: 'Checkout Go', acquirer_name: 'Atlantic Acquiring' },
        { terminal_id: 'SER2', serial_no: 'SN2OLD' },
        { terminal_id: 'SER3', serial_no: 'SN3OLD' },
      ],
    },
  });
  await change('updateTerminal', 'SER2', { serial_no: 'SN2' });
  await change('updateTerminal', 'SER3', { serial_no: null });
  await change('deleteTerminal', 'GONE');
  await change('archiveTerminal', 'OWN', { reason: 'Lost' });
  await change('reassignTerminal', 'MOVED', { mid: 'SHOP1' });
  await succeed('archiveBranch', { key, path: { mid: 'SHOP4' } });
  await change('restoreTerminal', 'BACK');
  await change('reassignTerminal', 'MOVEDTOO', { mid: 'SHOP1' }, { 'idempotency-key': 'move' });
}

/** Changes branches, and the status of their terminals with them. */
async function changeBranches({ provider: { key }, distributor }: World): Promise<void> {
  const change = (operation: Operation, mid: string, body?: object) => succeed(operation, { key, path: { mid }, body });
  const restoreTerminal = (terminalId: string) =>
    succeed('restoreTerminal', { key, path: { id: keys.tidOf(terminalId) } });
  await succeed('createBranch', {
    key,
    headers: { 'idempotency-key': 'shop-6' },
    body: {
      mid: 'SHOP6',
      branch_name: 'The Lighthouse by the Sea',
      master_merchant_id: 'BUSINESS6',
      master_merchant_name: 'Lighthouse Keepers and Daughters',
      distributor: distributor.id,
      terminals: [{ terminal_id: 'BIG1', serial_no: 'BIGSN1' }, { terminal_id: 'BIG2' }],
    },
  });
  await change('updateBranch', 'SHOP6', { branch_name: 'The Old Lighthouse', city: 'Porto' });
  await change('archiveBranch', 'SHOP6');
  await restoreTerminal('BIG1');
  await change('restoreBranch', 'SHOP6');
  await change('archiveBranch', 'SHOP6');
  await restoreTerminal('BIG2');
  await succeed('createBranch', { key, body: { mid: 'SHOP7', existing_master_merchant: business(6) } });
  await change('archiveBranch', 'SHOP7');
  await change('restoreBranch', 'SHOP7');
}

async function storeMembers(): Promise<void> {
  await addCard('anna', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
  const times = { valid_from: EARLY, expires_at: LATE };
  const reward = { reward_id: 'welcome', name: '5 EUR off', currency: 'EUR', minimum_amount: 50, ...times };
  await addReward('anna', reward, (await beginImport()).id);
  const [{ card: reference = '' } = {}] = (await getMember('anna')).cards;
  await setCardBlocked('anna', { reference }, true);
  await addCard('bruno', { card_id: 'card-bruno', card_pseudo_token: 'token-bruno' });
  await addReward('bruno', reward);
  await eraseMember('bruno');
}

/**
 * Has events delivered to two webhooks of Payfair, of which one fails at once, after it was idle for longer than events
 * are kept; to one of Northgate, which fails too; and stores one to which an attempt is under way, and one that is paused.
 */
async function deliver(): Promise<void> {
  FEED.horizonMs = 0;
  const nobody = 'http://127.0.0.1:1024/';
  const receiver = await serve((_, response) => response.end());
  const hourAgo = lowerBoundId(Date.now() - 3_600_000);
  const attempt = { at: EARLY, status: 204, error: null, duration_ms: 7 };
  const page = { id: randomUUID(), first: newEventId(EARLY), last: newEventId(LATE), events: 2, attempt: 1 };
  await storeWebhook(payfair, receiver.url, { cursor: hourAgo });
  await storeWebhook(payfair, nobody, { slot: 2, cursor: lowerBoundId(0) });
  await storeWebhook(northgate, nobody, { cursor: hourAgo });
  await storeWebhook(quickpay, nobody, {
    description: 'Stock',
    cursor: lowerBoundId(0),
    page,
    lease: { id: randomUUID(), ends_at: LATE },
    latest_attempt: attempt,
    next_attempt_at: LATE,
  });
  const sealed = await sealSecret(newSecret(), page.id);
  const paused = { status: 'paused', due_shard: undefined as never, due_at: undefined as never } as const;
  await storeWebhook(quickpay, nobody, { slot: 5, ...paused, secrets: [{ sealed }, { sealed, ends_at: LATE }] });
  for (const { id: acquirer } of [payfair, northgate])
    await work({ acquirer }, 'healthy', { send: async () => {}, timeLeft: () => 60_000, note: () => {} });
  await receiver.stop();
}

/** Issues API keys of Payfair and rotates or revokes them. Returns the hashes of two that were rotated. */
async function changeApiKeys(): Promise<{ expired: string; deleted: string }> {
  const issue = async (label: string) => {
    const { key_id, api_key } = await issueApiKey(payfair.id, label, { role: label === 'rotated' ? 'till' : 'full' });
    return { key_id, sha256: hashOf(api_key) };
  };
  const [rotated, expired, deleted] = [await issue('rotated'), await issue('expired'), await issue('deleted')];
  for (const { key_id } of [rotated, expired, deleted]) await rotateApiKey(payfair.id, key_id, 3_600_000);
  await rotateApiKey(payfair.id, (await issue('ended')).key_id, 0);
  await revokeApiKey(payfair.id, (await issue('revoked')).key_id);
  return { expired: expired.sha256, deleted: deleted.sha256 };
}

/**
 * Invites people to Payfair and Northgate, of whom one belongs to both, one has been removed, and one was erased. Their
 * sessions are still there.
 */
async function changePeople(): Promise<void> {
  const anna = await personOf(payfair.id, 'admin');
  await personOf(northgate.id, 'viewer', { identity: anna.identity });
  const bruno = await signInAgain(await personOf(payfair.id, 'viewer'));
  await changeRole(payfair.id, bruno.id, 'operator');
  await succeed('updateBranch', { session: bruno.session, path: { mid: 'SHOP2' }, body: { area: 'Old Town' } });
  await endSessions(bruno.id);
  const [removed, erased] = [await personOf(payfair.id, 'viewer'), await personOf(northgate.id, 'viewer')];
  await removePerson(payfair.id, removed.id);
  await erasePerson(erased.id);
  await invitePerson(payfair.id, { email: 'carla@example.com', role: 'admin' });
  await invitePerson(northgate.id, { email: 'carla@example.com', role: 'viewer' });
  // What requests store beside what they are for, and the limits of an acquirer, of a person and of an address.
  const ttl = Math.ceil(Date.now() / 1000) + 3600;
  const put = (Item: object) => table.send(new PutCommand({ TableName: tableName(), Item: { ...Item, ttl } }));
  await put({ ...keys.sessionUseKey(hashOfCookie(anna.session.cookie)), used_at: new Date().toISOString() });
  await put({ ...keys.membershipUseKey(northgate.id, anna.id), used_at: new Date().toISOString() });
  for (const [owner, share] of [
    [quickpay.id, 'requests'],
    [removed.id, 'people'],
    ['0-3_56789abcdefghijklm', 'sign-ins'],
  ] as const)
    await put({ ...keys.rateLimitKey(owner, share, 1_700_000_000), taken: 1 });
}

/** Has requests refused of a key, about a terminal, and of a person. */
async function refuse({ provider: { key } }: World): Promise<void> {
  const refuse = async (operation: Operation, request: Request) => {
    const { status } = await call(operation, request);
    if (status < 400) throw new Error(`${operation}: ${status}`);
  };
  const path = { id: keys.tidOf('OWN') };
  await refuse('archiveTerminal', { key, path, query: { validate_only: 'true' }, body: { reason: 5 } });
  const { session } = await personOf(northgate.id, 'viewer');
  await refuse('archiveBranch', { session, path: { mid: 'SHOP2' } });
}

async function storedItems(): Promise<Items> {
  const items: Items = {};
  const input = { TableName: tableName(), ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: table }, input))
    for (const item of Items as Item[]) items[nameOf(item)] = item;
  return Object.fromEntries(Object.entries(items).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Calls the API with a key whose use is recorded. */
async function useApiKey({ key }: Caller): Promise<void> {
  const { intervalMs } = KEY_USE;
  KEY_USE.intervalMs = 0;
  await succeed('listBranches', { key });
  KEY_USE.intervalMs = intervalMs;
}

await useApiKey(world.provider);
await createBranches(world);
await seeTerminals(world);
await changeTerminals(world.provider);
await changeBranches(world);
// Of Payfair's seven branches, two were ranked, then two more, and three are not; Northgate's four are not.
await rank(payfair, 2, 2);
await rank(quickpay, 3);
await rank(silverline, 1);
await storeMembers();
const changed = await changeApiKeys();
await changePeople();
await disableAcquirer(northgate.id);
await enableAcquirer(northgate.id);
await disableAcquirer(trustcard.id);
await deliver();
await refuse(world);

/** All items, before any test changes some. */
export const sound = await storedItems();

/** The stored attributes of an item. */
// biome-ignore lint/suspicious/noExplicitAny: tests name attributes that the item has
export const at = (key: keys.Key): any => sound[nameOf(key)];

// The effects of time on two API keys: both have expired, and DynamoDB has deleted one.
Object.assign(at(keys.apiKeyKey(changed.expired)), { expires_at: EARLY, ttl: Date.parse(EARLY) / 1000 });
delete sound[nameOf(keys.apiKeyKey(changed.deleted))];
for (const key of at(keys.acquirerKey(payfair.id)).api_keys)
  if ([changed.expired, changed.deleted].includes(key.sha256)) Object.assign(key, { expires_at: EARLY });
