import { createHash, createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../../infra/stack/localEnvironment.ts';
import { requestContext } from '../../../lib/aws/requestContext.ts';
import { TILL } from '../../../lib/aws/retry.ts';
import { prepareChecks } from '../../../lib/members/checkMember.ts';
import type { Reward } from '../../../lib/members/member.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { setCardBlocked } from '../../../lib/operator/members.ts';
import { table } from '../../../lib/table/client.ts';
import { branchKey, tidOf } from '../../../lib/table/keys.ts';
import { beforeNext, intercept } from '../../lib/table/intercept.ts';
import { type ApiResponse, call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { stored, storedBy } from '../../support/stored.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newAcquirer,
  newBranch,
  newTerminal,
  restoreTerminal,
  unique,
  useWorld,
} from '../../support/world.ts';

const NOT_IDENTIFIED = { data: { member_identified: false, rewards_available: false, rewards: [] } };

/** Table requests of any check once the API key is cached: card and terminal, then branch and rewards. */
const REQUESTS = 3;

const CARD = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };
const OTHER_CARD = { card_id: 'card-bruno', card_pseudo_token: 'token-bruno' };
const LOST_CARD = { card_id: 'card-anna-lost', card_pseudo_token: 'token-anna-lost' };
const ALWAYS = { valid_from: '2020-01-01T00:00:00.000Z', expires_at: '2099-12-31T23:59:59.999Z' };
const WELCOME: Reward = { reward_id: 'a', name: '5 EUR off', currency: 'EUR', minimum_amount: 50, ...ALWAYS };

const world = useWorld();
afterEach(() => void jest.useRealTimers());
/** A branch of the provider and the distributor, and its terminal. */
let branch: { mid: string };
let terminal: { tid: string; terminal_id: string };
beforeAll(async () => {
  branch = await newBranch(world.distributor, { payment_provider: world.provider.id });
  terminal = await newTerminal(world.provider, branch.mid);
  await addCard('anna', CARD);
  await addCard('bruno', OTHER_CARD);
  await addCard('anna', LOST_CARD);
  await setCardBlocked('anna', LOST_CARD, true);
  await addReward('anna', WELCOME);
});

/** A valid body, sent by the provider for a known card at the terminal. */
const wellFormed = () => ({
  amount: 50,
  ...CARD,
  currency: 'EUR',
  terminal_id: terminal.terminal_id,
  acquirer_id: world.provider.id,
});

/** Sends a check and asserts that it stores nothing and returns no card identifier. */
async function check(caller: Pick<Caller, 'key'>, body: unknown): Promise<ApiResponse> {
  const { response, changed } = await storedBy(() => call('memberCheck', { key: caller.key, body }));
  expect(changed).toEqual({});
  expect(JSON.stringify(response)).not.toMatch(/card-|token-/);
  return response;
}

async function expectData(caller: Caller, overrides: Record<string, unknown>, data: unknown): Promise<void> {
  const { status, body } = await check(caller, { ...wellFormed(), ...overrides });
  expect(status).toBe(200);
  expect(body).toEqual({ data });
}

const identifiedWith = (...rewards: Reward[]) => ({
  member_identified: true,
  rewards_available: rewards.length > 0,
  rewards,
});

