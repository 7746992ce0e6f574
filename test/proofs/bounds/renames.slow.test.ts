import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { disableAcquirer, enableAcquirer, renameAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { readRecord } from '../../../lib/record/record.ts';
import { table } from '../../../lib/table/client.ts';
import { acquirerKey, acquirerSubject, distributorKey, providerKey } from '../../../lib/table/keys.ts';
import { beforeNextWrite } from '../../lib/table/intercept.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import '../../../infra/local/patient.ts';
import { stored } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { newAcquirer } from '../../support/world.ts';

afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(expectNoViolations);

/** The kinds of all items that contain this name, except the operator's record. */
const itemsNaming = async (name: string) =>
  Object.entries(await stored())
    .filter(([key, item]) => !key.startsWith('RECORD#') && JSON.stringify(item).includes(name))
    .map(([key]) => key.split(' ')[0]?.split('#')[0]);

/** Asserts that all items have the new name, and that the operator's record has one event of the rename. */
async function expectRenamed(id: string, partners: number): Promise<void> {
  expect(await itemsNaming(`Old ${id}`)).toEqual([]);
  expect(await itemsNaming(`New ${id}`)).toHaveLength(1 + partners);
  const events = await readRecord(acquirerSubject(id), { limit: 100 });
  expect(events.filter(({ type }) => type === 'acquirer.renamed')).toHaveLength(1);
}

/** Creates a distributor with this many payment providers, which are stored directly. */
async function newDistributor(partners: number): Promise<string> {
  const id = randomUUID();
  await createAcquirer({ id, type: 'DISTRIBUTOR', name: `Old ${id}` });
  const time = new Date().toISOString();
  const items = Array.from({ length: partners }, () => randomUUID()).flatMap((provider) => [
    {
      ...acquirerKey(provider),
      id: provider,
      type: 'PAYMENT_PROVIDER',
      name: 'Provider',
      created_at: time,
      updated_at: time,
    },
    { ...providerKey(id, provider), name: 'Provider' },
    { ...distributorKey(provider, id), name: `Old ${id}` },
  ]);
  await storeMany(0, items.length - 1, (number) => items[number] as object);
  return id;
}

test('an acquirer is renamed while it is disabled, which does not enable its API keys', async () => {
  const acquirer = await newAcquirer('DISTRIBUTOR', 'Disabled');
  await disableAcquirer(acquirer.id);
  await renameAcquirer(acquirer.id, 'Still disabled');
  expect(await resolveApiKey(acquirer.key)).toBeUndefined();
  await enableAcquirer(acquirer.id);
  expect((await resolveApiKey(acquirer.key))?.acquirer.name).toBe('Still disabled');
});

test('an acquirer is renamed in the lookup of a partner that is linked just before the write', async () => {
  const id = await newDistributor(1);
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Latecomer');
  beforeNextWrite(() => linkPartners(id, provider.id));
  await renameAcquirer(id, `New ${id}`);
  await expectRenamed(id, 2);
});

describe('an acquirer with more partners than fit into one transaction', () => {
  const MANY = 79;

  test.each([
    ['one more transaction', MANY],
    ['more than one', MANY + 101],
  ])('is renamed everywhere, with one event, if the other entries need %s', async (_, partners) => {
    const id = await newDistributor(partners);
    await renameAcquirer(id, `New ${id}`);
    await expectRenamed(id, partners);
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
    await expectRenamed(id, MANY);
  });
});
