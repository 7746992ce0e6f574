import { expect, test } from '@jest/globals';
import { issueApiKey, revokeApiKey } from '../../../lib/acquirers/keyring.ts';
import { hashOf } from '../../../lib/base/apiKeyFormat.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { erasePerson } from '../../../lib/operator/people.ts';
import { personAuthor } from '../../../lib/people/person.ts';
import { call, expectProblem } from '../../support/api.ts';
import { EVENT_ID, TIME } from '../../support/constants.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { pagesOf, type Query } from '../events/pages.ts';
import { newAdministered, sendBy } from './admins.ts';

/* Who may call it is in session.test.ts. */

const list = ({ session }: SignedIn, query: Query = {}) => call('listAccessChanges', { session, query });
const NONE = {
  ...{ ends_with: null, ends_with_before: null },
  ...{ by_key: null, key_id: null, label: null, role: null, role_before: null, person: null, invited: null },
  ...{ webhook: null, origin: null, changed: null, status: null, rewound_to: null, reason: null },
};

const shown = ({ id, identity: { name, email } }: SignedIn) => ({ id, name, email });

test('200: has who changed API keys and people, the newest first, and nothing else of the record', async () => {
  const { provider, admin } = await newAdministered();
  const vera = await personOf(provider.id, 'viewer', { identity: newIdentity('Vera Example') });
  await sendBy(admin, 'changePerson', vera.id, { role: 'operator' });
  const { body } = await sendBy(admin, 'createKey', undefined, { label: 'till-1', role: 'till' });
  await limitAcquirer(provider.id, { rate: 500, burst: 1000 });
  await sendBy(admin, 'removePerson', vera.id);
  await revokeApiKey(provider.id, body.data.key_id);
  const { ends_with } = body.data;
  const by = shown(admin);
  const person = shown(vera);
  const change = { id: EVENT_ID, at: TIME, ...NONE };
  const response = await list(admin, { limit: '6' });
  expect(response.body).toEqual({
    data: [
      { ...change, type: 'api_key.revoked', by: null, key_id: body.data.key_id, label: 'till-1', ends_with },
      { ...change, type: 'person.removed', by, person },
      { ...change, type: 'api_key.issued', by, key_id: body.data.key_id, label: 'till-1', ends_with, role: 'till' },
      { ...change, type: 'person.role_changed', by, role: 'operator', role_before: 'viewer', person },
      { ...change, type: 'person.joined', by: person, role: 'viewer', person, invited: vera.identity.email },
    ],
    meta: { next: expect.any(String), read_to: TIME },
  });
  const pages = await pagesOf((query) => list(admin, query), 2);
  expect(pages.flatMap((page) => page.body.data)).toEqual((await list(admin)).body.data);
});

test('200: has who changed webhooks, with an API key or as a person, and only the origin of their URLs', async () => {
  const { provider, admin } = await newAdministered();
  const { key } = provider;
  const made = await call('createWebhook', { key, body: { url: 'https://hooks.example.com:8443/c7Bq?token=x9Zt' } });
  const { id } = made.body.data;
  const path = { id };
  const after = new Date(Date.now() - 60_000).toISOString();
  const reason = 'The port has changed.';
  await sendBy(admin, 'updateWebhook', id, { status: 'paused' });
  const url = 'https://hooks.example.com/c7Bq';
  await call('updateWebhook', { key, path, query: { reason }, body: { url, status: 'active' } });
  await sendBy(admin, 'rotateWebhookSecret', id);
  await call('rewindWebhook', { key, path, body: { after } });
  await call('deleteWebhook', { key, path });
  const by = shown(admin);
  const by_key = hashOf(key).slice(0, 12);
  const origin = 'https://hooks.example.com';
  const change = { id: EVENT_ID, at: TIME, ...NONE, webhook: id, origin };
  const { body } = await list(admin, { limit: '6' });
  expect(body.data).toEqual([
    { ...change, type: 'webhook.deleted', by: null, by_key },
    { ...change, type: 'webhook.rewound', by: null, by_key, rewound_to: after },
    { ...change, type: 'webhook.rotated', by },
    { ...change, type: 'webhook.updated', by: null, by_key, changed: ['url', 'status'], status: 'active', reason },
    { ...change, type: 'webhook.updated', by, origin: `${origin}:8443`, changed: ['status'], status: 'paused' },
    { ...change, type: 'webhook.created', by: null, by_key, origin: `${origin}:8443` },
  ]);
});

