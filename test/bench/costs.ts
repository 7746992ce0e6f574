import { MEMORY } from '../../infra/stack/template/definitions.ts';
import { type Case, cases } from './cases.ts';
import { metered } from './meter.ts';
import { type Part, type Row, rounded } from './report.ts';
import { call, withNewKey } from './world.ts';

/**
 * Published prices in US dollars of US East (N. Virginia), on demand, without free tiers, as of November 2025; other
 * regions differ by up to a quarter. https://aws.amazon.com/ … /lambda/pricing, /api-gateway/pricing,
 * /dynamodb/pricing, /cloudwatch/pricing
 */
const PRICES = {
  /** Per million. */
  httpApiRequest: 1,
  lambdaRequest: 0.2,
  readUnit: 0.125,
  writeUnit: 0.625,
  /** Per GB-second, arm64. */
  lambdaGigabyteSecond: 0.0000133334,
  /** Per GB of ingested logs. */
  logs: 0.5,
};

/** Megabytes of memory for which Lambda allots one whole arm64 processor (AWS Lambda, "Memory"). */
const MEGABYTES_PER_CPU = 1769;
/** Latency of DynamoDB from Lambda in the same region, by the rule of thumb "single-digit milliseconds". */
const TABLE_MILLISECONDS = 5;
/** CPU milliseconds of a warm call: measured as 1.4 for getBranch, 3.4 for memberCheck, 7 for 40 terminals. */
const TYPICAL_CPU = 3;
/**
 * Bytes logged per routine request: our line (about 320; 450 at most, test/lib/http/log.test.ts),
 * the access log's (about 300), and 26 for each, which CloudWatch adds.
 */
const LOG_BYTES = 700;

/** The price of a million warm requests on AWS, in US dollars, except storage and traffic out of AWS. */
function costPerMillion(inSequence: number, readUnits: number, writeUnits: number): number {
  const seconds = (TYPICAL_CPU / Math.min(MEMORY / MEGABYTES_PER_CPU, 1) + inSequence * TABLE_MILLISECONDS) / 1000;
  const lambda = PRICES.lambdaRequest + MEMORY * (1e6 / 1024) * seconds * PRICES.lambdaGigabyteSecond;
  const logs = ((LOG_BYTES * 1e6) / 1e9) * PRICES.logs;
  return PRICES.httpApiRequest + lambda + readUnits * PRICES.readUnit + writeUnits * PRICES.writeUnit + logs;
}

/** The table usage of a call, once with a new API key that the process has to look up, and once with a cached key. */
export async function usageOf({ operation, status, prepare }: Case) {
  const cold = await prepare();
  return withNewKey(cold.caller, async (key) => {
    const { usage: withNew } = await metered(() => call(operation, { ...cold.request, key }, status));
    // From here on the key is cached, for longer than this takes.
    const { request } = await prepare();
    const { usage } = await metered(() => call(operation, { ...request, key }, status), { countsWrites: true });
    return {
      requests: usage.requests,
      'in sequence': usage.inSequence,
      'in sequence, new key': withNew.inSequence,
      'read units': usage.readUnits,
      'write units': usage.writeUnits,
      'of these, for events': usage.eventUnits,
    };
  });
}

export const costs: Part = {
  title: 'Requests, units and cost',
  about:
    'Table usage of each operation, with a cached API key. The first rows are the requests of ' +
    '`infra/publish/contract/calls.ts`, for branches that two acquirers see. Requests are in sequence if one waits ' +
    'for the other. Costs are those of a million warm calls at public prices. `test/bench/main.slow.test.ts` asserts' +
    ' the counts.',
  async measure() {
    const rows: Row[] = [];
    for (const each of await cases()) {
      const used = await usageOf(each);
      const cost = costPerMillion(used['in sequence'], used['read units'], used['write units']);
      rows.push({ operation: each.name, status: each.status, ...used, '$ per million': rounded(cost, 2) });
    }
    return {
      tables: { 'Each operation': rows },
      notes: [
        'Write units are counted from the items before and after, because DynamoDB Local understates those of ' +
          'transactions. Those of a refused transaction are the most that AWS may charge for the attempt.',
        'The cost includes API Gateway (an HTTP API), Lambda, the table and the logs, but not storage and traffic ' +
          'out of AWS.',
      ],
    };
  },
};
