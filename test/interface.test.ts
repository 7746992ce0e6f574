import { beforeAll, expect, test } from '@jest/globals';
import { FEED } from '../lib/events/feed.ts';
import { addCard } from '../lib/operator/memberImport.ts';
import { type ApiResponse, call, type Operation, type Request } from './support/api.ts';
import { newWorld, unique, type World } from './support/world.ts';

/*
 * The interface from end to end, as a partner uses it: what one operation changes, the others show. The tests of the
 * operations cover each by itself.
 */

const CARD = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addCard('anna', CARD);
  FEED.horizonMs = 0;
});

/** Sends a request as the payment provider and asserts its status. */
async function send(status: number, operation: Operation, request: Request = {}): Promise<ApiResponse['body']> {
  const response = await call(operation, { key: world.provider.key, ...request });
  expect([operation, response.status]).toEqual([operation, status]);
  return response.body;
}

const typesOf = ({ data }: { data: { type: string }[] }) => data.map(({ type }) => type);

/** Creates a branch of the payment provider and the distributor. */
const createBranch = async () => {
  const body = { mid: unique('MID'), master_merchant_id: unique('MM'), distributor: world.distributor.id };
  return (await send(201, 'createBranch', { body })).data;
};

test('the keys of every lookup are accepted by creates', async () => {
  const key = async (method: string, search: string) =>
    (await send(200, 'lookup', { path: { method }, query: { search } })).data[0].key;
  const { master_merchant_id } = await createBranch();
  const names = {
    existing_master_merchant: await key('masterMerchants', master_merchant_id),
    payment_provider: await key('paymentProviders', ''),
    distributor: await key('distributors', ''),
  };
  const { data } = await send(201, 'createBranch', { body: { mid: unique('MID'), ...names } });
  expect(data).toMatchObject({ ...names, master_merchant_id });
  const used = { payment_app: await key('paymentApp', ''), acquirer_name: await key('acquirers', '') };
  const terminals = [{ terminal_id: unique('T'), ...used }];
  const created = await send(201, 'createTerminals', { path: { id: data.mid }, body: { terminals } });
  expect(created.data).toMatchObject([used]);
});

test('each change of a branch is shown by all operations', async () => {
  /** Asserts that lists and finds show the branch as an operation returned it. */
  const expectShown = async (branch: Record<'mid' | 'master_merchant_id' | 'existing_master_merchant', string>) => {
    const { mid, master_merchant_id, existing_master_merchant } = branch;
    expect((await send(200, 'getBranch', { path: { mid } })).data).toEqual(branch);
    expect((await send(200, 'find', { query: { mid } })).data).toEqual(branch);
    const found = await send(200, 'find', { query: { master_merchant_id } });
    expect(found.data).toMatchObject({ master_merchant_id, existing_master_merchant });
    const { data } = await send(200, 'listBranches');
    expect(branch).toMatchObject(data[0]);
  };
  const { terminals, ...branch } = await createBranch();
  expect(terminals).toEqual([]);
  await expectShown(branch);
  const { mid } = branch;
  const { data: archived } = await send(200, 'archiveBranch', { path: { mid } });
  expect(archived.status).toBe('archived');
  await expectShown(archived);
  expect(typesOf(await send(200, 'getBranchHistory', { path: { mid } }))).toEqual([
    'branch.archived',
    'branch.created',
  ]);
  expect(typesOf(await send(200, 'listEvents')).slice(-2)).toEqual(['branch.created', 'branch.archived']);
  await send(400, 'archiveBranch', { path: { mid } });
});

test('each change of a terminal is shown by all operations', async () => {
  const [branch, target] = [await createBranch(), await createBranch()];
  const terminal_id = unique('T');
  const countOf = async (mid: string) => (await send(200, 'getBranch', { path: { mid } })).data.terminal_count;
  const isIdentified = async () => {
    const body = { amount: 60, ...CARD, currency: 'EUR', terminal_id, acquirer_id: world.provider.id };
    return (await send(200, 'memberCheck', { body })).data.member_identified;
  };
  /** Runs a change, and asserts that lists, finds and member checks show the terminal as the change returned it. */
  const change = async (operation: Operation, id: string, body?: object) => {
    const { data } = await send(operation === 'createTerminals' ? 201 : 200, operation, { path: { id }, body });
    const [terminal] = [data].flat();
    expect((await send(200, 'listTerminals', { path: { id: terminal.mid } })).data).toEqual([terminal]);
    const { tid, serial_no } = terminal;
    for (const query of [{ tid }, { terminal_id }, { serial_no }])
      expect((await send(200, 'find', { query })).data).toEqual(terminal);
    expect(await isIdentified()).toBe(terminal.status === 'active');
    return terminal;
  };

  const terminals = [{ terminal_id, serial_no: unique('S') }];
  const { tid } = await change('createTerminals', branch.mid, { terminals });
  expect(await countOf(branch.mid)).toBe(1);
  await change('updateTerminal', tid, { serial_no: unique('S'), terminal_model: 'Handheld 2' });
  expect(await change('archiveTerminal', tid, { reason: 'Lost' })).toMatchObject({ status: 'archived' });
  expect(await change('restoreTerminal', tid)).toMatchObject({ status: 'active', terminal_model: 'Handheld 2' });
  expect(await change('reassignTerminal', tid, { mid: target.mid })).toMatchObject({ mid: target.mid });
  expect([await countOf(branch.mid), await countOf(target.mid)]).toEqual([0, 1]);

  await send(200, 'deleteTerminal', { path: { id: tid } });
  expect((await send(200, 'listTerminals', { path: { id: target.mid } })).data).toEqual([]);
  await send(404, 'find', { query: { tid } });
  expect(await isIdentified()).toBe(false);
  await send(404, 'deleteTerminal', { path: { id: tid } });

  const changes = ['updated', 'archived', 'restored', 'reassigned', 'deleted'].map((type) => `terminal.${type}`);
  const types = ['terminals.created', ...changes];
  for (const { key } of [world.provider, world.distributor]) {
    const history = await send(200, 'getTerminalHistory', { key, path: { id: tid } });
    expect(typesOf(history)).toEqual(types.toReversed());
    expect(typesOf(await send(200, 'listEvents', { key })).slice(-types.length)).toEqual(types);
  }
});
