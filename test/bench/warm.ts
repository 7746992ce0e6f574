import { ENDPOINTS } from '../../infra/template/definitions.ts';
import { resolveApiKey } from '../../lib/acquirers/apiKey.ts';
import { issueApiKey, revokeApiKey } from '../../lib/operator/apiKeys.ts';
import { table } from '../../lib/table/client.ts';
import { eventOf } from '../support/invoke.ts';
import { type Case, cases } from './cases.ts';
import type { Part, Row } from './part.ts';
import { median } from './statistics.ts';

const CALLS = 300;
const ROUNDS = 7;
/** The most CPU time of our own work, relative to what the SDK takes for its requests. */
const MOST_OF_SDK = 0.5;

/** The outputs of a call's table requests, in the order in which they were sent. */
const outputs: object[] = [];
let mode: 'record' | 'replay' | 'live' = 'live';
/** Requests sent by the call so far. */
let sent = 0;

/** CPU microseconds of a call, as the median of several rounds of many calls. */
async function cpuOf(call: () => Promise<unknown>): Promise<number> {
  const rounds = [];
  // The first round only warms up the compiler.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let count = 0; count < CALLS; count += 1) await call();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) rounds.push((user + system) / CALLS);
  }
  return median(rounds);
}

/** CPU time of a call: without the SDK, and with it if the call can be repeated. */
async function measured({ name, operation, status, prepare }: Case): Promise<Row> {
  const [file = '', exported = ''] = ENDPOINTS[operation]?.handler.split('.') ?? [];
  const handler = (await import(`../../${file}.ts`))[exported];
  const { caller, request } = await prepare();
  // A key that was just cached, for longer than this takes.
  const { api_key: key, key_id } = await issueApiKey(caller.id, 'bench');
  await resolveApiKey(key);
  const event = eventOf(operation, { ...request, key });
  const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 20_000 };
  const call = async () => {
    sent = 0;
    // A copy, because the chain changes the event.
    const response = await handler({ ...event }, context);
    if (response.statusCode !== status) throw new Error(`${name} returned ${response.body}`);
  };
  outputs.length = 0;
  mode = 'record';
  await call();
  mode = 'replay';
  const own = await cpuOf(call);
  mode = 'live';
  const isRead = operation.startsWith('get') || operation.startsWith('list') || operation === 'memberCheck';
  const whole = isRead && (await cpuOf(call));
  await revokeApiKey(caller.id, key_id);
  return {
    call: name,
    requests: outputs.length,
    'own CPU, µs': Math.round(own),
    'with the SDK, µs': whole ? Math.round(whole) : '',
    'own ÷ SDK': whole ? Number((own / (whole - own)).toFixed(2)) : '',
  };
}

export const warm: Part = {
  title: 'Warm overhead',
  about:
    "CPU time of a warm call beyond the SDK's own: the chain, validation, rules, response and log line. To measure it, the table's responses are recorded and replayed in place of the SDK.",
  async measure() {
    const { write } = process.stdout;
    const { LOG_LEVEL } = process.env;
    const lines: number[] = [];
    const rows: Row[] = [];
    const seen = new Set<string>();
    try {
      table.middlewareStack.add(
        (next) => async (args) => {
          const at = sent;
          sent += 1;
          if (mode === 'replay') return { output: structuredClone(outputs[at]), response: {} } as never;
          const result = await next(args);
          if (mode === 'record') outputs[at] = result.output;
          return result;
        },
        // The innermost of this step, because the middleware of our own table client is part of our own work.
        { step: 'initialize', priority: 'low', name: 'replay' },
      );
      process.env['LOG_LEVEL'] = 'INFO';
      process.stdout.write = (line: string | Uint8Array) => {
        lines.push(line.length);
        return true;
      };
      for (const each of await cases()) {
        if (each.status >= 300 || seen.has(each.operation)) continue;
        seen.add(each.operation);
        rows.push(await measured(each));
      }
    } finally {
      table.middlewareStack.remove('replay');
      process.stdout.write = write;
      process.env['LOG_LEVEL'] = LOG_LEVEL;
    }
    const most = Math.max(...rows.map((row) => Number(row['own ÷ SDK'])));
    const repeated = rows.filter((row) => row['with the SDK, µs'] !== '');
    const own = repeated.map((row) => Number(row['own CPU, µs']));
    return {
      tables: [{ title: 'A successful call of each operation', rows }],
      targets: [
        {
          target: `our own CPU time for a read is at most ${MOST_OF_SDK} × the SDK's`,
          measured: `${most} × at most`,
          isMet: most <= MOST_OF_SDK,
          isTime: true,
        },
      ],
      counts: {},
      chart: {
        title: 'CPU time of a warm call',
        unit: 'µs of CPU',
        kind: 'bars',
        categories: repeated.map((row) => String(row['call'])),
        series: [
          { name: 'our own', values: own },
          { name: 'with the SDK', values: repeated.map((row) => Number(row['with the SDK, µs'])) },
        ],
      },
      notes: [
        `Medians of ${ROUNDS} rounds of ${CALLS} calls. Calls that write cannot be repeated on the table, so the SDK's CPU time is left out for them.`,
        `A log line has ${median(lines)} bytes (median).`,
      ],
    };
  },
};
