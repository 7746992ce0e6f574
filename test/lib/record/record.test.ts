import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { AcquirerType } from '../../../lib/acquirers/acquirer.ts';
import {
  type IssuedKey,
  issueApiKey,
  listApiKeys,
  type RotatedKey,
  revokeApiKey,
  rotateApiKey,
} from '../../../lib/acquirers/keyring.ts';
import { createAcquirer, getAcquirer } from '../../../lib/acquirers/registry.ts';
import { DAY_MS, expiryOf } from '../../../lib/base/eventId.ts';
import {
  disableAcquirer,
  enableAcquirer,
  limitAcquirer,
  renameAcquirer,
} from '../../../lib/operator/acquirerChanges.ts';
import { rotateCardKey } from '../../../lib/operator/cardKeyRotation.ts';
import { addCard, beginImport, endImport } from '../../../lib/operator/memberImport.ts';
import { eraseMember, getMember, setCardBlocked } from '../../../lib/operator/members.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { eraseInvitation } from '../../../lib/operator/people.ts';
import { addReferenceData, MOST_NAMES, removeReferenceData } from '../../../lib/operator/referenceData.ts';
import {
  changeRole,
  endSessions,
  invitePerson,
  type MadeInvitation,
  removePerson,
  revokeInvitation,
} from '../../../lib/people/people.ts';
import { hashOfIdentity } from '../../../lib/people/person.ts';
import { hashOfCookie, resolvePerson } from '../../../lib/people/session.ts';
import { actAs } from '../../../lib/record/operator.ts';
import { type RecordPage, readRecord } from '../../../lib/record/record.ts';
import { RECORD_TYPES, type RecordType } from '../../../lib/record/recordTypes.ts';
import { acquirerSubject, personSubject } from '../../../lib/table/keys.ts';
import { BROWSER_KEY, EVENT_ID, recorded, TIME } from '../../support/constants.ts';
import { cardHash, memberHash } from '../../support/hashes.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { enter, newIdentity } from '../../support/people.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { unique } from '../../support/world.ts';

/**
/**
 * A rehash needs a card key that was rotated, rights are lowered after a restore, and webhooks are changed by partners and
 * suspended by commands: test/proofs/cardKeys, test/infra/operate, test/functions/webhooks.
 */
const ELSEWHERE = ['cards.rehashed', 'right.lowered', 'right.revoked'] as const;
type Elsewhere = (typeof ELSEWHERE)[number] | `webhook.${string}`;
const isElsewhere = (type: RecordType): type is Extract<RecordType, Elsewhere> =>
  type.startsWith('webhook.') || ELSEWHERE.some((each) => each === type);
const TYPES = RECORD_TYPES.filter((type): type is Exclude<RecordType, Elsewhere> => !isElsewhere(type));

const NAME = 'Nora Lind';
const NO_ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';