describe('200', () => {
  describe('identifies the member', () => {
    test.each([
      ['a payment provider that names itself', 'provider', 'provider'],
      ['a distributor that names itself', 'distributor', 'distributor'],
      ['a distributor that names the payment provider', 'distributor', 'provider'],
    ] as const)('for %s, in either case', async (_, caller, named) => {
      for (const acquirer_id of [world[named].id, world[named].id.toUpperCase()])
        await expectData(world[caller], { acquirer_id }, identifiedWith(WELCOME));
    });

    test('by any of the member’s cards', async () => {
      const further = { card_id: 'card-anna-spare', card_pseudo_token: 'token-anna-spare' };
      await addCard('anna', further);
      await expectData(world.provider, further, identifiedWith(WELCOME));
      await expectData(world.provider, {}, identifiedWith(WELCOME));
    });

    test('and reads rewards only for the right token, so a wrong token takes as long as an unknown card', async () => {
      await check(world.provider, wellFormed());
      const readFor = async (wrong: Partial<ReturnType<typeof wellFormed>>) => {
        const body = { ...wellFormed(), ...wrong };
        const { requests } = await tableRequestsBy(() => call('memberCheck', { key: world.provider.key, body }));
        expect(requests.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'GetItem', 'Query']);
        const [, branch, rewards] = requests.map(({ input }) => input) as Record<string, Record<string, string>>[];
        return [branch?.['Key']?.['pk'], rewards?.['ExpressionAttributeValues']?.[':pk']];
      };
      const [ofBranch, ofMember] = await readFor({});
      expect([ofBranch, ofMember]).toEqual([`BRANCH#${branch.mid}`, 'MEMBER#anna']);
      // Keys that no item has. Each card and terminal has its own, so no partition serves all checks that identify
      // nobody.
      const nobody = expect.stringMatching(/^MEMBER#-[0-9a-f]{64}$/);
      const others = [{ card_pseudo_token: 'token-bruno' }, { card_id: 'card-unknown' }, LOST_CARD];
      const read = await Promise.all(others.map(readFor));
      expect(read).toEqual(others.map(() => [ofBranch, nobody]));
      expect(new Set(read.map(([, member]) => member)).size).toBe(others.length);
      const nowhere = { terminal_id: 'NOSUCHTERMINAL' };
      expect(await readFor(nowhere)).toEqual([`BRANCH#-${tidOf(nowhere.terminal_id)}`, ofMember]);
    });

    test('by a card that is no longer blocked', async () => {
      const found = { card_id: 'card-anna-found', card_pseudo_token: 'token-anna-found' };
      await addCard('anna', found);
      await expectData(world.provider, found, identifiedWith(WELCOME));
      await setCardBlocked('anna', found, true);
      await expectData(world.provider, found, NOT_IDENTIFIED.data);
      // Importing the card again, with another token, does not unblock it.
      await addCard('anna', { ...found, card_pseudo_token: 'token-anna-new' });
      await expectData(world.provider, { ...found, card_pseudo_token: 'token-anna-new' }, NOT_IDENTIFIED.data);
      await setCardBlocked('anna', found, false);
      await expectData(world.provider, { ...found, card_pseudo_token: 'token-anna-new' }, identifiedWith(WELCOME));
    });

    test('at a terminal that was restored under a branch that is still archived', async () => {
      const { mid } = await newBranch(world.provider);
      const { tid, terminal_id } = await newTerminal(world.provider, mid);
      await archiveBranch(world.provider, mid);
      await expectData(world.provider, { terminal_id }, NOT_IDENTIFIED.data);
      await restoreTerminal(world.provider, tid);
      await expectData(world.provider, { terminal_id }, identifiedWith(WELCOME));
    });

    test('at a terminal that moves to another branch while it is read, and whose old branch is archived', async () => {
      const [{ mid }, target] = [await newBranch(world.provider), await newBranch(world.provider)];
      const { tid, terminal_id } = await newTerminal(world.provider, mid);
      beforeNext(
        ({ operation, input }) => operation === 'GetItem' && isDeepStrictEqual(input['Key'], branchKey(mid)),
        async () => {
          await call('reassignTerminal', { key: world.provider.key, path: { id: tid }, body: { mid: target.mid } });
          await archiveBranch(world.provider, mid);
        },
      );
      const body = { ...wellFormed(), terminal_id };
      const response = await call('memberCheck', { key: world.provider.key, body });
      expect(response.body).toEqual({ data: identifiedWith(WELCOME) });
    });
  });

  describe('does not identify the member, without revealing why,', () => {
    let archived: { terminal_id: string };
    let archivedWithBranch: { terminal_id: string };
    let deleted: { terminal_id: string };
    beforeAll(async () => {
      const { provider } = world;
      const { key } = provider;
      const gone = await newBranch(provider);
      archivedWithBranch = await newTerminal(provider, gone.mid);
      await archiveBranch(provider, gone.mid);
      const [one, other] = [await newTerminal(provider, branch.mid), await newTerminal(provider, branch.mid)];
      [archived, deleted] = [one, other];
      await call('archiveTerminal', { key, path: { id: one.tid }, body: { reason: 'broken' } });
      await call('deleteTerminal', { key, path: { id: other.tid } });
    });

    test.each<[string, () => Record<string, unknown>]>([
      ['by an unknown card', () => ({ card_id: 'card-unknown' })],
      ['by a card whose case differs', () => ({ card_id: 'CARD-ANNA' })],
      ['by an unknown token', () => ({ card_pseudo_token: 'token-unknown' })],
      ['by a blocked card', () => LOST_CARD],
      ["by another card's token", () => ({ card_pseudo_token: OTHER_CARD.card_pseudo_token })],
      ['with the token as card_id', () => ({ card_id: CARD.card_pseudo_token })],
      ['with the card_id as token', () => ({ card_pseudo_token: CARD.card_id })],
      ['at an unknown terminal', () => ({ terminal_id: 'NOSUCHTERMINAL' })],
      ['at a terminal_id with invalid characters', () => ({ terminal_id: 'no such #terminal' })],
      ['with a TID as terminal_id', () => ({ terminal_id: terminal.tid })],
      ['at an archived terminal', () => ({ terminal_id: archived.terminal_id })],
      ['at a terminal that is archived with its branch', () => ({ terminal_id: archivedWithBranch.terminal_id })],
      ['at a deleted terminal', () => ({ terminal_id: deleted.terminal_id })],
      ["with the branch's distributor's acquirer_id", () => ({ acquirer_id: world.distributor.id })],
      ['with an unknown acquirer_id', () => ({ acquirer_id: 'nobody' })],
      ['with everything wrong', () => ({ card_id: 'x', card_pseudo_token: 'x', terminal_id: 'x', acquirer_id: 'x' })],
    ])('%s', async (_, wrong) => {
      const requests = jest.spyOn(table, 'send');
      const { status, body, headers } = await check(world.provider, { ...wellFormed(), ...wrong() });
      // As many as for an identified member, so timing does not reveal the reason either.
      expect(requests).toHaveBeenCalledTimes(REQUESTS);
      requests.mockRestore();
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toBe(JSON.stringify(NOT_IDENTIFIED));
      expect(Object.keys(headers).sort()).toEqual(['cache-control', 'content-type', 'x-request-id']);
    });

    test('to a distributor that names another of its partners', async () => {
      await expectData(world.distributor, { acquirer_id: world.secondProvider.id }, NOT_IDENTIFIED.data);
    });
  });

  describe('returns the available rewards:', () => {
    /** Creates a member with these rewards and returns its card. */
    async function memberWith(...rewards: Partial<Reward>[]) {
      const member = unique('member');
      const card = { card_id: `card-${member}`, card_pseudo_token: `token-${member}` };
      await addCard(member, card);
      await Promise.all(rewards.map((reward) => addReward(member, { ...WELCOME, ...reward })));
      return card;
    }

    test.each<[string, Partial<Reward>, Record<string, unknown>]>([
      ['includes one in the currency of the request', { currency: 'USD' }, { currency: 'USD' }],
      ['includes one whose minimum is exactly reached, in cents', { minimum_amount: 0.1 }, { amount: 0.1 }],
      ['includes one whose minimum is exceeded', {}, { amount: 1e15 }],
      ['includes one without a minimum for an amount of 0', { minimum_amount: 0 }, { amount: 0 }],
    ])('%s', async (_, reward, overrides) => {
      const card = await memberWith(reward);
      await expectData(world.provider, { ...card, ...overrides }, identifiedWith({ ...WELCOME, ...reward }));
    });

    test('includes one from valid_from on and excludes it from expires_at on', async () => {
      const now = new Date().toISOString();
      const begins = { reward_id: 'begins', valid_from: now };
      const ends = { reward_id: 'ends', expires_at: now };
      const card = await memberWith(begins, ends);
      setClock(Date.parse(now));
      await expectData(world.provider, card, identifiedWith({ ...WELCOME, ...begins }));
      setClock(Date.parse(now) - 1);
      await expectData(world.provider, card, identifiedWith({ ...WELCOME, ...ends }));
    });

    test('includes every reward that is reached and no other', async () => {
      const reached = [
        { reward_id: 'b', name: 'Coffee', minimum_amount: 0 },
        { reward_id: 'c', name: 'Cake', minimum_amount: 20 },
      ];
      const card = await memberWith(
        ...reached,
        { reward_id: 'd', minimum_amount: 20.01 },
        { reward_id: 'e', minimum_amount: 0, currency: 'USD' },
        { reward_id: 'f', minimum_amount: 0, valid_from: '2099-01-01T00:00:00.000Z' },
        { reward_id: 'g', minimum_amount: 0, expires_at: '2020-01-02T00:00:00.000Z' },
      );
      const rewards = reached.map((reward) => ({ ...WELCOME, ...reward }));
      await expectData(world.provider, { ...card, amount: 20 }, identifiedWith(...rewards));
      await expectData(world.provider, { ...card, amount: 20, currency: 'GBP' }, identifiedWith());
    });

    test('excludes those of another member whose id has the same prefix', async () => {
      await addCard('annabel', { card_id: 'card-annabel', card_pseudo_token: 'token-annabel' });
      await addReward('annabel', { ...WELCOME, reward_id: 'hers' });
      await expectData(world.provider, {}, identifiedWith(WELCOME));
    });
  });

  test.each(['0', '-0', '5e-324', '1.7976931348623157e308'])('accepts an amount of %s', async (amount) => {
    const body = JSON.stringify({ ...wellFormed(), ...OTHER_CARD }).replace('"amount":50', `"amount":${amount}`);
    const response = await check(world.provider, body);
    expect([response.status, response.body]).toEqual([200, { data: identifiedWith() }]);
  });
});

