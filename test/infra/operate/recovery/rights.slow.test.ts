import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { createTable } from '../../../../infra/local/table.ts';
import * as service from '../../../../infra/operate/cli/service.ts';
import { lowerRights } from '../../../../infra/operate/recovery/rights.ts';
import type { ApiKey } from '../../../../lib/acquirers/apiKey.ts';
import type { Keyring } from '../../../../lib/acquirers/keyring.ts';
import { KEY_ROLES, PERSON_ROLES, permissionsOf } from '../../../../lib/acquirers/roles.ts';
import { DAY_MS } from '../../../../lib/base/eventId.ts';
import { Problem } from '../../../../lib/base/problem.ts';
import type { Card } from '../../../../lib/members/member.ts';
import { signIn, signOut } from '../../../../lib/people/admission.ts';
import { endSessions } from '../../../../lib/people/people.ts';
import type { Identity, Invitation, Membership, Person, Session } from '../../../../lib/people/person.ts';
import { hashOfCookie } from '../../../../lib/people/session.ts';
import type { RecordEvent } from '../../../../lib/record/record.ts';
import { type Item, queryPrefix, table, tableName } from '../../../../lib/table/client.ts';
import { idInPeople, kindOf, peopleOf } from '../../../../lib/table/keys.ts';
import { remove, transact, update } from '../../../../lib/table/transaction.ts';
import { due, NOT_DUE, readWebhooks, type Webhook } from '../../../../lib/webhooks/webhook.ts';
import { setClock } from '../../../support/clock.ts';
import { deep, runs, seed } from '../../../support/depth.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { newIdentity } from '../../../support/people.ts';
import { storeMany } from '../../../support/storeMany.ts';
import { storeWebhook } from '../../../support/webhooks.ts';

/*
 * Acts before a point in time and after it, in any order; the table of that point with the rights lowered. One oracle
 * judges all of them: a right is there if both the table of the point and the table before the restore give it.
 */

const HOUR_MS = 3_600_000;
const OWN_LIMIT = { rate: 20, burst: 120 };
const LIMITS = [undefined, { rate: 7, burst: 21 }, { rate: 50, burst: 100 }, { rate: 5, burst: 300 }];

/** The kinds of items of which each that is lowered has an event of its own. */
const BEING_THERE = ['PAYMENT_PROVIDERS', 'DISTRIBUTORS', 'PAYMENT_APPS', 'MASTER_ACQUIRERS'];
const JUDGED = [...BEING_THERE, 'ACQUIRERS', 'API_KEY', 'PEOPLE', 'PERSON', 'WEBHOOKS'];

type Stored = Item<Record<string, unknown>>;

