import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type ApiResponse, call, type Operation, type Request } from '../../support/api.ts';
import { deep, runs } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { newAcquirer, newBranch, unique } from '../../support/world.ts';
import { count, isBusy, times, useAwsTable } from './bounds.ts';

/* Requests that are sent several times with one Idempotency-Key, while their first transaction becomes visible. */

const ROUNDS = runs(20, 100);
/** How many rounds run at the same time. */
const AT_ONCE = deep ? 12 : 6;
/** The longest time until the late duplicate is sent, in milliseconds. */
const LATE_MS = 120;

// A transaction becomes visible item by item for longer than a duplicate takes to read.
useAwsTable({ visibility: [0, 120] });

/** Sends a request twice at once, again right after the first response, and every second time a bit later as well. */
async function sendOften(operation: Operation, request: Request, isOdd: boolean): Promise<ApiResponse[]> {
  const headers = { 'idempotency-key': randomUUID() };
  const send = () => call(operation, { ...request, headers });
  const both = [send(), send()];
  const late = isOdd ? sleep(Math.random() * LATE_MS).then(send) : undefined;
  await Promise.race(both);
  const again = send();
  return Promise.all([...both, again, ...(late ? [late] : [])]);
}

/** What is wrong with the responses to one request, if anything. */
function faultOf(responses: ApiResponse[]): string | undefined {
  const done = responses.filter((response) => !isBusy(response));
  const [failed] = done.filter(({ status }) => status > 201);
  if (failed) return `${failed.status} ${failed.body.code} ${JSON.stringify(failed.body.errors?.[0]?.code ?? '')}`;
  if (done.length === 0) return 'no response but server errors';
  const seen = new Set(done.map(({ status, headers, body }) => JSON.stringify([status, headers['location'], body])));
  if (seen.size > 1) return 'different responses';
  const originals = done.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
  // The original itself may have been lost in contention.
  if (originals.length > 1) return 'executed twice';
  return undefined;
}

test(`${ROUNDS} creates and moves that are each sent three or four times are executed once, and all get the same response`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { key } = provider;
  const faults: Record<string, number> = {};
  const all = { responses: 0, busy: 0 };
  let round = 0;
  const once = async (operation: Operation, request: Request): Promise<ApiResponse | undefined> => {
    const responses = await sendOften(operation, { key, ...request }, round % 2 === 1);
    const fault = faultOf(responses);
    if (fault) count(faults, `${operation}: ${fault}`);
    all.responses += responses.length;
    all.busy += responses.filter(isBusy).length;
    return responses.find(({ status }) => status <= 201);
  };
  await times(AT_ONCE, async () => {
    const home = await newBranch(provider);
    while (round < ROUNDS) {
      round += 1;
      const terminals = () => [{ terminal_id: unique('T'), serial_no: unique('S') }, { terminal_id: unique('T') }];
      const mid = unique('MID');
      const body = { mid, master_merchant_id: unique('MM'), terminals: terminals() };
      if (!(await once('createBranch', { body }))) continue;
      const created = await once('createTerminals', {
        path: { id: mid },
        body: { terminals: terminals() },
      });
      const tid = created?.body.data[0].tid;
      if (!tid) continue;
      await once('reassignTerminal', { path: { id: tid }, body: { mid: home.mid } });
    }
  });
  expect(faults).toEqual({});
  // Nearly all are executed.
  expect(all.busy).toBeLessThanOrEqual(Math.ceil(all.responses / 100));
  await expectNoViolations();
});
