import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { NIL } from 'uuid';
import { hashOf } from '../../../../../lib/base/apiKeyFormat.ts';
import { tidOf } from '../../../../../lib/table/keys.ts';
import { call, type Operation } from '../../../../support/api.ts';
import { EVENT_ID, TIME } from '../../../../support/constants.ts';
import { tableRequestsBy } from '../../../../support/tableRequests.ts';
import { type Caller, newBranch, newTerminal, newWorld, unique, type World } from '../../../../support/world.ts';
import { csvOf, done, failed, jsonOf, operator } from '../operator.ts';

const by = userInfo().username;
const CARD = '4000-1234-card-of-anna';
const FURTHER_CARD = '4000-9876-card-of-anna';
/** The identifier of a member, which is in no event. */
const MEMBER = 'anna.lind@members';
const TOKEN = { card_pseudo_token: 'token-of-anna' };

/** An acquirer, and an API key of it that was revoked. */
let id: string;
let keyId: string;
let key: string;
/** The reference of the member's card. */
let card: string;

const importRow = (...rows: object[]) => operator(['members', 'import', '-'], { input: csvOf(...rows) });

beforeAll(async () => {
  ({ id } = await jsonOf('acquirers', 'create', '--type', 'PAYMENT_PROVIDER', '--name', 'Payfair'));
  ({ key_id: keyId, api_key: key } = await jsonOf('keys', 'issue', id, '--label', 'production'));
  await jsonOf('acquirers', 'rename', id, 'Payfair SA');
  await jsonOf('keys', 'revoke', id, keyId, '--yes');
  await importRow({ member_id: MEMBER, card_id: CARD, ...TOKEN });
  [{ card }] = (await jsonOf('members', 'show', MEMBER)).cards;
  await jsonOf('cards', 'block', MEMBER, card);
  await importRow({ member_id: MEMBER, card_id: FURTHER_CARD, ...TOKEN }, { member_id: 7 });
  await importRow({ member_id: 'bruno', card_id: 'card-of-bruno', card_pseudo_token: 'token-of-bruno' });
});

const event = (type: string, details: object) => ({ id: EVENT_ID, type, at: TIME, by, details });
const eventOfKey = (type: string, more: object = {}) =>
  event(type, { acquirer: id, key_id: keyId, label: 'production', ends_with: key.slice(-4), ...more });

/** Asserts that the pages of a history are the whole of it. */
async function expectPages(id: string): Promise<void> {
  const pages: { id: string }[] = [];
  const page = (...options: string[]) => jsonOf('history', id, '--limit', '2', ...options);
  for (let next = await page(); next.length > 0; next = await page('--before', pages.at(-1)?.id as string))
    pages.push(...next);
  expect(pages).toEqual(await jsonOf('history', id));
}

describe('history', () => {
  test('shows the changes of an acquirer and its API keys, newest first', async () => {
    const changes = [
      eventOfKey('api_key.revoked'),
      event('acquirer.renamed', { name: 'Payfair SA', name_before: 'Payfair' }),
      eventOfKey('api_key.issued', { role: 'full' }),
      event('acquirer.created', { type: 'PAYMENT_PROVIDER', name: 'Payfair' }),
    ];
    for (const named of [id.toUpperCase(), 'payfair sa']) expect(await jsonOf('history', named)).toEqual(changes);
  });

  test('shows the changes of an API key', async () => {
    expect(await jsonOf('history', keyId)).toEqual([
      eventOfKey('api_key.revoked'),
      eventOfKey('api_key.issued', { role: 'full' }),
    ]);
    await expectPages(keyId);
  });

  test('shows the changes of a member and the imports of its data', async () => {
    const shown = await jsonOf('history', MEMBER);
    expect(shown).toEqual([
      event('members.imported', { stored: 1, refused: 1, completed_at: TIME }),
      event('card.blocked', { card }),
      event('members.imported', { stored: 1, refused: 0, completed_at: TIME }),
    ]);
    expect(await jsonOf('history', MEMBER, '--member')).toEqual(shown);
    await expectPages(MEMBER);
    expect(await operator(['history', MEMBER, '--before', shown[2].id])).toEqual(done('None.'));
  });

  test('continues after an id of any time with few requests', async () => {
    const { id: last } = (await jsonOf('history', id)).at(-1);
    const pageBefore = (before: string) => tableRequestsBy(() => jsonOf('history', id, '--before', before));
    const [future, past] = [await pageBefore(`f${last.slice(1)}`), await pageBefore(NIL)];
    expect([future.response.length, past.response]).toEqual([4, []]);
    for (const { requests } of [future, past]) expect(requests.length).toBeLessThan(25);
  });

  test.each([
    ['an id that no acquirer has', () => [randomUUID()]],
    ['an id that no API key has', () => ['0123456789ab']],
    ['an id that no member has', () => ['nobody']],
    ['the id of an acquirer with --member', () => [id, '--member']],
    ['a card, without repeating it', () => [CARD]],
  ])('finds nothing for %s', async (_, args) => {
    expect(await operator(['history', ...args()])).toEqual(
      failed(
        'Found nothing: no terminal, branch, acquirer, API key, person or member has this id or name. Ids are ' +
          'case-sensitive, except UUIDs.',
      ),
    );
  });
});

