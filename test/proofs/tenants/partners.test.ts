import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Event } from '../../../lib/events/event.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { type ApiResponse, call, expectProblem, type Operation, type Request, STATUSES } from '../../support/api.ts';
import { INVALID_KEY, NO_MASTER_ACQUIRER, NO_PAYMENT_APP, NO_TERMINAL } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { addNames, type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';

/*
 * A provider and its distributor can access the branches they share, and nothing else of each other. Neither loses
 * access when the other is disabled or the partnership ends.
 */

const CARD = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };
beforeAll(async () => {
  await addCard('anna', CARD);
  // Makes events visible at once.
  FEED.horizonMs = -1_000;
});

const succeed = async (operation: Operation, request: Request): Promise<ApiResponse> => {
  const response = await call(operation, request);
  expect([operation, response.status]).toEqual([operation, STATUSES[operation][0]]);
  return response;
};

const lookup = async ({ key }: Caller, method: string) =>
  (await succeed('lookup', { key, path: { method } })).body.data;
const midsOf = async ({ key }: Caller) =>
  (await succeed('listBranches', { key, query: { sort: 'asc' } })).body.data.map(({ mid }: { mid: string }) => mid);
const itemOf = ({ id, name }: Caller) => ({ key: id, text: name });

const eventsOf = async ({ key }: Caller): Promise<Event[]> => (await succeed('listEvents', { key })).body.data;
const historyOf = async ({ key }: Caller, id: string): Promise<Event[]> => {
  await waitForIndexes();
  return (await succeed('getTerminalHistory', { key, path: { id } })).body.data;
};
const branchHistoryOf = async ({ key }: Caller, mid: string): Promise<Event[]> => {
  await waitForIndexes();
  return (await succeed('getBranchHistory', { key, path: { mid } })).body.data;
};
async function expectNoHistory({ key }: Caller, id: string): Promise<void> {
  await waitForIndexes();
  expectProblem(await call('getTerminalHistory', { key, path: { id } }), 'not_found', NO_TERMINAL);
}
const typesOf = (events: Event[]) => events.map(({ type }) => type);

/** A provider and a distributor that are partners. */
async function newPartners(): Promise<{ provider: Caller; distributor: Caller }> {
  const [provider, distributor] = await Promise.all([
    newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    newAcquirer('DISTRIBUTOR', 'Northgate'),
  ]);
  await linkPartners(distributor.id, provider.id);
  return { provider, distributor };
}

/** Expects every operation on a shared branch to succeed for `me`. Archives the branch. */
async function expectFullAccess(me: Caller, mid: string, otherMid: string): Promise<void> {
  const { key } = me;
  expect((await succeed('getBranch', { key, path: { mid } })).body.data.mid).toBe(mid);
  expect(await midsOf(me)).toEqual(expect.arrayContaining([mid, otherMid]));
  const terminals = [{ terminal_id: unique('T') }];
  const { body: made } = await succeed('createTerminals', { key, path: { id: mid }, body: { terminals } });
  const [{ tid: id, terminal_id }] = made.data;
  const { body: listed } = await succeed('listTerminals', { key, path: { id: mid } });
  expect(listed.data).toEqual(made.data);
  const found = (await succeed('find', { key, query: { terminal_id } })).body;
  expect(found).toEqual({ data: made.data[0], type: 'terminal' });
  const check = { amount: 1, currency: 'EUR', ...CARD, terminal_id, acquirer_id: me.id };
  expect((await succeed('memberCheck', { key, body: check })).body.data.member_identified).toBe(true);
  await succeed('updateTerminal', { key, path: { id }, body: { terminal_model: 'Desk 2' } });
  await succeed('archiveTerminal', { key, path: { id }, body: { reason: 'Repair' } });
  await succeed('restoreTerminal', { key, path: { id } });
  await succeed('reassignTerminal', { key, path: { id }, body: { mid: otherMid } });
  await succeed('deleteTerminal', { key, path: { id } });
  const changes = ['deleted', 'reassigned', 'restored', 'archived', 'updated'].map((change) => `terminal.${change}`);
  expect(typesOf(await historyOf(me, id))).toEqual([...changes, 'terminals.created']);
  expect(typesOf((await branchHistoryOf(me, otherMid)).slice(0, 2))).toEqual(changes.slice(0, 2));
  await succeed('archiveBranch', { key, path: { mid } });
  expect(typesOf(await eventsOf(me)).slice(-7)).toEqual([
    'terminals.created',
    ...changes.toReversed(),
    'branch.archived',
  ]);
}

