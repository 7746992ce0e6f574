import { withPackage } from '../infra/packaged/packaging.ts';
import { addCard } from '../lib/member.ts';
import type { Operation, Request } from '../test/support/invoke.ts';
import { runInstance } from './instance.ts';
import { duration, lambdaCost } from './prices.ts';
import { newPartners, succeed, unique } from './world.ts';

const SIZES = [128, 256, 512, 1024, 1769];
/** The first is the cold one. */
const CALLS = 51;
/** Lambda takes no larger request (AWS Lambda quotas: invocation payload, synchronous). */
const LARGEST_BODY = 6 * 1024 * 1024;

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** What instances of packaged functions compute and hold, and what follows for their memory. */
export async function memory(): Promise<boolean> {
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

  const cases: [title: string, operation: Operation, inSequence: number, request: () => Request, calls?: number][] = [
    ['getBranch', 'getBranch', 1, () => ({ key, path: { mid } })],
    ['listBranches, 100', 'listBranches', 2, () => ({ key, query: { per_page: '100' } })],
    [
      'createTerminals, 40 with all fields',
      'createTerminals',
      2,
      () => ({ key, path: { id: mid }, body: { terminals: many(40, terminal) } }),
    ],
    ['memberCheck', 'memberCheck', 2, () => ({ key, body: check })],
    [
      'memberCheck, 6 MB of a body',
      'memberCheck',
      2,
      () => ({ key, body: { ...check, unknown: 'x'.repeat(LARGEST_BODY) } }),
      5,
    ],
  ];
  const rows = await withPackage('prod', async ({ folder }) => {
    const measured = [];
    for (const [title, operation, inSequence, request, calls = CALLS] of cases)
      measured.push({ title, inSequence, ...(await runInstance(folder, operation, many(calls, request))) });
    return measured;
  });
  console.table(
    rows.map(({ title, statuses, coldCpu, warmCpu, megabytes }) => ({
      function: title,
      statuses: statuses.join(' '),
      'peak MB': Math.round(megabytes),
      'CPU ms, import and first call': Math.round(coldCpu),
      'CPU ms, warm call': Number(warmCpu.toFixed(1)),
    })),
  );
  process.stdout.write('\nWhat a warm call would take on Lambda (ms), and a million of them cost ($), by memory\n');
  console.table(
    rows.map(({ title, inSequence, warmCpu }) => ({
      function: title,
      ...Object.fromEntries(
        SIZES.map((size) => {
          const milliseconds = duration(size, warmCpu, inSequence);
          return [`${size} MB`, `${milliseconds.toFixed(0)} ms  $${lambdaCost(size, milliseconds).toFixed(2)}`];
        }),
      ),
    })),
  );
  return rows.every(({ statuses }) => statuses.every((status) => status < 300));
}
