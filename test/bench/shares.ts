import { setTimeout as sleep } from 'node:timers/promises';
import { stops } from '../../infra/local/shutdown.ts';
import { startServer } from '../soak/server.ts';
import { Fleet, type Load, mostAccepted, type Outcome } from '../support/fleet.ts';
import type { Part, Row, Target } from './part.ts';

const PROCESSES = 50;
/** Requests that a process accepts in each window without a lease. */
const UNLEASED = 2;
const SECONDS = 60;
const LIMIT = { rate: 100, burst: 200 };
const MOST_REQUESTS_PER_CALL = 0.1;

/** Over HTTP: requests per second that an acquirer may send, and the duration of the calls. */
const HTTP_RATE = 4;
/** Connections of the acquirer above its quota. The local server has a process for each concurrent call. */
const CONNECTIONS = 4;
const HTTP_SECONDS = { check: 8, measure: 30 };

const round = (value: number, digits = 3): number => Number(value.toFixed(digits));

const over: Load = { acquirer: 'A', limit: LIMIT, perSecond: 10 * LIMIT.rate };
const within: Load = { acquirer: 'B', limit: LIMIT, perSecond: 0.8 * LIMIT.rate };
const checks: Load = { ...over, share: 'member-checks', perSecond: 0.8 * LIMIT.rate };

/** A limit that `perSecond` requests of 50 processes do not reach. */
const ample = (perSecond: number): Load => {
  const rate = Math.ceil(perSecond / 0.8);
  return { acquirer: 'A', limit: { rate, burst: 2 * rate }, perSecond };
};

const rowOf = (what: string, { limit, perSecond }: Load, outcome: Outcome): Row => ({
  load: what,
  'calls a second': perSecond,
  quota: limit.burst,
  'accepted in a window, at most': mostAccepted(outcome),
  'of calls refused, %': round((100 * outcome.rejected) / outcome.calls, 1),
  'requests to the table per call': round(outcome.leases / outcome.calls),
});

async function simulated(): Promise<{ fair: Row[]; speeds: Row[]; broken: Row[] }> {
  const [a, b, c] = (await new Fleet(PROCESSES).run(SECONDS, [over, within, checks])) as [Outcome, Outcome, Outcome];
  const fair = [
    rowOf('A, at 10 times its quota', over, a),
    rowOf('B beside it, at 0.8 of its own', within, b),
    rowOf("A's member checks, at 0.8 of their quota", checks, c),
  ];

  const speeds: Row[] = [];
  for (const perProcess of [0.99, 1.6, 4, 10, 16, 50, 100]) {
    // At random times, a process that is slow on average is sometimes faster.
    const load = { ...ample(perProcess * PROCESSES), isEven: perProcess < 1 };
    const [outcome] = (await new Fleet(PROCESSES).run(20, [load])) as [Outcome];
    speeds.push(rowOf(`${perProcess} a second and process`, load, outcome));
  }

  const skewed = new Fleet(PROCESSES, { clockOff: (at) => ((at % 11) - 5) * 1000 });
  // At first, processes that are behind find full windows that others have passed.
  await skewed.run(10, [over, within]);
  const [skewedOver, skewedWithin] = (await skewed.run(SECONDS, [over, within])) as [Outcome, Outcome];
  const failing = new Fleet(PROCESSES);
  failing.failure = new Error('out of reach');
  const [unlimited] = (await failing.run(SECONDS / 2, [over])) as [Outcome];
  failing.failure = undefined;
  const [recovered] = (await failing.run(SECONDS / 2, [over])) as [Outcome];
  const changing = { ...over };
  const lowered = new Fleet(PROCESSES);
  await lowered.run(21, [changing]);
  changing.limit = { rate: 20, burst: 40 };
  await lowered.run(1, [changing]);
  const [afterChange] = (await lowered.run(SECONDS, [changing])) as [Outcome];
  const raised = { ...changing, limit: LIMIT };
  const [afterRaise] = (await lowered.run(SECONDS, [raised])) as [Outcome];
  const broken = [
    rowOf('A, clocks up to 5 s ahead or behind', over, skewedOver),
    rowOf('B beside it', within, skewedWithin),
    rowOf('A, while no lease succeeds', over, unlimited),
    rowOf('A, once they do again', over, recovered),
    rowOf('A, from the window after its quota was lowered', changing, afterChange),
    rowOf('A, once its quota was raised again', raised, afterRaise),
  ];
  return { fair, speeds, broken };
}

/** The responses to a caller over HTTP. */
interface Got {
  accepted: number;
  refused: number;
  others: number;
  /** 429 responses without something that a client needs. */
  incomplete: number;
}

/** Calls over several connections, in sequence on each, at even intervals if they are fast enough. */
async function callEvenly(
  { perSecond, connections, seconds }: { perSecond: number; connections: number; seconds: number },
  send: () => Promise<Response>,
): Promise<Got> {
  const got: Got = { accepted: 0, refused: 0, others: 0, incomplete: 0 };
  const start = performance.now();
  const end = start + seconds * 1000;
  const every = (connections * 1000) / perSecond;
  const onOne = async (connection: number) => {
    for (let at = start + (connection * every) / connections; at < end; at = Math.max(at + every, performance.now())) {
      await sleep(Math.max(0, at - performance.now()));
      await judge(await send(), got);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => onOne(connection)));
  return got;
}

