import { deflateRawSync } from 'node:zlib';
import type { Violation } from '../../../../infra/admin/audit/audit.ts';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { hashOf } from '../../../../lib/acquirers/apiKey.ts';
import { copyKey, DICTIONARY, type Event, toEvent } from '../../../../lib/events/event.ts';
import { newEventId, timeOfId } from '../../../../lib/events/eventId.ts';
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
  identityKey,
  invitationKey,
  type Key,
  masterAcquirerKey,
  masterMerchantEntryKey,
  masterMerchantKey,
  masterMerchantUuidOf,
  memberCardKey,
  membershipKey,
  packOrder,
  paymentAppKey,
  personKey,
  providerKey,
  rateLimitKey,
  reassignmentKey,
  recordKey,
  rewardKey,
  serialKey,
  sessionKey,
  terminalKey,
  tidOf,
  unindexedWordsKey,
  type WordList,
  wordEntryKey,
} from '../../../../lib/table/keys.ts';
import { eventsIn } from '../../../support/stored.ts';
import {
  apiKeysOf,
  at,
  business,
  CARD_LIKE,
  EARLY,
  hashes,
  type Items,
  LATE,
  nameOf,
  northgate,
  payfair,
  people,
  quickpay,
  silverline,
  sound,
  trustcard,
} from './soundTable.ts';

/** Overwrites attributes of an item, or adds it; `undefined` removes an attribute. Without attributes, removes it. */
interface Change {
  key: Key;
  attributes?: object | undefined;
}
export const put = (key: Key, attributes: object): Change => ({ key, attributes });
export const remove = (key: Key): Change => ({ key });

const shortened = (text: string) => text.replace(/([\da-f]{12})[\da-f]{52}/, '$1…');
/** A violation, with its item as an audit shows it: hashes are shortened. */
const broken = (invariant: string, { pk, sk }: Key, detail: string): Violation => {
  return { invariant, item: { pk: shortened(pk), sk: shortened(sk) }, detail };
};

type Fact = Change | Violation;
/** Changes of the table, and all violations that an audit then reports. */
export type Facts = (Fact | Fact[])[];

/** Overwrites attributes of an item, which then violates an invariant. */
const breaking = (invariant: string, key: Key, attributes: object, detail: string): Fact[] => [
  put(key, attributes),
  broken(invariant, key, detail),
];

const defined = (attributes: object) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** The items of the sound table after some changes. */
export function tableWith(facts: Facts): Items {
  const items = { ...sound };
  for (const { key, attributes } of facts.flat().filter((fact) => 'key' in fact))
    if (attributes) items[nameOf(key)] = { ...defined({ ...at(key), ...attributes }), ...key };
    else delete items[nameOf(key)];
  return items;
}

/** The keys of items whose name starts with this text. */
export const keysOf = (start: string): Key[] =>
  Object.values(sound).flatMap(({ pk, sk }) => (nameOf({ pk, sk }).startsWith(start) ? [{ pk, sk }] : []));
const firstOf = (start: string): Key => keysOf(start)[0] as Key;
const created = (key: Key): string => at(key).created_at;

const NO_ID = '00000000-0000-4000-8000-000000000000';
/** One of many ids. */
const numberedId = (number: number): string => `${String(number).padStart(8, '0')}${NO_ID.slice(8)}`;
const nobody: Acquirer = { ...payfair, id: NO_ID };
const HASH = 'ab'.repeat(32);
const NO_KEY_ID = '000000000000';

const [SHOP1, SHOP2, SHOP3, SHOP4] = [branchKey('SHOP1'), branchKey('SHOP2'), branchKey('SHOP3'), branchKey('SHOP4')];
const [SHOP5, SHOP6, SHOP7] = [branchKey('SHOP5'), branchKey('SHOP6'), branchKey('SHOP7')];
const [SMALL2, SMALL3] = [branchKey('SMALL2'), branchKey('SMALL3')];
const head = ({ id }: Acquirer): Key => branchListKey(id);
/** The entry of a branch as `sealed_to` names it. */
const placeOf = (mid: string): string => `${created(branchKey(mid))}#${mid}`;
/** The entry of a branch in the list of an acquirer. */
const entry = ({ id }: Acquirer, mid: string, time = created(branchKey(mid))) => branchListEntryKey(id, time, mid);
const terminal = (terminalId: string): Key => terminalKey(tidOf(terminalId));
const T1 = terminal('T1');
const T2 = terminal('T2');
const OWN = terminal('OWN');
const MOVED = terminal('MOVED');
const GONE = terminal('GONE');

const current = apiKeyKey(hashes.current);
const rotated = apiKeyKey(hashes.rotated);
const ofDisabled = apiKeyKey(hashes.ofDisabled);
const limited = apiKeyKey(apiKeysOf(quickpay).at(-1)?.sha256 as string);
const idOf = (sha256: string): string => sha256.slice(0, 12);
/** The API keys of Payfair, of which the current one has other attributes, or is left out. */
const listed = (attributes?: object) => ({
  api_keys: apiKeysOf(payfair).flatMap((key) => {
    if (key.sha256 !== hashes.current) return [key];
    return attributes ? [{ ...key, ...attributes }] : [];
  }),
});
const [toProvider, toDistributor] = [providerKey(northgate.id, payfair.id), distributorKey(payfair.id, northgate.id)];
const storedResponse = idempotencyKeyKey(payfair.id, hashOf('shop-1'));
const welcome = rewardKey('anna', 'welcome');
const [card, erasure, imported] = [firstOf('CARD#'), firstOf('ERASURE#'), firstOf('RECORD#MEMBERS')];
const cardHash = card.pk.slice('CARD#'.length);

const [anna, bruno] = [personKey(people.anna), personKey(people.bruno)];
const [identity, session] = [identityKey(people.identity), sessionKey(people.session)];
const membership = ({ id }: Acquirer, person: string): Key => membershipKey(id, person);
const invitation = invitationKey(payfair.id, people.invitation);

const inLookup = ({ id }: Acquirer, uuid: string): Key => masterMerchantEntryKey(id, uuid);
const [silverlines, northgates] = [inLookup(silverline, business(1)), inLookup(northgate, business(CARD_LIKE))];
const nobodysUuid = masterMerchantUuidOf(NO_ID, 'BUSINESS1');
const [merchant1, nobodys] = [masterMerchantKey(business(1)), masterMerchantKey(nobodysUuid)];

/** The entry by which a word leads an acquirer to a branch. */
const wordEntry = ({ id }: Acquirer, word: string, mid: string): Key => wordEntryKey('BRANCHES', id, word, mid);
const harbour = wordEntry(payfair, 'HARBOUR', 'SHOP1');
/** The keys of all entries that lead an acquirer to a branch or master merchant. */
const wordEntriesOf = ({ id }: Acquirer, list: WordList, to: string): Key[] => {
  const { pk, sk } = unindexedWordsKey(list, id, to);
  return keysOf(`${pk}#`).filter((key) => key.sk.endsWith(`#${sk}`));
};
/** Stores entries in the form of those that are not sorted in yet. */
export const unsort = (who: Acquirer, mid: string): Change[] => {
  const entries = wordEntriesOf(who, 'BRANCHES', mid);
  return [...entries.map(remove), put(unindexedWordsKey('BRANCHES', who.id, mid), at(entries[0] as Key))];
};

