import { v5 as uuid } from 'uuid';
import { keyIdOf } from '../../../lib/acquirers/apiKey.ts';
import { hashOf } from '../../../lib/base/apiKeyFormat.ts';
import { CATALOGUE, type ProblemCode } from '../../../lib/base/problem.ts';
import { SEEING } from '../../../lib/branches/lastSeen.ts';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import { unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { TRANSPORT } from '../../../lib/webhooks/post.ts';
import { ACQUIRERS, type AnyStep, type ApiOperation, prepare, STORY } from './calls.ts';
import { type AnyOperation, eventOf, invoke } from './invoke.ts';

export interface Example<Operation = ApiOperation> {
  operation: Operation;
  /** Unique among the examples of its operation. */
  name: string;
  /** Whether the problem is the same for all operations. */
  isGeneral: boolean;
  request: NonNullable<AnyStep<Operation>['request']>;
  status: number;
  code: ProblemCode | undefined;
  /** Absent if it is not recorded. */
  // biome-ignore lint/suspicious/noExplicitAny: it is shown as it is
  body?: any;
}
export type AnyExample = Example<AnyOperation>;

/**
 * The examples of a story: its steps, but for hidden ones.
 *
 * @param successOf Returns the status with which an operation succeeds.
 */
export const examplesOf = <Operation>(
  story: AnyStep<Operation>[],
  successOf: (operation: Operation) => number,
): Example<Operation>[] =>
  story
    .filter(({ isHidden }) => !isHidden)
    .map(({ operation, name = 'success', isGeneral = false, request = {}, code }) => {
      const success = request.query?.['validate_only'] === 'true' ? 200 : successOf(operation);
      return { operation, name, isGeneral, request, code, status: code ? CATALOGUE[code][0] : success };
    });

/** Time of the first request. Each request is a minute later than the one before. */
const START = Date.parse('2026-11-20T09:30:00.000Z');
const MINUTE = 60_000;

/** Namespace of request ids, which are the same in every recording. */
const REQUESTS = '0f8fad5b-d9cb-469f-a165-70867728950e';

/**
 * Records the story of docs/openapi.json on an empty table, with the real handlers. Every recording is the same.
 *
 * @param setClock Stops the clock at a time, in milliseconds since 1970.
 * @throws Error if a request does not lead to what its step says.
 */
export async function record(setClock: (now: number) => void): Promise<Example[]> {
  // Whatever the process has recorded before, and however slow the engine is.
  Object.assign(SEEING, { intervalMs: -1, attemptMs: MINUTE });
  setClock(START - MINUTE);
  const keys = await prepare();
  const examples: Example[] = [];
  /** What stands for ids and secrets, which are random, with them. */
  const made = new Map<string, string>();
  TRANSPORT.send = async () => ({ status: 200, error: null, duration_ms: 1 });
  for (const [at, step] of STORY.entries()) {
    const { operation, as = 'payfair', request, isHidden, until } = step;
    const event = eventOf(operation, { ...replaced(request ?? {}, made), key: keys[as] });
    if (step.isBroken) Object.assign(event, { headers: undefined });
    if (step.isTooLarge) event.body = ' '.repeat(MAX_BODY_BYTES + 1);
    let now = START + at * MINUTE;
    const send = () => {
      setClock(now);
      now += 100;
      return withoutLog(() => invoke(operation, structuredClone(event), uuid(`${at}`, REQUESTS)));
    };
    if (step.endsPartnership) await unlinkPartners(ACQUIRERS.northgate.id, ACQUIRERS.payfair.id);
    let response = await send();
    while (until && response.status !== until) response = await send();
    const { status, body } = response;
    if (body.code !== step.code) throw new Error(`${operation} responded with ${body.code}, not ${step.code}.`);
    for (const [field, text] of Object.entries(step.makes ?? {})) made.set(text, (body.data ?? body)[field]);
    if (!isHidden) examples.push(...examplesOf([step], () => status).map((example) => ({ ...example, body })));
  }
  const steady = JSON.parse(JSON.stringify(examples).replace(/"duration_ms":\d+/g, '"duration_ms":84'));
  const ids = Object.values(keys).map((key, at): [string, string] => [idOf(key), `${at}`.repeat(12)]);
  return replaced(steady, new Map([...ids, ...[...made].map(([text, real]): [string, string] => [real, text])]));
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

/** The first characters of an API key's hash, by which it is shown. */
const idOf = (key: string): string => keyIdOf(hashOf(key));

/** A JSON value with other texts for some of its parts. */
export const replaced = <T>(value: T, texts: Map<string, string>): T =>
  JSON.parse([...texts].reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value)));
