import { tidOf } from '../../../lib/table/keys.ts';
import type { Case } from '../case.ts';
import { expect, type World } from '../world.ts';
import { replayed } from './branches.ts';

/** How often a list is read right after a create, before an index can show it. */
const EARLY_READS = 3;

/** Creates terminals in a branch, and returns their TIDs. */
async function newTerminals(world: World, mid: string, count: number): Promise<string[]> {
  const terminals = Array.from({ length: count }, () => {
    const { terminal_id, serial_no } = world.subject();
    return { terminal_id, serial_no };
  });
  const { body } = await world.call('createTerminals', { path: { id: mid }, body: { terminals } }, 201);
  return body.data.map(({ tid }: { tid: string }) => tid);
}

export const TERMINALS: Case[] = [
  {
    name: 'terminals are created, once',
    covers: ['createTerminals'],
    run: async (world) => {
      const subject = world.subject();
      await world.prepare('createTerminals', subject);
      const { path, body } = world.request('createTerminals', subject);
      await replayed(
        world,
        'createTerminals',
        { path, body },
        { terminals: [{ terminal_id: world.subject().terminal_id }] },
      );
      const taken = await world.call('createTerminals', { path, body }, [422, 'validation_failed']);
      expect(taken.body.errors.length === 2, 'does not report terminal_id and serial_no', 'createTerminals', taken);
    },
  },
  {
    name: 'terminals are listed as soon as they are created',
    covers: ['listTerminals'],
    run: async (world) => {
      const subject = world.subject();
      await world.prepare('listTerminals', subject);
      const path = { id: subject.mid };
      for (let read = 1; read <= EARLY_READS; read += 1) {
        const [tid] = await newTerminals(world, subject.mid, 2);
        const { body } = await world.call('listTerminals', { path }, 200);
        expect(
          body.data.some((each: { tid: string }) => each.tid === tid),
          'misses a new terminal',
          'listTerminals',
        );
      }
      await world.call('listTerminals', { path, query: { sort: 'asc', per_page: '1', page: '2' } }, 200);
      const asMid = await world.call('listTerminals', { path: { id: tidOf(subject.terminal_id) } }, [404, 'not_found']);
      expect(asMid.body.detail.includes('/find?tid='), 'does not explain a TID', 'listTerminals', asMid);
    },
  },
  {
    name: 'a terminal is updated, archived, restored and deleted, and its history shows it',
    covers: ['updateTerminal', 'archiveTerminal', 'restoreTerminal', 'deleteTerminal', 'getTerminalHistory'],
    run: async (world) => {
      const subject = world.subject();
      const path = { id: tidOf(subject.terminal_id) };
      await world.prepare('updateTerminal', subject);
      const { body } = world.request('updateTerminal', subject);
      const updated = await world.call('updateTerminal', { path, body, headers: { 'if-match': '*' } }, 200);
      const outdated = { path, body: { serial_no: null }, headers: { 'if-match': '"2020-01-01T00:00:00.000Z"' } };
      await world.call('updateTerminal', outdated, [412, 'precondition_failed']);
      expect(updated.body.data.serial_no === subject.added.serial_no, 'keeps the serial_no', 'updateTerminal', updated);
      const reason = { reason: 'Verification' };
      await world.call('archiveTerminal', { path, body: reason }, 200);
      await world.call('archiveTerminal', { path, body: reason }, [400, 'already_archived']);
      await world.call('restoreTerminal', { path }, 200);
      await world.call('restoreTerminal', { path }, [400, 'not_archived']);
      await world.call('deleteTerminal', { path }, 200);
      await world.call('deleteTerminal', { path }, [404, 'not_found']);
      const types = ['terminal.deleted', 'terminal.restored', 'terminal.archived', 'terminal.updated'];
      await world.eventually('getTerminalHistory', { path }, types.join(', '), ({ data }) =>
        types.every((type, at) => data[at]?.type === type),
      );
    },
  },
  {
    name: 'a terminal moves to another branch, once, and both histories show it',
    covers: ['reassignTerminal', 'getTerminalHistory', 'getBranchHistory'],
    run: async (world) => {
      const subject = world.subject();
      await world.prepare('reassignTerminal', subject);
      const { path, body } = world.request('reassignTerminal', subject);
      await replayed(world, 'reassignTerminal', { path, body }, { mid: subject.mid });
      await world.call('reassignTerminal', { path, body }, [400, 'already_under_target_mid']);
      for (const mid of [subject.mid, subject.target])
        await world.eventually('getBranchHistory', { path: { mid } }, `the move at ${mid}`, ({ data }) =>
          data.some(({ type }: { type: string }) => type === 'terminal.reassigned'),
        );
    },
  },
  {
    name: 'the history of a terminal begins with the creation of several',
    covers: ['getTerminalHistory'],
    run: async (world) => {
      const { mid } = (await world.valid('createBranch', world.subject())).body.data;
      const [tid = ''] = await newTerminals(world, mid, 2);
      await world.eventually('getTerminalHistory', { path: { id: tid } }, 'the creation', ({ data }) =>
        data.some(({ type }: { type: string }) => type === 'terminals.created'),
      );
    },
  },
  {
    name: 'a terminal of another acquirer is refused',
    covers: ['updateTerminal', 'archiveTerminal', 'reassignTerminal', 'deleteTerminal', 'getTerminalHistory'],
    run: async (world) => {
      const by = world.party('otherProvider');
      const subject = world.subject();
      await world.prepare('updateTerminal', subject);
      const path = { id: tidOf(subject.terminal_id) };
      const foreign: [number, string] = [400, 'not_under_requesting_psp'];
      await world.call('updateTerminal', { by, path, body: { terminal_model: 'Other' } }, foreign);
      await world.call('archiveTerminal', { by, path, body: { reason: 'Verification' } }, foreign);
      await world.call('reassignTerminal', { by, path, body: { mid: subject.mid } }, foreign);
      await world.call('deleteTerminal', { by, path }, [404, 'not_found']);
      await world.call('getTerminalHistory', { by, path }, [404, 'not_found']);
    },
  },
  {
    name: 'terminals name only what their acquirer may',
    covers: ['createTerminals', 'updateTerminal', 'createBranch'],
    run: async (world) => {
      const subject = world.subject();
      await world.prepare('updateTerminal', subject);
      const unknown = { payment_app: 'No such app', acquirer_name: 'No such acquirer' };
      const terminals = [{ terminal_id: world.subject().terminal_id, ...unknown }];
      const refused: [number, string] = [422, 'validation_failed'];
      await world.call('updateTerminal', { path: { id: tidOf(subject.terminal_id) }, body: unknown }, refused);
      await world.call('createTerminals', { path: { id: subject.mid }, body: { terminals } }, refused);
      const { mid } = world.subject();
      const { master_merchant_id } = subject;
      await world.call('createBranch', { body: { mid, master_merchant_id, terminals } }, refused);
    },
  },
];
