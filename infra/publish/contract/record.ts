import { createHash } from 'node:crypto';
import { v5 as uuid } from 'uuid';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import { type AnyStep, type ApiOperation, prepare, type Request, STORY } from './calls.ts';
import { CONSOLE_STORY, credentialsOf, preparePeople } from './consoleCalls.ts';
import { type AnyOperation, type ApiResponse, type ConsoleOperation, eventOf, invoke } from './invoke.ts';

/** A request of a story and its response. */
export interface Example<Operation = ApiOperation> {
  operation: Operation;
  /** Unique among the examples of its operation. */
  name: string;
  /** Whether the problem is the same for all operations. */
  isGeneral: boolean;
  request: NonNullable<AnyStep<Operation>['request']>;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: it is shown as it is
  body: any;
}
export type AnyExample = Example<AnyOperation>;

/** Time of the first request of a story. */
const START = Date.parse('2026-11-20T09:30:00.000Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Namespace of request ids, which are the same in every recording. */
const REQUESTS = '0f8fad5b-d9cb-469f-a165-70867728950e';

/** Stops the clock at a time, in milliseconds since 1970. */
type SetClock = (now: number) => void;

/** What is random in a recording, and by what constant the examples show it. */
type Shown = Map<string, string>;

/** How a story is recorded. */
interface Recording<Step> {
  story: Step[];
  /** Milliseconds between two requests. */
  interval: number;
  /** The id of the n-th request. */
  requestId: (at: number) => string;
  credentials: (step: Step) => Pick<Request, 'key' | 'session'>;
  /** The response to each request adds to it. */
  shown: Shown;
}

/** Records the story of docs/openapi.json on an empty table, with the real handlers. Every recording is the same. */
export async function record(setClock: SetClock): Promise<Example[]> {
  setClock(START - MINUTE);
  const keys = await prepare();
  return play(setClock, {
    story: STORY,
    interval: MINUTE,
    requestId: (at) => uuid(`${at}`, REQUESTS),
    credentials: ({ as = 'payfair' }) => ({ key: keys[as] }),
    shown: new Map(Object.values(keys).map((key, at) => [idOf(key), `${at}`.repeat(12)])),
  });
}

/** Records the story of docs/console.openapi.json likewise. */
export async function recordConsole(setClock: SetClock): Promise<Example<ConsoleOperation>[]> {
  let requests = 0;
  const { sessions, shown } = await preparePeople({
    setClock: (minutes) => setClock(START - minutes * MINUTE),
    send: (operation, request) => {
      requests += 1;
      return invoke(operation, eventOf(operation, request), `6b1d2f3a-0c4e-4d58-9a67-1e2f3a4b5c0${requests}`);
    },
  });
  return play(setClock, {
    story: CONSOLE_STORY,
    // Changes need a sign-in within the last 15 minutes.
    interval: 10 * SECOND,
    requestId: (at) => uuid(`console ${at}`, REQUESTS),
    credentials: (step) => credentialsOf(step, sessions),
    shown,
  });
}

/** Discards the log of the example of a server error. */
async function withoutLog<T>(work: () => Promise<T>): Promise<T> {
  const { write } = process.stdout;
  process.stdout.write = () => true;
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}

async function play<Operation extends AnyOperation, Step extends AnyStep<Operation> & { makes?: object }>(
  setClock: SetClock,
  { story, interval, requestId, credentials, shown }: Recording<Step>,
): Promise<Example<Operation>[]> {
  const examples: Example<Operation>[] = [];
  for (const [at, step] of story.entries()) {
    const { operation, name, request = {}, isGeneral = false, until } = step;
    const real = new Map([...shown].map(([random, constant]) => [constant, random]));
    const event = eventOf(operation, { ...replaced(request, real), ...credentials(step) });
    if (step.isBroken) Object.assign(event, { headers: undefined });
    if (step.isTooLarge) event.body = ' '.repeat(MAX_BODY_BYTES + 1);
    let now = START + at * interval;
    let response: ApiResponse;
    do {
      setClock(now);
      response = await withoutLog(() => invoke(operation, structuredClone(event), requestId(at)));
      now += 100;
    } while (until && response.status !== until);
    const { status } = response;
    for (const [field, constant] of Object.entries(step.makes ?? {})) shown.set(response.body.data[field], constant);
    if (step.isHidden) continue;
    const body = replaced(response.body, shown);
    examples.push({ operation, name: name ?? body.code ?? 'success', isGeneral, request, status, body });
  }
  return examples;
}

/** The first characters of an API key's hash, by which it is shown. */
const idOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 12);

/** A JSON value with other texts for some of its parts. */
export const replaced = <T>(value: T, texts: Map<string, string>): T =>
  JSON.parse([...texts].reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value)));
