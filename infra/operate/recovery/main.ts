import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { Command, Option } from 'commander';
import * as v from 'valibot';
import { exists } from '../../../lib/base/time.ts';
import { currentCardKeys } from '../../../lib/members/cardKeys.ts';
import { SERVICE, STAGES } from '../../stack/template/definitions.ts';
import { connect } from '../cli/connection.ts';
import { explain } from '../cli/explain.ts';
import { option, tableNamed } from '../cli/input.ts';
import * as service from '../cli/service.ts';
import { Stop, WRONG_USAGE } from '../cli/stop.ts';
import { environmentFor, ofAccount, targetOf } from '../cli/target.ts';
import { checkHasAccount } from '../deploy/destination.ts';
import type { Source } from './aws.ts';
import { awsCloud } from './aws.ts';
import { lowerRights } from './rights.ts';
import { limitsOf } from './settings.ts';
import {
  CONFIGURE,
  FAILOVER_STEPS,
  RESTORE_STEPS,
  recover,
  START,
  STOP,
  type Step,
  stoppedIn,
  Waiting,
} from './steps.ts';

/*
 * `npm run recover`: the steps of "Restore the table to a point in time" in docs/operations.md and of "Fail over" in
 * docs/scale.md.
 */

const NAME = 'npm run recover --';
const POLL_MS = 10_000;

const HELP = `
Each step that is done already is skipped: if it ends early, do what it says and run the same command again.

Examples:
  $ ${NAME} restore --stage prod --at 2026-11-20T09:41:00Z --from acquirer-partner-api-prod --into acquirer-partner-api-prod-2
  $ ${NAME} failover --stage standby --like prod --recovery-point <ARN> --into acquirer-partner-api-standby-2
  $ ${NAME} stop --stage prod`;

const time = v.pipe(
  v.string(),
  v.isoTimestamp('Must be a time such as 2026-11-20T09:41:00Z.'),
  v.check(exists, 'Must be a time that exists.'),
  v.transform((text) => new Date(text)),
);
const arn = v.pipe(v.string(), v.startsWith('arn:', 'Must be an ARN.'));

interface Options {
  stage: string;
  secret?: string;
  like?: string;
  at: Date;
  from: string;
  into: string;
  recoveryPoint: string;
  role?: string;
  acceptViolations?: boolean;
  dryRun?: boolean;
}

/** The source of steps that restore nothing. */
const NOTHING: Source = { from: '', at: new Date(0) };

async function run(steps: Step[], { stage, into, ...options }: Options, source: Source): Promise<void> {
  const { like = stage, acceptViolations: acceptsViolations = false, dryRun } = options;
  const limits = await orStop(async () => {
    checkHasAccount({ stage, ...STAGES[stage] });
    return limitsOf(like);
  });
  if (steps.some(({ name }) => name === 'start') && limits.DefaultRouteSettings.ThrottlingRateLimit === 0)
    throw new Stop(`The row of ${like} closes the API. Add --like <the stage whose limits it gets>.`);
  // From here on, the service's modules use the new table.
  connect({ ...environmentFor({ stage, ...options }, process.env), ...(into && { TABLE_NAME: into }) });
  const author = ofAccount({ stage }, await service.identify(true));
  service.actAs(async () => author);
  const before = 'from' in source ? source.from : into;
  const data = {
    reach: async () => {
      await currentCardKeys();
      if (!('from' in source)) return;
      await service.listErasures(before);
      await service.table.send(new ScanCommand({ TableName: before, Limit: 1 }));
    },
    audit: () => service.audit(service.table, into),
    rehash: () => service.rehashRestored(),
    lowerRights: () => lowerRights(service.table, before, targetOf({ stage }).limit ?? null),
    repeatErasures: async () => service.repeatErasures(await service.listErasures(before)),
  };
  const starts = [NAME, 'start', '--stage', stage, ...(like === stage ? [] : ['--like', like])].join(' ');
  const cloud = awsCloud(stage);
  const recovery = { cloud, data, source, into, limits, acceptsViolations, starts, pollMs: POLL_MS };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, async () => {
      process.stderr.write(`Interrupted. ${await stoppedIn(recovery)}\n`);
      process.exit(1);
    });
  await recover(steps, recovery, (line) => process.stdout.write(`${line}\n`), dryRun);
}

/** Does what fails for a row that is wrong. */
async function orStop<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: Error) => {
    throw new Stop(error.message, WRONG_USAGE);
  });
}

const program = new Command(NAME)
  .description("Restores a stage's table, and starts a standby.")
  .addHelpText('after', HELP);

const command = (name: string, description: string) =>
  program
    .command(name)
    .description(description)
    .addOption(new Option('--stage <stage>', 'the stage').choices(Object.keys(STAGES)).makeOptionMandatory())
    .option('--dry-run', 'only say which steps are done, and which it would take');

const into = (what: string) => option('--into <table>', what, tableNamed).makeOptionMandatory();
const like = () => new Option('--like <stage>', 'the stage whose limits it gets').choices(Object.keys(STAGES));
const accept = new Option('--accept-violations', 'go on although the audit reports violations');

command('restore', 'restore the table of a stage to a point in time, into a new table, and put that in use')
  .addOption(option('--at <time>', 'the point in time', time).makeOptionMandatory())
  .addOption(option('--from <table>', 'the table to restore, which is in use', tableNamed).makeOptionMandatory())
  .addOption(into('the new table'))
  .option('--secret <name>', "secret with the card HMAC key (default: the stage's)")
  .addOption(accept)
  .action((options: Options) => run(RESTORE_STEPS, options, { from: options.from, at: options.at }));

command('failover', 'restore a recovery point of AWS Backup into a standby, and let traffic in')
  .addOption(option('--recovery-point <arn>', "the recovery point, in the standby's Region", arn).makeOptionMandatory())
  .addOption(like().makeOptionMandatory())
  .addOption(into('the new table'))
  .addOption(option('--role <arn>', 'the role of AWS Backup (default: that of the backups of --like)', arn))
  .addOption(accept)
  .action(async (options: Options) => {
    const { stage, recoveryPoint, like = stage } = options;
    // infra/stack/data/backup.yml names it.
    const roleArn = options.role ?? `arn:aws:iam::${STAGES[stage]?.account}:role/${SERVICE}-${like}-backup`;
    await run(FAILOVER_STEPS, options, { recoveryPoint, roleArn });
  });

command(
  'configure',
  "give a table the stage's settings: after a change of infra/stack/table.yml, the one in use if it was restored",
)
  .addOption(into('the table, such as a restored one that is in use'))
  .action((options: Options) => run(CONFIGURE, options, NOTHING));

command('stop', 'stop requests and deliveries to webhooks, and turn off the alarms that this fires').action(
  (options: Options) => run(STOP, { ...options, into: '' }, NOTHING),
);
command('start', 'let requests and deliveries to webhooks run again, and turn on the alarms that were turned off')
  .addOption(like())
  .action((options: Options) => run(START, { ...options, into: '' }, NOTHING));

try {
  await program.parseAsync();
} catch (error) {
  const isSaid = error instanceof Waiting || error instanceof Stop;
  process.stderr.write(`${isSaid ? error.message : explain(error as Error)}\n`);
  process.exitCode = error instanceof Stop ? error.exitCode : 1;
}
