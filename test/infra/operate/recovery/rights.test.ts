import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from '@jest/globals';
import { createTable } from '../../../../infra/local/table.ts';
import { lowerRights } from '../../../../infra/operate/recovery/rights.ts';
import { resolveApiKey } from '../../../../lib/acquirers/apiKey.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../../../lib/acquirers/keyring.ts';
import { addCard } from '../../../../lib/operator/memberImport.ts';
import { setCardBlocked } from '../../../../lib/operator/members.ts';
import { namesOfPeople } from '../../../../lib/people/namesOfPeople.ts';
import { changeRole, removePerson } from '../../../../lib/people/people.ts';
import { resolveSession } from '../../../../lib/people/session.ts';
import { readRecord } from '../../../../lib/record/record.ts';
import { table, tableName } from '../../../../lib/table/client.ts';
import * as keys from '../../../../lib/table/keys.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { personOf } from '../../../support/people.ts';
import { stored } from '../../../support/stored.ts';
import { storeMany } from '../../../support/storeMany.ts';
import { newAcquirer } from '../../../support/world.ts';

const before = tableName();
afterEach(() => {
  process.env['TABLE_NAME'] = before;
});

/** From now on, the service uses a new table with these items. */
async function useTableOf(items: object[]): Promise<void> {
  process.env['TABLE_NAME'] = `rights-${randomUUID()}`;
  await createTable(tableName());
  await storeMany(0, items.length - 1, (at) => items[at] as object);
}

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

  await useTableOf(items);
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
  const ids = [removed.id, removedHere.id];
  expect([...(await namesOfPeople(provider.id, ids)).keys()]).toEqual(ids);
  await expectNoViolations();
});

const OWN_LIMIT = { rate: 20, burst: 120 };
const [SOON, LATER] = ['2999-01-01T00:00:00.000Z', '2999-06-01T00:00:00.000Z'];
const ttl = Date.parse(SOON) / 1000;
const [A, B] = [randomUUID(), randomUUID()];
/** A new person, invitation, webhook or hash for each case. */
const id = () => randomUUID();

const acquirer = { id: A, type: 'PAYMENT_PROVIDER', name: 'Payfair' };
const keyOf = (role?: string, more: object = {}) => ({
  acquirer,
  key_id: '0123456789ab',
  ...(role && { role }),
  ...more,
});
const listed = (sha256: string, role?: string) => ({ sha256, key_id: sha256, ...(role && { role }) });
const hook = (more: object = {}) => {
  const secrets = [{ sealed: 'new' }, { sealed: 'old', ends_at: LATER }];
  return { id: 'W1', url: 'https://a.example', secrets, status: 'active', delivers_in: 'here', ...more };
};
const person = (acquirers: string[], generation = 1) => ({ acquirers: new Set(acquirers), generation });
const GONE = undefined;
const THERE = {};

/** An item of the table before the restore, of the restored one, and what is left of it. */
type Case = [
  what: string,
  key: keys.Key,
  before: object | undefined,
  restored: object | undefined,
  left: object | undefined,
];

