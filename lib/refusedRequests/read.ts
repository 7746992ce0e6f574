import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, positionOf } from '../base/cursor.ts';
import { lowerBoundId } from '../base/eventId.ts';
import { UUID } from '../base/mid.ts';
import { Problem } from '../base/problem.ts';
import { namesOfPeople } from '../people/namesOfPeople.ts';
import { type Item, queryPage } from '../table/client.ts';
import { acquirerIn, refusedRequestKey } from '../table/keys.ts';
import { KEPT_MS, type RefusedRequest, type ShownRefusedRequest, toRefusedRequest } from './refusedRequest.ts';

/** The most items that a request reads to find those that match. */
export const MOST_READ = 400;

export interface RefusedRequestsQuery {
  after?: string | undefined;
  limit: number;
  status?: number | undefined;
  code?: string | undefined;
  operation?: string | undefined;
  key_id?: string | undefined;
  /** In milliseconds, the first of them included. */
  from?: number | undefined;
  to?: number | undefined;
}

/** Where what is shown begins, from a time on. DynamoDB deletes what is older than it is kept only later. */
const oldestId = (from = 0): string => lowerBoundId(Math.max(from, Date.now() - KEPT_MS));

const FILTERS = ['status', 'code', 'operation', 'key_id'] as const;

/**
 * Lists refused requests of an acquirer, the newest first, strongly consistent. A page can have fewer than `limit`, or
 * none, although there are more: with a filter it reads at most {@link MOST_READ}.
 *
 * @returns `next` is the cursor of the next page, `null` after the last.
 * @throws Problem `invalid_query` unless `after` is a cursor of this list.
 */
export async function listRefusedRequests({ id: acquirer }: Acquirer, query: RefusedRequestsQuery) {
  const list = [acquirer, 'refused-requests'];
  const { after, limit, from, to } = query;
  const oldest = oldestId(from);
  // A cursor is behind what was shown, and `to` before all of its time.
  const ends = [after && positionOf(after, list, 'after'), to === undefined ? undefined : lowerBoundId(to), '~'];
  const [end = ''] = ends.filter((each) => each !== undefined).sort();
  const wanted = FILTERS.filter((name) => query[name] !== undefined);
  const range = {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :oldest AND :end',
    ExpressionAttributeValues: { ':pk': refusedRequestKey(acquirer, '').pk, ':oldest': oldest, ':end': end },
    ConsistentRead: true,
    ScanIndexForward: false,
  };
  if (end <= oldest) return { requests: [], next: null };
  // One more: BETWEEN includes the item at the cursor.
  const { items, next } = await queryPage<Item<RefusedRequest>>(range, wanted.length > 0 ? MOST_READ : limit + 1);
  const matching = items.filter((item) => item.sk < end && wanted.every((name) => item[name] === query[name]));
  const page = matching.slice(0, limit);
  const last = matching.length > limit ? page.at(-1) : next && items.at(-1);
  return {
    requests: await shown(acquirer, page),
    next: last ? cursorAt(last.sk, list) : null,
  };
}

/**
 * Gets a refused request by its request id.
 *
 * @throws Problem `not_found`.
 */
export async function getRefusedRequest({ id: acquirer }: Acquirer, requestId: string): Promise<ShownRefusedRequest> {
  const found = await findRefusedRequest(requestId);
  if (!found || acquirerIn(found) !== acquirer)
    throw new Problem(
      'not_found',
      'No refused request of yours has this request id. One appears within a second of its response, for 30 days.',
    );
  const [request] = await shown(acquirer, [found]);
  return request as ShownRefusedRequest;
}

/** The refused request with a request id, of whichever acquirer: for operators. */
export async function findRefusedRequest(requestId: string): Promise<Item<RefusedRequest> | undefined> {
  if (!UUID.test(requestId)) return undefined;
  const range = {
    IndexName: 'refused-requests-by-id',
    KeyConditionExpression: 'refused_request_id = :id',
    ExpressionAttributeValues: { ':id': requestId },
  };
  const { items } = await queryPage<Item<RefusedRequest>>(range, 1);
  return items.find(({ sk }) => sk >= oldestId());
}

async function shown(acquirer: string, requests: RefusedRequest[]): Promise<ShownRefusedRequest[]> {
  const names = await namesOfPeople(
    acquirer,
    requests.flatMap(({ person }) => person ?? []),
  );
  return requests.map((request) => toRefusedRequest(request, names));
}
