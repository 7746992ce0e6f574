import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../cli/audit/audit.ts';
import { explain, oneLine } from '../cli/explain.ts';
import { Stop, WRONG_USAGE } from '../cli/stop.ts';
import type { Cloud, Source } from './aws.ts';
import type { Lowered } from './rights.ts';
import type { Limits } from './settings.ts';

/** What the steps do to data, in the new table. They are functions of the service, which use the table of the environment. */
interface Data {
  /** Reads what later steps read, so that a missing right shows before anything changes. */
  reach(): Promise<unknown>;
  audit(): Promise<Report>;
  /** See rehashRestored in lib/operator/cardKeyRotation.ts. */
  rehash(): Promise<{ cards: number; erasures: number; left: unknown[] } | undefined>;
  lowerRights(): Promise<Lowered>;
  /** See repeatErasures in lib/operator. */
  repeatErasures(): Promise<{ listed: number; members: number; people: number; invitations: number }>;
}

export interface Recovery {
  cloud: Cloud;
  data: Data;
  source: Source;
  into: string;
  /** The limits of the routes when traffic runs. */
  limits: Limits;
  acceptsViolations: boolean;
  /** The command that lets traffic in, and turns on the alarms. */
  starts: string;
  /** How long to wait between two looks at the table, in milliseconds. */
  pollMs: number;
}

/** A step of a recovery. A step that is done is skipped, so that a recovery that was interrupted can be repeated. */
export interface Step {
  name: string;
  what: string;
  isDone?: (recovery: Recovery) => Promise<boolean>;
  /** Whether it only reads, so that a dry run takes it too. */
  readsOnly?: true;
  run: (recovery: Recovery) => Promise<string>;
}

/** Ends a recovery until somebody has done what it says, and has run it again. */
export class Waiting extends Error {}

/**
 * Whether traffic runs on the new table. From then on, a recovery that is run again must neither stop it nor take away rights
 * that were given since.
 */
const isStarted = async ({ cloud, into }: Recovery): Promise<boolean> =>
  (await cloud.tableInUse()) === into && !(await cloud.isClosed());

const MOST_SHOWN = 10;

/** What the API responds without a key, and how often to look. */
const EXPECTED = '401 invalid_api_key';
const MOST_ATTEMPTS = 12;

const STEPS = {
  preflight: {
    what: 'check all that can be checked before anything changes',
    readsOnly: true,
    run: async ({ cloud, data, source, into }) => {
      const faults = await cloud.faults(source, into);
      if (faults.length > 0) throw new Stop(faults.join('\n'), WRONG_USAGE);
      await data.reach();
      return 'nothing stands in the way';
    },
  },
  mute: {
    what: 'turn off the actions of the alarms that stopped traffic fires',
    isDone: isStarted,
    run: async ({ cloud }) => {
      await cloud.setAlarmActions(false);
      return 'the stopped traffic pages nobody until "unmute"';
    },
  },
  stop: {
    what: 'deliver nothing to webhooks, and throttle every route to 0: callers get 429',
    isDone: async (recovery) => (await recovery.cloud.isClosed()) || isStarted(recovery),
    run: async ({ cloud }) => {
      await cloud.close();
      return 'traffic is stopped';
    },
  },
  restore: {
    what: 'start to restore into the new table',
    isDone: async ({ cloud, into }) => (await cloud.table(into)) !== undefined,
    run: async ({ cloud, source, into }) => {
      await cloud.restore(source, into);
      return `restoring into ${into}`;
    },
  },
  wait: {
    what: 'wait until the new table is active',
    isDone: async ({ cloud, into }) => (await cloud.table(into))?.isActive ?? false,
    run: async ({ cloud, into, pollMs }) => {
      while (!(await cloud.table(into))?.isActive) await sleep(pollMs);
      return 'active';
    },
  },
  configure: {
    what: "give the table the stage's settings, and the stage its stream",
    run: async ({ cloud, into }) => (await cloud.configure(into)).join(', ') || 'nothing differs',
  },
  audit: {
    what: 'audit the new table',
    isDone: isStarted,
    run: async ({ data, acceptsViolations }) => {
      const { items, broken } = await data.audit();
      const count = Object.values(items).reduce((sum, each) => sum + each, 0);
      if (broken.length === 0) return `sound: ${count} items`;
      if (acceptsViolations) return `accepted ${broken.length} violations in ${count} items`;
      const shown = broken
        .slice(0, MOST_SHOWN)
        .map(({ invariant, item, detail }) => `${invariant}: ${item.pk} / ${item.sk}: ${detail}`);
      throw new Waiting(
        [
          `The audit reports ${broken.length} violations in ${count} items.`,
          ...shown,
          'A restore may cut a transaction of its last second in half. Restore another second, or an earlier recovery point,',
          'into another table: change --at or --recovery-point, and --into. Or look at each, and go on with --accept-violations.',
        ].join('\n  '),
      );
    },
  },
  rehash: {
    what: 'take cards to the newest card key, if it was rotated since',
    isDone: isStarted,
    run: async ({ data }) => {
      const moved = await data.rehash();
      if (!moved)
        return 'too early: the card key was rotated just now. Run "cards rehash" 70 minutes after that; checks find all cards until then';
      const { cards, erasures, left } = moved;
      return `${cards} cards and ${erasures} erasures; left: ${left.length} cards`;
    },
  },
  revoke: {
    what: 'lower all rights to what the table before gave as well',
    isDone: isStarted,
    run: async ({ data }) => {
      const { changed, withoutAdmin } = await data.lowerRights();
      const done = Object.entries(changed).map(([what, number]) => `${what}: ${number}`);
      return [
        done.join(', ') || 'nothing to do',
        ...withoutAdmin.map((id) => `Acquirer ${id} has no admin any more: invite one with "people invite".`),
      ].join('\n    ');
    },
  },
  erase: {
    what: 'erase again who was erased since',
    isDone: isStarted,
    run: async ({ data }) => {
      const { listed, members, people, invitations } = await data.repeatErasures();
      return `${members} members, ${people} people and ${invitations} invitations, of a list of ${listed}`;
    },
  },
  deploy: {
    what: 'put the new table in use',
    isDone: async ({ cloud, into }) => (await cloud.tableInUse()) === into,
    run: async ({ into }) => {
      throw new Waiting(
        `Set "table: ${into}" in the stage's row of infra/stack/stages.yml, commit, and deploy from here: npm run deploy -- --stage <stage> --param deployment=AllAtOnce. A gradual deployment, such as the pipeline's, is stopped by the alarm of the self-check, which fails while traffic is stopped. Then run the same command again.`,
      );
    },
  },
  start: {
    what: "deliver to webhooks, and set the routes' limits again",
    run: async ({ cloud, limits }) => {
      await cloud.open(limits);
      return 'traffic runs';
    },
  },
  check: {
    what: 'send a request without a key, until the functions answer',
    run: async ({ cloud, pollMs }) => {
      // API Gateway takes seconds to apply limits.
      for (let attempt = 1; ; attempt += 1) {
        const response = await cloud.response();
        if (response === EXPECTED) return response;
        if (attempt === MOST_ATTEMPTS) throw new Error(`Expected ${EXPECTED}, got ${response}.`);
        await sleep(pollMs);
      }
    },
  },
  unmute: {
    what: 'turn on the actions of these alarms',
    run: async ({ cloud }) => {
      await cloud.setAlarmActions(true);
      return 'they page again';
    },
  },
} satisfies Record<string, Omit<Step, 'name'>>;

