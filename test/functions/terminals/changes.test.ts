import { describe, expect, test } from '@jest/globals';
import { expiryOf } from '../../../lib/base/eventId.ts';
import type { ProblemCode } from '../../../lib/base/problem.ts';
import { getItemsAndTombstones } from '../../../lib/table/client.ts';
import { terminalKey } from '../../../lib/table/keys.ts';
import { call, expectProblem } from '../../support/api.ts';
import { BRANCH_ARCHIVED, FOREIGN_TERMINAL, NO_MASTER_ACQUIRER, NO_PAYMENT_APP } from '../../support/constants.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { terminalBody } from '../../support/requests.ts';
import { branchItemOf, storedBy, terminalItemOf } from '../../support/stored.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import {
  addNames,
  archiveBranch,
  listedTerminals,
  newBranch,
  newSharedBranch,
  newSharedTerminal,
  newTerminal,
  restoreTerminal,
  unique,
  useWorld,
} from '../../support/world.ts';
import { archivedWithBranch, expectChanged, shownTerminal, storedTerminal, withTerminals } from './terminals.ts';

/* Archiving and restoring is in archiving.test.ts. */

const world = useWorld();

interface Terminal extends Record<string, unknown> {
  tid: string;
  terminal_id: string;
  serial_no: string | null;
  mid: string;
}

/** What is stored when a terminal of a shared branch releases its serial_no. */
const released = ({ tid, terminal_id, serial_no, mid }: Terminal, released_at: string) =>
  serial_no !== null && {
    [`SERIAL#${serial_no} SERIAL`]: null,
    [`RELEASED#${serial_no} RELEASED`]: {
      ...{ tid, terminal_id, mid, payment_provider: world.provider.id, distributor: world.distributor.id },
      released_at,
      ttl: expiryOf(released_at),
    },
  };

/** Creates a terminal of a shared branch with every field set. */
const newFullTerminal = () => newSharedTerminal(world, terminalBody());

const archive = async (id: string) => {
  const { key } = world.provider;
  return (await call('archiveTerminal', { key, path: { id }, body: { reason: 'Out of order' } })).body.data;
};

const update = (tid: string, body: unknown, { key } = world.provider) =>
  call('updateTerminal', { key, path: { id: tid }, body });
const reassign = (tid: string, mid: unknown, { key } = world.provider) =>
  call('reassignTerminal', { key, path: { id: tid }, body: { mid } });
const remove = (tid: string) => call('deleteTerminal', { key: world.provider.key, path: { id: tid } });

