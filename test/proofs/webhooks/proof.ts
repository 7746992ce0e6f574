import { randomUUID } from 'node:crypto';
import { expect, jest } from '@jest/globals';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { retrying } from '../../../lib/aws/retry.ts';
import { DAY_MS, lowerBoundId } from '../../../lib/base/eventId.ts';
import { laterThan } from '../../../lib/base/time.ts';
import { getItems } from '../../../lib/table/client.ts';
import { webhookKey } from '../../../lib/table/keys.ts';
import { isAsRead, transact, update } from '../../../lib/table/transaction.ts';
import { LEASE_MS, SLOW } from '../../../lib/webhooks/attempt.ts';
import { newSecret, sealSecret } from '../../../lib/webhooks/secret.ts';
import { due, type Webhook } from '../../../lib/webhooks/webhook.ts';
import '../../../infra/local/patient.ts';
import { captureLog } from '../../support/log.ts';
import { storeMany } from '../../support/storeMany.ts';
import { eventItem, storedWebhook, storeWebhook } from '../../support/webhooks.ts';
import { newAcquirer } from '../../support/world.ts';
import { useFleetClocks } from '../mirror/clocks.ts';
import { dice, oneOf } from './dice.ts';
import { startFleet } from './fleet.ts';
import { HANG_MS, type Receiver, SLOW_MS, serveReceivers } from './receivers.ts';

/** A webhook of the proof. */
interface Subject extends Receiver {
  acquirer: Acquirer;
  slot: number;
  url: string;
}

/** What partners do meanwhile, and how often of 100 in a minute in which they do something. */
const DISTURBANCES = { rotate: 25, rewind: 25, pause: 25, move: 25 };

/** Stores events of an acquirer that happen in bursts from now on, as long as `span` lasts. Returns their keys and times. */
async function storeEvents(acquirer: Acquirer, count: number, span: number) {
  const { name } = acquirer;
  const from = Date.now();
  let burst = { at: from, left: 0 };
  const events = Array.from({ length: count }, (_, number) => {
    if (burst.left === 0)
      burst = {
        at: from + span * dice('burst', name, number),
        left: Math.ceil(200 * dice('length', name, number) ** 3),
      };
    burst.left -= 1;
    return {
      at: Math.floor(burst.at + 500 * dice('at', name, number)),
      size: Math.ceil(2_000 * dice('size', name, number) ** 6),
    };
  }).sort((one, other) => one.at - other.at);
  // Those of people, who are not known here, have their names read.
  const items = events.map(({ at, size }, number) =>
    eventItem(acquirer, at, `${number}`, { size, person: number % 99 === 0 ? randomUUID() : undefined }),
  );
  await storeMany(0, count - 1, (number) => items[number] as object);
  return items
    .map(({ pk, sk }, at) => ({ key: { pk, sk }, at: events[at]?.at as number }))
    .sort((one, other) => (one.key.sk < other.key.sk ? -1 : 1));
}

interface Size {
  events: number;
  acquirers: number;
  /** Of all acquirers, in turn. */
  webhooks: number;
  /** For how long the events happen, in milliseconds. */
  span: number;
}

type Set = { [A in keyof Webhook]?: Webhook[A] | undefined };

/** Changes a webhook as the operations do, on condition that nobody else has changed it. */
const change = ({ acquirer, slot }: Subject, setOf: (webhook: Webhook) => Set) =>
  retrying(async () => {
    const { pk, sk, ...webhook } = await storedWebhook(acquirer, slot);
    const updated_at = laterThan(webhook.updated_at);
    const now = { next_attempt_at: undefined, ...due(webhook, updated_at) };
    const set = { ...now, ...setOf(webhook), updated_at };
    await transact([update({ pk, sk }, { set }, isAsRead(webhook, 'id', 'updated_at'))]);
  });

/**
 * Proves that webhooks get the feed: every event at least once and, without repeated ones, exactly in its order, whatever
 * their servers do, workers suffer and partners change meanwhile.
 *
 * @returns What has happened, and how often.
 */
