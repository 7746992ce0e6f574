import { randomUUID } from 'node:crypto';
import { SEALING } from '../../../lib/branches/ranks.ts';
import type { Request } from '../../local/invoke.ts';
import type { Party } from '../acquirers.ts';
import type { Case } from '../case.ts';
import { expect, type World } from '../world.ts';

const keyed = () => ({ 'idempotency-key': randomUUID() });

/** Sends a create twice with an Idempotency-Key, then another one with the same key. */
export async function replayed(
  world: World,
  operation: 'createBranch' | 'createTerminals' | 'reassignTerminal',
  request: Request & { by?: Party },
  other: object,
): Promise<void> {
  const sent = { ...request, headers: keyed() };
  const status = operation === 'reassignTerminal' ? 200 : 201;
  const first = await world.call(operation, sent, status);
  const again = await world.call(operation, sent, status);
  const isReplay = again.headers['idempotent-replayed'] === 'true';
  expect(isReplay && JSON.stringify(again.body) === JSON.stringify(first.body), 'no replay', operation, again);
  await world.call(operation, { ...sent, body: other }, [422, 'idempotency_key_reused']);
}

const terminals = (world: World, count: number) =>
  Array.from({ length: count }, () => {
    const { terminal_id, serial_no } = world.subject();
    return { terminal_id, serial_no };
  });

/** The most attempts until a create also seals a list. Each does with the probability of {@link SEALING}. */
const MOST_ATTEMPTS = 150;

/**
 * Creates branches of two acquirers whose lists nothing else reads, waits until they can be ranked, and has both lists ranked:
 * one by a list, the other by creates. A create that its Idempotency-Key refuses creates nothing, but seals.
 */
async function sealBoth(world: World): Promise<void> {
  const operator = world.operator();
  const [provider, distributor] = [world.party('otherProvider'), world.party('otherDistributor')];
  const bodyOf = (mid: string) => ({ mid, master_merchant_id: 'VERIFICATION', branch_name: `Verification ${mid}` });
  const headers = keyed();
  const midOf = () => world.subject().mid;
  for (let count = 1; count <= SEALING.least; count += 1)
    await world.call(
      'createBranch',
      { by: distributor, body: { ...bodyOf(midOf()), payment_provider: provider.id } },
      201,
    );
  await world.call('createBranch', { by: provider, headers, body: bodyOf(midOf()) }, 201);
  await world.place.wait(SEALING.horizonMs + 1_000);

  const before = await operator.ranked(distributor);
  const listed = await world.call('listBranches', { by: distributor, query: { per_page: '100' } }, 200);
  expect((await operator.ranked(distributor)) > before, 'the list was not ranked', 'listBranches', listed);
  // Ranked or not, all are listed.
  const again = await world.call('listBranches', { by: distributor, query: { per_page: '100' } }, 200);
  expect(listed.body.meta.total === again.body.meta.total, 'ranking changed the list', 'listBranches', again);

  const ranked = await operator.ranked(provider);
  for (let attempt = 1; (await operator.ranked(provider)) === ranked; attempt += 1) {
    const sent = { by: provider, headers, body: bodyOf(midOf()) };
    const refused = await world.call('createBranch', sent, [422, 'idempotency_key_reused']);
    expect(attempt < MOST_ATTEMPTS, 'no create ranked the list', 'createBranch', refused);
  }
}

