import { paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import { Problem } from '../base/problem.ts';
import { memberHashes } from '../members/member.ts';
import type { RecordEvent } from '../record/record.ts';
import { type Item, table, tableName } from '../table/client.ts';
import { ERASURES, type Key, memberIdOf, recordOf } from '../table/keys.ts';
import { eraseMember, importIdsOf } from './members.ts';
import { eraseInvitation, erasePerson } from './people.ts';

/*
 * A restored table has again what was erased after the point in time to which it was restored. The record of the table
 * before lists these erasures.
 */

/** Reads the list of erasures of a table in the Region of the client, oldest first. */
export async function listErasures(TableName: string, client = table): Promise<RecordEvent[]> {
  const found: RecordEvent[] = [];
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': recordOf(ERASURES).pk },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) found.push(...(Items as RecordEvent[]));
  return found;
}

/** Of a list of erasures, how many members, people and invitations were erased again. */
export interface RepeatedErasures {
  listed: number;
  members: number;
  people: number;
  invitations: number;
}

/**
 * Erases again, in the table in use, those of a list of erasures who are there. A member of whom everything was
 * imported after the erasure has enrolled again, and stays. If it is interrupted, another call erases the rest.
 */
export async function repeatErasures(list: RecordEvent[]): Promise<RepeatedErasures> {
  const [members, people] = [new Map<string, string>(), new Set<string>()];
  const erased = { listed: list.length, members: 0, people: 0, invitations: 0 };
  for (const { id, details } of list) {
    const { member, person, invitation, acquirer = '' } = details as Partial<Record<string, string>>;
    if (member) members.set(member, id);
    if (person) people.add(person);
    if (invitation && (await eraseInvitation(acquirer, invitation))) erased.invitations += 1;
  }
  for (const person of people) if (await isErased(erasePerson(person))) erased.people += 1;
  if (members.size === 0) return erased;
  for await (const memberId of memberIds()) {
    const erasures = (await memberHashes(memberId)).flatMap((hash) => members.get(hash) ?? []);
    const erasure = erasures.sort().at(-1);
    if (!erasure) continue;
    // An item without an import was stored by hand, or is a link without its card.
    const isOlder = (await importIdsOf(memberId)).some((importId) => importId === undefined || importId < erasure);
    if (isOlder && (await isErased(eraseMember(memberId)))) erased.members += 1;
  }
  return erased;
}

const isErased = (erasing: Promise<unknown>): Promise<boolean> =>
  erasing.then(
    () => true,
    (error) => {
      if (error instanceof Problem && error.code === 'not_found') return false;
      throw error;
    },
  );

/** The ids of all members with data, by a scan. */
async function* memberIds(): AsyncGenerator<string> {
  const scan = {
    TableName: tableName(),
    FilterExpression: 'begins_with(pk, :prefix)',
    ExpressionAttributeValues: { ':prefix': 'MEMBER#' },
    ProjectionExpression: 'pk',
    ConsistentRead: true,
  };
  let last: string | undefined;
  for await (const { Items = [] } of paginateScan({ client: table }, scan))
    for (const item of Items as Item<Pick<Key, 'pk'>>[]) {
      // The items of a partition follow each other.
      if (item.pk !== last) yield memberIdOf(item);
      last = item.pk;
    }
}
