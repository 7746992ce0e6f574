import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from '@jest/globals';
import { createTable } from '../../../../infra/local/table.ts';
import { lowerRights } from '../../../../infra/operate/recovery/rights.ts';
import { resolveApiKey } from '../../../../lib/acquirers/apiKey.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../../../lib/acquirers/keyring.ts';
import { removePerson } from '../../../../lib/people/people.ts';
import { resolveSession } from '../../../../lib/people/session.ts';
import { table, tableName } from '../../../../lib/table/client.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { personOf } from '../../../support/people.ts';
import { storeMany } from '../../../support/storeMany.ts';
import { newAcquirer } from '../../../support/world.ts';

const before = tableName();
afterAll(() => {
  process.env['TABLE_NAME'] = before;
});

test('a restore gives back no API key and no person that was removed since, and loses nothing else', async () => {
  const [provider, other] = [
    await newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    await newAcquirer('PAYMENT_PROVIDER', 'Quickpay'),
  ];
  const revoked = await issueApiKey(provider.id, 'revoked');
  const [admin, removed, ofOther] = [
    await personOf(provider.id, 'admin'),
    await personOf(provider.id, 'operator'),
    await personOf(other.id, 'viewer'),
  ];
  const removedHere = await personOf(provider.id, 'viewer', { identity: ofOther.identity });
  const { Items: items = [] } = await table.send(new ScanCommand({ TableName: before, ConsistentRead: true }));
  await revokeApiKey(provider.id, revoked.key_id);
  for (const { id } of [removed, removedHere]) await removePerson(provider.id, id);

  process.env['TABLE_NAME'] = `restored-${randomUUID()}`;
  await createTable(tableName());
  await storeMany(0, items.length - 1, (at) => items[at] as object);
  expect(await lowerRights(table, before, null)).toEqual({
    changed: {
      'acquirers lowered': 1,
      'api key removed': 1,
      'people removed': 2,
      'person removed': 1,
      'person lowered': 1,
      'identity removed': 1,
    },
    withoutAdmin: [],
  });
  expect(await resolveApiKey(revoked.api_key)).toBeUndefined();
  expect((await resolveApiKey(provider.key))?.acquirer.id).toBe(provider.id);
  expect((await listApiKeys(provider.id)).map(({ label }) => label)).toEqual(['test']);
  const actsFor = async ({ session: { cookie, actingAs } }: typeof admin) =>
    (await resolveSession(cookie, actingAs))?.role;
  const sessions = [admin, removed, removedHere, ofOther];
  expect(await Promise.all(sessions.map(actsFor))).toEqual(['admin', undefined, undefined, 'viewer']);
  await expectNoViolations();
});
