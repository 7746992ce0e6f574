import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Reward } from '../../../lib/members/member.ts';
import { addCard, addReward, addRewards, beginImport } from '../../../lib/operator/memberImport.ts';
import { eraseMember, getMember, importsOf, setCardBlocked } from '../../../lib/operator/members.ts';
import { listErasures, repeatErasures } from '../../../lib/operator/repeatErasures.ts';
import { readRecord } from '../../../lib/record/record.ts';
import { type Item, table, tableName } from '../../../lib/table/client.ts';
import { memberCardKey, memberSubject, rewardKey } from '../../../lib/table/keys.ts';
import { put, remove, transact } from '../../../lib/table/transaction.ts';
import { TIME } from '../../support/constants.ts';
import { runs } from '../../support/depth.ts';
import { cardHash, memberHash } from '../../support/hashes.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored, storedBy } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { unique } from '../../support/world.ts';

const REWARD: Reward = {
  reward_id: 'welcome',
  name: '5 EUR off',
  currency: 'EUR',
  minimum_amount: 50,
  valid_from: '2020-01-01T00:00:00.000Z',
  expires_at: '2099-12-31T23:59:59.000Z',
};
const rewardOf = (number: number): Reward => ({ ...REWARD, reward_id: `reward-${number}` });
const ERASED = {
  code: 'validation_failed',
  errors: [
    {
      pointer: '/member_id',
      code: 'erased',
      detail: 'The member was erased after the import began, or its erasure is not complete.',
    },
  ],
};
const NO_MEMBER = { code: 'not_found', message: 'There is no such member.' };

