/*
 * Parameters that only some stages need (docs/operations.md#what-only-a-large-user-needs). All are off by default.
 */

/** What a stage has beyond the others. Empty texts, 0 and `false` are off. */
export interface Options {
  /** Read and write units a second that the table and each index can serve at once; 0 is what DynamoDB gives by itself. */
  warmReadUnits: number;
  warmWriteUnits: number;
  /** Whether X-Ray traces the functions. */
  tracing: boolean;
  /** ARN of the customer-managed KMS key that encrypts the table. */
  kmsKey: string;
  /** ARN of the backup vault elsewhere that gets a copy of each backup. */
  backupVault: string;
  /** When AWS Backup backs up the table, as a schedule expression in UTC. */
  backupSchedule: string;
  /** How long a backup and its copy are retained, in days. */
  backupDays: number;
  /** The secret with the card HMAC key: the name of the stage's own, or the ARN or name of another. */
  cardHmacKeySecret: string;
}

/**
 * Warm throughput that every new on-demand table has. It cannot be set lower, and once raised, it cannot be lowered
 * ("Understanding DynamoDB warm throughput", DynamoDB Developer Guide).
 */
const INITIAL = { warmReadUnits: 12_000, warmWriteUnits: 4_000 };

/** Only a key's own ARN can be the resource of a role's statement: an alias cannot. */
const KEY = /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/;
const VAULT = /^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/;
/** Secrets Manager's names of secrets, and their ARNs, with or without the suffix of six characters. */
const SECRET = /^(arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:)?[\w/+=.@-]+$/;

/** An AWS Backup rule runs once an hour at most ("Backup plan options and configuration", AWS Backup Developer Guide). */
const SCHEDULE = /^cron\(\d{1,2} .+\)$/;

/**
 * Reads a stage's options from its parameters, which are strings if they come from the command line.
 *
 * @throws Error for values that cannot work.
 */
export async function readOptions(param: (name: string) => Promise<unknown>): Promise<Options> {
  const refuse = (name: string, rule: string, value: unknown): never => {
    throw new Error(`The parameter ${name} must be ${rule}, not "${value}".`);
  };
  const units = async (name: 'warmReadUnits' | 'warmWriteUnits'): Promise<number> => {
    const value = Number(await param(name));
    const least = INITIAL[name];
    return Number.isInteger(value) && (value === 0 || value >= least)
      ? value
      : refuse(name, `0, or a whole number of ${least} or more, which every table has`, value);
  };
  const text = async (name: string, pattern: RegExp, rule: string): Promise<string> => {
    const value = String(await param(name));
    return value === '' || pattern.test(value) ? value : refuse(name, rule, value);
  };
  const backupDays = Number(await param('backupDays'));
  if (!Number.isInteger(backupDays) || backupDays < 1) refuse('backupDays', 'a whole number of 1 or more', backupDays);
  const tracing = String(await param('tracing'));
  if (!['true', 'false'].includes(tracing)) refuse('tracing', 'true or false', tracing);
  return {
    warmReadUnits: await units('warmReadUnits'),
    warmWriteUnits: await units('warmWriteUnits'),
    tracing: tracing === 'true',
    kmsKey: await text('kmsKey', KEY, 'the ARN of a KMS key, not of an alias'),
    backupVault: await text('backupVault', VAULT, 'the ARN of a backup vault'),
    backupSchedule: await text('backupSchedule', SCHEDULE, 'a cron expression that runs once an hour at most'),
    backupDays,
    cardHmacKeySecret: await text('cardHmacKeySecret', SECRET, 'the name or the ARN of a secret'),
  };
}
