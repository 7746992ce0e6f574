import { isDeepStrictEqual } from 'node:util';
import autocannon from 'autocannon';
import type { Call } from './call.ts';
import { type Caller, harmlessCall, isWrite, nextCall } from './calls.ts';
import { Dice } from './dice.ts';
import { type Changes, note } from './feed.ts';
import { type ApiResponse, brokenRules, essenceOf, isReplayed, isSuccess } from './judge.ts';
import { type Request, requestOf } from './request.ts';
import type { Acquirer, World } from './world.ts';

/** Responses that break the same rules, and the first of them. */
export interface Offence {
  broken: string[];
  count: number;
  acquirer: string;
  request: string;
  response: string;
}

/** The results of a soak. */
export interface Outcome {
  /** Numbers of responses by operation and status, such as `404 not_found`. */
  responses: Map<string, Map<string, number>>;
  requests: number;
  /** The number of replays, and of responses that are stored for replay. */
  replays: number;
  saved: number;
  /** The changes, and the start of the soak. */
  changes: Changes;
  since: string;
  /** The first kinds of offences, and their total number. */
  offences: Offence[];
  offended: number;
  seconds: number;
  latency: autocannon.Histogram;
}

/** The longest time of a request, in seconds: a function ends after 20. */
const TIMEOUT_S = 30;
const MOST_OFFENCES = 10;
const MOST_ERRORS = 5;
const MOST_CHARACTERS = 1_000;

/** A request in progress. */
interface Open {
  call: Call;
  request: Request;
  listed: number;
}

/** A script of an acquirer. It sends one request after another. */
interface Script extends Caller {
  open: Open | undefined;
}

/** Removes API keys from a request that is shown. */
const redact = (text: string): string => text.slice(0, MOST_CHARACTERS).replaceAll(/apk_[\w-]+/g, 'apk_…');

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const inLowerCase = (headers: object = {}): ApiResponse['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

/**
 * Runs scripts concurrently, each over a connection of its own and evenly divided among the acquirers, and checks each
 * response. Ends after the given time, when every request that may have changed something has a response.
 */
export async function load(
  world: World,
  { baseUrl, seconds, connections, seed }: { baseUrl: string; seconds: number; connections: number; seed: number },
): Promise<Outcome> {
  const responses: Outcome['responses'] = new Map();
  const offences: Offence[] = [];
  const totals = { requests: 0, replays: 0, saved: 0, offended: 0 };
  const scripts: Script[] = [];
  const changes: Changes = new Map();
  const since = new Date().toISOString();
  const started = performance.now();
  const isOver = () => performance.now() - started > seconds * 1000;

  function accuse({ acquirer }: Script, { request }: Open, broken: string[], response?: ApiResponse): void {
    totals.offended += 1;
    const known = offences.find((each) => isDeepStrictEqual(each.broken, broken));
    if (known) known.count += 1;
    if (known || offences.length >= MOST_OFFENCES) return;
    const { method, path, headers, body } = request;
    offences.push({
      broken,
      count: 1,
      acquirer: acquirer.name,
      request: redact([method, path, headers['Idempotency-Key'], body].filter(Boolean).join(' ')),
      response: response ? redact(`${response.status} ${response.text}`) : 'none',
    });
  }

  function send(script: Script): Request {
    if (script.open) accuse(script, script.open, ['comes']);
    const call = isOver() ? harmlessCall(script) : nextCall(script);
    call.prepare?.();
    const request = requestOf(call, script.acquirer);
    script.open = { call, request, listed: world.of(script.acquirer).listed };
    if (isOver() && !scripts.some(({ open }) => open && isWrite(open.call))) instance.stop();
    return request;
  }

  function hear(script: Script, response: ApiResponse): void {
    const open = script.open as Open;
    script.open = undefined;
    const { call } = open;
    const { once } = call;
    // biome-ignore lint/suspicious/noExplicitAny: see Exchange
    const body: any = parsed(response.text);
    if (isReplayed(response)) totals.replays += 1;
    else if (once && isSuccess(response)) once.executions += 1;
    if (isSuccess(response) && isWrite(call) && !isReplayed(response))
      note(changes, response.headers['x-request-id'] ?? '', { ...script, operation: call.operation }, body?.data);
    const broken = brokenRules({ ...open, response, body, acquirer: script.acquirer, world, baseUrl });
    if (broken.length > 0) accuse(script, open, broken, response);
    else if (isSuccess(response) && once?.response === undefined) {
      call.learn?.(body.data, body.meta);
      if (once) {
        once.response = essenceOf(response);
        totals.saved += 1;
      }
    }
    totals.requests += 1;
    const counts = responses.get(call.operation) ?? new Map<string, number>();
    const kind = isSuccess(response) ? String(response.status) : `${response.status} ${body?.code}`;
    responses.set(call.operation, counts.set(kind, (counts.get(kind) ?? 0) + 1));
  }

  let instance: autocannon.Instance;
  const options: autocannon.Options = {
    url: baseUrl,
    connections,
    // An upper bound; it is stopped earlier.
    duration: seconds + TIMEOUT_S,
    timeout: TIMEOUT_S,
    bailout: MOST_ERRORS,
    sampleInt: 200,
    setupClient: (client) => {
      const place = scripts.length;
      const acquirer = world.acquirers[place % world.acquirers.length] as Acquirer;
      const script: Script = { acquirer, world, dice: new Dice(`${seed} ${place}`), open: undefined };
      scripts.push(script);
      client.setRequests([
        {
          setupRequest: (request) => ({ ...request, ...(send(script) as autocannon.Request) }),
          onResponse: (status, text, _, headers) => hear(script, { status, text, headers: inLowerCase(headers) }),
        },
      ]);
    },
  };
  const { latency } = await new Promise<autocannon.Result>((done, fail) => {
    instance = autocannon(options, (error, result) => (error ? fail(error) : done(result)));
  });
  for (const script of scripts) if (script.open && isWrite(script.open.call)) accuse(script, script.open, ['comes']);
  return { responses, offences, ...totals, changes, since, latency, seconds: (performance.now() - started) / 1000 };
}
