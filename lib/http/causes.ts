/** What a log keeps of an error. An SDK error's other members may hold items. */
export interface Cause {
  name: string;
  message: string;
  stack: string;
}

const MOST_CAUSES = 5;
/** A log event has its limits, and what is to be redacted is to be searched. */
const MOST_CHARACTERS = 4_000;

/** What no log may hold: API keys, e-mail addresses, and numbers that are long enough to be a card's (12 digits on). */
const SECRETS = /apk_[\w-]+|[^\s@'"<>/]{1,64}@[^\s@'"<>/]{1,255}|\d(?:[ -]?\d){11,}/g;

/** Other people's messages may quote what they were given. */
const redact = (text: string): string => text.slice(0, MOST_CHARACTERS).replace(SECRETS, '[redacted]');

const causeOf = (thrown: unknown): Cause =>
  thrown instanceof Error
    ? { name: thrown.name, message: redact(thrown.message), stack: redact(thrown.stack ?? '') }
    : { name: typeof thrown, message: redact(String(thrown)), stack: '' };

/** What led to a failure, the outermost first: whatever was thrown, its causes, and the errors that it stands for. */
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
