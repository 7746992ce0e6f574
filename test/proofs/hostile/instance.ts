import { contractViolations } from '../../support/contract.ts';
import { eventOf, invoke, type Operation, type Request } from '../../support/invoke.ts';
import { bodyOf, type Part } from './bodies.ts';

/* A process that answers one request after another, as an instance of a function does, and tells of each what it took. */

/** A request, whose body is described if it is large. */
export interface Asked {
  operation: Operation;
  request: Request;
  parts?: Part[];
}

/** What was answered, in how many milliseconds of computing. */
export interface Took {
  status: number;
  code: string | undefined;
  characters: number;
  cpu: number;
}

process.on('message', async ({ operation, request, parts }: Asked) => {
  const event = eventOf(operation, { ...request, ...(parts && { body: bodyOf(parts) }) });
  const before = process.cpuUsage();
  const response = await invoke(operation, event);
  const { user, system } = process.cpuUsage(before);
  const { status, body } = response;
  const faults = contractViolations(operation, response);
  if (faults.length > 0) throw new Error(`${operation}: ${faults.join('; ')}`);
  const characters = JSON.stringify(body).length;
  process.send?.({ status, code: body.code, characters, cpu: (user + system) / 1000 } satisfies Took);
});
