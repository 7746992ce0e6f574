import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { createAcquirer } from '../../../../lib/operator/acquirers.ts';
import { linkPartners } from '../../../../lib/operator/partnerships.ts';
import { recorded, TIME } from '../../../support/constants.ts';
import { splitRecord, storedBy } from '../../../support/stored.ts';
import { admin, done, failed, jsonOf } from '../admin.ts';
import { testConfirmation } from '../confirmation.ts';

let distributor: Acquirer;
let provider: Acquirer;
let names: string;
beforeEach(async () => {
  distributor = { id: randomUUID(), type: 'DISTRIBUTOR', name: 'Northgate' };
  provider = { id: randomUUID(), type: 'PAYMENT_PROVIDER', name: 'Payfair' };
  await Promise.all([distributor, provider].map(createAcquirer));
  names = `Northgate (${distributor.id}) and Payfair (${provider.id})`;
});

/** The expected events in the record of both partners. */
function eventOfBoth(type: string) {
  const [{ type: _, ...one }, { type: __, ...other }] = [distributor, provider];
  const events = [recorded(type, { distributor: one, payment_provider: other })];
  return { [`ACQUIRER#${distributor.id}`]: events, [`ACQUIRER#${provider.id}`]: events };
}

describe('link', () => {
  test('links partners and can be repeated', async () => {
    const args = ['partnerships', 'link', distributor.id, provider.id];
    const { response, changed } = await storedBy(() => admin(args));
    expect(response).toEqual(done(`${names} are partners.`));
    expect(splitRecord(changed)).toEqual({
      others: {
        [`PAYMENT_PROVIDERS#${distributor.id} ${provider.id}`]: { name: 'Payfair' },
        [`DISTRIBUTORS#${provider.id} ${distributor.id}`]: { name: 'Northgate' },
        // So that a concurrent rename conflicts and starts over.
        [`ACQUIRERS ACQUIRER#${distributor.id}`]: { ...distributor, created_at: TIME, updated_at: TIME },
        [`ACQUIRERS ACQUIRER#${provider.id}`]: { ...provider, created_at: TIME, updated_at: TIME },
      },
      events: eventOfBoth('partnership.linked'),
    });
    expect(await storedBy(() => jsonOf(...args))).toEqual({
      response: { distributor: distributor.id, payment_provider: provider.id, partners: true },
      changed: {},
    });
  });

  test('names both acquirers if they are in the wrong order', async () => {
    const { response, changed } = await storedBy(() => admin(['partnerships', 'link', provider.id, distributor.id]));
    expect(response).toEqual(
      failed(`Payfair (${provider.id}) is a PAYMENT_PROVIDER. Northgate (${distributor.id}) is a DISTRIBUTOR.`),
    );
    expect(changed).toEqual({});
  });

  test('accepts only UUIDs', async () => {
    expect(await admin(['partnerships', 'link', 'Northgate', provider.id])).toEqual(
      failed('Wrong usage: <distributor-id>: Must be a UUID.', 2),
    );
  });
});

describe('unlink', () => {
  testConfirmation(async () => {
    await linkPartners(distributor.id, provider.id);
    return { args: ['partnerships', 'unlink', distributor.id, provider.id], what: `end the partnership of ${names}` };
  });

  test('ends a partnership, once', async () => {
    await linkPartners(distributor.id, provider.id);
    const args = ['partnerships', 'unlink', distributor.id, provider.id, '--yes'];
    const { response, changed } = await storedBy(() => jsonOf(...args));
    expect(response).toEqual({ distributor: distributor.id, payment_provider: provider.id, partners: false });
    expect(splitRecord(changed)).toEqual({
      others: {
        [`PAYMENT_PROVIDERS#${distributor.id} ${provider.id}`]: null,
        [`DISTRIBUTORS#${provider.id} ${distributor.id}`]: null,
      },
      events: eventOfBoth('partnership.unlinked'),
    });
    expect(await storedBy(() => admin(args))).toEqual({
      response: failed('These acquirers are not partners.'),
      changed: {},
    });
  });
});
