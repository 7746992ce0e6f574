import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { DICTIONARY } from '../../../lib/events/event.ts';
import { historyOf } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { stored, storedBy } from '../../support/stored.ts';
import {
  archiveBranch,
  authorOf,
  type Caller,
  newBranch,
  newDistributorOf,
  newSharedBranch,
  newTerminal,
  newWorld,
  numbered,
  unique,
  type World,
} from '../../support/world.ts';

let world: World;
let otherDistributor: Caller;
beforeAll(async () => {
  world = await newWorld();
  otherDistributor = await newDistributorOf(world.provider);
});

const MONTH_AND_ID = /^\d{4}-\d\d [\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const NO_KEY = { key_id: null, key_label: null };

/** The API key of an event's author, as shown to that acquirer. */
const keyOf = ({ key }: Caller) => ({
  key_id: createHash('sha256').update(key).digest('hex').slice(0, 12),
  key_label: 'test',
});

/** The fields of an event besides its type and subject. */
const commonTo = (response: ApiResponse, { id }: Caller, at: string) => ({
  id: expect.any(String),
  at,
  request_id: response.headers['x-request-id'],
  by: { acquirer: id, ...NO_KEY },
  changes: null,
});

/** Calls an operation as the provider, on a resource that it shares with the distributor. */
const asProvider = (operation: Operation, request: Omit<Request, 'key'>) =>
  storedBy(() => call(operation, { key: world.provider.key, ...request }));

/** Asserts that the provider, which made the change, and the distributor have the event, and no other acquirer. */
function expectShared(
  { response, events }: Awaited<ReturnType<typeof asProvider>>,
  at: string,
  event: { type: string; branch: object; changes?: object },
): void {
  const { provider, distributor } = world;
  const shared = { ...commonTo(response, provider, at), data: response.body.data, ...event };
  expect(events).toEqual({
    [provider.id]: [{ ...shared, by: { acquirer: provider.id, ...keyOf(provider) } }],
    [distributor.id]: [shared],
  });
  const [[own], [others]] = [events?.[provider.id] ?? [], events?.[distributor.id] ?? []];
  expect(own?.id).toBe(others?.id);
}

describe('Both acquirers of a branch have an event for', () => {
  test('its creation, with its terminals', async () => {
    const mid = unique('MID');
    const body = {
      mid,
      master_merchant_id: unique('MM'),
      distributor: world.distributor.id,
      terminals: numbered(unique('T'), 2),
    };
    const done = await asProvider('createBranch', { body });
    expect(done.response.status).toBe(201);
    expect(done.response.body.data.terminals).toHaveLength(2);
    expectShared(done, done.response.body.data.created_at, {
      type: 'branch.created',
      branch: { mid, status: 'active' },
    });
  });

  test('its archiving', async () => {
    const { mid } = await newSharedBranch(world, { terminals: numbered(unique('T'), 2) });
    const done = await asProvider('archiveBranch', { path: { mid } });
    expectShared(done, done.response.body.data.archived_at, {
      type: 'branch.archived',
      branch: { mid, status: 'archived' },
    });
  });

  test('forty terminals with serials that one request created: a single event', async () => {
    const { mid } = await newSharedBranch(world);
    const serials = unique('S');
    const terminals = numbered(unique('T'), 40).map((each, at) => ({ ...each, serial_no: `${serials}${at}` }));
    const done = await asProvider('createTerminals', { path: { id: mid }, body: { terminals } });
    expect(done.response.status).toBe(201);
    expect(done.response.body.data).toHaveLength(40);
    expectShared(done, done.response.body.data[0].created_at, {
      type: 'terminals.created',
      branch: { mid, status: 'active' },
    });
  });

  test('the fields that an update changed, with their previous values', async () => {
    const { mid } = await newSharedBranch(world);
    const fields = { serial_no: unique('S'), terminal_model: 'Handheld 2', payment_app: 'Checkout Go' };
    const { tid } = await newTerminal(world.provider, mid, fields);
    const body = { ...fields, serial_no: null, terminal_model: 'Handheld 3', acquirer_name: 'Atlantic Acquiring' };
    const done = await asProvider('updateTerminal', { path: { id: tid }, body });
    expectShared(done, done.response.body.data.updated_at, {
      type: 'terminal.updated',
      branch: { mid, status: 'active' },
      changes: { serial_no: fields.serial_no, terminal_model: 'Handheld 2', acquirer_name: null },
    });
  });

  test('a terminal that is archived, restored and deleted', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid, terminal_id } = await newTerminal(world.provider, mid);
    const [path, branch] = [{ id: tid }, { mid, status: 'active' }];

    const archived = await asProvider('archiveTerminal', { path, body: { reason: 'Stolen' } });
    expectShared(archived, archived.response.body.data.archived_at, { type: 'terminal.archived', branch });

    const restored = await asProvider('restoreTerminal', { path });
    expectShared(restored, restored.response.body.data.updated_at, { type: 'terminal.restored', branch });

    const deleted = await asProvider('deleteTerminal', { path });
    expect(deleted.response.body).toEqual({ data: { tid, terminal_id } });
    const at = deleted.events?.[world.provider.id]?.[0]?.at ?? '';
    expect(at > restored.response.body.data.updated_at).toBe(true);
    expectShared(deleted, at, { type: 'terminal.deleted', branch });
  });

  test('a terminal that is restored under its archived branch, later than the archiving', async () => {
    const { mid, terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 1) });
    const { archived_at } = await archiveBranch(world.distributor, mid);
    const done = await asProvider('restoreTerminal', { path: { id: terminals[0].tid } });
    const { updated_at, status } = done.response.body.data;
    expect(status).toBe('active');
    expect(updated_at > archived_at).toBe(true);
    expectShared(done, updated_at, { type: 'terminal.restored', branch: { mid, status: 'archived' } });
  });

  test('a reassignment between their branches, with the previous MID', async () => {
    const [from, to] = [await newSharedBranch(world), await newSharedBranch(world)];
    const { tid } = await newTerminal(world.provider, from.mid);
    const done = await asProvider('reassignTerminal', { path: { id: tid }, body: { mid: to.mid } });
    expect(done.response.body.data.mid).toBe(to.mid);
    expectShared(done, done.response.body.data.updated_at, {
      type: 'terminal.reassigned',
      branch: { mid: to.mid, status: 'active' },
      changes: { mid: from.mid },
    });
  });
});

