import * as v from 'valibot';
import { nameOf, parameterOf } from './definitions.ts';

/** A whole number. On the command line, all parameters are texts. */
const whole = (rule: string, isValid: (value: number) => boolean) =>
  v.pipe(
    v.unknown(),
    v.transform(Number),
    v.check((value) => Number.isInteger(value) && isValid(value), `a whole number of ${rule}`),
  );
const atLeast = (least: number) => whole(`${least} or more`, (value) => value >= least);

/**
 * Warm throughput that every new on-demand table has. It cannot be set lower, and once raised, it cannot be lowered
 * ("Understanding DynamoDB warm throughput", DynamoDB Developer Guide).
 */
const warm = (least: number) =>
  whole(`${least} or more, which every table has, or 0`, (value) => value === 0 || value >= least);

const flag = v.pipe(
  v.unknown(),
  v.transform(String),
  v.picklist(['true', 'false'], 'true or false'),
  v.transform((value) => value === 'true'),
);

/** A text that is empty where a stage has none. */
const text = (isValid: (value: string) => boolean, rule: string) =>
  v.pipe(
    v.unknown(),
    v.transform(String),
    v.check((value) => value === '' || isValid(value), rule),
  );
const like = (pattern: RegExp, rule: string) => text((value) => pattern.test(value), rule);
const anyText = text(() => true, '');

/** The form of an origin. `URL` checks that its host is valid, and written as browsers send it. */
const ORIGIN = /^(https:\/\/[^*]+|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?)$/;

/** Whether a value is an origin with https, or with http on this machine. */
const isOrigin = (value: string): boolean => ORIGIN.test(value) && URL.parse(value)?.origin === value;

/** What an origin must be. */
const ORIGIN_RULE =
  'an origin such as https://docs.example.com, without a path or a slash at the end, with http only for localhost and 127.0.0.1';

/** An issuer as OpenID Connect Discovery has it: a URL with nothing but a host, perhaps a port, and a path. */
const ISSUER = /^(https:\/\/[^/?#@*\s]+|http:\/\/127\.0\.0\.1(:\d+)?)(\/[^?#\s]*)?$/;

/** Where the docs site is served, perhaps below a path. */
const SITE = /^https:\/\/[^/?#@*\s]+(\/[^?#\s]*[^/?#\s])?$/;

/** The parameters of a stage that make parts of its templates. infra/stack/stages.yml describes them. */
const schema = v.object({
  // How CodeDeploy shifts the calls of an alias ("Working with deployment configurations in CodeDeploy").
  deployment: like(
    /^(AllAtOnce|Canary10Percent(5|10|15|30)Minutes|Linear10PercentEvery(1Minute|[23]Minutes|10Minutes))$/,
    'AllAtOnce or a configuration such as Canary10Percent10Minutes',
  ),
  memberCheckInstances: atLeast(0),
  eventDays: atLeast(1),
  protection: flag,
  domain: anyText,
  certificate: anyText,
  siteUrl: text(
    (value) => SITE.test(value) && URL.canParse(value),
    'a URL such as https://docs.example.com, with nothing but a host and perhaps a path, and without a slash at the end',
  ),
  siteOrigin: text(isOrigin, ORIGIN_RULE),
  issuer: text(
    (value) => ISSUER.test(value) && URL.canParse(value),
    'a URL such as https://login.example.com, without query, fragment and credentials, with http only for 127.0.0.1',
  ),
  clientId: anyText,
  // Cognito's rules of a prefix. It also rejects the names of AWS's services.
  cognitoDomainPrefix: like(
    /^(?!.*(aws|amazon|cognito))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    '1 to 63 lowercase letters, digits and hyphens, without "aws", "amazon" and "cognito"',
  ),
  cognitoClient: atLeast(1),
  accountConcurrency: atLeast(0),
  throttleRate: atLeast(0),
  throttleBurst: atLeast(0),
  memberCheckRate: atLeast(0),
  createRate: atLeast(0),
  unknownRate: atLeast(0),
  signInRate: atLeast(0),
  memberCheckConcurrency: atLeast(0),
  createConcurrency: atLeast(0),
  maxReadUnits: atLeast(0),
  maxWriteUnits: atLeast(0),
  monthlyBudget: atLeast(0),
  warmReadUnits: warm(12_000),
  warmWriteUnits: warm(4_000),
  tracing: flag,
  // Only a key's own ARN can be the resource of a role's statement: an alias cannot.
  kmsKey: like(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a KMS key, not of an alias'),
  backupVault: like(/^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/, 'the ARN of a backup vault'),
  // "Backup plan options and configuration", AWS Backup Developer Guide.
  backupSchedule: like(/^cron\(\d{1,2} .+\)$/, 'a cron expression that runs once an hour at most'),
  backupDays: atLeast(1),
  // Secrets Manager's names of secrets, and their ARNs, with or without the suffix of six characters.
  cardHmacKeySecret: like(
    /^(arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:)?[\w/+=.@-]+$/,
    'the name or the ARN of a secret',
  ),
});

/** The parameters of a stage, checked. Empty texts, 0 and `false` are off. */
export type Parameters = v.InferOutput<typeof schema>;

const CONFLICTS: [isBroken: (all: Parameters) => unknown, message: string][] = [
  [({ domain, certificate }) => domain && !certificate, 'The parameter domain needs a certificate.'],
  [
    ({ siteUrl, domain }) => domain && URL.parse(siteUrl)?.hostname === domain,
    'The parameter siteUrl must have another host than domain: what the docs site runs could act as the people of the console.',
  ],
  [({ issuer, clientId }) => issuer && !clientId, 'The parameter issuer needs a clientId.'],
  [
    ({ cognitoDomainPrefix, issuer, clientId }) => cognitoDomainPrefix && (issuer || clientId),
    'With the parameter cognitoDomainPrefix, issuer and clientId are those of the user pool. Remove them.',
  ],
];

/**
 * Reads the parameters of a stage.
 *
 * @param param Reads one by its name.
 * @throws Error with everything that cannot work.
 */
export async function readParameters(param: (name: string) => unknown): Promise<Parameters> {
  const names = Object.keys(schema.entries);
  const values = await Promise.all(names.map(async (name) => [name, await param(name)] as const));
  const { success, issues = [], output } = v.safeParse(schema, Object.fromEntries(values));
  const faults = success
    ? CONFLICTS.filter(([isBroken]) => isBroken(output)).map(([, message]) => message)
    : issues.map(({ path, message }) => {
        const name = path?.[0]?.key as string;
        return `The parameter ${name} must be ${message}, not "${values.find(([each]) => each === name)?.[1]}".`;
      });
  if (!success || faults.length > 0) throw new Error(faults.join('\n'));
  return output;
}

export const parametersOf = (stage: string): Promise<Parameters> =>
  readParameters((name) => String(parameterOf(stage, name)).replace(`\${self:custom.tableName}`, nameOf(stage)));

/** Whether people can sign in. Otherwise a stage has none of their functions. */
export const hasIssuer = ({
  issuer,
  cognitoDomainPrefix,
}: Pick<Parameters, 'issuer' | 'cognitoDomainPrefix'>): boolean => Boolean(issuer || cognitoDomainPrefix);
