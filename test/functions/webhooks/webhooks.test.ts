import { beforeAll, expect, test } from '@jest/globals';
import { call } from '../../support/api.ts';
import { newAcquirer } from '../../support/world.ts';

let key: string;
beforeAll(async () => {
  ({ key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair'));
});

test('a webhook is created, listed and deleted', async () => {
  const created = await call('createWebhook', { key, body: { url: 'https://hooks.example.com/events' } });
  expect(created.status).toBe(201);
  const { secret: _, ...webhook } = created.body.data;
  expect((await call('listWebhooks', { key })).body).toEqual({ data: [webhook], meta: { next: null } });
  const path = { id: webhook.id };
  expect((await call('deleteWebhook', { key, path })).body).toEqual({ data: path });
  expect((await call('listWebhooks', { key })).body.data).toEqual([]);
});
