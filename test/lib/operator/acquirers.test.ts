import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAcquirer, getAcquirer, listAcquirers } from '../../../lib/operator/acquirers.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { addReferenceData, removeReferenceData } from '../../../lib/operator/referenceData.ts';
import { call } from '../../support/api.ts';
import { recorded, TIME } from '../../support/constants.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer, newSharedBranch, newWorld, type World } from '../../support/world.ts';

const NO_ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
const noSuchAcquirer = { code: 'not_found', message: `There is no acquirer ${NO_ID}.` };

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const lookup = async ({ key }: Caller, method: string) => (await call('lookup', { key, path: { method } })).body.data;

describe('an acquirer', () => {
  const id = 'b8a2b1c4-8a3e-4c0a-9a57-0a4b8d2f6c11';
  const registered = { id, type: 'PAYMENT_PROVIDER', name: 'Novapay', created_at: TIME, updated_at: TIME };

  test('is registered once', async () => {
    const first = await storedBy(() => createAcquirer({ id, type: 'PAYMENT_PROVIDER', name: 'Novapay' }));
    expect(first.response).toEqual(registered);
    expect(splitRecord(first.changed)).toEqual({
      others: { [`ACQUIRERS ACQUIRER#${id}`]: registered },
      events: {
        [`ACQUIRER#${id}`]: [recorded('acquirer.created', { type: 'PAYMENT_PROVIDER', name: 'Novapay' }, 'test')],
      },
    });

    const second = await storedBy(() =>
      createAcquirer({ id, type: 'DISTRIBUTOR', name: 'Other' }).catch((error: unknown) => error),
    );
    expect(second.response).toMatchObject({
      errors: [{ code: 'taken', detail: `Acquirer ${id} already exists.` }],
    });
    expect(second.changed).toEqual({});
  });

  test('is found by its id and in the list of all acquirers', async () => {
    expect(await getAcquirer(id)).toMatchObject(registered);
    await expect(getAcquirer(NO_ID)).rejects.toMatchObject(noSuchAcquirer);
    const all = await listAcquirers();
    expect(all).toHaveLength(6);
    expect(all).toContainEqual(expect.objectContaining(registered));
  });
});

describe('a partnership', () => {
  test('requires an existing distributor and an existing payment provider', async () => {
    const { distributor, provider } = world;
    const { changed } = await storedBy(async () => {
      await expect(linkPartners(distributor.id, NO_ID)).rejects.toMatchObject(noSuchAcquirer);
      await expect(linkPartners(NO_ID, provider.id)).rejects.toMatchObject(noSuchAcquirer);
      await expect(linkPartners(provider.id, distributor.id)).rejects.toMatchObject({
        errors: [
          { pointer: '/distributor', code: 'other_type', detail: `Payfair (${provider.id}) is a PAYMENT_PROVIDER.` },
          {
            pointer: '/payment_provider',
            code: 'other_type',
            detail: `Northgate (${distributor.id}) is a DISTRIBUTOR.`,
          },
        ],
      });
    });
    expect(changed).toEqual({});
  });

  test('does not change when it is linked again', async () => {
    const { changed } = await storedBy(() => linkPartners(world.distributor.id, world.provider.id));
    expect(changed).toEqual({});
  });

  test('removes each acquirer from the other’s lookups when it ends and leaves shared branches accessible', async () => {
    const { distributor, provider } = world;
    const { mid } = await newSharedBranch(world);
    const { changed } = await storedBy(() => unlinkPartners(distributor.id, provider.id));
    const ended = recorded(
      'partnership.unlinked',
      {
        distributor: { id: distributor.id, name: 'Northgate' },
        payment_provider: { id: provider.id, name: 'Payfair' },
      },
      'test',
    );
    expect(splitRecord(changed)).toEqual({
      others: {
        [`PAYMENT_PROVIDERS#${distributor.id} ${provider.id}`]: null,
        [`DISTRIBUTORS#${provider.id} ${distributor.id}`]: null,
      },
      events: { [`ACQUIRER#${distributor.id}`]: [ended], [`ACQUIRER#${provider.id}`]: [ended] },
    });
    expect((await lookup(distributor, 'paymentProviders')).map(({ text }: { text: string }) => text)).toEqual([
      'Quickpay',
    ]);
    expect(await lookup(provider, 'distributors')).toEqual([]);
    for (const { key } of [distributor, provider])
      expect((await call('getBranch', { key, path: { mid } })).status).toBe(200);
    await expect(newSharedBranch(world)).rejects.toThrow('not_a_partner');

    const again = await storedBy(() => unlinkPartners(distributor.id, provider.id).catch((error: unknown) => error));
    expect(again.response).toMatchObject({ errors: [{ detail: 'These acquirers are not partners.' }] });
    expect(again.changed).toEqual({});
  });
});

describe.each([
  ['payment app', 'PAYMENT_APPS', 'paymentApp'],
  ['master acquirer', 'MASTER_ACQUIRERS', 'acquirers'],
] as const)('a %s', (_, kind, method) => {
  test('is listed from its addition to its removal; both can be repeated', async () => {
    const acquirer = await newAcquirer('DISTRIBUTOR', 'Eastgate');
    await addReferenceData(acquirer.id, kind, ['A new one']);
    await addReferenceData(acquirer.id, kind, ['A new one']);
    expect(await lookup(acquirer, method)).toContainEqual({ key: 'A new one', text: 'A new one' });
    await removeReferenceData(acquirer.id, kind, ['A new one']);
    expect(await lookup(acquirer, method)).not.toContainEqual({ key: 'A new one', text: 'A new one' });
    await expect(removeReferenceData(acquirer.id, kind, ['A new one'])).rejects.toMatchObject({
      errors: [{ detail: `Acquirer ${acquirer.id} has no "A new one".` }],
    });
  });

  test('requires an existing acquirer', async () => {
    const { changed } = await storedBy(() =>
      expect(addReferenceData(NO_ID, kind, ['Theirs'])).rejects.toMatchObject(noSuchAcquirer),
    );
    expect(changed).toEqual({});
  });
});
