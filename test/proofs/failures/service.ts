import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agent } from 'node:http';
import { retryStrategy } from '../../../lib/aws/retry.ts';
import { Cache } from '../../../lib/base/cache.ts';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { hashesOf } from '../../../lib/members/member.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { contractViolations } from '../../support/contract.ts';
import { type ApiResponse, eventOf, invoke, type Operation, type Request } from '../../support/invoke.ts';
import { asRequest, onClock, pass } from './time.ts';
import { openTraffic, type Plan, startWire, TRAFFIC, traffics } from './wire.ts';

/*
 * The handlers in a process of their own, with failures between them and the table. Within Jest, errors have other
 * classes than those that a real socket throws.
 */

/** A request of a partner, and the failures of its table requests. */
export interface Call {
  name: string;
  operation: Operation;
  request: Request;
  plan?: Plan | undefined;
  /** The other request that is made in between, if a failure of the plan allows it. */
  meanwhile?: { operation: Operation; request: Request };
}

/** The response to a partner, and the operations of the table requests until then. */
export interface Outcome {
  response: ApiResponse;
  sent: string[];
}

process.env['AWS_ENDPOINT_URL_DYNAMODB'] = await startWire(
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string,
  (port) => {
    const sockets = Object.values(agent.sockets).flatMap((all = []) => all);
    sockets.find(({ localPort }) => localPort === port)?.emit('timeout');
  },
);

/** A retry strategy as in a new process, whose pauses pass at once. */
function quickRetries() {
  const strategy = retryStrategy();
  const refresh = strategy.refreshRetryTokenForRetry.bind(strategy);
  return Object.assign(strategy, {
    refreshRetryTokenForRetry: async (...failed: Parameters<typeof refresh>) => {
      const token = await refresh(...failed);
      pass(token.getRetryDelay());
      return { ...token, getRetryDelay: () => 0 };
    },
  });
}

/** A call that is being served, as if by a process of its own: with its own retry quota and caches. */
const current = new AsyncLocalStorage<Call & { strategy: ReturnType<typeof retryStrategy> }>();
table.config.retryStrategy = async () => current.getStore()?.strategy ?? retryStrategy();

// Nothing is cached, as in a new process.
Cache.prototype.get = () => undefined;
// No create seals a list.
SEALING.probability = 0;

const { now } = Date;
Date.now = () => now() + Number(process.argv[2]);

// Makes the prepared events visible.
FEED.horizonMs = 0;

const requestHandler = table.config.requestHandler as unknown as {
  updateHttpClientConfig: (name: string, value: unknown) => void;
  httpHandlerConfigs: () => { httpAgent: Agent; socketTimeout: number };
};
// Only the socket's timeout remains, which no slow machine can cause.
for (const name of ['connectionTimeout', 'requestTimeout']) requestHandler.updateHttpClientConfig(name, 0);
// The agent exists once it was used, and the secret is cached.
await getItem(branchKey('-'));
await hashesOf({ card_id: '-', card_pseudo_token: '-' });
const { httpAgent: agent, socketTimeout } = requestHandler.httpHandlerConfigs();
// A Lambda function serves one request at a time, so its requests never wait for a connection.
agent.maxSockets = Number.POSITIVE_INFINITY;

table.middlewareStack.add((next) => (args) => asRequest(() => next(args)), { step: 'initialize', priority: 'high' });
table.middlewareStack.add(
  (next) => async (args) => {
    Object.assign((args.request as { headers: object }).headers, { [TRAFFIC]: current.getStore()?.name ?? '' });
    try {
      return await next(args);
    } catch (error) {
      if (/socket timed out/.test((error as Error).message)) pass(socketTimeout);
      throw error;
    }
  },
  // Within the SDK's retries, so it sees each attempt.
  { step: 'finalizeRequest', priority: 'low', name: 'attempt' },
);

const serve = ({ operation, request }: Pick<Call, 'operation' | 'request'>) =>
  invoke(operation, eventOf(operation, request));

async function outcomeOf(call: Call): Promise<Outcome> {
  const { name, operation, plan, meanwhile } = call;
  const traffic = openTraffic(name, plan, async () => meanwhile && serve(meanwhile));
  const response = plan
    ? await onClock(() => current.run({ ...call, strategy: quickRetries() }, () => serve(call)))
    : await current.run({ ...call, strategy: retryStrategy() }, () => serve(call));
  const violations = operation === 'unknownRoute' ? [] : contractViolations(operation, response);
  if (violations.length > 0) throw new Error(`${name}: ${violations.join('; ')}`);
  const sent = [...traffic.sent];
  for (const forward of traffic.held) await forward();
  return { response, sent };
}

/** A message to this process: a call to serve, or the name of one whose table requests so far are returned. */
export type Message = Call | string;

process.on('message', async ({ id, message }: { id: number; message: Message }) => {
  try {
    const result = typeof message === 'string' ? traffics.get(message)?.sent : await outcomeOf(message);
    process.send?.({ id, result });
  } catch (error) {
    process.send?.({ id, error: String((error as Error).stack) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ id: 0 });