describe('A reassigned terminal', () => {
  test('leaves one distributor and joins another, and neither sees the other’s branch', async () => {
    const { provider, distributor } = world;
    const from = await newSharedBranch(world);
    const to = await newBranch(otherDistributor, { payment_provider: provider.id });
    const { tid, terminal_id } = await newTerminal(provider, from.mid);

    const { response, events } = await asProvider('reassignTerminal', { path: { id: tid }, body: { mid: to.mid } });

    const common = commonTo(response, provider, response.body.data.updated_at);
    const branch = { mid: to.mid, status: 'active' };
    expect(events).toEqual({
      [provider.id]: [
        {
          ...common,
          type: 'terminal.reassigned',
          branch,
          data: response.body.data,
          changes: { mid: from.mid },
          by: { acquirer: provider.id, ...keyOf(provider) },
        },
      ],
      [otherDistributor.id]: [{ ...common, type: 'terminal.joined', branch, data: response.body.data }],
      [distributor.id]: [
        {
          ...common,
          type: 'terminal.left',
          branch: { mid: from.mid, status: 'active' },
          data: { tid, terminal_id },
        },
      ],
    });
    expect(JSON.stringify(events?.[distributor.id])).not.toContain(to.mid);
    expect(JSON.stringify(events?.[otherDistributor.id])).not.toContain(from.mid);
  });

  test('joins and leaves for the distributor of only one of the branches', async () => {
    const { provider, distributor } = world;
    const [own, shared] = [await newBranch(provider), await newSharedBranch(world)];
    const { tid } = await newTerminal(provider, own.mid);
    const typesOf = async (mid: string) => {
      const { events = {} } = await asProvider('reassignTerminal', { path: { id: tid }, body: { mid } });
      return Object.fromEntries(Object.entries(events).map(([id, seen]) => [id, seen.map(({ type }) => type)]));
    };
    expect(await typesOf(shared.mid)).toEqual({
      [provider.id]: ['terminal.reassigned'],
      [distributor.id]: ['terminal.joined'],
    });
    expect(await typesOf(own.mid)).toEqual({
      [provider.id]: ['terminal.reassigned'],
      [distributor.id]: ['terminal.left'],
    });
  });
});