describe('partners', () => {
  test('each list only their own branches and master merchants', async () => {
    const { provider, distributor } = await newPartners();
    const second = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    await linkPartners(distributor.id, second.id);
    const branch = (caller: Caller, name: string, names: object) =>
      newBranch(caller, { mid: unique(name), master_merchant_id: unique(name), master_merchant_name: name, ...names });
    const shared = await branch(provider, 'Bakery', { distributor: distributor.id });
    const alone = await branch(provider, 'Florist', {});
    const other = await branch(distributor, 'Grocer', { payment_provider: second.id });

    expect(await midsOf(provider)).toEqual([shared.mid, alone.mid]);
    expect(await midsOf(distributor)).toEqual([shared.mid, other.mid]);
    expect(await midsOf(second)).toEqual([other.mid]);
    const texts = async (caller: Caller) =>
      (await lookup(caller, 'masterMerchants')).map(({ text }: { text: string }) => text);
    expect(await texts(provider)).toEqual(['Bakery', 'Florist']);
    expect(await texts(distributor)).toEqual(['Bakery', 'Grocer']);
    expect(await texts(second)).toEqual(['Grocer']);
    expect(await lookup(provider, 'distributors')).toEqual([itemOf(distributor)]);
    expect(await lookup(distributor, 'paymentProviders')).toEqual([itemOf(provider), itemOf(second)]);
  });

  test('cannot use a master merchant of one provider for a branch of another', async () => {
    const { provider, distributor } = await newPartners();
    const second = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    await linkPartners(distributor.id, second.id);
    const { existing_master_merchant } = await newBranch(distributor, { payment_provider: provider.id });

    const body = { mid: unique('MID'), payment_provider: second.id, existing_master_merchant };
    const { response, changed } = await storedBy(() => call('createBranch', { key: distributor.key, body }));

    expectProblem(response, 'validation_failed', [
      [
        '/existing_master_merchant',
        'not_found',
        'Must be a master merchant of this payment provider that you may use; see lookup masterMerchants.',
      ],
    ]);
    expect(changed).toEqual({});
  });

  test('set only their own payment apps and master acquirers on shared terminals, and read the other’s', async () => {
    const { provider, distributor } = await newPartners();
    await addNames(provider, { paymentApps: ['Provider App'], masterAcquirers: ['Provider Bank'] });
    await addNames(distributor, { paymentApps: ['Distributor App'], masterAcquirers: ['Distributor Bank'] });
    const { mid } = await newBranch(provider, { distributor: distributor.id });
    const names = { payment_app: 'Provider App', acquirer_name: 'Provider Bank' };
    const terminal = await newTerminal(provider, mid, names);

    for (const [operation, request, at] of [
      ['updateTerminal', { path: { id: terminal.tid }, body: names }, ''],
      [
        'createTerminals',
        { path: { id: mid }, body: { terminals: [{ terminal_id: 'NEW1', ...names }] } },
        '/terminals/0',
      ],
    ] as const) {
      const { response, changed } = await storedBy(() => call(operation, { key: distributor.key, ...request }));
      expectProblem(response, 'validation_failed', [
        [`${at}/payment_app`, 'not_found', NO_PAYMENT_APP],
        [`${at}/acquirer_name`, 'not_found', NO_MASTER_ACQUIRER],
      ]);
      expect(changed).toEqual({});
    }
    const path = { id: mid };
    expect((await succeed('listTerminals', { key: distributor.key, path })).body.data).toEqual([terminal]);
    const body = { payment_app: 'Distributor App' };
    const update = { key: distributor.key, path: { id: terminal.tid }, body };
    const updated = { ...terminal, ...body, updated_at: expect.any(String) };
    expect((await succeed('updateTerminal', update)).body.data).toEqual(updated);
    await waitForIndexes();
    expect((await succeed('listTerminals', { key: provider.key, path })).body.data).toEqual([updated]);
  });

  test('that send the same request with the same Idempotency-Key get a response each, and no replay', async () => {
    const { provider, distributor } = await newPartners();
    const { mid } = await newBranch(provider, { distributor: distributor.id });
    const request = {
      headers: { 'idempotency-key': 'one-key' },
      path: { id: mid },
      body: { terminals: [{ terminal_id: unique('T') }] },
    };
    const first = await succeed('createTerminals', { key: provider.key, ...request });

    const { response, changed } = await storedBy(() => call('createTerminals', { key: distributor.key, ...request }));

    expectProblem(response, 'validation_failed', [
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
    ]);
    expect(changed).toEqual({});
    const again = await succeed('createTerminals', { key: provider.key, ...request });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);

    const terminals = [{ terminal_id: unique('T') }];
    const own = await succeed('createTerminals', { key: distributor.key, ...request, body: { terminals } });
    expect(own.headers['idempotent-replayed']).toBeUndefined();
    expect(own.body.data).toEqual([expect.objectContaining(terminals[0] as object)]);
  });
});

