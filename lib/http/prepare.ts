import { type Budget, inRequest } from '../aws/requestContext.ts';
import { writeLine } from '../base/logLine.ts';
import { causesOf } from './loggedCauses.ts';

/**
 * Does some work while Lambda initialises a process, within a budget. Never rejects: a process that fails here is
 * started again and again. The first request that needs the work does it itself.
 */
export async function prepare(work: () => Promise<unknown>, budget: Budget): Promise<void> {
  try {
    await inRequest(work, budget);
  } catch (error) {
    writeLine('WARN', { message: 'This process could not be prepared.', causes: causesOf(error) }, []);
  }
}
