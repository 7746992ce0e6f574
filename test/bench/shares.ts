import { Fleet, type Load, mostAccepted, type Outcome } from '../support/fleet.ts';
import { atMost, countsOf, type Figures, type Part, type Row } from './part.ts';

const PROCESSES = 50;
/** Requests that a process accepts in each window without a lease. */
const UNLEASED = 2;
const SECONDS = 60;
const LIMIT = { rate: 100, burst: 200 };
const MOST_REQUESTS_PER_CALL = 0.1;

const round = (value: number, digits = 3): number => Number(value.toFixed(digits));

const over: Load = { acquirer: 'A', limit: LIMIT, perSecond: 10 * LIMIT.rate };
const within: Load = { acquirer: 'B', limit: LIMIT, perSecond: 0.8 * LIMIT.rate };
const checks: Load = { ...over, share: 'member-checks', perSecond: 0.8 * LIMIT.rate };

/** Sends loads to a fleet for some seconds, and returns a row for each. */
async function rowsOf(fleet: Fleet, seconds: number, loads: Record<string, Load>): Promise<Row[]> {
  const outcomes = await fleet.run(seconds, Object.values(loads));
  return Object.entries(loads).map(([load, { limit, perSecond }], at) => {
    const outcome = outcomes[at] as Outcome;
    return {
      load,
      'calls a second': perSecond,
      quota: limit.burst,
      'accepted in a window, at most': mostAccepted(outcome),
      'of calls refused, %': round((100 * outcome.rejected) / outcome.calls, 1),
      'requests to the table per call': round(outcome.leases / outcome.calls),
    };
  });
}

async function simulated() {
  const fair = await rowsOf(new Fleet(PROCESSES), SECONDS, {
    'A, at 10 times its quota': over,
    'B beside it, at 0.8 of its own': within,
    "A's member checks, at 0.8 of their quota": checks,
  });
  const speeds: Row[] = [];
  for (const perProcess of [0.99, 1.6, 4, 10, 16, 50, 100]) {
    const perSecond = perProcess * PROCESSES;
    const rate = Math.ceil(perSecond / 0.8);
    // At random times, a process that is slow on average is sometimes faster.
    const load = { acquirer: 'A', limit: { rate, burst: 2 * rate }, perSecond, isEven: perProcess < 1 };
    speeds.push(...(await rowsOf(new Fleet(PROCESSES), 20, { [`${perProcess} a second and process`]: load })));
  }

  const fleet = new Fleet(PROCESSES, { clockOff: (at) => ((at % 11) - 5) * 1000 });
  // At first, processes that are behind find full windows that others have passed.
  await fleet.run(10, [over, within]);
  const skewed = { 'A, clocks up to 5 s ahead or behind': over, 'B beside it': within };
  return { fair, speeds, skewed: await rowsOf(fleet, SECONDS, skewed) };
}

export const shares: Part = {
  title: 'Rate limits across processes',
  about:
    'Two acquirers with a rate limit of 200 requests in 2 seconds each. In simulated time, their requests reach 50 processes that share a table, at random moments and at random processes.',
  async measure() {
    const { fair, speeds, skewed } = await simulated();
    const perCall = 'requests to the table per call';
    const refused = 'of calls refused, %';
    const figureOf = (row: Row | undefined, column: string) => Number(row?.[column]);
    const fast = [...speeds.filter(({ load }) => Number.parseFloat(String(load)) >= 10), fair[0] as Row];
    const quota = LIMIT.burst + UNLEASED * PROCESSES;
    return {
      tables: [
        { title: 'Two acquirers, 50 processes', rows: fair },
        { title: 'Table usage of the limiter', rows: speeds },
        { title: 'With clocks up to 5 s ahead or behind', rows: skewed },
      ],
      targets: [
        atMost(quota, 'requests of A in a window', figureOf(fair[0], 'accepted in a window, at most')),
        atMost(0, '% of requests of B that are refused', figureOf(fair[1], refused)),
        atMost(0, '% of member checks of A that are refused', figureOf(fair[2], refused)),
        atMost(0, `${perCall}, below one call a second and process`, figureOf(speeds[0], perCall)),
        atMost(
          MOST_REQUESTS_PER_CALL,
          `${perCall}, from 10 calls a second and process on and above the quota`,
          Math.max(...fast.map((row) => figureOf(row, perCall))),
        ),
      ],
      counts: [...fair, ...speeds, ...skewed].reduce<Figures>(
        (counts, { load, ...row }) => Object.assign(counts, countsOf(String(load), row as Figures)),
        {},
      ),
    };
  },
};
