import { createHash, randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newEventId } from '../../../lib/base/eventId.ts';
import { DICTIONARY, EventPage } from '../../../lib/events/event.ts';
import { historyOf } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { TIME } from '../../support/constants.ts';
import { changesBy, storedBy } from '../../support/stored.ts';
import {
  archiveBranch,
  type Caller,
  newBranch,
  newDistributorOf,
  newSharedBranch,
  newTerminal,
  numbered,
  unique,
  useWorld,
} from '../../support/world.ts';

const world = useWorld();
let otherDistributor: Caller;
beforeAll(async () => {
  otherDistributor = await newDistributorOf(world.provider);
});

/** The fields that the copies of an event by the provider share, and what only its own copy says. */
function copiesOf(response: ApiResponse, at: string) {
  const { provider } = world;
  const key_id = createHash('sha256').update(provider.key).digest('hex').slice(0, 12);
  const by = { acquirer: provider.id, acquirer_name: provider.name, key_id: null, key_label: null, person: null };
  const { 'x-request-id': request_id } = response.headers;
  const common = { id: expect.any(String), at, request_id, changes: null, reason: null };
  return { own: { ...common, by: { ...by, key_id, key_label: 'test' } }, others: { ...common, by } };
}

/** Calls an operation as the provider. */
const asProvider = (operation: Operation, request: Omit<Request, 'key'>) =>
  storedBy(() => call(operation, { key: world.provider.key, ...request }));

interface Change {
  operation: Operation;
  request: Omit<Request, 'key'>;
  /** The field of the response with the time of the change. */
  at: 'created_at' | 'updated_at' | 'archived_at';
  event: { type: string; branch: object; changes?: object };
}
const active = (mid: string) => ({ mid, status: 'active', archived_at: null });
const newShared = async () => (await newSharedBranch(world)).mid;

/** Makes a change of one terminal ready. */
const changeOf =
  (operation: Operation, type: string, at: Change['at'], body?: object, prepare?: (id: string) => Promise<unknown>) =>
  async (): Promise<Change> => {
    const mid = await newShared();
    const { tid } = await newTerminal(world.provider, mid);
    await prepare?.(tid);
    return { operation, request: { path: { id: tid }, body }, at, event: { type, branch: active(mid) } };
  };

