import { contractViolations } from '../../support/contract.ts';
import { eventOf, invoke, type Operation, type Request } from '../../support/invoke.ts';
import { bodyOf, type Part } from './bodies.ts';

/* A process that serves one request after another, as a function instance does, and reports what each took. */

/** A request. A large body is described by its parts. */
export interface Sent {
  operation: Operation;
  request: Request;
  parts?: Part[];
}

/** The response, and the CPU milliseconds it took. */
export interface Took {
  status: number;
  code: string | undefined;
  characters: number;
  cpu: number;
}

process.on('message', async ({ operation, request, parts }: Sent) => {
  const event = eventOf(operation, { ...request, ...(parts && { body: bodyOf(parts) }) });
  const before = process.cpuUsage();
  const response = await invoke(operation, event);
  const { user, system } = process.cpuUsage(before);
  const { status, body } = response;
  const violations = contractViolations(operation, response);
  if (violations.length > 0) throw new Error(`${operation}: ${violations.join('; ')}`);
  const characters = JSON.stringify(body).length;
  process.send?.({ status, code: body.code, characters, cpu: (user + system) / 1000 } satisfies Took);
});
