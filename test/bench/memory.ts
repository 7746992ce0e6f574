import { addCard } from '../../lib/operator/memberImport.ts';
import { withPackage } from '../packaged/packaging.ts';
import type { Operation, Request } from '../support/invoke.ts';
import { runInstance } from './instance.ts';
import type { Part } from './part.ts';
import { duration, lambdaCost } from './prices.ts';
import { figure } from './tables.ts';
import { newPartners, succeed, unique } from './world.ts';

const SIZES = [128, 256, 512, 1024, 1769];
/** Number of calls. The first is cold. */
const CALLS = 51;
/** The largest request that Lambda accepts (AWS Lambda quotas: invocation payload, synchronous). */
const LARGEST_BODY = 260_000;

const megabytes = (size: number): string => `${figure(size)} MB`;

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

type Case = [title: string, operation: Operation, inSequence: number, request: () => Request, calls?: number];

/** The calls to measure, with their number of table requests in sequence. */
async function casesOf(): Promise<Case[]> {
  const { provider } = await newPartners();
  const { key } = provider;
  const newBranch = () =>
    succeed('createBranch', { key, body: { mid: unique('M'), master_merchant_id: unique('MM') } });
  const { mid } = (await newBranch()).body.data;
  for (let count = 1; count < 100; count += 1) await newBranch();
  const terminal = () => ({
    terminal_id: unique('T'),
    serial_no: unique('S'),
    payment_app: 'Checkout Go',
    acquirer_name: 'Atlantic Acquiring',
  });
  const terminals = { key, path: { id: mid }, body: { terminals: [terminal()] } };
  const [{ terminal_id }] = (await succeed('createTerminals', terminals)).body.data;
  const card = { card_id: unique('card'), card_pseudo_token: 'bench-token' };
  await addCard('bench', card);
  const check = { ...card, amount: 1, currency: 'EUR', terminal_id, acquirer_id: provider.id };

  return [
    ['getBranch', 'getBranch', 1, () => ({ key, path: { mid } })],
    ['listBranches, 100', 'listBranches', 1, () => ({ key, query: { per_page: '100' } })],
    [
      'createTerminals, 40 with all fields',
      'createTerminals',
      2,
      () => ({ key, path: { id: mid }, body: { terminals: many(40, terminal) } }),
    ],
    ['memberCheck', 'memberCheck', 2, () => ({ key, body: check })],
    [
      'memberCheck with a body of 256 KB',
      'memberCheck',
      2,
      () => ({ key, body: { ...check, unknown: 'x'.repeat(LARGEST_BODY) } }),
      5,
    ],
  ];
}

export const memory: Part = {
  title: 'CPU and memory of packaged functions',
  about:
    `Each function runs in a fresh process: import and first call, then up to ${CALLS - 1} warm calls in sequence. From that, ` +
    'the time and cost on Lambda are computed for each memory size, on which the share of a CPU depends.',
  async measure() {
    const cases = await casesOf();
    const rows = await withPackage('prod', async ({ folder }) => {
      const measured = [];
      for (const [title, operation, inSequence, request, calls = CALLS] of cases)
        measured.push({ title, inSequence, ...(await runInstance(folder, operation, many(calls, request))) });
      return measured;
    });
    const bySize = (value: (size: number, milliseconds: number) => number) =>
      rows.map(({ title, inSequence, warmCpu }) => ({
        title,
        values: SIZES.map((size) => value(size, duration(size, warmCpu, inSequence))),
      }));
    const milliseconds = bySize((_, each) => Math.round(each));
    const dollars = bySize((size, each) => Number(lambdaCost(size, each).toFixed(2)));
    const inColumns = (all: typeof dollars) =>
      all.map(({ title, values }) => ({
        function: title,
        ...Object.fromEntries(SIZES.map((size, at) => [megabytes(size), values[at] as number])),
      }));
    const statuses = [...new Set(rows.flatMap((row) => row.statuses))];
    return {
      tables: [
        {
          title: 'By function',
          rows: rows.map((row) => ({
            function: row.title,
            statuses: row.statuses.join(' '),
            'peak MB': Math.round(row.megabytes),
            'CPU ms, import and first call': Math.round(row.coldCpu),
            'CPU ms, warm call': Number(row.warmCpu.toFixed(1)),
          })),
        },
        { title: 'Milliseconds of a warm call on Lambda, by memory', rows: inColumns(milliseconds) },
        { title: 'US dollars for a million warm calls on Lambda, by memory', rows: inColumns(dollars) },
      ],
      chart: {
        title: 'A warm call on Lambda, by memory',
        unit: 'milliseconds',
        kind: 'lines',
        categories: SIZES.map(megabytes),
        series: milliseconds.map(({ title: name, values }) => ({ name, values })),
      },
      targets: [
        {
          target: 'All calls succeed',
          measured: statuses.join(' '),
          isMet: statuses.every((status) => status < 300),
        },
      ],
      counts: {},
    };
  },
};
