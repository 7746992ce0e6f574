import { randomUUID } from 'node:crypto';
import type { Acquirer, AcquirerType } from '../../lib/acquirers/acquirer.ts';
import { hashOf } from '../../lib/acquirers/apiKey.ts';
import { newApiKey } from '../../lib/base/apiKeyFormat.ts';
import { createAcquirer } from '../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../lib/operator/apiKeys.ts';
import { linkPartners } from '../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../lib/operator/referenceData.ts';
import { call } from './api.ts';
import { changesBy } from './stored.ts';
import { storeMany } from './storeMany.ts';

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

let model: Promise<{ world: World; items: Record<string, unknown>[] }> | undefined;

async function makeModel() {
  const { response: world, after } = await changesBy(makeWorld);
  const items = Object.entries(after).map(([key, attributes]) => {
    const [, pk, sk] = /^(\S+) (.*)$/.exec(key) ?? [];
    return { pk, sk, ...attributes };
  });
  return { world, items };
}

/**
 * The acquirers that most tests need: see {@link makeWorld}. The first are made as an operator would; later ones are copies
 * of their items with ids and API keys of their own, which takes fewer requests.
 */
export async function newWorld(): Promise<World> {
  if (!model) {
    model = makeModel();
    return (await model).world;
  }
  const { world, items } = await model;
  let text = JSON.stringify(items);
  const copies = Object.entries(world).map(([name, { id, key, ...caller }]) => {
    const copy = { ...caller, id: randomUUID(), key: newApiKey() };
    const [hash, newHash] = [hashOf(key), hashOf(copy.key)];
    // A key's id is the beginning of its hash.
    for (const [from, to] of [
      [id, copy.id],
      [hash, newHash],
      [hash.slice(0, 12), newHash.slice(0, 12)],
    ] as const)
      text = text.replaceAll(from, to);
    return [name, copy];
  });
  const copied: object[] = JSON.parse(text);
  await storeMany(0, copied.length - 1, (at) => copied[at] as object);
  return Object.fromEntries(copies);
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
