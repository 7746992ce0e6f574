import { expect, test } from '@jest/globals';
import type { Event } from '../../../lib/events/event.ts';
import { type ApiResponse, call } from '../../support/api.ts';
import { newWorld as newCast } from '../../support/cast.ts';
import { interleaved, oneAfterAnother } from '../../support/interleaving.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { newSharedBranch, newWorld } from '../../support/world.ts';
import { type Given, readBy, send, sendAll, shapeOf, useRaces } from './given.ts';

/*
 * Operations at once on the same resources. One waits before one of its table requests until all others have ended, so
 * whatever it read before is stale. The responses, and everything that can be read afterwards, are the same as if all had
 * come one after another. The audit finds what no response shows, such as a stray claim.
 */

const branch = (mid: string, more: object = {}, by?: Given[2]): Given => [
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
const ofTerminal = (operation: Given[0], body?: object, tid = 'tid1'): Given => [
  operation,
  { path: { id: `<${tid}>` }, body },
];
const update = (body: object, tid?: string) => ofTerminal('updateTerminal', body, tid);
const archive = ofTerminal('archiveTerminal', { reason: 'Lost' });
const archiveBranch: Given = ['archiveBranch', { path: { mid: '<M1>' } }];
const reassign = ofTerminal('reassignTerminal', { mid: '<M3>' });
const remove = ofTerminal('deleteTerminal');
const by = (caller: Given[2], [operation, request]: Given): Given => [operation, request, caller];
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
  ['reassignments with the same Idempotency-Key', [...PLACE, branch('M3')], times(4, () => keyed(reassign))],
  ['deletes of a terminal', PLACE, times(4, () => remove)],
  ['archives of a terminal', PLACE, times(4, () => archive)],
  ['restores of a terminal', [...PLACE, archive], times(4, () => ofTerminal('restoreTerminal'))],
  ['equal updates of a terminal', PLACE, times(4, () => update({ terminal_model: 'Pocket' }))],
  ['reassignments of a terminal to the same branch', [...PLACE, branch('M3')], times(2, () => reassign)],
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
  ['an update of a terminal with a serial_no and its deletion', PLACE, [update({ serial_no: '<S1>' }), remove]],
  ['archives of a branch', PLACE, times(2, () => archiveBranch)],
  // Not an empty update beside an archiving: as a find, it may show the terminal without that, archived with its branch.
  ...[
    [archive, reassign],
    [archive, archive],
    [archive, remove],
    [update({}), reassign],
    [update({}), remove],
  ].map((each): (typeof RACES)[number] => [
    `${each.map(([operation]) => operation).join(' and ')} of a terminal and the archiving of its branch`,
    [...PLACE, branch('M3')],
    [...each, archiveBranch],
  ]),
  [
    'a create of a branch with a master merchant that another create makes',
    [],
    [['createBranch', { body: { mid: '<M1>', existing_master_merchant: '<P1.B1>' } }], branch('M1')],
  ],
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

useRaces();

/** The table requests before which an operation waits: it reads a terminal and then its branch, and writes. */
const MOMENTS = [1, 2, 3];

/** What calls returned, in the order in which they are given, and what can be read after them. */
type Outcome = [responses: unknown[], reads: unknown[]];

/** Makes one call after another: the first of them as the one at this place. */
async function inOrder(before: Given[], [first, ...others]: Given[], place: number): Promise<Outcome> {
  const world = await newCast();
  await sendAll(world, before);
  const responses = await sendAll(world, others.toSpliced(place, 0, first as Given));
  const [own] = responses.splice(place, 1);
  return [[own, ...responses].map((each) => shapeOf(world, each as ApiResponse)), await readBy(world)];
}

/** Makes calls at once, of which the first waits before a table request until all others have ended. */
async function atOnce(before: Given[], calls: Given[], freezesAt: number): Promise<Outcome> {
  const world = await newCast();
  await sendAll(world, before);
  const responses = await interleaved(
    oneAfterAnother(),
    calls.map((each, at) => ({ name: String(at), start: () => send(world, each), ...(at === 0 && { freezesAt }) })),
  );
  return [responses.map((each) => shapeOf(world, each)), await readBy(world)];
}

test.each(RACES)('%s end as if they had come one after another', async (_, before, calls) => {
  const expected = [];
  for (const place of calls.keys()) expected.push(await inOrder(before, calls, place));
  for (const freezesAt of MOMENTS) expect(expected).toContainEqual(await atOnce(before, calls, freezesAt));
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
