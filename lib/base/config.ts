/** Environment variables of functions: see docs/architecture.md. */
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

/** Chooses settings for programs that learn them at run time, before those of the environment. */
export function configure(settings: Settings): void {
  chosen = settings;
}

/**
 * Returns a setting.
 *
 * @throws Error that names the variable when it is not set.
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
