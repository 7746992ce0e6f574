import { readFileSync } from 'node:fs';
import type { Limit } from '../../../lib/base/rateAndBurst.ts';
import { LOCAL_ENVIRONMENT } from '../../stack/localEnvironment.ts';
import { SERVICE, STAGES } from '../../stack/template/definitions.ts';
import { checkAccount, checkRegion } from '../deploy/destination.ts';
import type { Variables } from './connection.ts';
import { Stop, WRONG_USAGE } from './stop.ts';

export interface TargetOptions {
  stage?: string;
  table?: string;
  region?: string;
  secret?: string;
  local?: string;
}

/** Whether the options select a table in AWS rather than on this machine. */
export const isInAws = ({ stage, table }: TargetOptions): boolean => Boolean(stage || table);

const MAX_EVENT_DAYS = Math.max(...Object.values(STAGES).map(({ eventDays = 0 }) => eventDays));

/**
 * The variables that name the selected table and its secrets: see {@link connect}.
 *
 * @throws Stop if the stage is unknown or in another Region than the options and the environment name, or if no table is selected and `npm start` is not running.
 */
export function environmentFor(options: TargetOptions, environment: Variables): Variables {
  const { secret } = options;
  const target = isInAws(options) ? inAws(options, environment) : onThisMachine(options, environment);
  return { ...target, ...(secret && { CARD_HMAC_KEY_SECRET: secret }) };
}

/** A stage can use a restored table (`table` in infra/stack/stages.yml); its secrets are still named after the original one. */
function inAws({ stage = '', table = '', region }: TargetOptions, environment: Variables): Variables {
  const parameters = STAGES[stage];
  if (stage && !parameters)
    throw new Stop(`There is no stage "${stage}". Stages: ${Object.keys(STAGES).join(', ')}.`, WRONG_USAGE);
  const { AWS_REGION, AWS_DEFAULT_REGION } = environment;
  const named = { '--region': region, AWS_REGION, AWS_DEFAULT_REGION };
  if (parameters) orStop(() => checkRegion({ stage, region: parameters.region }, named));
  const own = stage ? `${SERVICE}-${stage}` : table;
  return {
    TABLE_NAME: parameters?.table ?? own,
    CARD_HMAC_KEY_SECRET: parameters?.cardHmacKeySecret ?? `${own}/card-hmac-key`,
    SELF_CHECK_KEY_SECRET: `${own}/self-check-key`,
    // With --table, the stage is unknown, so its record is retained long enough for any.
    EVENT_DAYS: String(parameters?.eventDays ?? MAX_EVENT_DAYS),
    AWS_REGION: parameters?.region ?? region ?? AWS_REGION ?? LOCAL_ENVIRONMENT.AWS_REGION,
  };
}

/** Runs a check of a stage's row, and ends the command if it fails. */
function orStop(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Stop((error as Error).message, WRONG_USAGE);
  }
}

/**
 * Returns the author of changes, unless it is an identity of another account than the stage's.
 *
 * @param author The ARN of an IAM identity; the name of a user if the table is on this machine.
 * @throws Stop for another account.
 */
export function ofAccount({ stage = '' }: TargetOptions, author: string): string {
  const account = STAGES[stage]?.account;
  if (account) orStop(() => checkAccount({ stage, account }, author.split(':')[4]));
  return author;
}

/** Variables that override those of `npm start`. */
const OVERRIDES = ['TABLE_NAME', 'AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'];

export const DEMO_FILE = '.local/demo.json';

function onThisMachine({ local = '' }: TargetOptions, environment: Variables): Variables {
  const overrides = Object.entries(environment).filter(([name, value]) => value && OVERRIDES.includes(name));
  const target: Variables = { ...LOCAL_ENVIRONMENT, ...demoIn(local).environment, ...Object.fromEntries(overrides) };
  // The access key of `npm start` names its own database, which another engine does not have.
  if (environment['AWS_ENDPOINT_URL_DYNAMODB']) target['AWS_ACCESS_KEY_ID'] = LOCAL_ENVIRONMENT.AWS_ACCESS_KEY_ID;
  if (!target['AWS_ENDPOINT_URL_DYNAMODB'])
    throw new Stop('No local API is running. Run "npm start", or add --stage or --table.');
  return target;
}

/** The parts of the file of `npm start` that do not describe demo data. Empty if there is no such file. */
interface DemoFile {
  base_url?: string;
  limit?: Limit | null;
  environment?: Variables;
}

function demoIn(file: string): DemoFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** What is known of the service that uses the selected table. */
export interface Target {
  /** The rate limit of acquirers without their own: `null` if that is none, `undefined` if it is unknown. */
  limit: Limit | null | undefined;
  baseUrl: string | undefined;
}

/** Describes the service that uses the selected table. With `--table`, its stage is unknown. */
export function targetOf(options: TargetOptions): Target {
  const { stage, local = '' } = options;
  if (!isInAws(options)) {
    const { limit, base_url: baseUrl } = demoIn(local);
    return { limit, baseUrl };
  }
  const parameters = STAGES[stage ?? ''];
  const { rate = 0, burst = 0, domain, baseUrl } = parameters ?? {};
  return {
    limit: rate > 0 ? { rate, burst } : parameters && null,
    baseUrl: baseUrl || (domain && `https://${domain}`),
  };
}
