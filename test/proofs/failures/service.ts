import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { SEALING } from '../../../lib/branchRanks.ts';
import { FEED } from '../../../lib/eventFeed.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { retryStrategy } from '../../../lib/table/retry.ts';
import { contractViolations } from '../../support/contract.ts';
import { type ApiResponse, eventOf, invoke, type Operation, type Request } from '../../support/invoke.ts';
import { type Plan, SENDING, type Sent, startWire, TRAFFIC } from './wire.ts';

/*
 * The handlers in a process of their own, with the faulty wire between them and the table: jest gives tests other Error
 * classes than a real socket throws.
 */

/** A request of a partner, and what goes wrong on the wire meanwhile. */
export interface Call {
  name: string;
  operation: Operation;
  request: Request;
  plan?: Plan;
  /** What somebody else asks for in between, if the plan has a fault that lets them. */
  meanwhile?: { operation: Operation; request: Request };
  /** A create seals one of its lists. No other does, so that it is known what is sent. */
  seals?: boolean;
}

/** What a partner is answered, and what was sent to the table until then. */
export interface Outcome {
  response: ApiResponse;
  sent: Sent[];
}

const wire = await startWire(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string);
process.env['AWS_ENDPOINT_URL_DYNAMODB'] = wire.url;

/** A call as the service sees it: each is answered as by a process of its own. */
interface Served {
  name: string;
  strategy: ReturnType<typeof retryStrategy>;
  seals: boolean;
}
const current = new AsyncLocalStorage<Served>();

// Calls that run at the same time here would share one retry quota, and those that always fail would use it up.
table.config.retryStrategy = async () => current.getStore()?.strategy ?? retryStrategy();

const { now } = Date;
Date.now = () => now() + Number(process.argv[2]);

// What is prepared is seen.
FEED.horizonMs = 0;

const sealing = { ...SEALING };
Object.defineProperties(SEALING, {
  share: { get: () => (current.getStore()?.seals ? 1 : 0) },
  least: { get: () => (current.getStore()?.seals ? 1 : sealing.least) },
  horizonMs: { get: () => (current.getStore()?.seals ? 0 : sealing.horizonMs) },
});

table.middlewareStack.add(
  (next) => async (args) => {
    const { headers } = args.request as { headers: Record<string, string> };
    const sending = randomUUID();
    headers[TRAFFIC] = current.getStore()?.name ?? '';
    headers[SENDING] = sending;
    try {
      return await next(args);
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') wire.giveUp(sending);
      throw error;
    }
  },
  // Within the SDK's retries: each time that a request is sent.
  { step: 'finalizeRequest', priority: 'low', name: 'sending' },
);

// A function answers one request at a time, so nothing waits for a connection there. The agent is there once it was used.
await getItem(branchKey('-'));
const requestHandler = table.config.requestHandler as unknown as { httpHandlerConfigs: () => { httpAgent: Agent } };
requestHandler.httpHandlerConfigs().httpAgent.maxSockets = Number.POSITIVE_INFINITY;

async function response({ name, operation, request, plan, meanwhile, seals = false }: Call): Promise<Outcome> {
  wire.open(name, plan, async () => {
    if (meanwhile) await invoke(meanwhile.operation, eventOf(meanwhile.operation, meanwhile.request));
  });
  const response = await current.run({ name, strategy: retryStrategy(), seals }, () =>
    invoke(operation, eventOf(operation, request)),
  );
  const failures = operation === 'unknownRoute' ? [] : contractViolations(operation, response);
  if (failures.length > 0) throw new Error(`${name}: ${failures.join('; ')}`);
  const sent = wire.sent(name);
  await wire.flush(name);
  return { response, sent };
}

/** What is asked of this process. */
export type Question = { call: Call } | { hit: string } | { sent: string };

const resultOf = (question: Question) => {
  if ('call' in question) return response(question.call);
  return 'hit' in question ? wire.hit(question.hit) : wire.sent(question.sent);
};

process.on('message', async ({ id, question }: { id: number; question: Question }) => {
  try {
    process.send?.({ id, result: await resultOf(question) });
  } catch (error) {
    process.send?.({ id, error: String((error as Error).stack) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ id: 0 });
