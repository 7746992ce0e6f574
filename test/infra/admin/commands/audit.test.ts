import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Violation } from '../../../../infra/admin/audit/audit.ts';
import { INVARIANTS } from '../../../../infra/admin/audit/invariants.ts';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { createBranch } from '../../../../lib/branches/createBranch.ts';
import { listBranches } from '../../../../lib/branches/listBranches.ts';
import { SEALING } from '../../../../lib/branches/ranks.ts';
import { copyKey, DICTIONARY, type Event } from '../../../../lib/events/event.ts';
import { newEventId, timeOfId } from '../../../../lib/events/eventId.ts';
import { FEED } from '../../../../lib/events/feed.ts';
import { disableAcquirer, enableAcquirer, limitAcquirer } from '../../../../lib/operator/acquirerChanges.ts';
import { createAcquirer } from '../../../../lib/operator/acquirers.ts';
import { issueApiKey, revokeApiKey, rotateApiKey } from '../../../../lib/operator/apiKeys.ts';
import { addCard, addReward, beginImport } from '../../../../lib/operator/memberImport.ts';
import { eraseMember, getMember, setCardBlocked } from '../../../../lib/operator/members.ts';
import { linkPartners, unlinkPartners } from '../../../../lib/operator/partnerships.ts';
import { table } from '../../../../lib/table/client.ts';
import {
  acquirerKey,
  apiKeyKey,
  branchKey,
  branchListEntryKey,
  branchListKey,
  branchOrder,
  cardKey,
  distributorKey,
  erasureKey,
  eventKey,
  historyOf,
  idempotencyKeyKey,
  type Key,
  masterAcquirerKey,
  masterMerchantEntryKey,
  masterMerchantKey,
  masterMerchantUuidOf,
  memberCardKey,
  packOrder,
  paymentAppKey,
  providerKey,
  rateLimitKey,
  reassignmentKey,
  recordKey,
  rewardKey,
  serialKey,
  terminalKey,
  tidOf,
} from '../../../../lib/table/keys.ts';
import { call, type Operation, type Request } from '../../../support/api.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { eventsIn, stored } from '../../../support/stored.ts';
import { addNames, authorOf } from '../../../support/world.ts';
import { admin, done, failed } from '../admin.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient(), { marshallOptions: { removeUndefinedValues: true } });
const TableName = process.env['TABLE_NAME'];

const acquirer = (type: Acquirer['type'], number: number, name: string): Acquirer => ({
  id: `${type === 'DISTRIBUTOR' ? 'd' : 'b'}0000000-0000-4000-8000-00000000000${number}`,
  type,
  name,
});
const payfair = acquirer('PAYMENT_PROVIDER', 1, 'Payfair');
const quickpay = acquirer('PAYMENT_PROVIDER', 2, 'Quickpay');
/** Disabled. */
const shutpay = acquirer('PAYMENT_PROVIDER', 3, 'Shutpay');
const northgate = acquirer('DISTRIBUTOR', 1, 'Northgate');
/** No longer a partner. */
const silverline = acquirer('DISTRIBUTOR', 2, 'Silverline');
const NO_ID = '00000000-0000-4000-8000-000000000000';

/** An alphanumeric id may contain the digits of a card number, a name may not. This business has no name. */
const CARD_LIKE = 4111111111111111;
const business = (number: number, provider = payfair): string => masterMerchantUuidOf(provider.id, `BUSINESS${number}`);
const terminal = (terminalId: string): Key => terminalKey(tidOf(terminalId));
const head = ({ id }: Acquirer): Key => branchListKey(id);
const inLookup = ({ id }: Acquirer, uuid: string): Key => masterMerchantEntryKey(id, uuid);
/** The entry of a branch in the list of an acquirer. */
const entry = ({ id }: Acquirer, mid: string): Key => branchListEntryKey(id, timesOf(branchKey(mid)).created_at, mid);
/** The entry of a branch as `sealed_to` names it. */
const placeOf = (mid: string): string => `${timesOf(branchKey(mid)).created_at}#${mid}`;

const EARLY = '2001-01-01T00:00:00.000Z';
const LATE = '2099-01-01T00:00:00.000Z';
const HASH = 'ab'.repeat(32);

/** Hashes of API keys, by the state of the key. */
const keys = { current: '', rotated: '', expired: '', ofDisabled: '' };
/** The table before any test changes it. */
let sound: Awaited<ReturnType<typeof stored>>;
const at = ({ pk, sk }: Key) => sound[`${pk} ${sk}`];

/**
 * Attributes to overwrite in an item, `undefined` for an attribute to remove; without attributes the item is deleted. An
 * array of `terminals` has `branch_order` values, as `stored` returns them.
 */
type Change = [key: Key, attributes?: Record<string, unknown> | undefined];

async function put({ pk, sk }: Key, attributes: object | undefined): Promise<void> {
  const { terminals } = (attributes ?? {}) as { terminals?: unknown };
  const packed = Array.isArray(terminals) && { terminals: new Set(terminals.map(packOrder)) };
  const input = attributes
    ? new PutCommand({ TableName, Item: { ...attributes, ...packed, pk, sk } })
    : new DeleteCommand({ TableName, Key: { pk, sk } });
  await client.send(input as PutCommand);
}

let repair: (() => Promise<unknown>) | undefined;
async function damage(changes: Change[]): Promise<void> {
  repair = () => Promise.all(changes.map(([key]) => put(key, at(key))));
  await Promise.all(changes.map(([key, attributes]) => put(key, attributes && { ...at(key), ...attributes })));
}
afterEach(async () => {
  jest.restoreAllMocks();
  await repair?.();
  repair = undefined;
});

async function succeed(operation: Operation, request: Request): Promise<void> {
  const { status, body } = await call(operation, request);
  if (status >= 300) throw new Error(`${operation}: ${JSON.stringify(body)}`);
}

/** Creates an acquirer with two API keys and returns the second one. */
async function register(who: Acquirer): Promise<string> {
  await createAcquirer(who);
  await addNames(who, { paymentApps: ['Checkout Go'], masterAcquirers: ['Atlantic Acquiring'] });
  await issueApiKey(who.id, 'first');
  return (await issueApiKey(who.id, 'second')).api_key;
}

/** The API keys that an acquirer lists. */
const listOf = ({ id }: Acquirer) => (at(acquirerKey(id)) as { api_keys: { sha256: string }[] }).api_keys;

const hashOf = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

// Creates never rank branches here.
SEALING.probability = 0;
// No write is in progress during an audit, so it checks all events.
FEED.horizonMs = Number.NEGATIVE_INFINITY;

/** Ranks branches of an acquirer's list, `count` at a time. */
async function rank(who: Acquirer, ...counts: number[]): Promise<void> {
  const before = { ...SEALING };
  for (const count of counts) {
    Object.assign(SEALING, { horizonMs: 0, least: count, most: count });
    await listBranches(who, { page: 1, per_page: 1, sort: 'asc' });
  }
  Object.assign(SEALING, before);
}

