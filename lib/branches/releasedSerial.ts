import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { expiryOf, retentionMs } from '../base/eventId.ts';
import { alphanumeric, mid } from '../base/fields.ts';
import { field, seconds, shownAs, shownMid, time, uuidValue } from '../base/values.ts';
import { getItem } from '../table/client.ts';
import { releasedKey, serialKey } from '../table/keys.ts';
import { put, remove, type Step } from '../table/transaction.ts';
import { isAccessible } from './branch.ts';
import { shownTerminal, type TerminalInBranch } from './terminal.ts';

/** The stored item of a released serial: the terminal that had it, and its branch and acquirers when it released it. */
export const releasedItem = v.object({
  tid: uuidValue,
  terminal_id: alphanumeric,
  mid,
  payment_provider: uuidValue,
  distributor: v.optional(uuidValue),
  released_at: time,
  ttl: seconds,
});
type ReleasedItem = v.InferOutput<typeof releasedItem>;

export const releasedSerial = v.object({
  tid: shownTerminal.entries.tid,
  terminal_id: shownTerminal.entries.terminal_id,
  mid: field(shownMid, 'MID of the branch in which it had it last.'),
  until: field(time, 'Until when the terminal had the serial number (RFC 3339, UTC).'),
});
export type ReleasedSerial = v.InferOutput<typeof releasedSerial>;

/** Steps that release the serial of a terminal, and store what it led to for as long as events are kept. */
export const releaseSerial = (serialNo: string, { terminal, branch }: TerminalInBranch, at: string): Step[] => {
  const { tid, terminal_id } = terminal;
  const { mid, payment_provider, distributor } = branch;
  const released = { tid, terminal_id, mid, payment_provider, distributor, released_at: at, ttl: expiryOf(at) };
  return [
    remove(serialKey(serialNo), { expression: 'tid = :tid', values: { ':tid': tid }, refusal: 'stale' }),
    put(releasedKey(serialNo), released satisfies ReleasedItem),
  ];
};

/** Finds the terminal that last released a serial, if it was accessible to the acquirer then. Costs one read unit. */
export async function findReleased(acquirer: Acquirer, serialNo: string): Promise<ReleasedSerial | undefined> {
  const found = await getItem<ReleasedItem>(releasedKey(serialNo));
  // DynamoDB deletes it only hours after it has expired.
  if (!found || !isAccessible(found, acquirer) || Date.parse(found.released_at) < Date.now() - retentionMs())
    return undefined;
  return shownAs(releasedSerial, { ...found, until: found.released_at });
}