/** An acquirer's events of a branch or terminal, oldest first. */
const eventsAbout = ({ id }: Acquirer, { pk }: Key): Event[] => {
  const [kind, subject] = pk.split('#');
  const isAbout = ({ type, branch, data }: Event) =>
    kind === 'BRANCH'
      ? type.startsWith('branch.') && branch.mid === subject
      : [data, (data as { terminals?: object[] }).terminals ?? []]
          .flat(2)
          .some((each) => (each as { tid?: string }).tid === subject);
  return (eventsIn(sound)[id] ?? []).filter(isAbout);
};
/** The key of an acquirer's last event of a branch or terminal, or of another one. */
export const eventOf = (who: Acquirer, subject: Key, place = -1): Key =>
  copyKey(who.id, eventsAbout(who, subject).at(place)?.id as string);
/** Changes members of an event's body. */
const rewritten = (key: Key, change: (event: Event) => object): Change => {
  const { id: _, at: __, ...event } = toEvent(at(key));
  const text = JSON.stringify({ ...event, ...change(event as Event) });
  return put(key, { body: deflateRawSync(text, { dictionary: DICTIONARY }) });
};
export const withData = (key: Key, data: object): Change =>
  rewritten(key, (event) => ({ data: { ...(event.data as object), ...data } }));
/** The same time with another id. */
const sibling = ({ pk, sk }: Key): Key => ({ pk, sk: `${sk.slice(0, -4)}0000` });
/** An event that no terminal was created by. */
const otherEvent = newEventId(EARLY);
const ofShop1 = eventOf(payfair, SHOP1);
const theirs = eventOf(northgate, SHOP2);
const silverlinesShop3 = eventOf(silverline, SHOP3);
const ofMoved = eventOf(payfair, MOVED);
const theirsOfMoved = eventOf(northgate, MOVED);
const theirsOfGone = eventOf(northgate, GONE);
const history = ({ id }: Acquirer, subject: string): string => historyOf(id, subject);
/** The reassignments from SHOP4, in Payfair's history of that branch. */
const departure = reassignmentKey(history(payfair, 'SHOP4'), ofMoved.sk);
const secondDeparture = reassignmentKey(history(payfair, 'SHOP4'), eventOf(payfair, terminal('MOVEDTOO')).sk);
/** The time of the second one, in seconds. */
const departedAt = Math.ceil(timeOfId(secondDeparture.sk) / 1000);
/** Adds the first one to another history. */
const departureIn = (branch_history: string): Change =>
  put(reassignmentKey(branch_history, departure.sk), { ...at(departure), branch_history });

const orderOf = (terminalId: string): string => at(terminal(terminalId)).branch_order;
/** A branch's `terminals` with these `branch_order` values. */
const listing = (...orders: string[]) => ({ terminals: new Set(orders.map(packOrder)) });
const tooMany = listing(...Array.from({ length: 1001 }, (_, place) => branchOrder(LATE, 0, tidOf(`MANY${place}`))));
/** The `branch_order` of each terminal of SHOP1 except T1, and of terminals that are not there. */
const others = ['T2', 'MOVED', 'MOVEDTOO'].map(orderOf);
const strangers = [branchOrder(LATE, 0, tidOf('GONE')), orderOf('OWN'), orderOf('T1').replace('#000#', '#001#')];

/** How an audit names the last event of a branch or terminal. */
const lastOf = (subject: Key): string => {
  const last = [payfair, quickpay].flatMap((who) => eventsAbout(who, subject)).at(-1);
  return `${last?.type} of ${last?.at}`;
};
const differsFromLastEvent = (subject: Key) =>
  broken('last_event', subject, `It differs from its last event, ${lastOf(subject)}.`);
const hasLaterEvent = (subject: Key, time: string) =>
  broken('last_event', subject, `Its updated_at is ${time}, but it has an event of ${at(subject).updated_at}.`);
const missing = (subject: Key, last = lastOf(subject)) =>
  broken('last_event', subject, `It does not exist, but its last event is ${last}.`);
const eventOfNonViewer = (key: Key, { id }: Acquirer) => {
  const detail = `${id} is neither its payment provider nor its distributor, but has 1 of its events.`;
  return broken('event_viewers', key, detail);
};
const differingCopies = (key: Key, ofProvider: number, ofDistributor: number) => {
  const counts = `payment provider ${ofProvider}, distributor ${ofDistributor}`;
  return broken('event_copies', key, `The copies of its events differ (${counts}).`);
};
const twoEvents = (key: Key) => broken('event_once', key, `It has two events of ${created(key)}.`);
const departures = (who: Acquirer, mid: string, events: number, named: number) => {
  const difference = `${history(who, mid)} differ (events ${events}, in it ${named})`;
  return broken('event_departures', branchKey(mid), `The reassignments from it in the history ${difference}.`);
};
const otherCreation = (key: Key, of: Key) =>
  broken('creation_event', key, `Its creation_event has the time ${EARLY}; expected ${created(of)}.`);
const listsOther = (key: Key, order: string) =>
  broken('terminals', key, `It lists the branch_order ${order}, which no terminal here has.`);
const isNotListed = (key: Key) => broken('terminals', key, 'Its branch SHOP1 does not list it.');
const inList = (invariant: string, { id }: Acquirer, key: Key, detail: string) =>
  broken(invariant, key, `In the list of ${id}, ${detail}`);
const sealed = (who: Acquirer, detail: string) => inList('branch_list_sealed', who, head(who), detail);
const staleEntry = (who: Acquirer, mid: string) =>
  inList('branch_list_entry', who, entry(who, mid), `the branch ${mid} is ranked, and not by the last seal.`);
const noBranch = (who: Acquirer, mid: string, time?: string) =>
  inList('branch_list_entry', who, entry(who, mid, time), `there is no branch ${mid}.`);
const noAcquirer = (invariant: string, key: Key, id = NO_ID) => broken(invariant, key, `There is no acquirer ${id}.`);
const differsFromAcquirer = (key: Key, { id }: Acquirer, names: string) =>
  broken('api_key_alike', key, `It differs from the acquirer ${id} in ${names}.`);
const unlisted = (key: Key, { id }: Acquirer) => broken('api_key_listed', key, `The acquirer ${id} does not list it.`);
const noLinkBack = (side: 'provider' | 'distributor', key: Key, { id }: Acquirer) =>
  broken(`${side}_link`, key, `The acquirer ${id} has no link back.`);
const noProvider = (invariant: string, key: Key, { id }: Acquirer) =>
  broken(invariant, key, `There is no PAYMENT_PROVIDER ${id}.`);
const otherMerchant = (key: Key, names: string) =>
  broken('branch_master_merchant', key, `It differs from its master merchant in ${names}.`);
const noMerchant = (invariant: string, key: Key, number: number) =>
  broken(invariant, key, `There is no master merchant ${business(number)}.`);