async function judge(response: Response, got: Got): Promise<void> {
  const { status, headers } = response;
  const body = (await response.json()) as { code?: string };
  if (status === 200) got.accepted += 1;
  else if (status !== 429) got.others += 1;
  else {
    got.refused += 1;
    const waits = Number(headers.get('retry-after')) > 0;
    const isComplete = /;r=0;t=\d+$/.test(headers.get('ratelimit') ?? '') && headers.has('ratelimit-policy');
    if (body.code !== 'rate_limited' || !waits || !isComplete) got.incomplete += 1;
  }
}

async function overHttp(seconds: number): Promise<{ rows: Row[]; targets: Target[] }> {
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  stops.push(stop);
  const { demo } = await startServer(ends, { rate: HTTP_RATE });
  const [a, b] = demo.acquirers.filter(({ type }) => type === 'PAYMENT_PROVIDER') as [
    (typeof demo.acquirers)[number],
    (typeof demo.acquirers)[number],
  ];
  const list = (key: string) => () => fetch(`${demo.base_url}/ext/api/v1/merchants`, { headers: { 'API-KEY': key } });
  const check = () =>
    fetch(`${demo.base_url}/api/v1/host/member-check`, {
      method: 'POST',
      headers: { 'API-KEY': a.api_key },
      body: JSON.stringify({ amount: 1, ...demo.members[0], terminal_id: 'DEMOTERM0011', acquirer_id: a.id }),
    });
  // Warms up, so no call is slow for being the first.
  await Promise.all([list(a.api_key)(), list(b.api_key)(), check()]);
  await sleep(2000);
  const [of10, beside, checked] = await Promise.all([
    callEvenly({ perSecond: 10 * HTTP_RATE, connections: CONNECTIONS, seconds }, list(a.api_key)),
    callEvenly({ perSecond: 0.8 * HTTP_RATE, connections: 1, seconds }, list(b.api_key)),
    callEvenly({ perSecond: 0.8 * HTTP_RATE, connections: 1, seconds }, check),
  ]);
  await stop();
  const row = (caller: string, { accepted, refused, others, incomplete }: Got): Row => ({
    caller,
    accepted,
    'refused (429)': refused,
    'other responses': others,
    'incomplete 429': incomplete,
  });
  // One more window than fits into that time, as windows may begin earlier, and one more process for the connection of
  // B.
  const most = (seconds / 2 + 1) * (2 * HTTP_RATE + UNLEASED * (CONNECTIONS + 1));
  return {
    rows: [
      row('A lists branches, at 10 times its quota', of10),
      row('B lists branches, at 0.8 of its own', beside),
      row("A's member checks, at 0.8 of their quota", checked),
    ],
    targets: [
      {
        target:
          'over HTTP, A gets at most its quota and 2 requests per process in each window, and each 429 has its code and headers',
        measured: `${of10.accepted} of at most ${most} in ${seconds} s; ${of10.refused} refused, ${of10.incomplete} incomplete`,
        isMet: of10.accepted <= most && of10.refused > 0 && of10.incomplete + of10.others === 0,
      },
      {
        target: 'over HTTP, B and the member checks of A get no 429 and no failure',
        measured: `${beside.refused + beside.others} and ${checked.refused + checked.others}`,
        isMet: beside.refused + beside.others + checked.refused + checked.others === 0,
      },
    ],
  };
}

export const shares: Part = {
  title: 'Rate limits across processes',
  about:
    'Two acquirers with a rate limit of 200 requests in 2 seconds each. In simulated time, their requests reach 50 processes that share a table, at random moments and at random processes. Then the same over HTTP with a limit of 4 a second, on a server as `npm start -- --rate` starts it.',
  async measure({ check }) {
    const { fair, speeds, broken } = await simulated();
    const http = await overHttp(check ? HTTP_SECONDS.check : HTTP_SECONDS.measure);
    const [a, b, c] = fair as [Row, Row, Row];
    const perCall = 'requests to the table per call';
    const fast = speeds.filter(({ load }) => Number.parseFloat(String(load)) >= 10).map((row) => Number(row[perCall]));
    const [slow] = speeds as [Row];
    const most = LIMIT.burst + UNLEASED * PROCESSES;
    const counts = Object.fromEntries(
      [...fair, ...speeds, ...broken].flatMap(({ load, ...row }) =>
        Object.entries(row).map(([column, value]) => [`${load}: ${column}`, Number(value)]),
      ),
    );
    return {
      tables: [
        { title: 'Two acquirers, 50 processes', rows: fair },
        { title: 'Table usage of the limiter', rows: speeds },
        { title: 'With injected failures and changed limits', rows: broken },
        { title: 'Over HTTP', rows: http.rows },
      ],
      targets: [
        {
          target: `in each window, A gets at most its quota and ${UNLEASED} requests per process: ${most}`,
          measured: String(a['accepted in a window, at most']),
          isMet: Number(a['accepted in a window, at most']) <= most,
        },
        {
          target: 'no request of B and no member check of A is refused',
          measured: `${b['of calls refused, %']} % and ${c['of calls refused, %']} %`,
          isMet: b['of calls refused, %'] === 0 && c['of calls refused, %'] === 0,
        },
        {
          target: 'below one request a second per process, the limiter sends no requests to the table',
          measured: String(slow[perCall]),
          isMet: slow[perCall] === 0,
        },
        {
          target: `from 10 requests a second per process on, and above the quota, it sends at most ${MOST_REQUESTS_PER_CALL} per call`,
          measured: String(Math.max(...fast, Number(a[perCall]))),
          isMet: Math.max(...fast, Number(a[perCall])) <= MOST_REQUESTS_PER_CALL,
        },
        ...http.targets,
      ],
      counts,
    };
  },
};
