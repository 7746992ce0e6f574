import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { expiryOf } from '../../../lib/events/eventId.ts';
import { memberHash } from '../../../lib/members/member.ts';
import {
  disableAcquirer,
  enableAcquirer,
  limitAcquirer,
  renameAcquirer,
} from '../../../lib/operator/acquirerChanges.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey, revokeApiKey, rotateApiKey } from '../../../lib/operator/apiKeys.ts';
import { addCard, beginImport, endImport } from '../../../lib/operator/memberImport.ts';
import { eraseMember, setCardBlocked } from '../../../lib/operator/members.ts';
import { actAs } from '../../../lib/operator/operator.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { readRecord } from '../../../lib/operator/record.ts';
import { RECORD_TYPES } from '../../../lib/operator/recordTypes.ts';
import { addReferenceData, MOST_NAMES, removeReferenceData } from '../../../lib/operator/referenceData.ts';
import { acquirerSubject } from '../../../lib/table/keys.ts';
import { recorded } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';

const NAME = 'Nora Lind';

let distributor: string;
let provider: string;
let keyId: string;
let member: string;
const card = () => ({ card_id: `card-of-${member}`, card_pseudo_token: 'token' });
beforeEach(async () => {
  [distributor, provider, member] = [randomUUID(), randomUUID(), `member-${randomUUID()}`];
  await createAcquirer({ id: distributor, type: 'DISTRIBUTOR', name: 'Northgate' });
  await createAcquirer({ id: provider, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
  keyId = (await issueApiKey(provider, 'production')).key_id;
  await addCard(member, card());
  actAs(async () => NAME);
});
afterEach(async () => {
  actAs(async () => 'test');
  await expectNoViolations();
});

const isText = (expected: RegExp) => expect.stringMatching(expected);
const KEY_ID = isText(/^[\da-f]{12}$/);
const TIME = isText(/Z$/);
const partners = () => ({
  distributor: { id: distributor, name: 'Northgate' },
  payment_provider: { id: provider, name: 'Payfair' },
});

type Case = [
  type: (typeof RECORD_TYPES)[number],
  prepare: () => Promise<unknown>,
  change: () => Promise<unknown>,
  subjects: () => Promise<string[]> | string[],
  details: () => object,
];
const noPreparation = async () => {};
const ofProvider = () => [`ACQUIRER#${provider}`];
const ofBoth = () => [`ACQUIRER#${distributor}`, `ACQUIRER#${provider}`];
const ofMember = async () => [`MEMBER#${await memberHash(member)}`];
const created = randomUUID();

/** The operator's changes, by the type of the event that each stores. */
const CASES: Case[] = [
  [
    'acquirer.created',
    noPreparation,
    () => createAcquirer({ id: created, type: 'DISTRIBUTOR', name: 'Silverline' }),
    () => [`ACQUIRER#${created}`],
    () => ({ type: 'DISTRIBUTOR', name: 'Silverline' }),
  ],
  [
    'acquirer.renamed',
    noPreparation,
    () => renameAcquirer(provider, 'Payfair SA'),
    ofProvider,
    () => ({ name: 'Payfair SA', name_before: 'Payfair' }),
  ],
  [
    'acquirer.limited',
    () => limitAcquirer(provider, { rate: 5, burst: 10 }),
    () => limitAcquirer(provider, undefined),
    ofProvider,
    () => ({ limit: null, limit_before: { rate: 5, burst: 10 } }),
  ],
  ['acquirer.disabled', noPreparation, () => disableAcquirer(provider), ofProvider, () => ({})],
  ['acquirer.enabled', () => disableAcquirer(provider), () => enableAcquirer(provider), ofProvider, () => ({})],
  ['partnership.linked', noPreparation, () => linkPartners(distributor, provider), ofBoth, partners],
  [
    'partnership.unlinked',
    () => linkPartners(distributor, provider),
    () => unlinkPartners(distributor, provider),
    ofBoth,
    partners,
  ],
  [
    'api_key.revoked',
    noPreparation,
    () => revokeApiKey(provider, keyId),
    () => [`ACQUIRER#${provider}`, `API_KEY#${keyId}`],
    () => ({ acquirer: provider, key_id: keyId, label: 'production' }),
  ],
  [
    'reference_data.added',
    () => addReferenceData(provider, 'PAYMENT_APPS', ['Old']),
    () => addReferenceData(provider, 'PAYMENT_APPS', ['Old', 'New']),
    ofProvider,
    () => ({ kind: 'PAYMENT_APPS', names: ['New'] }),
  ],
  [
    'reference_data.removed',
    () => addReferenceData(provider, 'MASTER_ACQUIRERS', ['Old']),
    () => removeReferenceData(provider, 'MASTER_ACQUIRERS', ['Old']),
    ofProvider,
    () => ({ kind: 'MASTER_ACQUIRERS', names: ['Old'] }),
  ],
  [
    'members.imported',
    noPreparation,
    async () => endImport(await beginImport(), { stored: 3, refused: 1 }),
    () => ['MEMBERS'],
    () => ({ stored: 3, refused: 1, completed_at: TIME }),
  ],
  [
    'member.erased',
    noPreparation,
    () => eraseMember(member),
    ofMember,
    () => ({ cards: 1, rewards: 0, completed_at: TIME }),
  ],
  ['card.blocked', noPreparation, () => setCardBlocked(member, card(), true), ofMember, () => ({ card: KEY_ID })],
  [
    'card.unblocked',
    () => setCardBlocked(member, card(), true),
    () => setCardBlocked(member, card(), false),
    ofMember,
    () => ({ card: KEY_ID }),
  ],
];

describe('a change stores one event under each of its subjects:', () => {
  test.each(CASES)('%s', async (type, prepare, change, subjects, details) => {
    await prepare();
    const { changed } = await storedBy(change);
    const event = recorded(type, details(), NAME);
    expect(splitRecord(changed).events).toEqual(
      Object.fromEntries((await subjects()).map((subject) => [subject, [event]])),
    );
    const copies = Object.entries(changed).flatMap(([key, item]) => (key.startsWith('RECORD#') ? [item] : []));
    expect(new Set(copies.map((copy) => JSON.stringify(copy))).size).toBe(1);
    for (const copy of copies) expect(copy?.['ttl']).toBe(expiryOf(String(copy?.['at'])));
  });

  test('api_key.issued', async () => {
    const { response, changed } = await storedBy(() => issueApiKey(provider, 'till'));
    const event = recorded('api_key.issued', { acquirer: provider, key_id: response.key_id, label: 'till' }, NAME);
    expect(splitRecord(changed).events).toEqual({
      [`ACQUIRER#${provider}`]: [event],
      [`API_KEY#${response.key_id}`]: [event],
    });
    expect(JSON.stringify(changed)).not.toContain(response.api_key);
  });

  test('api_key.rotated, also under the new key', async () => {
    const { response, changed } = await storedBy(() => rotateApiKey(provider, keyId, 3_600_000));
    const event = recorded(
      'api_key.rotated',
      {
        acquirer: provider,
        key_id: response.key_id,
        label: 'production',
        rotated: { key_id: keyId, expires_at: response.rotated.expires_at },
      },
      NAME,
    );
    expect(splitRecord(changed).events).toEqual({
      [`ACQUIRER#${provider}`]: [event],
      [`API_KEY#${keyId}`]: [event],
      [`API_KEY#${response.key_id}`]: [event],
    });
    expect(JSON.stringify(changed)).not.toContain(response.api_key);
  });

  test('covers every type of event', () => {
    const shown = [...CASES.map(([type]) => type), 'api_key.issued', 'api_key.rotated'];
    expect(shown.sort()).toEqual([...RECORD_TYPES].sort());
  });
});

describe('without a known author, nothing is changed and no event is stored:', () => {
  test.each([
    ...CASES.map(([type, prepare, change]) => ({ type, prepare, change })),
    { type: 'api_key.issued', prepare: noPreparation, change: () => issueApiKey(provider, 'till') },
    { type: 'api_key.rotated', prepare: noPreparation, change: () => rotateApiKey(provider, keyId, 0) },
  ])('$type', async ({ prepare, change }) => {
    await prepare();
    const stranger = new Error('Who are you?');
    actAs(() => Promise.reject(stranger));
    expect(await storedBy(() => change().catch((error: unknown) => error))).toEqual({
      response: stranger,
      changed: {},
    });
  });
});

test('a process determines the author of its changes once', async () => {
  const who = jest.fn(async () => NAME);
  actAs(who);
  expect(who).not.toHaveBeenCalled();
  await limitAcquirer(provider, { rate: 1, burst: 1 });
  await limitAcquirer(provider, { rate: 2, burst: 2 });
  expect(who).toHaveBeenCalledTimes(1);
  const events = await readRecord(acquirerSubject(provider), { limit: 2 });
  expect(events.map(({ type, by }) => [type, by])).toEqual([
    ['acquirer.limited', NAME],
    ['acquirer.limited', NAME],
  ]);
});

test('nothing is changed in a process that sets no author', async () => {
  await jest.isolateModulesAsync(async () => {
    const { limitAcquirer: limit } = await import('../../../lib/operator/acquirerChanges.ts');
    const { changed } = await storedBy(() =>
      expect(limit(provider, { rate: 1, burst: 1 })).rejects.toThrow('No operator is set for this change'),
    );
    expect(changed).toEqual({});
  });
});

describe('no event is stored for a change without effect:', () => {
  test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['enabling an enabled acquirer', noPreparation, () => enableAcquirer(provider)],
    ['disabling a disabled acquirer', () => disableAcquirer(provider), () => disableAcquirer(provider)],
    ['setting no limit where there is none', noPreparation, () => limitAcquirer(provider, undefined)],
    [
      'setting the current limit',
      () => limitAcquirer(provider, { rate: 5, burst: 10 }),
      () => limitAcquirer(provider, { rate: 5, burst: 10 }),
    ],
    ['setting the current name', noPreparation, () => renameAcquirer(provider, 'Payfair')],
    ['linking existing partners', () => linkPartners(distributor, provider), () => linkPartners(distributor, provider)],
    [
      'adding existing names',
      () => addReferenceData(provider, 'PAYMENT_APPS', ['One', 'Two']),
      () => addReferenceData(provider, 'PAYMENT_APPS', ['Two', 'One']),
    ],
    ['blocking a blocked card', () => setCardBlocked(member, card(), true), () => setCardBlocked(member, card(), true)],
    ['unblocking a card that is not blocked', noPreparation, () => setCardBlocked(member, card(), false)],
  ])('%s', async (_, prepare, repeat) => {
    await prepare();
    expect((await storedBy(repeat)).changed).toEqual({});
  });
});