describe('events', () => {
  /** A provider with two distributors, a branch with each, a branch without one, and a terminal of the first branch. */
  async function newEstate() {
    const { provider, distributor: first } = await newPartners();
    const second = await newAcquirer('DISTRIBUTOR', 'Silverline');
    await linkPartners(second.id, provider.id);
    const branchOf = async (distributor?: Caller): Promise<string> =>
      (await newBranch(provider, { distributor: distributor?.id })).mid;
    const [one, two, own] = [await branchOf(first), await branchOf(second), await branchOf()];
    const terminal = await newTerminal(first, one);
    const move = async ({ key }: Caller, mid: string) =>
      (await succeed('reassignTerminal', { key, path: { id: terminal.tid }, body: { mid } })).body.data;
    return { provider, first, second, one, two, own, terminal, move };
  }

  test('of a terminal that moves between two distributors show neither the other one’s branch', async () => {
    const { provider, first, second, one, two, terminal, move } = await newEstate();
    const { tid, terminal_id } = terminal;

    const moved = await move(provider, two);

    const by = { acquirer: provider.id, key_id: null, key_label: null };
    const at = moved.updated_at;
    const shared = { id: expect.any(String), at, request_id: expect.any(String) };
    const left = {
      ...shared,
      type: 'terminal.left',
      branch: { mid: one, status: 'active' },
      data: { tid, terminal_id },
      changes: null,
      by,
    };
    const joined = {
      ...shared,
      type: 'terminal.joined',
      branch: { mid: two, status: 'active' },
      data: moved,
      changes: null,
      by,
    };
    const reassigned = {
      ...joined,
      type: 'terminal.reassigned',
      changes: { mid: one },
      by: { acquirer: provider.id, key_id: expect.stringMatching(/^[\da-f]{12}$/), key_label: 'test' },
    };
    expect((await eventsOf(first)).at(-1)).toEqual(left);
    expect((await eventsOf(second)).at(-1)).toEqual(joined);
    expect((await eventsOf(provider)).at(-1)).toEqual(reassigned);
    expect((await branchHistoryOf(first, one))[0]).toEqual(left);
    expect(await branchHistoryOf(second, two)).toEqual([joined, expect.objectContaining({ type: 'branch.created' })]);
    expect((await branchHistoryOf(provider, one))[0]).toEqual(reassigned);
    expect((await branchHistoryOf(provider, two))[0]).toEqual(reassigned);

    expect(await historyOf(first, tid)).toEqual([left, expect.objectContaining({ type: 'terminals.created' })]);
    expect(await historyOf(second, tid)).toEqual([joined]);
    expect(typesOf(await historyOf(provider, tid))).toEqual(['terminal.reassigned', 'terminals.created']);
  });

  test('of a terminal that comes back show its distributor nothing of its time elsewhere', async () => {
    const { provider, first, second, one, two, own, terminal, move } = await newEstate();
    const { tid: id } = terminal;
    await move(provider, two);
    await succeed('updateTerminal', { key: second.key, path: { id }, body: { terminal_model: 'Pocket' } });
    await move(provider, own);
    await move(provider, one);

    const seen = ['terminal.joined', 'terminal.left', 'terminals.created'];
    expect(typesOf(await historyOf(first, id))).toEqual(seen);
    expect(typesOf(await eventsOf(first))).toEqual(['branch.created', ...seen.toReversed()]);
    expect(typesOf(await eventsOf(second))).toEqual([
      ...['branch.created', 'terminal.joined', 'terminal.updated', 'terminal.left'],
    ]);
    expect(JSON.stringify([await eventsOf(first), await historyOf(first, id)])).not.toMatch(`${two}|${own}`);
    expect(JSON.stringify(await eventsOf(second))).not.toMatch(`${one}|${own}`);
    expect(typesOf(await historyOf(second, id))).toEqual(['terminal.left', 'terminal.updated', 'terminal.joined']);
    expect(JSON.stringify(await historyOf(second, id))).not.toMatch(`${one}|${own}`);
  });

  test('of a deleted terminal stay hidden from the next acquirer to use its terminal_id', async () => {
    const { provider, first, one, terminal } = await newEstate();
    const { tid, terminal_id } = terminal;
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    await succeed('deleteTerminal', { key: first.key, path: { id: tid } });
    for (const me of [first, provider])
      expect(typesOf(await historyOf(me, tid))).toEqual(['terminal.deleted', 'terminals.created']);
    await expectNoHistory(stranger, tid);

    const ofFirst = await historyOf(first, tid);

    const { mid } = await newBranch(stranger);
    await newTerminal(stranger, mid, { terminal_id });
    expect(await historyOf(first, tid)).toEqual(ofFirst);
    expect(typesOf(await historyOf(stranger, tid))).toEqual(['terminals.created']);

    await succeed('deleteTerminal', { key: stranger.key, path: { id: tid } });
    expect(await historyOf(first, tid)).toEqual(ofFirst);
    const [deleted] = await historyOf(stranger, tid);
    expect(await historyOf(stranger, tid)).toEqual([
      expect.objectContaining({ type: 'terminal.deleted', branch: { mid, status: 'active' } }),
      expect.objectContaining({ type: 'terminals.created', branch: { mid, status: 'active' } }),
    ]);
    expect((await eventsOf(stranger)).at(-1)).toEqual(deleted);
    expect(typesOf(await branchHistoryOf(first, one))).toEqual([
      ...['terminal.deleted', 'terminals.created', 'branch.created'],
    ]);
  });

  test('are the same for both partners, except that only its own acquirer sees the API key', async () => {
    const { provider, first, one } = await newEstate();
    const own = async (me: Caller) =>
      (await eventsOf(me)).filter(({ branch }) => branch.mid === one).map(({ by, ...event }) => ({ by, event }));
    const [providers, firsts] = [await own(provider), await own(first)];
    expect(firsts.map(({ event }) => event)).toEqual(providers.map(({ event }) => event));
    const key = { key_id: expect.stringMatching(/^[\da-f]{12}$/), key_label: 'test' };
    const none = { key_id: null, key_label: null };
    const authors = [provider.id, first.id].map((acquirer) => ({ acquirer }));
    expect(providers.map(({ by }) => by)).toEqual([
      { ...authors[0], ...key },
      { ...authors[1], ...none },
    ]);
    expect(firsts.map(({ by }) => by)).toEqual([
      { ...authors[0], ...none },
      { ...authors[1], ...key },
    ]);
  });
});

