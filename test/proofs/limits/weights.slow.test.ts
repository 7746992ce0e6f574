import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { requestContext } from '../../../lib/aws/requestContext.ts';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { UNITS_PER_TOKEN } from '../../../lib/http/account.ts';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import { table } from '../../../lib/table/client.ts';
import { metered } from '../../bench/meter.ts';
import { listMissingTerminals } from '../../functions/terminals/terminals.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { branchBody, newRequests } from '../../support/requests.ts';
import '../../../infra/local/patient.ts';
import { addNames, newBranch, newTerminal, newWorld, numbered, unique, type World } from '../../support/world.ts';
import { longBranch, longTerminal, longText } from './texts.ts';

/*
 * Actual units are counted from the items before and after each write, because DynamoDB Local understates those of
 * transactions: see test/bench/units.ts.
 */

/** Estimates of the current requests' transactions. */
let estimates: number[] = [];
table.middlewareStack.add(
  (next) => (args) => {
    // No caller has a rate limit, so nothing else is charged. Every change begins with a read.
    requestContext().account ??= {
      pay: async (kind, units) => {
        if (kind === 'write') estimates.push(units);
        return () => undefined;
      },
    };
    return next(args);
  },
  { step: 'initialize', priority: 'high', name: 'estimates' },
);
afterAll(() => {
  table.middlewareStack.remove('estimates');
});

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** Sends requests at once and returns the estimated and the actual write units of all, and the data of the first. */
async function measured(...requests: [Operation, Request][]) {
  estimates = [];
  const send = () => Promise.all(requests.map(([operation, request]) => call(operation, { key, ...request })));
  const { result, usage: used } = await metered(send, { countsWrites: true });
  for (const { body } of result) expect(body).toHaveProperty('data');
  return { estimate: sum(estimates), actual: used.writeUnits, data: result[0]?.body.data };
}

let world: World;
let key: string;
let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
/** Names of reference data of 1,000 bytes, which is the most, for each of 40 terminals. */
let names: { payment_app: string; acquirer_name: string }[];
beforeAll(async () => {
  ({ world, requestOf } = await newRequests());
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

const close = ({ estimate, actual }: { estimate: number; actual: number }): void => {
  expect(estimate).toBeGreaterThanOrEqual(actual);
  expect(estimate).toBeLessThanOrEqual(1.5 * actual + 4);
};

const weightOf = ({ estimate }: { estimate: number }): number => Math.ceil(estimate / UNITS_PER_TOKEN.write);

describe('write units are estimated at no less than they are, and not much more', () => {
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
    for (const [operation, request] of requests) {
      const one = await measured([operation, request]);
      close(one);
      weights.push(weightOf(one));
    }
    expect(weights).toEqual([1, 4, 4, 8, 5, 4, 4]);
  });

  test('for creates of 40 terminals with the longest texts, which weigh less than any stage’s burst', async () => {
    const body = newLongBranch({ terminals: longTerminals() });
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(MAX_BODY_BYTES);
    const branch = await measured(['createBranch', { headers: headers(), body }]);
    const more = { path: { id: branch.data.mid }, headers: headers(), body: { terminals: longTerminals() } };
    for (const one of [branch, await measured(['createTerminals', more])]) {
      close(one);
      expect(weightOf(one)).toBeLessThanOrEqual(116);
    }
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
    const creates = await measured(...Array.from({ length: SEALING.least }, create));
    const { horizonMs } = SEALING;
    SEALING.horizonMs = 0;
    for (const acquirer of [provider, distributor]) {
      const list = await measured(['listBranches', { key: acquirer.key }]);
      expect([list.estimate, list.actual > 0]).toEqual([0, true]);
      creates.actual += list.actual;
    }
    SEALING.horizonMs = horizonMs;
    close(creates);
  });
});

/** Terminals with serial numbers, as most are. */
const terminals = (count: number) => numbered(unique('T'), count).map((each) => ({ ...each, serial_no: unique('S') }));

describe('requests weigh what the guide on rate limits says', () => {
  const branch = (more: object = {}): Request => ({ headers: headers(), body: branchBody(more) });
  const add = async (count: number): Promise<Request> => ({
    path: { id: (await newBranch(world.provider, { distributor: world.distributor.id })).mid },
    body: { terminals: terminals(count) },
  });

  test.each<[string, number, Operation, () => Request | Promise<Request>]>([
    ['a change of a serial number', 2, 'updateTerminal', () => requestOf('updateTerminal')],
    ['archiving a terminal', 1, 'archiveTerminal', () => requestOf('archiveTerminal')],
    ['restoring a terminal', 1, 'restoreTerminal', () => requestOf('restoreTerminal')],
    ['deleting a terminal', 2, 'deleteTerminal', () => requestOf('deleteTerminal')],
    ['archiving a branch', 1, 'archiveBranch', () => requestOf('archiveBranch')],
    ['a reassignment', 2, 'reassignTerminal', () => requestOf('reassignTerminal')],
    ['a new terminal', 2, 'createTerminals', () => add(1)],
    ['10 new terminals', 4, 'createTerminals', () => add(10)],
    ['40 new terminals', 14, 'createTerminals', () => add(40)],
    ['a new branch', 3, 'createBranch', () => branch()],
    ['a new branch with a terminal', 3, 'createBranch', () => branch({ terminals: terminals(1) })],
    ['a new branch with a distributor', 5, 'createBranch', () => branch({ distributor: world.distributor.id })],
    ['a new branch with 40 terminals', 16, 'createBranch', () => branch({ terminals: terminals(40) })],
  ])('%s: %i', async (_, weight, operation, request) => {
    const one = await measured([operation, await request()]);
    close(one);
    expect(weightOf(one)).toBe(weight);
  });
});
