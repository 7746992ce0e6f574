import { beforeAll, expect, test } from '@jest/globals';
import type { Event } from '../../../lib/events/event.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { call } from '../../support/api.ts';
import { deep } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { newSharedBranch, newWorld } from '../../support/world.ts';
import { type Given, stepOf } from '../model/commands.ts';
import { atOnce, expectExplained } from '../model/course.ts';
import { inOrderOf, installGate, oneAfterAnother } from '../model/interleaving.ts';
import type { CastName } from '../model/service.ts';
import type { Modelled } from '../model/state.ts';

/*
 * Operations at once on the same resources. The model says whether their responses, and everything that can be read
 * afterwards, are as if they had run in some order. The audit finds what no response shows, such as a stray claim.
 */

const branch = (mid: string, more: object = {}, by?: CastName): Given => [
  'createBranch',
  { body: { mid: `<${mid}>`, master_merchant_id: '<B1>', ...more } },
  by,
];
const terminals = (mid: string, ...all: object[]): Given => [
  'createTerminals',
  { path: { id: `<${mid}>` }, body: { terminals: all } },
];
const [T1, T2, T3, T4, T5, T6] = ['<T1>', '<T2>', '<T3>', '<T4>', '<T5>', '<T6>'].map((terminal_id) => ({
  terminal_id,
})) as [object, object, object, object, object, object];
const ofTerminal = (operation: Modelled, body?: object, tid = 'tid1'): Given => [
  operation,
  { path: { id: `<${tid}>` }, body },
];
const update = (body: object, tid?: string) => ofTerminal('updateTerminal', body, tid);
const archive = ofTerminal('archiveTerminal', { reason: 'Lost' });
const archiveBranch: Given = ['archiveBranch', { path: { mid: '<M1>' } }];
const by = (caller: CastName, [operation, request]: Given): Given => [operation, request, caller];
const times = <T>(count: number, make: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1));

const PLACE = [branch('M1'), terminals('M1', T1)];
const keyed = ([operation, request]: Given): Given => [
  operation,
  { ...request, headers: { 'idempotency-key': 'once' } },
];

/** Calls that are made one after another, and then calls that are made at once. */
const RACES: [title: string, before: Given[], calls: Given[]][] = [
  [
    'creates of a branch with the same MID by two acquirers',
    [],
    times(5, (at) => {
      const more = { branch_name: `Racer ${at}`, terminals: [{ terminal_id: `<T${at}>` }] };
      return branch('M1', more, at % 2 ? 'P1' : 'P2');
    }),
  ],
  [
    'creates with the same new master_merchant_id of one payment provider',
    [],
    times(4, (at) => branch(`M${at}`, { payment_provider: '<P1>' }, at % 2 ? 'P1' : 'D1')),
  ],
  [
    'creates with the same new master_merchant_id but other details',
    [],
    times(4, (at) => branch(`M${at}`, { master_merchant_name: `Bakery ${at}` })),
  ],
  [
    'creates of one terminal, among others, in several branches',
    times(4, (at) => branch(`M${at}`)),
    times(4, (at) => terminals(`M${at}`, { terminal_id: `<T${at}>` }, T5)),
  ],
  [
    'creates and updates of terminals with the same serial_no',
    [branch('M1'), terminals('M1', T1, T2, T3)],
    [
      ...times(3, (at) => update({ serial_no: '<S1>' }, `tid${at}`)),
      ...[T4, T5, T6].map((each) => terminals('M1', { ...each, serial_no: '<S1>' })),
    ],
  ],
  [
    'reassignments with the same Idempotency-Key',
    [...PLACE, branch('M3')],
    times(4, () => keyed(ofTerminal('reassignTerminal', { mid: '<M3>' }))),
  ],
  ['deletes of a terminal', PLACE, times(4, () => ofTerminal('deleteTerminal'))],
  ['archives of a terminal', PLACE, times(4, () => archive)],
  ['restores of a terminal', [...PLACE, archive], times(4, () => ofTerminal('restoreTerminal'))],
  ['equal updates of a terminal', PLACE, times(4, () => update({ terminal_model: 'Pocket' }))],
  [
    'reassignments of a terminal to the same branch',
    [...PLACE, branch('M3')],
    times(2, () => ofTerminal('reassignTerminal', { mid: '<M3>' })),
  ],
  [
    'reassignments of a terminal to branches of two distributors',
    [...PLACE, branch('M3', { distributor: '<D1>' }), branch('M4', { distributor: '<D2>' })].map((each) =>
      by('P2', each),
    ),
    ['<M3>', '<M4>'].map((mid) => by('P2', ofTerminal('reassignTerminal', { mid }))),
  ],
  [
    'updates of a terminal to several new serial numbers',
    [branch('M1'), terminals('M1', { ...T1, serial_no: '<S1>' })],
    ['<S2>', '<T5>', '<T6>'].map((serial_no) => update({ serial_no })),
  ],
  [
    'updates of a terminal to the same new serial_no',
    [branch('M1'), terminals('M1', { ...T1, serial_no: '<S1>' })],
    times(5, () => update({ serial_no: '<S2>' })),
  ],
  [
    'updates of different fields of a terminal',
    PLACE,
    [update({ terminal_model: 'Pocket' }), update({ payment_app: 'Counter Plus' })],
  ],
  [
    'an update of a terminal with a serial_no and its deletion',
    PLACE,
    [update({ serial_no: '<S1>' }), ofTerminal('deleteTerminal')],
  ],
  ['archives of a branch', PLACE, times(2, () => archiveBranch)],
  [
    'an update of a terminal and the archiving of its branch',
    PLACE,
    [update({ terminal_model: 'Pocket' }), archiveBranch],
  ],
  [
    'a restoring of a terminal and the archiving of its branch',
    [...PLACE, archive],
    [ofTerminal('restoreTerminal'), archiveBranch],
  ],
];

