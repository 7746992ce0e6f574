import * as v from 'valibot';
import { like, oneOf, parseText, SETTINGS, whole } from '../../../lib/base/config.ts';
import { limitError } from '../../../lib/base/rateAndBurst.ts';
import { DEFAULTS, nameOf, STAGES, TIMEOUT_S } from './definitions.ts';
import { limitFaults } from './limits.ts';

/*
 * The parameters of a stage: what each must be, and which contradict each other. Every command on a stage reads them here, so what
 * is refused is refused before anything is packaged, deployed or changed.
 */

/** A text that is empty where a stage has none. */
const orNone = <const T extends v.GenericSchema<string>>(schema: T) =>
  v.lazy((value) => (value === '' ? v.string() : (schema as v.GenericSchema<string>)));

/**
 * Warm throughput that every new on-demand table has. It cannot be set lower, and once raised, it cannot be lowered
 * ("Understanding DynamoDB warm throughput", DynamoDB Developer Guide).
 */
const warm = (least: number) => {
  const rule = `a whole number of ${least} or more, which every table has, or 0`;
  return v.pipe(
    v.number(rule),
    v.check((value) => Number.isSafeInteger(value) && (value === 0 || value >= least), rule),
  );
};

const flag = v.boolean('true or false');

/** The form of an origin. `URL` checks that its host is valid, and written as browsers send it. */
const ORIGIN = /^(https:\/\/[^*]+|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?)$/;
const ORIGIN_RULE =
  'an origin such as https://docs.example.com, without a path or a slash at the end, with http only for localhost and 127.0.0.1';

const origin = v.pipe(
  v.string(ORIGIN_RULE),
  v.check((value) => ORIGIN.test(value) && URL.parse(value)?.origin === value, ORIGIN_RULE),
);