const notInLookup = (key: Key, { id }: Acquirer, uuid: string) => {
  const detail = `The acquirer ${id} does not have the master merchant ${uuid} in its lookup.`;
  return broken('branch_master_merchant_entry', key, detail);
};
/** An acquirer finds a branch, or a master merchant in its lookup, by other words than it should. */
const finds = ({ id }: Acquirer, key: Key, count: number, instead: string) => {
  const invariant = key.pk.startsWith('BRANCH#') ? 'branch_words' : 'master_merchant_words';
  return broken(invariant, key, `The search entries of ${id}: ${count}, ${instead}.`);
};
const withoutBranch = (who: Acquirer, number: number) =>
  broken('master_merchant_branch', inLookup(who, business(number)), `${who.id} has no branch of it.`);
const notArchivedThen = (key: Key, time: string, mid: string) =>
  broken('restored', key, `It is marked as restored from ${time}, but its branch ${mid} was not archived then.`);
const notListed = (key: Key) =>
  broken('card_listed', key, 'Its member does not list it. Importing the card again adds it.');
const noPerson = (invariant: string, key: Key, id: string) => broken(invariant, key, `There is no person ${id}.`);
const withoutAcquirer = (acquirer: string, id: string) =>
  broken('membership_person', membershipKey(acquirer, id), `The person ${id} does not have the acquirer.`);
const notAmong = (key: Key, { id }: Acquirer) =>
  broken('person_membership', key, `It is not one of the people of the acquirer ${id}.`);
const unhashed = (key: Key) => broken('hashed', key, 'Its pk does not end with a hash.');

const ofUnknownKind = (key: Key) => breaking('known_kind', key, { text: 'Hello' }, 'No kind of item has such a key.');
export const noteOf = (number: number) => ofUnknownKind({ pk: `NOTE#${number}`, sk: 'NOTE' });
/** A branch lists the terminal T1, which is under another one. */
export const listsT1 = (mid: string): Fact[] => [
  put(branchKey(mid), listing(orderOf('T1'))),
  listsOther(branchKey(mid), orderOf('T1')),
];
/** The serial_no of a terminal is not claimed. */
export const unclaimed: Fact[] = [
  remove(serialKey('SN1')),
  broken('serial_claimed', terminal('SER1'), 'Its serial_no SN1 is not claimed.'),
];

/** Attributes with an invalid form, for each item kind. */
const MALFORMED: [kind: string, item: Key, attributes: object][] = [
  ['acquirer', acquirerKey(trustcard.id), { limit: { rate: 10, burst: 15 }, updated_at: undefined }],
  ['API key', current, { ttl: 'soon' }],
  ['use of an API key', firstOf('API_KEY_USE#'), { used_at: 'today', ttl: undefined }],
  ['link with a payment provider', toProvider, { name: 5 }],
  ['link with a distributor', toDistributor, { name: undefined }],
  ['master merchant', merchant1, { email: '', mcc: 5812 }],
  ['master merchant in a lookup', silverlines, { master_merchant_id: 5 }],
  ['head of a branch list', head(payfair), { count: 0, sealed: ['SHOP 3'], sealed_to: 'today' }],
  ['branch', SHOP1, { terminals_changed_at: 'today', archived_at: null }],
  ['branch, with a card number', SHOP1, { merchant_name: 'For 4111 1111 1111 1111', terminals: new Set(['T1']) }],
  ['branch, with too many terminals', SHOP1, tooMany],
  ['branch, without the id of its master merchant', SHOP1, { master_merchant_id: 5 }],
  ['terminal', T1, { branch_order: `${EARLY}#1#T1`, created_at: '2026-01-01', creation_event: 'now', restored: false }],
  ['claim of a serial_no', serialKey('SN1'), { tid: undefined }],
  ['card', card, { pseudo_token_hash: 'token-anna', blocked_at: 'today' }],
  ['reward', welcome, { currency: 'EURO', minimum_amount: -1, import_id: 'members.csv' }],
  ['erasure', erasure, { id: 5 }],
  ['event of the record', imported, { type: 'members.seen', by: '' }],
  ['stored response', storedResponse, { status: 500, ttl: Date.parse(LATE) }],
  ['person', bruno, { name: '', email: 5, acquirers: new Set(), generation: 0 }],
  ['identity', identity, { person: 'anna' }],
  ['session', session, { auth_time: -1, started_at: 'today', ttl: Date.parse(LATE) }],
  ['use of a session', firstOf('SESSION_USE#'), { used_at: 'today', ttl: undefined }],
  ['one of the people of an acquirer', membership(payfair, people.anna), { role: 'till', joined_at: undefined }],
  ['invitation', invitation, { email: '', role: 'full', expires_at: 'soon' }],
  ['rate limit', firstOf('RATE_LIMIT#'), { taken: 0, ttl: undefined }],
];

/** An item of each kind that belongs to an acquirer, of one that does not exist. */
const STRAY: [Key, object][] = [
  [providerKey(NO_ID, payfair.id), { name: payfair.name }],
  [distributorKey(NO_ID, northgate.id), { name: northgate.name }],
  [paymentAppKey(NO_ID, 'Checkout Go'), {}],
  [masterAcquirerKey(NO_ID, 'Mine'), {}],
  [inLookup(nobody, business(1)), at(silverlines)],
  [head(nobody), at(head(payfair))],
  [entry(nobody, 'SHOP1'), {}],
  [idempotencyKeyKey(NO_ID, HASH), at(storedResponse)],
  [rateLimitKey(NO_ID, 'requests', 0), at(firstOf('RATE_LIMIT#'))],
  [membershipKey(NO_ID, people.anna), { role: 'viewer', joined_at: EARLY }],
  [invitationKey(NO_ID, NO_ID), at(invitation)],
];

