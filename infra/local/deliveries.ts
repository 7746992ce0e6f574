import { setTimeout as sleep } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { writeLine } from '../../lib/base/logLine.ts';
import { table, tableName } from '../../lib/table/client.ts';
import { acquirerIn, type Key, slotOf } from '../../lib/table/keys.ts';
import { work } from '../../lib/webhooks/worker.ts';

/** The pause between two looks, in milliseconds. Without webhooks, a look is one request to DynamoDB Local. */
const PAUSE_MS = 2_000;

/**
 * Delivers to webhooks, with the worker of the function `deliverWebhooks`. In place of the stream, the queues and the
 * schedule, it looks every two seconds at each active webhook: the worker itself finds out whether something is to be
 * delivered, so nothing has to be remembered between two looks, or when the process is replaced.
 *
 * @param print Gets the error of a look that failed.
 */
export async function deliver(print: (error: Error) => void): Promise<never> {
  for (;;) {
    await look(print).catch(print);
    await sleep(PAUSE_MS);
  }
}

/** Begins what is to be delivered, and waits for no server. While an attempt is under way, others begin none. */
async function look(print: (error: Error) => void): Promise<void> {
  const { Items = [] } = await table.send(new ScanCommand({ TableName: tableName(), IndexName: 'webhooks-by-due' }));
  for (const key of Items as Key[]) {
    const [acquirer, slot] = [acquirerIn(key), slotOf(key)];
    const worker = {
      // The next look does what a message would ask for.
      send: async () => {},
      timeLeft: () => Number.POSITIVE_INFINITY,
      note: (attempted: object) => writeLine('INFO', { acquirer, ...attempted }, []),
    };
    work({ acquirer, slot }, 'slow', worker).catch(print);
  }
}