let distributor: string;
/** No acquirer has this id. */
let other: string;
let provider: string;
/** An API key of the payment provider. */
let key: IssuedKey;
let member: string;
let card: { card_id: string; card_pseudo_token: string };
/** The link of an invitation that a change made or used. */
let invitation: MadeInvitation;
/** One of the people of the payment provider, and the hash of their session. */
let person: string;
let session: string;
/** The keyed hashes of the card and of the member. */
let hashes: { card: string; member: string };
beforeEach(async () => {
  [distributor, provider, other] = [randomUUID(), randomUUID(), randomUUID()];
  member = unique('member');
  card = { card_id: unique('card'), card_pseudo_token: 'token' };
  hashes = { card: await cardHash(card.card_id), member: await memberHash(member) };
  await createAcquirer({ id: distributor, type: 'DISTRIBUTOR', name: 'Northgate' });
  await createAcquirer({ id: provider, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  key = await issueApiKey(provider, 'production');
  await addCard(member, card);
  actAs(async () => NAME);
});
afterEach(() => actAs(async () => 'test'));
afterAll(expectNoViolations);

/** Runs a change; returns what it returns or throws, and what it stored. */
const outcomeOf = (change: () => Promise<unknown>) => storedBy(() => change().catch((error: unknown) => error));
const notFound = (message: string) => ({ code: 'not_found', message });
const invalid = (code: string, detail: unknown, pointer = '') => ({
  code: 'validation_failed',
  errors: [{ pointer, code, detail }],
});

const link = () => linkPartners(distributor, provider);
const disable = () => disableAcquirer(provider);
const issue = () => issueApiKey(provider, 'till');
const rotate = () => rotateApiKey(provider, key.key_id, 3_600_000);
const EMAIL = 'nora@example.com';
const identity = () => ({ ...newIdentity(), email: EMAIL, subject: provider });
const invite = async () => {
  invitation = await invitePerson(provider, { email: EMAIL, role: 'operator' });
  return invitation;
};
const join = async () => {
  const cookie = await enter(identity(), invitation);
  session = hashOfCookie(cookie);
  person = (await resolvePerson(cookie))?.person.id as string;
};
const inviteAndJoin = async () => {
  await invite();
  await join();
};
const block = (isBlocked: boolean) => () => setCardBlocked(member, card, isBlocked);

/**
 * A change. By default, the operator makes it, it is about the payment provider, and its repetition changes nothing.
 */
interface Change {
  prepare?: () => Promise<unknown>;
  change: () => Promise<unknown>;
  /** The subjects of its event in the operator's record. */
  subjects?: string[];
  details?: object;
  by?: string;
  /** Everything else that it stores; `null` for what it deletes. */
  items?: object;
  /** The error with which its repetition is refused; `null` if it does the same again. */
  again?: object | null;
}

const sha256 = ({ api_key }: IssuedKey) => createHash('sha256').update(api_key).digest('hex');
const labelled = (issued: IssuedKey) => ({ key_id: sha256(issued).slice(0, 12), label: issued.label });
const named = (issued: IssuedKey) => ({ ...labelled(issued), ends_with: issued.api_key.slice(-4) });
const listed = (issued: IssuedKey, more: object = {}) => ({
  ...labelled(issued),
  created_at: TIME,
  sha256: sha256(issued),
  ends_with: issued.api_key.slice(-4),
  ...more,
});
/** The item of an API key, of an acquirer with other attributes. */
const keyItem = (issued: IssuedKey, acquirer: object = {}, more: object = {}) => ({
  [`API_KEY#${sha256(issued)} API_KEY`]: {
    acquirer: { id: provider, type: 'PAYMENT_PROVIDER', name: 'Payfair', ...acquirer },
    ...labelled(issued),
    ...more,
  },
});
const acquirerItem = (id: string, type: AcquirerType, name: string, more: object = {}) => ({
  [`ACQUIRERS ACQUIRER#${id}`]: { id, type, name, created_at: TIME, updated_at: TIME, ...more },
});
const providerItem = (more: object = {}) =>
  acquirerItem(provider, 'PAYMENT_PROVIDER', 'Payfair', { api_keys: [listed(key)], ...more });

/**
 * The operator's changes, by the type of the event that each stores; `made` is the API key that the change returned.
 */
function changes(made = key as RotatedKey): Record<(typeof TYPES)[number], Change> {
  const ofProvider = [acquirerSubject(provider)];
  const ofPartners = [acquirerSubject(distributor), ...ofProvider];
  const ofPerson = [...ofProvider, personSubject(person)];
  const ofMember = [`MEMBER#${hashes.member}`];
  const partners = {
    distributor: { id: distributor, name: 'Northgate' },
    payment_provider: { id: provider, name: 'Payfair' },
  };
  const [toProvider, toDistributor] = [
    `PAYMENT_PROVIDERS#${distributor} ${provider}`,
    `DISTRIBUTORS#${provider} ${distributor}`,
  ];
  const limit = { rate: 5, burst: 10 };
  const expires_at = made.rotated?.expires_at ?? '';
  const keyRevoked = { [`API_KEY#${sha256(key)} API_KEY`]: null };
  const ofKeys = { acquirer: provider, ...named(made) };
  const cardName = `CARD#${hashes.card}`;
  const cardItem = (more: object = {}) => ({
    [`${cardName} CARD`]: { member_id: member, pseudo_token_hash: expect.stringMatching(/^[\da-f]{64}$/), ...more },
  });
  const ofCard = { subjects: ofMember, details: { card: hashes.card.slice(0, 12) } };
  const ofInvitation = { acquirer: provider, invitation: invitation?.id };
  const invitationName = `PEOPLE#${provider} INVITATION#${invitation?.id}`;
  const keptInvitation = `PEOPLE_NAMES#${provider} INVITATION#${invitation?.id}`;
  const keptPerson = `PEOPLE_NAMES#${provider} PERSON#${person}`;
  const membershipName = `PEOPLE#${provider} PERSON#${person}`;
  const identityName = `IDENTITY#${hashOfIdentity(identity())} IDENTITY`;
  const personItem = (generation: number) => ({
    [`PERSON#${person} PERSON`]: {
      ...{ id: person, name: 'Anna Example', email: EMAIL, identity: hashOfIdentity(identity()), generation },
      acquirers: new Set([provider]),
      created_at: TIME,
      signed_in_at: TIME,
    },
  });
  return {
    'acquirer.created': {
      change: () => createAcquirer({ id: other, type: 'DISTRIBUTOR', name: 'Silverline' }),
      subjects: [acquirerSubject(other)],
      details: { type: 'DISTRIBUTOR', name: 'Silverline' },
      items: acquirerItem(other, 'DISTRIBUTOR', 'Silverline'),
      again: invalid('taken', `Acquirer ${other} already exists.`, '/id'),
    },
    'acquirer.renamed': {
      prepare: link,
      change: () => renameAcquirer(provider, 'Payfair SA'),
      details: { name: 'Payfair SA', name_before: 'Payfair' },
      items: {
        ...providerItem({ name: 'Payfair SA' }),
        ...keyItem(key, { name: 'Payfair SA' }),
        [toProvider]: { name: 'Payfair SA' },
      },
    },
    'acquirer.limited': {
      change: () => limitAcquirer(provider, limit),
      details: { limit, limit_before: null },
      items: { ...providerItem({ limit }), ...keyItem(key, { limit }) },
    },
    'acquirer.disabled': { change: disable, items: { ...providerItem({ disabled_at: TIME }), ...keyRevoked } },
    'acquirer.enabled': {
      prepare: disable,
      change: () => enableAcquirer(provider),
      items: { ...providerItem(), ...keyItem(key) },
    },
    'partnership.linked': {
      change: link,
      subjects: ofPartners,
      details: partners,
      items: {
        [toProvider]: { name: 'Payfair' },
        [toDistributor]: { name: 'Northgate' },
        // So that a concurrent rename conflicts and starts over.
        ...acquirerItem(distributor, 'DISTRIBUTOR', 'Northgate'),
        ...providerItem(),
      },
    },
    'partnership.unlinked': {
      prepare: link,
      change: () => unlinkPartners(distributor, provider),
      subjects: ofPartners,
      details: partners,
      items: { [toProvider]: null, [toDistributor]: null },
      again: invalid('not_a_partner', 'These acquirers are not partners.'),
    },
    'api_key.issued': {
      change: issue,
      subjects: [...ofProvider, `API_KEY#${made.key_id}`],
      details: { ...ofKeys, role: 'full' },
      items: { ...providerItem({ api_keys: [listed(key), listed(made)] }), ...keyItem(made) },
      again: null,
    },
    'api_key.rotated': {
      change: rotate,
      subjects: [...ofProvider, `API_KEY#${key.key_id}`, `API_KEY#${made.key_id}`],
      details: { ...ofKeys, ends_with_before: key.api_key.slice(-4), rotated: made.rotated },
      items: {
        ...providerItem({ api_keys: [listed(key, { expires_at }), listed(made, { replaces: key.key_id })] }),
        ...keyItem(key, {}, { expires_at, ttl: Math.ceil(Date.parse(expires_at) / 1000) }),
        ...keyItem(made),
      },
      again: invalid('rotated', `API key ${key.key_id} was already rotated; it expires at ${expires_at}.`),
    },
    'api_key.revoked': {
      change: () => revokeApiKey(provider, key.key_id),
      subjects: [...ofProvider, `API_KEY#${key.key_id}`],
      details: { acquirer: provider, ...named(key) },
      items: { ...providerItem({ api_keys: [] }), ...keyRevoked },
      again: notFound(`The acquirer has no API key ${key.key_id}.`),
    },
    'person.invited': {
      change: invite,
      details: { ...ofInvitation, role: 'operator' },
      items: {
        ...providerItem(),
        [invitationName]: {
          ...{ email: EMAIL, role: 'operator', created_at: TIME, expires_at: invitation?.expires_at },
          ttl: Math.ceil(Date.parse(invitation?.expires_at) / 1000),
        },
        [keptInvitation]: { email: EMAIL, ttl: invitation && expiryOf(invitation.expires_at) },
      },
      again: null,
    },
    'invitation.revoked': {
      prepare: invite,
      change: () => revokeInvitation(provider, invitation.id),
      details: ofInvitation,
      items: { ...providerItem(), [invitationName]: null },
      again: notFound(`There is no open invitation ${invitation?.id}.`),
    },
    'person.joined': {
      prepare: invite,
      change: join,
      subjects: ofPerson,
      details: { ...ofInvitation, person, role: 'operator' },
      by: `PERSON#${person}`,
      items: {
        ...personItem(1),
        [identityName]: { person },
        [membershipName]: { role: 'operator', joined_at: TIME, browser_key: BROWSER_KEY },
        [invitationName]: null,
        [`SESSION#${session} SESSION`]: expect.objectContaining({ person, generation: 1 }),
      },
      again: null,
    },
    'person.role_changed': {
      prepare: inviteAndJoin,
      change: () => changeRole(provider, person, 'admin'),
      subjects: ofPerson,
      details: { acquirer: provider, person, role: 'admin', role_before: 'operator' },
      items: { ...providerItem(), [membershipName]: { role: 'admin', joined_at: TIME, browser_key: BROWSER_KEY } },
    },
    'person.removed': {
      prepare: inviteAndJoin,
      change: () => removePerson(provider, person),
      subjects: ofPerson,
      details: { acquirer: provider, person },
      items: {
        ...providerItem(),
        [membershipName]: null,
        [`PERSON#${person} PERSON`]: null,
        [identityName]: null,
        [keptPerson]: { name: 'Anna Example', email: EMAIL, ttl: expect.any(Number) },
      },
      again: notFound(`The acquirer has no person ${person}.`),
    },
    'person.erased': {
      prepare: async () => {
        await invite();
        await revokeInvitation(provider, invitation.id);
      },
      change: () => eraseInvitation(provider, invitation.id),
      subjects: ['ERASURES', ...ofProvider],
      details: ofInvitation,
      items: { [keptInvitation]: null },
    },
    'person.signed_out': {
      prepare: inviteAndJoin,
      change: () => endSessions(person),
      subjects: [personSubject(person)],
      details: { person },
      items: personItem(2),
      again: null,
    },
    'reference_data.added': {
      prepare: () => addReferenceData(provider, 'PAYMENT_APPS', ['Old']),
      change: () => addReferenceData(provider, 'PAYMENT_APPS', ['Old', 'New #1']),
      details: { kind: 'PAYMENT_APPS', names: ['New #1'] },
      items: { [`PAYMENT_APPS#${provider} New #1`]: {} },
    },
    'reference_data.removed': {
      prepare: () => addReferenceData(provider, 'MASTER_ACQUIRERS', ['Old', 'Older']),
      change: () => removeReferenceData(provider, 'MASTER_ACQUIRERS', ['Old']),
      details: { kind: 'MASTER_ACQUIRERS', names: ['Old'] },
      items: { [`MASTER_ACQUIRERS#${provider} Old`]: null },
      again: invalid('not_found', `Acquirer ${provider} has no "Old".`, '/name'),
    },
    'members.imported': {
      change: async () => endImport(await beginImport(), { stored: 3, refused: 1 }),
      subjects: ['MEMBERS'],
      details: { stored: 3, refused: 1, completed_at: TIME },
      again: null,
    },
    'member.erased': {
      change: () => eraseMember(member),
      subjects: ['ERASURES', ...ofMember],
      details: { member: hashes.member, cards: 1, rewards: 0, completed_at: TIME },
      items: {
        [`${cardName} CARD`]: null,
        [`MEMBER#${member} ${cardName}`]: null,
        [`ERASURE#${hashes.member} ERASURE`]: { id: EVENT_ID, ttl: expect.any(Number) },
      },
      again: notFound('There is no such member.'),
    },
    'card.blocked': { change: block(true), ...ofCard, items: cardItem({ blocked_at: TIME }) },
    'card.unblocked': { prepare: block(true), change: block(false), ...ofCard, items: cardItem() },
    'card_key.rotated': {
      change: () => rotateCardKey(async () => {}),
      subjects: ['CARD_KEYS'],
      details: { version: 2, completed_at: TIME },
      again: null,
    },
  };
}

describe('each change', () => {
  test.each(TYPES)('stores its items and one event under each of its subjects, once: %s', async (type) => {
    const { prepare, change } = changes()[type];
    await prepare?.();
    const { response, changed } = await outcomeOf(change);
    const made = (response as RotatedKey | undefined)?.api_key ? (response as RotatedKey) : undefined;
    const { subjects = [acquirerSubject(provider)], details = {}, by = NAME, ...wanted } = changes(made)[type];
    const { items = {}, again } = wanted;
    const event = recorded(type, details, by);
    expect(splitRecord(changed)).toEqual({
      others: items,
      events: Object.fromEntries(subjects.map((subject) => [subject, [event]])),
    });
    const copies = Object.entries(changed).flatMap(([name, item]) => (name.startsWith('RECORD#') ? [item] : []));
    expect(new Set(copies.map((copy) => JSON.stringify(copy))).size).toBe(1);
    // Longer than point-in-time recovery reaches back, whatever EVENT_DAYS is.
    const retained = subjects.includes('ERASURES') ? 36 * DAY_MS : undefined;
    for (const copy of copies) expect(copy?.['ttl']).toBe(expiryOf(String(copy?.['at']), retained));

    if (again === null) return;
    const repeated = await outcomeOf(change);
    if (again) expect(repeated.response).toMatchObject(again);
    else expect(repeated.response).not.toBeInstanceOf(Error);
    expect(repeated.changed).toEqual({});
  });

  // A person is the author of joining.
  test.each(TYPES.filter((type) => type !== 'person.joined'))(
    'stores nothing without a known author: %s',
    async (type) => {
      const { prepare, change } = changes()[type];
      await prepare?.();
      const stranger = new Error('Who are you?');
      actAs(() => Promise.reject(stranger));
      expect(await outcomeOf(change)).toEqual({ response: stranger, changed: {} });
    },
  );

  test('stores nothing in a process that sets no author', async () => {
    await jest.isolateModulesAsync(async () => {
      const { limitAcquirer: limit } = await import('../../../lib/operator/acquirerChanges.ts');
      expect(await outcomeOf(() => limit(provider, { rate: 1, burst: 1 }))).toEqual({
        response: new Error('No operator is set for this change: call actAs first.'),
        changed: {},
      });
    });
  });
});

describe('a refused change stores nothing:', () => {
  test('any of an unknown acquirer', async () => {
    const changes = [
      () => linkPartners(distributor, NO_ID),
      () => linkPartners(NO_ID, provider),
      () => getAcquirer(NO_ID),
      () => renameAcquirer(NO_ID, 'X'),
      () => limitAcquirer(NO_ID, undefined),
      () => disableAcquirer(NO_ID),
      () => enableAcquirer(NO_ID),
      () => addReferenceData(NO_ID, 'PAYMENT_APPS', ['X']),
      () => issueApiKey(NO_ID, 'x'),
      () => listApiKeys(NO_ID),
      () => rotateApiKey(NO_ID, 'x', 0),
      () => revokeApiKey(NO_ID, 'x'),
    ];
    const { changed } = await storedBy(async () => {
      for (const change of changes)
        await expect(change()).rejects.toMatchObject(notFound(`There is no acquirer ${NO_ID}.`));
    });
    expect(changed).toEqual({});
  });

  const disabled = () => invalid('disabled', expect.stringMatching(/^The acquirer has been disabled since 2.*Z\.$/));
  const noCard = () => notFound('The member has no such card.');
  const nobody = () => notFound('There is no such member.');
  const addOld = () => addReferenceData(provider, 'PAYMENT_APPS', ['Old']);
  const twoNames = () => removeReferenceData(provider, 'PAYMENT_APPS', ['Old', 'Unknown']);
  const blockUnknown = () => setCardBlocked(member, { reference: '0123456789ab' }, true);
  const takenCard = () => invalid('taken', 'Another member has this card.', '/card_id');
  const badLimit = () => invalid('invalid_limit', expect.stringMatching(/: not 10 and 15\.$/));
  const noSuchName = () => invalid('not_found', `Acquirer ${provider} has no "Unknown".`, '/name');

  test.each<[string, change: () => Promise<unknown>, error: () => object, prepare?: () => Promise<unknown>]>([
    ['issuing an API key for a disabled acquirer', issue, disabled, disable],
    ['rotating an API key of a disabled acquirer', rotate, disabled, disable],
    ['removing names, one of which is unknown', twoNames, noSuchName, addOld],
    ['showing a member without data', () => getMember('nobody'), nobody],
    ['erasing a member without data', () => eraseMember('nobody'), nobody],
    ['blocking a card by an unknown reference', blockUnknown, noCard],
    ['blocking a card by an unknown card_id', () => setCardBlocked(member, { card_id: 'none' }, true), noCard],
    ['blocking a card of another member', () => setCardBlocked(unique('member'), card, true), noCard],
    ['adding a card of another member', () => addCard('other', card), takenCard],
    ['setting an invalid limit', () => limitAcquirer(provider, { rate: 10, burst: 15 }), badLimit],
    [
      'linking acquirers in the wrong order',
      () => linkPartners(provider, distributor),
      () => ({
        errors: [
          { pointer: '/distributor', code: 'other_type', detail: `Payfair (${provider}) is a PAYMENT_PROVIDER.` },
          { pointer: '/payment_provider', code: 'other_type', detail: `Northgate (${distributor}) is a DISTRIBUTOR.` },
        ],
      }),
    ],
  ])('%s', async (_, change, error, prepare = async () => {}) => {
    await prepare();
    const { response, changed } = await outcomeOf(change);
    expect(response).toMatchObject(error());
    expect(changed).toEqual({});
  });
});

test('the most names that fit into one transaction are added and removed with their event', async () => {
  const names = Array.from({ length: MOST_NAMES }, (_, at) => `App ${at}`);
  for (const change of [addReferenceData, removeReferenceData]) {
    const { changed } = await storedBy(() => change(provider, 'PAYMENT_APPS', names));
    expect(Object.keys(changed)).toHaveLength(MOST_NAMES + 1);
  }
});

test('concurrent links of the same partners store one event', async () => {
  const { changed } = await storedBy(() => Promise.all([link(), link(), link()]));
  expect(splitRecord(changed).events[`ACQUIRER#${provider}`]).toHaveLength(1);
});

describe('the operator’s record', () => {
  test('names the author whom the process has determined once', async () => {
    const who = jest.fn(async () => NAME);
    actAs(who);
    expect(who).not.toHaveBeenCalled();
    await limitAcquirer(provider, { rate: 1, burst: 1 });
    await limitAcquirer(provider, { rate: 2, burst: 2 });
    expect(who).toHaveBeenCalledTimes(1);
    expect((await readRecord(acquirerSubject(provider), { limit: 2 })).map(({ by }) => by)).toEqual([NAME, NAME]);
  });

  test('is read in pages, newest first', async () => {
    for (const limit of [{ rate: 1, burst: 1 }, { rate: 2, burst: 2 }, undefined]) await limitAcquirer(provider, limit);
    const read = (page: RecordPage) => readRecord(acquirerSubject(provider), page);
    const all = await read({ limit: 10 });
    const limited = Array(3).fill('acquirer.limited');
    expect(all.map(({ type }) => type)).toEqual([...limited, 'api_key.issued', 'acquirer.created']);
    expect(all[0]?.details).toEqual({ limit: null, limit_before: { rate: 2, burst: 2 } });
    for (const [at, { id: before }] of all.entries())
      expect(await read({ limit: 2, before })).toEqual(all.slice(at + 1, at + 3));
  });
});
