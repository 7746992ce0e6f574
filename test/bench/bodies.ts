import { BODIES, bodyOf, HUNGRIEST, LARGEST, LARGEST_PARSED } from '../proofs/hostile/bodies.ts';
import { eventOf } from '../support/invoke.ts';
import { runOperation } from './instance.ts';
import { above, type Part } from './report.ts';
import { newAcquirer } from './world.ts';

/** The first size is within the limit for all kinds. Larger bodies are refused before they are parsed. */
const SIZES = [LARGEST_PARSED, 1_000_000, LARGEST] as const;
const COUNT = 1_000;
/** Half of the memory of a function. */
const MOST_MEGABYTES = 512;

type Kind = [title: string, ofBytes: (bytes: number) => string];
const KINDS: Kind[] = [
  ...[...BODIES, HUNGRIEST].map(([title, , , partsOf]): Kind => [title, (bytes) => bodyOf(partsOf(bytes))]),
  ['unknown fields', (bytes) => `{${Array.from({ length: bytes / 12 }, (_, at) => `"u${at}":0`)}}`],
  ['commas', (bytes) => `[${','.repeat(bytes)}]`],
];

const kindAt = (sent: number): number => sent % KINDS.length;
const sizeAt = (sent: number): number => SIZES[Math.floor(sent / KINDS.length) % SIZES.length] as number;

/** A small request, and then hostile bodies of all kinds and sizes. Each is made when it is sent. */
function* eventsOf(key: string) {
  const event = (body: string) => eventOf('createTerminals', { key, path: { id: 'NOSUCHID' }, body });
  yield event('{}');
  for (let sent = 0; sent < COUNT; sent += 1) yield event(KINDS[kindAt(sent)]?.[1](sizeAt(sent)) ?? '');
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export const bodies: Part = {
  title: 'The most expensive bodies',
  about:
    'CPU time and memory of one warm process of the packaged `createTerminals`, which receives a thousand hostile ' +
    'bodies of up to 6 MB, the most that Lambda accepts. Those of more than 262,144 bytes are refused before they ' +
    'are parsed.',
  async measure() {
    const { key } = await newAcquirer('PAYMENT_PROVIDER');
    const [first, ...others] = await runOperation('createTerminals', eventsOf(key));
    const peak = Math.round(others.at(-1)?.megabytes ?? 0);
    const cpuOf = (kind: number, size: number): number =>
      Math.round(mean(others.filter((_, at) => kindAt(at) === kind && sizeAt(at) === size).map(({ cpu }) => cpu)));
    const rows = KINDS.map(([title], kind) => ({
      'a body of': title,
      'CPU ms, 0.24 MB': cpuOf(kind, LARGEST_PARSED),
      'CPU ms, 6 MB': cpuOf(kind, LARGEST),
    }));
    return {
      tables: { 'CPU time by body': rows },
      notes: [`Memory: ${Math.round(first?.megabytes ?? 0)} MB after a small request, ${peak} MB at the end.`],
      unmet: [
        ...above(MOST_MEGABYTES, 'megabytes of the process', peak),
        ...above(0, 'bodies that are not refused', others.filter(({ status }) => status < 400).length),
      ],
    };
  },
};