test('200: names who was removed and who was invited, until they are erased, and to nobody else', async () => {
  const [{ provider, admin }, other] = [await newAdministered(), await newAdministered()];
  const vera = await personOf(provider.id, 'admin', { identity: newIdentity('Vera Example') });
  const { body: made } = await sendBy(vera, 'invitePerson', undefined, { email: 'Nils@example.com', role: 'viewer' });
  await sendBy(vera, 'revokeInvitation', made.data.id);
  await sendBy(admin, 'removePerson', vera.id);
  const newest = async () =>
    (await list(admin)).body.data.map(({ type, by, person, invited }: Record<string, unknown>) => [
      type,
      by,
      person,
      invited,
    ]);
  expect((await newest()).slice(0, 3)).toEqual([
    ['person.removed', shown(admin), shown(vera), null],
    ['invitation.revoked', shown(vera), null, 'nils@example.com'],
    ['person.invited', shown(vera), null, 'nils@example.com'],
  ]);
  // The same person at another acquirer, under another name, which the first one never learns.
  const there = await personOf(other.provider.id, 'viewer', { identity: { ...vera.identity, name: 'Vera Married' } });
  expect((await list(other.admin, { limit: '1' })).body.data).toMatchObject([{ person: shown(there) }]);
  expect((await newest())[0]).toEqual(['person.removed', shown(admin), shown(vera), null]);
  await erasePerson(vera.id);
  await erasePerson('nils@example.com');
  const gone = { id: vera.id, name: null, email: null };
  // That they were erased says whose name is missing, and names nobody. Vera's own invitation was one, too.
  expect((await newest()).slice(0, 6)).toEqual([
    ['person.erased', null, null, null],
    ['person.erased', null, gone, null],
    ['person.erased', null, null, null],
    ['person.removed', shown(admin), gone, null],
    ['invitation.revoked', gone, null, null],
    ['person.invited', gone, null, null],
  ]);
});

test('200: names both keys of a rotation, which have the same label', async () => {
  const { admin } = await newAdministered();
  const { data: old } = (await sendBy(admin, 'createKey', undefined, { label: 'till-1', role: 'till' })).body;
  const { data: rotated } = (await sendBy(admin, 'rotateKey', old.key_id, { overlap_hours: 24 })).body;
  await sendBy(admin, 'revokeKey', rotated.key_id);
  const { body } = await list(admin, { limit: '3' });
  expect(body.data).toMatchObject([
    { type: 'api_key.revoked', label: 'till-1', ends_with: rotated.api_key.slice(-4), ends_with_before: null },
    {
      type: 'api_key.rotated',
      label: 'till-1',
      ends_with: rotated.api_key.slice(-4),
      ends_with_before: old.api_key.slice(-4),
    },
    { type: 'api_key.issued', label: 'till-1', ends_with: old.api_key.slice(-4), ends_with_before: null },
  ]);
});

test('200: finds the changes of a type, a person, an API key and a time, page by page', async () => {
  const { provider, admin } = await newAdministered();
  const vera = await personOf(provider.id, 'admin', { identity: newIdentity('Vera Example') });
  const { data: till } = (await sendBy(vera, 'createKey', undefined, { label: 'till-1', role: 'till' })).body;
  await call('createWebhook', { key: provider.key, body: { url: 'https://hooks.example.com' } });
  await sendBy(admin, 'revokeKey', till.key_id);
  await sendBy(admin, 'removePerson', vera.id);
  const all: { type: string; at: string }[] = (await list(admin, { limit: '100' })).body.data;
  const [removed, revoked, hooked, issued, joined] = all;
  const found = async (query: Query) => {
    const pages = await pagesOf((page) => list(admin, { ...query, ...page }), 1);
    return pages.flatMap((page) => page.body.data);
  };
  expect(await found({ type: 'api_key.revoked' })).toEqual([revoked]);
  expect(await found({ person: vera.id })).toEqual([issued, joined]);
  expect(await found({ person: vera.id, type: 'person.joined' })).toEqual([joined]);
  expect(await found({ key: hashOf(provider.key).slice(0, 12) })).toEqual([hooked]);
  // From the one to before the other. What is earlier is not even read.
  const between = { since: issued?.at ?? '', until: removed?.at ?? '' };
  expect(await found(between)).toEqual([revoked, hooked, issued]);
  expect((await list(admin, { ...between, limit: '100' })).body.meta).toEqual({ next: null, read_to: null });
  expect((await list(admin, { ...between, limit: '4' })).body.meta).toEqual({ next: null, read_to: null });
  expect(await found({ until: all.at(-1)?.at ?? '' })).toEqual([]);
  for (const [query, detail] of [
    [{ type: 'acquirer.limited' }, 'type: Must be the type of a change.'],
    [{ since: 'yesterday' }, 'since: Must be a time in UTC (RFC 3339).'],
  ] as const)
    expectProblem(await list(admin, query), 'invalid_query', detail);
});

test('200: has nothing of other acquirers, and takes one query', async () => {
  const [own, other] = [await newAdministered(), await newAdministered()];
  const { key_id } = await issueApiKey(other.provider.id, 'secret-label', { by: personAuthor(other.admin.id) });
  await list(own.admin);
  const sent = await tableRequestsBy(() => list(own.admin));
  expect(operationsOf(sent)).toBe('Query BatchGetItem');
  for (const hidden of [key_id, 'secret-label', other.admin.id, other.provider.id])
    expect(JSON.stringify(sent.response.body)).not.toContain(hidden);
  const { next } = (await list(other.admin, { limit: '1' })).body.meta;
  expectProblem(await list(own.admin, { before: next }), 'invalid_query', 'before: Must be a cursor from this list.');
});