describe('updateTerminal', () => {
  /**
   * Updates a terminal, and asserts the response and what is stored: its serial_no is claimed, another one released.
   */
  const expectUpdated = (terminal: Terminal, body: Record<string, string | null>): Promise<Terminal> =>
    expectChanged(
      terminal,
      () => update(terminal.tid, body),
      (at) => {
        const { serial_no = terminal.serial_no } = body;
        const isSame = serial_no === terminal.serial_no;
        return {
          shown: body,
          stored: Object.fromEntries(Object.entries(body).map(([field, value]) => [field, value ?? undefined])),
          others: {
            ...(!isSame && released(terminal, at)),
            ...(!isSame && serial_no && { [`SERIAL#${serial_no} SERIAL`]: { tid: terminal.tid } }),
          },
        };
      },
    );

  /** Other values than those of a full terminal. */
  const newValues = () => ({
    serial_no: unique('S'),
    terminal_model: 'Desk “Ñ” 🏪',
    payment_app: 'Counter Plus',
    acquirer_name: 'Baltic Merchant Bank',
  });
  const FIELDS = ['serial_no', 'terminal_model', 'payment_app', 'acquirer_name'] as const;

  test('changes only the fields that are sent, and clears a field with null', async () => {
    let terminal: Terminal = await newFullTerminal();
    for (const field of FIELDS) terminal = await expectUpdated(terminal, { [field]: newValues()[field] });
    for (const field of FIELDS) terminal = await expectUpdated(terminal, { [field]: null });
    // All in one request, and then one with the serial_no that it has.
    terminal = await expectUpdated(terminal, newValues());
    await expectUpdated(terminal, { serial_no: terminal.serial_no, terminal_model: 'Desk/3500' });
  });

  test('changes nothing for a body with the values that it has, with no fields or with no content', async () => {
    for (const terminal of [await newFullTerminal(), await newSharedTerminal(world)]) {
      const { serial_no, terminal_model } = terminal;
      for (const body of [{ serial_no, terminal_model }, {}, undefined])
        expect(await bodyOf(() => update(terminal.tid, body))).toEqual({ data: terminal });
    }
  });

  test('sends two reads and one write, without a condition on the branch, payment app or master acquirer', async () => {
    const { tid } = await newFullTerminal();
    const sent = await tableRequestsBy(() => update(tid, newValues()));
    expect(sent.response.status).toBe(200);
    expect(operationsOf(sent)).toBe('BatchGetItem GetItem TransactWriteItems');
    const steps = sent.requests[2]?.input['TransactItems'] as object[];
    // The terminal, the new serial_no, the released one and what it led to, and an event for each acquirer of the
    // branch.
    expect(steps.map((step) => Object.keys(step)[0])).toEqual(['Update', 'Put', 'Delete', 'Put', 'Put', 'Put']);
  });

  test('changes a terminal that is archived, with its branch or not, or restored; its status stays', async () => {
    const terminal = await newFullTerminal();
    const other = await newTerminal(world.provider, terminal.mid);
    const archived = await expectUpdated(await archive(terminal.tid), { terminal_model: 'Desk/3500' });
    const { archived_at } = await archiveBranch(world.provider, terminal.mid);
    await expectUpdated(archivedWithBranch(other, archived_at) as Terminal, { serial_no: unique('S') });
    const restored = await restoreTerminal(world.provider, terminal.tid);
    const active = await expectUpdated(restored, { payment_app: 'Counter Plus' });
    expect([archived['status'], active['status']]).toEqual(['archived', 'active']);
  });

  const NO_NAMES: [string, string, string][] = [
    ['/payment_app', 'not_found', NO_PAYMENT_APP],
    ['/acquirer_name', 'not_found', NO_MASTER_ACQUIRER],
  ];

  test('rejects a card number, before the terminal is read', async () => {
    await expectRefused(() => update('no-uuid', { terminal_model: '4111111111111111' }), 'validation_failed', [
      ['/terminal_model', 'card_number', 'Must not contain a payment card number.'],
    ]);
  });

  test('lists the serial_no of any other terminal together with names that the caller does not have', async () => {
    const { tid, mid } = await newFullTerminal();
    const foreign = await newBranch(world.stranger);
    const others = [
      await newTerminal(world.provider, mid, { serial_no: unique('S') }),
      await newTerminal(world.stranger, foreign.mid, { serial_no: unique('S') }),
    ];
    for (const { serial_no } of others) {
      const body = { serial_no, terminal_model: null, payment_app: 'checkout go', acquirer_name: 'Checkout Go' };
      const sent = await tableRequestsBy(() =>
        expectRefused(() => update(tid, body), 'validation_failed', [
          ['/serial_no', 'taken', 'Another terminal has this serial_no.'],
          ...NO_NAMES,
        ]),
      );
      expect(operationsOf(sent)).toBe('BatchGetItem GetItem');
    }
  });

  test('rejects names that only the other acquirer of the branch has', async () => {
    const { tid } = await newFullTerminal();
    await addNames(world.provider, { paymentApps: ['Payfair App'], masterAcquirers: ['Payfair Bank'] });
    const body = { payment_app: 'Payfair App', acquirer_name: 'Payfair Bank' };
    await expectRefused(() => update(tid, body, world.distributor), 'validation_failed', NO_NAMES);
    expect((await update(tid, body)).status).toBe(200);
  });
});

