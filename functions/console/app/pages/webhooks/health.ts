import type { Webhook } from '../../resources/data.ts';
import { formatMinute, formatNumber, formatRelative } from '../../shared/format.ts';

/** The states in which nothing is delivered. */
const STOPPED = ['paused', 'disabled', 'suspended'] as const;

/** How a webhook is. An active one delivers, or fails. */
export type State = 'delivers' | 'fails' | (typeof STOPPED)[number];

/** The host of its address, which can be long as a whole. */
export const hostOf = ({ url }: Webhook): string => new URL(url).host;

/** What a person calls it. */
export const nameOf = (webhook: Webhook): string => webhook.description ?? hostOf(webhook);

type Outcome = Pick<NonNullable<Webhook['latest_attempt']>, 'status' | 'error'>;

export const isDelivered = ({ status }: Outcome): boolean => status !== null && status >= 200 && status < 300;

/** What a server did, as it continues "Your server". */
export const answerOf = ({ status, error }: Outcome): string =>
  status === null ? `did not answer: ${withoutStop(error ?? 'there was no response')}` : `answered ${status}`;

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '').replace(/^\p{Lu}(?=\p{Ll})/u, lower);
const lower = (letter: string): string => letter.toLowerCase();

/** What to look at, by the status that a server answered; `undefined` if that says nothing. */
export function adviceOf({ status }: Outcome): string | undefined {
  if (status === null) return 'Check that the server runs, its certificate, and that no firewall stops us.';
  if (status === 401 || status === 403)
    return (
      'It refuses us. Check that your program has the secret of this webhook, and that nothing before it asks for a ' +
      'sign-in.'
    );
  if (status === 404 || status === 405) return 'Nothing takes deliveries at this address. Check its path.';
  if (status === 410) return 'It says that it is gone for good, which ends deliveries.';
  if (status === 413) return 'It refuses bodies of this size. It must take 100 KB at least.';
  if (status === 429) return 'It gets too much at once. We send more slowly while it says so.';
  if (status >= 300 && status < 400) return 'It leads elsewhere, and we do not follow. Enter the address at the end.';
  if (status >= 500) return 'It has failed. Its log says why.';
  if (status >= 400) return 'It refuses what we send. Its log says why.';
  return undefined;
}

export function stateOf({ status, failing_since, latest_attempt }: Webhook): State {
  const stopped = STOPPED.find((each) => each === status);
  if (stopped) return stopped;
  return failing_since !== null || (latest_attempt && !isDelivered(latest_attempt)) ? 'fails' : 'delivers';
}

/** Until when what is not delivered waits. */
function waitOf({ delivered_to, events_kept_until }: Webhook, now: number): string[] {
  if (events_kept_until === null) return [];
  return Date.parse(events_kept_until) < now
    ? [`Changes since ${formatMinute(delivered_to)} have waited too long: the oldest are no longer kept.`]
    : [`Changes since ${formatMinute(delivered_to)} wait. They are kept until ${formatMinute(events_kept_until)}.`];
}

/** How the attempts failed, and when the next one is. */
function failureOf({ latest_attempt, failing_since, failures, next_attempt_at }: Webhook, now: number): string[] {
  const latest =
    latest_attempt && `Your server ${answerOf(latest_attempt)}, ${formatRelative(latest_attempt.at, now)}.`;
  const several =
    failing_since !== null && failures > 1
      ? `The last ${formatNumber(failures)} attempts failed, since ${formatMinute(failing_since)}.`
      : '';
  const next = next_attempt_at !== null ? `Next attempt ${formatRelative(next_attempt_at, now)}.` : '';
  return [latest ?? '', [several, next].filter(Boolean).join(' ')].filter(Boolean);
}

/** How a webhook is, in sentences. */
export function sentencesOf(webhook: Webhook, now: number): string[] {
  const { latest_attempt: latest } = webhook;
  const wait = waitOf(webhook, now);
  switch (stateOf(webhook)) {
    case 'delivers':
      return [
        latest
          ? `The last delivery was ${formatRelative(latest.at, now)}.`
          : 'Nothing was delivered yet: it begins with the next change.',
      ];
    case 'fails':
      return [...failureOf(webhook, now), ...wait];
    case 'paused':
      return ['Paused by you.', ...wait];
    case 'disabled':
      if (latest?.status === 410) return ['Disabled, because your server answered 410: it is gone for good.', ...wait];
      return [
        `Disabled after three days of failures.${latest ? ` At the last attempt, your server ${answerOf(latest)}.` : ''}`,
        ...wait,
      ];
    case 'suspended':
      return ['Suspended by us: nothing is delivered until we resume it.', ...wait];
  }
}

/**
 * What is wrong with a webhook, as it continues its name; `undefined` if nothing is, or if it was paused on purpose.
 */
export function faultOf(webhook: Webhook): string | undefined {
  const { latest_attempt } = webhook;
  const state = stateOf(webhook);
  if (state === 'fails') return `fails${latest_attempt ? `: your server ${answerOf(latest_attempt)}` : ''}`;
  if (state === 'disabled') return 'is disabled: nothing is delivered until you resume it';
  if (state === 'suspended') return 'is suspended by us: nothing is delivered until we resume it';
  return undefined;
}
