/**
 * Environment variables of functions, set by serverless.yml and infra/stack/functions.yml. docs/architecture.md
 * documents them.
 */
type Setting =
  | 'TABLE_NAME'
  | 'BASE_URL'
  | 'LOG_LEVEL'
  | 'METRICS_NAMESPACE'
  | 'CARD_HMAC_KEY_SECRET'
  | 'MEMBER_CHECK_MS'
  | 'RATE'
  | 'BURST'
  | 'EVENT_DAYS'
  | 'SELF_CHECK_KEY_SECRET'
  | 'RECORD_LOG_GROUP'
  | 'RECORD_LOG_STREAM'
  | 'STAGE'
  | 'ISSUER'
  | 'CLIENT_ID'
  | 'CLIENT_CREDENTIAL_SECRET'
  | 'SEALING_KEY_SECRET';

export type Settings = Partial<Record<Setting, string | undefined>>;

let chosen: Settings = {};

/**
 * Chooses settings of this process, for programs that learn them at run time. Functions have those of the environment.
 */
export function configure(settings: Settings): void {
  chosen = settings;
}

/**
 * Returns a setting: the one that was chosen, or else that of the environment.
 *
 * @throws Error when it is not set. The message names the variable.
 */
export function setting(name: Setting): string {
  const value = chosen[name] ?? process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

/** How a client of the AWS SDK reaches its service. What is left out, the SDK finds in the environment. */
export interface Connection {
  region?: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
}
