import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { retryStrategy } from '../../../lib/table/retry.ts';
import { contractViolations } from '../../support/contract.ts';
import { type ApiResponse, eventOf, invoke, type Operation, type Request } from '../../support/invoke.ts';
import { type Plan, SENDING, type Sent, startWire, TRAFFIC } from './wire.ts';

/*
 * The handlers in a process of their own, with failures between them and the table. Within Jest, errors have other
 * classes than those that a real socket throws.
 */

/** A request of a partner, and the failures of its table requests. */
export interface Call {
  name: string;
  operation: Operation;
  request: Request;
  plan?: Plan;
  /** The other request that is made in between, if a failure of the plan allows it. */
  meanwhile?: { operation: Operation; request: Request };
  /** Whether this create seals one of its lists. No other create does, which makes its table requests predictable. */
  seals?: boolean;
}

/** The response to a partner, and the table requests until then. */
export interface Outcome {
  response: ApiResponse;
  sent: Sent[];
}

const wire = await startWire(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string);
process.env['AWS_ENDPOINT_URL_DYNAMODB'] = wire.url;

/** A call that is being served. Each has a retry strategy of its own, as if by a process of its own. */
interface Served {
  name: string;
  strategy: ReturnType<typeof retryStrategy>;
  seals: boolean;
}
const current = new AsyncLocalStorage<Served>();

// Concurrent calls would share one retry quota, and those that always fail would use it up.
table.config.retryStrategy = async () => current.getStore()?.strategy ?? retryStrategy();

const { now } = Date;
Date.now = () => now() + Number(process.argv[2]);

// Makes the prepared events visible.
FEED.horizonMs = 0;

const sealing = { ...SEALING };
Object.defineProperties(SEALING, {
  probability: { get: () => (current.getStore()?.seals ? 1 : 0) },
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
  // Within the SDK's retries, so it sees each attempt.
  { step: 'finalizeRequest', priority: 'low', name: 'sending' },
);

// A Lambda function serves one request at a time, so its requests never wait for a connection. The agent exists once it
// was used.
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

/** A message to this process. */
export type Message = { call: Call } | { hit: string } | { sent: string };

const resultOf = (message: Message) => {
  if ('call' in message) return response(message.call);
  return 'hit' in message ? wire.hit(message.hit) : wire.sent(message.sent);
};

process.on('message', async ({ id, message }: { id: number; message: Message }) => {
  try {
    process.send?.({ id, result: await resultOf(message) });
  } catch (error) {
    process.send?.({ id, error: String((error as Error).stack) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ id: 0 });