/** The retentions in days that CloudWatch Logs accepts (API reference of PutRetentionPolicy). */
export const RETENTIONS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/** What each parameter of a row in infra/stack/stages.yml must be. That file and docs/operations.md say what each means. */
const schema = v.strictObject({
  account: orNone(like(/^\d{12}$/, 'twelve digits in quotes')),
  region: like(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a Region such as eu-central-1'),
  // How CodeDeploy shifts the calls of an alias ("Working with deployment configurations in CodeDeploy").
  deployment: like(
    /^(AllAtOnce|Canary10Percent(5|10|15|30)Minutes|Linear10PercentEvery(1Minute|[23]Minutes|10Minutes))$/,
    'AllAtOnce or a configuration such as Canary10Percent10Minutes',
  ),
  // With ERROR, functions would not log what alarms count.
  logLevel: v.pipe(SETTINGS.LOG_LEVEL, oneOf('DEBUG', 'INFO')),
  systemLogLevel: oneOf('DEBUG', 'INFO', 'WARN'),
  logRetentionDays: v.picklist(RETENTIONS, `one of ${RETENTIONS.join(', ')}`),
  rate: SETTINGS.RATE,
  burst: SETTINGS.BURST,
  eventDays: SETTINGS.EVENT_DAYS,
  urgentTopic: oneOf('PageTopic', 'NoticeTopic'),
  runbook: like(/^[!-~]{1,300}$/, 'a URL or a path, without spaces'),
  protection: flag,
  dataRemoval: oneOf('Delete', 'RetainExceptOnCreate'),
  memberCheckMs: SETTINGS.MEMBER_CHECK_MS,
  keepRefusedMs: SETTINGS.KEEP_REFUSED_MS,
  memberCheckInstances: whole(0),
  domain: orNone(
    like(
      /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,63}$/,
      'a host name such as api.example.com, in lower case',
    ),
  ),
  certificate: orNone(like(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of a certificate')),
  baseUrl: orNone(v.pipe(SETTINGS.BASE_URL, origin)),
  siteUrl: orNone(SETTINGS.SITE_URL),
  siteOrigin: orNone(origin),
  issuer: orNone(SETTINGS.ISSUER),
  clientId: orNone(SETTINGS.CLIENT_ID),
  // Cognito's rules of a prefix. It also rejects the names of AWS's services.
  cognitoDomainPrefix: orNone(
    like(
      /^(?!.*(aws|amazon|cognito))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
      '1 to 63 lowercase letters, digits and hyphens, without "aws", "amazon" and "cognito"',
    ),
  ),
  cognitoClient: whole(1),
  accountConcurrency: whole(0),
  throttleRate: whole(0),
  throttleBurst: whole(0),
  memberCheckRate: whole(0),
  createRate: whole(0),
  unknownRate: whole(0),
  signInRate: whole(0),
  memberCheckConcurrency: whole(0),
  createConcurrency: whole(0),
  // Lambda's limits ("ScalingConfig", AWS Lambda API Reference).
  webhookConcurrency: whole(2, 1000),
  maxReadUnits: whole(0),
  maxWriteUnits: whole(0),
  monthlyBudget: whole(0),
  table: SETTINGS.TABLE_NAME,
  warmReadUnits: warm(12_000),
  warmWriteUnits: warm(4_000),
  tracing: flag,
  // Only a key's own ARN can be the resource of a role's statement: an alias cannot.
  kmsKey: orNone(like(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a KMS key, not of an alias')),
  backupVault: orNone(like(/^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/, 'the ARN of a backup vault')),
  // "Backup plan options and configuration", AWS Backup Developer Guide.
  backupSchedule: like(/^cron\(\d{1,2} .+\)$/, 'a cron expression that runs once an hour at most'),
  backupDays: whole(1, 36_500),
  cardHmacKeySecret: SETTINGS.CARD_HMAC_KEY_SECRET,
  webhookKeySecret: SETTINGS.WEBHOOK_KEY_SECRET,
});

/** The parameters of a stage, checked. Empty texts, 0 and `false` are off. */
export type Parameters = v.InferOutput<typeof schema>;

export const PARAMETERS = Object.keys(schema.entries) as (keyof Parameters)[];

/** What is wrong with parameters together, if anything. */
type Conflict = (all: Parameters, stage: string) => string | false | undefined;

const regionOf = (arn: string): string | undefined => arn.split(':')[3];

/** The keys of a stage that may be another's, as a standby has those of prod: their parameters, and what ends their names. */
export const KEYS = { cardHmacKeySecret: 'card-hmac-key', webhookKeySecret: 'webhook-key' } as const;

/** Of all names that begin with a stage's, Lambda's, with at most 64 characters, are the longest. */
const STAGE_NAME = /^[a-z][a-z0-9-]{0,19}$/;

const CONFLICTS: Conflict[] = [
  (_, stage) =>
    !STAGE_NAME.test(stage) &&
    `The name of a stage must begin with a letter, and have at most 20 lowercase letters, digits and hyphens: "${stage}".`,
  // Policies name what a stage has by its beginning (infra/operate/policies.yml).
  (_, stage) => {
    const other = Object.keys(STAGES).find(
      (each) => each !== stage && (each.startsWith(stage) || stage.startsWith(each)),
    );
    return other && `The name of a stage must not begin with another's: "${stage}" and "${other}".`;
  },
  ({ rate, burst }) => {
    const reason = rate > 0 && limitError({ rate, burst });
    return reason && `The parameters rate and burst contradict each other. ${reason}`;
  },
  ({ memberCheckMs }) =>
    memberCheckMs >= TIMEOUT_S * 1000 &&
    `The parameter memberCheckMs must be below ${TIMEOUT_S * 1000}, not ${memberCheckMs}: the function ends then.`,
  ({ domain, certificate }) => domain !== '' && certificate === '' && 'The parameter domain needs a certificate.',
  ({ domain, certificate }) => certificate !== '' && domain === '' && 'The parameter certificate needs a domain.',
  ({ siteUrl, baseUrl, domain }) =>
    siteUrl !== '' &&
    [domain, URL.parse(baseUrl)?.hostname].includes(URL.parse(siteUrl)?.hostname) &&
    'The parameter siteUrl must have another host than domain and baseUrl: what the docs site runs could act as the people of the console.',
  ({ issuer, clientId }) => issuer !== '' && clientId === '' && 'The parameter issuer needs a clientId.',
  ({ issuer, clientId, cognitoDomainPrefix }) =>
    clientId !== '' && (issuer || cognitoDomainPrefix) === '' && 'The parameter clientId needs an issuer.',
  ({ cognitoDomainPrefix, issuer, clientId }) =>
    cognitoDomainPrefix !== '' &&
    (issuer || clientId) !== '' &&
    'With the parameter cognitoDomainPrefix, issuer and clientId are those of the user pool. Remove them.',
  ...(['certificate', 'kmsKey'] as const).map(
    (name): Conflict =>
      (all) => {
        const isElsewhere = all[name] !== '' && regionOf(all[name]) !== all.region;
        return isElsewhere && `The parameter ${name} must be in the stage's Region, ${all.region}: "${all[name]}".`;
      },
  ),
  // The stage's roles may use no other table, and no other secret by its name.
  ({ table }, stage) =>
    table !== nameOf(stage) &&
    !table.startsWith(`${nameOf(stage)}-`) &&
    `The parameter table must be ${nameOf(stage)}, or begin with "${nameOf(stage)}-": "${table}".`,
  ...Object.entries(KEYS).map(
    ([parameter, key]): Conflict =>
      (all, stage) => {
        const [name, own] = [all[parameter as keyof typeof KEYS], `${nameOf(stage)}/${key}`];
        return (
          name !== own &&
          !ownSecretIn(name, all.region, all.account) &&
          `The parameter ${parameter} must be ${own}, which is the default, or the ARN of a secret in the stage's account and Region: "${name}".`
        );
      },
  ),
];

/** The name of a secret in an account and Region, by its ARN. */
export const ownSecretIn = (arn: string, region: string, account: string): string | undefined =>
  arn.match(`^arn:[^:]+:secretsmanager:${region}:${account || '\\d{12}'}:secret:(.+)$`)?.[1];

/**
 * Reads the parameters of a stage.
 *
 * @param given What `--param` gives instead, such as `deployment=AllAtOnce`.
 * @param row The stage's row in infra/stack/stages.yml.
 * @throws Error with everything that cannot work.
 */
export async function parametersOf(
  stage: string,
  given: string[] = [],
  row: unknown = STAGES[stage],
): Promise<Parameters> {
  if (typeof row !== 'object' || row === null)
    throw new Error(
      `There is no stage "${stage}". Stages of infra/stack/stages.yml: ${Object.keys(STAGES).join(', ')}.`,
    );
  const inRow = new Map<string, unknown>(Object.entries(row));
  const onCommandLine = new Map(given.map((each) => [each.split('=')[0] ?? '', each.split('=').slice(1).join('=')]));
  const known: string[] = PARAMETERS;
  const faults = [...onCommandLine.keys(), ...inRow.keys()]
    .filter((name) => !known.includes(name))
    .map((name) => `There is no parameter ${name}: see "Parameters of a stage" in docs/operations.md.`);
  const all: Record<string, unknown> = {};
  for (const name of PARAMETERS) {
    const text = onCommandLine.get(name);
    const value = text ?? (inRow.has(name) ? inRow.get(name) : resolved(DEFAULTS[name], stage));
    const schemaOf: v.GenericSchema = schema.entries[name];
    const result = text !== undefined ? parseText(schemaOf, text) : v.safeParse(schemaOf, value);
    all[name] = result.output;
    if (!result.success) faults.push(faultOf(name, value, result.issues[0].message));
  }
  if (faults.length === 0) {
    const parameters = all as Parameters;
    const conflicts = CONFLICTS.map((conflict) => conflict(parameters, stage)).filter(
      (each) => typeof each === 'string',
    );
    faults.push(...conflicts, ...limitFaults(parameters));
    if (faults.length === 0) return parameters;
  }
  throw new Error(faults.join('\n'));
}

function faultOf(name: keyof Parameters, value: unknown, rule: string): string {
  if (value === undefined) return `The parameter ${name} is missing. It must be ${rule}.`;
  const isQuoted = typeof value === 'string' && parseText<v.GenericSchema>(schema.entries[name], value).success;
  const shown = typeof value === 'number' ? value : JSON.stringify(value);
  return `The parameter ${name} must be ${rule}, not ${shown}.${isQuoted ? ' Remove its quotes.' : ''}`;
}

/** A default as serverless resolves it. */
const resolved = (value: unknown, stage: string): unknown =>
  typeof value === 'string'
    ? value
        .replace(`\${self:custom.tableName}`, nameOf(stage))
        .replace(/^\$\{env:(\w+), '(.*)'\}$/, (_, name, otherwise) => process.env[name] ?? otherwise)
    : value;

/** Whether people can sign in. Otherwise a stage has none of their functions. */
export const hasIssuer = ({
  issuer,
  cognitoDomainPrefix,
}: Pick<Parameters, 'issuer' | 'cognitoDomainPrefix'>): boolean => Boolean(issuer || cognitoDomainPrefix);
