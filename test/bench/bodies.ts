import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withPackage } from '../packaged/packaging.ts';
import { BODIES, bodyOf, HUNGRIEST, LARGEST, LARGEST_PARSED } from '../proofs/hostile/bodies.ts';
import { eventOf, type Request } from '../support/invoke.ts';
import type { Took } from './bodiesProcess.ts';
import { unpackFunction } from './instance.ts';
import type { Part } from './part.ts';
import { figure } from './tables.ts';
import { newAcquirer } from './world.ts';

/** The first size is within the limit for all kinds. Larger bodies are refused before they are parsed. */
const SIZES = [LARGEST_PARSED, 1_000_000, LARGEST];
const COUNT = 1_000;
const MOST_MEGABYTES = 300;

const KINDS: [title: string, ofBytes: (bytes: number) => string][] = [
  ...[...BODIES, HUNGRIEST].map(([title, , , partsOf]): (typeof KINDS)[number] => [
    title,
    (bytes) => bodyOf(partsOf(bytes)),
  ]),
  ['unknown fields', (bytes) => `{${Array.from({ length: bytes / 12 }, (_, at) => `"u${at}":0`)}}`],
  ['commas', (bytes) => `[${','.repeat(bytes)}]`],
];

/** Sends a small request and then hostile bodies of all kinds and sizes to one process of a packaged function. */
async function measured(packages: string, request: Request): Promise<{ first: Took; others: Took[] }> {
  const { folder, file } = unpackFunction(packages, 'createTerminals');
  const instance = fork(fileURLToPath(new URL('bodiesProcess.ts', import.meta.url)), [file], {
    execArgv: ['--no-warnings'],
    serialization: 'advanced',
    // Standard output is the function's log.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const take = async (body: string): Promise<Took> => {
    instance.send(JSON.stringify(eventOf('createTerminals', { ...request, body })));
    const [took] = await once(instance, 'message');
    return took;
  };
  try {
    const first = await take('{}');
    const others = [];
    for (let sent = 0; sent < COUNT; sent += 1) others.push(await take(bodyAt(sent)));
    return { first, others };
  } finally {
    instance.kill();
    rmSync(folder, { recursive: true });
  }
}

const kindAt = (sent: number): number => sent % KINDS.length;
const sizeAt = (sent: number): number => Math.floor(sent / KINDS.length) % SIZES.length;
const bodyAt = (sent: number): string => KINDS[kindAt(sent)]?.[1](SIZES[sizeAt(sent)] as number) ?? '';

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export const bodies: Part = {
  title: 'The most expensive bodies',
  about:
    `CPU time and memory of one warm process of the packaged function that creates terminals, which receives ${figure(COUNT)} ` +
    `hostile bodies of ${figure(SIZES[0] as number)} to ${figure(LARGEST)} bytes, the largest that Lambda accepts. Bodies of more than ` +
    '262,144 bytes are refused before they are parsed.',
  async measure() {
    const { key } = await newAcquirer('PAYMENT_PROVIDER');
    const request = { key, path: { id: 'NOSUCHID' } };
    const { first, others } = await withPackage('prod', ({ folder }) => measured(folder, request));
    const statuses = [...new Set(others.map(({ status }) => status))].sort();
    const peak = others.at(-1)?.megabytes ?? 0;
    const cpuOf = (kind: number, size: number): number =>
      Math.round(mean(others.filter((_, at) => kindAt(at) === kind && sizeAt(at) === size).map(({ cpu }) => cpu)));
    const rows = KINDS.map(([title], kind) => ({
      title,
      parsed: cpuOf(kind, 0),
      refused: cpuOf(kind, SIZES.length - 1),
    }));
    return {
      tables: [
        {
          title: 'Peak memory',
          rows: [
            { 'of a process that has received': 'a small request', MB: Math.round(first.megabytes) },
            { 'of a process that has received': `${figure(COUNT)} hostile bodies`, MB: Math.round(peak) },
          ],
        },
        {
          title: 'CPU time by body',
          rows: rows.map(({ title, parsed, refused }) => ({
            'a body of': title,
            'CPU ms, 0.24 MB': parsed,
            'CPU ms, 6 MB': refused,
          })),
        },
      ],
      chart: {
        title: 'CPU time to refuse a body',
        unit: 'CPU milliseconds',
        kind: 'bars',
        categories: rows.map(({ title }) => title),
        series: [
          { name: '0.24 MB', values: rows.map(({ parsed }) => parsed) },
          { name: '6 MB', values: rows.map(({ refused }) => refused) },
        ],
      },
      targets: [
        {
          target: 'All are refused',
          measured: statuses.join(' '),
          isMet: statuses.every((status) => status >= 400),
        },
        {
          target: `The process takes at most ${MOST_MEGABYTES} MB`,
          measured: `${Math.round(peak)} MB`,
          isMet: peak <= MOST_MEGABYTES,
        },
      ],
      counts: {},
    };
  },
};