/** What may be wrong with the table. */
export const WRONG: Record<string, Facts> = {
  ...Object.fromEntries(
    MALFORMED.map(([kind, item, attributes]) => [
      `an item is malformed: ${kind}`,
      breaking('form', item, attributes, `Missing or invalid: ${Object.keys(attributes).join(', ')}.`),
    ]),
  ),
  'an item is of an unknown kind': [noteOf(1), ofUnknownKind({ ...SHOP1, sk: 'COMMENT#1' })],
  'items belong to an unknown acquirer': [
    STRAY.flatMap(([key, attributes]) => [put(key, attributes), noAcquirer('registered', key)]),
    noLinkBack('provider', providerKey(NO_ID, payfair.id), payfair),
    noLinkBack('distributor', distributorKey(NO_ID, northgate.id), northgate),
    withoutBranch(nobody, 1),
    finds(nobody, inLookup(nobody, business(1)), 0, 'expected 3'),
    inList('branch_count', nobody, head(nobody), 'the count is 4; expected 0.'),
    sealed(nobody, 'it names SHOP3 as rank 3.'),
    sealed(nobody, 'it names SHOP4 as rank 4.'),
    noBranch(nobody, 'SHOP1'),
    withoutAcquirer(NO_ID, people.anna),
  ],
  'items were updated before they were created': [
    [acquirerKey(quickpay.id), SHOP1, T1].flatMap((key) => {
      const detail = `Its updated_at ${EARLY} is before its created_at ${created(key)}.`;
      return breaking(key === SHOP1 ? 'branch_times' : 'updated_at', key, { updated_at: EARLY }, detail);
    }),
    hasLaterEvent(SHOP1, EARLY),
    differsFromLastEvent(T1),
  ],
  'items that are neither branches nor terminals are in the indexes': [
    put(head(silverline), { distributor: silverline.id, distributor_position: 2 }),
    put(serialKey('SN1'), { mid: 'SHOP1', branch_order: EARLY }),
    broken('index_keys', head(silverline), 'It has a distributor_position, which puts it into an index.'),
    broken('index_keys', serialKey('SN1'), 'It has a branch_order, which puts it into an index.'),
  ],
  'the attributes of items differ from their keys': [
    breaking('key', rewardKey('anna', 'other'), at(welcome), 'Expected MEMBER#anna / REWARD#welcome.'),
    breaking('key', SHOP1, { mid: 'SHOP9' }, 'Expected BRANCH#SHOP9 / BRANCH.'),
    differsFromLastEvent(SHOP1),
  ],
  'keys of lists or lookups are malformed, or have a suffix': (
    [
      [head(payfair), 'BRANCH_LIST#today', 'BRANCH_LIST#<created_at>#<mid>'],
      [head(payfair), `BRANCH_LIST#${placeOf('SHOP5')}#more`, `BRANCH_LIST#${placeOf('SHOP5')}`],
      [silverlines, 'no-uuid', '<UUID in base64url>'],
      [silverlines, '_'.repeat(21), '<UUID in base64url>'],
      [silverlines, `${silverlines.sk}AAAA`, silverlines.sk],
    ] as const
  ).map(([key, sk, expected]) => breaking('key', { ...key, sk }, at(key), `Expected ${key.pk} / ${expected}.`)),
  'items are stored under plain text where a hash belongs; the text is not shown': [
    put({ ...cardKey('4111 1111 1111 1111'), sk: 'CARD#1' }, at(card)),
    unhashed({ pk: 'CARD#…', sk: 'CARD#1' }),
    broken('key', { pk: 'CARD#…', sk: 'CARD#1' }, 'Expected CARD#… / CARD.'),
    notListed({ pk: 'CARD#…', sk: 'CARD#1' }),
    put(memberCardKey('anna', '5555 5555 5555 4444'), {}),
    broken('key', { pk: 'MEMBER#anna', sk: 'CARD#…' }, 'Expected MEMBER#anna / CARD#….'),
    broken('listed_card', { pk: 'MEMBER#anna', sk: 'CARD#…' }, 'There is no such card.'),
    put(apiKeyKey('apk_AAAAAAAAAAAAAAAA'), at(current)),
    unhashed({ pk: 'API_KEY#…', sk: 'API_KEY' }),
    unlisted({ pk: 'API_KEY#…', sk: 'API_KEY' }, payfair),
    put(idempotencyKeyKey(payfair.id, 'order-1'), at(storedResponse)),
    unhashed({ pk: `IDEMPOTENCY_KEY#${payfair.id}#…`, sk: 'IDEMPOTENCY_KEY' }),
    put(identityKey('https://issuer.example.com anna'), at(identity)),
    unhashed({ pk: 'IDENTITY#…', sk: 'IDENTITY' }),
    broken('identity_person', { pk: 'IDENTITY#…', sk: 'IDENTITY' }, `The person ${people.anna} has another identity.`),
    put(sessionKey('cookie'), at(session)),
    unhashed({ pk: 'SESSION#…', sk: 'SESSION' }),
    put(erasureKey('anna'), at(erasure)),
    unhashed({ pk: 'ERASURE#…', sk: 'ERASURE' }),
  ],

  'an acquirer is missing': [
    remove(acquirerKey(silverline.id)),
    [
      ...[head(silverline), entry(silverline, 'SHOP3'), silverlines],
      ...[`PAYMENT_APPS#${silverline.id}`, `MASTER_ACQUIRERS#${silverline.id}`].flatMap(keysOf),
    ].map((key) => noAcquirer('registered', key, silverline.id)),
    apiKeysOf(silverline).map(({ sha256 }) => unlisted(apiKeyKey(sha256), silverline)),
    keysOf(`RECORD#ACQUIRER#${silverline.id}`).map((key) => noAcquirer('record_subject', key, silverline.id)),
    broken('branch_acquirers', SHOP3, `There is no DISTRIBUTOR ${silverline.id}.`),
  ],
  'an acquirer has the other type': [
    put(acquirerKey(quickpay.id), { type: 'DISTRIBUTOR' }),
    noProvider('provider_link', providerKey(northgate.id, quickpay.id), quickpay),
    [branchKey('SMALL1'), SMALL2, SMALL3].map((key) => noProvider('branch_acquirers', key, quickpay)),
    noProvider('master_merchant_provider', masterMerchantKey(business(1, quickpay)), quickpay),
    apiKeysOf(quickpay).map(({ sha256 }) => differsFromAcquirer(apiKeyKey(sha256), quickpay, 'type')),
  ],
  'partnerships have only one of their two links': [
    remove(toDistributor),
    noLinkBack('provider', toProvider, payfair),
    remove(providerKey(northgate.id, quickpay.id)),
    noLinkBack('distributor', distributorKey(quickpay.id, northgate.id), northgate),
  ],
  'links have other names than the partners': [
    put(toProvider, { name: 'Unfair' }),
    put(toDistributor, { name: 'Southgate' }),
    broken('provider_link', toProvider, `Its name differs from that of the acquirer ${payfair.id}.`),
    broken('distributor_link', toDistributor, `Its name differs from that of the acquirer ${northgate.id}.`),
  ],
  'an API key has another key_id': [
    breaking('key_id', current, { key_id: NO_KEY_ID }, `Its key_id is ${NO_KEY_ID}; expected ${idOf(hashes.current)}.`),
    differsFromAcquirer(current, payfair, 'key_id'),
  ],
  'an acquirer lists an API key with another key_id': [
    breaking(
      'listed_key_id',
      acquirerKey(payfair.id),
      listed({ key_id: NO_KEY_ID }),
      `It lists the key_id ${NO_KEY_ID}; expected ${idOf(hashes.current)}.`,
    ),
    differsFromAcquirer(current, payfair, 'key_id'),
  ],
  'an API key has no ttl although it expires, and another has one although it does not': [
    breaking('api_key_ttl', rotated, { ttl: undefined }, `Its ttl is missing; expected ${at(rotated).ttl}.`),
    breaking('api_key_ttl', current, { ttl: 2_000_000_000 }, 'Its ttl is 2000000000; expected none.'),
  ],
  'API keys are valid although their acquirer does not list them, or does not exist': [
    put(acquirerKey(payfair.id), listed()),
    unlisted(current, payfair),
    put(rotated, { acquirer: quickpay }),
    unlisted(rotated, quickpay),
    put(limited, { acquirer: nobody }),
    unlisted(limited, nobody),
  ],
  'an API key differs from its acquirer': [
    put(current, {
      acquirer: { ...payfair, name: 'Unfair', limit: { rate: 9, burst: 18 } },
      label: 'other',
      role: 'till',
      expires_at: EARLY,
      ttl: Date.parse(EARLY) / 1000,
    }),
    differsFromAcquirer(current, payfair, 'name, rate, burst, label, role, expires_at'),
  ],
  'an API key of a disabled acquirer is valid': breaking(
    'api_key_disabled',
    ofDisabled,
    { acquirer: trustcard, key_id: idOf(hashes.ofDisabled), label: 'test' },
    `The acquirer ${trustcard.id} has been disabled since ${at(acquirerKey(trustcard.id)).disabled_at}.`,
  ),
  'a person is gone, and their identity and memberships are still there': [
    remove(anna),
    noPerson('identity_person', identity, people.anna),
    [payfair, northgate].map((who) => noPerson('membership_person', membership(who, people.anna), people.anna)),
  ],
  'a person has no identity, or that of another person': [
    remove(identity),
    broken('person_identity', anna, 'Its identity does not exist.'),
    put(bruno, { identity: HASH }),
    put(identityKey(HASH), { person: people.anna }),
    broken('identity_person', identityKey(HASH), `The person ${people.anna} has another identity.`),
    broken('person_identity', bruno, `Its identity leads to the person ${people.anna}.`),
    broken('identity_person', identityKey(at(bruno).identity), `The person ${people.bruno} has another identity.`),
  ],
  'people and their acquirers do not match': [
    remove(membership(northgate, people.anna)),
    notAmong(anna, northgate),
    put(membership(quickpay, people.bruno), { role: 'viewer', joined_at: EARLY }),
    withoutAcquirer(quickpay.id, people.bruno),
  ],
  'an acquirer has more than 200 people and open invitations': [
    Array.from({ length: 198 }, (_, number) => put(invitationKey(payfair.id, numberedId(number)), at(invitation))),
    put(invitationKey(payfair.id, numberedId(999)), {
      ...at(invitation),
      expires_at: EARLY,
      ttl: Date.parse(EARLY) / 1000,
    }),
    broken('most_people', acquirerKey(payfair.id), 'It has 201 people and open invitations; expected at most 200.'),
  ],
  'an invitation and a session have another ttl than their end': [
    breaking('invitation_ttl', invitation, { ttl: 5 }, `Its ttl is 5; expected ${at(invitation).ttl}.`),
    breaking('session_ttl', session, { ttl: 5 }, `Its ttl is 5; expected ${at(session).ttl}.`),
  ],
  'people, sessions and memberships have other keys than their attributes': [
    breaking('key', { ...anna, sk: 'PERSON#1' }, at(anna), `Expected ${anna.pk} / PERSON.`),
    breaking('key', { ...session, sk: 'SESSION#1' }, at(session), `Expected ${shortened(session.pk)} / SESSION.`),
  ],
  'rate limits of people and sign-ins have an address or a name instead of an id or hash': [
    ['people', 'sign-ins'].flatMap((share) => {
      const key = rateLimitKey('192.0.2.1', share, 0);
      return [
        put(key, at(firstOf('RATE_LIMIT#'))),
        broken('rate_limit_owner', key, `Its owner is invalid for the share ${share}.`),
      ];
    }),
  ],
  'API keys that their acquirer lists have no item': [hashes.current, hashes.rotated].flatMap((hash) => [
    remove(apiKeyKey(hash)),
    broken('api_key_stored', acquirerKey(payfair.id), `It lists the API key ${idOf(hash)}, which has no item.`),
  ]),

  'branches have a distributor without a position in its list, or a position without a distributor': [
    put(SHOP3, { distributor_position: undefined }),
    broken('distributor_position', SHOP3, `It has the distributor ${silverline.id} and no distributor_position.`),
    sealed(silverline, 'it names SHOP3 as rank 1.'),
    put(SHOP1, { distributor_position: 1 }),
    broken('distributor_position', SHOP1, 'It has a distributor_position and no distributor.'),
  ],
  'a branch is missing': [
    remove(SMALL2),
    inList('branch_count', quickpay, head(quickpay), 'the count is 3; expected 2, or rank 2 is missing.'),
    sealed(quickpay, 'it names SMALL2 as rank 2.'),
    noBranch(quickpay, 'SMALL2'),
    missing(SMALL2),
    eventOfNonViewer(SMALL2, quickpay),
    finds(quickpay, SMALL2, 2, 'expected none'),
  ],
  'the head of a branch list is missing': [
    remove(head(silverline)),
    inList('branch_count', silverline, head(silverline), 'the count is 0; expected 1.'),
    staleEntry(silverline, 'SHOP3'),
  ],
  'the head of a branch list counts too few': [
    put(head(payfair), { count: 3 }),
    inList('branch_count', payfair, head(payfair), 'the count is 3; expected 4.'),
    inList('branch_ranks', payfair, SHOP4, 'its rank 4 is beyond the count 3.'),
    sealed(payfair, 'it names SHOP3 as rank 2.'),
    sealed(payfair, 'it names SHOP4 as rank 3.'),
  ],
  'two branches have the same rank': [
    put(SHOP1, { provider_position: 2 }),
    inList('branch_ranks', payfair, SHOP1, 'its rank 2 is also the rank of BRANCH#SHOP2.'),
    inList('branch_ranks', payfair, SHOP2, 'its rank 2 is also the rank of BRANCH#SHOP1.'),
  ],
  'branches that are not ranked have no entry, or another position than their time of creation': [
    remove(entry(northgate, 'SHOP4')),
    inList('branch_unranked', northgate, SHOP4, 'it has neither a rank nor an entry.'),
    put(SHOP5, { provider_position: 2 ** 40 }),
    inList('branch_unranked', payfair, SHOP5, `its position is ${2 ** 40}; expected ${Date.parse(created(SHOP5))}.`),
  ],
  'entries belong to branches of another acquirer, missing or ranked ones, or have other times': [
    put(entry(northgate, 'SHOP1'), {}),
    noBranch(northgate, 'SHOP1'),
    put(entry(northgate, 'NOSHOP', EARLY), {}),
    noBranch(northgate, 'NOSHOP', EARLY),
    put(entry(payfair, 'SHOP1'), {}),
    staleEntry(payfair, 'SHOP1'),
    remove(entry(payfair, 'SHOP5')),
    inList('branch_unranked', payfair, SHOP5, 'it has neither a rank nor an entry.'),
    [entry(payfair, 'SHOP5', EARLY), entry(payfair, 'SHOP5', 'today')].flatMap((key) => [
      put(key, {}),
      inList('branch_list_entry', payfair, key, `the branch SHOP5 was created at ${created(SHOP5)}.`),
    ]),
  ],
  'the head of a branch list names an unranked branch as sealed': [
    put(head(payfair), { sealed: ['SHOP3', 'SHOP5'] }),
    sealed(payfair, 'it names SHOP5 as rank 4.'),
    sealed(payfair, `its sealed_to ${placeOf('SHOP4')} is before ${placeOf('SHOP5')}, the entry of rank 4.`),
    staleEntry(payfair, 'SHOP4'),
  ],
  'the heads of branch lists name a missing branch, no branch, or the branches in another order': [
    put(head(silverline), { sealed: ['NOSHOP'] }),
    sealed(silverline, 'it names NOSHOP as rank 1.'),
    staleEntry(silverline, 'SHOP3'),
    put(head(quickpay), { sealed: [] }),
    sealed(quickpay, 'it names no branch.'),
    ['SMALL1', 'SMALL2', 'SMALL3'].map((mid) => staleEntry(quickpay, mid)),
    put(head(payfair), { sealed: ['SHOP4', 'SHOP3'] }),
    sealed(payfair, 'it names SHOP4 as rank 3.'),
    sealed(payfair, 'it names SHOP3 as rank 4.'),
  ],
  'the times of branches are not in order, or incomplete': [
    breaking(
      'branch_times',
      SHOP4,
      { archived_at: EARLY },
      `Its archived_at ${EARLY} is before its created_at ${created(SHOP4)}.`,
    ),
    notArchivedThen(terminal('BACK'), at(terminal('BACK')).restored, 'SHOP4'),
    breaking(
      'branch_times',
      SHOP5,
      { archived_at: LATE },
      `Its updated_at ${created(SHOP5)} is before its archived_at ${LATE}.`,
    ),
    [SHOP4, SHOP5].map(differsFromLastEvent),
    breaking(
      'branch_times',
      SHOP6,
      { restored_at: LATE },
      `Its archived_at ${at(SHOP6).archived_at} is before its restored_at ${LATE}.`,
    ),
    put(SHOP7, { restored_from: EARLY, restored_at: EARLY }),
    broken('branch_times', SHOP7, `Its restored_from ${EARLY} is before its created_at ${created(SHOP7)}.`),
    breaking(
      'branch_times',
      SHOP1,
      { restored_from: created(SHOP1) },
      'It has only one of restored_from and restored_at.',
    ),
  ],
  'acquirers do not find a branch by all of its words, or by others': [
    remove(harbour),
    finds(payfair, SHOP1, 3, 'expected 4'),
    put(wordEntry(northgate, 'PORTO', 'SHOP2'), at(harbour)),
    finds(northgate, SHOP2, 3, 'expected 2'),
    put(wordEntry(payfair, 'PORTO', 'SHOP6'), { words: 'LIGHTHOUSE' }),
    finds(payfair, SHOP6, wordEntriesOf(payfair, 'BRANCHES', 'SHOP6').length, 'some with wrong words or attributes'),
    unsort(payfair, 'SHOP5').filter(({ attributes }) => attributes),
    finds(payfair, SHOP5, 8, 'expected 4'),
    wordEntriesOf(quickpay, 'BRANCHES', 'SMALL2').map((key) => put(key, { at: Date.parse(EARLY) })),
    finds(quickpay, SMALL2, 2, 'some with wrong words or attributes'),
  ],
  'acquirers find a branch that they cannot access, and one that does not exist': [
    put(wordEntry(quickpay, 'HARBOUR', 'SHOP1'), at(harbour)),
    finds(quickpay, SHOP1, 1, 'expected none'),
    put(unindexedWordsKey('BRANCHES', silverline.id, 'NOSHOP'), at(harbour)),
    finds(silverline, branchKey('NOSHOP'), 4, 'expected none'),
  ],
  'acquirers do not find a master merchant by all of its words, or find one that is not in their lookup': [
    wordEntriesOf(payfair, 'MASTER_MERCHANTS', business(1)).slice(1).map(remove),
    finds(payfair, inLookup(payfair, business(1)), 1, 'expected 3'),
    wordEntriesOf(northgate, 'MASTER_MERCHANTS', business(CARD_LIKE)).map((key) => put(key, { name: 'Two' })),
    finds(northgate, northgates, 1, 'some with wrong words or attributes'),
    put(wordEntryKey('MASTER_MERCHANTS', quickpay.id, 'HARBOUR', business(1)), at(harbour)),
    finds(quickpay, inLookup(quickpay, business(1)), 1, 'expected none'),
  ],
  'entries of words are malformed, or their keys name another partition, no acquirer or no master merchant': [
    breaking('form', harbour, { words: 5, at: 'today' }, 'Missing or invalid: words, at.'),
    finds(payfair, SHOP1, 3, 'expected 4'),
    unsort(payfair, 'SHOP5').slice(0, 1),
    wordEntriesOf(payfair, 'BRANCHES', 'SHOP5')
      .slice(0, 1)
      .flatMap((key) => breaking('key', { ...key, pk: `${key.pk}0` }, at(key), `Expected ${key.pk} / ${key.sk}.`)),
    [
      { pk: 'WORDS#nobody#B#HA#0', sk: 'HARBOUR#SHOP1' },
      { pk: unindexedWordsKey('MASTER_MERCHANTS', payfair.id, NO_ID).pk, sk: 'SHOP1' },
    ].flatMap((key) => breaking('key', key, at(harbour), 'Expected WORDS#<acquirer> / <id>.')),
  ],

  'branches have another name for their master merchant, another one, or one that is not in a lookup': [
    put(SHOP1, { master_merchant_name: 'Red Harbour' }),
    otherMerchant(SHOP1, 'name'),
    put(SHOP5, { existing_master_merchant: business(1, quickpay) }),
    otherMerchant(SHOP5, 'payment_provider, name'),
    notInLookup(SHOP5, payfair, business(1, quickpay)),
    remove(silverlines),
    notInLookup(SHOP3, silverline, business(1)),
    finds(payfair, SHOP1, 4, 'some with wrong words or attributes'),
    finds(silverline, silverlines, 3, 'expected none'),
    [SHOP1, SHOP5].map(differsFromLastEvent),
  ],
  'the master merchant of branches is missing': [
    remove(masterMerchantKey(business(CARD_LIKE))),
    [SHOP2, SHOP4].map((key) => noMerchant('branch_master_merchant', key, CARD_LIKE)),
    noMerchant('master_merchant_entry', inLookup(payfair, business(CARD_LIKE)), CARD_LIKE),
    noMerchant('master_merchant_entry', northgates, CARD_LIKE),
  ],
  'a master merchant has a master_merchant_id that does not match its UUID': [
    put(merchant1, { master_merchant_id: 'BUSINESS9' }),
    broken('master_merchant_uuid', merchant1, `Its uuid is ${business(1)}; expected ${business(9)}.`),
    [SHOP1, SHOP3, SHOP5].map((key) => otherMerchant(key, 'master_merchant_id')),
    [payfair, silverline].flatMap((who) => {
      const key = inLookup(who, business(1));
      const detail = 'Its master_merchant_id is BUSINESS1; expected BUSINESS9.';
      return [broken('master_merchant_entry', key, detail), finds(who, key, 3, 'some with wrong words or attributes')];
    }),
  ],
  'a master merchant belongs to an unknown payment provider': [
    put(nobodys, { uuid: nobodysUuid, payment_provider: NO_ID, master_merchant_id: 'BUSINESS1' }),
    noProvider('master_merchant_provider', nobodys, nobody),
    broken('master_merchant_listed', nobodys, `The payment provider ${NO_ID} does not have it in its lookup.`),
  ],
  'lookups have other names or payment providers for master merchants': [
    put(silverlines, { name: 'Red Harbour', payment_provider: undefined }),
    broken('master_merchant_entry', silverlines, 'Its name is Red Harbour; expected Blue Harbour.'),
    broken('master_merchant_entry', silverlines, `Its payment_provider is absent; expected ${payfair.id}.`),
    breaking('master_merchant_entry', northgates, { name: 'Two' }, 'Its name is Two; expected absent.'),
  ],
  'lookups have a missing master merchant, and one without a branch of the acquirer': [
    put(inLookup(payfair, business(9)), { master_merchant_id: 'BUSINESS9' }),
    noMerchant('master_merchant_entry', inLookup(payfair, business(9)), 9),
    withoutBranch(payfair, 9),
    put(inLookup(silverline, business(CARD_LIKE)), at(northgates)),
    withoutBranch(silverline, CARD_LIKE),
    finds(silverline, inLookup(silverline, business(CARD_LIKE)), 0, 'expected 1'),
  ],

  'a terminal has the TID of another terminal_id': [
    breaking('tid', T1, { terminal_id: 'T9' }, `Its tid is ${tidOf('T1')}; expected ${tidOf('T9')}.`),
    differsFromLastEvent(T1),
  ],
  'a terminal has a branch_order that does not match its attributes': [
    put(T1, { branch_order: `${EARLY}#999#${'-'.repeat(36)}` }),
    broken(
      'branch_order',
      T1,
      `Its branch_order is ${EARLY}#999#${'-'.repeat(36)}; expected ${created(T1)}#999#${tidOf('T1')}.`,
    ),
    listsOther(SHOP1, orderOf('T1')),
    isNotListed(T1),
  ],
  'a terminal was archived before it was created': [
    put(OWN, { archived_at: EARLY }),
    broken('terminal_archived_at', OWN, `Its archived_at ${EARLY} is before its created_at ${created(OWN)}.`),
    differsFromLastEvent(OWN),
  ],
  'an archived terminal has no reason, and an active one has a reason': [
    breaking('archive_reason', OWN, { archive_reason: undefined }, 'It has an archived_at and no archive_reason.'),
    breaking('archive_reason', T1, { archive_reason: 'Lost' }, 'It has an archive_reason and no archived_at.'),
    differsFromLastEvent(OWN),
  ],
  'terminals are marked as restored that cannot have been': [
    put(OWN, { restored: at(SHOP4).archived_at }),
    broken('restored', OWN, `It is marked as restored, but was archived at ${at(OWN).archived_at}.`),
    put(T1, { restored: EARLY }),
    notArchivedThen(T1, EARLY, 'SHOP1'),
    put(terminal('BIG1'), { restored: at(SHOP6).restored_at }),
    notArchivedThen(terminal('BIG1'), at(SHOP6).restored_at, 'SHOP6'),
    put(terminal('BIG3'), { restored: EARLY }),
    notArchivedThen(terminal('BIG3'), EARLY, 'SHOP6'),
  ],
  'a terminal is under a missing branch': [
    breaking('terminal_branch', T1, { mid: 'NOSHOP' }, 'There is no branch NOSHOP.'),
    differsFromLastEvent(T1),
    listsOther(SHOP1, orderOf('T1')),
  ],
  'a branch lists terminals that are missing, elsewhere or at another place, and not one that is here': [
    put(SHOP1, listing(...others, ...strangers)),
    strangers.map((order) => listsOther(SHOP1, order)),
    isNotListed(T1),
  ],
  'a branch with terminals lists none, and one without lists some': [
    put(SHOP1, { terminals: undefined }),
    [T1, T2, MOVED, terminal('MOVEDTOO')].map(isNotListed),
    listsT1('SHOP2'),
    // Too short for a branch_order.
    breaking('form', SHOP3, { terminals: new Set([new Uint8Array([0])]) }, 'Missing or invalid: terminals.'),
  ],
  'terminals and events of them name other creations than their own': [
    put(T1, { creation_event: otherEvent }),
    otherCreation(T1, T1),
    put(ofMoved, { creation_event: otherEvent }),
    otherCreation(ofMoved, MOVED),
    [T1, MOVED].map(differsFromLastEvent),
    differingCopies(SHOP4, 10, 10),
  ],
  'a terminal and a copy of an event do not name the creation, and the only terminal of a creation names it': [
    put(T1, { creation_event: undefined }),
    put(theirsOfGone, { creation_event: undefined }),
    put(terminal('ONE'), { creation_event: eventOf(quickpay, SMALL3).sk }),
    [T1, terminal('ONE')].map(differsFromLastEvent),
    differingCopies(SHOP4, 10, 10),
  ],
  'the serial_no of a terminal has no claim': unclaimed,
  'serial_nos are claimed for terminals that have another one, have none or are missing': [
    breaking('serial_held', serialKey('SN1'), { tid: tidOf('SER2') }, `The terminal ${tidOf('SER2')} has SN2.`),
    broken('serial_claimed', terminal('SER1'), `Its serial_no SN1 is claimed by ${tidOf('SER2')}.`),
    put(serialKey('SN3OLD'), { tid: tidOf('SER3') }),
    broken('serial_held', serialKey('SN3OLD'), `The terminal ${tidOf('SER3')} has no serial_no.`),
    breaking('serial_held', serialKey('SN9'), { tid: tidOf('GONE') }, `There is no terminal ${tidOf('GONE')}.`),
  ],

  'a card is not on the list of its member': [remove(memberCardKey('anna', cardHash)), notListed(card)],
  'a member lists a missing card and one of another member': [
    breaking('listed_card', memberCardKey('anna', HASH), {}, 'There is no such card.'),
    breaking('listed_card', memberCardKey('bruno', cardHash), {}, 'The card belongs to another member.'),
  ],
  'a card and its token have different versions': [
    breaking(
      'card_version',
      card,
      { pseudo_token_hash: `2.${'0'.repeat(64)}` },
      'Its version is 1; that of its token is 2.',
    ),
  ],
  'a reward is deleted at another time than it expires': [
    breaking('reward_ttl', welcome, { ttl: 1 }, `Its ttl is 1; expected ${at(welcome)['ttl']}.`),
  ],
  'a reward expires before it becomes valid': [
    breaking('reward_period', welcome, { valid_from: LATE }, `It is valid from ${LATE} and expires at ${LATE}.`),
  ],
  'an event of the record has another time than its id, expires before that time, or names a member': [
    put(imported, { at: EARLY, ttl: 1 }),
    broken('record_time', imported, `Its id has the time ${at(imported).at}; expected ${EARLY}.`),
    broken('record_time', imported, `Its ttl 1 is before its time ${EARLY}.`),
    breaking('record_subject', recordKey('MEMBER#anna', imported.sk), at(imported), 'Its subject is invalid.'),
  ],
  'a response is stored for a branch that was never created': [
    put(storedResponse, { location: '/ext/api/v1/merchants/NOSHOP' }),
    broken('saved_response', storedResponse, 'There is no branch NOSHOP.'),
  ],

  'events cannot be read, have an unknown type, or lack fields of their type': [
    put(theirs, { body: new Uint8Array([0]) }),
    put(departure, { body: new Uint8Array([0]) }),
    rewritten(silverlinesShop3, () => ({ type: 'branch.renamed' })),
    withData(eventOf(northgate, SMALL3), { terminals: undefined }),
    [theirs, departure, silverlinesShop3, eventOf(northgate, SMALL3)].map((key) =>
      broken('form', key, 'Missing or invalid: body.'),
    ),
    [SHOP2, SHOP3, SMALL3].map((key) => differingCopies(key, 1, 0)),
    breaking('form', secondDeparture, { branch_history: undefined }, 'Missing or invalid: branch_history.'),
    departures(payfair, 'SHOP4', 2, 0),
  ],
  'events are not under the month of their id, or their ids are not version-7 UUIDs': [
    breaking('key', eventKey(northgate.id, '1999-01', theirs.sk), at(theirs), `Expected ${theirs.pk} / ${theirs.sk}.`),
    breaking('key', { ...theirs, sk: 'today' }, at(theirs), `Expected ${theirs.pk} / <version-7 UUID>.`),
    breaking('key', { ...departure, sk: NO_ID }, at(departure), `Expected ${departure.pk} / <version-7 UUID>.`),
    differingCopies(SHOP2, 1, 2),
  ],
  'a reassignment is in another history than its key says': breaking(
    'key',
    departure,
    { branch_history: history(northgate, 'SHOP4') },
    `Expected REASSIGNMENT#${history(northgate, 'SHOP4')} / ${departure.sk}.`,
  ),
  'events have a ttl that is not a number of days, or on the day that they were stored': [
    [theirs, departure].flatMap((key) => {
      const { ttl } = at(key);
      return breaking('event_ttl', key, { ttl: ttl + 60 }, `Its ttl is ${ttl + 60}; expected ${ttl}.`);
    }),
    put(secondDeparture, { ttl: departedAt + 3600 }),
    broken('event_ttl', secondDeparture, `Its ttl is ${departedAt + 3600}; expected ${departedAt + 25 * 3600}.`),
    departures(payfair, 'SHOP4', 2, 1),
  ],
  'events have other times than their changes': [
    withData(eventOf(payfair, SHOP4), { updated_at: EARLY }),
    withData(eventOf(northgate, SHOP4), { updated_at: EARLY }),
    withData(eventOf(payfair, OWN), { updated_at: EARLY }),
    [eventOf(payfair, SHOP4), eventOf(northgate, SHOP4), eventOf(payfair, OWN)].map((key) => {
      const time = new Date(timeOfId(key.sk)).toISOString();
      return broken('event_time', key, `The change in its body has the time ${EARLY}; expected ${time}.`);
    }),
    differingCopies(SHOP4, 10, 10),
  ],
  'events name an API key or a person of another acquirer, hide both from the acquirer that has it, or name both': [
    rewritten(eventOf(payfair, SHOP2), ({ by }) => ({ by: { ...by, key_id: NO_KEY_ID } })),
    broken('event_author', eventOf(payfair, SHOP2), `It names an API key of ${northgate.id}.`),
    rewritten(theirs, ({ by }) => ({ by: { ...by, key_label: null } })),
    broken('event_author', theirs, 'It names neither an API key nor a person.'),
    rewritten(eventOf(payfair, SHOP5), ({ by }) => ({ by: { ...by, person: people.anna } })),
    broken('event_author', eventOf(payfair, SHOP5), 'It names both an API key and a person.'),
    rewritten(eventOf(northgate, SHOP4, 0), ({ by }) => ({ by: { ...by, person: people.anna } })),
    broken('event_author', eventOf(northgate, SHOP4, 0), `It names a person of ${payfair.id}.`),
  ],
  'events are in histories of other branches, terminals or acquirers, or in none of their terminal': (
    [
      [ofShop1, { branch_history: history(payfair, 'SHOP2'), terminal_history: history(payfair, tidOf('T1')) }],
      [theirsOfGone, { branch_history: history(payfair, 'SHOP4'), terminal_history: history(payfair, tidOf('GONE')) }],
      [ofMoved, { terminal_history: history(payfair, tidOf('T1')) }],
      [theirsOfMoved, { terminal_history: undefined }],
      [eventOf(quickpay, SMALL3), { terminal_history: undefined }],
    ] as const
  ).map(([key, histories]) => [
    put(key, histories),
    ...Object.entries(histories).map(([name, is]) =>
      broken('event_history', key, `Its ${name} is ${is}; expected ${at(key)[name]}.`),
    ),
  ]),
  'an acquirer has an event of a branch that it cannot access': [
    put(copyKey(quickpay.id, ofShop1.sk), { ...at(ofShop1), branch_history: history(quickpay, 'SHOP1') }),
    broken('event_author', copyKey(quickpay.id, ofShop1.sk), `It names an API key of ${payfair.id}.`),
    eventOfNonViewer(SHOP1, quickpay),
  ],
  'an acquirer lacks an event, another has one more, and a third has a different copy': [
    remove(theirs),
    differingCopies(SHOP2, 1, 0),
    put(sibling(silverlinesShop3), at(silverlinesShop3)),
    differingCopies(SHOP3, 1, 2),
    twoEvents(SHOP3),
    withData(eventOf(northgate, SHOP4, 0), { merchant_name: 'Large' }),
    differingCopies(SHOP4, 10, 10),
  ],
  'histories of branches lack a reassignment, have one too many, or one whose target the acquirer does not see': [
    remove(departure),
    departures(payfair, 'SHOP4', 2, 1),
    departureIn(history(payfair, 'SHOP5')),
    departures(payfair, 'SHOP5', 0, 1),
    departureIn(history(northgate, 'SHOP4')),
    departures(northgate, 'SHOP4', 0, 1),
  ],
  'a reassignment differs in the history of the branch that the terminal left': [
    put(departure, { body: at(secondDeparture).body }),
    departures(payfair, 'SHOP4', 2, 2),
  ],
  'branches have two events of their creation': [
    [eventOf(payfair, SHOP5), eventOf(payfair, SHOP3), silverlinesShop3].map((key) => put(sibling(key), at(key))),
    [SHOP5, SHOP3].map(twoEvents),
  ],
  'branches and terminals differ from their last events': [
    put(SHOP1, { city: 'Porto' }),
    finds(payfair, SHOP1, 4, 'expected 5'),
    put(T1, { terminal_model: 'Countertop' }),
    put(OWN, { archive_reason: 'Found' }),
    put(terminal('BACK'), { restored: undefined }),
    breaking(
      'key',
      GONE,
      { ...at(terminal('WITH')), deleted_at: undefined },
      `Expected TERMINAL#${tidOf('WITH')} / TERMINAL.`,
    ),
    [SHOP1, T1, OWN, terminal('BACK'), GONE].map(differsFromLastEvent),
  ],
  'a terminal is missing without an event of its deletion': [
    remove(eventOf(payfair, GONE)),
    remove(theirsOfGone),
    missing(GONE, lastOf(terminal('WITH'))),
  ],
  'a branch and a terminal changed without an event': [
    breaking('on_record', SHOP5, { updated_at: LATE }, `Its change at ${LATE} has no event.`),
    put(T1, { updated_at: LATE, terminal_model: 'Countertop' }),
    broken('on_record', T1, `Its change at ${LATE} has no event.`),
  ],
};
