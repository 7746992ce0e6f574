import { beforeAll, describe, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import { tokensOf } from '../../../lib/limits/cost.ts';
import { metered } from '../../bench/meter.ts';
import { listMissingTerminals } from '../../functions/terminals/terminals.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { branchBody } from '../../support/requests.ts';
import '../../../infra/local/patient.ts';
import { statedFor } from '../../support/stated.ts';
import { addNames, newBranch, newTerminal, newWorld, numbered, unique, type World } from '../../support/world.ts';
import { longBranch, longId, longTerminal, longText } from './texts.ts';

/*
 * Actual units are counted from the items before and after each write, because DynamoDB Local understates those of
 * transactions: see test/bench/units.ts.
 */

/** Sends requests at once and returns the stated and the actual costs of all, and the data of the first. */
async function measured(...requests: [Operation, Request][]) {
  const send = () => Promise.all(requests.map(([operation, request]) => call(operation, { key, ...request })));
  const { result, usage: used } = await metered(send);
  for (const { body } of result) expect(body).toHaveProperty('data');
  const stated = await Promise.all(
    requests.map(([operation, request]) => statedFor(world.provider, operation, request)),
  );
  const total = (of: (cost: (typeof stated)[number]) => number | undefined) =>
    stated.reduce((sum, cost) => sum + (of(cost) ?? 0), 0);
  return {
    stated: { read: total(({ read }) => read), write: total(({ write }) => write), later: total(({ later }) => later) },
    actual: { read: used.readUnits, write: used.writeUnits },
    data: result[0]?.body.data,
  };
}
type Measured = Awaited<ReturnType<typeof measured>>;

let world: World;
let key: string;
/** Names of reference data of 1,000 bytes, which is the most, for each of 40 terminals. */
let names: { payment_app: string; acquirer_name: string }[];
beforeAll(async () => {
  world = await newWorld();
  ({ key } = world.provider);
  names = Array.from({ length: 40 }, () => ({ payment_app: longText(250), acquirer_name: longText(250) }));
  await addNames(world.provider, {
    paymentApps: names.map(({ payment_app }) => payment_app),
    masterAcquirers: names.map(({ acquirer_name }) => acquirer_name),
  });
});

/** A {@link longText} with as many words as count for searches. */
const longWords = (): string => `AA BB CC DD EE FF GG HH II JJ KK LL ${longText(219)}`;

const longTerminals = () => names.map((each) => ({ ...longTerminal(), ...each }));

const newLongBranch = (more: object) =>
  branchBody({
    payment_provider: world.provider.id,
    distributor: world.distributor.id,
    ...longBranch(),
    branch_name: longWords(),
    master_merchant_name: longWords(),
    ...more,
  });

/** With a key, the response is stored too. */
const headers = () => ({ 'idempotency-key': unique('key') });

/** A branch that lists 1,000 terminals, which is the most, or one less. Only one of them exists. */
async function newFullBranch(count: 999 | 1000): Promise<{ mid: string; tid: string }> {
  const { mid } = await newBranch(world.provider, { distributor: world.distributor.id });
  const { tid } = await newTerminal(world.provider, mid);
  await listMissingTerminals(mid, count - 1);
  return { mid, tid };
}

/** What a request weighs in the end, and what is taken for it before. */
const weightsOf = ({ stated, actual }: Measured): { weighs: number; takes: number } => ({
  weighs: tokensOf({ ...actual, later: stated.later }),
  takes: tokensOf(stated),
});

describe('a request overruns what its operation states by little', () => {
  test('for changes of branches with 1,000 terminals', async () => {
    const [branch, target] = await Promise.all([newFullBranch(1000), newFullBranch(999)]);
    const path = { id: branch.tid };
    const requests: [Operation, Request][] = [
      ['updateTerminal', { path, body: { terminal_model: 'New' } }],
      ['archiveTerminal', { path, body: { reason: 'Repair' } }],
      ['restoreTerminal', { path }],
      ['reassignTerminal', { path, body: { mid: target.mid } }],
      ['deleteTerminal', { path }],
      ['createTerminals', { path: { id: branch.mid }, body: { terminals: [{ terminal_id: unique('T') }] } }],
      ['archiveBranch', { path: { mid: branch.mid } }],
    ];
    const weights = [];
    for (const request of requests) weights.push(weightsOf(await measured(request)));
    expect(weights.map(({ weighs }) => weighs)).toEqual([1, 4, 4, 8, 4, 4, 4]);
    for (const { weighs, takes } of weights) expect(weighs - takes).toBeLessThanOrEqual(6);
  });

  test('for creates of 40 terminals with the longest texts, which weigh no more than any stage’s burst', async () => {
    const body = newLongBranch({ terminals: longTerminals() });
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(MAX_BODY_BYTES);
    const branch = await measured(['createBranch', { headers: headers(), body }]);
    const more = { path: { id: branch.data.mid }, headers: headers(), body: { terminals: longTerminals() } };
    for (const one of [branch, await measured(['createTerminals', more])]) {
      const { weighs, takes } = weightsOf(one);
      expect(weighs).toBeLessThanOrEqual(120);
      // Texts of random letters of all scripts hardly shrink in an event.
      expect(weighs - takes).toBeLessThanOrEqual(12);
      expect(takes).toBeLessThanOrEqual(120);
    }
  });

  test('for an update that replaces all words of a branch', async () => {
    const words = () => Array.from({ length: 18 }, () => longId(12)).join(' ');
    const { mid } = (await measured(['createBranch', { body: newLongBranch({ branch_name: words() }) }])).data;
    const body = { branch_name: words(), area: words(), city: words() };
    const { weighs, takes } = weightsOf(await measured(['updateBranch', { path: { mid }, body }]));
    expect(weighs - takes).toBeLessThanOrEqual(12);
  });

  test.each([
    ['short', branchBody],
    ['the longest', newLongBranch],
  ])('for creates of branches with %s texts, which pay for their later ranking in both lists', async (_, body) => {
    const { provider, distributor } = await newWorld();
    const create = (): [Operation, Request] => [
      'createBranch',
      { key: provider.key, body: body({ distributor: distributor.id, payment_provider: undefined }) },
    ];
    const { horizonMs } = SEALING;
    const creates = await measured(...Array.from({ length: SEALING.least }, create));
    SEALING.horizonMs = 0;
    let ranking = 0;
    for (const acquirer of [provider, distributor]) {
      const list = await metered(() => call('listBranches', { key: acquirer.key }));
      ranking += list.usage.writeUnits;
    }
    SEALING.horizonMs = horizonMs;
    expect(ranking).toBeGreaterThan(0);
    expect(ranking).toBeLessThanOrEqual(creates.stated.later);
  });
});

/** Terminals with serial numbers, as most are. */
const terminals = (count: number) => numbered(unique('T'), count).map((each) => ({ ...each, serial_no: unique('S') }));

/* What other requests weigh follows from their units, which test/bench/main.slow.test.ts asserts. */

describe('creates weigh what the guide on rate limits says', () => {
  const branch = (more: object = {}): Request => ({ headers: headers(), body: branchBody(more) });
  const add = async (count: number): Promise<Request> => ({
    path: { id: (await newBranch(world.provider, { distributor: world.distributor.id })).mid },
    body: { terminals: terminals(count) },
  });

  test.each<[string, takes: number, weighs: number, Operation, () => Request | Promise<Request>]>([
    ['a new terminal', 2, 2, 'createTerminals', () => add(1)],
    ['10 new terminals', 4, 4, 'createTerminals', () => add(10)],
    ['40 new terminals', 15, 14, 'createTerminals', () => add(40)],
    ['a new branch', 3, 3, 'createBranch', () => branch()],
    ['a new branch with a terminal', 4, 3, 'createBranch', () => branch({ terminals: terminals(1) })],
    ['a new branch with a distributor', 6, 5, 'createBranch', () => branch({ distributor: world.distributor.id })],
    ['a new branch with 40 terminals', 17, 16, 'createBranch', () => branch({ terminals: terminals(40) })],
  ])('%s takes %i and weighs %i', async (_, takes, weighs, operation, request) => {
    expect(weightsOf(await measured([operation, await request()]))).toEqual({ takes, weighs });
  });
});
