import { expect, test } from '@jest/globals';
import { isOfRefused, isOfWebhooks } from '../../../infra/publish/contract/calls.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { call, expectProblem, OPERATIONS, type Operation, type Request, STATUSES } from '../../support/api.ts';
import { INVALID_KEY } from '../../support/constants.ts';
import { isChange } from '../../support/contract.ts';
import { expectRefused } from '../../support/outcomes.ts';
import '../../../infra/local/patient.ts';
import { newRequests } from '../../support/requests.ts';
import { unique } from '../../support/world.ts';

const NOT_A_PARTNER = 'Must be the UUID of one of your partners.';

test.each([
  ['distributor', 'provider', 'paymentProviders', '/payment_provider'],
  ['provider', 'distributor', 'distributors', '/distributor'],
] as const)(
  'the %s of a branch keeps access when its %s is disabled and no partner, and cannot name it',
  async (who, other, method, pointer) => {
    const { world, requestOf } = await newRequests();
    const [me, partner] = [world[who], world[other]];
    /** A request of each operation, about a branch of both that nothing else is about. */
    const requests = new Map<Operation, Request>();
    // A webhook and a refused request are of one acquirer.
    const shared = OPERATIONS.filter((operation) => !isOfWebhooks(operation) && !isOfRefused(operation));
    for (const operation of shared) requests.set(operation, await requestOf(operation));
    // A cursor is of one acquirer, and a create names the partner.
    requests.set('listEvents', {}).set('listAllTerminals', {}).delete('createBranch');
    const lookUp = async (method: string) => (await call('lookup', { key: me.key, path: { method } })).body.data;

    const expectAccepted = async (isWanted: (operation: Operation) => boolean): Promise<void> => {
      for (const [operation, request] of [...requests].filter(([each]) => isWanted(each))) {
        const { status, body } = await call(operation, { ...request, key: me.key });
        expect([operation, status]).toEqual([operation, STATUSES[operation][0]]);
        expect([operation, body.data]).not.toEqual([operation, []]);
        if (operation === 'memberCheck') expect(body.data.member_identified).toBe(true);
      }
    };

    const { api_key: key } = await issueApiKey(partner.id, 'not cached');
    await disableAcquirer(partner.id);
    const { path = {} } = requests.get('getBranch') as Request;
    expectProblem(await call('getBranch', { key, path }), 'invalid_api_key', INVALID_KEY);
    const shown = { key: partner.id, text: partner.name };
    // What a distributor loses with the partnership (test/functions/partnerships.test.ts), but not before.
    const isLost = (operation: Operation) => who === 'distributor' && isChange(operation);
    await expectAccepted(isLost);
    expect(await lookUp(method)).toContainEqual(shown);

    await unlinkPartners(world.distributor.id, world.provider.id);
    expect(await lookUp(method)).not.toContainEqual(shown);
    const names = { payment_provider: world.provider.id, distributor: world.distributor.id };
    const [{ key: existing_master_merchant }] = await lookUp('masterMerchants');
    for (const owner of [{ master_merchant_id: unique('MM') }, { existing_master_merchant }]) {
      const body = { mid: unique('MID'), ...names, ...owner };
      await expectRefused(() => call('createBranch', { key: me.key, body }), 'validation_failed', [
        [pointer, 'not_a_partner', NOT_A_PARTNER],
      ]);
    }

    await expectAccepted((operation) => !isLost(operation));
  },
);