let member: string;
let card: { card_id: string; card_pseudo_token: string };
beforeEach(() => {
  member = unique('member');
  card = { card_id: unique('card'), card_pseudo_token: 'token' };
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(expectNoViolations);

/** Every item with a member's id, including its cards. */
const left = async () =>
  Object.entries(await stored()).filter(([key, item]) => key.includes(member) || item['member_id'] === member);

/** The counts of a member's erasures, newest first. */
const erasures = async () =>
  (await readRecord(memberSubject(await memberHash(member)), { limit: 10 })).map(({ details }) => details);

test('an import of rewards writes only rewards that changed, and the last one of each id', async () => {
  await addRewards(member, [rewardOf(1), rewardOf(2)]);
  const changed = { ...rewardOf(2), minimum_amount: 75 };
  const { changed: written } = await storedBy(() => addRewards(member, [rewardOf(1), rewardOf(2), changed]));
  const { pk, sk } = rewardKey(member, changed.reward_id);
  const ttl = Math.ceil(Date.parse(changed.expires_at) / 1000);
  expect(written).toEqual({ [`${pk} ${sk}`]: { ...changed, ttl } });
  expect((await storedBy(() => addRewards(member, [rewardOf(1), changed]))).changed).toEqual({});
  expect((await getMember(member)).rewards).toEqual([rewardOf(1), changed]);
});

test('the imports of a member are known until the member is erased', async () => {
  const { id } = await beginImport();
  await addCard(member, card, id);
  expect(await importsOf(member)).toMatchObject([{ id, type: 'members.imported' }]);
  await eraseMember(member);
  expect(await importsOf(member)).toBeUndefined();
});

describe('an import that began before a member was erased', () => {
  test('stores nothing more of the member, but a later import does', async () => {
    const earlier = await beginImport();
    await addCard(member, card, earlier.id);
    expect(await eraseMember(member)).toEqual({ cards: 1, rewards: 0 });
    const { changed } = await storedBy(async () => {
      await expect(addCard(member, card, earlier.id)).rejects.toMatchObject(ERASED);
      await expect(addReward(member, REWARD, earlier.id)).rejects.toMatchObject(ERASED);
    });
    expect(changed).toEqual({});

    const later = await beginImport();
    await addCard(member, card, later.id);
    await addReward(member, REWARD, later.id);
    expect(await getMember(member)).toEqual({
      cards: [{ card: (await cardHash(card.card_id)).slice(0, 12), imported_at: later.at, blocked_at: null }],
      rewards: [REWARD],
    });
  });

  test('leaves nothing of the member, whatever it stores concurrently', async () => {
    for (let round = 0; round < runs(2); round += 1) {
      const { id } = await beginImport();
      await addCard(member, card, id);
      // One row after the other, as an import stores the rows of a member.
      const storing = (async () => {
        const results: unknown[] = [];
        for (let row = 0; row < 8; row += 1) {
          const one = addCard(member, { ...card, card_id: `${card.card_id}-${row}` }, id);
          results.push(await one.catch((error: unknown) => error));
          results.push(await addReward(member, rewardOf(row), id).catch((error: unknown) => error));
        }
        return results;
      })();
      await sleep(10 * Math.random());
      await eraseMember(member);
      const results = await storing;
      expect(await left()).toEqual([]);
      for (const result of results) if (result !== undefined) expect(result).toMatchObject(ERASED);
    }
  });
});

describe('an interrupted erasure', () => {
  beforeEach(async () => {
    await addCard(member, card);
    await storeMany(1, 120, (number) => ({ ...rewardKey(member, rewardOf(number).reward_id), ...rewardOf(number) }));
  });

  /** Lets this many writes succeed. */
  function endAfter(writes: number): void {
    const send = table.send.bind(table) as (command: object) => Promise<unknown>;
    let count = 0;
    jest.spyOn(table, 'send').mockImplementation((async (command: object) => {
      if (command.constructor.name === 'TransactWriteCommand' && ++count > writes) throw new Error('The end');
      return send(command);
    }) as never);
  }

  test.each([
    ['before anything is deleted', 1, { cards: 1, rewards: 120 }],
    ['when a part is deleted, the card first', 2, { cards: 0, rewards: 71 }],
    ['when everything is deleted', 4, { cards: 0, rewards: 0 }],
  ])('%s, is completed by a second call, and no import stores anything meanwhile', async (_, writes, rest) => {
    endAfter(writes);
    await expect(eraseMember(member)).rejects.toThrow('The end');
    jest.restoreAllMocks();
    const hash = await memberHash(member);
    const open = { member: hash, cards: null, rewards: null, completed_at: null };
    expect(await erasures()).toEqual([open]);
    const { id } = await beginImport();
    await expect(addReward(member, { ...REWARD, reward_id: 'new' }, id)).rejects.toMatchObject(ERASED);
    await expect(addCard(member, { ...card, card_id: unique('card') }, id)).rejects.toMatchObject(ERASED);

    expect(await eraseMember(member)).toEqual(rest);
    expect(await left()).toEqual([]);
    expect(await erasures()).toEqual([{ ...rest, member: hash, completed_at: TIME }, open]);
    await expect(eraseMember(member)).rejects.toMatchObject(NO_MEMBER);
    // Both imports began before the erasure was complete.
    await expect(addReward(member, REWARD, id)).rejects.toMatchObject(ERASED);
    await addReward(member, REWARD, (await beginImport()).id);
  });
});

describe('erasures after a restore', () => {
  /** The items of a member's partition and its cards, to bring them back as a restore does. */
  const itemsOf = async (name: string) =>
    Object.entries(await stored()).flatMap(([key, item]) => {
      const [pk = '', sk = ''] = key.split(' ');
      return pk === `MEMBER#${name}` || item['member_id'] === name ? [{ pk, sk, ...item }] : [];
    });

  test('are repeated for members who are back, but not for those who enrolled again, and may be repeated', async () => {
    const [leaver, returner, unaffected] = [member, unique('member'), unique('member')];
    const { id } = await beginImport();
    for (const each of [leaver, returner, unaffected]) {
      await addCard(each, { ...card, card_id: `${card.card_id}-${each}` }, id);
      await addReward(each, REWARD, id);
    }
    const before = await itemsOf(leaver);
    for (const each of [leaver, returner]) await eraseMember(each);
    const later = await beginImport();
    await addReward(returner, REWARD, later.id);
    await storeMany(0, before.length - 1, (at) => before[at] as Item<object>);
    expect((await getMember(leaver)).cards).toHaveLength(1);

    const list = (await listErasures(tableName())).filter(({ id: erasure }) => erasure > id);
    expect(await repeatErasures(list)).toEqual({ listed: 2, members: 1, people: 0, invitations: 0 });
    expect(await left()).toEqual([]);
    for (const each of [returner, unaffected]) expect((await getMember(each)).rewards).toHaveLength(1);
    expect(await repeatErasures(list)).toEqual({ listed: 2, members: 0, people: 0, invitations: 0 });
  });
});

describe('a card', () => {
  test('is not blocked by a reference that two cards of the member share', async () => {
    await addCard(member, card);
    const reference = (await cardHash(card.card_id)).slice(0, 12);
    const twin = memberCardKey(member, `${reference}${'0'.repeat(52)}`);
    await transact([put(twin, {})]);
    const { response, changed } = await storedBy(() =>
      setCardBlocked(member, { reference }, true).catch((error: unknown) => error),
    );
    expect(response).toMatchObject({
      errors: [{ code: 'ambiguous', detail: 'Two cards of the member have this reference. Use the card_id instead.' }],
    });
    expect(changed).toEqual({});
    expect((await setCardBlocked(member, card, true)).blocked_at).toEqual(TIME);
    await transact([remove(twin)]);
  });

  test('that now belongs to another member stays when its former member is erased', async () => {
    const other = unique('member');
    await addCard(other, card);
    const link = memberCardKey(member, await cardHash(card.card_id));
    await transact([put(link, {})]);
    await eraseMember(member);
    expect((await getMember(other)).cards).toHaveLength(1);
    expect(await left()).toEqual([]);
  });
});
