import { randomUUID } from 'node:crypto';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTable } from '../../../infra/local/table.ts';
import { revokeAgain } from '../../../infra/recovery/rights.ts';
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { listReferences } from '../../../lib/acquirers/reference.ts';
import { createAcquirer, getAcquirer } from '../../../lib/acquirers/registry.ts';
import { disableAcquirer, enableAcquirer, limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { getMember, setCardBlocked } from '../../../lib/operator/members.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { changeRole, invitePerson, listPeople, removePerson, revokeInvitation } from '../../../lib/people/people.ts';
import { table, tableName } from '../../../lib/table/client.ts';
import { personOf } from '../../support/people.ts';
import { storeMany } from '../../support/storeMany.ts';

/*
 * A table, its copy, and changes in the table since: what the copy gives back is taken away again.
 */

const before = tableName();
afterEach(() => {
  process.env['TABLE_NAME'] = before;
});

let acquirer: string;
beforeEach(async () => {
  acquirer = randomUUID();
  await createAcquirer({ id: acquirer, type: 'PAYMENT_PROVIDER', name: 'Payfair' });
});

/** Runs `since` in the table after it was copied, and then takes away again in the copy. Goes on with the copy. */
async function restoredAfter(since: () => Promise<unknown>): Promise<Record<string, number>> {
  const items: object[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName: before, ConsistentRead: true }))
    items.push(...Items);
  await since();
  const copy = `copy-${randomUUID()}`;
  await createTable(copy);
  process.env['TABLE_NAME'] = copy;
  await storeMany(0, items.length - 1, (at) => items[at] as object);
  return revokeAgain(table, before);
}

test('revokes keys that were revoked or that have been rotated and expired, and keeps those that overlap', async () => {
  await issueApiKey(acquirer, 'kept');
  const revoked = await issueApiKey(acquirer, 'revoked');
  const rotated = await issueApiKey(acquirer, 'rotated');
  const overlapping = await issueApiKey(acquirer, 'overlapping');
  const done = await restoredAfter(async () => {
    await revokeApiKey(acquirer, revoked.key_id);
    await rotateApiKey(acquirer, rotated.key_id, 0);
    await rotateApiKey(acquirer, overlapping.key_id, 3_600_000);
    await issueApiKey(acquirer, 'since');
  });
  expect((await listApiKeys(acquirer)).map(({ label }) => label).sort()).toEqual(['kept', 'overlapping']);
  expect(done).toEqual({ 'API keys revoked': 2 });
  expect(await revokeAgain(table, before)).toEqual({});
});

test('disables acquirers and sets limits as they were, and does not enable any', async () => {
  await issueApiKey(acquirer, 'key');
  const enabled = randomUUID();
  await createAcquirer({ id: enabled, type: 'PAYMENT_PROVIDER', name: 'Enabled since' });
  await disableAcquirer(enabled);
  const done = await restoredAfter(async () => {
    await limitAcquirer(acquirer, { rate: 5, burst: 10 });
    await disableAcquirer(acquirer);
    await enableAcquirer(enabled);
  });
  expect(await getAcquirer(acquirer)).toMatchObject({ disabled_at: expect.any(String), limit: { rate: 5, burst: 10 } });
  expect(await getAcquirer(enabled)).toMatchObject({ disabled_at: expect.any(String) });
  expect(done).toEqual({ 'acquirers disabled': 1, 'limits set': 1 });
});

test('unlinks partners', async () => {
  const [unlinked, kept] = [randomUUID(), randomUUID()];
  for (const id of [unlinked, kept]) {
    await createAcquirer({ id, type: 'DISTRIBUTOR', name: id });
    await linkPartners(id, acquirer);
  }
  const done = await restoredAfter(() => unlinkPartners(unlinked, acquirer));
  const partners = await listReferences({ id: acquirer }, 'DISTRIBUTORS');
  expect(partners.map(({ id }) => id)).toEqual([kept]);
  expect(done).toEqual({ 'partners unlinked': 1 });
});

test('removes people, gives the others their role, revokes invitations, and ends all sessions', async () => {
  const [removed, demoted, kept] = [
    await personOf(acquirer, 'admin'),
    await personOf(acquirer, 'admin'),
    await personOf(acquirer, 'admin'),
  ];
  const [revoked, open] = [
    await invitePerson(acquirer, { email: 'a@example.com', role: 'viewer' }),
    await invitePerson(acquirer, { email: 'b@example.com', role: 'viewer' }),
  ];
  const done = await restoredAfter(async () => {
    await removePerson(acquirer, removed.id);
    await changeRole(acquirer, demoted.id, 'viewer');
    await revokeInvitation(acquirer, revoked.id);
  });
  const { people, invitations } = await listPeople(acquirer);
  expect(people.map(({ id, role }) => [id, role]).sort()).toEqual(
    [
      [demoted.id, 'viewer'],
      [kept.id, 'admin'],
    ].sort(),
  );
  expect(invitations.map(({ id }) => id)).toEqual([open.id]);
  expect(done).toMatchObject({
    'people removed': 1,
    'roles changed': 1,
    'invitations revoked': 1,
    'acquirers signed out': expect.any(Number),
  });
});

test('blocks cards that were blocked, also if another table has no such card', async () => {
  const card = (text: string) => ({ card_id: text, card_pseudo_token: text });
  await addCard('member', card('lost'));
  await addCard('member', card('kept'));
  const done = await restoredAfter(async () => {
    await setCardBlocked('member', { card_id: 'lost' }, true);
    await addCard('member', card('new'));
    await setCardBlocked('member', { card_id: 'new' }, true);
  });
  const { cards } = await getMember('member');
  expect(cards.map(({ blocked_at }) => blocked_at !== null).sort()).toEqual([false, true]);
  expect(done).toMatchObject({ 'cards blocked': 1 });
});

test('refuses a table before that does not have an acquirer of the restored one', async () => {
  await restoredAfter(async () => {});
  const other = `other-${randomUUID()}`;
  await createTable(other);
  await expect(revokeAgain(table, other)).rejects.toThrow('Is it the right table?');
});
