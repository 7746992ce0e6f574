import { validate as isUuid } from 'uuid';
import type { Acquirer } from './acquirer.ts';
import { lowerCaseUuid, MID } from './base/mid.ts';
import { Problem } from './base/problem.ts';
import { type Branch, isAccessible, toBranch } from './branch.ts';
import { type MasterMerchant, toMasterMerchant } from './masterMerchant.ts';
import { getItem, getItems } from './table/client.ts';
import {
  branchKey,
  masterMerchantEntryKey,
  masterMerchantKey,
  masterMerchantUuidOf,
  NO_ID,
  serialKey,
  terminalKey,
  tidOf,
} from './table/keys.ts';
import { Contention, retrying } from './table/retry.ts';
import { type Terminal, toTerminal } from './terminal.ts';
import { hasLeft } from './terminalCount.ts';

/** One thing, as the response shows it. */
export type Found =
  | { type: 'terminal'; data: ReturnType<typeof toTerminal> }
  | { type: 'branch'; data: ReturnType<typeof toBranch> }
  | { type: 'master_merchant'; data: ReturnType<typeof toMasterMerchant> };

type Finder = (acquirer: Acquirer, id: string, paymentProvider: string) => Promise<Found | undefined>;

const isAlphanumeric = (text: string): boolean => /^[0-9A-Za-z]{1,255}$/.test(text);

/**
 * The form of each identifier, and how it is found. The reads are the same in number, order and kind whether there is such a
 * thing or not, whoever it belongs to, and whatever the text looks like.
 */
const FINDERS = {
  tid: [isUuid, async (acquirer, tid) => placed(acquirer, await getItem(terminalKey(tid)))],
  terminal_id: [isAlphanumeric, async (acquirer, id) => placed(acquirer, await getItem(terminalKey(tidOf(id))))],
  serial_no: [
    isAlphanumeric,
    async (acquirer, serial_no) => {
      const claim = await getItem<{ tid: string }>(serialKey(serial_no));
      const terminal = await getItem<Terminal>(terminalKey(claim?.tid ?? NO_ID));
      if (claim && terminal?.serial_no !== serial_no)
        throw new Contention('The serial was released while its terminal was read');
      return placed(acquirer, terminal);
    },
  ],
  mid: [
    (text) => MID.test(text),
    async (acquirer, mid) => {
      const branch = await getItem<Branch>(branchKey(mid));
      return branch && isAccessible(branch, acquirer) ? { type: 'branch', data: toBranch(branch) } : undefined;
    },
  ],
  master_merchant_id: [
    isAlphanumeric,
    async (acquirer, id, paymentProvider) => {
      const uuid = masterMerchantUuidOf(paymentProvider, id);
      const keys = [masterMerchantKey(uuid), masterMerchantEntryKey(acquirer.id, uuid)] as const;
      // The entry in the caller's own lookup says that the caller may see it.
      const [found, entry] = await getItems<[MasterMerchant, object]>([...keys]);
      return found && entry && { type: 'master_merchant', data: toMasterMerchant(found) };
    },
  ],
} satisfies Record<string, [looksRight: (text: string) => boolean, find: Finder]>;

/** What a thing can be found by. */
export type Identifier = keyof typeof FINDERS;
export const IDENTIFIERS = Object.keys(FINDERS) as Identifier[];

/** A terminal with the branch that it is under. */
async function placed(acquirer: Acquirer, terminal: Terminal | undefined): Promise<Found | undefined> {
  const branch = await getItem<Branch>(branchKey(terminal?.mid ?? NO_ID));
  if (!terminal || !branch || !isAccessible(branch, acquirer)) return undefined;
  // A terminal that left before its branch was archived was not archived with it.
  if (branch.archived_at && hasLeft(branch, terminal))
    throw new Contention('The terminal left its branch while that was read');
  return { type: 'terminal', data: toTerminal({ terminal, branch }) };
}

/**
 * Finds one terminal, branch or master merchant by an identifier of it.
 *
 * All reads are strongly consistent: what was stored before the request began is found. It takes 1 read unit for a MID, 3
 * for a serial_no, and 2 for any other, and one more for each 4 KB by which an item exceeds the first 4. A terminal that changes
 * while its branch is being archived, between two reads, may show the fields of just before beside the status of just after.
 *
 * @param paymentProvider Whose master merchant it is, by UUID; the caller's own if none is given.
 * @throws Problem `not_found` when there is no such thing, it is not accessible, or the text cannot be such an identifier.
 */
export const findOne = (
  acquirer: Acquirer,
  [by, text]: [by: Identifier, text: string],
  paymentProvider: string = acquirer.id,
): Promise<Found> =>
  retrying(async () => {
    const [looksRight, find] = FINDERS[by];
    const id = looksRight(text) ? lowerCaseUuid(text) : NO_ID;
    const found = await find(acquirer, id, isUuid(paymentProvider) ? paymentProvider.toLowerCase() : NO_ID);
    if (!found) throw new Problem('not_found', 'Nothing with this identifier exists or is accessible to you.');
    return found;
  });