beforeAll(async () => {
  const [payfairs, quickpays, northgates, shutpays] = await Promise.all([
    register(payfair),
    register(quickpay),
    register(northgate),
    register(shutpay),
  ]);
  await createAcquirer(silverline);
  await Promise.all([
    linkPartners(northgate.id, payfair.id),
    linkPartners(northgate.id, quickpay.id),
    linkPartners(silverline.id, payfair.id),
  ]);

  const create = (key: string, mid: string, body: object, headers = {}) =>
    succeed('createBranch', { key, headers, body: { mid, branch_name: `Shop ${mid}`, ...body } });
  const change = (operation: Operation, terminalId: string, body?: object) =>
    succeed(operation, { key: payfairs, path: { id: tidOf(terminalId) }, body });
  await create(
    payfairs,
    'SHOP1',
    {
      master_merchant_id: 'BUSINESS1',
      master_merchant_name: 'Blue Harbour',
      mcc: '5812',
      terminals: [{ terminal_id: 'T1', terminal_model: 'Pocket' }, { terminal_id: 'T2' }],
    },
    { 'idempotency-key': 'shop-1' },
  );
  await create(northgates, 'SHOP2', { payment_provider: payfair.id, master_merchant_id: `BUSINESS${CARD_LIKE}` });
  await create(payfairs, 'SHOP3', { existing_master_merchant: business(1), distributor: silverline.id });
  await create(payfairs, 'SHOP4', { existing_master_merchant: business(CARD_LIKE), distributor: northgate.id });
  await create(payfairs, 'SHOP5', { existing_master_merchant: business(1) });
  await unlinkPartners(silverline.id, payfair.id);
  for (const mid of ['SMALL1', 'SMALL2'])
    await createBranch(authorOf(quickpay), {
      mid,
      payment_provider: quickpay.id,
      terminals: [],
      details: {},
      master_merchant: mid === 'SMALL1' ? { master_merchant_id: 'BUSINESS1' } : { uuid: business(1, quickpay) },
    });
  await create(quickpays, 'SMALL3', {
    existing_master_merchant: business(1, quickpay),
    distributor: northgate.id,
    terminals: [{ terminal_id: 'ONE' }],
  });

  await succeed('createTerminals', {
    key: payfairs,
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
  await succeed('archiveBranch', { key: payfairs, path: { mid: 'SHOP4' } });
  await change('restoreTerminal', 'BACK');
  await succeed('reassignTerminal', {
    key: payfairs,
    path: { id: tidOf('MOVEDTOO') },
    headers: { 'idempotency-key': 'move' },
    body: { mid: 'SHOP1' },
  });

  // Of Payfair's five branches, two were ranked, then two more, and one is not; Northgate's three are not.
  await rank(payfair, 2, 2);
  await rank(quickpay, 3);
  await rank(silverline, 1);

  await addCard('anna', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
  const reward = {
    reward_id: 'welcome',
    name: '5 EUR off',
    currency: 'EUR',
    minimum_amount: 50,
    valid_from: EARLY,
    expires_at: LATE,
  };
  await addReward('anna', reward, (await beginImport()).id);
  const [{ card: reference = '' } = {}] = (await getMember('anna')).cards;
  await setCardBlocked('anna', { reference }, true);
  await addCard('bruno', { card_id: 'card-bruno', card_pseudo_token: 'token-bruno' });
  await addReward('bruno', reward);
  await eraseMember('bruno');

  const issue = async (label: string) => {
    const { key_id, api_key } = await issueApiKey(payfair.id, label);
    return { key_id, sha256: hashOf(api_key) };
  };
  const [rotated, expired, deleted] = [await issue('rotated'), await issue('expired'), await issue('deleted')];
  for (const { key_id } of [rotated, expired, deleted]) await rotateApiKey(payfair.id, key_id, 3_600_000);
  await rotateApiKey(payfair.id, (await issue('ended')).key_id, 0);
  await revokeApiKey(payfair.id, (await issue('revoked')).key_id);
  await disableAcquirer(northgate.id);
  await enableAcquirer(northgate.id);
  await disableAcquirer(shutpay.id);
  await limitAcquirer(quickpay.id, { rate: 1, burst: 60 });
  const { api_key: limited } = await issueApiKey(quickpay.id, 'limited');
  // More than a process accepts without a lease; the clock is stopped so that they are in one window.
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  for (let sent = 1; sent <= 3; sent += 1) await succeed('listBranches', { key: limited });
  now.mockRestore();

  Object.assign(keys, {
    current: hashOf(payfairs),
    rotated: rotated.sha256,
    expired: expired.sha256,
    ofDisabled: hashOf(shutpays),
  });
  sound = await stored();
  // The effects of time on two API keys: both have expired, and DynamoDB has deleted one.
  const over = [expired.sha256, deleted.sha256];
  await damage([
    [
      acquirerKey(payfair.id),
      { api_keys: listOf(payfair).map((key) => ({ ...key, ...(over.includes(key.sha256) && { expires_at: EARLY }) })) },
    ],
    [apiKeyKey(expired.sha256), { expires_at: EARLY, ttl: Date.parse(EARLY) / 1000 }],
    [apiKeyKey(deleted.sha256)],
  ]);
  repair = undefined;
  sound = await stored();
});

const ITEMS = {
  acquirer: 5,
  api_key: 13,
  provider: 2,
  distributor: 2,
  payment_app: 4,
  master_acquirer: 4,
  master_merchant_entry: 6,
  master_merchant: 3,
  branch_list: 3,
  branch_list_entry: 10,
  branch: 8,
  terminal: 11,
  serial: 2,
  event: 30,
  reassignment: 2,
  card: 1,
  member_card: 1,
  reward: 1,
  erasure: 1,
  record: 70,
  idempotency_key: 3,
  rate_limit: 1,
  unknown: 0,
};

type Found = [invariant: string, item: Key, detail: string];
/** A change of the table, and all violations that an audit then reports. */
type Breakage = [what: string, changes: () => Change[], found: () => Found[]];

/** A key as an audit shows it: hashes are shortened. */
const shown = ({ pk, sk }: Key): Key => {
  const shorten = (text: string) => text.replace(/([\da-f]{12})[\da-f]{52}/, '$1…');
  return { pk: shorten(pk), sk: shorten(sk) };
};
const current = () => apiKeyKey(keys.current);
const currentId = () => keys.current.slice(0, 12);
const isCurrent = ({ sha256 }: { sha256: string }) => sha256 === keys.current;
const storedResponse = idempotencyKeyKey(payfair.id, hashOf('shop-1'));
const welcome = rewardKey('anna', 'welcome');
/** A business of Payfair in Silverline's lookup. */
const silverlines = inLookup(silverline, business(1));
const NO_ITEM = 'There is no acquirer 00000000-0000-4000-8000-000000000000.';
const cardOf = () =>
  Object.keys(sound)
    .find((name) => name.startsWith('CARD#'))
    ?.split(' ')[0] ?? '';
/** The key of the only rate limit item. */
const rateLimit = (): Key => ({
  pk:
    Object.keys(sound)
      .find((name) => name.startsWith('RATE_LIMIT#'))
      ?.split(' ')[0] ?? '',
  sk: 'RATE_LIMIT',
});
const cardHash = () => cardOf().slice('CARD#'.length);
/** The keys of items whose name starts with this text. */
const keysOf = (start: string): Key[] =>
  Object.keys(sound)
    .filter((name) => name.startsWith(start))
    .map((name) => ({ pk: name.split(' ', 1)[0] as string, sk: name.slice(name.indexOf(' ') + 1) }));
const firstOf = (start: string): Key => keysOf(start)[0] as Key;
const timesOf = (key: Key) => at(key) as { created_at: string; updated_at: string; expires_at: string };

/** An acquirer's events of a branch or terminal, oldest first. */
const eventsAbout = ({ id }: Acquirer, { pk }: Key): Event[] => {
  const [kind, subject] = pk.split('#');
  const isAbout = ({ type, branch, data }: Event) =>
    kind === 'BRANCH'
      ? type.startsWith('branch.') && branch.mid === subject
      : [data, (data as { terminals?: object[] }).terminals ?? []]
          .flat(2)
          .some((terminal) => (terminal as { tid?: string }).tid === subject);
  return (eventsIn(sound)[id] ?? []).filter(isAbout);
};
/** The key of an acquirer's last event of a branch or terminal. */
const eventOf = (who: Acquirer, subject: Key): Key => copyKey(who.id, eventsAbout(who, subject).at(-1)?.id as string);
const firstEventOf = (who: Acquirer, subject: Key): Key => copyKey(who.id, eventsAbout(who, subject)[0]?.id as string);
/** How an audit names the last event of a branch or terminal. */
const lastOf = (subject: Key): string => {
  const last = [payfair, quickpay].flatMap((who) => eventsAbout(who, subject)).at(-1);
  return `${last?.type} of ${last?.at}`;
};
const differsFromLastEvent = (subject: Key): Found => [
  'last_event',
  subject,
  `It differs from its last event, ${lastOf(subject)}.`,
];
const missingItem = (subject: Key): Found => [
  'last_event',
  subject,
  `It does not exist, but its last event is ${lastOf(subject)}.`,
];
const eventOfNonViewer = (mid: string, { id }: Acquirer, count: number): Found => [
  'event_viewers',
  branchKey(mid),
  `${id} is neither its payment provider nor its distributor, but has ${count} of its events.`,
];
const differingCopies = (mid: string, ofProvider: number, ofDistributor: number): Found => [
  'event_copies',
  branchKey(mid),
  `The copies of its events differ (payment provider ${ofProvider}, distributor ${ofDistributor}).`,
];
const twoEvents = (mid: string): Found => [
  'event_once',
  branchKey(mid),
  `It has two events of ${timesOf(branchKey(mid)).created_at}.`,
];
const changeWithoutEvent = (subject: Key, at = timesOf(subject).updated_at): Found => [
  'on_record',
  subject,
  `Its change at ${at} has no event.`,
];
/** Changes members of an event's body. */
const rewritten = (key: Key, change: (event: Event) => object): Change => {
  const [[event]] = Object.values(eventsIn({ [`${key.pk} ${key.sk}`]: at(key) as object as never })) as [[Event]];
  const { id, at: _, ...body } = event;
  const text = JSON.stringify({ ...body, ...change(event) });
  return [key, { body: deflateRawSync(text, { dictionary: DICTIONARY }) }];
};
const withData = (key: Key, data: object): Change =>
  rewritten(key, (event) => ({ data: { ...(event.data as object), ...data } }));
const timeOf = (key: Key): string => new Date(timeOfId(key.sk)).toISOString();
/** The same time with another id. */
const sibling = ({ pk, sk }: Key): Key => ({ pk, sk: `${sk.slice(0, -4)}0000` });
/** A reassignment from SHOP4 in Payfair's history of that branch. */
const departure = (terminalId: string): Key =>
  reassignmentKey(historyOf(payfair.id, 'SHOP4'), eventOf(payfair, terminal(terminalId)).sk);
const northgatesShop2 = (): Key => eventOf(northgate, branchKey('SHOP2'));
const ttlOf = (key: Key): number => (at(key) as { ttl: number }).ttl;
const departures = ({ id }: Acquirer, mid: string, events: number, named: number): Found => [
  'event_departures',
  branchKey(mid),
  `The reassignments from it in the history ${historyOf(id, mid)} differ (events ${events}, in it ${named}).`,
];
const otherHistory = (key: Key, about: 'branch' | 'terminal', is: string, expected: string | undefined): Found => [
  'event_history',
  key,
  `Its ${about}_history is ${is}; expected ${expected}.`,
];
/** An event that no terminal was created by. */
const otherEvent = newEventId(EARLY);
const otherCreation = (key: Key, terminalId: string): Found => [
  'creation_event',
  key,
  `Its creation_event has the time ${EARLY}; expected ${timesOf(terminal(terminalId)).created_at}.`,
];

const orderOf = (terminalId: string): string => at(terminal(terminalId))?.['branch_order'] as string;
/** The `branch_order` of each terminal that a branch lists. */
const ordersIn = (mid: string): string[] => at(branchKey(mid))?.['terminals'] as string[];
const listsOther = (mid: string, order: string): Found => [
  'terminals',
  branchKey(mid),
  `It lists the branch_order ${order}, which no terminal here has.`,
];
const isNotListed = (mid: string, terminalId: string): Found => [
  'terminals',
  terminal(terminalId),
  `Its branch ${mid} does not list it.`,
];

/** Attributes with an invalid form, for each item kind. */
const MALFORMED: [kind: string, item: () => Key, attributes: Record<string, unknown>][] = [
  ['acquirer', () => acquirerKey(quickpay.id), { updated_at: undefined }],
  ['API key', current, { ttl: 'soon' }],
  ['link with a payment provider', () => providerKey(northgate.id, payfair.id), { name: 5 }],
  ['link with a distributor', () => distributorKey(payfair.id, northgate.id), { name: undefined }],
  ['master merchant', () => masterMerchantKey(business(1)), { email: '', mcc: 5812 }],
  ['master merchant in a lookup', () => silverlines, { master_merchant_id: 5 }],
  ['head of a branch list', () => head(payfair), { count: 0, sealed_to: 'today' }],
  ['head of a branch list, with invalid MIDs', () => head(payfair), { sealed: ['SHOP 3'] }],
  ['branch', () => branchKey('SHOP1'), { terminals_changed_at: 'today', archived_at: null }],
  ['branch, with terminals that are not binary', () => branchKey('SHOP1'), { terminals: new Set(['T1']) }],
  [
    'branch, with too many terminals',
    () => branchKey('SHOP1'),
    { terminals: Array.from({ length: 1001 }, (_, number) => branchOrder(LATE, 0, tidOf(`MANY${number}`))) },
  ],
  ['branch, with a card number in its name', () => branchKey('SHOP1'), { merchant_name: 'For 4111 1111 1111 1111' }],
  ['terminal', () => terminal('T1'), { created_at: '2026-01-01', restored: false }],
  ['terminal, with an invalid branch_order', () => terminal('T1'), { branch_order: `${EARLY}#1#T1` }],
  ['terminal, with an invalid creation_event', () => terminal('T1'), { creation_event: 'today' }],
  ['claim of a serial_no', () => serialKey('SN1'), { tid: undefined }],
  ['card', () => cardKey(cardHash()), { pseudo_token_hash: 'token-anna', blocked_at: 'today' }],
  ['reward', () => welcome, { currency: 'EURO', minimum_amount: -1 }],
  ['reward, of an invalid import', () => welcome, { import_id: 'members.csv' }],
  ['erasure', () => firstOf('ERASURE#'), { id: 5 }],
  ['event of the record', () => firstOf('RECORD#MEMBERS'), { type: 'members.seen', by: '' }],
  ['stored response', () => storedResponse, { status: 500, ttl: Date.parse(LATE) }],
  ['rate limit', rateLimit, { taken: 0, ttl: undefined }],
  ['acquirer, with an invalid limit', () => acquirerKey(shutpay.id), { limit: { rate: 10, burst: 15 } }],
];

/** An item of each kind that belongs to an acquirer, with the other violations when that acquirer does not exist. */
const STRAY: [kind: string, item: Key, attributes: () => object | undefined, others: [string, string][]][] = [
  [
    'link with a payment provider',
    providerKey(NO_ID, payfair.id),
    () => ({ name: payfair.name }),
    [['provider_link', `The acquirer ${payfair.id} has no link back.`]],
  ],
  [
    'link with a distributor',
    distributorKey(NO_ID, northgate.id),
    () => ({ name: northgate.name }),
    [['distributor_link', `The acquirer ${northgate.id} has no link back.`]],
  ],
  ['payment app', paymentAppKey(NO_ID, 'Checkout Go'), () => ({}), []],
  ['master acquirer', masterAcquirerKey(NO_ID, 'Mine'), () => ({}), []],
  [
    'master merchant in a lookup',
    masterMerchantEntryKey(NO_ID, business(1)),
    () => at(silverlines),
    [['master_merchant_branch', `${NO_ID} has no branch of it.`]],
  ],
  [
    'head of a branch list',
    branchListKey(NO_ID),
    () => at(head(payfair)),
    [
      ['branch_count', `In the list of ${NO_ID}, the count is 4; expected 0.`],
      ['branch_list_sealed', `In the list of ${NO_ID}, it names SHOP3 as rank 3.`],
      ['branch_list_sealed', `In the list of ${NO_ID}, it names SHOP4 as rank 4.`],
    ],
  ],
  [
    'entry of a branch list',
    branchListEntryKey(NO_ID, EARLY, 'SHOP1'),
    () => ({}),
    [['branch_list_entry', `In the list of ${NO_ID}, there is no branch SHOP1.`]],
  ],
  ['stored response', idempotencyKeyKey(NO_ID, HASH), () => at(storedResponse), []],
  ['rate limit', rateLimitKey(NO_ID, 'requests', 0), () => at(rateLimit()), []],
];

const BREAKAGES: Breakage[] = [
  [
    'an item is of an unknown kind',
    () => [
      [{ pk: 'NOTE#1', sk: 'NOTE' }, { text: 'Hello' }],
      [{ ...branchKey('SHOP1'), sk: 'COMMENT#1' }, { text: 'Hello' }],
    ],
    () => [
      ['known_kind', { pk: 'NOTE#1', sk: 'NOTE' }, 'No kind of item has such a key.'],
      ['known_kind', { pk: 'BRANCH#SHOP1', sk: 'COMMENT#1' }, 'No kind of item has such a key.'],
    ],
  ],
  ...MALFORMED.map(
    ([kind, item, attributes]): Breakage => [
      `an item is malformed: ${kind}`,
      () => [[item(), attributes]],
      () => [['form', item(), `Missing or invalid: ${Object.keys(attributes).join(', ')}.`]],
    ],
  ),
  [
    'a reward is stored under the id of another',
    () => [[rewardKey('anna', 'other'), at(welcome)]],
    () => [['key', rewardKey('anna', 'other'), 'Expected MEMBER#anna / REWARD#welcome.']],
  ],
  [
    'a branch has a MID that differs from its key',
    () => [[branchKey('SHOP1'), { mid: 'SHOP9' }]],
    () => [['key', branchKey('SHOP1'), 'Expected BRANCH#SHOP9 / BRANCH.'], differsFromLastEvent(branchKey('SHOP1'))],
  ],
  [
    'entries of lists have invalid keys',
    () => [
      [{ ...head(payfair), sk: 'BRANCH_LIST#today' }, {}],
      [{ ...head(payfair), sk: `BRANCH_LIST#${placeOf('SHOP5')}#more` }, {}],
    ],
    () => [
      [
        'key',
        { ...head(payfair), sk: 'BRANCH_LIST#today' },
        `Expected ACQUIRER#${payfair.id} / BRANCH_LIST#<created_at>#<mid>.`,
      ],
      [
        'key',
        { ...head(payfair), sk: `BRANCH_LIST#${placeOf('SHOP5')}#more` },
        `Expected ACQUIRER#${payfair.id} / BRANCH_LIST#${placeOf('SHOP5')}.`,
      ],
    ],
  ],
  [
    'keys of lookups are not UUIDs, or have a suffix',
    () => [
      [{ ...silverlines, sk: 'no-uuid' }, at(silverlines)],
      [{ ...silverlines, sk: `${silverlines.sk}AAAA` }, at(silverlines)],
      [{ ...silverlines, sk: '_'.repeat(21) }, at(silverlines)],
    ],
    () => [
      ['key', { ...silverlines, sk: 'no-uuid' }, `Expected MASTER_MERCHANTS#${silverline.id} / <UUID in base64url>.`],
      [
        'key',
        { ...silverlines, sk: `${silverlines.sk}AAAA` },
        `Expected MASTER_MERCHANTS#${silverline.id} / ${silverlines.sk}.`,
      ],
      [
        'key',
        { ...silverlines, sk: '_'.repeat(21) },
        `Expected MASTER_MERCHANTS#${silverline.id} / <UUID in base64url>.`,
      ],
    ],
  ],
  [
    'a partner is linked by a name instead of its UUID',
    () => [[providerKey(northgate.id, 'Payfair'), { name: 'Payfair' }]],
    () => [
      ['provider_link', providerKey(northgate.id, 'Payfair'), 'There is no PAYMENT_PROVIDER Payfair.'],
      ['provider_link', providerKey(northgate.id, 'Payfair'), 'The acquirer Payfair has no link back.'],
    ],
  ],
  [
    'a card is stored under its number; the number is not shown',
    () => [
      [
        { ...cardKey('4111 1111 1111 1111'), sk: 'CARD#1' },
        { member_id: 'anna', pseudo_token_hash: HASH },
      ],
    ],
    () => [
      ['hashed', { pk: 'CARD#…', sk: 'CARD#1' }, 'Its pk does not end with a hash.'],
      ['key', { pk: 'CARD#…', sk: 'CARD#1' }, 'Expected CARD#… / CARD.'],
      ['card_listed', { pk: 'CARD#…', sk: 'CARD#1' }, 'Its member does not list it. Importing the card again adds it.'],
    ],
  ],
  [
    'an API key is stored in plain text; the key is not shown',
    () => [[apiKeyKey('apk_AAAAAAAAAAAAAAAA'), at(current())]],
    () => [
      ['hashed', { pk: 'API_KEY#…', sk: 'API_KEY' }, 'Its pk does not end with a hash.'],
      ['api_key_listed', { pk: 'API_KEY#…', sk: 'API_KEY' }, `The acquirer ${payfair.id} does not list it.`],
    ],
  ],
  [
    'an Idempotency-Key is stored in plain text; the key is not shown',
    () => [[idempotencyKeyKey(payfair.id, 'order-1'), at(storedResponse)]],
    () => [
      ['hashed', { pk: `IDEMPOTENCY_KEY#${payfair.id}#…`, sk: 'IDEMPOTENCY_KEY' }, 'Its pk does not end with a hash.'],
    ],
  ],
  [
    'items that are neither branches nor terminals are in the indexes',
    () => [
      [head(silverline), { distributor: silverline.id, distributor_position: 2 }],
      [serialKey('SN1'), { mid: 'SHOP1', branch_order: EARLY }],
    ],
    () => [
      ['index_keys', head(silverline), 'It has a distributor_position, which puts it into an index.'],
      ['index_keys', serialKey('SN1'), 'It has a branch_order, which puts it into an index.'],
    ],
  ],
  ...[acquirerKey(quickpay.id), branchKey('SHOP1'), terminal('T1')].map(
    (item): Breakage => [
      `an item was updated before it was created: ${item.pk}`,
      () => [[item, { updated_at: EARLY }]],
      () => [
        ['updated_at', item, `Its updated_at ${EARLY} is before its created_at ${timesOf(item).created_at}.`],
        ...(item.pk === 'ACQUIRERS' ? [] : [differsFromLastEvent(item)]),
      ],
    ],
  ),
  ...STRAY.map(
    ([kind, item, attributes, others]): Breakage => [
      `an item belongs to an unknown acquirer: ${kind}`,
      () => [[item, { ...attributes() }]],
      () => [['registered', item, NO_ITEM], ...others.map(([name, detail]): Found => [name, item, detail])],
    ],
  ),
  [
    'an acquirer is missing',
    () => [[acquirerKey(silverline.id)]],
    () => [
      ['registered', head(silverline), `There is no acquirer ${silverline.id}.`],
      ['registered', entry(silverline, 'SHOP3'), `There is no acquirer ${silverline.id}.`],
      ['registered', silverlines, `There is no acquirer ${silverline.id}.`],
      ['branch_acquirers', branchKey('SHOP3'), `There is no DISTRIBUTOR ${silverline.id}.`],
      ...keysOf(`RECORD#ACQUIRER#${silverline.id}`).map(
        (key): Found => ['record_subject', key, `There is no acquirer ${silverline.id}.`],
      ),
    ],
  ],
  [
    'an acquirer has the other type',
    () => [[acquirerKey(quickpay.id), { type: 'DISTRIBUTOR' }]],
    () => [
      ['provider_link', providerKey(northgate.id, quickpay.id), `There is no PAYMENT_PROVIDER ${quickpay.id}.`],
      ...listOf(quickpay).map(
        ({ sha256 }): Found => [
          'api_key_alike',
          apiKeyKey(sha256),
          `It differs from the acquirer ${quickpay.id} in type.`,
        ],
      ),
      ...['SMALL1', 'SMALL2', 'SMALL3'].map(
        (mid): Found => ['branch_acquirers', branchKey(mid), `There is no PAYMENT_PROVIDER ${quickpay.id}.`],
      ),
      [
        'master_merchant_provider',
        masterMerchantKey(business(1, quickpay)),
        `There is no PAYMENT_PROVIDER ${quickpay.id}.`,
      ],
    ],
  ],
  [
    'a partnership has only the distributor’s link',
    () => [[distributorKey(payfair.id, northgate.id)]],
    () => [['provider_link', providerKey(northgate.id, payfair.id), `The acquirer ${payfair.id} has no link back.`]],
  ],
  [
    'a partnership has only the payment provider’s link',
    () => [[providerKey(northgate.id, payfair.id)]],
    () => [
      ['distributor_link', distributorKey(payfair.id, northgate.id), `The acquirer ${northgate.id} has no link back.`],
    ],
  ],
  [
    'links have other names than the partners',
    () => [
      [providerKey(northgate.id, payfair.id), { name: 'Unfair' }],
      [distributorKey(payfair.id, northgate.id), { name: 'Southgate' }],
    ],
    () => [
      [
        'provider_link',
        providerKey(northgate.id, payfair.id),
        `Its name differs from that of the acquirer ${payfair.id}.`,
      ],
      [
        'distributor_link',
        distributorKey(payfair.id, northgate.id),
        `Its name differs from that of the acquirer ${northgate.id}.`,
      ],
    ],
  ],
  [
    'two acquirers of one type are partners',
    () => [
      [providerKey(northgate.id, silverline.id), { name: silverline.name }],
      [distributorKey(silverline.id, northgate.id), { name: northgate.name }],
    ],
    () => [
      ['provider_link', providerKey(northgate.id, silverline.id), `There is no PAYMENT_PROVIDER ${silverline.id}.`],
    ],
  ],

  [
    'an API key has another key_id',
    () => [[current(), { key_id: '000000000000' }]],
    () => [
      ['key_id', current(), `Its key_id is 000000000000; expected ${currentId()}.`],
      ['api_key_alike', current(), `It differs from the acquirer ${payfair.id} in key_id.`],
    ],
  ],
  [
    'an acquirer lists an API key with another key_id',
    () => [
      [
        acquirerKey(payfair.id),
        { api_keys: listOf(payfair).map((key) => ({ ...key, ...(isCurrent(key) && { key_id: '000000000000' }) })) },
      ],
    ],
    () => [
      ['listed_key_id', acquirerKey(payfair.id), `It lists the key_id 000000000000; expected ${currentId()}.`],
      ['api_key_alike', current(), `It differs from the acquirer ${payfair.id} in key_id.`],
    ],
  ],
  [
    'an API key has no ttl although it expires',
    () => [[apiKeyKey(keys.rotated), { ttl: undefined }]],
    () => {
      const right = Math.ceil(Date.parse(timesOf(apiKeyKey(keys.rotated)).expires_at) / 1000);
      return [['api_key_ttl', apiKeyKey(keys.rotated), `Its ttl is missing; expected ${right}.`]];
    },
  ],
  [
    'an API key has a ttl although it does not expire',
    () => [[current(), { ttl: 2_000_000_000 }]],
    () => [['api_key_ttl', current(), 'Its ttl is 2000000000; expected none.']],
  ],
  [
    'an API key is valid although its acquirer does not list it',
    () => [[acquirerKey(payfair.id), { api_keys: listOf(payfair).filter((key) => !isCurrent(key)) }]],
    () => [['api_key_listed', current(), `The acquirer ${payfair.id} does not list it.`]],
  ],
  [
    'an API key identifies another acquirer than the one that lists it',
    () => [[current(), { acquirer: quickpay }]],
    () => [['api_key_listed', current(), `The acquirer ${quickpay.id} does not list it.`]],
  ],
  [
    'an API key identifies an acquirer that does not exist',
    () => [[current(), { acquirer: { ...payfair, id: NO_ID } }]],
    () => [['api_key_listed', current(), `The acquirer ${NO_ID} does not list it.`]],
  ],
  [
    'an API key differs from its acquirer',
    () => [
      [
        current(),
        {
          acquirer: { ...payfair, name: 'Unfair', limit: { rate: 9, burst: 18 } },
          label: 'other',
          expires_at: EARLY,
          ttl: 978_307_200,
        },
      ],
    ],
    () => [
      [
        'api_key_alike',
        current(),
        `It differs from the acquirer ${payfair.id} in name, rate, burst, label, expires_at.`,
      ],
    ],
  ],
  [
    'an API key of a disabled acquirer is valid',
    () => [[apiKeyKey(keys.ofDisabled), { acquirer: shutpay, key_id: keys.ofDisabled.slice(0, 12), label: 'second' }]],
    () => [
      [
        'api_key_disabled',
        apiKeyKey(keys.ofDisabled),
        `The acquirer ${shutpay.id} has been disabled since ${at(acquirerKey(shutpay.id))?.['disabled_at']}.`,
      ],
    ],
  ],
  [
    'an API key that its acquirer lists has no item',
    () => [[current()], [apiKeyKey(keys.rotated)]],
    () =>
      [keys.current, keys.rotated].map((hash) => [
        'api_key_stored',
        acquirerKey(payfair.id),
        `It lists the API key ${hash.slice(0, 12)}, which has no item.`,
      ]),
  ],

  [
    'a branch has no position in the list of its distributor',
    () => [[branchKey('SHOP3'), { distributor_position: undefined }]],
    () => [
      [
        'distributor_position',
        branchKey('SHOP3'),
        `It has the distributor ${silverline.id} and no distributor_position.`,
      ],
      ['branch_list_sealed', head(silverline), `In the list of ${silverline.id}, it names SHOP3 as rank 1.`],
    ],
  ],
  [
    'a branch has lost its distributor',
    () => [[branchKey('SHOP3'), { distributor: undefined }]],
    () => [
      ['distributor_position', branchKey('SHOP3'), 'It has a distributor_position and no distributor.'],
      ['branch_count', head(silverline), `In the list of ${silverline.id}, the count is 1; expected 0.`],
      ['branch_list_sealed', head(silverline), `In the list of ${silverline.id}, it names SHOP3 as rank 1.`],
      ['branch_list_entry', entry(silverline, 'SHOP3'), `In the list of ${silverline.id}, there is no branch SHOP3.`],
      ['master_merchant_branch', silverlines, `${silverline.id} has no branch of it.`],
      differsFromLastEvent(branchKey('SHOP3')),
      eventOfNonViewer('SHOP3', silverline, 1),
    ],
  ],
  [
    'a ranked branch is missing',
    () => [[branchKey('SMALL2')]],
    () => [
      [
        'branch_count',
        head(quickpay),
        `In the list of ${quickpay.id}, the count is 3; expected 2, or rank 2 is missing.`,
      ],
      ['branch_list_sealed', head(quickpay), `In the list of ${quickpay.id}, it names SMALL2 as rank 2.`],
      ['branch_list_entry', entry(quickpay, 'SMALL2'), `In the list of ${quickpay.id}, there is no branch SMALL2.`],
      missingItem(branchKey('SMALL2')),
      eventOfNonViewer('SMALL2', quickpay, 1),
    ],
  ],
  [
    'a branch that is not ranked is missing',
    () => [[branchKey('SHOP5')]],
    () => [
      ['branch_list_entry', entry(payfair, 'SHOP5'), `In the list of ${payfair.id}, there is no branch SHOP5.`],
      missingItem(branchKey('SHOP5')),
      eventOfNonViewer('SHOP5', payfair, 1),
    ],
  ],
  [
    'the head of a branch list is missing',
    () => [[head(silverline)]],
    () => [
      ['branch_count', head(silverline), `In the list of ${silverline.id}, the count is 0; expected 1.`],
      [
        'branch_list_entry',
        entry(silverline, 'SHOP3'),
        `In the list of ${silverline.id}, the branch SHOP3 is ranked, and not by the last seal.`,
      ],
    ],
  ],
  [
    'the head of a branch list counts too many',
    () => [[head(payfair), { count: 5 }]],
    () => [
      ['branch_count', head(payfair), `In the list of ${payfair.id}, the count is 5; expected 4.`],
      ['branch_list_sealed', head(payfair), `In the list of ${payfair.id}, it names SHOP3 as rank 4.`],
      ['branch_list_sealed', head(payfair), `In the list of ${payfair.id}, it names SHOP4 as rank 5.`],
    ],
  ],
  [
    'the head of a branch list counts too few',
    () => [[head(payfair), { count: 3 }]],
    () => [
      ['branch_count', head(payfair), `In the list of ${payfair.id}, the count is 3; expected 4.`],
      ['branch_ranks', branchKey('SHOP4'), `In the list of ${payfair.id}, its rank 4 is beyond the count 3.`],
      ['branch_list_sealed', head(payfair), `In the list of ${payfair.id}, it names SHOP3 as rank 2.`],
      ['branch_list_sealed', head(payfair), `In the list of ${payfair.id}, it names SHOP4 as rank 3.`],
    ],
  ],
  [
    'two branches have the same rank',
    () => [[branchKey('SHOP1'), { provider_position: 2 }]],
    () => [
      [
        'branch_ranks',
        branchKey('SHOP1'),
        `In the list of ${payfair.id}, its rank 2 is also the rank of BRANCH#SHOP2.`,
      ],
      [
        'branch_ranks',
        branchKey('SHOP2'),
        `In the list of ${payfair.id}, its rank 2 is also the rank of BRANCH#SHOP1.`,
      ],
    ],
  ],
  [
    'a branch has a rank beyond the end of the list',
    () => [[branchKey('SHOP1'), { provider_position: 9 }]],
    () => [['branch_ranks', branchKey('SHOP1'), `In the list of ${payfair.id}, its rank 9 is beyond the count 4.`]],
  ],
  [
    'a branch is ranked although the list has no head',
    () => [[branchKey('SHOP2'), { distributor_position: 1 }]],
    () => [
      ['branch_count', head(northgate), `In the list of ${northgate.id}, the count is 0; expected 1.`],
      [
        'branch_list_entry',
        entry(northgate, 'SHOP2'),
        `In the list of ${northgate.id}, the branch SHOP2 is ranked, and not by the last seal.`,
      ],
    ],
  ],
  [
    'a branch has neither a rank nor an entry',
    () => [[entry(northgate, 'SHOP4')]],
    () => [
      ['branch_unranked', branchKey('SHOP4'), `In the list of ${northgate.id}, it has neither a rank nor an entry.`],
    ],
  ],
  [
    'a branch that is not ranked has a position other than its time of creation',
    () => [[branchKey('SHOP5'), { provider_position: Date.parse(EARLY) }]],
    () => [
      [
        'branch_unranked',
        branchKey('SHOP5'),
        `In the list of ${payfair.id}, its position is ${Date.parse(EARLY)}; expected ${Date.parse(timesOf(branchKey('SHOP5')).created_at)}.`,
      ],
    ],
  ],
  [
    'entries belong to a branch of another acquirer and to a missing branch',
    () => [
      [entry(northgate, 'SHOP1'), {}],
      [branchListEntryKey(northgate.id, EARLY, 'NOSHOP'), {}],
    ],
    () => [
      ['branch_list_entry', entry(northgate, 'SHOP1'), `In the list of ${northgate.id}, there is no branch SHOP1.`],
      [
        'branch_list_entry',
        branchListEntryKey(northgate.id, EARLY, 'NOSHOP'),
        `In the list of ${northgate.id}, there is no branch NOSHOP.`,
      ],
    ],
  ],
  ...[EARLY, 'today'].map(
    (time): Breakage => [
      `an entry has another time than its branch: ${time}`,
      () => [[entry(payfair, 'SHOP5')], [branchListEntryKey(payfair.id, time, 'SHOP5'), {}]],
      () => [
        ['branch_unranked', branchKey('SHOP5'), `In the list of ${payfair.id}, it has neither a rank nor an entry.`],
        [
          'branch_list_entry',
          branchListEntryKey(payfair.id, time, 'SHOP5'),
          `In the list of ${payfair.id}, the branch SHOP5 was created at ${timesOf(branchKey('SHOP5')).created_at}.`,
        ],
      ],
    ],
  ),
  [
    'the entry of a branch remains that was ranked before the last seal',
    () => [[entry(payfair, 'SHOP1'), {}]],
    () => [
      [
        'branch_list_entry',
        entry(payfair, 'SHOP1'),
        `In the list of ${payfair.id}, the branch SHOP1 is ranked, and not by the last seal.`,
      ],
    ],
  ],
  [
    'the head of a branch list names an unranked branch as sealed',
    () => [[head(payfair), { sealed: ['SHOP3', 'SHOP5'] }]],
    () => [
      ['branch_list_sealed', head(payfair), `In the list of ${payfair.id}, it names SHOP5 as rank 4.`],
      [
        'branch_list_sealed',
        head(payfair),
        `In the list of ${payfair.id}, its sealed_to ${placeOf('SHOP4')} is before ${placeOf('SHOP5')}, the entry of rank 4.`,
      ],
      [
        'branch_list_entry',
        entry(payfair, 'SHOP4'),
        `In the list of ${payfair.id}, the branch SHOP4 is ranked, and not by the last seal.`,
      ],
    ],
  ],
  [
    'the head of a branch list names a missing branch',
    () => [[head(silverline), { sealed: ['NOSHOP'] }]],
    () => [
      ['branch_list_sealed', head(silverline), `In the list of ${silverline.id}, it names NOSHOP as rank 1.`],
      [
        'branch_list_entry',
        entry(silverline, 'SHOP3'),
        `In the list of ${silverline.id}, the branch SHOP3 is ranked, and not by the last seal.`,
      ],
    ],
  ],
  [
    'the head of a branch list names the sealed branches in another order',
    () => [[head(payfair), { sealed: ['SHOP4', 'SHOP3'] }]],
    () => [
      ['branch_list_sealed', head(payfair), `In the list of ${payfair.id}, it names SHOP4 as rank 3.`],
      ['branch_list_sealed', head(payfair), `In the list of ${payfair.id}, it names SHOP3 as rank 4.`],
    ],
  ],
  [
    'the head of a branch list names no branch',
    () => [[head(silverline), { sealed: [] }]],
    () => [
      ['branch_list_sealed', head(silverline), `In the list of ${silverline.id}, it names no branch.`],
      [
        'branch_list_entry',
        entry(silverline, 'SHOP3'),
        `In the list of ${silverline.id}, the branch SHOP3 is ranked, and not by the last seal.`,
      ],
    ],
  ],
  [
    'the sealed_to of a branch list is before its last ranked branch',
    () => [[head(payfair), { sealed_to: placeOf('SHOP3') }]],
    () => [
      [
        'branch_list_sealed',
        head(payfair),
        `In the list of ${payfair.id}, its sealed_to ${placeOf('SHOP3')} is before ${placeOf('SHOP4')}, the entry of rank 4.`,
      ],
    ],
  ],
  [
    'a branch was archived before it was created',
    () => [[branchKey('SHOP4'), { archived_at: EARLY }]],
    () => [
      [
        'branch_archived_at',
        branchKey('SHOP4'),
        `Its archived_at ${EARLY} is before its created_at ${timesOf(branchKey('SHOP4')).created_at}.`,
      ],
      differsFromLastEvent(branchKey('SHOP4')),
    ],
  ],
  [
    'a branch was archived after its last change',
    () => [[branchKey('SHOP4'), { archived_at: LATE }]],
    () => [
      [
        'branch_archived_at',
        branchKey('SHOP4'),
        `Its updated_at ${timesOf(branchKey('SHOP4')).updated_at} is before its archived_at ${LATE}.`,
      ],
      differsFromLastEvent(branchKey('SHOP4')),
    ],
  ],

  [
    'a branch has another name for its master merchant',
    () => [[branchKey('SHOP5'), { master_merchant_name: 'Red Harbour' }]],
    () => [
      ['branch_master_merchant', branchKey('SHOP5'), 'It differs from its master merchant in name.'],
      differsFromLastEvent(branchKey('SHOP5')),
    ],
  ],
  [
    'a branch has a master merchant of another payment provider',
    () => [[branchKey('SHOP5'), { existing_master_merchant: business(1, quickpay) }]],
    () => [
      ['branch_master_merchant', branchKey('SHOP5'), 'It differs from its master merchant in payment_provider, name.'],
      [
        'branch_master_merchant_entry',
        branchKey('SHOP5'),
        `The acquirer ${payfair.id} does not have the master merchant ${business(1, quickpay)} in its lookup.`,
      ],
      differsFromLastEvent(branchKey('SHOP5')),
    ],
  ],
  [
    'the master merchant of branches is missing',
    () => [[masterMerchantKey(business(CARD_LIKE))]],
    () => [
      ...['SHOP2', 'SHOP4'].map(
        (mid): Found => [
          'branch_master_merchant',
          branchKey(mid),
          `There is no master merchant ${business(CARD_LIKE)}.`,
        ],
      ),
      ...[payfair, northgate].map(
        (who): Found => [
          'master_merchant_entry',
          inLookup(who, business(CARD_LIKE)),
          `There is no master merchant ${business(CARD_LIKE)}.`,
        ],
      ),
    ],
  ],
  [
    'a distributor does not have the master merchant of its branch in its lookup',
    () => [[silverlines]],
    () => [
      [
        'branch_master_merchant_entry',
        branchKey('SHOP3'),
        `The acquirer ${silverline.id} does not have the master merchant ${business(1)} in its lookup.`,
      ],
    ],
  ],
  [
    'a master merchant has a master_merchant_id that does not match its UUID',
    () => [[masterMerchantKey(business(1)), { master_merchant_id: 'BUSINESS9' }]],
    () => [
      ['master_merchant_uuid', masterMerchantKey(business(1)), `Its uuid is ${business(1)}; expected ${business(9)}.`],
      ...['SHOP1', 'SHOP3', 'SHOP5'].map(
        (mid): Found => [
          'branch_master_merchant',
          branchKey(mid),
          'It differs from its master merchant in master_merchant_id.',
        ],
      ),
      ...[inLookup(payfair, business(1)), silverlines].map(
        (key): Found => ['master_merchant_entry', key, 'Its master_merchant_id is BUSINESS1; expected BUSINESS9.'],
      ),
    ],
  ],
  [
    'a master merchant belongs to an unknown payment provider',
    () => {
      const uuid = masterMerchantUuidOf(NO_ID, 'BUSINESS1');
      return [[masterMerchantKey(uuid), { uuid, payment_provider: NO_ID, master_merchant_id: 'BUSINESS1' }]];
    },
    () => [
      [
        'master_merchant_provider',
        masterMerchantKey(masterMerchantUuidOf(NO_ID, 'BUSINESS1')),
        `There is no PAYMENT_PROVIDER ${NO_ID}.`,
      ],
      [
        'master_merchant_listed',
        masterMerchantKey(masterMerchantUuidOf(NO_ID, 'BUSINESS1')),
        `The payment provider ${NO_ID} does not have it in its lookup.`,
      ],
    ],
  ],
  [
    'lookups have other names or payment providers for master merchants',
    () => [
      [silverlines, { name: 'Red Harbour', payment_provider: undefined }],
      [inLookup(northgate, business(CARD_LIKE)), { name: 'Two' }],
    ],
    () => [
      ['master_merchant_entry', silverlines, 'Its name is Red Harbour; expected Blue Harbour.'],
      ['master_merchant_entry', silverlines, `Its payment_provider is absent; expected ${payfair.id}.`],
      ['master_merchant_entry', inLookup(northgate, business(CARD_LIKE)), 'Its name is Two; expected absent.'],
    ],
  ],
  [
    'a lookup has a missing master merchant',
    () => [[inLookup(payfair, business(9)), { master_merchant_id: 'BUSINESS9' }]],
    () => [
      ['master_merchant_entry', inLookup(payfair, business(9)), `There is no master merchant ${business(9)}.`],
      ['master_merchant_branch', inLookup(payfair, business(9)), `${payfair.id} has no branch of it.`],
    ],
  ],
  [
    'a lookup has a master merchant without a branch of the acquirer',
    () => [
      [
        inLookup(silverline, business(CARD_LIKE)),
        { master_merchant_id: `BUSINESS${CARD_LIKE}`, payment_provider: payfair.id },
      ],
    ],
    () => [
      ['master_merchant_branch', inLookup(silverline, business(CARD_LIKE)), `${silverline.id} has no branch of it.`],
    ],
  ],

  [
    'a terminal has the TID of another terminal_id',
    () => [[terminal('T1'), { terminal_id: 'T9' }]],
    () => [
      ['tid', terminal('T1'), `Its tid is ${tidOf('T1')}; expected ${tidOf('T9')}.`],
      differsFromLastEvent(terminal('T1')),
    ],
  ],
  [
    'terminals have a branch_order that does not match their attributes',
    () => [
      [terminal('T1'), { branch_order: branchOrder(EARLY, 0, tidOf('T1')) }],
      [terminal('T2'), { branch_order: `${timesOf(terminal('T2')).created_at}#999#${'-'.repeat(36)}` }],
    ],
    () =>
      (
        [
          ['T1', branchOrder(EARLY, 0, tidOf('T1')), 0],
          ['T2', `${timesOf(terminal('T2')).created_at}#999#${'-'.repeat(36)}`, 999],
        ] as const
      ).flatMap(([id, is, place]): Found[] => [
        [
          'branch_order',
          terminal(id),
          `Its branch_order is ${is}; expected ${branchOrder(timesOf(terminal(id)).created_at, place, tidOf(id))}.`,
        ],
        listsOther('SHOP1', orderOf(id)),
        isNotListed('SHOP1', id),
      ]),
  ],
  [
    'a terminal was archived before it was created',
    () => [[terminal('OWN'), { archived_at: EARLY }]],
    () => [
      [
        'terminal_archived_at',
        terminal('OWN'),
        `Its archived_at ${EARLY} is before its created_at ${timesOf(terminal('OWN')).created_at}.`,
      ],
      differsFromLastEvent(terminal('OWN')),
    ],
  ],
  [
    'an archived terminal has no reason, and an active one has a reason',
    () => [
      [terminal('OWN'), { archive_reason: undefined }],
      [terminal('T1'), { archive_reason: 'Lost' }],
    ],
    () => [
      differsFromLastEvent(terminal('OWN')),
      ['archive_reason', terminal('OWN'), 'It has an archived_at and no archive_reason.'],
      ['archive_reason', terminal('T1'), 'It has an archive_reason and no archived_at.'],
    ],
  ],
  [
    'terminals are marked as restored that cannot have been',
    () => [
      [terminal('OWN'), { restored: true }],
      [terminal('T1'), { restored: true }],
    ],
    () => [
      [
        'restored',
        terminal('OWN'),
        `It is marked as restored, but was archived at ${at(terminal('OWN'))?.['archived_at']}.`,
      ],
      ['restored', terminal('T1'), 'It is marked as restored, but its branch SHOP1 is not archived.'],
    ],
  ],
  [
    'a terminal is under a missing branch',
    () => [[terminal('T1'), { mid: 'NOSHOP' }]],
    () => [
      differsFromLastEvent(terminal('T1')),
      ['terminal_branch', terminal('T1'), 'There is no branch NOSHOP.'],
      listsOther('SHOP1', orderOf('T1')),
    ],
  ],
  [
    'a branch lists terminals that are missing or elsewhere, and does not list one that is here',
    () => {
      const gone = branchOrder(LATE, 0, tidOf('GONE'));
      const others = ordersIn('SHOP1').filter((order) => order !== orderOf('T1'));
      return [[branchKey('SHOP1'), { terminals: [...others, gone, orderOf('OWN')] }]];
    },
    () => [
      listsOther('SHOP1', branchOrder(LATE, 0, tidOf('GONE'))),
      listsOther('SHOP1', orderOf('OWN')),
      isNotListed('SHOP1', 'T1'),
    ],
  ],
  [
    'a branch with terminals lists none, and one without lists some',
    () => [
      [branchKey('SHOP1'), { terminals: undefined }],
      [branchKey('SHOP2'), { terminals: [orderOf('T1')] }],
      // Too short for a branch_order.
      [branchKey('SHOP3'), { terminals: new Set([new Uint8Array([0])]) }],
    ],
    () => [
      ['form', branchKey('SHOP3'), 'Missing or invalid: terminals.'],
      ...['T1', 'T2', 'MOVED', 'MOVEDTOO'].map((id) => isNotListed('SHOP1', id)),
      listsOther('SHOP2', orderOf('T1')),
    ],
  ],
  [
    'a branch lists a terminal at another place than its own',
    () => {
      const others = ordersIn('SHOP1').filter((order) => order !== orderOf('T1'));
      return [[branchKey('SHOP1'), { terminals: [...others, orderOf('T1').replace('#000#', '#001#')] }]];
    },
    () => [listsOther('SHOP1', orderOf('T1').replace('#000#', '#001#')), isNotListed('SHOP1', 'T1')],
  ],
  [
    'terminals and events of them name other creations than their own',
    () => [
      [terminal('T1'), { creation_event: otherEvent }],
      [eventOf(payfair, terminal('MOVED')), { creation_event: otherEvent }],
    ],
    () => [
      otherCreation(terminal('T1'), 'T1'),
      otherCreation(eventOf(payfair, terminal('MOVED')), 'MOVED'),
      differsFromLastEvent(terminal('T1')),
      differsFromLastEvent(terminal('MOVED')),
      differingCopies('SHOP4', 10, 10),
    ],
  ],
  [
    'a terminal and a copy of an event do not name the creation, and the only terminal of a creation names it',
    () => [
      [terminal('T1'), { creation_event: undefined }],
      [eventOf(northgate, terminal('GONE')), { creation_event: undefined }],
      [terminal('ONE'), { creation_event: eventOf(quickpay, branchKey('SMALL3')).sk }],
    ],
    () => [
      differsFromLastEvent(terminal('T1')),
      differingCopies('SHOP4', 10, 10),
      differsFromLastEvent(terminal('ONE')),
    ],
  ],
  [
    'the serial_no of a terminal has no claim',
    () => [[serialKey('SN1')]],
    () => [['serial_claimed', terminal('SER1'), 'Its serial_no SN1 is not claimed.']],
  ],
  [
    'a serial_no is claimed by another terminal than the one that has it',
    () => [[serialKey('SN1'), { tid: tidOf('SER2') }]],
    () => [
      ['serial_claimed', terminal('SER1'), `Its serial_no SN1 is claimed by ${tidOf('SER2')}.`],
      ['serial_held', serialKey('SN1'), `The terminal ${tidOf('SER2')} has SN2.`],
    ],
  ],
  [
    'a card is not on the list of its member',
    () => [[memberCardKey('anna', cardHash())]],
    () => [['card_listed', cardKey(cardHash()), 'Its member does not list it. Importing the card again adds it.']],
  ],
  [
    'a member lists a missing card and one of another member',
    () => [
      [memberCardKey('anna', HASH), {}],
      [memberCardKey('bruno', cardHash()), {}],
    ],
    () => [
      ['listed_card', memberCardKey('anna', HASH), 'There is no such card.'],
      ['listed_card', memberCardKey('bruno', cardHash()), 'The card belongs to another member.'],
    ],
  ],
  [
    'a member lists a card by its number; the number is not shown',
    () => [[memberCardKey('anna', '4111 1111 1111 1111'), {}]],
    () => [
      ['key', { pk: 'MEMBER#anna', sk: 'CARD#…' }, 'Expected MEMBER#anna / CARD#….'],
      ['listed_card', { pk: 'MEMBER#anna', sk: 'CARD#…' }, 'There is no such card.'],
    ],
  ],
  [
    'an event of the record has another time than its id and expires before that time',
    () => [[firstOf('RECORD#MEMBERS'), { at: EARLY, ttl: 1 }]],
    () => {
      const key = firstOf('RECORD#MEMBERS');
      const { at: time } = at(key) as { at: string };
      return [
        ['record_time', key, `Its id has the time ${time}; expected ${EARLY}.`],
        ['record_time', key, `Its ttl 1 is before its time ${EARLY}.`],
      ];
    },
  ],
  [
    'an event of the record is about a member whose id is not hashed',
    () => [[recordKey('MEMBER#anna', firstOf('RECORD#MEMBERS').sk), at(firstOf('RECORD#MEMBERS'))]],
    () => [['record_subject', recordKey('MEMBER#anna', firstOf('RECORD#MEMBERS').sk), 'Its subject is invalid.']],
  ],
  [
    'an erasure is stored under the id of its member; the id is not shown',
    () => [[erasureKey('anna'), at(firstOf('ERASURE#'))]],
    () => [['hashed', { pk: 'ERASURE#…', sk: 'ERASURE' }, 'Its pk does not end with a hash.']],
  ],
  [
    'serial_nos are claimed for a terminal without one and for a missing terminal',
    () => [
      [serialKey('SN3OLD'), { tid: tidOf('SER3') }],
      [serialKey('SN9'), { tid: tidOf('GONE') }],
    ],
    () => [
      ['serial_held', serialKey('SN3OLD'), `The terminal ${tidOf('SER3')} has no serial_no.`],
      ['serial_held', serialKey('SN9'), `There is no terminal ${tidOf('GONE')}.`],
    ],
  ],
  [
    'a response is stored for a branch that was never created',
    () => [[storedResponse, { location: '/ext/api/v1/merchants/NOSHOP' }]],
    () => [['saved_response', storedResponse, 'There is no branch NOSHOP.']],
  ],
  [
    'events cannot be read, have an unknown type, or lack fields of their type',
    () => [
      [eventOf(northgate, branchKey('SHOP2')), { body: new Uint8Array([0]) }],
      rewritten(eventOf(silverline, branchKey('SHOP3')), () => ({ type: 'branch.renamed' })),
      withData(eventOf(northgate, branchKey('SMALL3')), { terminals: undefined }),
      [eventOf(payfair, terminal('SER3')), { branch_history: undefined }],
      [departure('MOVED'), { body: new Uint8Array([0]) }],
      [departure('MOVEDTOO'), { branch_history: undefined }],
    ],
    () => [
      ['form', eventOf(northgate, branchKey('SHOP2')), 'Missing or invalid: body.'],
      ['form', eventOf(silverline, branchKey('SHOP3')), 'Missing or invalid: body.'],
      ['form', eventOf(northgate, branchKey('SMALL3')), 'Missing or invalid: body.'],
      ['form', eventOf(payfair, terminal('SER3')), 'Missing or invalid: branch_history.'],
      ['form', departure('MOVED'), 'Missing or invalid: body.'],
      ['form', departure('MOVEDTOO'), 'Missing or invalid: branch_history.'],
      differingCopies('SHOP4', 9, 10),
      departures(payfair, 'SHOP4', 2, 0),
      differingCopies('SHOP2', 1, 0),
      differingCopies('SHOP3', 1, 0),
      differingCopies('SMALL3', 1, 0),
    ],
  ],
  [
    'events are not under the month of their id, or their ids are not version-7 UUIDs',
    () => [
      [eventKey(northgate.id, '1999-01', eventOf(northgate, branchKey('SHOP2')).sk), at(northgatesShop2())],
      [{ ...northgatesShop2(), sk: 'today' }, at(northgatesShop2())],
      [{ ...departure('MOVED'), sk: NO_ID }, at(departure('MOVED'))],
    ],
    () => [
      [
        'key',
        eventKey(northgate.id, '1999-01', northgatesShop2().sk),
        `Expected ${northgatesShop2().pk} / ${northgatesShop2().sk}.`,
      ],
      ['key', { ...northgatesShop2(), sk: 'today' }, `Expected ${northgatesShop2().pk} / <version-7 UUID>.`],
      [
        'key',
        { ...departure('MOVED'), sk: NO_ID },
        `Expected REASSIGNMENT#${historyOf(payfair.id, 'SHOP4')} / <version-7 UUID>.`,
      ],
      differingCopies('SHOP2', 1, 2),
    ],
  ],
  [
    'reassignments are in other histories than their keys say',
    () => [
      [departure('MOVED'), { branch_history: historyOf(payfair.id, 'SHOP5') }],
      [departure('MOVEDTOO'), { branch_history: historyOf(northgate.id, 'SHOP4') }],
    ],
    () => [
      [
        'key',
        departure('MOVED'),
        `Expected REASSIGNMENT#${historyOf(payfair.id, 'SHOP5')} / ${departure('MOVED').sk}.`,
      ],
      [
        'key',
        departure('MOVEDTOO'),
        `Expected REASSIGNMENT#${historyOf(northgate.id, 'SHOP4')} / ${departure('MOVEDTOO').sk}.`,
      ],
    ],
  ],
  [
    'events have a ttl that is not a number of days',
    () => [northgatesShop2(), departure('MOVED')].map((key): Change => [key, { ttl: ttlOf(key) + 60 }]),
    () =>
      [northgatesShop2(), departure('MOVED')].map(
        (key): Found => ['event_ttl', key, `Its ttl is ${ttlOf(key) + 60}; expected ${ttlOf(key)}.`],
      ),
  ],
  [
    'an event has a ttl on the day that it was stored',
    () => [[departure('MOVED'), { ttl: Math.ceil(timeOfId(departure('MOVED').sk) / 1000) + 3600 }]],
    () => {
      const stored = Math.ceil(timeOfId(departure('MOVED').sk) / 1000);
      return [
        ['event_ttl', departure('MOVED'), `Its ttl is ${stored + 3600}; expected ${stored + 24 * 3600 + 3600}.`],
        departures(payfair, 'SHOP4', 2, 1),
      ];
    },
  ],
  [
    'events have other times than their changes',
    () => [
      ...[payfair, northgate].map((who) => withData(eventOf(who, branchKey('SHOP4')), { archived_at: EARLY })),
      withData(eventOf(payfair, terminal('OWN')), { updated_at: EARLY }),
    ],
    () => [
      ...[
        eventOf(payfair, branchKey('SHOP4')),
        eventOf(northgate, branchKey('SHOP4')),
        eventOf(payfair, terminal('OWN')),
      ].map(
        (key): Found => ['event_time', key, `The change in its body has the time ${EARLY}; expected ${timeOf(key)}.`],
      ),
      differsFromLastEvent(branchKey('SHOP4')),
      differingCopies('SHOP4', 10, 10),
    ],
  ],
  [
    'events name an API key of another acquirer, or hide it from the acquirer that has it',
    () => [
      rewritten(eventOf(payfair, branchKey('SHOP2')), ({ by }) => ({ by: { ...by, key_id: '000000000000' } })),
      rewritten(northgatesShop2(), ({ by }) => ({ by: { ...by, key_label: null } })),
    ],
    () => [
      ['event_author', eventOf(payfair, branchKey('SHOP2')), `It names an API key of ${northgate.id}.`],
      ['event_author', northgatesShop2(), 'It does not name the API key.'],
    ],
  ],
  [
    'events are in histories of other branches, terminals or acquirers, or in none of their terminal',
    () => [
      [
        eventOf(payfair, branchKey('SHOP1')),
        {
          branch_history: historyOf(payfair.id, 'SHOP2'),
          terminal_history: historyOf(payfair.id, tidOf('T1')),
        },
      ],
      [
        eventOf(northgate, terminal('GONE')),
        {
          branch_history: historyOf(payfair.id, 'SHOP4'),
          terminal_history: historyOf(payfair.id, tidOf('GONE')),
        },
      ],
      [eventOf(payfair, terminal('MOVED')), { terminal_history: historyOf(payfair.id, tidOf('T1')) }],
      [eventOf(northgate, terminal('MOVED')), { terminal_history: undefined }],
      [eventOf(quickpay, branchKey('SMALL3')), { terminal_history: undefined }],
    ],
    () => {
      const of = ({ id }: Acquirer, terminalId: string) => historyOf(id, tidOf(terminalId));
      const [shop1, gone] = [eventOf(payfair, branchKey('SHOP1')), eventOf(northgate, terminal('GONE'))];
      return [
        otherHistory(shop1, 'branch', historyOf(payfair.id, 'SHOP2'), historyOf(payfair.id, 'SHOP1')),
        otherHistory(shop1, 'terminal', of(payfair, 'T1'), undefined),
        otherHistory(gone, 'branch', historyOf(payfair.id, 'SHOP4'), historyOf(northgate.id, 'SHOP4')),
        otherHistory(gone, 'terminal', of(payfair, 'GONE'), of(northgate, 'GONE')),
        otherHistory(eventOf(payfair, terminal('MOVED')), 'terminal', of(payfair, 'T1'), of(payfair, 'MOVED')),
        otherHistory(eventOf(northgate, terminal('MOVED')), 'terminal', 'undefined', of(northgate, 'MOVED')),
        otherHistory(eventOf(quickpay, branchKey('SMALL3')), 'terminal', 'undefined', of(quickpay, 'ONE')),
      ];
    },
  ],
  [
    'an acquirer has an event of a branch that it cannot access',
    () => {
      const { sk } = eventOf(payfair, branchKey('SHOP1'));
      const branch_history = historyOf(quickpay.id, 'SHOP1');
      return [[copyKey(quickpay.id, sk), { ...at(copyKey(payfair.id, sk)), branch_history }]];
    },
    () => [
      [
        'event_author',
        copyKey(quickpay.id, eventOf(payfair, branchKey('SHOP1')).sk),
        `It names an API key of ${payfair.id}.`,
      ],
      eventOfNonViewer('SHOP1', quickpay, 1),
    ],
  ],
  [
    'an acquirer lacks an event, another has one more, and a third has a different copy',
    () => [
      [northgatesShop2()],
      [sibling(eventOf(silverline, branchKey('SHOP3'))), at(eventOf(silverline, branchKey('SHOP3')))],
      withData(firstEventOf(northgate, branchKey('SHOP4')), { merchant_name: 'Large' }),
    ],
    () => [
      differingCopies('SHOP2', 1, 0),
      differingCopies('SHOP3', 1, 2),
      differingCopies('SHOP4', 10, 10),
      twoEvents('SHOP3'),
    ],
  ],
  [
    'the history of a branch lacks a reassignment, and that of another has one too many',
    () => [
      [departure('MOVED')],
      [
        reassignmentKey(historyOf(payfair.id, 'SHOP5'), departure('MOVED').sk),
        { ...at(departure('MOVED')), branch_history: historyOf(payfair.id, 'SHOP5') },
      ],
    ],
    () => [departures(payfair, 'SHOP4', 2, 1), departures(payfair, 'SHOP5', 0, 1)],
  ],
  [
    'a reassignment is in the history of an acquirer that does not see its target',
    () => [
      [
        reassignmentKey(historyOf(northgate.id, 'SHOP4'), departure('MOVED').sk),
        { ...at(departure('MOVED')), branch_history: historyOf(northgate.id, 'SHOP4') },
      ],
    ],
    () => [departures(northgate, 'SHOP4', 0, 1)],
  ],
  [
    'a reassignment differs in the history of the branch that the terminal left',
    () => [[departure('MOVED'), { body: at(departure('MOVEDTOO'))?.['body'] }]],
    () => [departures(payfair, 'SHOP4', 2, 2)],
  ],
  [
    'branches have two events of their creation',
    () =>
      [
        eventOf(payfair, branchKey('SHOP5')),
        ...[payfair, silverline].map((who) => eventOf(who, branchKey('SHOP3'))),
      ].map((key): Change => [sibling(key), at(key)]),
    () => [twoEvents('SHOP5'), twoEvents('SHOP3')],
  ],
  [
    'branches and terminals differ from their last events',
    () => [
      [branchKey('SHOP1'), { city: 'Porto' }],
      [terminal('T1'), { terminal_model: 'Countertop' }],
      [terminal('BACK'), { restored: undefined }],
      [terminal('OWN'), { archive_reason: 'Found' }],
      [terminal('GONE'), at(terminal('WITH'))],
    ],
    () => [
      differsFromLastEvent(branchKey('SHOP1')),
      differsFromLastEvent(terminal('T1')),
      differsFromLastEvent(terminal('BACK')),
      differsFromLastEvent(terminal('OWN')),
      differsFromLastEvent(terminal('GONE')),
      ['key', terminal('GONE'), `Expected TERMINAL#${tidOf('WITH')} / TERMINAL.`],
    ],
  ],
  [
    'a terminal is missing without an event of its deletion',
    () => [payfair, northgate].map((who): Change => [eventOf(who, terminal('GONE'))]),
    () => [['last_event', terminal('GONE'), `It does not exist, but its last event is ${lastOf(terminal('WITH'))}.`]],
  ],
  [
    'a branch and a terminal changed without an event',
    () => [
      [branchKey('SHOP5'), { updated_at: LATE }],
      [terminal('T1'), { updated_at: LATE, terminal_model: 'Countertop' }],
    ],
    () => [changeWithoutEvent(branchKey('SHOP5'), LATE), changeWithoutEvent(terminal('T1'), LATE)],
  ],
  [
    'a reward expires before it becomes valid',
    () => [[welcome, { valid_from: LATE }]],
    () => [['reward_period', welcome, `It is valid from ${LATE} and expires at ${LATE}.`]],
  ],
];

const documentOf = ([invariant, item, detail]: Found): Violation => ({ invariant, item: shown(item), detail });
const sorted = (violations: Violation[]): Violation[] =>
  violations.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The violations that an audit of the damaged table reports. */
async function brokenNow(): Promise<Violation[]> {
  const { exitCode, stdout, stderr } = await admin(['audit', '--json']);
  const { broken } = JSON.parse(stdout);
  expect([exitCode, stderr]).toEqual([1, `Invariant violations: ${broken.length}.\n`]);
  expect(stdout).not.toMatch(/[\da-f]{64}/);
  return sorted(broken);
}

/** The items by kind, as an audit prints them. */
const KINDS = `KIND                   ITEMS
acquirer               5
api_key                13
provider               2
distributor            2
payment_app            4
master_acquirer        4
master_merchant_entry  6
master_merchant        3
branch_list            3
branch_list_entry      10
branch                 8
terminal               11
serial                 2
event                  30
reassignment           2
card                   1
member_card            1
reward                 1
erasure                1
record                 70
idempotency_key        3
rate_limit             1`;

/** Runs an action before each scan of the table; `end` removes it and returns the number of scans. */
function beforeEachScan(act: (scan: number) => Promise<void>): { end: () => number } {
  let scans = 0;
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'ScanCommand') await act(++scans);
        return next(args);
      },
    { step: 'initialize', name: 'beforeEachScan' },
  );
  return {
    end() {
      table.middlewareStack.remove('beforeEachScan');
      return scans;
    },
  };
}