beforeAll(() => {
  // Makes events visible at once.
  FEED.horizonMs = 0;
  installGate();
});

/** The table request with which an operation writes. One of a terminal reads it and then its branch. */
const writesAt = ([operation]: Given): number => (/Terminal$/.test(operation) ? 3 : 2);

test.each(RACES)('%s have the result of some order', async (_, before, calls) => {
  const steps = before.map((each) => stepOf(each));
  const freezesAt = writesAt(calls[0] as Given);
  // The first call waits with its write until the others are done.
  await expectExplained(call, [...steps, { ...stepOf(...calls), freezesAt }], inOrderOf(oneAfterAnother()));
  if (deep) await expectExplained(call, [...steps, stepOf(...calls)], atOnce);
});

test('32 creates at once do not conflict, and both acquirers have each branch and its event once', async () => {
  const world = await newWorld();
  const { response: created, requests } = await tableRequestsBy(() =>
    Promise.all(times(32, () => newSharedBranch(world))),
  );
  expect(requests.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(32);
  const feeds: Event[][] = [];
  for (const { key } of [world.provider, world.distributor]) {
    const { data, meta } = (await call('listBranches', { key, query: { sort: 'asc', per_page: '100' } })).body;
    expect(meta.total).toBe(32);
    const shown = data.map(({ created_at }: { created_at: string }) => created_at);
    expect(shown).toEqual(shown.toSorted());
    feeds.push((await call('listEvents', { key })).body.data);
  }
  const [own, partners] = feeds.map((events) => events.map(({ id, at, type, data }) => ({ id, at, type, data })));
  expect(partners).toEqual(own);
  expect(own?.map(({ at }) => at)).toEqual(own?.map(({ at }) => at).toSorted());
  const byMid = (one: { mid: string }, other: { mid: string }) => (one.mid < other.mid ? -1 : 1);
  expect(new Set(own?.map(({ type }) => type))).toEqual(new Set(['branch.created']));
  expect(own?.map(({ data }) => data as { mid: string }).sort(byMid)).toEqual(created.toSorted(byMid));
});

test('all of these leave no invariant violation in the table', expectNoViolations);
