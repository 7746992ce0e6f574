import type { Operation, Request } from '../support/invoke.ts';
import { cases } from './cases.ts';
import { metered, type Usage } from './meter.ts';
import type { Part, Row } from './part.ts';
import { call, fullTerminal, newPartners, succeed, unique } from './world.ts';

/** The most items of a transaction, by DynamoDB's limit. */
const MOST_ITEMS = 100;
/** The most read units of a poll without and with events. */
const MOST_UNITS = { 'listEvents, nothing new': 1, 'listEvents, 100': 15 };
/** Write units of the events of one request: per KB for each acquirer that sees them, and per index. */
const UNITS_PER_KB = 2;
/** The indexes of the histories. An event of several terminals or of a branch is in the first one only. */
const INDEXES = 2;
const KB = 1024;

/** A change, and the number of acquirers that see its event. */
interface Change {
  name: string;
  acquirers: number;
  operation: Operation;
  request: Request;
}

/** One change of each kind on a branch of one or two acquirers. */
async function changes(acquirers: 1 | 2): Promise<Change[]> {
  const { distributor, provider } = await newPartners();
  const { key } = provider;
  const branch = (terminals: object[]) => ({
    mid: unique('M'),
    branch_name: 'Harbour Café',
    area: 'Docks',
    city: 'Porto',
    master_merchant_id: unique('MM'),
    master_merchant_name: 'Harbour Cafés',
    ...(acquirers === 2 && { distributor: distributor.id }),
    ...(terminals.length > 0 && { terminals }),
  });
  const newBranch = async (...terminals: object[]) =>
    (await succeed('createBranch', { key, body: branch(terminals) })).body.data;
  const { mid, terminals } = await newBranch(...Array.from({ length: 5 }, fullTerminal));
  const [updated, archived, restored, moved, deleted] = terminals.map(({ tid }: { tid: string }) => ({ id: tid }));
  const reason = { reason: 'Sent to repair' };
  await succeed('archiveTerminal', { key, path: restored, body: reason });

  const change = (operation: Operation, request: Request, what = ''): Change => ({
    name: what ? `${operation}, ${what}` : operation,
    acquirers,
    operation,
    request: { key, ...request },
  });
  const create = async (count: number): Promise<Request> => ({
    headers: { 'idempotency-key': unique('K') },
    // New branches, because a branch lists its recent terminals, which makes it large for some seconds after 40 of
    // them.
    path: { id: (await newBranch()).mid },
    body: { terminals: Array.from({ length: count }, fullTerminal) },
  });
  return [
    change('createBranch', { body: branch([]) }, 'no terminal'),
    change('createBranch', { body: branch([fullTerminal(), fullTerminal()]) }, '2 terminals'),
    change('createTerminals', await create(1), '1'),
    change('createTerminals', await create(40), '40 with serials'),
    change('updateTerminal', { path: updated, body: { terminal_model: 'Handheld 2' } }),
    change('archiveTerminal', { path: archived, body: reason }),
    change('restoreTerminal', { path: restored }),
    change('reassignTerminal', { path: moved, body: { mid: (await newBranch()).mid } }),
    change('deleteTerminal', { path: deleted }),
    change('archiveBranch', { path: { mid } }),
  ];
}

const roundedUp = (value: number): number => Math.ceil(value / 10) * 10;

