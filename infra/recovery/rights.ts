import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Keyring } from '../../lib/acquirers/keyring.ts';
import { revokeApiKey } from '../../lib/acquirers/keyring.ts';
import type { Card } from '../../lib/members/member.ts';
import { disableAcquirer, limitAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { referenceOf, setCardBlocked } from '../../lib/operator/members.ts';
import { unlinkPartners } from '../../lib/operator/partnerships.ts';
import { signOutPeople } from '../../lib/operator/people.ts';
import { changeRole, removePerson, revokeInvitation } from '../../lib/people/people.ts';
import { type Item, table, tableName } from '../../lib/table/client.ts';
import { idInPeople, kindOf } from '../../lib/table/keys.ts';

/*
 * What a restore gives back: keys that were revoked since, acquirers that were disabled, partners that were unlinked, people
 * who were removed or may do less now, sessions that were ended, cards that were blocked. All of it is taken away again, as
 * the table before the restore has it. Nothing is given: whoever got a right since must get it again.
 */

/** The kinds of items that are compared; of cards only blocked ones. */
const COMPARED = ['ACQUIRERS', 'PAYMENT_PROVIDERS', 'PEOPLE', 'CARD'];

type Stored = Item<Record<string, unknown>>;

const nameOf = ({ pk, sk }: { pk: string; sk: string }): string => `${pk}\n${sk}`;
const ownerOf = ({ pk }: { pk: string }): string => pk.slice(pk.indexOf('#') + 1);

/** Reads the items of a table that give or take rights, by their keys. */
async function rightsIn(client: DynamoDBDocumentClient, TableName: string): Promise<Map<string, Stored>> {
  const found = new Map<string, Stored>();
  const scan = {
    TableName,
    FilterExpression: [
      ...COMPARED.slice(0, -1).map((_, at) => `begins_with(pk, :${at})`),
      '(begins_with(pk, :card) AND attribute_exists(blocked_at))',
    ].join(' OR '),
    ExpressionAttributeValues: {
      ...Object.fromEntries(COMPARED.slice(0, -1).map((kind, at) => [`:${at}`, kind])),
      ':card': 'CARD#',
    },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateScan({ client }, scan))
    for (const item of Items as Stored[]) if (COMPARED.includes(kindOf(item.pk))) found.set(nameOf(item), item);
  return found;
}

/** How many rights were taken away again, by what was done; only what was done at all. */
export type Revoked = Record<string, number>;

/**
 * Takes away again, in the table in use, the rights that the table before the restore does not give. If it is
 * interrupted, another call does the rest.
 *
 * @param client Client of the table before the restore.
 * @param before The name of that table.
 */
export async function revokeAgain(client: DynamoDBDocumentClient, before: string): Promise<Revoked> {
  const old = await rightsIn(client, before);
  const restored = await rightsIn(table, tableName());
  const done: Revoked = {};
  const count = async (what: string, change: Promise<unknown>) => {
    if ((await change) !== false) done[what] = (done[what] ?? 0) + 1;
  };
  const signedOut = new Set<string>();
  for (const [name, item] of restored) {
    const was = old.get(name);
    const kind = kindOf(item.pk);
    if (kind === 'ACQUIRERS')
      await limitKeyring(item as unknown as Keyring, was as unknown as Keyring | undefined, count);
    if (kind === 'PAYMENT_PROVIDERS' && !was) await count('partners unlinked', unlinkPartners(ownerOf(item), item.sk));
    if (kind !== 'PEOPLE') continue;
    const acquirer = ownerOf(item);
    const { person, invitation } = idInPeople(item);
    if (invitation && !was) await count('invitations revoked', revokeInvitation(acquirer, invitation));
    if (!person) continue;
    // A session that was ended would be valid again. People sign in again.
    if (!signedOut.has(acquirer)) await count('acquirers signed out', signOutPeople(acquirer));
    signedOut.add(acquirer);
    if (!was) await count('people removed', removePerson(acquirer, person));
    else if (was['role'] !== item['role'])
      await count('roles changed', changeRole(acquirer, person, was['role'] as Parameters<typeof changeRole>[2]));
  }
  for (const [name, item] of old) {
    if (kindOf(item.pk) !== 'CARD' || restored.has(name)) continue;
    const { member_id } = item as unknown as Card;
    await count('cards blocked', blockAgain(member_id, ownerOf(item)));
  }
  return done;
}

type Count = (what: string, change: Promise<unknown>) => Promise<void>;

/** Takes away an acquirer's keys and limit. An acquirer is never removed, so one without a counterpart is not restored. */
async function limitKeyring(acquirer: Keyring, was: Keyring | undefined, count: Count): Promise<void> {
  if (!was) throw new Error(`The table before the restore has no acquirer ${acquirer.id}. Is it the right table?`);
  if (was.disabled_at && !acquirer.disabled_at) await count('acquirers disabled', disableAcquirer(acquirer.id));
  const now = new Date().toISOString();
  // A key that was rotated stays until it would have expired: its successor is not restored.
  const valid = new Set(
    (was.api_keys ?? []).filter(({ expires_at }) => !expires_at || expires_at > now).map(({ key_id }) => key_id),
  );
  for (const { key_id, expires_at } of acquirer.api_keys ?? [])
    if (!valid.has(key_id) && (!expires_at || expires_at > now))
      await count('API keys revoked', revokeApiKey(acquirer.id, key_id));
  if (!isDeepStrictEqual(acquirer.limit, was.limit)) await count('limits set', limitAcquirer(acquirer.id, was.limit));
}

/** Blocks a card. Returns whether the restored table has it. */
const blockAgain = (memberId: string, hash: string): Promise<boolean> =>
  setCardBlocked(memberId, { reference: referenceOf(hash) }, true).then(
    () => true,
    (error) => {
      if (error.code === 'not_found') return false;
      throw error;
    },
  );