describe('reassignTerminal', () => {
  const NO_TARGET = 'No branch with the target MID exists.';
  const FOREIGN_TARGET =
    'The target MID is not under the same payment provider as the terminal, or not accessible to you.';
  const ALREADY_THERE = 'The terminal is already under the target MID.';

  /**
   * Moves a terminal, and asserts the response and what is stored: only the target lists the terminal.
   *
   * @param stored Further attributes that the move sets.
   */
  async function expectMoved(terminal: Terminal, mid: string, stored: object = {}): Promise<Terminal> {
    const [from, to] = [await branchItemOf(terminal.mid), await branchItemOf(mid)];
    const order = (await terminalItemOf(terminal.tid))?.['branch_order'] as string;
    const { distributor } = to as { distributor?: string };
    return expectChanged(
      terminal,
      () => reassign(terminal.tid, mid),
      (at) => ({
        shown: { mid },
        stored: { mid, restored: undefined, ...stored },
        others: {
          [`BRANCH#${terminal.mid} BRANCH`]: withTerminals(from, at, [], terminal.tid),
          [`BRANCH#${mid} BRANCH`]: withTerminals(to, at, [order]),
          // It was never seen.
          [`LAST_SEEN#${terminal.tid} LAST_SEEN`]: { mid, ...(distributor && { distributor }) },
        },
      }),
    );
  }

  test('moves a terminal with all its values, back and forth; the left branch does not archive it', async () => {
    const terminal = await newFullTerminal();
    await newTerminal(world.provider, terminal.mid);
    const target = await newSharedBranch(world);
    const moved = await expectMoved(terminal, target.mid);
    expect(await listedTerminals(world.provider, target.mid)).toEqual([moved]);
    const again = await expectMoved(await expectMoved(moved, terminal.mid), target.mid);
    await archiveBranch(world.provider, terminal.mid);
    expect(await listedTerminals(world.provider, target.mid)).toEqual([again]);
  });

  test('moves a terminal from a shared branch to one without a distributor, which then cannot access it', async () => {
    const { provider, distributor } = world;
    const terminal = await newSharedTerminal(world);
    await expectMoved(terminal, (await newBranch(provider)).mid);
    const response = await reassign(terminal.tid, terminal.mid, distributor);
    expectProblem(response, 'not_under_requesting_psp', FOREIGN_TERMINAL);
  });

  test('moves a terminal to a branch whose MID is a UUID, in either case', async () => {
    const { tid } = await newSharedTerminal(world);
    const { mid } = await newSharedBranch(world, { mid: crypto.randomUUID() });
    expect((await reassign(tid, mid.toUpperCase())).body.data).toMatchObject({ tid, mid });
  });

  test('leaves an archived terminal archived', async () => {
    const archived = await archive((await newSharedTerminal(world)).tid);
    const moved = await expectMoved(archived, (await newSharedBranch(world)).mid);
    expect(moved['status']).toBe('archived');
    expect(await listedTerminals(world.provider, moved.mid)).toEqual([moved]);
  });

  test('leaves a terminal archived that was archived with its branch, and active if restored there', async () => {
    const { provider } = world;
    const terminal = await newSharedTerminal(world);
    const other = await newTerminal(provider, terminal.mid);
    const target = await newSharedBranch(world);
    const { archived_at } = await archiveBranch(provider, terminal.mid);
    const restored = await restoreTerminal(provider, other.tid);
    expect(await terminalItemOf(other.tid)).toMatchObject({ restored: archived_at });

    const archiving = { archived_at, archive_reason: 'Archived with its branch.' };
    const moved = await expectMoved(archivedWithBranch(terminal, archived_at) as Terminal, target.mid, archiving);
    const active = await expectMoved(restored, target.mid);
    expect(await listedTerminals(provider, target.mid)).toEqual([active, moved]);

    // As always, the target archives what is active, and what is archived can be restored.
    const { archived_at: later } = await archiveBranch(provider, target.mid);
    expect(await listedTerminals(provider, target.mid)).toEqual([archivedWithBranch(active, later), moved]);
    expect(await restoreTerminal(provider, terminal.tid)).toMatchObject({ status: 'active', archived_at: null });
  });

  const newTarget = async () => (await newBranch(world.provider)).mid;
  const archivedBranch = async (mid: string): Promise<string> => (await archiveBranch(world.provider, mid)).mid;
  const ofAnotherProvider = async () =>
    (await newBranch(world.distributor, { payment_provider: world.secondProvider.id })).mid;

  test.each<[string, ProblemCode, string, (mid: string) => Promise<string> | string, ('distributor' | 'provider')?]>([
    ['the MID that the terminal is already under', 'already_under_target_mid', ALREADY_THERE, (mid) => mid],
    ['that MID, if the branch is archived', 'already_under_target_mid', ALREADY_THERE, archivedBranch],
    ['an archived target', 'branch_archived', BRANCH_ARCHIVED, async () => archivedBranch(await newTarget())],
    ['a target of another provider', 'not_under_requesting_psp', FOREIGN_TARGET, ofAnotherProvider, 'distributor'],
  ])('rejects %s with %s', async (_, code, detail, targetOf, caller = 'provider') => {
    const { tid, mid } = await newSharedTerminal(world);
    const target = await targetOf(mid);
    await expectRefused(() => reassign(tid, target, world[caller]), code, detail);
  });

  test('rejects a target that does not exist', async () => {
    const { tid } = await newSharedTerminal(world);
    await expectRefused(() => reassign(tid, 'NOSUCHMID'), 'not_found', NO_TARGET);
  });
});

