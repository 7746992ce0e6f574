import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ENDPOINTS, ROUTES, sourceOf } from '../stack/template/definitions.ts';
import type { Asked, Replied } from './functions.ts';
import { respond } from './gateway.ts';

/*
 * Runs the functions of infra/stack/functions.yml for functions.ts, which forks this process. Unlike on Lambda, all share one
 * process and its environment: no two have a setting of the same name with different values.
 */

// Also if functions.ts was killed.
process.once('disconnect', () => process.exit());

const load = (name: string) => import(`../../${sourceOf(name)}`);

const printed = new Set<string>();
/** Prints an error, but once if it is that of a file which many functions import. */
function print({ stack = '' }: Error): undefined {
  if (!printed.has(stack)) process.stderr.write(`${stack}\n`);
  printed.add(stack);
}

const invoke = (name: string, event: APIGatewayProxyEventV2) =>
  load(name)
    .then(({ handler }) => handler(event, { awsRequestId: randomUUID(), functionName: name }))
    .catch(print);

await import('./patient.ts');
process.on('message', async ({ id, request }: Asked) =>
  process.send?.({ id, result: await respond(ROUTES, request, invoke) } satisfies Replied),
);

// At once, so that first requests need not wait, and code that does not load is seen when it is saved. But the console, which
// takes seconds to build, is loaded when it is first opened.
const others = Object.keys(ENDPOINTS).filter((name) => name !== 'openConsole');
await Promise.all(others.map((name) => load(name).catch(print)));
// Code that does not load is printed.
import('./deliveries.ts').then(({ deliver }) => deliver(print)).catch(print);
// A process that a signal ends would not keep what it has compiled.
flushCompileCache();
