import { issueApiKey, revokeApiKey } from '../../lib/operator/apiKeys.ts';
import { cases } from './cases.ts';
import { metered } from './meter.ts';
import type { Part, Row } from './part.ts';
import { costPerMillion } from './prices.ts';
import { call } from './world.ts';

/** The most requests in sequence of an operation, with a cached key. */
const MOST_IN_SEQUENCE = 3;

const isSuccess = ({ status }: Row): boolean => Number(status) < 300;

export const costs: Part = {
  title: 'Requests, units and cost',
  about:
    'Table usage of each operation, for successful and for refused calls, once with a cached API key and once with a new key that the process has to look up. Requests are in sequence if one waits for the other. Costs are those of a million warm calls at public prices.',
  async measure() {
    const rows: Row[] = [];
    const counts: Record<string, number> = {};
    for (const { name, operation, status, prepare } of await cases()) {
      const cold = await prepare();
      const { api_key: key, key_id } = await issueApiKey(cold.caller.id, 'bench');
      const { usage: coldUsage } = await metered(() => call(operation, { ...cold.request, key }, status));
      // From here on the key is cached, for longer than this takes.
      const { request } = await prepare();
      const { usage } = await metered(() => call(operation, { ...request, key }, status), { countsWrites: true });
      // An acquirer may have only twenty keys.
      await revokeApiKey(cold.caller.id, key_id);
      const exact = {
        'requests in sequence': usage.inSequence,
        'requests in sequence, new key': coldUsage.inSequence,
        requests: usage.requests,
        'read units': usage.readUnits,
        'write units': usage.writeUnits,
        'of these, for events': usage.writes ? usage.writes.events.table + usage.writes.events.indexes : 0,
      };
      for (const [count, value] of Object.entries(exact)) counts[`${name}: ${count}`] = value;
      const cost = costPerMillion(usage.inSequence, usage.readUnits, usage.writeUnits);
      rows.push({ operation: name, status, ...exact, '$ per million': Number(cost.toFixed(2)) });
    }
    const most = (column: string) => Math.max(...rows.map((row) => Number(row[column])));
    return {
      tables: [{ title: 'Each operation', rows }],
      targets: [
        {
          target: `no operation sends more than ${MOST_IN_SEQUENCE} requests in sequence with a cached key`,
          measured: `${most('requests in sequence')} at most; ${most('requests in sequence, new key')} with a new key`,
          isMet: most('requests in sequence') <= MOST_IN_SEQUENCE,
        },
      ],
      counts,
      chart: {
        title: 'Cost of a million successful calls',
        unit: '$',
        kind: 'bars',
        categories: rows.filter(isSuccess).map(({ operation }) => String(operation)),
        series: [
          { name: 'on demand, us-east-1', values: rows.filter(isSuccess).map((row) => Number(row['$ per million'])) },
        ],
      },
      notes: [
        'Write units are counted from the items before and after, because DynamoDB Local understates those of transactions. Those of a refused transaction are the most that AWS may charge for the attempt.',
        'The cost includes API Gateway (an HTTP API: $1.00; a REST API would be $3.50), Lambda, the table and the logs, but not storage and traffic out of AWS.',
      ],
    };
  },
};