/** Changes of a branch of both acquirers or of its terminals, each completing a test title. */
const CHANGES: Record<string, () => Promise<Change>> = {
  'the creation of a branch with its terminals': async () => {
    const [mid, terminals] = [unique('MID'), numbered(unique('T'), 2)];
    const body = { mid, master_merchant_id: unique('MM'), distributor: world.distributor.id, terminals };
    const event = { type: 'branch.created', branch: active(mid) };
    return { operation: 'createBranch', request: { body }, at: 'created_at', event };
  },
  'the archiving of a branch, with the reason that the request gives': async () => {
    const { mid } = await newSharedBranch(world, { terminals: numbered(unique('T'), 2) });
    const reason = 'Refurbishment: até março';
    const event = { type: 'branch.archived', branch: { mid, status: 'archived', archived_at: TIME }, reason };
    return { operation: 'archiveBranch', request: { path: { mid }, query: { reason } }, at: 'archived_at', event };
  },
  'the restoring of a branch, with the time when it was archived': async () => {
    const { mid } = await newSharedBranch(world);
    const { archived_at } = await archiveBranch(world.distributor, mid);
    const event = { type: 'branch.restored', branch: active(mid), changes: { status: 'archived', archived_at } };
    return { operation: 'restoreBranch', request: { path: { mid } }, at: 'updated_at', event };
  },
  'an update of a branch, with the previous values of the fields that it changed': async () => {
    const { mid } = await newSharedBranch(world, { branch_name: 'Harbour', city: 'Porto', area: 'Baixa' });
    const changes = { merchant_name: 'Harbour', area: 'Baixa' };
    const event = { type: 'branch.updated', branch: active(mid), changes };
    const body = { branch_name: 'Station', city: 'Porto', area: null };
    return { operation: 'updateBranch', request: { path: { mid }, body }, at: 'updated_at', event };
  },
  'forty new terminals, as a single event': async () => {
    const mid = await newShared();
    const terminals = numbered(unique('T'), 40).map((each) => ({ ...each, serial_no: unique('S') }));
    const request = { path: { id: mid }, body: { terminals } };
    return {
      operation: 'createTerminals',
      request,
      at: 'created_at',
      event: { type: 'terminals.created', branch: active(mid) },
    };
  },
  'an update, with the previous values of the fields that it changed': async () => {
    const mid = await newShared();
    const fields = { serial_no: unique('S'), terminal_model: 'Handheld 2', payment_app: 'Checkout Go' };
    const { tid } = await newTerminal(world.provider, mid, fields);
    const body = { ...fields, serial_no: null, terminal_model: 'Handheld 3', acquirer_name: 'Atlantic Acquiring' };
    const changes = { serial_no: fields.serial_no, terminal_model: 'Handheld 2', acquirer_name: null };
    const event = { type: 'terminal.updated', branch: active(mid), changes };
    return { operation: 'updateTerminal', request: { path: { id: tid }, body }, at: 'updated_at', event };
  },
  'the archiving of a terminal': changeOf('archiveTerminal', 'terminal.archived', 'archived_at', { reason: 'Stolen' }),
  'the restoring of a terminal': changeOf('restoreTerminal', 'terminal.restored', 'updated_at', undefined, (id) =>
    asProvider('archiveTerminal', { path: { id }, body: { reason: 'Stolen' } }),
  ),
  'the restoring of a terminal under its archived branch': async () => {
    const { mid, terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 1) });
    const { archived_at } = await archiveBranch(world.distributor, mid);
    const event = { type: 'terminal.restored', branch: { mid, status: 'archived', archived_at } };
    return { operation: 'restoreTerminal', request: { path: { id: terminals[0].tid } }, at: 'updated_at', event };
  },
  'a reassignment between their branches, with the previous MID': async () => {
    const [from, mid] = [await newShared(), await newShared()];
    const { tid } = await newTerminal(world.provider, from);
    const event = { type: 'terminal.reassigned', branch: active(mid), changes: { mid: from } };
    return { operation: 'reassignTerminal', request: { path: { id: tid }, body: { mid } }, at: 'updated_at', event };
  },
};

describe('both acquirers of a branch, and no others, have an event for', () => {
  /** Asserts the events of a change by the provider. */
  function expectShared({ response, events = {} }: Awaited<ReturnType<typeof asProvider>>, at: string, event: object) {
    const { provider, distributor } = world;
    const { own, others } = copiesOf(response, at);
    const { data } = response.body;
    expect(events).toEqual({
      [provider.id]: [{ ...own, data, ...event }],
      [distributor.id]: [{ ...others, data, ...event }],
    });
    expect(new Set(Object.values(events).map(([copy]) => copy?.id)).size).toBe(1);
  }

  test.each(Object.entries(CHANGES))('%s', async (_, prepare) => {
    const { operation, request, at, event } = await prepare();
    const done = await asProvider(operation, request);
    expectShared(done, [done.response.body.data].flat()[0][at], event);
  });

  test('the deletion of a terminal, later than its last change', async () => {
    const mid = await newShared();
    const { tid, terminal_id, updated_at } = await newTerminal(world.provider, mid);
    const done = await asProvider('deleteTerminal', { path: { id: tid } });
    expect(done.response.body).toEqual({ data: { tid, terminal_id } });
    const at = done.events?.[world.provider.id]?.[0]?.at ?? '';
    expect(at > updated_at).toBe(true);
    expectShared(done, at, { type: 'terminal.deleted', branch: active(mid) });
  });
});

