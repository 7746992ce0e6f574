import { FEED } from '../../../lib/eventFeed.ts';
import { addCard } from '../../../lib/member.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { cursorOf } from '../../support/cursors.ts';
import { newSharedBranch, newTerminal, newWorld, unique, type World } from '../../support/world.ts';

/**
 * For each operation a maker of requests that it answers with its success, with every parameter and every field that they
 * can have. All are the payment provider's.
 */
export async function newRequests(): Promise<{ world: World; requestOf: (operation: Operation) => Promise<Request> }> {
  const world = await newWorld();
  const { provider, distributor } = world;
  await addCard('anna', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
  const [{ mid }, target] = [await newSharedBranch(world), await newSharedBranch(world)];
  const newTid = async () => (await newTerminal(provider, mid)).tid;
  const { tid, terminal_id, serial_no } = await newTerminal(provider, mid, { serial_no: unique('S') });
  // More changes than its history is asked for.
  for (const [operation, body] of [
    ['archiveTerminal', { reason: 'Repair' }],
    ['restoreTerminal', undefined],
    ['updateTerminal', { terminal_model: 'Pocket' }],
  ] as const)
    await call(operation, { key: provider.key, path: { id: tid }, body });
  FEED.horizonMs = 0;
  const hourAgo = Date.now() - 3_600_000;
  const page = { sort: 'asc', per_page: '10', page: '1' };
  const fields = () => ({
    serial_no: unique('S'),
    terminal_model: 'Handheld 2',
    payment_app: 'Checkout Go',
    acquirer_name: 'Atlantic Acquiring',
  });

  const requests: Record<Operation, () => Request | Promise<Request>> = {
    listBranches: () => ({ query: page }),
    createBranch: () => ({
      body: {
        mid: unique('MID'),
        branch_name: 'Harbour Café',
        area: 'Docks',
        city: 'Porto',
        payment_provider: provider.id,
        distributor: distributor.id,
        master_merchant_id: unique('MM'),
        master_merchant_name: 'Harbour Cafés',
        email: 'office@example.com',
        country_code: 'PT',
        phone: '+351 22 000',
        mcc: '5812',
        country: 'Portugal',
        terminals: [{ terminal_id: unique('T'), terminal_model: 'Handheld 2' }],
      },
    }),
    getBranch: () => ({ path: { mid } }),
    // Without a cursor, which is that of one branch or terminal.
    getBranchHistory: () => ({ path: { mid }, query: { limit: '2' } }),
    archiveBranch: async () => ({ path: { mid: (await newSharedBranch(world)).mid } }),
    listTerminals: () => ({ path: { id: mid }, query: page }),
    createTerminals: () => ({
      path: { id: mid },
      body: { terminals: [{ terminal_id: unique('T'), ...fields() }] },
    }),
    updateTerminal: async () => ({ path: { id: await newTid() }, body: fields() }),
    deleteTerminal: async () => ({ path: { id: await newTid() } }),
    archiveTerminal: async () => ({ path: { id: await newTid() }, body: { reason: 'Repair' } }),
    restoreTerminal: async () => {
      const id = await newTid();
      await call('archiveTerminal', { key: provider.key, path: { id }, body: { reason: 'Repair' } });
      return { path: { id } };
    },
    reassignTerminal: async () => ({ path: { id: await newTid() }, body: { mid: target.mid } }),
    getTerminalHistory: () => ({ path: { id: tid }, query: { limit: '1' } }),
    lookup: () => ({ path: { method: 'masterMerchants' }, query: { search: 'Café' } }),
    find: () => ({ query: { serial_no } }),
    listEvents: () => ({ query: { after: cursorOf(provider, ['events'], hourAgo), limit: '2' } }),
    memberCheck: () => ({
      body: {
        amount: 50,
        card_id: 'card-anna',
        card_pseudo_token: 'token-anna',
        currency: 'EUR',
        terminal_id,
        acquirer_id: provider.id,
      },
    }),
    unknownRoute: () => ({}),
  };
  return { world, requestOf: async (operation) => ({ key: provider.key, ...(await requests[operation]()) }) };
}
