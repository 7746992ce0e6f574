import { validate as isUuid } from 'uuid';
import type * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone, Conflict, retrying } from '../aws/retry.ts';
import { MID, storedId } from '../base/mid.ts';
import { Problem } from '../base/problem.ts';
import { type Branch, isAccessible, toBranch } from '../branches/branch.ts';
import { hasTerminal } from '../branches/branchTerminals.ts';
import { type LastSeen, lastSeenAt, type seenTerminal } from '../branches/lastSeen.ts';
import { type MasterMerchant, toMasterMerchant } from '../branches/masterMerchant.ts';
import { findReleased, type ReleasedSerial } from '../branches/releasedSerial.ts';
import { type Terminal, toTerminal } from '../branches/terminal.ts';
import { getItem, getItems } from '../table/client.ts';
import * as keys from '../table/keys.ts';

/** A found resource, and the branch as it is stored: of a terminal, the one that it is in. */
export type FoundResource =
  | { type: 'terminal'; data: v.InferOutput<typeof seenTerminal>; branch: Branch }
  | { type: 'branch'; data: ReturnType<typeof toBranch>; branch: Branch }
  | { type: 'master_merchant'; data: ReturnType<typeof toMasterMerchant> };

/** A resource, or what a serial number led to that nothing has any more. */
type Found = FoundResource | { type: 'released'; data: ReleasedSerial };

type Finder = (acquirer: Acquirer, id: string, paymentProvider: string) => Promise<Found | undefined>;

const isAlphanumeric = (text: string): boolean => /^[0-9A-Za-z]{1,255}$/.test(text);

/**
 * For each identifier, whether a text is valid, and how to find the resource. A master_merchant_id is its payment
 * provider's own, so the reads must not depend on whether it exists. Of others that is no secret: whoever creates
 * another one learns that it is taken.
 */
const FINDERS = {
  tid: [isUuid, async (acquirer, tid) => foundTerminal(acquirer, await getItem(keys.terminalKey(tid)))],
  terminal_id: [
    isAlphanumeric,
    async (acquirer, id) => foundTerminal(acquirer, await getItem(keys.terminalKey(keys.tidOf(id)))),
  ],
  serial_no: [
    isAlphanumeric,
    async (acquirer, serial_no) => {
      const claim = await getItem<{ tid: string }>(keys.serialKey(serial_no));
      if (!claim) {
        const released = await findReleased(acquirer, serial_no);
        return released && { type: 'released', data: released };
      }
      const terminal = await getItem<Terminal>(keys.terminalKey(claim.tid));
      if (terminal?.serial_no !== serial_no) throw new Conflict('The serial was released while its terminal was read');
      return foundTerminal(acquirer, terminal);
    },
  ],
  mid: [
    (text) => MID.test(text),
    async (acquirer, mid) => {
      const branch = await getItem<Branch>(keys.branchKey(mid));
      return branch && isAccessible(branch, acquirer) ? { type: 'branch', data: toBranch(branch), branch } : undefined;
    },
  ],
  master_merchant_id: [
    isAlphanumeric,
    async (acquirer, id, paymentProvider) => {
      const uuid = keys.masterMerchantUuidOf(paymentProvider, id);
      const both = [keys.masterMerchantKey(uuid), keys.masterMerchantEntryKey(acquirer.id, uuid)] as const;
      // An entry in the caller's lookup means that it is accessible to the caller.
      const [found, entry] = await getItems<[MasterMerchant, object]>([...both]);
      return found && entry && { type: 'master_merchant', data: toMasterMerchant(found) };
    },
  ],
} satisfies Record<string, [isValid: (text: string) => boolean, find: Finder]>;

export type Identifier = keyof typeof FINDERS;
export const IDENTIFIERS = Object.keys(FINDERS) as Identifier[];

async function foundTerminal(acquirer: Acquirer, terminal: Terminal | undefined): Promise<FoundResource | undefined> {
  if (!terminal) return undefined;
  const [branch, seen] = await allDone([
    getItem<Branch>(keys.branchKey(terminal.mid)),
    getItem<LastSeen>(keys.lastSeenKey(terminal.tid)),
  ]);
  if (!branch || !isAccessible(branch, acquirer)) return undefined;
  if (!hasTerminal(branch, terminal)) throw new Conflict('The terminal left its branch while the branch was read');
  const data = { ...toTerminal({ terminal, branch }), last_seen_at: lastSeenAt(seen) };
  return { type: 'terminal', data, branch };
}

/**
 * Finds a terminal, branch or master merchant by an identifier, strongly consistent. If a terminal changes and its
 * branch is archived between two reads, the response may combine the fields from before with the status from after.
 *
 * @param paymentProvider UUID of the payment provider of a master merchant; by default the caller.
 * @returns For a serial_no that was released, what it led to; `undefined` when there is no such resource, it is not
 *   accessible, or the identifier is not valid.
 */
export const findOptional = (
  acquirer: Acquirer,
  [by, text]: [by: Identifier, text: string],
  paymentProvider: string = acquirer.id,
): Promise<Found | undefined> =>
  retrying(async () => {
    const [isValid, find] = FINDERS[by];
    const [id, provider] = [storedId(text), storedId(paymentProvider)];
    return isValid(id) && isUuid(provider) ? find(acquirer, id, provider) : undefined;
  });

/**
 * Like {@link findOptional}.
 *
 * @throws Problem `not_found` where that finds no resource.
 */
export async function findOne(...search: Parameters<typeof findOptional>): Promise<FoundResource> {
  const found = await findOptional(...search);
  if (found && found.type !== 'released') return found;
  const released = found?.data;
  throw new Problem('not_found', 'Nothing with this identifier exists or is accessible to you.', { released });
}