const someone = id();
const CASES: Case[] = [
  [
    'an acquirer that was disabled, lost API keys and got another limit since',
    keys.acquirerKey(A),
    { id: A, disabled_at: SOON, limit: { rate: 7, burst: 21 }, api_keys: [listed('k1', 'viewer'), listed('k3')] },
    { id: A, limit: { rate: 5, burst: 300 }, api_keys: [listed('k1'), listed('k2')] },
    { id: A, disabled_at: SOON, limit: { rate: 5, burst: 20 }, api_keys: [listed('k1', 'viewer')] },
  ],
  [
    'an acquirer whose limit was raised above that of the stage',
    keys.acquirerKey(B),
    { id: B, limit: { rate: 50, burst: 200 } },
    { id: B },
    { id: B },
  ],
  ['an API key of both', keys.apiKeyKey(id()), keyOf(), keyOf(), keyOf()],
  ['an API key that was revoked', keys.apiKeyKey(id()), GONE, keyOf(), GONE],
  ['an API key that was issued since', keys.apiKeyKey(id()), keyOf(), GONE, GONE],
  ['an API key with a lower role since', keys.apiKeyKey(id()), keyOf('operator'), keyOf(), keyOf('operator')],
  ['an API key with a higher role since', keys.apiKeyKey(id()), keyOf(), keyOf('viewer'), keyOf('viewer')],
  ['an API key with roles that have nothing in common', keys.apiKeyKey(id()), keyOf('till'), keyOf('viewer'), GONE],
  [
    'an API key that ends since',
    keys.apiKeyKey(id()),
    keyOf('', { expires_at: SOON, ttl }),
    keyOf(),
    keyOf('', { expires_at: SOON, ttl }),
  ],
  [
    'an API key that ended earlier',
    keys.apiKeyKey(id()),
    keyOf('', { expires_at: LATER }),
    keyOf('', { expires_at: SOON, ttl }),
    keyOf('', { expires_at: SOON, ttl }),
  ],
  ...[
    keys.providerKey(A, B),
    keys.distributorKey(A, B),
    keys.paymentAppKey(A, 'App'),
    keys.masterAcquirerKey(A, 'Bank'),
  ].flatMap((key): Case[] => [
    [`${key.pk} of both`, key, THERE, THERE, THERE],
    [`${key.pk} that was removed`, { ...key, sk: `${key.sk}2` }, GONE, THERE, GONE],
    [`${key.pk} that was added`, { ...key, sk: `${key.sk}3` }, THERE, GONE, GONE],
  ]),
  [
    'an admin who is a viewer since',
    keys.membershipKey(A, id()),
    { role: 'viewer' },
    { role: 'admin' },
    { role: 'viewer' },
  ],
  [
    'a viewer who is an admin since',
    keys.membershipKey(A, id()),
    { role: 'admin' },
    { role: 'viewer' },
    { role: 'viewer' },
  ],
  ['a member who was removed', keys.membershipKey(A, id()), GONE, { role: 'admin' }, GONE],
  ['an invitation that was revoked or accepted', keys.invitationKey(A, id()), GONE, { role: 'admin' }, GONE],
  [
    'an invitation that ends earlier since',
    keys.invitationKey(A, id()),
    { role: 'admin', expires_at: SOON },
    { role: 'admin', expires_at: LATER },
    { role: 'admin', expires_at: SOON },
  ],
  [
    'a person who left an acquirer, joined another, and whose sessions were ended',
    keys.personKey(someone),
    person([B, 'C'], 3),
    person([A, B], 2),
    person([B], 3),
  ],
  ['a person who left all acquirers', keys.personKey(id()), person(['C']), person([A]), GONE],
  ['an identity of both', keys.identityKey(id()), { person: someone }, { person: someone }, { person: someone }],
  ['an identity of another person since', keys.identityKey(id()), { person: 'P2' }, { person: someone }, GONE],
  ['an identity of a person who is removed', keys.identityKey(id()), { person: 'P3' }, { person: 'P3' }, GONE],
  ['a session of both', keys.sessionKey(id()), THERE, THERE, THERE],
  ['a session that was ended', keys.sessionKey(id()), GONE, THERE, GONE],
  ['a webhook of both', keys.webhookKey(A, 1), hook(), hook(), hook()],
  ['a webhook with another address since', keys.webhookKey(A, 2), hook({ url: 'https://b.example' }), hook(), GONE],
  [
    'a webhook with another secret since',
    keys.webhookKey(A, 3),
    hook({ secrets: [{ sealed: 'newer' }] }),
    hook(),
    GONE,
  ],
  ['another webhook in its slot', keys.webhookKey(A, 4), hook({ id: 'W2' }), hook(), GONE],
  [
    'a webhook whose old secret has ended since',
    keys.webhookKey(A, 5),
    hook({ secrets: [{ sealed: 'new' }] }),
    hook(),
    hook({ secrets: [{ sealed: 'new' }] }),
  ],
  ['a webhook that was paused', keys.webhookKey(B, 1), hook({ status: 'paused' }), hook(), hook({ status: 'paused' })],
  ['a webhook that was resumed', keys.webhookKey(B, 2), hook(), hook({ status: 'paused' }), hook({ status: 'paused' })],
  [
    'a webhook that an operator suspended',
    keys.webhookKey(B, 3),
    hook({ delivers_in: undefined }),
    hook(),
    hook({ delivers_in: undefined }),
  ],
];

const nameOf = ({ pk, sk }: keys.Key): string => `${pk} ${sk}`;

test('of each right, the lesser of both tables is left, also if the work is interrupted', async () => {
  const of = (at: 2 | 3): object[] => CASES.flatMap((each) => (each[at] ? [{ ...each[1], ...each[at] }] : []));
  await useTableOf(of(2));
  const last = tableName();
  await useTableOf(of(3));
  for (const writes of [1, 3, 9]) {
    let left = writes;
    const name = 'interruption';
    table.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'TransactWriteItemsCommand' && left-- === 0) throw new Error('Interrupted');
          return next(args);
        },
      { name },
    );
    await expect(lowerRights(table, last, OWN_LIMIT)).rejects.toThrow('Interrupted');
    table.middlewareStack.remove(name);
  }
  const { withoutAdmin } = await lowerRights(table, last, OWN_LIMIT);
  expect(withoutAdmin).toEqual([A]);
  const items = await stored();
  expect(CASES.map(([what, key]) => [what, items[nameOf(key)]])).toEqual(
    CASES.map(([what, , , , left]) => [what, left]),
  );
  expect((await lowerRights(table, last, OWN_LIMIT)).changed).toEqual({});
});

test('a card that was blocked since is blocked again, and the record says what was lowered, and from what', async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { id: changed } = await personOf(provider.id, 'operator');
  const card = { card_id: 'lost', card_pseudo_token: 'lost' };
  await addCard('anna', card);
  const { Items: items = [] } = await table.send(new ScanCommand({ TableName: before, ConsistentRead: true }));
  await setCardBlocked('anna', card, true);
  await changeRole(provider.id, changed, 'viewer');
  await useTableOf(items);
  expect((await lowerRights(table, before, null)).changed).toMatchObject({ 'people lowered': 1, 'cards blocked': 1 });
  expect((await readRecord(`PERSON#${changed}`, { limit: 1 }))[0]).toMatchObject({
    type: 'right.lowered',
    details: { acquirer: provider.id, person: changed, role: 'viewer', role_before: 'operator' },
  });
  await expectNoViolations();
});

test('refuses a table before that does not have an acquirer of the restored one', async () => {
  await useTableOf([]);
  await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  await expect(lowerRights(table, before, null)).rejects.toThrow('it is not the one before this restore');
});
