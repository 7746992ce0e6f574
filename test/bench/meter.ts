import { table } from '../../lib/table/client.ts';
import { capacityOf } from '../support/awsUnits.ts';

/** The table usage of some work. */
export interface Usage {
  /** Requests in sequence: the longest chain in which each began when the one before had ended. */
  inSequence: number;
  requests: number;
  readUnits: number;
  writeUnits: number;
}

/** What is being metered, with the beginning and end of each request. */
let metering: { usage: Usage; spans: { from: number; to: number }[] } | undefined;

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      if (!metering) return next(args);
      const { usage, spans } = metering;
      const span = { from: performance.now(), to: 0 };
      spans.push(span);
      try {
        const result = await next(args);
        const isWrite = /^(UpdateItem|TransactWriteItems)/.test(commandName);
        usage[isWrite ? 'writeUnits' : 'readUnits'] += capacityOf(result.output);
        return result;
      } finally {
        span.to = performance.now();
      }
    },
  { step: 'initialize', name: 'meter' },
);

/** Runs some work and returns its table usage. Not to be nested or run concurrently. */
export async function metered<T>(work: () => Promise<T>): Promise<{ result: T; usage: Usage }> {
  const usage: Usage = { inSequence: 0, requests: 0, readUnits: 0, writeUnits: 0 };
  const spans: { from: number; to: number }[] = [];
  metering = { usage, spans };
  try {
    const result = await work();
    let end = Number.NEGATIVE_INFINITY;
    for (const { from, to } of spans.toSorted((a, b) => a.to - b.to)) {
      if (from < end) continue;
      usage.inSequence += 1;
      end = to;
    }
    return { result, usage: { ...usage, requests: spans.length } };
  } finally {
    metering = undefined;
  }
}
