import { createHash } from 'node:crypto';
import { v5 as uuid } from 'uuid';
import { MAX_BODY_BYTES } from '../../lib/http/body.ts';
import { type ApiResponse, eventOf, invoke } from '../local/invoke.ts';
import { prepare, STORY, type Step } from './calls.ts';

/** A request of the story and its response. */
export interface Example {
  operation: Step['operation'];
  /** Unique among the examples of its operation. */
  name: string;
  /** Whether the problem is the same for all operations. */
  isGeneral: boolean;
  request: NonNullable<Step['request']>;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: it is shown as it is
  body: any;
}

/** Time of the first request of the story. Requests are a minute apart. */
const START = Date.parse('2026-11-20T09:30:00.000Z');
const MINUTE = 60_000;

/** Namespace of request ids, which are the same in every recording. */
const REQUESTS = '0f8fad5b-d9cb-469f-a165-70867728950e';

/**
 * Records the story on an empty table, with the real handlers. Every recording is the same.
 *
 * @param setClock Stops the clock at a time, in milliseconds since 1970.
 */
export async function record(setClock: (now: number) => void): Promise<Example[]> {
  // Discards the log of the example of a server error.
  const { write } = process.stdout;
  process.stdout.write = () => true;
  try {
    return await play(setClock);
  } finally {
    process.stdout.write = write;
  }
}

async function play(setClock: (now: number) => void): Promise<Example[]> {
  setClock(START - MINUTE);
  const keys = await prepare();
  const examples: Example[] = [];
  for (const [at, step] of STORY.entries()) {
    const { operation, name, as = 'payfair', request = {}, isGeneral = false, until } = step;
    const event = eventOf(operation, { ...request, key: keys[as] });
    if (step.isBroken) Object.assign(event, { headers: undefined });
    if (step.isTooLarge) event.body = ' '.repeat(MAX_BODY_BYTES + 1);
    let now = START + at * MINUTE;
    let response: ApiResponse;
    do {
      setClock(now);
      response = await invoke(operation, structuredClone(event), uuid(`${at}`, REQUESTS));
      now += 100;
    } while (until && response.status !== until);
    const { status } = response;
    if (step.isHidden) continue;
    const body = JSON.parse(withoutKeys(JSON.stringify(response.body), Object.values(keys)));
    examples.push({ operation, name: name ?? body.code ?? 'success', isGeneral, request, status, body });
  }
  return examples;
}

/** Replaces the ids of API keys, which are new in every recording, by constant ones. */
const withoutKeys = (text: string, keys: string[]): string =>
  keys.reduce(
    (shown, key, at) =>
      shown.replaceAll(createHash('sha256').update(key).digest('hex').slice(0, 12), `${at}`.repeat(12)),
    text,
  );
