import * as v from 'valibot';
import { type Keyring, withLastUse } from '../../../lib/acquirers/keyring.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { toShownKey } from '../../../lib/acquirers/shownKey.ts';
import { Conflict, retrying } from '../../../lib/aws/retry.ts';
import { alphanumeric } from '../../../lib/base/fields.ts';
import { storedId, UUID } from '../../../lib/base/mid.ts';
import { keyId } from '../../../lib/base/values.ts';
import { type Branch, toBranch } from '../../../lib/branches/branch.ts';
import { type MasterMerchant, toMasterMerchant } from '../../../lib/branches/masterMerchant.ts';
import { LISTS, type ListOwner, readList } from '../../../lib/branches/ranks.ts';
import { type Terminal, toTerminal } from '../../../lib/branches/terminal.ts';
import { findPerson, namesOfPersons } from '../../../lib/operator/people.ts';
import { readRecord } from '../../../lib/record/record.ts';
import { findRefusedRequest as findRefused } from '../../../lib/refusedRequests/read.ts';
import { toRefusedRequest } from '../../../lib/refusedRequests/refusedRequest.ts';
import { getItem, getItems, queryItems } from '../../../lib/table/client.ts';
import * as keys from '../../../lib/table/keys.ts';
import { withName } from './names.ts';
import { acquirerDocument } from './output.ts';

/** The TIDs that a text stands for, whether such terminals exist or not: as a TID, a terminal_id and a serial number. */
export async function tidsOf(text: string): Promise<string[]> {
  if (UUID.test(text)) return [text.toLowerCase()];
  if (!v.is(alphanumeric, text)) return [];
  const claim = await getItem<{ tid: string }>(keys.serialKey(text));
  return [...new Set([keys.tidOf(text), ...(claim ? [claim.tid] : [])])];
}

/** Finds an API key by its key_id. One that is no longer listed has only its last event in the operator's record. */
export async function findKey(text: string) {
  if (!v.is(keyId, text)) return undefined;
  const acquirers: Keyring[] = await listAcquirers();
  for (const { id: acquirer, disabled_at = null, api_keys = [] } of acquirers) {
    const [key] = await withLastUse(api_keys.filter(({ key_id }) => key_id === text));
    if (key) return { ...toShownKey(key), acquirer, acquirer_disabled_at: disabled_at };
  }
  const [last] = await readRecord(keys.apiKeySubject(text), { limit: 1 });
  if (!last) return undefined;
  const { id, type, at, by, details } = last;
  return { key_id: text, label: details['label'], acquirer: String(details['acquirer']), ended: { id, type, at, by } };
}

/** Finds a refused request by its request id. Those of the last 30 days are kept. */
async function findRefusedRequest(requestId: string) {
  const found = await findRefused(requestId);
  if (!found) return undefined;
  const acquirer = keys.acquirerIn(found);
  const names = await namesOfPersons(found.person ? [found.person] : [], [acquirer]);
  return { acquirer, ...toRefusedRequest(found, names) };
}

export interface Found {
  type: string;
  data: object;
  /** That of a terminal. */
  branch?: object;
}

const present = <T>(items: (T | undefined)[]): T[] => items.filter((item) => item !== undefined);

/**
 * Finds everything that a text identifies: as a TID, terminal_id, serial number, MID, master_merchant_id, id or name of an
 * acquirer, key_id, id of a person, or request id of a refused request. Reads by key, and the partition of acquirers.
 */
export async function find(text: string): Promise<Found[]> {
  const id = storedId(text);
  const acquirers: Keyring[] = await listAcquirers();
  const providers = acquirers.filter(({ type }) => type === 'PAYMENT_PROVIDER');
  const [branch, ...masterMerchants] = await getItems<[Branch, ...MasterMerchant[]]>([
    keys.branchKey(id),
    keys.masterMerchantKey(id),
    ...providers.map((provider) => keys.masterMerchantKey(keys.masterMerchantUuidOf(provider.id, text))),
  ]);
  const terminals = present(await getItems<Terminal[]>((await tidsOf(text)).map(keys.terminalKey)));
  const branches = await getItems<Branch[]>(terminals.map(({ mid }) => keys.branchKey(mid)));
  const all: Record<string, object[]> = {
    branch: present([branch]).map(toBranch),
    master_merchant: present(masterMerchants).map(toMasterMerchant),
    acquirer: withName(acquirers, text).map(acquirerDocument),
    api_key: present([await findKey(text)]),
    person: UUID.test(id) ? present([await findPerson(id)]) : [],
    refused_request: UUID.test(id) ? present([await findRefusedRequest(id)]) : [],
  };
  return [
    ...terminals.map((terminal, at) => {
      // Branches are never deleted.
      const of = branches[at] as Branch;
      return { type: 'terminal', data: toTerminal({ terminal, branch: of }), branch: toBranch(of) };
    }),
    ...Object.entries(all).flatMap(([type, found]) => found.map((data) => ({ type, data }))),
  ];
}

/** The most branches that {@link countShared} reads, for some 5,000 read units if they have few terminals. Tests change it. */
export const SHARED = { most: 10_000 };

/** How many branches a distributor and a payment provider share, and whether these are all. */
export interface SharedBranches {
  count: number;
  is_complete: boolean;
}

/**
 * Counts the branches that a distributor and a payment provider share, among the newest {@link SHARED} of the one that has
 * fewer. No list has them alone. A branch that was just created may be missing.
 */
export async function countShared(distributor: string, provider: string): Promise<SharedBranches> {
  const owners: ListOwner[] = [
    { id: distributor, type: 'DISTRIBUTOR' },
    { id: provider, type: 'PAYMENT_PROVIDER' },
  ];
  const totals = await Promise.all(owners.map(countBranches));
  const total = Math.min(...totals);
  const { id, type } = owners[totals.indexOf(total)] as ListOwner;
  const { index, owner, position } = LISTS[type];
  const range = {
    IndexName: index,
    KeyConditionExpression: `${owner} = :owner AND ${position} > :none`,
    ExpressionAttributeValues: { ':owner': id, ':none': 0 },
    ScanIndexForward: false,
  };
  const mids = (await queryItems<{ mid: string }>(range, SHARED.most)).map(({ mid }) => mid);
  let count = 0;
  for (let at = 0; at < mids.length; at += 100) {
    const branches = await getItems<Branch[]>(mids.slice(at, at + 100).map(keys.branchKey), {
      ConsistentRead: false,
      ProjectionExpression: 'pk, sk, payment_provider, distributor',
    });
    count += branches.filter((each) => each?.payment_provider === provider && each.distributor === distributor).length;
  }
  return { count, is_complete: total <= SHARED.most };
}

/** Counts an acquirer's branches, strongly consistent. */
export const countBranches = (owner: ListOwner): Promise<number> =>
  retrying(async () => {
    const { count, tail, isPartial } = await readList(owner);
    if (isPartial) throw new Conflict('The branch list was sealed while it was read, or has many late entries');
    return count + tail.length;
  });
