import { userInfo } from 'node:os';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { readRecord } from '../../../../../lib/record/record.ts';
import { acquirerSubject, dueShardOf } from '../../../../../lib/table/keys.ts';
import { readWebhook, toWebhook, type Webhook } from '../../../../../lib/webhooks/webhook.ts';
import { TIME } from '../../../../support/constants.ts';
import { storedBy } from '../../../../support/stored.ts';
import { storedWebhook, storeWebhook } from '../../../../support/webhooks.ts';
import { type Caller, newAcquirer } from '../../../../support/world.ts';
import { done, expectFailure, jsonOf, operator } from '../operator.ts';

const NOBODYS = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
const ELSEWHERE = 'eu-central-1/another-table';
const HERE = `${process.env['AWS_REGION']}/${process.env['TABLE_NAME']}`;

/** Stores a webhook of the payment provider in a slot. */
async function newWebhook(slot: number, set: Partial<Webhook>): Promise<Webhook> {
  await storeWebhook(provider, 'https://receiver.example.com/events', { slot, ...set });
  return storedWebhook(provider, slot);
}

/** A payment provider, and a webhook of it whose server fails. */
let provider: Caller;
let webhook: Webhook;
beforeEach(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const at = '2026-11-20T09:41:00.000Z';
  webhook = await newWebhook(1, {
    failures: 2,
    failing_since: at,
    latest_attempt: { at, status: 503, error: null, duration_ms: 12 },
    next_attempt_at: '2099-01-01T00:00:00.000Z',
    due_at: '2099-01-01T00:00:00.000Z',
  });
});

const stored = () => readWebhook(provider.id, webhook.id);
const events = async () =>
  (await readRecord(acquirerSubject(provider.id), { limit: 10 }))
    .filter(({ type }) => type.startsWith('webhook.'))
    .map(({ type, by, details }) => ({ type, by, details }));
const details = () => ({ acquirer: provider.id, webhook: webhook.id, origin: 'https://receiver.example.com' });

describe('webhooks list', () => {
  test('shows what is delivered and what fails, and no secret', async () => {
    const { exitCode, stdout } = await operator(['webhooks', 'list', provider.id]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^ID.*\n${webhook.id}  active  https://receiver.example.com/events  \\S+  2 +2026-11-\\S+: 503 +2099`),
    );
    expect(stdout).not.toContain(webhook.secrets[0]?.sealed);
    expect(await jsonOf('webhooks', 'list', provider.id)).toEqual([toWebhook(webhook)]);
  });

  test('says that there are none', async () => {
    const { id } = await newAcquirer('DISTRIBUTOR', 'Northgate');
    expect(await operator(['webhooks', 'list', id])).toEqual(done('None.'));
  });
});

test.each(['pause', 'resume'])('webhooks %s refuses a webhook of another acquirer', (command) =>
  expectFailure(['webhooks', command, provider.id, NOBODYS], 'You have no webhook with this id.'),
);

describe('webhooks pause', () => {
  test('suspends a webhook, with an event in the record, and does nothing the second time', async () => {
    const suspended = done(`Webhook ${webhook.id} of Payfair (${provider.id}) is suspended. Its events wait.`);
    expect(await operator(['webhooks', 'pause', provider.id, webhook.id])).toEqual(suspended);
    const { delivers_in: _, ...before } = webhook;
    expect(await stored()).toEqual({ ...before, updated_at: TIME });
    expect((await stored()).updated_at > before.updated_at).toBe(true);
    const again = await storedBy(() => operator(['webhooks', 'pause', provider.id, webhook.id]));
    expect(again).toEqual({ response: suspended, changed: {} });
    expect(await events()).toEqual([{ type: 'webhook.suspended', by: userInfo().username, details: details() }]);
  });

  test('takes the id of a webhook only', () =>
    expectFailure(
      ['webhooks', 'pause', provider.id, 'https://receiver.example.com'],
      'Wrong usage: <webhook-id>: Must be the UUID from "webhooks list".',
      2,
    ));
});

describe('webhooks resume', () => {
  test('makes what waits due at once, also a page that failed', async () => {
    await operator(['webhooks', 'pause', provider.id, webhook.id]);
    expect(await jsonOf('webhooks', 'resume', provider.id, webhook.id)).toMatchObject({ status: 'active' });
    const { updated_at, due_at, ...resumed } = await stored();
    expect(due_at).toBe(updated_at);
    expect(resumed).toMatchObject({ delivers_in: HERE, due_shard: dueShardOf(webhook.id), failures: 2 });
    expect(resumed).not.toHaveProperty('next_attempt_at');
    expect((await events()).map(({ type }) => type)).toEqual(['webhook.unsuspended', 'webhook.suspended']);
  });

  test('leaves a webhook paused that its acquirer has paused', async () => {
    const paused = { status: 'paused', delivers_in: undefined, due_at: undefined, due_shard: undefined } as const;
    webhook = await newWebhook(2, paused);
    const { exitCode, stdout } = await operator(['webhooks', 'resume', provider.id, webhook.id]);
    expect([exitCode, stdout]).toEqual([0, `Webhook ${webhook.id} of Payfair (${provider.id}) is paused.\n`]);
    expect(await stored()).toMatchObject({ status: 'paused', delivers_in: HERE });
    expect(await stored()).not.toHaveProperty('due_at');
  });
});

describe('webhooks resume-restored', () => {
  test('resumes the webhooks of a restored table, and none that an operator has suspended', async () => {
    const restored = await newWebhook(3, { delivers_in: ELSEWHERE });
    const suspended = await newWebhook(4, { delivers_in: undefined });
    expect(await jsonOf('webhooks', 'resume-restored', '--yes')).toEqual({ resumed: [restored.id] });
    const listed = await jsonOf('webhooks', 'list', provider.id);
    expect(listed.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [webhook.id, 'active'],
      [restored.id, 'active'],
      [suspended.id, 'suspended'],
    ]);
    expect(await events()).toMatchObject([
      { type: 'webhook.unsuspended', details: { ...details(), webhook: restored.id } },
    ]);
    expect(await operator(['webhooks', 'resume-restored', '--yes'])).toEqual(done('Resumed webhooks: 0.'));
  });

  test('asks first', async () => {
    const { response, changed } = await storedBy(() => operator(['webhooks', 'resume-restored']));
    expect([response.exitCode, changed]).toEqual([1, {}]);
    expect(response.stderr).toContain('--yes to resume all webhooks that this table got by a restore or a copy');
  });
});
