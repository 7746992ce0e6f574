import { expect, test } from '@jest/globals';
import { prove } from './proof.ts';

test('webhooks get every event and, without repeated ones, the order of the feed', async () => {
  const counts = await prove({ events: 600, acquirers: 2, webhooks: 3, span: 900_000 });
  expect(counts.ended).toBeGreaterThan(0);
});