export const events: Part = {
  title: 'Events',
  about:
    'Write units of each change, split into those of the change itself and those of its event; and read units of requests that read events. Write units are counted as for [requests, units and cost](#requests-units-and-cost). Each acquirer that can access the branch has a copy of the event. The indexes of the histories hold the copy of the payment provider.',
  async measure() {
    const rows: Row[] = [];
    const counts: Record<string, number> = {};
    const measured: { change: Change; usage: Usage; writes: NonNullable<Usage['writes']> }[] = [];
    for (const acquirers of [1, 2] as const)
      for (const change of await changes(acquirers)) {
        const { name, operation, request } = change;
        const status = operation.startsWith('create') ? 201 : 200;
        const { usage } = await metered(() => call(operation, request, status), { countsWrites: true });
        if (!usage.writes) throw new Error(`${name} wrote nothing.`);
        const { changes: own, events } = usage.writes;
        measured.push({ change, usage, writes: usage.writes });
        const exact = {
          'without events: table': own.table,
          'and indexes': own.indexes,
          'for events: table': events.table,
          'and their indexes': events.indexes,
        };
        for (const [count, value] of Object.entries(exact)) counts[`${name}, seen by ${acquirers}: ${count}`] = value;
        rows.push({
          change: name,
          'seen by': acquirers,
          ...exact,
          'in all': usage.writeUnits,
          'bytes of a copy, about': roundedUp(events.bytes),
        });
      }

    const reads: Row[] = [];
    for (const { name, operation, status, prepare } of await cases()) {
      if (!/^listEvents|History$/.test(operation) || status !== 200) continue;
      // The key is cached by then.
      await call(operation, (await prepare()).request, status);
      const { request } = await prepare();
      const { usage } = await metered(() => call(operation, request, status));
      counts[`${name}: read units`] = usage.readUnits;
      reads.push({
        request: name,
        'read units': usage.readUnits,
        'in sequence': usage.inSequence,
        requests: usage.requests,
      });
    }
    const unitsOf = (name: string) => Number(reads.find(({ request }) => request === name)?.['read units']);

    const dearer = measured.filter(({ change: { acquirers, operation }, writes: { events } }) => {
      const kilobytes = acquirers * Math.ceil(events.bytes / KB);
      // The history of the terminal's former branch has an item of its own.
      const more = operation === 'reassignTerminal' ? 1 : 0;
      return events.table > kilobytes * UNITS_PER_KB * (1 + more) || events.indexes > kilobytes * (INDEXES + more);
    });
    const mostItems = Math.max(...measured.map(({ usage }) => usage.transactionItems));
    counts['items of the largest transaction'] = mostItems;
    return {
      tables: [
        { title: 'Write units of each change', rows },
        { title: 'Read units', rows: reads },
      ],
      targets: [
        {
          target: `For each KB and acquirer that sees it, an event takes at most ${UNITS_PER_KB} write units, and 1 for each of ${INDEXES} indexes; a reassignment takes ${UNITS_PER_KB} and 1 more`,
          measured: dearer.length === 0 ? 'all do' : dearer.map(({ change }) => change.name).join(', '),
          isMet: dearer.length === 0,
        },
        ...Object.entries(MOST_UNITS).map(([name, most]) => ({
          target: `\`${name}\` takes at most ${most} read unit${most > 1 ? 's' : ''}`,
          measured: String(unitsOf(name)),
          isMet: unitsOf(name) <= most,
        })),
        {
          target: `A create of 40 terminals with serials and an \`Idempotency-Key\` fits one transaction of ${MOST_ITEMS} items`,
          measured: `${mostItems} items`,
          isMet: mostItems <= MOST_ITEMS,
        },
      ],
      counts,
      chart: {
        title: 'Write units of a change that two acquirers see',
        unit: 'write units',
        kind: 'bars',
        categories: rows
          .filter((row) => row['seen by'] === 2 && Number(row['in all']) < 100)
          .map((row) => String(row['change'])),
        series: (
          [
            ['without events', 'without events: table', 'and indexes'],
            ['for events', 'for events: table', 'and their indexes'],
          ] as const
        ).map(([name, ...columns]) => ({
          name,
          values: rows
            .filter((row) => row['seen by'] === 2 && Number(row['in all']) < 100)
            .map((row) => columns.reduce((sum, column) => sum + Number(row[column]), 0)),
        })),
      },
      notes: [
        'A request has one event, however many terminals it creates. Its body is [deflated with a dictionary](decisions/0025-events.md).',
        'A history is one query of an index that has the bodies.',
      ],
    };
  },
};