export async function prove({ events: count, acquirers: owners, webhooks, span }: Size) {
  const lines = captureLog();
  const endClocks = useFleetClocks();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 10_000 ? HANG_MS : ms));
  SLOW.ms = SLOW_MS;
  const fleet = await startFleet();
  const subjects: Subject[] = [];
  const { faults, urlOf, untrusted, stop } = await serveReceivers(subjects);
  try {
    const cursor = lowerBoundId(Date.now());
    const feeds = new Map<string, Awaited<ReturnType<typeof storeEvents>>>();
    for (let number = 0; number < webhooks; number += 1) {
      const owner = number % owners;
      const acquirer = subjects[owner]?.acquirer ?? (await newAcquirer('PAYMENT_PROVIDER', `Acquirer ${owner}`));
      const [slot, secret] = [1 + Math.floor(number / owners), newSecret()];
      const secrets = [{ secret, from: 0, until: Infinity }];
      const receiver = { name: `w${owner}-${slot}`, secrets, got: [], inFlight: 0 };
      const url = urlOf(receiver);
      await storeWebhook(acquirer, url, { slot, secret, cursor });
      subjects.push({ ...receiver, acquirer, slot, url });
      if (slot === 1) feeds.set(acquirer.id, await storeEvents(acquirer, Math.ceil(count / owners), span));
    }
    const feedOf = ({ acquirer }: Subject) => feeds.get(acquirer.id)?.map(({ key }) => key.sk) ?? [];
    const started = Date.now();
    const disturbed: Record<string, number> = {};
    let minute = 0;
    const disturb = async (subject: Subject, webhook: Webhook, isOver: boolean): Promise<void> => {
      const { name, url, secrets } = subject;
      // Whoever has paused or moved it, or whose server has responded 410, mends that.
      if (webhook.status !== 'active' || webhook.url !== url) {
        if (isOver || dice('mend', name, minute) < 0.3) await change(subject, () => ({ status: 'active', url }));
        return;
      }
      if (isOver || dice('disturb', name, minute) > 0.1) return;
      const kind = oneOf(DISTURBANCES, 'what', name, minute);
      disturbed[kind] = (disturbed[kind] ?? 0) + 1;
      if (kind === 'pause')
        await change(subject, () => ({ status: 'paused', due_shard: undefined, due_at: undefined }));
      if (kind === 'move') await change(subject, () => ({ url: untrusted }));
      if (kind === 'rewind') {
        const feed = feedOf(subject);
        await change(subject, ({ cursor }) => {
          const at = feed.findLastIndex((id) => id <= cursor);
          return { cursor: feed[at - Math.floor(300 * dice('back', name, minute))] ?? cursor, page: undefined };
        });
      }
      if (kind === 'rotate') {
        const secret = newSecret();
        const sealed = await sealSecret(secret, webhook.id);
        const until = Date.now() + DAY_MS;
        const ends_at = new Date(until).toISOString();
        const [newest] = webhook.secrets as [Webhook['secrets'][number]];
        await change(subject, () => ({ secrets: [{ sealed }, { ...newest, ends_at }] }));
        secrets.splice(0, secrets.length - 1);
        Object.assign(secrets.at(-1) as object, { until });
        // An attempt may be under way that it does not sign.
        secrets.push({ secret, from: Date.now() + LEASE_MS, until: Infinity });
      }
    };
    await fleet.run(
      [...feeds.values()].flat().sort((one, other) => one.at - other.at),
      async () => {
        minute += 1;
        expect(faults).toEqual([]);
        const isOver = Date.now() > started + span;
        if (Date.now() > started + span + 2 * DAY_MS)
          throw new Error('Some events were not delivered within two days.');
        const stored = await getItems<Webhook[]>(subjects.map(({ acquirer, slot }) => webhookKey(acquirer.id, slot)));
        for (const [at, subject] of subjects.entries()) await disturb(subject, stored[at] as Webhook, isOver);
        return isOver && subjects.every((subject, at) => `${stored[at]?.cursor}` >= `${feedOf(subject).at(-1)}`);
      },
    );
    for (const subject of subjects) {
      const { got } = subject;
      for (const received of [got, got.filter(({ isAccepted }) => isAccepted)])
        expect([...new Set(received.flatMap(({ events }) => events))]).toEqual(feedOf(subject));
      for (const [, attempts] of Map.groupBy(got, ({ id }) => id))
        expect(new Set(attempts.map(({ events }) => events.join())).size).toBe(1);
    }
    expect(faults).toEqual([]);
    const logged = JSON.stringify(lines());
    expect(logged).not.toMatch(/hidden|whsec_|merchant_name|db\.example\.com/);
    return {
      ...fleet.counts,
      ...disturbed,
      minutes: minute,
      got: subjects.reduce((sum, { got }) => sum + got.length, 0),
    };
  } finally {
    SLOW.ms = 1_000;
    jest.restoreAllMocks();
    endClocks();
    await stop();
    await fleet.stop();
  }
}
