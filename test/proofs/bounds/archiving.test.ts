import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { call } from '../../support/api.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { newAcquirer, newBranch, unique } from '../../support/world.ts';
import { codeOf, isBusy, listAll, record, sized, times, useAwsTable } from './bounds.ts';

/* A branch that is archived while callers add terminals to it without a pause. */

const CALLERS = sized(12, 24);
const BRANCHES = sized(5, 20);
/** Until the callers are at their usual pace, in milliseconds. */
const START_MS = 500;

useAwsTable();

test(`${BRANCHES} branches are archived although ${CALLERS} callers add terminals to each without a pause`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { key } = provider;
  const archivings: (string | number)[] = [];
  const times_ms: number[] = [];
  const attempts: number[] = [];
  for (let branch = 1; branch <= BRANCHES; branch += 1) {
    const { mid } = await newBranch(provider);
    const create = () =>
      call('createTerminals', { key, path: { id: mid }, body: { terminals: [{ terminal_id: unique('T') }] } });
    let created = 0;
    let isOver = false;
    const callers = times(CALLERS, async () => {
      for (;;) {
        const response = await create();
        if (response.status === 201) created += 1;
        else if (!isBusy(response)) return codeOf(response);
        if (isOver) return 'not archived';
      }
    });
    await sleep(START_MS);
    const started = performance.now();
    const { response: archived, requests } = await tableRequestsBy(() => call('archiveBranch', { key, path: { mid } }));
    attempts.push(requests.filter(({ operation }) => operation === 'TransactWriteItems').length);
    times_ms.push(Math.round(performance.now() - started));
    archivings.push(codeOf(archived));
    if (archived.status !== 200) {
      isOver = true;
      await callers;
      continue;
    }
    expect(new Set(await callers)).toEqual(new Set(['branch_archived']));
    expect(codeOf(await create())).toBe('branch_archived');
    const { total, terminals } = await listAll(provider, mid);
    expect([total, terminals.length, archived.body.data.terminal_count]).toEqual([created, created, created]);
  }
  record('archiving', { outcomes: archivings, times_ms, attempts });
  expect(archivings).toEqual(Array(BRANCHES).fill(200));
  await expectNoViolations();
});
