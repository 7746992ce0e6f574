import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { parameterOf } from '../../../infra/stack/template/definitions.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { referenceCache } from '../../../lib/acquirers/reference.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { UNITS_PER_TOKEN } from '../../../lib/limits/cost.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { paymentAppKey, wordEntryKey } from '../../../lib/table/keys.ts';
import { throttled } from '../../lib/table/errors.ts';
import { intercept } from '../../lib/table/intercept.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import '../../../infra/local/patient.ts';
import { personOf } from '../../support/people.ts';
import { storeMany } from '../../support/storeMany.ts';
import { newAcquirer, newBranch, newTerminal, numbered, unique } from '../../support/world.ts';
import { longId, longText } from '../limits/texts.ts';

/*
 * An acquirer at dev's rate limit sends the dearest requests that it can and such as are refused, with a key and as a
 * person, beside a flood of made-up keys and cookies. The table serves dev's ceiling of read units a second, and refuses what exceeds it. Another
 * acquirer's tills must not notice.
 */

const [rate, burst, maxReadUnits] = ['rate', 'burst', 'maxReadUnits'].map((name) =>
  Number(parameterOf('dev', name)),
) as [number, number, number];
const SECONDS = (2 * burst) / rate;
const CHECKS = 200;

test(
  'an acquirer at its limit reads a tenth of a stage’s units at most, and no member check of another ' + 'fails',
  async () => {
    const greedy = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    const taken = numbered('T', 40);
    const { mid } = await newBranch(greedy, { terminals: taken });
    const { session } = await personOf(greedy.id, 'viewer');
    await storeMany(0, 1_200, (number) => ({ ...paymentAppKey(greedy.id, `${number}${'🏪'.repeat(225)}`) }));
    // Two words that many branches have, but none both.
    const others = Array.from({ length: 16 }, (_, at) => `${at}`.padStart(3, 'W').padEnd(24, 'X')).join(' ');
    for (const word of ['COMMON', 'POPULAR'])
      await storeMany(0, 1_600, (number) => ({
        ...wordEntryKey('BRANCHES', greedy.id, word, `${word}${number}`),
        words: `${word} ${others}`,
        at: number,
      }));
    // A page of 1 MB of events.
    FEED.horizonMs = 0;
    for (let count = 0; count < 20; count += 1)
      await newBranch(greedy, {
        terminals: numbered('L', 40).map(() => ({
          terminal_id: longId(),
          serial_no: longId(),
          terminal_model: longText(),
        })),
      });
    await limitAcquirer(greedy.id, { rate, burst });
    const { api_key: key } = await issueApiKey(greedy.id, 'limited', { role: 'viewer' });
    const { api_key: writer } = await issueApiKey(greedy.id, 'writer');

    const till = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const terminal = await newTerminal(till, (await newBranch(till)).mid);
    const card = { card_id: unique('card'), card_pseudo_token: unique('token') };
    await addCard(unique('member'), card);
    const check = { ...card, amount: 1, currency: 'EUR', terminal_id: terminal.terminal_id, acquirer_id: till.id };

    const dearest: [Operation, Request][] = [
      ['lookup', { key, path: { method: 'paymentApp' } }],
      ['lookup', { session, path: { method: 'paymentApp' } }],
      [
        'createTerminals',
        { key: writer, path: { id: mid }, query: { validate_only: 'true' }, body: { terminals: taken } },
      ],
      ['listTerminals', { key, path: { id: mid }, query: { per_page: '100' } }],
      ['listBranches', { key, query: { search: 'common popular' } }],
      ['listEvents', { key }],
      ['getBranchHistory', { key, path: { mid } }],
      ['getBranch', { key, path: { mid } }],
      ['getBranch', { key, path: { mid: 'NOSUCHMID' } }],
      ['createBranch', { key: writer, body: {} }],
      ['createBranch', { key, body: {} }],
    ];
    const isGreedy = new AsyncLocalStorage<true>();

    let [units, second, used, rejected, most, kept] = [0, 0, 0, 0, 0, 0];
    intercept(async (send, { operation, input }) => {
      kept += Number(JSON.stringify(input).includes('REFUSED_REQUESTS#'));
      const now = Math.floor(performance.now() / 1000);
      if (now !== second) [second, used] = [now, 0];
      if (used > maxReadUnits) {
        rejected += 1;
        throw throttled();
      }
      const result = await send();
      if (operation === 'UpdateItem') return result;
      const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
      const consumed = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      used += consumed;
      if (isGreedy.getStore()) units += consumed;
      most = Math.max(most, used);
      return result;
    }, 'deserialize');

    // Leases do not time out, however slow this machine is.
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
    const end = performance.now() + SECONDS * 1_000;
    const until = async (send: (at: number) => Promise<unknown>, pause: number): Promise<void> => {
      for (let at = 0; performance.now() < end; at += 1) {
        await send(at);
        await sleep(pause);
      }
    };
    const attack = (lane: number) =>
      until((at) => {
        // As in a process that has cached nothing.
        referenceCache.clear();
        const [operation, request] = dearest[(at + lane) % dearest.length] as (typeof dearest)[number];
        return isGreedy.run(true, () => call(operation, request));
      }, 5);
    const flood = () =>
      until(async () => {
        await call('listBranches', { key: newApiKey() });
        await call('listBranches', { session: { ...session, cookie: `${session.cookie.slice(0, -9)}AAAAAAAAA` } });
      }, 5);
    const failed: unknown[] = [];
    const tills = async () => {
      for (let sent = 0; sent < CHECKS; sent += 1) {
        const { status, body } = await call('memberCheck', { key: till.key, body: check });
        if (status !== 200 || !body.data.member_identified) failed.push(body);
        await sleep((SECONDS * 1_000) / CHECKS / 2);
      }
    };
    await Promise.all([...Array.from({ length: 16 }, (_, lane) => attack(lane)), flood(), flood(), tills()]);
    expect(failed).toEqual([]);
    expect(rejected).toBe(0);
    // The time touches three windows.
    expect(units).toBeLessThanOrEqual(3 * burst * UNITS_PER_TOKEN.read);
    expect(units / SECONDS).toBeLessThanOrEqual(maxReadUnits / 10);
    // At most one for each token, and the 1st, 10th, 100th and 1,000th 429 of each of three callers in each window.
    expect(kept).toBeLessThanOrEqual(3 * (burst + 3 * 4));
    expect(kept).toBeGreaterThan(SECONDS);
    expect(units).toBeGreaterThan(0.5 * SECONDS * rate);
  },
);
