import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import { createAcquirer } from '../../../../lib/operator/acquirers.ts';
import { addReferenceData, type ReferenceData } from '../../../../lib/operator/referenceData.ts';
import { recorded } from '../../../support/constants.ts';
import { splitRecord, storedBy } from '../../../support/stored.ts';
import { admin, done, failed, jsonOf } from '../admin.ts';
import { testConfirmation } from '../confirmation.ts';

describe.each<[group: string, kind: ReferenceData, what: string, first: string, second: string]>([
  ['payment-apps', 'PAYMENT_APPS', 'payment apps', 'Checkout Go', 'Counter Plus'],
  ['master-acquirers', 'MASTER_ACQUIRERS', 'master acquirers', 'Atlantic Acquiring', 'Baltic Merchant Bank'],
])('%s', (group, kind, what, first, second) => {
  let acquirer: Acquirer;
  beforeEach(async () => {
    acquirer = { id: randomUUID(), type: 'PAYMENT_PROVIDER', name: 'Payfair' };
    await createAcquirer(acquirer);
    await addReferenceData(acquirer.id, kind, [first, second]);
  });

  const now = (...names: string[]) => `The ${what} of Payfair (${acquirer.id}): ${names.join(', ') || 'none'}.`;
  const key = (name: string) => `${kind}#${acquirer.id} ${name}`;

  test('list shows the names', async () => {
    expect(await jsonOf(group, 'list', acquirer.id)).toEqual([first, second]);
    expect(await admin([group, 'list', acquirer.id])).toEqual(done(now(first, second)));
  });

  test('add adds names and can be repeated', async () => {
    const args = [group, 'add', acquirer.id, first, 'Zeta #1', 'Éclair', '--json'];
    const { response, changed } = await storedBy(() => jsonOf(...args));
    expect(response).toEqual([first, second, 'Zeta #1', 'Éclair']);
    expect(splitRecord(changed)).toEqual({
      others: { [key('Zeta #1')]: {}, [key('Éclair')]: {} },
      events: {
        [`ACQUIRER#${acquirer.id}`]: [recorded('reference_data.added', { kind, names: ['Zeta #1', 'Éclair'] })],
      },
    });
    expect(await storedBy(() => jsonOf(...args))).toEqual({ response, changed: {} });
  });

  test.each([
    ['no name', [], `Wrong usage: missing required argument 'names' (see "npm run admin -- --help")`],
    ['an empty name among others', ['New', ''], 'Wrong usage: <names...>: Is required.'],
    [
      'a name that is too long for a key',
      ['😀'.repeat(251)],
      'Wrong usage: <names...>: Must have at most 1000 bytes in UTF-8.',
    ],
    [
      'more names than one command accepts',
      Array.from({ length: 100 }, (_, at) => `New ${at}`),
      'Wrong usage: <names...>: At most 99 at a time.',
    ],
  ])('add rejects %s', async (_, names, line) => {
    const { response, changed } = await storedBy(() => admin([group, 'add', acquirer.id, ...names]));
    expect(response).toEqual(failed(line, 2));
    expect(changed).toEqual({});
  });

  describe('remove', () => {
    testConfirmation(async () => ({
      args: [group, 'remove', acquirer.id, first, second],
      what: `remove the ${what} ${first}, ${second} of Payfair (${acquirer.id})`,
    }));

    test('removes names', async () => {
      const args = [group, 'remove', acquirer.id, first, second, first, '--yes'];
      const { response, changed } = await storedBy(() => admin(args));
      expect(response).toEqual(done(now()));
      expect(splitRecord(changed)).toEqual({
        others: { [key(first)]: null, [key(second)]: null },
        events: {
          [`ACQUIRER#${acquirer.id}`]: [recorded('reference_data.removed', { kind, names: [first, second] })],
        },
      });
    });

    test('rejects more names than one command accepts before it asks for confirmation', async () => {
      const names = Array.from({ length: 100 }, (_, at) => `Name ${at}`);
      const { response, changed } = await storedBy(() => admin([group, 'remove', acquirer.id, ...names]));
      expect(response).toEqual(failed('Wrong usage: <names...>: At most 99 at a time.', 2));
      expect(changed).toEqual({});
    });

    test('removes nothing if one of the names is unknown', async () => {
      const args = [group, 'remove', acquirer.id, first, 'Nonesuch', '--yes'];
      const { response, changed } = await storedBy(() => admin(args));
      expect(response).toEqual(failed(`Unknown ${what}: Nonesuch. Nothing was changed.`));
      expect(changed).toEqual({});
    });
  });

  test.each(['list', 'add', 'remove'])('%s rejects an unknown acquirer', async (command) => {
    const id = '00000000-0000-4000-8000-000000000000';
    const names = command === 'list' ? [] : ['Name'];
    const { response, changed } = await storedBy(() => admin([group, command, id, ...names, '--yes']));
    expect(response).toEqual(failed(`There is no acquirer ${id}.`));
    expect(changed).toEqual({});
  });
});
