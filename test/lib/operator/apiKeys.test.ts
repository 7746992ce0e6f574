import { expect, test } from '@jest/globals';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { acquirerOfKey, issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { newAcquirer } from '../../support/world.ts';

test('the acquirer of an API key is found by the id of the key, even if the acquirer is disabled', async () => {
  const { id } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  await newAcquirer('DISTRIBUTOR', 'Northgate');
  const { key_id } = await issueApiKey(id, 'second');
  expect(await acquirerOfKey(key_id)).toBe(id);
  await disableAcquirer(id);
  expect(await acquirerOfKey(key_id)).toBe(id);
  expect(await acquirerOfKey('0123456789ab')).toBeUndefined();
});
