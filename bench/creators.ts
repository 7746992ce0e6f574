import { table } from '../lib/table/client.ts';
import { BUDGET_MS } from '../lib/table/retry.ts';
import { eventOf, invoke } from '../test/support/invoke.ts';
import type { Part, Row } from './part.ts';
import { atRandom, type Outcome, type Race, race, races, type Timing, together } from './race.ts';
import { median, quantile } from './statistics.ts';
import { newAcquirer, succeed, unique } from './world.ts';

const CREATORS = [1, 4, 16, 64];
const MOST = Math.max(...CREATORS);
const RUNS = 5;
const MOST_ATTEMPTS = 6;

/** Races of the model that a figure is the average of; they differ in their seeds. */
const RACES = 20;
/** How many branches each creates, one after the other, where it is not one. */
const IN_A_ROW = 10;
/** From an answer to a partner's next request: the way there and back. */
const BETWEEN_MS = 20;
/** Of a plain read and of a transaction, in milliseconds: of a usual table and of a slow one. */
const LATENCIES = [
  { read: 5, write: 15 },
  { read: 10, write: 30 },
] as const;
const [USUAL] = LATENCIES;
const TIMINGS = LATENCIES.flatMap((latency) =>
  [false, true].map((refusesConflicts): Timing => ({ ...latency, refusesConflicts })),
);
const isUsual = ({ timing }: { timing: Timing }) => timing.read === USUAL.read;

const latencyOf = ({ read, write }: { read: number; write: number }) => `${Math.round(read)} + ${Math.round(write)} ms`;
const ruleOf = ({ refusesConflicts }: Timing) => (refusesConflicts ? 'conflicts too' : 'what is stale');

const round = (value: number, digits = 1) => Number(value.toFixed(digits));

/** How long each request to the table took, in milliseconds, by its command. */
let times: Record<string, number[]> = {};

/** Times what is sent to the table, until it is removed. */
const addTimes = () =>
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const started = performance.now();
        try {
          return await next(args);
        } finally {
          times[commandName] ??= [];
          times[commandName].push(performance.now() - started);
        }
      },
    { step: 'initialize', name: 'times' },
  );

/** Lets creators begin all at once, each with one branch of the same payment provider. */
async function createAtOnce(creators: number) {
  const { key } = await newAcquirer('PAYMENT_PROVIDER');
  const create = () =>
    invoke(
      'createBranch',
      eventOf('createBranch', { key, body: { mid: unique('M'), master_merchant_id: unique('MM') } }),
    );
  times = {};
  const started = performance.now();
  const answers = await Promise.all(Array.from({ length: creators }, create));
  const seconds = (performance.now() - started) / 1000;
  const { BatchGetItemCommand: reads = [], TransactWriteItemsCommand: writes = [] } = times;

  const { body } = await succeed('listBranches', { key, query: { sort: 'asc', per_page: '100' } });
  // The list shows the ranks from 1 to the total: where one is missing, or there twice, it has others than were created.
  const listed = body.data.map(({ mid }: { mid: string }) => mid).sort();
  const created = answers.filter(({ status }) => status === 201).map((answer) => answer.body.data.mid);
  return {
    created: created.length,
    isDense: body.meta.total === creators && created.sort().join() === listed.join(),
    attempts: writes.length / creators,
    seconds,
    reads,
    writes,
  };
}

async function measured(creators: number) {
  const runs: Awaited<ReturnType<typeof createAtOnce>>[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await createAtOnce(creators));
  const attempts = runs.map((run) => run.attempts);
  return {
    creators,
    created: runs.reduce((sum, { created }) => sum + created, 0),
    isDense: runs.every(({ isDense }) => isDense),
    attempts: median(attempts),
    mostAttempts: Math.max(...attempts),
    seconds: median(runs.map(({ seconds }) => seconds)),
    reads: runs.flatMap(({ reads }) => reads),
    writes: runs.flatMap(({ writes }) => writes),
  };
}

