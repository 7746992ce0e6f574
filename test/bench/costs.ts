import type { Case } from './cases.ts';
import { metered } from './meter.ts';
import { call, withNewKey } from './world.ts';

/** The table usage of a call, once with a new API key that the process has to look up, and once with a cached key. */
export async function usageOf({ operation, status, prepare }: Case) {
  const cold = await prepare();
  return withNewKey(cold.caller, async (key) => {
    const { usage: withNew } = await metered(() => call(operation, { ...cold.request, key }, status));
    // From here on the key is cached, for longer than this takes.
    const { request } = await prepare();
    const { usage } = await metered(() => call(operation, { ...request, key }, status));
    return {
      requests: usage.requests,
      'in sequence': usage.inSequence,
      'in sequence, new key': withNew.inSequence,
      'read units': usage.readUnits,
      'write units': usage.writeUnits,
    };
  });
}
