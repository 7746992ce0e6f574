/** The variables that infra/ gives to functions; their meaning stands in the README. */
type Setting =
  | 'TABLE_NAME'
  | 'BASE_URL'
  | 'LOG_LEVEL'
  | 'METRICS_NAMESPACE'
  | 'CARD_HMAC_KEY_SECRET'
  | 'RATE'
  | 'BURST'
  | 'EVENT_DAYS'
  | 'SELF_CHECK_KEY_SECRET';

/**
 * One setting of the process, from its environment.
 *
 * @throws Error when it is absent: a deployment without it must fail at once and by name, not at its first use.
 */
export function setting(name: Setting): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
