import type * as v from 'valibot';
import { alphanumeric, mid, storedText } from '../../lib/base/fields.ts';
import { branchItem } from '../../lib/branches/branch.ts';
import { masterMerchantItem } from '../../lib/branches/masterMerchant.ts';
import { FEED } from '../../lib/events/feed.ts';
import { addCard } from '../../lib/operator/memberImport.ts';
import { terminalItem } from '../../lib/terminals/terminal.ts';
import { call, type Operation, type Request } from './api.ts';
import { cursorOf } from './cursors.ts';
import { newSharedBranch, newTerminal, newWorld, unique, type World } from './world.ts';

/*
 * The valid request of each operation, with every field and query parameter that can be combined. requests.test.ts fails
 * if one is missing.
 */

/** Fields that items and responses have under another name than requests. */
export const SHOWN_AS: Record<string, string> = { branch_name: 'merchant_name', reason: 'archive_reason' };
/** The reverse: the names in requests, by those in items and responses. */
export const REQUESTED_AS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(SHOWN_AS).map(([requested, shown]) => [shown, requested])),
  name: 'master_merchant_name',
};

/** The request fields that are stored in attributes with one of these schemas. */
function fieldsStoredAs(...schemas: v.GenericSchema[]): string[] {
  const attributes = { ...branchItem.entries, ...masterMerchantItem.entries, ...terminalItem.entries };
  const names = Object.entries(attributes).filter(([, schema]) =>
    schemas.includes('wrapped' in schema ? schema.wrapped : schema),
  );
  return [...new Set(names.map(([name]) => REQUESTED_AS[name] ?? name))];
}

/** Fields whose value is any text that has no card number and no API key. */
export const FREE_TEXTS = fieldsStoredAs(storedText);

/** Fields whose value is an identifier, which can be any digits. */
export const IDENTIFIERS = fieldsStoredAs(alphanumeric, mid);

/** A new branch with all its details, and a new master merchant with all of its own. Both acquirers are left out. */
export const branchBody = (more: object = {}) => ({
  mid: unique('MID'),
  branch_name: 'Harbour Café',
  area: 'Docks',
  city: 'Porto',
  master_merchant_id: unique('MM'),
  master_merchant_name: 'Portside Cafés',
  email: 'office@example.com',
  country_code: 'PT',
  phone: '+351 22 000',
  mcc: '5812',
  country: 'Portugal',
  ...more,
});

/** Every field of a terminal that an update can change. */
const terminalFields = (more: object = {}) => ({
  serial_no: unique('S'),
  terminal_model: 'Handheld 2',
  payment_app: 'Checkout Go',
  acquirer_name: 'Atlantic Acquiring',
  ...more,
});

/** A new terminal with every field. */
export const terminalBody = (more: object = {}) => ({ terminal_id: unique('T'), ...terminalFields(), ...more });

/** Creates what requests need. Each request that `requestOf` returns succeeds once; the payment provider sends it. */
export async function newRequests(): Promise<{ world: World; requestOf: (operation: Operation) => Promise<Request> }> {
  const world = await newWorld();
  const { provider, distributor } = world;
  const { key } = provider;
  const card = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };
  await addCard('anna', card);
  const [branch, target] = [await newSharedBranch(world), await newSharedBranch(world)];
  const newTid = async () => (await newTerminal(provider, branch.mid)).tid;
  const { tid, terminal_id, serial_no } = await newTerminal(provider, branch.mid, { serial_no: unique('S') });
  // The terminal's history has more than one page.
  for (const [operation, body] of [
    ['archiveTerminal', { reason: 'Repair' }],
    ['restoreTerminal', undefined],
    ['updateTerminal', { terminal_model: 'Pocket' }],
  ] as const)
    await call(operation, { key, path: { id: tid }, body });
  FEED.horizonMs = 0;
  const hourAgo = Date.now() - 3_600_000;
  const page = { sort: 'asc', per_page: '10', page: '1' };

  const requests: Record<Operation, () => Request | Promise<Request>> = {
    listBranches: () => ({ query: page }),
    createBranch: () => ({
      body: branchBody({ payment_provider: provider.id, distributor: distributor.id, terminals: [terminalBody()] }),
    }),
    getBranch: () => ({ path: { mid: branch.mid } }),
    getBranchHistory: () => ({ path: { mid: branch.mid }, query: { limit: '2' } }),
    archiveBranch: async () => ({ path: { mid: (await newSharedBranch(world)).mid } }),
    listTerminals: () => ({ path: { id: branch.mid }, query: page }),
    createTerminals: () => ({ path: { id: branch.mid }, body: { terminals: [terminalBody()] } }),
    updateTerminal: async () => ({ path: { id: await newTid() }, body: terminalFields() }),
    deleteTerminal: async () => ({ path: { id: await newTid() } }),
    archiveTerminal: async () => ({ path: { id: await newTid() }, body: { reason: 'Repair' } }),
    restoreTerminal: async () => {
      const id = await newTid();
      await call('archiveTerminal', { key, path: { id }, body: { reason: 'Repair' } });
      return { path: { id } };
    },
    reassignTerminal: async () => ({ path: { id: await newTid() }, body: { mid: target.mid } }),
    getTerminalHistory: () => ({ path: { id: tid }, query: { limit: '1' } }),
    lookup: () => ({ path: { method: 'masterMerchants' }, query: { search: 'Café' } }),
    find: () => ({ query: { serial_no } }),
    listEvents: () => ({ query: { after: cursorOf(provider, ['events'], hourAgo), limit: '2' } }),
    memberCheck: () => ({
      body: { amount: 50, ...card, currency: 'EUR', terminal_id, acquirer_id: provider.id },
    }),
    unknownRoute: () => ({}),
  };
  return { world, requestOf: async (operation) => ({ key, ...(await requests[operation]()) }) };
}
