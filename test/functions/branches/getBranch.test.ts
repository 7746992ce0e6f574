import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, expectProblem } from '../../support/api.ts';
import { testCommonBehaviour } from '../../support/commonBehaviour.ts';
import { NO_BRANCH, NO_MIDS } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { newBranch, newWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

describe('200', () => {
  test('returns every field that was set when the branch was created', async () => {
    const { provider, distributor } = world;
    const branch = await newBranch(provider, {
      mid: 'FULL1',
      branch_name: 'Café Ñandú 東京 🏪',
      area: 'Old Town',
      city: 'Porto',
      distributor: distributor.id,
      master_merchant_id: 'MMFULL',
      master_merchant_name: 'Ñandú & Sons',
      terminals: [{ terminal_id: 'TFULL1' }, { terminal_id: 'TFULL2' }],
    });

    const { response, changed } = await storedBy(() =>
      call('getBranch', { key: provider.key, path: { mid: 'FULL1' } }),
    );

    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      data: {
        mid: 'FULL1',
        merchant_name: 'Café Ñandú 東京 🏪',
        area: 'Old Town',
        city: 'Porto',
        master_merchant_name: 'Ñandú & Sons',
        master_merchant_id: 'MMFULL',
        status: 'active',
        created_at: branch.created_at,
        existing_master_merchant: branch.existing_master_merchant,
        payment_provider: provider.id,
        distributor: distributor.id,
        terminal_count: 2,
        updated_at: branch.created_at,
        archived_at: null,
      },
    });
    expect(changed).toEqual({});
  });

  test('returns the same to the distributor and the payment provider, with null for fields that were never set', async () => {
    const { provider, distributor } = world;
    const { mid, master_merchant_id, created_at, existing_master_merchant } = await newBranch(distributor, {
      payment_provider: provider.id,
    });

    const [forDistributor, forProvider] = await Promise.all(
      [distributor, provider].map(({ key }) => call('getBranch', { key, path: { mid } })),
    );

    expect(forDistributor?.body).toEqual({
      data: {
        mid,
        merchant_name: null,
        area: null,
        city: null,
        master_merchant_name: null,
        master_merchant_id,
        status: 'active',
        created_at,
        existing_master_merchant,
        payment_provider: provider.id,
        distributor: distributor.id,
        terminal_count: 0,
        updated_at: created_at,
        archived_at: null,
      },
    });
    expect(forProvider?.body).toEqual(forDistributor?.body);
  });
});

testCommonBehaviour('getBranch', async () => {
  const { mid } = await newBranch(world.provider);
  return { key: world.provider.key, path: { mid } };
});

describe('404', () => {
  test.each(NO_MIDS)('returns 404 for a MID that %s', async (_, mid) => {
    expectProblem(await call('getBranch', { key: world.provider.key, path: { mid } }), 'not_found', NO_BRANCH);
  });

  test('returns 404 for a branch of another acquirer', async () => {
    const { mid } = await newBranch(world.distributor, { payment_provider: world.provider.id });
    for (const { key } of [world.secondProvider, world.stranger, world.strangeDistributor]) {
      expectProblem(await call('getBranch', { key, path: { mid } }), 'not_found', NO_BRANCH);
    }
  });
});
