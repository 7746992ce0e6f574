import { readFileSync } from 'node:fs';
import { LOCAL_ENVIRONMENT } from '../local/environment.ts';
import { SERVICE, STAGES } from '../template/definitions.ts';
import { Stop, WRONG_USAGE } from './stop.ts';

/** Which table to work on. */
export interface TargetOptions {
  stage?: string;
  table?: string;
  region?: string;
  secret?: string;
  local?: string;
}

type Environment = Record<string, string | undefined>;

/** Whether the options name a table in AWS, and not one on this machine. */
export const isInAws = ({ stage, table }: TargetOptions): boolean => Boolean(stage || table);

/** Of all stages, that of the one which keeps events the longest. */
const MOST_EVENT_DAYS = Math.max(...Object.values(STAGES).map(({ eventDays = 0 }) => eventDays));

/**
 * The variables that lead the service's modules and the AWS SDK to the table that the options name.
 *
 * @throws Stop when they name none and nothing runs on this machine.
 */
export function environmentFor(options: TargetOptions, environment: Environment): Environment {
  const { secret } = options;
  const target = isInAws(options) ? inAws(options, environment) : onThisMachine(options, environment);
  return { ...target, ...(secret && { CARD_HMAC_KEY_SECRET: secret }) };
}

/** A stage uses the table that serverless.yml says, which may be a restored one; its secrets stay the first one's. */
function inAws({ stage, table = '', region }: TargetOptions, environment: Environment): Environment {
  if (stage && !Object.hasOwn(STAGES, stage))
    throw new Stop(`There is no stage "${stage}"; there are ${Object.keys(STAGES).join(', ')}.`, WRONG_USAGE);
  const own = stage ? `${SERVICE}-${stage}` : table;
  return {
    TABLE_NAME: STAGES[stage ?? '']?.table ?? own,
    CARD_HMAC_KEY_SECRET: `${own}/card-hmac-key`,
    SELF_CHECK_KEY_SECRET: `${own}/self-check-key`,
    // A table that is named by itself may be any stage's, restored: what is recorded there is kept long enough for each.
    EVENT_DAYS: String(STAGES[stage ?? '']?.eventDays ?? MOST_EVENT_DAYS),
    AWS_REGION: region ?? environment['AWS_REGION'] ?? LOCAL_ENVIRONMENT.AWS_REGION,
  };
}

/** The tool writes no logs, counts nothing and has no rate limit. */
const { LOG_LEVEL, METRICS_NAMESPACE, RATE, BURST, ...LOCAL } = LOCAL_ENVIRONMENT;

/** What wins, where it is set, over what `npm start` wrote about itself. */
const OWN = ['TABLE_NAME', 'AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'];

function onThisMachine({ local = '.local/demo.json' }: TargetOptions, environment: Environment): Environment {
  const own = Object.fromEntries(OWN.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const target: Environment = { ...LOCAL, ...endpointsIn(local), ...own };
  if (!target['AWS_ENDPOINT_URL_DYNAMODB'])
    throw new Stop('Nothing runs on this machine: start it with "npm start", or name --stage or --table.');
  return target;
}

function endpointsIn(demoFile: string): Environment {
  try {
    return JSON.parse(readFileSync(demoFile, 'utf8')).environment ?? {};
  } catch {
    return {};
  }
}

const PLACES = {
  table: ['TABLE_NAME', 'AWS_ENDPOINT_URL_DYNAMODB'],
  secret: ['CARD_HMAC_KEY_SECRET', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'],
  'self-check secret': ['SELF_CHECK_KEY_SECRET', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'],
  'AWS STS': [undefined, 'AWS_ENDPOINT_URL_STS'],
} as const;
export type PlaceKind = keyof typeof PLACES;

/** Names what the environment leads to, for people: `table acquirer-partner-api-prod in eu-central-1`. */
export function place(kind: PlaceKind): string {
  const [name, endpoint] = PLACES[kind];
  const at = process.env[endpoint] ? `at ${process.env[endpoint]}` : `in ${process.env['AWS_REGION']}`;
  return name ? `${kind} ${process.env[name]} ${at}` : `${kind} ${at}`;
}
