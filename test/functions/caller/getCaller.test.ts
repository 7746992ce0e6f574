import { expect, test } from '@jest/globals';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { KEY_ROLES } from '../../../lib/acquirers/roles.ts';
import { call } from '../../support/api.ts';
import { useProvider } from '../../support/world.ts';

const provider = useProvider();

test.each(KEY_ROLES)('200: getCaller returns whose key it is to one with the role %s', async (role) => {
  const { api_key, key_id } = await issueApiKey(provider.id, `a ${role}`, { role });
  const { status, body } = await call('getCaller', { key: api_key });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: {
      acquirer: provider.id,
      acquirer_name: 'Payfair',
      acquirer_type: 'PAYMENT_PROVIDER',
      role,
      key_id,
      key_label: `a ${role}`,
    },
  });
});
