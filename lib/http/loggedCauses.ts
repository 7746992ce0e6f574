/** The logged part of an error. Other fields of SDK errors may contain stored items. */
export interface Cause {
  name: string;
  message: string;
  stack: string;
}

const MOST_CAUSES = 5;
/** Bounds the length of a log line, and the time that redaction takes. */
const MOST_CHARACTERS = 4_000;

/**
 * What must not be logged: API keys, secrets of webhooks, cookies of sessions, tokens and what is sealed (JWT, JWE), e-mail
 * addresses, and numbers long enough for a card number: 12 digits of any script or more, with spaces or dashes between
 * them.
 */
const SECRETS =
  /(?:apk|whsec)_[\w+/=-]+|[\w-]{22}\.[\w-]{43}|eyJ[\w-]+\.[\w.-]+|[^\s@'"<>/]{1,64}@[^\s@'"<>/]{1,255}|\p{Nd}(?:[\s\p{Pd}]{0,8}\p{Nd}){11,}/u;

/** What operators look for. The digits of one UUID in thirty would otherwise pass for a card number. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![^\s@'"<>/]{0,64}@)/;

const UUIDS_AND_SECRETS = new RegExp(`(?<uuid>${UUID.source})|${SECRETS.source}`, 'gu');

const redact = (text: string): string =>
  text.slice(0, MOST_CHARACTERS).replace(UUIDS_AND_SECRETS, (found, uuid) => (found === uuid ? found : '[redacted]'));

const causeOf = (thrown: unknown): Cause =>
  thrown instanceof Error
    ? { name: redact(thrown.name), message: redact(thrown.message), stack: redact(thrown.stack ?? '') }
    : { name: typeof thrown, message: redact(String(thrown)), stack: '' };

/** The thrown value, its `cause` chain, and the errors of an AggregateError, the outermost first. */
export function causesOf(thrown: unknown): Cause[] {
  const causes: Cause[] = [];
  for (const open = [thrown]; open.length > 0 && causes.length < MOST_CAUSES; ) {
    const next = open.shift();
    causes.push(causeOf(next));
    if (next instanceof Error && next.cause instanceof Error) open.push(next.cause);
    if (next instanceof AggregateError) open.push(...next.errors);
  }
  return causes;
}

/** Those with different names or messages: what fails once mostly fails the request and what it does after that alike. */
export const distinct = (causes: Cause[]): Cause[] =>
  [...Map.groupBy(causes, ({ name, message }) => `${name}: ${message}`).values()].flatMap(([first]) => first ?? []);
