/**
 * One setting of the process, from its environment.
 *
 * @throws Error when it is absent: a deployment without it must fail at once and by name, not at its first use.
 */
export function setting(name: 'TABLE_NAME' | 'BASE_URL' | 'CARD_HMAC_KEY'): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
