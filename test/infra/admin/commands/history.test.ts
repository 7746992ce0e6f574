import { createHash, randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { tidOf } from '../../../../lib/table/keys.ts';
import { call } from '../../../support/api.ts';
import { EVENT_ID, TIME } from '../../../support/constants.ts';
import { stored } from '../../../support/stored.ts';
import { type Caller, newBranch, newTerminal, newWorld, unique } from '../../../support/world.ts';
import { admin, done, failed, jsonOf } from '../admin.ts';

const by = userInfo().username;
const CARD = '4000-1234-card-of-anna';
const FURTHER_CARD = '4000-9876-card-of-anna';
const NOTHING = failed('Unknown id: no acquirer, API key, branch, terminal or member has it.');

let id: string;
let apiKey: string;
let keyId: string;
/** The identifier of a member, which is in no event. */
const member = 'anna.lind@members';
let cardRef: string;

const importRow = (...rows: object[]) =>
  admin(['members', 'import', '-', '--format', 'jsonl'], { input: rows.map((row) => JSON.stringify(row)).join('\n') });

beforeAll(async () => {
  ({ id } = await jsonOf('acquirers', 'create', '--type', 'PAYMENT_PROVIDER', '--name', 'Payfair'));
  ({ api_key: apiKey, key_id: keyId } = await jsonOf('keys', 'issue', id, '--label', 'production'));
  await jsonOf('acquirers', 'rename', id, 'Payfair SA');
  await jsonOf('keys', 'revoke', id, keyId, '--yes');
  await importRow({ member_id: member, card_id: CARD, card_pseudo_token: 'token-of-anna' });
  const { cards } = await jsonOf('members', 'show', member);
  cardRef = cards[0].card;
  await jsonOf('cards', 'block', member, cardRef);
  await importRow({ member_id: member, card_id: FURTHER_CARD, card_pseudo_token: 'token-of-anna' }, { member_id: 7 });
  await importRow({ member_id: 'bruno', card_id: 'card-of-bruno', card_pseudo_token: 'token-of-bruno' });
});

const event = (type: string, details: object) => ({ id: EVENT_ID, type, at: TIME, by, details });
const ofKey = () => ({ acquirer: id, key_id: keyId, label: 'production' });

describe('history', () => {
  test('shows the changes of an acquirer and its API keys, newest first', async () => {
    const expected = [
      event('api_key.revoked', ofKey()),
      event('acquirer.renamed', { name: 'Payfair SA', name_before: 'Payfair' }),
      event('api_key.issued', ofKey()),
      event('acquirer.created', { type: 'PAYMENT_PROVIDER', name: 'Payfair' }),
    ];
    const shown = await jsonOf('history', id);
    expect(shown).toEqual(expected);
    expect(await jsonOf('history', id.toUpperCase())).toEqual(shown);

    const { stdout } = await admin(['history', id]);
    const [heads, ...rows] = stdout.trimEnd().split('\n');
    expect(heads?.split(/ {2,}/)).toEqual(['AT', 'TYPE', 'BY', 'DETAILS', 'ID']);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual(
      [
        `acquirer: ${id}, key_id: ${keyId}, label: production`,
        'name: Payfair SA, name_before: Payfair',
        `acquirer: ${id}, key_id: ${keyId}, label: production`,
        'name: Payfair, type: PAYMENT_PROVIDER',
      ].map((details, at) => [shown[at].at, shown[at].type, by, details, shown[at].id]),
    );
  });

  test('shows the changes of an API key', async () => {
    expect(await jsonOf('history', keyId)).toEqual([
      event('api_key.revoked', ofKey()),
      event('api_key.issued', ofKey()),
    ]);
  });

  test('shows the changes of a member and the imports of its data', async () => {
    const expected = [
      event('members.imported', { stored: 1, refused: 1, completed_at: TIME }),
      event('card.blocked', { card: cardRef }),
      event('members.imported', { stored: 1, refused: 0, completed_at: TIME }),
    ];
    expect(await jsonOf('history', member)).toEqual(expected);
    expect(await jsonOf('history', member, '--member')).toEqual(expected);
  });

  test('continues after an event', async () => {
    const all = await jsonOf('history', member);
    const first = await jsonOf('history', member, '--limit', '2');
    expect(first).toEqual(all.slice(0, 2));
    expect(await jsonOf('history', member, '--before', first[1].id, '--limit', '2')).toEqual(all.slice(2));
    expect(await admin(['history', member, '--before', all[2].id])).toEqual(done('None.'));
    expect(await jsonOf('history', keyId, '--before', (await jsonOf('history', keyId))[0].id)).toHaveLength(1);
  });

  test.each([
    ['no acquirer has', () => [randomUUID()]],
    ['no API key has', () => ['0123456789ab']],
    ['no member has', () => ['nobody']],
    ['an acquirer but no member has', () => [id, '--member']],
  ])('finds nothing for an id that %s', async (_, args) => {
    expect(await admin(['history', ...args()])).toEqual(NOTHING);
  });

  test('finds nothing for an API key or a card, without repeating it', async () => {
    for (const secret of [apiKey, CARD]) expect(await admin(['history', secret])).toEqual(NOTHING);
  });

  test.each([
    [['--limit', '0'], 'Wrong usage: --limit <count>: Must be a whole number of 1 or more.'],
    [['--before', 'yesterday'], 'Wrong usage: --before <event-id>: Must be a UUID.'],
  ])('rejects %j', async (options, line) => {
    expect(await admin(['history', id, ...options])).toEqual(failed(line, 2));
  });

  test('needs the card HMAC key only for members, and explains if it is missing', async () => {
    const options = ['--secret', 'nonesuch'];
    expect((await admin(['history', id, ...options])).exitCode).toBe(0);
    expect(await admin(['history', member, ...options])).toEqual(
      failed(`There is no secret nonesuch at ${process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER']}.`),
    );
  });
});

describe('the history of changes by partners', () => {
  /** A terminal that the provider created, the distributor archived and deleted, and the provider created again. */
  let mid: string;
  let tid: string;
  let provider: Caller;
  let distributor: Caller;
  let requests: string[];
  beforeAll(async () => {
    const world = await newWorld();
    ({ provider, distributor } = world);
    const terminal_id = unique('T');
    const distributed = { payment_provider: provider.id };
    ({ mid } = await newBranch(distributor, distributed));
    ({ tid } = await newTerminal(provider, mid, { terminal_id }));
    const archived = await call('archiveTerminal', {
      key: distributor.key,
      path: { id: tid },
      body: { reason: 'Stolen' },
    });
    const deleted = await call('deleteTerminal', { key: distributor.key, path: { id: tid } });
    requests = [archived, deleted].map(({ headers }) => headers['x-request-id'] ?? '');
    await newTerminal(provider, mid, { terminal_id });
  });
  const keyIdOf = ({ key }: Caller) => createHash('sha256').update(key).digest('hex').slice(0, 12);
  const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);
  const did = (caller: Caller, terminals?: string[]) => ({
    by: caller.id,
    details: {
      key_id: keyIdOf(caller),
      label: 'test',
      mid,
      request_id: expect.any(String),
      ...(terminals && { terminals }),
    },
  });
  const LIVES = ['terminals.created', 'terminal.deleted', 'terminal.archived', 'terminals.created'];

  test('of a terminal names the acquirer, API key and request of every author', async () => {
    const shown = await jsonOf('history', tid);
    const terminals = [expect.stringMatching(/^T/)] as unknown as string[];
    expect(shown).toEqual(
      [
        did(provider, terminals),
        did(distributor, terminals),
        did(distributor, terminals),
        did(provider, terminals),
      ].map((each, at) => ({ id: EVENT_ID, type: LIVES[at], at: TIME, ...each })),
    );
    expect([shown[2], shown[1]].map(({ details }) => details.request_id)).toEqual(requests);
  });

  test('of a terminal continues after any event, including its creation', async () => {
    const all = await jsonOf('history', tid);
    for (const [at, { id }] of all.entries())
      expect(await jsonOf('history', tid, '--before', id)).toEqual(all.slice(at + 1));
    expect(await jsonOf('history', tid, '--limit', '2')).toEqual(all.slice(0, 2));
  });

  test('of a terminal includes its creations, also with others and under another payment provider', async () => {
    const { provider: first, distributor: other } = await newWorld();
    const { provider: second } = await newWorld();
    const [terminal_id, fellow] = [unique('T'), unique('T')];
    const tid = tidOf(terminal_id);
    const create = async (caller: Caller) =>
      call('createTerminals', {
        key: caller.key,
        path: { id: (await newBranch(caller)).mid },
        body: { terminals: [{ terminal_id }, { terminal_id: fellow }] },
      });
    const remove = async ({ key }: Caller) => {
      for (const id of [tid, tidOf(fellow)]) await call('deleteTerminal', { key, path: { id } });
    };
    const { mid: own } = await newBranch(other, { payment_provider: first.id, terminals: [{ terminal_id }] });
    await call('deleteTerminal', { key: first.key, path: { id: tid } });
    for (const caller of [second, first]) {
      await create(caller);
      await call('archiveTerminal', { key: caller.key, path: { id: tid }, body: { reason: 'Lost' } });
      await remove(caller);
    }
    await create(second);

    const all = await jsonOf('history', tid);
    const life = (caller: Caller) =>
      ['terminal.deleted', 'terminal.archived', 'terminals.created'].map((type) => [type, caller.id]);
    expect(all.map(({ type, by }: { type: string; by: string }) => [type, by])).toEqual([
      ['terminals.created', second.id],
      ...life(first),
      ...life(second),
      ['terminal.deleted', first.id],
      ['branch.created', other.id],
    ]);
    expect(all.at(-1).details).toMatchObject({ mid: own, label: 'test', terminals: [terminal_id] });
    for (const [at, { id }] of all.entries()) {
      expect(await jsonOf('history', tid, '--before', id)).toEqual(all.slice(at + 1));
      expect(await jsonOf('history', tid, '--before', id, '--limit', '1')).toEqual(all.slice(at + 1, at + 2));
    }

    await remove(second);
    expect((await jsonOf('history', tid)).slice(1)).toEqual(all);
  });

  test('of a branch includes its terminals', async () => {
    const shown = await jsonOf('history', mid);
    expect(typesOf(shown)).toEqual([...LIVES, 'branch.created']);
    expect(shown.at(-1)).toEqual({ id: EVENT_ID, type: 'branch.created', at: TIME, ...did(distributor) });
    expect(await jsonOf('history', mid, '--before', shown[3].id)).toEqual(shown.slice(4));
  });

  test('of an acquirer includes the operator’s changes', async () => {
    const shown = await jsonOf('history', provider.id, '--limit', '5');
    expect(typesOf(shown)).toEqual([...LIVES, 'branch.created']);
    const before = await jsonOf('history', provider.id, '--before', shown[4].id);
    expect(typesOf(before)).toContain('api_key.issued');
    expect(typesOf(before)).toContain('acquirer.created');
  });

  test('of an API key starts when it was issued', async () => {
    expect(typesOf(await jsonOf('history', keyIdOf(distributor)))).toEqual([
      'terminal.deleted',
      'terminal.archived',
      'branch.created',
      'api_key.issued',
    ]);
    expect(typesOf(await jsonOf('history', keyIdOf(provider), '--limit', '2'))).toEqual([
      'terminals.created',
      'terminals.created',
    ]);
  });
});

test('the record contains no API key, card identifier or member id, in any encoding', async () => {
  const events = Object.entries(await stored()).filter(([key]) => key.startsWith('RECORD#'));
  const record = JSON.stringify(events);
  expect(new Set(events.map(([, { type }]) => type)).size).toBeGreaterThanOrEqual(6);
  for (const secret of [apiKey, apiKey.slice(4, 40), CARD, FURTHER_CARD, 'token-of-anna', member, 'bruno'])
    for (const spelling of [
      secret,
      ...(['base64', 'base64url', 'hex'] as const).map((as) => Buffer.from(secret).toString(as)),
    ])
      expect(record).not.toContain(spelling);
  expect(record).not.toMatch(/apk_/);
});