describe('422', () => {
  test('lists every missing field', async () => {
    expectProblem(
      await check(world.provider, {}),
      'validation_failed',
      Object.keys(wellFormed()).map((field) => [`/${field}`, 'required', 'Is required.']),
    );
  });

  test.each([
    ['-0.01', 'too_small', 'Must be at least 0.'],
    ['true', 'invalid_type', 'Must be a number.'],
    ['null', 'required', 'Is required.'],
    ['1e400', 'invalid_type', 'Must be a finite number.'],
    ['-1e400', 'invalid_type', 'Must be a finite number.'],
  ])('rejects an amount of %s', async (amount, code, detail) => {
    const body = JSON.stringify(wellFormed()).replace('"amount":50', `"amount":${amount}`);
    expectProblem(await check(world.provider, body), 'validation_failed', [['/amount', code, detail]]);
  });
});

test('prepares a process by the requests of any check, and identifies nobody', async () => {
  const { response, requests } = await tableRequestsBy(prepareChecks);
  expect(response.result).toEqual(NOT_IDENTIFIED.data);
  expect(requests.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'GetItem', 'Query']);
});

test('has the budget of a till in all of its table requests, that of the API key included', async () => {
  // Its key is not cached.
  const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const budgets: unknown[] = [];
  intercept((send) => {
    budgets.push(requestContext().budget);
    return send();
  });
  await call('memberCheck', { key, body: wellFormed() });
  await call('getBranch', { key: world.provider.key, path: { mid: branch.mid } });
  expect(budgets).toEqual([...Array(1 + REQUESTS).fill(TILL), undefined]);
});

describe('the stored card', () => {
  test('contains neither its id nor its token, nor a hash that can be computed without the key', async () => {
    const card = { card_id: 'card-carla', card_pseudo_token: 'token-carla' };
    const { changed } = await storedBy(() => addCard('carla', card));
    const hash = createHmac('sha256', String(LOCAL_SECRETS[LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET]))
      .update(`card_id\n${card.card_id}`)
      .digest('hex');
    expect(changed).toEqual({
      [`CARD#${hash} CARD`]: { member_id: 'carla', pseudo_token_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      [`MEMBER#carla CARD#${hash}`]: {},
    });
    const all = JSON.stringify(await stored());
    expect(all).not.toMatch(/card-|token-/);
    for (const text of Object.values(card))
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        expect(all).not.toContain(Buffer.from(text).toString(encoding));
        expect(all).not.toContain(createHash('sha256').update(text).digest(encoding));
      }
  });

  test('does not change when the card is added again', async () => {
    expect(await storedBy(() => addCard('anna', CARD))).toEqual({ response: undefined, changed: {} });
  });
});