describe('No event is stored', () => {
  test('for a replayed response', async () => {
    const request = {
      headers: { 'idempotency-key': unique('key') },
      body: { mid: unique('MID'), master_merchant_id: unique('MM') },
    };
    expect((await asProvider('createBranch', request)).events).toBeDefined();
    const { response, changed } = await asProvider('createBranch', request);
    expect(response.headers).toHaveProperty('idempotent-replayed', 'true');
    expect(changed).toEqual({});
  });

  test('for an update that changes nothing', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid } = await newTerminal(world.provider, mid, { terminal_model: 'Handheld 2' });
    const { changed } = await asProvider('updateTerminal', {
      path: { id: tid },
      body: { terminal_model: 'Handheld 2', serial_no: null },
    });
    expect(changed).toEqual({});
  });

  test('for a rejected request', async () => {
    const { mid } = await newSharedBranch(world);
    const { tid } = await newTerminal(world.provider, mid);
    const rejected: [Operation, Omit<Request, 'key'>][] = [
      ['restoreTerminal', { path: { id: tid } }],
      ['reassignTerminal', { path: { id: tid }, body: { mid } }],
      ['updateTerminal', { path: { id: tid }, body: { payment_app: 'No such app' } }],
    ];
    for (const [operation, request] of rejected) {
      const { response, changed } = await asProvider(operation, request);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(changed).toEqual({});
    }
  });
});

describe('A stored event', () => {
  test('is one item per acquirer that sees it, in its own histories, retained for 30 days and an hour', async () => {
    const { mid } = await newSharedBranch(world);
    const terminal = await newTerminal(world.provider, mid);
    const before = new Set(Object.keys(await stored()));
    await asProvider('archiveTerminal', { path: { id: terminal.tid }, body: { reason: 'Stolen' } });
    const items = Object.entries(await stored()).filter(([key]) => !before.has(key));
    expect(items).toHaveLength(2);
    for (const { id } of [world.distributor, world.provider])
      expect(items.filter(([key]) => key.startsWith(`EVENTS#${id}#`))).toEqual([
        [
          expect.any(String),
          {
            body: expect.any(Uint8Array),
            ttl: expect.any(Number),
            branch_history: historyOf(id, mid),
            terminal_history: historyOf(id, terminal.tid),
          },
        ],
      ]);
    for (const [key, { ttl }] of items) {
      const id = key.slice(key.indexOf('#', 7) + 1);
      expect(id).toMatch(MONTH_AND_ID);
      const days = (Number(ttl) * 1000 - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(30);
      expect(days).toBeLessThan(30 + 1.1 / 24);
    }
  });

  test('stays readable as long as its compression dictionary does not change', () => {
    const digest = createHash('sha256').update(DICTIONARY).digest('hex');
    expect(digest).toBe('1dbfed2abda33e3f196a2285dc49895530d6744bff757348ea0a452657e879e5');
  });

  test('of several terminals is in the history of none, and their later events name it', async () => {
    const { mid } = await newSharedBranch(world);
    const terminals = numbered(unique('T'), 2);
    const created = await asProvider('createTerminals', { path: { id: mid }, body: { terminals } });
    const { tid } = created.response.body.data[0];
    const creation_event = created.events?.[world.provider.id]?.[0]?.id ?? '';
    const before = new Set(Object.keys(await stored()));
    await asProvider('deleteTerminal', { path: { id: tid } });
    const items = Object.entries(await stored());
    for (const { id } of [world.distributor, world.provider]) {
      const creation = items.find(([key]) => key.startsWith(`EVENTS#${id}#`) && key.endsWith(creation_event));
      expect(creation?.[1]).toEqual({
        body: expect.any(Uint8Array),
        ttl: expect.any(Number),
        branch_history: historyOf(id, mid),
      });
      const deletion = items.find(([key]) => key.startsWith(`EVENTS#${id}#`) && !before.has(key));
      expect(deletion?.[1]).toMatchObject({ terminal_history: historyOf(id, tid), creation_event });
    }
  });

  test('has a different id for each request, even at the same moment', async () => {
    const { newEventId } = await import('../../../lib/events/eventId.ts');
    const at = '2026-11-20T09:30:00.000Z';
    const ids = Array.from({ length: 100 }, () => newEventId(at, authorOf(world.provider).request_id));
    expect(new Set(ids).size).toBe(100);
    expect(newEventId(at, 'request')).toBe(newEventId(at, 'request'));
    for (const id of ids) expect(id.slice(0, 13)).toBe('01a1f84a-95c0');
  });
});
