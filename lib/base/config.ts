import * as v from 'valibot';

/** A whole number. An environment variable has its digits. */
export const whole = (least: number, most = 1_000_000_000) => {
  const rule = most === 1_000_000_000 ? `a whole number of ${least} or more` : `a whole number of ${least} to ${most}`;
  return v.pipe(
    v.number(rule),
    v.check((value) => Number.isInteger(value) && value >= least && value <= most, rule),
  );
};

/** A text that matches a pattern. */
export const like = (pattern: RegExp, rule: string) => v.pipe(v.string(rule), v.regex(pattern, rule));

export const oneOf = <const T extends string>(...values: T[]) => v.picklist(values, values.join(' or '));

/** A name without spaces, such as of a log group. */
const name = like(/^[!-~]{1,255}$/, 'a name without spaces');

/** Secrets Manager's names of secrets, and their ARNs, with or without the suffix of six characters. */
const secret = like(
  /^(arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:)?[\w/+=.@-]+$/,
  'the name or the ARN of a secret',
);

const url = v.pipe(v.string('a URL'), v.regex(/^https?:\/\//, 'a URL'), v.url('a URL'));

const SITE_RULE =
  'a URL such as https://docs.example.com, with nothing but a host and perhaps a path, and without a slash at the end';

const ISSUER_RULE =
  'a URL such as https://login.example.com, without query, fragment and credentials, with http only for 127.0.0.1';

/**
 * Settings of functions, which are environment variables (docs/architecture.md), and what each must be. A stage is
 * packaged only if its parameters pass the same schemas (infra/stack/template/parameters.ts).
 */
export const SETTINGS = {
  TABLE_NAME: like(/^[\w.-]{3,255}$/, 'the name of a table'),
  BASE_URL: url,
  LOG_LEVEL: oneOf('DEBUG', 'INFO', 'ERROR'),
  METRICS_NAMESPACE: name,
  CARD_HMAC_KEY_SECRET: secret,
  // Half of it is for one attempt. Functions end after 20 s; on a laptop, nobody waits at a till.
  MEMBER_CHECK_MS: whole(100, 60_000),
  // How long a refused request waits to be kept.
  KEEP_REFUSED_MS: whole(1, 60_000),
  // 0 for no limit. Together, both must pass `limitError` (rateAndBurst.ts).
  RATE: whole(0),
  BURST: whole(0),
  EVENT_DAYS: whole(1, 36_500),
  SELF_CHECK_KEY_SECRET: secret,
  RECORD_LOG_GROUP: name,
  RECORD_LOG_STREAM: name,
  STAGE: name,
  /** Where the docs site is served, perhaps below a path. */
  SITE_URL: v.pipe(like(/^https:\/\/[^/?#@*\s]+(\/[^?#\s]*[^/?#\s])?$/, SITE_RULE), v.url(SITE_RULE)),
  /** As OpenID Connect Discovery has it: a URL with nothing but a host, perhaps a port, and a path. */
  ISSUER: v.pipe(
    like(/^(https:\/\/[^/?#@*\s]+|http:\/\/127\.0\.0\.1(:\d+)?)(\/[^?#\s]*)?$/, ISSUER_RULE),
    v.url(ISSUER_RULE),
  ),
  CLIENT_ID: name,
  CLIENT_CREDENTIAL_SECRET: secret,
  SEALING_KEY_SECRET: secret,
  WEBHOOK_KEY_SECRET: secret,
  WEBHOOK_QUEUE_URL: url,
  SLOW_WEBHOOK_QUEUE_URL: url,
};

type Setting = keyof typeof SETTINGS;
export type Settings = Partial<Record<Setting, string | undefined>>;

let chosen: Settings = {};

/** Chooses settings for programs that learn them at run time, before those of the environment. */
export function configure(settings: Settings): void {
  chosen = settings;
}

/**
 * Parses a text of an environment or a command line, which spells numbers and truth values.
 *
 * @param schema Of a text, a whole number or a truth value.
 */
export function parseText<const T extends v.GenericSchema>(schema: T, text: string): v.SafeParseResult<T> {
  const spelled = /^(true|false|-?(0|[1-9]\d{0,14}))$/.test(text) && !v.is(schema, text);
  return v.safeParse(schema, spelled ? JSON.parse(text) : text);
}

/**
 * Returns a setting.
 *
 * @throws Error that names the variable when it is not set, or not what it must be.
 */
export function setting<N extends Setting>(name: N): v.InferOutput<(typeof SETTINGS)[N]> {
  const text = chosen[name] ?? process.env[name];
  if (!text) throw new Error(`The environment variable ${name} is not set.`);
  const { success, output, issues } = parseText(SETTINGS[name], text);
  if (!success) throw new Error(`The environment variable ${name} must be ${issues[0].message}, not "${text}".`);
  return output;
}

/** How a client of the AWS SDK reaches its service. What is left out, the SDK finds in the environment. */
export interface Connection {
  region?: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
}
