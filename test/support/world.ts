import { randomUUID } from 'node:crypto';
import { beforeAll } from '@jest/globals';
import type { Acquirer, AcquirerType } from '../../lib/acquirers/acquirer.ts';
import { issueApiKey } from '../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../lib/acquirers/registry.ts';
import { linkPartners } from '../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../lib/operator/referenceData.ts';
import { call } from './api.ts';
import { copied } from './copied.ts';

/** An acquirer with an API key. */
export type Caller = Acquirer & { key: string };

/**
 * An alphanumeric id that no other test uses. Every eighth character is a letter, so its digits never form a card
 * number, which texts reject.
 */
export const unique = (prefix: string): string =>
  prefix +
  randomUUID()
    .replaceAll('-', '')
    .replace(/(.{7})./g, '$1x');

export async function newAcquirer(type: AcquirerType, name: string): Promise<Caller> {
  const acquirer = { id: randomUUID(), type, name };
  await createAcquirer(acquirer);
  await addNames(acquirer, {
    paymentApps: ['Checkout Go', 'Counter Plus'],
    masterAcquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
  });
  return { ...acquirer, key: (await issueApiKey(acquirer.id, 'test')).api_key };
}

/** Adds payment apps and master acquirers that terminals of this acquirer may name. */
export async function addNames(
  { id }: Acquirer,
  { paymentApps = [], masterAcquirers = [] }: { paymentApps?: string[]; masterAcquirers?: string[] },
): Promise<void> {
  await Promise.all([
    addReferenceData(id, 'PAYMENT_APPS', paymentApps),
    addReferenceData(id, 'MASTER_ACQUIRERS', masterAcquirers),
  ]);
}

/**
 * The acquirers that most tests need: a distributor with two partners, a payment provider that is not its partner
 * (stranger), and a distributor without partners.
 */
async function makeWorld() {
  const [distributor, provider, secondProvider, stranger, strangeDistributor] = await Promise.all([
    newAcquirer('DISTRIBUTOR', 'Northgate'),
    newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    newAcquirer('PAYMENT_PROVIDER', 'Quickpay'),
    newAcquirer('PAYMENT_PROVIDER', 'Trustcard'),
    newAcquirer('DISTRIBUTOR', 'Silverline'),
  ]);
  await Promise.all([provider, secondProvider].map(({ id }) => linkPartners(distributor.id, id)));
  return { distributor, provider, secondProvider, stranger, strangeDistributor };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;
export const newWorld = copied(makeWorld);

/** Makes a world before the tests of a file, or of a `describe`. */
export function useWorld(): World {
  const world = {} as World;
  beforeAll(async () => void Object.assign(world, await newWorld()));
  return world;
}

/** Makes a payment provider before the tests of a file, or of a `describe`. */
export function useProvider(name = 'Payfair'): Caller {
  const provider = {} as Caller;
  beforeAll(async () => void Object.assign(provider, await newAcquirer('PAYMENT_PROVIDER', name)));
  return provider;
}

/** Creates another distributor that is a partner of a payment provider. */
export async function newDistributorOf(provider: Acquirer): Promise<Caller> {
  const distributor = await newAcquirer('DISTRIBUTOR', 'Eastport');
  await linkPartners(distributor.id, provider.id);
  return distributor;
}

/** The author of a change made without a request. */
export const authorOf = (acquirer: Acquirer) => ({
  acquirer,
  key_id: '0123456789ab',
  label: 'test',
  request_id: randomUUID(),
});

/** Creates a branch with the API and returns it; `body` overrides or adds fields. */
export async function newBranch(caller: Caller, body: Record<string, unknown> = {}) {
  const { status, body: response } = await call('createBranch', {
    key: caller.key,
    body: { mid: unique('MID'), master_merchant_id: unique('MM'), ...body },
  });
  if (status !== 201) throw new Error(`The branch was not created: ${JSON.stringify(response)}`);
  return response.data;
}

/** Creates one terminal with the API and returns it. */
export async function newTerminal(caller: Caller, mid: string, fields: Record<string, unknown> = {}) {
  const { status, body: response } = await call('createTerminals', {
    key: caller.key,
    path: { id: mid },
    body: { terminals: [{ terminal_id: unique('T'), ...fields }] },
  });
  if (status !== 201) throw new Error(`The terminal was not created: ${JSON.stringify(response)}`);
  return response.data[0];
}

/** Creates a branch of the distributor and the provider. */
export const newSharedBranch = ({ distributor, provider }: World, body: Record<string, unknown> = {}) =>
  newBranch(distributor, { payment_provider: provider.id, ...body });

/** Creates a terminal of a shared branch. */
export async function newSharedTerminal(world: World, fields: Record<string, unknown> = {}) {
  const { mid } = await newSharedBranch(world);
  return newTerminal(world.provider, mid, fields);
}

/** Terminals to create, `count` of them, with numbered ids. */
export const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ terminal_id: `${prefix}${at + 1}` }));

/** Archives a branch with the API and returns it. */
export const archiveBranch = async ({ key }: Caller, mid: string) =>
  (await call('archiveBranch', { key, path: { mid } })).body.data;

/** Restores a terminal with the API and returns it. */
export const restoreTerminal = async ({ key }: Caller, tid: string) =>
  (await call('restoreTerminal', { key, path: { id: tid } })).body.data;

/** The terminals on the first page of a branch's list. */
export const listedTerminals = async ({ key }: Caller, mid: string) =>
  (await call('listTerminals', { key, path: { id: mid } })).body.data;