describe('a sound table', () => {
  test('has no violations, whatever the API and the operator did', async () => {
    expect(await admin(['audit', '--json'])).toEqual(done(JSON.stringify({ items: ITEMS, broken: [] })));
    expect(await admin(['audit'])).toEqual(
      done(`${KINDS}\n\nNo violations: all ${INVARIANTS.length} invariants hold.`),
    );
    await expectNoViolations();
  });

  test('is scanned once', async () => {
    const scans = beforeEachScan(async () => {});
    await admin(['audit']);
    expect(scans.end()).toBe(1);
  });

  test('can be larger than one page of a scan', async () => {
    const record = at(storedResponse);
    const large = Array.from(
      { length: 4 },
      (_, number): Change => [
        idempotencyKeyKey(payfair.id, hashOf(`large-${number}`)),
        { ...record, body: 'x'.repeat(350_000) },
      ],
    );
    await damage([...large, [branchKey('SHOP2'), { terminals: [orderOf('T1')] }]]);
    const scans = beforeEachScan(async () => {});
    const { stdout } = await admin(['audit', '--json']);
    expect(scans.end()).toBe(4);
    expect(JSON.parse(stdout)).toEqual({
      items: { ...ITEMS, idempotency_key: 7 },
      broken: [documentOf(listsOther('SHOP2', orderOf('T1')))],
    });
  });
});