describe('the history of changes by partners', () => {
  /** A terminal that the provider created, the distributor archived and deleted, and the provider created again. */
  let mid: string;
  let tid: string;
  let world: World;
  let provider: Caller;
  let distributor: Caller;
  let requests: unknown[];

  const send = async ({ key }: Caller, operation: Operation, id: string, body?: object) =>
    (await call(operation, { key, path: { id }, body })).headers['x-request-id'];
  const archive = (caller: Caller, id: string) => send(caller, 'archiveTerminal', id, { reason: 'Lost' });
  const remove = (caller: Caller, id: string) => send(caller, 'deleteTerminal', id);
  const keyIdOf = ({ key }: Caller) => hashOf(key).slice(0, 12);
  type Typed = { type: string; by: string };
  const LIVES = ['terminals.created', 'terminal.deleted', 'terminal.archived', 'terminals.created'];

  beforeAll(async () => {
    world = await newWorld();
    ({ provider, distributor } = world);
    const terminal_id = unique('T');
    ({ mid } = await newBranch(distributor, { payment_provider: provider.id }));
    ({ tid } = await newTerminal(provider, mid, { terminal_id }));
    requests = [await archive(distributor, tid), await remove(distributor, tid)];
    await newTerminal(provider, mid, { terminal_id });
  });

  test('of a terminal names the acquirer, API key and request of every author', async () => {
    const shown = await jsonOf('history', tid);
    const authors = [provider, distributor, distributor, provider];
    expect(shown).toEqual(
      authors.map((author, at) => ({
        id: EVENT_ID,
        type: LIVES[at],
        at: TIME,
        by: author.id,
        details: {
          key_id: keyIdOf(author),
          label: 'test',
          mid,
          ...(LIVES[at] === 'terminal.archived' && { reason: 'Lost' }),
          request_id: expect.any(String),
          terminals: [expect.stringMatching(/^T/)],
        },
      })),
    );
    expect([shown[2], shown[1]].map(({ details }) => details.request_id)).toEqual(requests);
    await expectPages(tid);
  });

  test('of many events ends with how to continue', async () => {
    const { stdout } = await operator(['history', mid, '--limit', '2']);
    const [, { id: last }] = await jsonOf('history', mid, '--limit', '2');
    expect(stdout).toMatch(new RegExp(`\nOlder events: add --before ${last}\n$`));
    const rest = await operator(['history', mid, '--before', last, '--limit', '3']);
    expect(rest.stdout).toMatch(/ branch\.created\n/);
    expect(rest.stdout).not.toContain('Older events');
  });

  const ofBranch = ['terminal.deleted', 'terminal.archived', 'branch.created'];
  test.each([
    ['a branch includes its terminals', () => mid, [...LIVES, 'branch.created'], 'branch.created'],
    ['an acquirer includes the operator’s', () => provider.id, [...LIVES, 'branch.created'], 'acquirer.created'],
    ['an API key starts when it was issued', () => keyIdOf(distributor), ofBranch, 'api_key.issued'],
  ])('of %s', async (_, of, newest, oldest) => {
    const types = (await jsonOf('history', of())).map(({ type }: Typed) => type);
    expect([types.slice(0, newest.length), types.at(-1)]).toEqual([newest, oldest]);
    await expectPages(of());
  });

  test('of a terminal includes its creations, also with others and under another payment provider', async () => {
    const [first, second, other] = [provider, world.secondProvider, distributor];
    const [terminal_id, fellow] = [unique('T'), unique('T')];
    const reused = tidOf(terminal_id);
    const { mid: own } = await newBranch(other, { payment_provider: first.id, terminals: [{ terminal_id }] });
    await remove(first, reused);
    const create = async (caller: Caller) =>
      send(caller, 'createTerminals', (await newBranch(caller)).mid, {
        terminals: [{ terminal_id }, { terminal_id: fellow }],
      });
    for (const caller of [second, first]) {
      await create(caller);
      await archive(caller, reused);
      for (const each of [reused, tidOf(fellow)]) await remove(caller, each);
    }
    await create(second);

    const all = await jsonOf('history', reused);
    const life = (caller: Caller) =>
      ['terminal.deleted', 'terminal.archived', 'terminals.created'].map((type) => [type, caller.id]);
    expect(all.map(({ type, by }: Typed) => [type, by])).toEqual([
      ['terminals.created', second.id],
      ...life(first),
      ...life(second),
      ['terminal.deleted', first.id],
      ['branch.created', other.id],
    ]);
    expect(all.at(-1).details).toMatchObject({ mid: own, label: 'test', terminals: [terminal_id] });
    await expectPages(reused);
    await remove(second, reused);
    expect((await jsonOf('history', reused)).slice(1)).toEqual(all);
    // The last page needs no card HMAC key.
    const lastPage = ['history', reused, '--before', all.at(-1).id, '--secret', 'nonesuch'];
    expect(await operator(lastPage)).toEqual(done('None.'));
  });

  test('is printed with names, reasons and previous values, in at most 100 columns after the indent', async () => {
    const [terminal_id, serial_no] = [unique('T'), unique('SN')];
    const own = await newBranch(world.distributor, {
      payment_provider: world.provider.id,
      terminals: Array.from({ length: 40 }, (_, at) => ({ terminal_id: at === 0 ? terminal_id : unique('T') })),
    });
    const { mid: target } = await newBranch(world.provider, { mid: unique('B') });
    const [path, key] = [{ id: tidOf(terminal_id) }, world.provider.key];
    await call('updateTerminal', { key, path, body: { serial_no } });
    await call('updateTerminal', { key, path, body: { serial_no: `${serial_no}B`, terminal_model: 'Pocket' } });
    await archive(world.provider, tidOf(terminal_id));
    await call('reassignTerminal', { key, path, body: { mid: target } });
    const ofTid = await operator(['history', tidOf(terminal_id)]);
    for (const text of [terminal_id, `${serial_no}B`]) expect(await operator(['history', text])).toEqual(ofTid);

    const lines = ofTid.stdout.split('\n');
    expect(lines.filter((line) => line.trimStart().length > 100)).toEqual([]);
    const events = ofTid.stdout
      .split(/^(?=\d{4}-)/m)
      .map((event) => event.replace(/^\S+ {2}/, '').replace(/\s+/g, ' '));
    const byKey = `key id: ${keyIdOf(world.provider)}, label: test`;
    const rest = `request id: [\\da-f-]{36}, terminals: ${terminal_id} $`;
    expect(events).toEqual([
      expect.stringMatching(`^Payfair terminal.reassigned mid: ${own.mid} → ${target} ${byKey}, ${rest}`),
      expect.stringMatching(`^Payfair terminal.archived ${byKey}, mid: ${own.mid}, reason: Lost, ${rest}`),
      expect.stringMatching(
        `^Payfair terminal.updated serial no: ${serial_no} → ${serial_no}B terminal model: none → Pocket ${byKey}, `,
      ),
      expect.stringMatching(`^Payfair terminal.updated serial no: none → ${serial_no} ${byKey}, `),
      expect.stringMatching(`^Northgate branch.created key id: .*, mid: ${own.mid}, .* terminals: ${terminal_id}, `),
    ]);
    // All forty are there.
    expect(events.at(-1)?.match(/T[\da-fx]{32}/g)).toHaveLength(40);

    const details = (await jsonOf('history', terminal_id)).map((event: { details: object }) => event.details);
    expect(details.map(({ before, after, reason }: Record<string, unknown>) => ({ before, after, reason }))).toEqual([
      { before: { mid: own.mid }, after: { mid: target } },
      { reason: 'Lost' },
      {
        before: { serial_no, terminal_model: null },
        after: { serial_no: `${serial_no}B`, terminal_model: 'Pocket' },
      },
      { before: { serial_no: null }, after: { serial_no } },
      {},
    ]);
  });
});
