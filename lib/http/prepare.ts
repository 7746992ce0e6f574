import { type Budget, inRequest } from '../aws/requestContext.ts';
import { writeLine } from '../base/logLine.ts';
import { causesOf } from './causes.ts';

/**
 * Does some work while Lambda initialises a process, which gives it no more than 10 s ("Lambda execution environment
 * lifecycle"). Never rejects, because a process that fails here is started again and again: a failure is logged, and
 * the first request that needs the work does it itself.
 *
 * @param budget Bounds the time.
 */
export async function prepare(work: () => Promise<unknown>, budget: Budget): Promise<void> {
  try {
    await inRequest(work, budget);
  } catch (error) {
    writeLine('WARN', { message: 'This process could not be prepared.', causes: causesOf(error) }, []);
  }
}
