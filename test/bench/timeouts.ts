import { STAGES } from '../../infra/template/definitions.ts';
import { resourceOf } from '../../infra/template/template.ts';
import { templateOf } from '../packaged/packaging.ts';
import { FAILURE_NAMES, type Failure, startFailing } from '../support/failingTable.ts';
import { eventOf, type Operation, type Request } from '../support/invoke.ts';
import { runBundle, statusesOf, withFolder, writeBundle } from './instance.ts';
import type { Took } from './instanceProcess.ts';
import type { Part, Row } from './part.ts';
import { type Caller, newAcquirer, unique } from './world.ts';

/** Calls until the retry quota of the process is used up, which is ten retries, and some more. A failed call has at least one. */
const LATER_CALLS = 4;
const CALLS = 10 + LATER_CALLS;
/** The budget of a member check by default (infra/stages.yml), and when it ends at the latest, in seconds. */
const TILL_MS = 1_000;
const MOST_OF_TILL = 1.2;

/** Calls with the general budget, and with that of the till. Both read their API key, unless it is cached, and the table. */
const OPERATIONS: Record<'general' | 'till', { operation: Operation; requestOf: (caller: Caller) => Request }> = {
  general: { operation: 'getBranch', requestOf: () => ({ path: { mid: unique('M') } }) },
  till: {
    operation: 'memberCheck',
    requestOf: ({ id }) => ({
      body: {
        amount: 1,
        card_id: unique('card'),
        card_pseudo_token: unique('token'),
        currency: 'EUR',
        terminal_id: unique('T'),
        acquirer_id: id,
      },
    }),
  },
};

/** What calls return while the table fails. While leases are throttled, an acquirer is limited to its last share. */
const STATUSES = [400, 429];

const seconds = (milliseconds: number): number => Number((milliseconds / 1000).toFixed(1));

/** A process that serves one call while the table works, and all others after it has begun to fail. */
async function callsWhile(how: Failure, file: string, event: unknown): Promise<Took[]> {
  const table = await startFailing(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string);
  async function* events() {
    yield event;
    await table.fail(how);
    for (let count = 0; count < CALLS; count += 1) yield event;
  }
  const { rate, burst } = STAGES['prod'] ?? {};
  const { calls } = await runBundle(file, events(), {
    AWS_ENDPOINT_URL_DYNAMODB: table.url,
    MEMBER_CHECK_MS: String(TILL_MS),
    RATE: String(rate),
    BURST: String(burst),
  });
  await table.stop();
  return calls.slice(1);
}

/** The duration of the first call that fails, and of calls with no retry left. */
async function failuresOf(folder: string, budget: keyof typeof OPERATIONS) {
  const { operation, requestOf } = OPERATIONS[budget];
  const caller = await newAcquirer('PAYMENT_PROVIDER');
  const file = await writeBundle(folder, operation);
  const event = eventOf(operation, { ...requestOf(caller), key: caller.key });
  return Promise.all(
    FAILURE_NAMES.map(async (how) => {
      const calls = await callsWhile(how, file, event);
      const isBusy = calls.every(({ status, retryAfter }) => STATUSES.includes(status) && retryAfter !== undefined);
      const durations = calls.map(({ milliseconds }) => milliseconds);
      const later = durations.slice(-LATER_CALLS).reduce((sum, each) => sum + each / LATER_CALLS, 0);
      return {
        how,
        calls,
        isBusy,
        first: seconds(durations[0] as number),
        later: seconds(later),
        longest: seconds(Math.max(...durations)),
      };
    }),
  );
}

/** Calls a second of so many processes, of which each serves one at a time. */
const perSecond = (processes: number, each: number): string =>
  each < 0.1 ? `over ${10 * processes}` : String(Math.floor(processes / each));

const rowsOf = (outcomes: Awaited<ReturnType<typeof failuresOf>>, processes: number): Row[] =>
  outcomes.map(({ how, first, later }) => ({
    'the table': how,
    'first, s': first,
    'first, a second': perSecond(processes, first),
    'later, s': later,
    'later, a second': perSecond(processes, later),
  }));

export const timeouts: Part = {
  title: 'A table that fails',
  about:
    'How long a call takes while the table fails, measured with packaged functions whose API key is cached. The first call ' +
    'of a process still has retries; later ones, of which this is the mean, have used up its retry quota.',
  measure: () =>
    withFolder(async (folder) => {
      const template = await templateOf('prod');
      const processes: number = resourceOf(template, 'MemberCheckLambdaFunction').Properties
        .ReservedConcurrentExecutions;
      const lambda: number = resourceOf(template, 'GetBranchLambdaFunction').Properties.Timeout;
      const gateway = resourceOf(template, 'HttpApiIntegrationGetBranch').Properties.TimeoutInMillis / 1000;
      const [till, general] = await Promise.all([failuresOf(folder, 'till'), failuresOf(folder, 'general')]);
      const all = [...till, ...general];
      const longest = (some: typeof all) => Math.max(...some.map((each) => each.longest));
      return {
        tables: [
          { title: `Member checks, with ${processes} processes`, rows: rowsOf(till, processes) },
          {
            title: `The general budget, which member checks had too (\`getBranch\`), with ${processes} processes`,
            rows: rowsOf(general, processes),
          },
        ],
        targets: [
          {
            target: 'Every call returns the function’s own response with Retry-After, a 400 or a 429',
            measured: statusesOf(all.flatMap(({ calls }) => calls)).join(' '),
            isMet: all.every(({ isBusy }) => isBusy),
          },
          // The rest depends on our own timers, not on the machine's speed.
          {
            target: `A member check ends with its budget: at most ${MOST_OF_TILL} s`,
            measured: `${longest(till)} s`,
            isMet: longest(till) <= MOST_OF_TILL,
          },
          {
            target: "Any call ends before Lambda's timeout, which is before API Gateway's",
            measured: `${longest(all)} s, ${lambda} s and ${gateway} s`,
            isMet: longest(all) < lambda && lambda < gateway,
          },
        ],
        counts: {},
      };
    }),
};
