import { API_OPERATIONS, type ApiOperation, readyRequest, subjectOf } from '../../infra/publish/contract/calls.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { FEED } from '../../lib/events/feed.ts';
import { addCard, addReward } from '../../lib/operator/memberImport.ts';
import type { Operation, Request } from '../support/invoke.ts';
import { terminalBody } from '../support/requests.ts';
import { type Caller, newBranch, newWorld, unique } from '../support/world.ts';
import { call, NAMES, plainBranch, successOf } from './world.ts';

/** One kind of call of an operation, each time with new data. */
export interface Case {
  /** The operation and the kind of call; the same in all figures. */
  name: string;
  operation: Operation;
  /** The expected status. */
  status: number;
  prepare: () => Promise<{ caller: Caller; request: Request }>;
}

/** Ranks branches of this age in milliseconds, never in a create, and shows events at once. */
const rankAfter = (horizonMs: number): void => {
  Object.assign(SEALING, { horizonMs, probability: 0 });
  FEED.horizonMs = 0;
};

/**
 * The valid request of each operation, by a payment provider whose branches have a distributor, and further calls with
 * other table usage.
 */
export async function cases(): Promise<Case[]> {
  const [{ distributor, provider }, { provider: lister }, { provider: ranker }, mirror] = await Promise.all([
    newWorld(),
    newWorld(),
    newWorld(),
    newWorld(),
  ]);
  const { key } = provider;
  const newSubject = () => subjectOf(unique(''), { ...provider, partner: distributor.id });
  const { card } = newSubject();
  await addCard('bench', card);
  const reward = { reward_id: 'welcome', name: 'Welcome', currency: 'EUR', minimum_amount: 0 };
  await addReward('bench', {
    ...reward,
    valid_from: '2020-01-01T00:00:00.000Z',
    expires_at: '2099-01-01T00:00:00.000Z',
  });
  for (let count = 0; count < SEALING.most; count += 1) await newBranch(lister, NAMES);

  /** The request of the catalogue, after the calls that it needs. */
  const requestOf = (operation: ApiOperation): Promise<Request> =>
    readyRequest(operation, newSubject(), (each, request) => call(each, { key, ...request }));
  /** As many unranked branches as one seal ranks, after a list that ranks the earlier ones. */
  async function unranked(): Promise<Request> {
    for (const round of ['before', 'now']) {
      rankAfter(Number.POSITIVE_INFINITY);
      for (let count = 0; count < SEALING.most; count += 1) await newBranch(ranker, NAMES);
      rankAfter(-60_000);
      if (round === 'before') await call('listBranches', { key: ranker.key });
    }
    return {};
  }
  // A terminal that has changed 100 times.
  rankAfter(Number.POSITIVE_INFINITY);
  const { terminals } = await newBranch(mirror.provider, { ...NAMES, terminals: [terminalBody()] });
  const path = { id: terminals[0].tid };
  for (let count = 1; count <= 100; count += 1)
    await call('updateTerminal', { key: mirror.provider.key, path, body: { terminal_model: `Countertop ${count}` } });
  /** The cursor of a page, obtained some time before it is used. */
  async function cursor(query: Record<string, string>): Promise<Request> {
    FEED.horizonMs = -60_000;
    const { body } = await call('listEvents', { key: mirror.provider.key, query });
    FEED.horizonMs = -120_000;
    return { query: { after: body.meta.next } };
  }
  const keyed = (request: Request): Request => ({ ...request, headers: { 'idempotency-key': unique('K') } });
  const named = (more: object = {}): Request => ({ body: { ...plainBranch(), ...NAMES, ...more } });
  const repeated = async (operation: ApiOperation): Promise<Request> => {
    const request = keyed(await requestOf(operation));
    await call(operation, { key, ...request });
    return request;
  };
  const of = (
    operation: Operation,
    what: string,
    requestFor: () => Request | Promise<Request>,
    { caller = provider, status = successOf(operation) } = {},
  ): Case => ({
    name: what ? `${operation}, ${what}` : operation,
    operation,
    status,
    async prepare() {
      // Only the calls that measure ranking rank branches.
      rankAfter(Number.POSITIVE_INFINITY);
      return { caller, request: { key: caller.key, ...(await requestFor()) } };
    },
  });
  return [
    ...API_OPERATIONS.map((operation) => of(operation, '', () => requestOf(operation))),
    of('unknownRoute', '', () => ({}), { status: 404 }),
    of('listBranches', '10 of 25', () => ({}), { caller: lister }),
    of('listBranches', 'that ranks 25 branches', unranked, { caller: ranker }),
    of('createBranch', 'a provider alone', () => named()),
    of(
      'createBranch',
      'a distributor, with 2 terminals',
      () => named({ payment_provider: provider.id, terminals: ['T', 'T'].map((at) => ({ terminal_id: unique(at) })) }),
      { caller: distributor },
    ),
    of('createBranch', 'with an Idempotency-Key', async () => keyed(await requestOf('createBranch'))),
    of('createBranch', 'validated only', () => ({ ...named(), query: { validate_only: 'true' } }), { status: 200 }),
    of('createBranch', 'wrong body', () => ({ body: {} }), { status: 422 }),
    of('createBranch', 'MID taken', async () => ({ body: (await repeated('createBranch')).body }), { status: 422 }),
    of('createTerminals', '40 with serials and an Idempotency-Key', async () => ({
      ...keyed(await requestOf('createTerminals')),
      body: { terminals: Array.from({ length: 40 }, () => terminalBody()) },
    })),
    of('createTerminals', 'the same once more', () => repeated('createTerminals')),
    of('updateTerminal', 'a distributor', () => requestOf('updateTerminal'), { caller: distributor }),
    of('reassignTerminal', 'the same once more', () => repeated('reassignTerminal')),
    of('listEvents', '100', () => cursor({ limit: '1' }), { caller: mirror.provider }),
    of('listEvents', 'nothing new', () => cursor({ after: 'now' }), { caller: mirror.provider }),
    of('getTerminalHistory', '20', () => ({ path }), { caller: mirror.provider }),
  ];
}
