import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ApiOperation,
  beforehand,
  requestOf,
  type Subject,
  subjectOf,
} from '../../../infra/publish/contract/calls.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { call, expectProblem, OPERATIONS, type Request, STATUSES } from '../../support/api.ts';
import { INVALID_KEY } from '../../support/constants.ts';
import '../../support/patient.ts';
import { storedBy } from '../../support/stored.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { type Caller, newAcquirer, unique } from '../../support/world.ts';

/* The acquirers of a branch keep access to it when the other one is disabled or their partnership ends. */

beforeAll(async () => {
  await addCard('anna', subjectOf('', { id: '', type: 'PAYMENT_PROVIDER' }).card);
  // Makes events visible at once.
  FEED.horizonMs = -1_000;
});

/** Calls an operation and returns the data of its response. */
async function dataOf(operation: ApiOperation, { key }: Caller, request: Request) {
  const { status, body } = await call(operation, { ...request, key });
  expect([operation, status]).toEqual([operation, STATUSES[operation][0]]);
  return body.data;
}

/** Operations that affect each other, in an order in which all succeed for the same branch. */
const LAST = [
  ...(['updateTerminal', 'createTerminals', 'archiveTerminal', 'restoreTerminal', 'listTerminals'] as const),
  ...(['reassignTerminal', 'deleteTerminal', 'getTerminalHistory', 'archiveBranch', 'restoreBranch'] as const),
  'getBranchHistory' as const,
  'listEvents' as const,
];
const ORDER = [...new Set(OPERATIONS).difference(new Set(['createBranch', ...LAST])), ...LAST];

/** Expects every operation on a shared branch to succeed and to return something. Archives the branch. */
async function expectFullAccess(me: Caller, { added, ...subject }: Subject): Promise<void> {
  for (const operation of ORDER) {
    // The update takes another serial_no than the new terminal.
    const about = { ...subject, added: { ...added, serial_no: added.serial_no + operation } };
    await waitForIndexes();
    const data = await dataOf(operation, me, requestOf(operation, about));
    expect([operation, data]).not.toEqual([operation, []]);
    if (operation === 'memberCheck') expect(data.member_identified).toBe(true);
  }
}

describe.each([
  ['distributor', 'provider'],
  ['provider', 'distributor'],
] as const)('the %s of a branch', (who, other) => {
  let me: Caller;
  let partner: Caller;
  let subject: Subject;

  /** The items of the lookup that lists the partner. */
  const lookUpPartner = () =>
    dataOf('lookup', me, { path: { method: other === 'provider' ? 'paymentProviders' : 'distributors' } });

  async function newPartners() {
    const partners = {
      provider: await newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
      distributor: await newAcquirer('DISTRIBUTOR', 'Northgate'),
    };
    await linkPartners(partners.distributor.id, partners.provider.id);
    me = partners[who];
    partner = partners[other];
    subject = subjectOf(unique(''), { ...me, partner: partner.id });
    for (const [operation, about] of beforehand('reassignTerminal', subject))
      await dataOf(operation, me, requestOf(operation, about));
    return partners;
  }

  test(`keeps full access when its ${other} is disabled, whose key becomes invalid`, async () => {
    await newPartners();

    await disableAcquirer(partner.id);

    for (const mid of [subject.mid, subject.target])
      expectProblem(await call('getBranch', { key: partner.key, path: { mid } }), 'invalid_api_key', INVALID_KEY);
    expect(await lookUpPartner()).toEqual([{ key: partner.id, text: partner.name }]);
    await expectFullAccess(me, subject);
  });

  test(`keeps full access when it is no longer a partner of its ${other}, but can no longer look it up or name it`, async () => {
    const { distributor, provider } = await newPartners();
    const { existing_master_merchant } = await dataOf('getBranch', me, requestOf('getBranch', subject));

    await unlinkPartners(distributor.id, provider.id);

    expect(await lookUpPartner()).toEqual([]);
    const names = { payment_provider: provider.id, distributor: distributor.id };
    for (const owner of [{ master_merchant_id: unique('MM') }, { existing_master_merchant }]) {
      const body = { mid: unique('MID'), ...names, ...owner };
      const { response, changed } = await storedBy(() => call('createBranch', { key: me.key, body }));
      const pointer = other === 'provider' ? '/payment_provider' : '/distributor';
      expectProblem(response, 'validation_failed', [
        [pointer, 'not_a_partner', 'Must be the UUID of one of your partners.'],
      ]);
      expect(changed).toEqual({});
    }
    await expectFullAccess(me, subject);
  });
});