const named = (...names: (keyof typeof STEPS)[]): Step[] => names.map((name) => ({ name, ...STEPS[name] }));

/** Stops the traffic of a stage, and lets it in again. */
export const STOP = named('mute', 'stop');
export const START = named('start', 'check', 'unmute');

/** Gives the table of a stage its settings. Also a command of its own, because a restored table is in no stack. */
export const CONFIGURE = named('configure');

/** What is done while traffic runs: it lasts longest, and may fail without harm. */
const RESTORE = named('preflight', 'restore', 'wait', 'configure', 'audit', 'rehash');

/**
 * Restores a stage's table to a point in time (docs/operations.md). Traffic is stopped only to compare the rights of both tables
 * and to put the new one in use.
 */
export const RESTORE_STEPS = [...RESTORE, ...STOP, ...named('revoke', 'erase', 'deploy'), ...START];

/**
 * Starts a standby with a recovery point (docs/scale.md), in a table beside its own, which is empty. The table before is in the
 * lost Region, so nothing can be compared with it.
 */
export const FAILOVER_STEPS = [...RESTORE, ...STOP, ...named('deploy'), ...START];

/**
 * Runs the steps that are not done yet, one after another.
 *
 * @param print Gets a line before and after each step.
 * @param isDryRun Only says what is done and what would be.
 * @throws Waiting where somebody has to do something, Stop if a step fails. Both say what is stopped, and how to start it.
 */
export async function recover(
  steps: Step[],
  recovery: Recovery,
  print: (line: string) => void,
  isDryRun = false,
): Promise<void> {
  const began = performance.now();
  for (const [at, step] of steps.entries()) {
    const numbered = `${at + 1}/${steps.length} ${step.name}`;
    try {
      await take(step, `${numbered}: ${step.what}`, recovery, print, isDryRun);
    } catch (error) {
      const state = await stoppedIn(recovery);
      if (error instanceof Waiting) throw new Waiting(`${error.message}\n${state}`);
      const { exitCode } = error instanceof Stop ? error : { exitCode: 1 };
      throw new Stop(`Step ${numbered} failed: ${reasonOf(error as Error)}\n${state}`, exitCode);
    }
  }
  if (!isDryRun) print(`All ${steps.length} steps are done, in ${minutesSince(began)}.`);
}

async function take(
  { isDone, readsOnly, run }: Step,
  head: string,
  recovery: Recovery,
  print: (line: string) => void,
  isDryRun: boolean,
): Promise<void> {
  if (await isDone?.(recovery)) return print(`${head}: done before`);
  print(head);
  if (isDryRun && !readsOnly) return;
  const started = performance.now();
  const outcome = await run(recovery);
  print(`    ${outcome} (${minutesSince(started)})`);
}

/** A step uses several services, so the message of AWS names what is missing. */
const reasonOf = (error: Error): string => {
  if (error instanceof Stop) return error.message;
  return error.name === 'ResourceNotFoundException'
    ? oneLine(`${error.name}: ${error.message}`)
    : explain(error, 'AWS');
};

/** Says what a recovery has stopped, and how to start it again. */
export async function stoppedIn({ cloud, starts }: Recovery): Promise<string> {
  try {
    const [isClosed, isMuted] = [await cloud.isClosed(), await cloud.isMuted()];
    if (!isClosed && !isMuted) return 'Traffic runs, and its alarms are on.';
    const what = isClosed ? 'Traffic is stopped: callers get 429, webhooks nothing.' : 'Traffic runs.';
    return `${what}${isMuted ? ' Alarms that stopped traffic fires are off.' : ''} To start what is stopped: ${starts}`;
  } catch (error) {
    return `Whether traffic is stopped could not be read (${reasonOf(error as Error)}). To start it: ${starts}`;
  }
}

const minutesSince = (began: number): string => {
  const minutes = (performance.now() - began) / 60_000;
  return `${minutes.toFixed(minutes < 1 ? 2 : 1)} min`;
};
