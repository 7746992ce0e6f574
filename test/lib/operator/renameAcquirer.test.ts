import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { CACHE_MS } from '../../../lib/base/cache.ts';
import { disableAcquirer, enableAcquirer, renameAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { readRecord } from '../../../lib/operator/record.ts';
import { table } from '../../../lib/table/client.ts';
import { acquirerKey, acquirerSubject, distributorKey, providerKey } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { stopClocks } from '../../support/clock.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored, storedBy } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { newAcquirer, newWorld } from '../../support/world.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** The kinds of all items that contain this name, except the operator's record. */
const itemsNaming = async (name: string) =>
  Object.entries(await stored())
    .filter(([key, item]) => !key.startsWith('RECORD#') && JSON.stringify(item).includes(name))
    .map(([key]) => key.split(' ')[0]?.split('#')[0]);

const renames = async (id: string) =>
  (await readRecord(acquirerSubject(id), { limit: 100 })).filter(({ type }) => type === 'acquirer.renamed');

/** Creates a distributor with this many payment providers, which are stored directly. */
async function newDistributor(partners: number): Promise<string> {
  const id = randomUUID();
  await createAcquirer({ id, type: 'DISTRIBUTOR', name: `Old ${id}` });
  const time = new Date().toISOString();
  const ids = Array.from({ length: partners }, () => randomUUID());
  const providers = ids.map((provider) => ({
    id: provider,
    type: 'PAYMENT_PROVIDER',
    name: 'Provider',
    created_at: time,
    updated_at: time,
  }));
  const items = providers.flatMap((provider) => [
    { ...acquirerKey(provider.id), ...provider },
    { ...providerKey(id, provider.id), name: provider.name },
    { ...distributorKey(provider.id, id), name: `Old ${id}` },
  ]);
  await storeMany(0, items.length - 1, (number) => items[number] as object);
  return id;
}

describe('an acquirer is renamed', () => {
  test('in its own item, its API keys and its partners’ lookups', async () => {
    const { distributor, provider, secondProvider } = await newWorld();
    await renameAcquirer(provider.id, 'Novapay');
    expect((await resolveApiKey(provider.key))?.acquirer.name).toBe('Novapay');
    const { body } = await call('lookup', { key: distributor.key, path: { method: 'paymentProviders' } });
    expect(body.data).toEqual(
      expect.arrayContaining([
        { key: provider.id, text: 'Novapay' },
        { key: secondProvider.id, text: 'Quickpay' },
      ]),
    );
    await renameAcquirer(distributor.id, 'Southgate');
    const { body: theirs } = await call('lookup', { key: provider.key, path: { method: 'distributors' } });
    expect(theirs.data).toEqual([{ key: distributor.id, text: 'Southgate' }]);
    await expectNoViolations();
  });

  test('after the cache time in processes that have cached the old name', async () => {
    const { distributor, provider } = await newWorld();
    const wait = stopClocks();
    const names = async () => [
      (await resolveApiKey(provider.key))?.acquirer.name,
      (await call('lookup', { key: distributor.key, path: { method: 'paymentProviders' } })).body.data.some(
        ({ text }: { text: string }) => text === 'Zetapay',
      ),
    ];
    expect(await names()).toEqual(['Payfair', false]);
    await renameAcquirer(provider.id, 'Zetapay');
    wait(CACHE_MS);
    expect(await names()).toEqual(['Zetapay', true]);
  });

  test('while it is disabled, which does not enable its API keys', async () => {
    const acquirer = await newAcquirer('DISTRIBUTOR', 'Disabled');
    await disableAcquirer(acquirer.id);
    await renameAcquirer(acquirer.id, 'Still disabled');
    expect(await resolveApiKey(acquirer.key)).toBeUndefined();
    await enableAcquirer(acquirer.id);
    expect((await resolveApiKey(acquirer.key))?.acquirer.name).toBe('Still disabled');
    await expectNoViolations();
  });

  test('only if it exists', async () => {
    const id = randomUUID();
    const { response, changed } = await storedBy(() => renameAcquirer(id, 'X').catch((error: unknown) => error));
    expect(response).toMatchObject({ code: 'not_found', message: `There is no acquirer ${id}.` });
    expect(changed).toEqual({});
  });

  test('in the lookups of partners that are linked concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await newDistributor(1);
      const provider = await newAcquirer('PAYMENT_PROVIDER', 'Latecomer');
      await Promise.all([linkPartners(id, provider.id), renameAcquirer(id, `New ${id}`), issueApiKey(id, 'late')]);
      expect(await itemsNaming(`Old ${id}`)).toEqual([]);
    }
    await expectNoViolations();
  });
});

describe('an acquirer with more partners than fit into one transaction', () => {
  const MANY = 79;

  test('is renamed everywhere, with one event', async () => {
    const id = await newDistributor(MANY);
    const [before] = await renames(id);
    expect(before).toBeUndefined();
    await renameAcquirer(id, `New ${id}`);
    expect(await itemsNaming(`Old ${id}`)).toEqual([]);
    expect(await itemsNaming(`New ${id}`)).toHaveLength(1 + MANY);
    expect(await renames(id)).toHaveLength(1);
    await expectNoViolations();
  });

  test('is renamed everywhere when the remaining entries need more than one transaction', async () => {
    const partners = MANY + 101;
    const id = await newDistributor(partners);
    await renameAcquirer(id, `New ${id}`);
    expect(await itemsNaming(`Old ${id}`)).toEqual([]);
    expect(await itemsNaming(`New ${id}`)).toHaveLength(1 + partners);
    expect(await renames(id)).toHaveLength(1);
    await expectNoViolations();
  });

  test('whose rename was interrupted is renamed completely by a second call, without another event', async () => {
    const id = await newDistributor(MANY);
    const send = table.send.bind(table) as (command: object) => Promise<unknown>;
    let writes = 0;
    jest.spyOn(table, 'send').mockImplementation((async (command: object) => {
      if (command.constructor.name === 'TransactWriteCommand' && ++writes > 1) throw new Error('The end');
      return send(command);
    }) as never);
    await expect(renameAcquirer(id, `New ${id}`)).rejects.toThrow('The end');
    jest.restoreAllMocks();
    expect(await itemsNaming(`Old ${id}`)).toEqual(['DISTRIBUTORS']);
    await renameAcquirer(id, `New ${id}`);
    expect(await itemsNaming(`Old ${id}`)).toEqual([]);
    expect(await renames(id)).toHaveLength(1);
    await expectNoViolations();
  });
});
