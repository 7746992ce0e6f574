import { cases } from './cases.ts';
import { metered } from './meter.ts';
import { atMost, countsOf, type Figures, type Part, type Row } from './part.ts';
import { costPerMillion } from './prices.ts';
import { call, withNewKey } from './world.ts';

/** The most requests in sequence of an operation, with a cached key. */
const MOST_IN_SEQUENCE = 3;
/** The most read units of a poll without and with events. */
const MOST_UNITS = { 'listEvents, nothing new': 1, 'listEvents, 100': 15 };

export const costs: Part = {
  title: 'Requests, units and cost',
  about:
    'Table usage of each operation, for successful and for refused calls, once with a cached API key and once with a new key that the process has to look up. Requests are in sequence if one waits for the other. Costs are those of a million warm calls at public prices.',
  async measure() {
    const rows: Row[] = [];
    const counts: Figures = {};
    for (const { name, operation, status, prepare } of await cases()) {
      const cold = await prepare();
      const exact = await withNewKey(cold.caller, async (key) => {
        const { usage: withNew } = await metered(() => call(operation, { ...cold.request, key }, status));
        // From here on the key is cached, for longer than this takes.
        const { request } = await prepare();
        const { usage } = await metered(() => call(operation, { ...request, key }, status), { countsWrites: true });
        return {
          'requests in sequence': usage.inSequence,
          'requests in sequence, new key': withNew.inSequence,
          requests: usage.requests,
          'read units': usage.readUnits,
          'write units': usage.writeUnits,
          'of these, for events': usage.writes ? usage.writes.events.table + usage.writes.events.indexes : 0,
        };
      });
      Object.assign(counts, countsOf(name, exact));
      const cost = costPerMillion(exact['requests in sequence'], exact['read units'], exact['write units']);
      rows.push({ operation: name, status, ...exact, '$ per million': Number(cost.toFixed(2)) });
    }
    const most = (column: string) => Math.max(...rows.map((row) => Number(row[column])));
    return {
      tables: [{ title: 'Each operation', rows }],
      targets: [
        atMost(
          MOST_IN_SEQUENCE,
          'requests in sequence of an operation with a cached key',
          most('requests in sequence'),
        ),
        ...Object.entries(MOST_UNITS).map(([name, units]) =>
          atMost(units, `read units of \`${name}\``, Number(counts[`${name}: read units`])),
        ),
      ],
      counts,
      notes: [
        'Write units are counted from the items before and after, because DynamoDB Local understates those of transactions. Those of a refused transaction are the most that AWS may charge for the attempt.',
        'The cost includes API Gateway (an HTTP API: $1.00; a REST API would be $3.50), Lambda, the table and the logs, but not storage and traffic out of AWS.',
      ],
    };
  },
};