async function itemsOf(TableName: string): Promise<Stored[]> {
  const items: Stored[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    items.push(...(Items as Stored[]));
  return items.sort((one, other) => (one.pk + one.sk < other.pk + other.sk ? -1 : 1));
}

const ownerOf = ({ pk }: { pk: string }): string => pk.slice(pk.indexOf('#') + 1);

/**
 * All rights that items give, and until when in milliseconds; of limits, how much. What an acquirer lists counts even
 * while it is disabled: enabling it gives it back.
 */
function rightsOf(items: Stored[]): Map<string, number> {
  const rights = new Map<string, number>();
  const give = (right: string, expires_at?: string): void => {
    const until = expires_at ? Date.parse(expires_at) : Number.POSITIVE_INFINITY;
    if (until > Date.now()) rights.set(right, until);
  };
  const people = new Map(items.filter(({ pk }) => kindOf(pk) === 'PERSON').map((item) => [ownerOf(item), item]));
  const limit = (whose: string, { rate, burst } = OWN_LIMIT) =>
    rights.set(`${whose} rate`, rate).set(`${whose} burst`, burst);
  const kinds: Record<string, (item: never) => void> = {
    ACQUIRERS(item: Item<Keyring>) {
      if (!item.disabled_at) give(`${item.id} is enabled`);
      limit(item.id, item.limit);
      for (const { key_id, role = 'full', expires_at } of item.api_keys ?? [])
        for (const each of permissionsOf(role)) give(`${item.id} lists ${key_id} to ${each}`, expires_at);
    },
    API_KEY(item: Item<ApiKey>) {
      const { acquirer, role = 'full', expires_at } = item;
      for (const each of permissionsOf(role)) give(`key ${item.key_id} may ${each} as ${acquirer.id}`, expires_at);
      if (rights.has(`key ${item.key_id} may ${permissionsOf(role)[0]} as ${acquirer.id}`))
        limit(item.key_id, acquirer.limit);
    },
    PEOPLE(item: Item<Membership & Partial<Invitation>>) {
      for (const each of permissionsOf(item.role)) give(`${item.sk} may ${each} as ${ownerOf(item)}`, item.expires_at);
    },
    PERSON(item: Item<Person>) {
      for (const each of item.acquirers) give(`${item.id} belongs to ${each}`);
    },
    IDENTITY(item: Item<{ person: string }>) {
      const { acquirers = [] } = (people.get(item.person) ?? {}) as Partial<Person>;
      for (const each of acquirers) give(`${item.pk} signs in as ${item.person} for ${each}`);
    },
    SESSION({ pk, person, generation, ends_at }: Item<Session>) {
      const { acquirers = [], ...found } = (people.get(person) ?? {}) as Partial<Person>;
      if (found.generation === generation) for (const each of acquirers) give(`${pk} acts for ${each}`, ends_at);
    },
    CARD(item: Item<Card>) {
      if (!item.blocked_at) give(`${item.pk} identifies ${item.member_id}`);
    },
    WEBHOOKS({ pk, id, url, status, delivers_in, secrets: [newest, ...older] }: Item<Webhook>) {
      const sends = `${id} of ${pk} sends to ${url}, signed with ${newest?.sealed}`;
      give(sends);
      if (status === 'active') give(`${sends}, now`);
      if (delivers_in) give(`${sends}, once resumed with all others`);
      for (const { sealed, ends_at } of older) give(`${sends} and ${sealed}`, ends_at);
    },
  };
  const byBeingThere = ({ pk, sk }: Stored) => give(`${pk} ${sk}`);
  for (const kind of BEING_THERE) kinds[kind] = byBeingThere;
  for (const item of items) kinds[kindOf(item.pk)]?.(item as never);
  return rights;
}

/** The rights that both tables give. A burst is a multiple of its rate. */
function lesserOf(one: Map<string, number>, other: Map<string, number>): Map<string, number> {
  const both = new Map(
    [...one].flatMap(([right, until]) => {
      const found = other.get(right);
      return found === undefined ? [] : [[right, Math.min(until, found)]];
    }),
  );
  for (const [name, burst] of both) {
    const rate = both.get(name.replace(/burst$/, 'rate'));
    if (name.endsWith(' burst') && rate) both.set(name, burst - (burst % rate));
  }
  return both;
}

/** What the acts of a course are about. */
interface Cast {
  acquirers: [provider: string, distributor: string];
  identities: ReturnType<typeof newIdentity>[];
  members: string[];
  /** Of the sessions so far. */
  cookies: string[];
}

async function newCast(): Promise<Cast> {
  const [provider, distributor] = [randomUUID(), randomUUID()];
  await service.createAcquirer({ id: provider, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  await service.createAcquirer({ id: distributor, type: 'DISTRIBUTOR', name: 'Northgate' });
  return {
    acquirers: [provider, distributor],
    identities: [newIdentity(), newIdentity(), newIdentity()],
    members: [randomUUID(), randomUUID()],
    cookies: [],
  };
}

const at = <T>(all: readonly T[], number: number): T => all[number % all.length] as T;

function found<T>(all: T[], number: number): T {
  if (all.length === 0) throw new Problem('not_found', 'There is none.');
  return at(all, number);
}

async function anyKey({ acquirers }: Cast, number: number): Promise<[acquirer: string, key: string]> {
  const keyrings: Keyring[] = await Promise.all(acquirers.map(service.getAcquirer));
  const keys = keyrings.flatMap(({ id, api_keys = [] }) =>
    api_keys.map(({ key_id }): [string, string] => [id, key_id]),
  );
  return found(keys, number);
}

/** One of the people, or of the invitations, of the acquirers. */
async function anyOf(kind: 'person' | 'invitation', { acquirers }: Cast, number: number) {
  const items = await Promise.all(acquirers.map((id) => queryPrefix<Membership | Invitation>(peopleOf(id))));
  const item = found(
    items.flat().filter((each) => idInPeople(each)[kind]),
    number,
  );
  return { acquirer: ownerOf(item), id: String(idInPeople(item)[kind]), item };
}

async function anyWebhook({ acquirers }: Cast, number: number): Promise<Item<Webhook>> {
  return found((await Promise.all(acquirers.map(readWebhooks))).flat(), number);
}

/** What a partner changes of a webhook. */
const CHANGES: ((webhook: Webhook) => Record<string, unknown>)[] = [
  ({ url }) => ({ url: `${url}/2` }),
  () => ({ status: 'paused', ...NOT_DUE }),
  (webhook) => ({ status: 'active', ...due(webhook, webhook.updated_at) }),
  ({ secrets }) => {
    const ends_at = new Date(Date.now() + DAY_MS).toISOString();
    const older = secrets.slice(0, 1).map((each) => ({ ...each, ends_at }));
    return { secrets: [{ sealed: `${randomUUID()}..iv.text.tag` }, ...older] };
  },
];

async function enter(cast: Cast, identity: Identity | undefined, invitation?: string): Promise<void> {
  if (!identity) return;
  cast.cookies.push(await signIn(identity, { invitation, authTime: 0, earlier: undefined }));
}

const cardOf = ({ members }: Cast, number: number) => {
  const text = `${members[0]}${number % 3}`;
  return { card_id: text, card_pseudo_token: text };
};

/** What happens to rights. `first` and `second` choose what to. */
const ACTS: Record<string, (cast: Cast, first: number, second: number) => Promise<unknown>> = {
  issue: ({ acquirers }, first, second) =>
    service.issueApiKey(at(acquirers, first), 'key', { role: at(KEY_ROLES, second) }),
  rotate: async (cast, first, second) =>
    service.rotateApiKey(...(await anyKey(cast, first)), at([0, HOUR_MS, 30 * DAY_MS], second)),
  revoke: async (cast, first) => service.revokeApiKey(...(await anyKey(cast, first))),
  disable: ({ acquirers }, first) => service.disableAcquirer(at(acquirers, first)),
  enable: ({ acquirers }, first) => service.enableAcquirer(at(acquirers, first)),
  limit: ({ acquirers }, first, second) => service.limitAcquirer(at(acquirers, first), at(LIMITS, second)),
  link: ({ acquirers: [provider, distributor] }) => service.linkPartners(distributor, provider),
  unlink: ({ acquirers: [provider, distributor] }) => service.unlinkPartners(distributor, provider),
  'name an app': ({ acquirers }, first, second) =>
    service.addReferenceData(at(acquirers, first), at(['PAYMENT_APPS', 'MASTER_ACQUIRERS'], second), ['app']),
  'remove an app': ({ acquirers }, first, second) =>
    service.removeReferenceData(at(acquirers, first), at(['PAYMENT_APPS', 'MASTER_ACQUIRERS'], second), ['app']),
  invite: ({ acquirers, identities }, first, second) =>
    service.invitePerson(at(acquirers, first), {
      email: at(identities, second).email,
      role: at(PERSON_ROLES, Math.floor(second / 3)),
    }),
  async 'revoke an invitation'(cast, first) {
    const { acquirer, id } = await anyOf('invitation', cast, first);
    await service.revokeInvitation(acquirer, id);
  },
  async join(cast, first) {
    const { acquirer, id, item } = await anyOf('invitation', cast, first);
    const identity = cast.identities.find(({ email }) => 'email' in item && email === item.email);
    await enter(cast, identity, `${acquirer}.${id}`);
  },
  'sign in': (cast, first) => enter(cast, at(cast.identities, first)),
  'sign out': ({ cookies }, first) => signOut(hashOfCookie(found(cookies, first))),
  'end sessions': async (cast, first) => endSessions((await anyOf('person', cast, first)).id),
  async 'change a role'(cast, first, second) {
    const { acquirer, id } = await anyOf('person', cast, first);
    await service.changeRole(acquirer, id, at(PERSON_ROLES, second));
  },
  async remove(cast, first) {
    const { acquirer, id } = await anyOf('person', cast, first);
    await service.removePerson(acquirer, id);
  },
  'erase a person': async (cast, first) => service.erasePerson((await anyOf('person', cast, first)).id),
  'add a card': (cast, first, second) => service.addCard(at(cast.members, first), cardOf(cast, second)),
  block: (cast, first, second) => service.setCardBlocked(at(cast.members, first), cardOf(cast, second), true),
  unblock: (cast, first, second) => service.setCardBlocked(at(cast.members, first), cardOf(cast, second), false),
  'create a webhook': ({ acquirers }, first, second) =>
    storeWebhook({ id: at(acquirers, first) }, 'https://receiver.example.com', { slot: 1 + (second % 2) }),
  async 'change a webhook'(cast, first, second) {
    const webhook = await anyWebhook(cast, first);
    await transact([update({ pk: webhook.pk, sk: webhook.sk }, { set: at(CHANGES, second)(webhook) })]);
  },
  async 'suspend a webhook'(cast, first) {
    const webhook = await anyWebhook(cast, first);
    await service.suspendWebhook(ownerOf(webhook), webhook.id);
  },
  async 'delete a webhook'(cast, first) {
    const { pk, sk } = await anyWebhook(cast, first);
    await transact([remove({ pk, sk })]);
  },
  'erase a member': ({ members }, first) => service.eraseMember(at(members, first)),
};
type Act = [name: string, first: number, second: number];

/** Does what can be done: there may be no such key, person or card. */
async function act(cast: Cast, acts: Act[]): Promise<void> {
  for (const [name, first, second] of acts)
    await Promise.resolve(ACTS[name]?.(cast, first, second)).catch((error) => {
      if (!(error instanceof Problem)) throw error;
    });
}

/** How many casts act at once. */
const LANES = 4;

/** Lets each cast act by its own course. */
async function actAll(casts: Cast[], actsOf: (number: number) => Act[] | undefined): Promise<void> {
  for (let from = 0; from < casts.length; from += LANES)
    await Promise.all(casts.slice(from, from + LANES).map((cast, lane) => act(cast, actsOf(from + lane) ?? [])));
}

const first = tableName();
afterEach(() => {
  jest.useRealTimers();
  table.middlewareStack.remove('interruption');
  process.env['TABLE_NAME'] = first;
});

/** From now on, the service uses a new table with these items. */
async function useTableOf(items: Stored[]): Promise<void> {
  const name = `rights-${randomUUID()}`;
  await createTable(name);
  process.env['TABLE_NAME'] = name;
  await storeMany(0, items.length - 1, (number) => items[number] as Stored);
}

/** Makes the write after so many others fail. */
const interruptAfter = (writes: number): void => {
  let left = writes;
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactWriteCommand' && left-- === 0) throw new Error('Interrupted');
        return next(args);
      },
    { name: 'interruption' },
  );
};

/** What there is before an act: by the kinds of acts, so that single ones need little. */
const WITH_KEY: Act[] = [['issue', 0, 3]];
const WITH_PARTNER: Act[] = [
  ['link', 0, 0],
  ['name an app', 0, 0],
];
/** An admin of both acquirers, an operator of one of them, and an invitation. */
const WITH_PEOPLE: Act[] = [
  ['invite', 0, 8],
  ['join', 0, 0],
  ['invite', 1, 8],
  ['join', 0, 0],
  ['invite', 0, 4],
  ['join', 0, 0],
  ['invite', 0, 3],
];
const WITH_CARDS: Act[] = [
  ['add a card', 0, 0],
  ['add a card', 0, 1],
  ['block', 0, 1],
];
const WITH_WEBHOOK: Act[] = [['create a webhook', 0, 0]];
const FOUNDING = [WITH_KEY, WITH_PARTNER, WITH_PEOPLE, WITH_CARDS, WITH_WEBHOOK].flat();

/** Acts before the point, and since. */
type Course = [before: Act[], since: Act[]];
const anAct: fc.Arbitrary<Act> = fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.nat(5), fc.nat(8));
const acts = fc.array(anAct, { maxLength: 6, size: 'max' });