describe.each([
  ['distributor', 'provider'],
  ['provider', 'distributor'],
] as const)('the %s of a branch', (who, other) => {
  test(`keeps full access when its ${other} is disabled, whose key becomes invalid`, async () => {
    const partners = await newPartners();
    const { [who]: me, [other]: disabled } = partners;
    const names = { payment_provider: partners.provider.id, distributor: partners.distributor.id };
    const [{ mid }, { mid: otherMid }] = [await newBranch(me, names), await newBranch(me, names)];

    await disableAcquirer(disabled.id);

    for (const path of [{ mid }, { mid: otherMid }])
      expectProblem(await call('getBranch', { key: disabled.key, path }), 'invalid_api_key', INVALID_KEY);
    expect(await lookup(me, `${other === 'provider' ? 'paymentProviders' : 'distributors'}`)).toEqual([
      itemOf(disabled),
    ]);
    await expectFullAccess(me, mid, otherMid);
  });

  test(`keeps full access when it is no longer a partner of its ${other}, but can no longer look it up or name it`, async () => {
    const partners = await newPartners();
    const { provider, distributor } = partners;
    const { [who]: me } = partners;
    const names = { payment_provider: provider.id, distributor: distributor.id };
    const [{ mid, existing_master_merchant }, { mid: otherMid }] = [
      await newBranch(provider, names),
      await newBranch(distributor, names),
    ];

    await unlinkPartners(distributor.id, provider.id);

    expect(await lookup(me, `${other === 'provider' ? 'paymentProviders' : 'distributors'}`)).toEqual([]);
    const pointer = other === 'provider' ? '/payment_provider' : '/distributor';
    for (const owner of [{ master_merchant_id: unique('MM') }, { existing_master_merchant }]) {
      const body = { mid: unique('MID'), ...names, ...owner };
      const { response, changed } = await storedBy(() => call('createBranch', { key: me.key, body }));
      expectProblem(response, 'validation_failed', [
        [pointer, 'not_a_partner', 'Must be the UUID of one of your partners.'],
      ]);
      expect(changed).toEqual({});
    }
    await expectFullAccess(me, mid, otherMid);
  });
});
