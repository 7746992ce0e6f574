import { addCard } from '../../lib/operator/memberImport.ts';
import { eventOf, type Operation, type Request } from '../support/invoke.ts';
import { runOperation, statusesOf } from './instance.ts';
import type { Part, Row } from './part.ts';
import { duration, lambdaCost } from './prices.ts';
import { figure } from './tables.ts';
import { fullTerminal, newAcquirer, newBranch, newTerminals, unique } from './world.ts';

const SIZES = [128, 256, 512, 1024, 1769];
/** Number of calls. The first is cold. */
const CALLS = 51;
/** The largest request that Lambda accepts (AWS Lambda quotas: invocation payload, synchronous). */
const LARGEST_BODY = 260_000;

type Case = [title: string, operation: Operation, inSequence: number, request: () => Request, calls?: number];

/** The calls to measure, with their number of table requests in sequence. */
async function casesOf(): Promise<Case[]> {
  const provider = await newAcquirer('PAYMENT_PROVIDER');
  const { key } = provider;
  const mids: string[] = [];
  for (let count = 1; count <= 100; count += 1) mids.push((await newBranch(provider)).mid);
  const mid = mids[0] as string;
  const [{ terminal_id }] = await newTerminals(provider, mid, [fullTerminal()]);
  const card = { card_id: unique('card'), card_pseudo_token: 'bench-token' };
  await addCard('bench', card);
  const check = { ...card, amount: 1, currency: 'EUR', terminal_id, acquirer_id: provider.id };
  const large = { ...check, unknown: 'x'.repeat(LARGEST_BODY) };
  const full = () => ({ terminals: Array.from({ length: 40 }, fullTerminal) });
  // Each on another branch, because a branch has at most 1,000 terminals.
  const create = () => ({ key, path: { id: mids.pop() ?? mid }, body: full() });

  return [
    ['getBranch', 'getBranch', 1, () => ({ key, path: { mid } })],
    ['listBranches, 100', 'listBranches', 1, () => ({ key, query: { per_page: '100' } })],
    ['createTerminals, 40 with all fields', 'createTerminals', 2, create],
    ['memberCheck', 'memberCheck', 2, () => ({ key, body: check })],
    ['memberCheck with a body of 256 KB', 'memberCheck', 2, () => ({ key, body: large }), 5],
  ];
}

/** Runs a case in a process of its own. */
async function measured([title, operation, inSequence, request, count = CALLS]: Case) {
  const events = Array.from({ length: count }, () => eventOf(operation, request()));
  const { imported, calls } = await runOperation(operation, events);
  const [first = 0, ...others] = calls.map(({ cpu }) => cpu);
  const warm = others.reduce((sum, cpu) => sum + cpu, 0) / others.length;
  const row = {
    function: title,
    statuses: statusesOf(calls).join(' '),
    'peak MB': Math.round(calls.at(-1)?.megabytes ?? 0),
    'CPU ms, import and first call': Math.round(imported.cpu + first),
    'CPU ms, warm call': Number(warm.toFixed(1)),
  };
  return { title, row, durations: SIZES.map((size) => duration(size, warm, inSequence)) };
}

export const memory: Part = {
  title: 'CPU and memory of packaged functions',
  about:
    `Each function runs in a fresh process: import and first call, then up to ${CALLS - 1} warm calls in sequence. From that, ` +
    'the time and cost on Lambda are computed for each memory size, on which the share of a CPU depends.',
  async measure() {
    const measurements: Awaited<ReturnType<typeof measured>>[] = [];
    for (const each of await casesOf()) measurements.push(await measured(each));
    const rows = measurements.map(({ row }) => row);
    const byMemory = (figureOf: (milliseconds: number, size: number) => number): Row[] =>
      measurements.map(({ title, durations }) => ({
        function: title,
        ...Object.fromEntries(
          durations.map((ms, at) => [`${figure(SIZES[at] ?? 0)} MB`, figureOf(ms, SIZES[at] ?? 0)]),
        ),
      }));
    const statuses = rows.map((row) => row.statuses).join(' ');
    return {
      tables: [
        { title: 'By function', rows },
        { title: 'Milliseconds of a warm call on Lambda, by memory', rows: byMemory(Math.round) },
        {
          title: 'US dollars for a million warm calls on Lambda, by memory',
          rows: byMemory((milliseconds, size) => Number(lambdaCost(size, milliseconds).toFixed(2))),
        },
      ],
      targets: [{ target: 'All calls succeed', measured: statuses, isMet: /^(20[01] ?)+$/.test(statuses) }],
      counts: {},
    };
  },
};