describe('missing events', () => {
  const eventKeys = () =>
    Object.keys(sound)
      .filter((name) => /^(EVENTS|REASSIGNMENT)#/.test(name))
      .map((name) => ({ pk: name.split(' ')[0] as string, sk: name.split(' ')[1] as string }))
      .toSorted((a, b) => (a.sk < b.sk ? -1 : 1));

  test('are not reported after their retention, nor before the oldest event', async () => {
    const keys = eventKeys();
    const middle = keys[keys.length / 2]?.sk as string;
    const older = keys.filter(({ sk }) => timeOfId(sk) < timeOfId(middle));
    expect(older.length).toBeGreaterThan(10);
    await damage(older.map((key) => [key]));
    await expectNoViolations();
  });

  test('are not reported if there are no events at all', async () => {
    await damage(eventKeys().map((key) => [key]));
    await expectNoViolations();
  });

  test('are not reported if newer ones were retained for fewer days than older ones', async () => {
    // All were stored for 30 days except the creation of SHOP1, which is retained for 40. 35 days have passed since.
    const retained = eventsAbout(payfair, branchKey('SHOP1')).map(({ id }) => copyKey(payfair.id, id));
    const kept = [...retained, eventOf(payfair, terminal('MOVEDTOO'))];
    const others = eventKeys().filter(({ pk, sk }) => !kept.some((key) => key.pk === pk && key.sk === sk));
    const later = retained.map((key): Change => [key, { ttl: ttlOf(key) + 10 * 24 * 3600 }]);
    await damage([...others.map((key): Change => [key]), ...later]);
    const day35 = Date.now() + 35 * 24 * 3600 * 1000;
    jest.spyOn(Date, 'now').mockReturnValue(day35);
    await expectNoViolations();
  });
});

describe('events of the last seconds', () => {
  test('are not checked, because others of the same time may still be stored', async () => {
    await damage([
      [northgatesShop2()],
      [terminal('T1'), { updated_at: new Date().toISOString() }],
      ...[payfair, northgate].map((who): Change => [eventOf(who, terminal('GONE'))]),
    ]);
    FEED.horizonMs = 3_600_000;
    expect(await admin(['audit', '--json'])).toEqual(
      done(JSON.stringify({ items: { ...ITEMS, event: 27 }, broken: [] })),
    );
    FEED.horizonMs = Number.NEGATIVE_INFINITY;
    expect((await brokenNow()).map(({ invariant }) => invariant)).toEqual(['event_copies', 'last_event', 'on_record']);
  });
});

describe('a violation is reported if', () => {
  test.each(BREAKAGES)('%s', async (_, changes, found) => {
    await damage(changes());
    expect(await brokenNow()).toEqual(sorted(found().map(documentOf)));
  });

  test('any invariant does not hold: each of them is violated above', () => {
    const broken = new Set(BREAKAGES.flatMap(([, , found]) => found().map(([invariant]) => invariant)));
    expect(INVARIANTS.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
  });
});

describe('the report', () => {
  test('lists violations by invariant, with the item and the expected value', async () => {
    await damage([
      [branchKey('SHOP2'), { terminals: [orderOf('T1')] }],
      [branchKey('SHOP3'), { terminals: [orderOf('T1')] }],
      [serialKey('SN1')],
    ]);
    const { exitCode, stdout, stderr } = await admin(['audit']);
    const lines = stdout.split('\n');
    // The order of items in a scan is undefined.
    const branches = lines.filter((line) => line.startsWith('  BRANCH#'));
    expect(branches.toSorted()).toEqual(
      ['SHOP2', 'SHOP3'].map(
        (mid) => `  BRANCH#${mid} / BRANCH: It lists the branch_order ${orderOf('T1')}, which no terminal here has.`,
      ),
    );
    expect({ exitCode, stderr, stdout }).toEqual({
      ...failed('Invariant violations: 3.'),
      stdout: `${KINDS.replace(/^(serial +)2$/m, '$11')}

terminals: A branch lists exactly its terminals.
${branches.join('\n')}

serial_claimed: A terminal's serial_no is claimed by it.
  TERMINAL#${tidOf('SER1')} / TERMINAL: Its serial_no SN1 is not claimed.
`,
    });
  });

  test('lists at most twenty items of an invariant and how many more there are; JSON lists all', async () => {
    const notes = Array.from({ length: 23 }, (_, number) => ({ pk: `NOTE#${number + 1}`, sk: 'NOTE' }));
    await damage(notes.map((note) => [note, { text: 'Hello' }]));
    const { stdout, stderr } = await admin(['audit']);
    expect(stderr).toBe('Invariant violations: 23.\n');
    const [, ...reported] = stdout.split('\n\n');
    expect(reported).toHaveLength(1);
    const [holds, ...lines] = reported[0]?.trimEnd().split('\n') ?? [];
    expect(holds).toBe('known_kind: Every item is of a known kind.');
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('  and 3 more');
    const line = /^ {2}NOTE#\d+ \/ NOTE: No kind of item has such a key\.$/;
    expect(lines.slice(0, 20).filter((each) => !line.test(each))).toEqual([]);
    expect(new Set(lines).size).toBe(21);
    expect((await brokenNow()).map(({ item }) => item)).toEqual(expect.arrayContaining(notes));
  });

  test('makes expectNoViolations fail in a test', async () => {
    await damage([[serialKey('SN1')]]);
    await expect(expectNoViolations()).rejects.toThrow('Its serial_no SN1 is not claimed.');
  });
});

describe('a concurrent change', () => {
  test('is not reported if only the first scan saw it in part', async () => {
    await damage([[serialKey('SN1')]]);
    const scans = beforeEachScan(async (scan) => {
      if (scan === 2) await put(serialKey('SN1'), at(serialKey('SN1')));
    });
    const ran = await admin(['audit', '--json']);
    expect(scans.end()).toBe(2);
    expect(ran).toEqual(done(JSON.stringify({ items: ITEMS, broken: [] })));
  });

  test('is not reported if only the second scan saw it in part', async () => {
    await damage([[branchKey('SHOP2'), { terminals: [orderOf('T1')] }]]);
    const scans = beforeEachScan(async (scan) => {
      if (scan === 2) await put(branchKey('SHOP3'), { ...at(branchKey('SHOP3')), terminals: [orderOf('T1')] });
    });
    const found = await brokenNow();
    scans.end();
    await put(branchKey('SHOP3'), at(branchKey('SHOP3')));
    expect(found).toEqual([documentOf(listsOther('SHOP2', orderOf('T1')))]);
  });
});

// The last test of this file, because it leaves its events.
describe('a table with many events', () => {
  test('has no violations and is scanned once', async () => {
    const { api_key: key } = await issueApiKey(payfair.id, 'many');
    for (let count = 1; count <= 150; count += 1) {
      const id = tidOf(count % 3 === 0 ? 'T1' : 'SER2');
      await succeed('updateTerminal', { key, path: { id }, body: { terminal_model: `Model ${count}` } });
    }
    const scans = beforeEachScan(async () => {});
    const { stdout } = await admin(['audit', '--json']);
    expect(scans.end()).toBe(1);
    const { items, broken } = JSON.parse(stdout);
    expect(broken).toEqual([]);
    // SHOP4 has a distributor, and SHOP1 has none.
    expect(items.event).toBe(30 + 50 + 2 * 100);
  });
});
