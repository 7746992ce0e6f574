import { setTimeout as sleep } from 'node:timers/promises';
import { HORIZON_MS } from '../../../lib/base/time.ts';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import type { AnyStep } from '../../publish/contract/calls.ts';
import type { AnyOperation, ApiResponse, Request } from '../../publish/contract/invoke.ts';
import type { AnyExample } from '../../publish/contract/record.ts';
import { BadResponse, type Send } from '../../publish/contract/send.ts';
import { routeKey } from '../../stack/template/definitions.ts';
import { type Renaming, showsStory } from './renaming.ts';
import { Failure, type Run, Skipped } from './verify.ts';

/** The base URL in the recorded responses. */
export const SHOWN_AS = 'https://api.acquirer.example';

const MOST_ATTEMPTS = 8;

/**
 * Sends a request again as long as it exceeds a rate limit.
 *
 * @throws Failure if there is no response, or one that the contract does not allow.
 */
export async function patient(send: Send, operation: AnyOperation, request: Request): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await sentOnce(send, operation, request);
    if (response.status !== 429 || attempt === MOST_ATTEMPTS) return response;
    await sleep(1000 * Number(response.headers['retry-after'] ?? 1));
  }
}

const sentOnce = (send: Send, operation: AnyOperation, request: Request): Promise<ApiResponse> =>
  send(operation, request).catch((error) => {
    if (error instanceof BadResponse) throw new Failure(error.message, { operation, requestId: error.requestId });
    throw new Failure(reasonOf(error), { operation });
  });

/** The reason of a failed request, from the innermost cause. */
export function reasonOf(error: unknown): string {
  const { message, cause, code } = error as Error & { code?: string };
  return cause ? reasonOf(cause) : (code ?? message);
}

/** A story to replay, with what takes the place of its names. */
export interface Story<Step extends AnyStep<AnyOperation>> {
  name: string;
  steps: Step[];
  /** What the contract shows of all steps but hidden ones, in their order. */
  examples: AnyExample[];
  renaming: Renaming;
  credentialsOf: (step: Step) => Pick<Request, 'key' | 'session'>;
  /** Ends the partnership of its distributor and provider. */
  endPartnership?: () => Promise<void>;
  /** The acquirer of the caller, whose feed of events is read from the beginning of the run. */
  feedOf?: (step: Step) => { id: string };
}

export interface Options {
  quick?: boolean;
  /** How long what a read shows may lag, in milliseconds. */
  lagMs?: number;
}

/** How long what a read shows may lag: the feed ends before the horizon, and a process caches the lists of lookups. */
const LAG_MS = HORIZON_MS + 10_000;
const PAUSE_MS = 500;
/** How often requests that must exceed a limit are repeated, and how many more are sent at once each time. */
const MOST_UNTIL = 12;
const MORE_AT_ONCE = 5;

/** After so many failures, a story is not continued: what it builds on does not exist. */
const MOST_FAILURES = 10;

/**
 * Replays a story. Each response must be as the contract has it, with the status and the code of its step, and show
 * something of this run if the recorded one shows something of the story.
 */
export async function replay<Step extends AnyStep<AnyOperation>>(
  run: Run,
  send: Send,
  { name, steps, examples, renaming, credentialsOf, endPartnership, feedOf }: Story<Step>,
  { quick = false, lagMs = LAG_MS }: Options,
): Promise<void> {
  const sent = (step: Step): Promise<ApiResponse> => {
    const { operation, request = {}, until, isTooLarge } = step;
    const isFeed = operation === 'listEvents' && !request.query?.['after'] && feedOf;
    return (until ? sentOnce : patient)(send, operation, {
      ...renaming.request(request),
      ...(isFeed && { query: { after: renaming.cursorBefore(feedOf(step)) } }),
      ...(isTooLarge && { body: ' '.repeat(MAX_BODY_BYTES + 1) }),
      ...credentialsOf(step),
    });
  };
  const faultsIn = ({ status, headers, body }: ApiResponse, step: Step, example: AnyExample | undefined): string[] => {
    const got = `responded with ${status}${status >= 300 ? ` ${body.code}: ${body.detail}` : ''}`;
    if (!example && body?.code !== step.code) return [`${got}, not ${step.code ?? 'with success'}`];
    for (const [field, id] of Object.entries(step.makes ?? {})) renaming.learn(id, (body.data ?? body)[field]);
    if (!example) return [];
    if (status !== example.status) return [`${got}, not ${example.status}`];
    if (body?.code !== example.code) return [got];
    if (status === 429 && !(Number(headers['retry-after']) > 0)) return ['has no Retry-After'];
    // A later page may have only what earlier runs left.
    const isOfPage = Number(step.request?.query?.['page']) > 1;
    const shows = status < 300 && !isOfPage && (step.isFind || showsStory(example.body));
    return shows && !renaming.isOwn(body) ? ['shows nothing of this run'] : [];
  };
  const play = async (step: Step, example: AnyExample | undefined): Promise<void> => {
    const { operation, until } = step;
    const isRead = routeKey(operation).startsWith('GET');
    if (step.endsPartnership) await endPartnership?.();
    const end = performance.now() + lagMs;
    for (let attempt = 1; ; attempt += 1) {
      const responses = await Promise.all(Array.from({ length: until ? attempt * MORE_AT_ONCE : 1 }, () => sent(step)));
      const response = responses.find(({ status }) => status === until) ?? (responses[0] as ApiResponse);
      const { status, headers } = response;
      if (until && status !== until && attempt < MOST_UNTIL) continue;
      const faults = faultsIn(response, step, example);
      const request = { operation, requestId: headers['x-request-id'] };
      if (faults.length === 0) return run.note(request);
      // Only what a read shows can lag, not how it ends.
      if (!isRead || status !== example?.status || performance.now() > end)
        throw new Failure(`${operation}: ${faults.join('; ')}`, request);
      await sleep(PAUSE_MS);
    }
  };

  const recorded = examples.values();
  let failures = 0;
  for (const step of steps) {
    const example: AnyExample | undefined = step.isHidden ? undefined : recorded.next().value;
    // No gateway sends such an event, and deleting a thousand terminals takes minutes.
    if (step.isBroken || step.isLarge || run.isOver) continue;
    if (quick && step.operation === 'listEvents' && example?.body.data?.length > 0) continue;
    const isFine = await run.check(`${step.operation}: ${example?.name ?? 'prepares'}`, async () => {
      if (failures >= MOST_FAILURES) throw new Skipped(`the ${name} was given up after ${MOST_FAILURES} failures`);
      await play(step, example);
    });
    failures += Number(!isFine);
  }
}