const modelled = (timing: Timing, creators: number, each = 1) => ({
  timing,
  creators,
  each,
  ...races(RACES, (seed) => race({ timing, starts: together(creators), each, between: BETWEEN_MS, seed })),
});

const attemptsOf = ({ attempts, created, failed }: Outcome) => attempts / (created + failed);

/** The most creates a second, in steps of 5, that come at random for a minute and all succeed in each of three races. */
function ceiling(rest: Pick<Race, 'timing' | 'providers'>): number {
  const allSucceed = (rate: number) =>
    races(3, (seed) => race({ ...rest, starts: atRandom(rate, 60, seed), seed })).failed === 0;
  let rate = 0;
  while (allSucceed(rate + 5)) rate += 5;
  return rate;
}

const rowOf = (outcome: ReturnType<typeof modelled>): Row => {
  const { timing, creators: count, each, created, failed, seconds } = outcome;
  return {
    'read + write': latencyOf(timing),
    'the table refuses': ruleOf(timing),
    creators: count,
    'branches each': each,
    'attempts per create': round(attemptsOf(outcome), 2),
    'creates per second': round(created / RACES / seconds),
    'last answer (s)': round(seconds, 2),
    'out of time (%)': round((100 * failed) / (created + failed), 2),
  };
};

/** What the race for the next rank costs those who create branches for one acquirer at the same time. */
export const creators: Part = {
  title: 'Creators of branches at once, for one acquirer',
  about:
    `Each of 1 to ${MOST} creators calls the whole handler once, all at the same moment in one process: the median of ` +
    `${RUNS} runs on DynamoDB Local. Beside it stands what a model (\`bench/race.ts\`) makes of a real table's latency, ` +
    'with the very pauses of `lib/table/retry.ts`.',
  async measure() {
    // Once, for all that is slow only the first time.
    addTimes();
    await createAtOnce(MOST);
    const local: Awaited<ReturnType<typeof measured>>[] = [];
    for (const count of CREATORS) local.push(await measured(count));
    table.middlewareStack.remove('times');
    const [alone, most] = [local[0], local.at(-1)] as [(typeof local)[number], (typeof local)[number]];
    const created = local.reduce((sum, each) => sum + each.created, 0);
    const wanted = RUNS * CREATORS.reduce((sum, count) => sum + count, 0);

    const atOnce = TIMINGS.flatMap((timing) => CREATORS.map((count) => modelled(timing, count)));
    const inARow = TIMINGS.map((timing) => modelled(timing, MOST, IN_A_ROW));
    const asHere = modelled({ read: median(alone.reads), write: median(alone.writes), refusesConflicts: false }, MOST);
    const ofMost = [...atOnce, ...inARow].filter((each) => each.creators === MOST);
    const worst = round(Math.max(...ofMost.map(attemptsOf)));
    const late = [...atOnce, ...inARow.filter(isUsual)].reduce((sum, { failed }) => sum + failed, 0);
    const ceilings = TIMINGS.map((timing) => ({
      timing,
      one: ceiling({ timing }),
      several: ceiling({ timing, providers: 4 }),
    }));

    return {
      tables: [
        {
          title: 'Measured on DynamoDB Local',
          rows: local.map((each) => ({
            creators: each.creators,
            created: each.created,
            'attempts per create': round(each.attempts, 2),
            'in the worst run': round(each.mostAttempts, 2),
            'creates per second': round(each.creators / each.seconds),
            'last answer (s)': round(each.seconds, 2),
            'read (ms)': round(median(each.reads)),
            'read, 90 % (ms)': round(quantile(each.reads, 0.9)),
            'write (ms)': round(median(each.writes)),
            'write, 90 % (ms)': round(quantile(each.writes, 0.9)),
          })),
        },
        { title: 'By the model', rows: [...atOnce, ...inARow, asHere].map(rowOf) },
        {
          title: 'By the model: the most creates per second that come at random for a minute and all succeed',
          rows: ceilings.map(({ timing, one, several }) => ({
            'read + write': latencyOf(timing),
            'the table refuses': ruleOf(timing),
            'of a payment provider': one,
            'of a distributor with four payment providers': several,
          })),
        },
      ],
      chart: {
        title: 'Attempts per create, by how many create at once for one acquirer',
        unit: 'attempts',
        kind: 'lines',
        categories: CREATORS.map(String),
        series: [
          { name: 'DynamoDB Local', values: local.map(({ attempts }) => round(attempts, 2)) },
          ...TIMINGS.filter((timing) => isUsual({ timing })).map((timing) => ({
            name: `model, ${latencyOf(timing)}, refuses ${ruleOf(timing)}`,
            values: atOnce.filter((each) => each.timing === timing).map((each) => round(attemptsOf(each), 2)),
          })),
        ],
      },
      targets: [
        {
          target: 'However many create at once, all succeed, and their ranks are dense',
          measured: `${created} of ${wanted} created, ${local.every(({ isDense }) => isDense) ? 'all dense' : 'not dense'}`,
          isMet: created === wanted && local.every(({ isDense }) => isDense),
        },
        {
          target: `${MOST} creators at once take at most ${MOST_ATTEMPTS} attempts per create`,
          measured: `${round(most.attempts)}, and ${round(most.mostAttempts)} in the worst of ${RUNS} runs`,
          isMet: most.attempts >= 1 && most.attempts <= MOST_ATTEMPTS,
        },
        {
          target: `By the model too, with one and with ${IN_A_ROW} branches each, by either rule at ${LATENCIES.map(latencyOf).join(' and at ')}`,
          measured: `${worst} at the most`,
          isMet: worst >= 1 && worst <= MOST_ATTEMPTS,
        },
        {
          target: `By the model, nobody's ${BUDGET_MS / 1000} s end: one branch each at any of these, and ${IN_A_ROW} each at ${latencyOf(USUAL)}`,
          measured: `${late} creates`,
          isMet: late === 0,
        },
      ],
      counts: {
        'branches created by 1, 4, 16 and 64 creators at once': created,
        ...Object.fromEntries(
          ofMost.map((outcome) => [
            `attempts per create of ${MOST} creators with ${outcome.each} each, modelled at ${latencyOf(outcome.timing)} where the table refuses ${ruleOf(outcome.timing)}`,
            round(attemptsOf(outcome)),
          ]),
        ),
        ...Object.fromEntries(
          ceilings.flatMap(({ timing, one, several }) => {
            const where = `modelled at ${latencyOf(timing)} where the table refuses ${ruleOf(timing)}`;
            return [
              [`creates per second of a payment provider that all succeed, ${where}`, one],
              [`creates per second of a distributor that all succeed, ${where}`, several],
            ];
          }),
        ),
      },
      notes: [
        'The latencies of the model are assumptions, not measurements on AWS: DynamoDB promises single-digit milliseconds ' +
          'for a plain request, a transaction writes in two phases, and the longer pair stands for a slow day. Each request ' +
          'takes from half to one and a half times as long.',
        'DynamoDB Local refuses a write whose condition does not hold (what is stale). AWS refuses conflicts too: a ' +
          'transaction that meets another one under way with the same item.',
        `The last row of the model has the latencies that one creator met here. But ${MOST} of them share a process, and ` +
          `two programs the machine: one in ten reads takes ${Math.round(quantile(most.reads, 0.9))} ms or longer, and one in ` +
          `ten writes ${Math.round(quantile(most.writes, 0.9))} ms. Those are the first attempts, which all come at once. A pause ` +
          'is in proportion to what the attempt took, so that the later ones, which are quick, hardly meet: that takes ' +
          'fewer attempts than in the model, whose latencies stay as they are.',
        `With ${IN_A_ROW} branches each, ${BETWEEN_MS} ms lie between an answer and the creator's next request.`,
      ],
    };
  },
};
