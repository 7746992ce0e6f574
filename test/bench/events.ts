import type { Operation, Request } from '../support/invoke.ts';
import { metered } from './meter.ts';
import { atMost, countsOf, type Figures, type Part, type Row } from './part.ts';
import { call, fullTerminal, NAMES, newBranch, newPartners, plainBranch, succeed, successOf, unique } from './world.ts';

/** The most items of a transaction, by DynamoDB's limit. */
const MOST_ITEMS = 100;
/** Write units of the events of one request: per KB for each acquirer that sees them, and per index. */
const UNITS_PER_KB = 2;
/** The indexes of the histories. An event of several terminals or of a branch is in the first one only. */
const INDEXES = 2;
const KB = 1024;

type Change = [name: string, operation: Operation, request: Request];

/** One change of each kind on a branch of one or two acquirers. */
async function changes(acquirers: 1 | 2): Promise<Change[]> {
  const { distributor, provider } = await newPartners();
  const { key } = provider;
  const details = () => ({ ...plainBranch(), ...NAMES, ...(acquirers === 2 && { distributor: distributor.id }) });
  const full = (count: number) => Array.from({ length: count }, fullTerminal);
  const { mid, terminals } = await newBranch(provider, { ...details(), terminals: full(5) });
  const [updated, archived, restored, moved, deleted] = terminals.map(({ tid }: { tid: string }) => ({ id: tid }));
  const reason = { reason: 'Sent to repair' };
  await succeed('archiveTerminal', { key, path: restored, body: reason });

  // On new branches, because the size of a branch depends on its number of terminals.
  const create = async (count: number): Promise<Request> => ({
    headers: { 'idempotency-key': unique('K') },
    path: { id: (await newBranch(provider, details())).mid },
    body: { terminals: full(count) },
  });
  const all: Change[] = [
    ['createBranch, no terminal', 'createBranch', { body: details() }],
    ['createBranch, 2 terminals', 'createBranch', { body: { ...details(), terminals: full(2) } }],
    ['createTerminals, 1', 'createTerminals', await create(1)],
    ['createTerminals, 40 with serials', 'createTerminals', await create(40)],
    ['updateTerminal', 'updateTerminal', { path: updated, body: { terminal_model: 'Handheld 2' } }],
    ['archiveTerminal', 'archiveTerminal', { path: archived, body: reason }],
    ['restoreTerminal', 'restoreTerminal', { path: restored }],
    [
      'reassignTerminal',
      'reassignTerminal',
      { path: moved, body: { mid: (await newBranch(provider, details())).mid } },
    ],
    ['deleteTerminal', 'deleteTerminal', { path: deleted }],
    ['updateBranch', 'updateBranch', { path: { mid }, body: { city: 'Braga' } }],
    ['archiveBranch', 'archiveBranch', { path: { mid } }],
    ['restoreBranch', 'restoreBranch', { path: { mid } }],
  ];
  return all.map(([name, operation, request]): Change => [name, operation, { ...request, key }]);
}

export const events: Part = {
  title: 'Events',
  about:
    'Write units of each change, split into those of the change itself and those of its event. Write units are counted as for [requests, units and cost](#requests-units-and-cost). Each acquirer that can access the branch has a copy of the event. The indexes of the histories hold the copy of the payment provider.',
  async measure() {
    const rows: Row[] = [];
    const counts: Figures = {};
    const dearer: string[] = [];
    let mostItems = 0;
    for (const acquirers of [1, 2] as const)
      for (const [name, operation, request] of await changes(acquirers)) {
        const { usage } = await metered(() => call(operation, request, successOf(operation)), { countsWrites: true });
        if (!usage.writes) throw new Error(`${name} wrote nothing.`);
        const { changes: own, events } = usage.writes;
        const exact = {
          'without events: table': own.table,
          'and indexes': own.indexes,
          'for events: table': events.table,
          'and their indexes': events.indexes,
        };
        Object.assign(counts, countsOf(`${name}, seen by ${acquirers}`, exact));
        const bytes = Math.ceil(events.bytes / 10) * 10;
        const all = { 'in all': usage.writeUnits, 'bytes of a copy, about': bytes };
        rows.push({ change: name, 'seen by': acquirers, ...exact, ...all });
        mostItems = Math.max(mostItems, usage.transactionItems);
        const kilobytes = acquirers * Math.ceil(events.bytes / KB);
        // The history of the terminal's former branch has an item of its own.
        const more = operation === 'reassignTerminal' ? 1 : 0;
        if (events.table > kilobytes * UNITS_PER_KB * (1 + more) || events.indexes > kilobytes * (INDEXES + more))
          dearer.push(name);
      }
    counts['items of the largest transaction'] = mostItems;
    return {
      tables: [{ title: 'Write units of each change', rows }],
      targets: [
        {
          target: `For each KB and acquirer that sees it, an event takes at most ${UNITS_PER_KB} write units, and 1 for each of ${INDEXES} indexes; a reassignment takes ${UNITS_PER_KB} and 1 more`,
          measured: dearer.length === 0 ? 'all do' : dearer.join(', '),
          isMet: dearer.length === 0,
        },
        atMost(
          MOST_ITEMS,
          'items of a transaction that creates 40 terminals with serials and an `Idempotency-Key`',
          mostItems,
        ),
      ],
      counts,
      notes: [
        'A request has one event, however many terminals it creates. Its body is [deflated with a dictionary](decisions/0025-events.md).',
      ],
    };
  },
};