/**
 * Each act since, by itself. Among them: an open invitation revoked or accepted, a key rotated with overlap, a role
 * raised.
 */
const SINGLE = (
  [
    [WITH_KEY, ['issue', 'rotate', 'revoke', 'disable', 'enable', 'limit']],
    [WITH_PARTNER, ['link', 'unlink', 'name an app', 'remove an app']],
    [WITH_PEOPLE, ['invite', 'revoke an invitation', 'join', 'sign in', 'sign out', 'end sessions']],
    [WITH_PEOPLE, ['change a role', 'remove', 'erase a person']],
    [WITH_CARDS, ['add a card', 'block', 'unblock', 'erase a member']],
    [WITH_WEBHOOK, ['create a webhook', 'change a webhook', 'delete a webhook']],
  ] satisfies [Act[], string[]][]
).flatMap(([before, names]) =>
  names.flatMap((name) => {
    const courses: Course[] = [
      [before, [[name, 0, 1]]],
      [[...before, [name, 2, 1]], [[name, 2, 3]]],
      [before, [[name, 1, 8]]],
      [[...before, [name, 2, 2]], [[name, 2, 0]]],
    ];
    return courses.slice(0, deep ? 4 : 2);
  }),
);

test('after a restore, there is every right that both tables have, and no other', async () => {
  const courses = fc.array(
    fc.tuple(acts, acts).map(([before, since]): Course => [[...FOUNDING, ...before], since]),
    { minLength: 12, maxLength: 20, size: 'max' },
  );
  const property = fc.asyncProperty(courses, fc.constantFrom(0, 8), fc.nat(30), async (all, days, writes) => {
    await useTableOf([]);
    const casts: Cast[] = [];
    for (const _ of all) casts.push(await newCast());
    await actAll(casts, (number) => all[number]?.[0]);
    const copy = await itemsOf(tableName());
    await actAll(casts, (number) => all[number]?.[1]);
    const last = tableName();
    // A restore takes a while, and may be of a day long ago.
    if (days > 0) setClock(Date.now() + days * DAY_MS);
    await useTableOf(copy);
    const undo = async () => {
      const lowered = await lowerRights(table, last, OWN_LIMIT);
      return { ...lowered, erased: await service.repeatErasures(await service.listErasures(last)) };
    };
    interruptAfter(writes);
    await undo().catch((error) => expect(error.message).toBe('Interrupted'));
    table.middlewareStack.remove('interruption');
    await undo();

    const [old, result] = [await itemsOf(last), await itemsOf(tableName())];
    const erased = await erasedMembers(casts, last);
    const judged = (rights: Map<string, number>) =>
      Object.fromEntries([...rights].filter(([right]) => !erased.some((each) => right.endsWith(each))).sort());
    expect(judged(rightsOf(result))).toEqual(judged(lesserOf(rightsOf(copy), rightsOf(old))));
    await expectNoViolations();
    const lowered = copy.filter(
      (item) => JUDGED.includes(kindOf(item.pk)) && !result.some((each) => isDeepStrictEqual(each, item)),
    );
    const events = result.filter(({ type }) => /^right\./.test(String(type)));
    expect(new Set(events.map(({ sk }) => sk)).size).toBe(lowered.length);
    // What a later restore has to erase again.
    const gone = copy
      .filter(({ pk }) => kindOf(pk) === 'PERSON' && !result.some((each) => each.pk === pk))
      .map(ownerOf);
    const listed = events
      .filter(({ pk }) => pk === 'RECORD#ERASURES')
      .map((each) => (each as unknown as RecordEvent).details['person']);
    expect(listed.sort()).toEqual(gone.sort());

    const again = await undo();
    expect(again).toMatchObject({ changed: {}, erased: { members: 0, people: 0 } });
    expect(await itemsOf(tableName())).toEqual(result);
    const admins = (items: Stored[]) =>
      new Set(items.filter((item) => item['role'] === 'admin' && 'joined_at' in item).map(ownerOf));
    expect(new Set(again.withoutAdmin)).toEqual(admins(old).difference(admins(result)));
    jest.useRealTimers();
  });
  await fc.assert(property, { numRuns: runs(1, 40), seed, examples: [[SINGLE, 0, 40]], endOnFailure: true });
});