test('the most names that fit into one transaction are added and removed with their event', async () => {
  const names = Array.from({ length: MOST_NAMES }, (_, at) => `App ${at}`);
  const added = await storedBy(() => addReferenceData(provider, 'PAYMENT_APPS', names));
  expect(Object.keys(added.changed)).toHaveLength(MOST_NAMES + 1);
  const removed = await storedBy(() => removeReferenceData(provider, 'PAYMENT_APPS', names));
  expect(Object.keys(removed.changed)).toHaveLength(MOST_NAMES + 1);
});

test('concurrent links of the same partners store one event', async () => {
  const link = () => linkPartners(distributor, provider);
  const { changed } = await storedBy(() => Promise.all([link(), link(), link()]));
  expect(splitRecord(changed).events[`ACQUIRER#${provider}`]).toHaveLength(1);
});

test('a record is read in pages, newest first', async () => {
  for (const rate of [1, 2, 3]) await limitAcquirer(provider, { rate, burst: rate });
  const subject = acquirerSubject(provider);
  const all = await readRecord(subject, { limit: 10 });
  expect(all.map(({ type }) => type)).toEqual([
    'acquirer.limited',
    'acquirer.limited',
    'acquirer.limited',
    'api_key.issued',
    'acquirer.created',
  ]);
  expect(all[0]?.details).toEqual({ limit: { rate: 3, burst: 3 }, limit_before: { rate: 2, burst: 2 } });
  const pages = [
    await readRecord(subject, { limit: 2 }),
    await readRecord(subject, { limit: 2, before: all[1]?.id }),
    await readRecord(subject, { limit: 2, before: all[3]?.id }),
    await readRecord(subject, { limit: 2, before: all[4]?.id }),
  ];
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1, 0]);
  expect(pages.flat()).toEqual(all);
});