describe('a reassigned terminal', () => {
  test('leaves one distributor and joins another, and neither sees the other’s branch', async () => {
    const { provider, distributor } = world;
    const from = await newShared();
    const { mid } = await newBranch(otherDistributor, { payment_provider: provider.id });
    const { tid, terminal_id } = await newTerminal(provider, from);

    const { response, events = {} } = await asProvider('reassignTerminal', { path: { id: tid }, body: { mid } });

    const { data } = response.body;
    const { own, others } = copiesOf(response, data.updated_at);
    expect(events).toEqual({
      [provider.id]: [{ ...own, type: 'terminal.reassigned', branch: active(mid), data, changes: { mid: from } }],
      [otherDistributor.id]: [{ ...others, type: 'terminal.joined', branch: active(mid), data }],
      [distributor.id]: [{ ...others, type: 'terminal.left', branch: active(from), data: { tid, terminal_id } }],
    });
  });

  test('joins and leaves for the distributor of only one of the branches', async () => {
    const { provider, distributor } = world;
    const [own, shared] = [(await newBranch(provider)).mid, await newShared()];
    const { tid } = await newTerminal(provider, own);
    for (const [mid, type] of [
      [shared, 'terminal.joined'],
      [own, 'terminal.left'],
    ] as const) {
      const { events } = await asProvider('reassignTerminal', { path: { id: tid }, body: { mid } });
      expect(events).toMatchObject({ [provider.id]: [{ type: 'terminal.reassigned' }], [distributor.id]: [{ type }] });
      expect(Object.keys(events ?? {})).toHaveLength(2);
    }
  });
});

describe('a stored event', () => {
  /** The items of events that a change stores, by key. */
  async function eventItemsOf(operation: Operation, request: Omit<Request, 'key'>) {
    const { after } = await changesBy(() => call(operation, { key: world.provider.key, ...request }));
    return Object.entries(after).filter(([key]) => key.startsWith('EVENTS#'));
  }
  const item = { body: expect.any(Uint8Array), ttl: expect.any(Number) };
  const acquirerIn = (key: string) => key.split('#')[1] as string;

  test('is one item per acquirer that sees it, in its own histories, retained for 30 days and an hour', async () => {
    const mid = await newShared();
    const { tid } = await newTerminal(world.provider, mid);
    const items = await eventItemsOf('archiveTerminal', { path: { id: tid }, body: { reason: 'Stolen' } });
    const acquirers = items.map(([key]) => acquirerIn(key)).sort();
    expect(acquirers).toEqual([world.distributor.id, world.provider.id].sort());
    for (const [key, attributes] of items) {
      const id = acquirerIn(key);
      expect(key).toMatch(/^EVENTS#[^#]+#\d{4}-\d\d [\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      const histories = { branch_history: historyOf(id, mid), terminal_history: historyOf(id, tid) };
      expect(attributes).toEqual({ ...item, ...histories });
      const hours = (Number(attributes['ttl']) * 1000 - Date.now()) / 3_600_000 - 30 * 24;
      expect(hours).toBeGreaterThan(0);
      expect(hours).toBeLessThan(1.1);
    }
  });

  test('of several terminals is in the history of none, and their later events name it', async () => {
    const mid = await newShared();
    const terminals = numbered(unique('T'), 2);
    const creations = await eventItemsOf('createTerminals', { path: { id: mid }, body: { terminals } });
    const [, { tid }] = (await call('listTerminals', { key: world.provider.key, path: { id: mid } })).body.data;
    const deletions = await eventItemsOf('deleteTerminal', { path: { id: tid } });
    expect([creations.length, deletions.length]).toEqual([2, 2]);
    for (const [key, creation] of creations)
      expect(creation).toEqual({ ...item, branch_history: historyOf(acquirerIn(key), mid) });
    const creation_event = creations[0]?.[0].split(' ')[1];
    for (const [key, deletion] of deletions)
      expect(deletion).toMatchObject({ terminal_history: historyOf(acquirerIn(key), tid), creation_event });
  });

  test('stays readable as long as its compression dictionary does not change', () => {
    const digest = createHash('sha256').update(DICTIONARY).digest('hex');
    expect(digest).toBe('1dbfed2abda33e3f196a2285dc49895530d6744bff757348ea0a452657e879e5');
  });
});

test('a page ends before an event with which its body would exceed 1 MB', () => {
  const copyOf = (length: number) => {
    const text = JSON.stringify({ type: 'branch.created', by: {}, data: 'x'.repeat(length) });
    return {
      sk: newEventId(new Date().toISOString(), randomUUID()),
      body: deflateRawSync(text, { dictionary: DICTIONARY }),
    };
  };
  const page = new EventPage(50);
  page.add([400_000, 600_000, 100_000].map(copyOf));
  expect([page.events.length, page.isCut]).toEqual([2, true]);
  const ofOne = new EventPage(50);
  ofOne.add([2_000_000, 1].map(copyOf));
  expect([ofOne.events.length, ofOne.isCut]).toEqual([1, true]);
});
