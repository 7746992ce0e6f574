import { hourOf, lastSeenOrder } from '../../lib/branches/lastSeen.ts';
import type { Terminal } from '../../lib/branches/terminal.ts';
import { lastSeenKey } from '../../lib/table/keys.ts';
import { terminalItemOf } from './stored.ts';
import { storeMany } from './storeMany.ts';
import type { Caller } from './world.ts';

/** Stores of a payment provider's terminals, which share no branch, how many hours ago each was last seen. */
export async function storeSeen({ id: payment_provider }: Caller, seen: { tid: string; hours: number }[]) {
  const terminals = (await Promise.all(seen.map(({ tid }) => terminalItemOf(tid)))) as unknown as Terminal[];
  await storeMany(0, seen.length - 1, (at) => {
    const { tid, mid, branch_order } = terminals[at] as Terminal;
    const position = (seen[at]?.hours ?? 0) - hourOf(Date.now());
    const positions = { provider_position: position, distributor_position: position };
    return { ...lastSeenKey(tid), mid, branch_order: lastSeenOrder({ branch_order }), payment_provider, ...positions };
  });
}
