import * as v from 'valibot';
import { type Keyring, type UsedKey, withLastUse } from '../../../lib/acquirers/keyring.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { Conflict, retrying } from '../../../lib/aws/retry.ts';
import { alphanumeric } from '../../../lib/base/fields.ts';
import { lowerCaseUuid, UUID } from '../../../lib/base/mid.ts';
import { keyId } from '../../../lib/base/values.ts';
import type { Branch } from '../../../lib/branches/branch.ts';
import type { MasterMerchant } from '../../../lib/branches/masterMerchant.ts';
import { type ListOwner, readList } from '../../../lib/branches/ranks.ts';
import { type FoundPerson, findPerson } from '../../../lib/operator/people.ts';
import { type RecordEvent, readRecord } from '../../../lib/record/record.ts';
import { getItem, getItems } from '../../../lib/table/client.ts';
import {
  apiKeySubject,
  branchKey,
  masterMerchantKey,
  masterMerchantUuidOf,
  serialKey,
  terminalKey,
  tidOf,
} from '../../../lib/table/keys.ts';
import type { Terminal, TerminalInBranch } from '../../../lib/terminals/terminal.ts';
import { withName } from './names.ts';

/** An API key. One that is no longer listed has only its last event in the operator's record. */
export type FoundKey = { key_id: string; acquirer: string } & (
  | { key: UsedKey; disabled_at: string | undefined }
  | { last: RecordEvent }
);

/** All that an identifier or a name stands for. */
export interface Found {
  terminals: TerminalInBranch[];
  branches: Branch[];
  masterMerchants: MasterMerchant[];
  acquirers: Keyring[];
  keys: FoundKey[];
  people: FoundPerson[];
}

/** The TIDs that a text stands for, whether such terminals exist or not: as a TID, a terminal_id and a serial number. */
export async function tidsOf(text: string): Promise<string[]> {
  if (UUID.test(text)) return [text.toLowerCase()];
  if (!v.is(alphanumeric, text)) return [];
  const claim = await getItem<{ tid: string }>(serialKey(text));
  return [...new Set([tidOf(text), ...(claim ? [claim.tid] : [])])];
}

/** Finds an API key by its key_id, even if it was revoked. */
export async function findKey(text: string): Promise<FoundKey | undefined> {
  if (!v.is(keyId, text)) return undefined;
  const acquirers: Keyring[] = await listAcquirers();
  for (const { id, disabled_at, api_keys = [] } of acquirers) {
    const [key] = await withLastUse(api_keys.filter(({ key_id }) => key_id === text));
    if (key) return { key_id: text, acquirer: id, key, disabled_at };
  }
  const [last] = await readRecord(apiKeySubject(text), { limit: 1 });
  return last && { key_id: text, acquirer: String(last.details['acquirer']), last };
}

const present = <T>(items: (T | undefined)[]): T[] => items.filter((item) => item !== undefined);

/**
 * Finds everything that a text identifies: as a TID, terminal_id, serial number, MID, master_merchant_id, id or name of an
 * acquirer, key_id, or id of a person. Reads by key, and the partition of acquirers.
 */
export async function find(text: string): Promise<Found> {
  const id = lowerCaseUuid(text);
  const acquirers: Keyring[] = await listAcquirers();
  const providers = acquirers.filter(({ type }) => type === 'PAYMENT_PROVIDER');
  const [branch, ...masterMerchants] = await getItems<[Branch, ...MasterMerchant[]]>([
    branchKey(id),
    masterMerchantKey(id),
    ...providers.map((provider) => masterMerchantKey(masterMerchantUuidOf(provider.id, text))),
  ]);
  const terminals = present(await getItems<Terminal[]>((await tidsOf(text)).map(terminalKey)));
  const branches = await getItems<Branch[]>(terminals.map(({ mid }) => branchKey(mid)));
  return {
    // Branches are never deleted.
    terminals: terminals.map((terminal, at) => ({ terminal, branch: branches[at] as Branch })),
    branches: present([branch]),
    masterMerchants: present(masterMerchants),
    acquirers: withName(acquirers, text),
    keys: present([await findKey(text)]),
    people: UUID.test(id) ? present([await findPerson(id)]) : [],
  };
}

/** Counts an acquirer's branches, strongly consistent. */
export const countBranches = (owner: ListOwner): Promise<number> =>
  retrying(async () => {
    const { count, tail, isPartial } = await readList(owner);
    if (isPartial) throw new Conflict('The branch list was sealed while it was read, or has many late entries');
    return count + tail.length;
  });