describe('deleteTerminal', () => {
  /** Deletes a terminal, and asserts the response and what is stored. Returns the time of the deletion. */
  async function expectDeleted(terminal: Terminal): Promise<string> {
    const { tid, terminal_id, mid } = terminal;
    const branch = await branchItemOf(mid);
    const { response, changed } = await storedBy(() => remove(tid));
    expect([response.status, response.body]).toEqual([200, { data: { tid, terminal_id } }]);
    // The response has no time.
    const at = String(changed[`BRANCH#${mid} BRANCH`]?.['terminals_changed_at']);
    expect(at > String(branch?.['terminals_changed_at'])).toBe(true);
    // Only of one that was seen, or moved.
    const { [`LAST_SEEN#${tid} LAST_SEEN`]: seen = null, ...others } = changed;
    expect([seen, others]).toEqual([
      null,
      {
        [`TERMINAL#${tid} TERMINAL`]: null,
        ...released(terminal, at),
        [`BRANCH#${mid} BRANCH`]: withTerminals(branch, at, [], tid),
      },
    ]);
    return at;
  }

  test('deletes a terminal, releases its serial_no and removes it from the list of its branch', async () => {
    const { mid } = await newSharedTerminal(world);
    const terminal = await newTerminal(world.provider, mid, terminalBody());
    const { tid, updated_at } = terminal;
    const deleted_at = await expectDeleted(terminal);
    expect(deleted_at > updated_at).toBe(true);
    // The tombstone in its place expires 25 seconds later.
    expect(await getItemsAndTombstones([terminalKey(tid)])).toEqual({
      items: [undefined],
      tombstones: [{ ...terminalKey(tid), deleted_at, ttl: Math.ceil((Date.parse(deleted_at) + 25_000) / 1000) }],
    });
  });

  test.each<[string, (terminal: Terminal) => Promise<unknown>]>([
    ['is archived', ({ tid }) => archive(tid)],
    ['is archived with its branch', ({ mid }) => archiveBranch(world.provider, mid)],
    [
      'was restored under its archived branch',
      async ({ tid, mid }) => [await archiveBranch(world.provider, mid), await restoreTerminal(world.provider, tid)],
    ],
    [
      'was reassigned',
      async (terminal) =>
        Object.assign(terminal, (await reassign(terminal.tid, (await newSharedBranch(world)).mid)).body.data),
    ],
  ])('deletes a terminal that %s', async (_, change) => {
    const terminal = await newFullTerminal();
    await change(terminal);
    await expectDeleted(terminal);
  });

  test(
    'allows terminal_id and serial_no to be used again, by a terminal without the deleted one’s ' + 'values',
    async () => {
      const { key } = world.provider;
      const deleted = await newFullTerminal();
      await archive(deleted.tid);
      await remove(deleted.tid);
      const { mid } = await newSharedBranch(world);
      const branch = await branchItemOf(mid);

      const { tid, terminal_id, serial_no } = deleted;
      const { response, changed } = await storedBy(() =>
        call('createTerminals', { key, path: { id: mid }, body: { terminals: [{ terminal_id, serial_no }] } }),
      );

      expect(response.status).toBe(201);
      const [terminal] = response.body.data;
      const { created_at } = terminal;
      expect(created_at > deleted.created_at).toBe(true);
      expect(response.body.data).toEqual([shownTerminal({ tid, terminal_id, serial_no, mid, updated_at: created_at })]);
      expect(changed).toEqual({
        [`TERMINAL#${tid} TERMINAL`]: storedTerminal(terminal),
        [`SERIAL#${serial_no} SERIAL`]: { tid },
        [`BRANCH#${mid} BRANCH`]: withTerminals(branch, created_at, [`${created_at}#000#${tid}`]),
      });
    },
  );
});