export const BRANCHES: Case[] = [
  {
    name: 'a distributor creates a branch, once',
    covers: ['createBranch'],
    run: async (world) => {
      const subject = world.subject(world.distributor);
      const { body } = world.request('createBranch', subject);
      const other = { mid: world.subject().mid, master_merchant_id: subject.master_merchant_id };
      await replayed(
        world,
        'createBranch',
        { by: world.distributor, body },
        { ...other, payment_provider: world.provider.id },
      );
      const taken = await world.call('createBranch', { by: world.distributor, body }, [422, 'validation_failed']);
      const pointers = taken.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      const expected = ['/mid', '/terminals/0/terminal_id', '/terminals/0/serial_no'];
      expect(
        expected.every((each) => pointers.includes(each)),
        `reports only ${pointers} as taken`,
        'createBranch',
        taken,
      );
    },
  },
  {
    name: 'a provider creates a branch of a distributor, with so many terminals that its words come later',
    covers: ['createBranch', 'listBranches'],
    run: async (world) => {
      const subject = world.subject();
      const { body } = world.request('createBranch', subject);
      const branch_name = 'Verification of a branch with more words than fit into one transaction';
      await world.call(
        'createBranch',
        { body: { ...(body as object), branch_name, terminals: terminals(world, 40) } },
        201,
      );
      const query = { search: `verification ${subject.mid}` };
      for (const by of [world.provider, world.distributor])
        await world.eventually(
          'listBranches',
          { by, query },
          'the new branch',
          ({ data }) => data[0]?.mid === subject.mid,
        );
    },
  },
  {
    name: 'a change that is only validated stores nothing',
    covers: ['createBranch', 'getBranch'],
    run: async (world) => {
      const subject = world.subject();
      await world.call(
        'createBranch',
        { ...world.request('createBranch', subject), query: { validate_only: 'true' } },
        200,
      );
      await world.call('getBranch', { path: { mid: subject.mid } }, [404, 'not_found']);
    },
  },
  {
    name: 'branches are listed in pages',
    covers: ['listBranches', 'createBranch'],
    run: async (world) => {
      const { mid } = (await world.valid('createBranch', world.subject(world.distributor), world.distributor)).body
        .data;
      for (const by of [world.provider, world.distributor]) {
        const list = (query: Record<string, string>) => world.call('listBranches', { by, query }, 200);
        const newest = await list({ per_page: '100' });
        expect(
          newest.body.data.some((each: { mid: string }) => each.mid === mid),
          'misses the new branch',
          'listBranches',
          newest,
        );
        const { total } = newest.body.meta;
        const last = await list({ per_page: '1', page: `${total}` });
        expect(last.body.data.length === 1, `has no page ${total}`, 'listBranches', last);
        await list({ sort: 'asc', per_page: '2', page: '1' });
      }
    },
  },
  {
    name: 'branches are found by words that are not indexed yet',
    covers: ['listBranches'],
    run: async (world) => {
      const operator = world.operator();
      const { mid } = (await world.valid('createBranch', world.subject())).body.data;
      await operator.unindexBranch(mid);
      await world.eventually('listBranches', { query: { search: mid } }, 'it', ({ data }) => data[0]?.mid === mid);
    },
  },
  {
    name: 'lists are ranked, by lists and by creates',
    covers: ['listBranches', 'createBranch'],
    waits: true,
    run: async (world) => {
      // The first time, there is nothing that the next seal removes.
      if ((await world.operator().ranked(world.party('otherProvider'))) === 0) await sealBoth(world);
      await sealBoth(world);
    },
  },
  {
    name: 'a branch is read, renamed, archived and restored, and its history shows it',
    covers: ['getBranch', 'updateBranch', 'archiveBranch', 'restoreBranch', 'getBranchHistory'],
    run: async (world) => {
      const subject = world.subject();
      const path = { mid: subject.mid };
      await world.prepare('getBranch', subject);
      const { headers } = await world.call('getBranch', { path }, 200);
      const etag = headers['etag'] ?? '';
      const body = { branch_name: `Verification renamed ${world.tag}` };
      await world.call('updateBranch', { path, body, headers: { 'if-match': etag } }, 200);
      const outdated = { path, body: { city: 'Braga' }, headers: { 'if-match': etag } };
      await world.call('updateBranch', outdated, [412, 'precondition_failed']);
      const archived = await world.call('archiveBranch', { path }, 200);
      expect(archived.body.data.status === 'archived', 'is not archived', 'archiveBranch', archived);
      await world.call('archiveBranch', { path }, [400, 'already_archived']);
      await world.call('restoreBranch', { path }, 200);
      await world.call('restoreBranch', { path }, [400, 'not_archived']);
      const types = ['branch.restored', 'branch.archived', 'branch.updated', 'branch.created'];
      await world.eventually('getBranchHistory', { path }, types.join(', '), ({ data }) =>
        types.every((type, at) => data[at]?.type === type),
      );
      const first = await world.call('getBranchHistory', { path, query: { limit: '2' } }, 200);
      const next = { path, query: { limit: '2', before: first.body.meta.next } };
      const second = await world.call('getBranchHistory', next, 200);
      expect(second.body.data[0]?.type === types[2], 'the second page is another', 'getBranchHistory', second);
    },
  },
  {
    name: 'a branch of another acquirer does not exist',
    covers: ['getBranch', 'getBranchHistory', 'listTerminals'],
    run: async (world) => {
      const by = world.party('otherProvider');
      const subject = world.subject();
      await world.prepare('getBranch', subject);
      await world.call('getBranch', { by, path: { mid: subject.mid } }, [404, 'not_found']);
      await world.call('getBranchHistory', { by, path: { mid: subject.mid } }, [404, 'not_found']);
      await world.call('listTerminals', { by, path: { id: subject.mid } }, [404, 'not_found']);
    },
  },
];