/** The members that the record of a table lists as erased: what is left of them is judged elsewhere. */
async function erasedMembers(casts: Cast[], last: string): Promise<string[]> {
  const listed = new Set((await service.listErasures(last)).map(({ details }) => details['member']));
  const members = casts.flatMap(({ members }) => members);
  const hashes = await Promise.all(members.map(service.memberHashes));
  return members.filter((_, number) => listed.has(hashes[number]?.[0]));
}

test('the record says what was lowered, and from what', async () => {
  await useTableOf([]);
  const cast = await newCast();
  await act(cast, WITH_PEOPLE);
  const [copy, last] = [await itemsOf(tableName()), tableName()];
  const { acquirer, id: person } = await anyOf('person', cast, 0);
  const [before] = (await service.listPeople(acquirer)).people.filter(({ id }) => id === person);
  await service.changeRole(acquirer, person, 'viewer');
  await useTableOf(copy);
  expect((await lowerRights(table, last, null)).changed).toEqual({ 'people lowered': 1 });
  expect((await service.readRecord(`PERSON#${person}`, { limit: 1 }))[0]).toMatchObject({
    type: 'right.lowered',
    details: { acquirer, person, role: 'viewer', role_before: before?.role },
  });
});

test('refuses a table before that does not have an acquirer of the restored one', async () => {
  await useTableOf([]);
  await service.createAcquirer({ id: randomUUID(), type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  await expect(lowerRights(table, first, null)).rejects.toThrow('it is not the one before this restore');
});
