import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { table, tableName } from '../../../lib/table/client.ts';
import { type ApiResponse, call, type Request } from '../../support/api.ts';
import type { AnyOperation } from '../../support/invoke.ts';
import { changesBy, writable } from '../../support/stored.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { replaced } from '../hostile/places.ts';

/** Values by their place in a request: `path.mid`, `body.terminals.0.serial_no`. */
export type Values = Record<string, unknown>;

/** Items by `pk sk`. */
type Items = Record<string, Record<string, unknown>>;

/** What the service does for a request. */
export interface Reaction {
  response: ApiResponse;
  /** The requests to the table in order: each command and its number of items. */
  commands: string[];
  /** The items that it created or changed, as they became, and the keys of those that it deleted. */
  written: Items;
  deleted: string[];
}

/** Limit of BatchWriteItem (its API reference). */
const MOST_WRITES = 25;

/** Sends a request, records what it does, and restores the table. */
export async function reactionTo(operation: AnyOperation, request: Request): Promise<Reaction> {
  const { response: sent, before, after } = await changesBy(() => tableRequestsBy(() => call(operation, request)));
  const writes = [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => {
    const [pk, sk] = [name.slice(0, name.indexOf(' ')), name.slice(name.indexOf(' ') + 1)];
    const item = before[name];
    return item ? { PutRequest: { Item: { pk, sk, ...writable(item) } } } : { DeleteRequest: { Key: { pk, sk } } };
  });
  for (let at = 0; at < writes.length; at += MOST_WRITES)
    await table.send(new BatchWriteCommand({ RequestItems: { [tableName()]: writes.slice(at, at + MOST_WRITES) } }));
  const commands = sent.requests.flatMap(({ operation, input }) => commandOf(operation, input) ?? []);
  return {
    response: sent.response,
    commands,
    written: after,
    deleted: Object.keys(before).filter((key) => !after[key]),
  };
}

interface Input {
  Key?: { pk: string };
  RequestItems?: Record<string, { Keys: { pk: string }[] }>;
  TransactItems?: object[];
}

/** Whether an API key or a session is cached depends on when it was last used, so their reads do not count. */
function commandOf(operation: string, { Key, RequestItems, TransactItems }: Input): string | undefined {
  const keys = RequestItems?.[tableName()]?.Keys ?? [Key];
  if (/^(API_KEY|SESSION)(_USE)?#/.test(keys[0]?.pk ?? '')) return undefined;
  return `${operation} ${(TransactItems ?? keys).length}`;
}

/** A request with other values in some places; `undefined` removes a value. */
export const placed = (request: Request, values: Values): Request =>
  Object.entries(values).reduce((copy, [place, value]) => replaced(copy, place.split('.'), value) as Request, request);

/** The texts that a request has in these places, the longest first, because a text may contain another one. */
export const textsAt = (request: Request, places: string[]): string[] =>
  places
    .map((place) => place.split('.').reduce<unknown>((at, name) => (at as Values | undefined)?.[name], request))
    .filter((value) => typeof value === 'string')
    .sort((a, b) => b.length - a.length);

/** Times, ids of events and names, cursors and secrets, which differ from request to request. */
const MADE =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[\da-f]{8}-[\da-f]{4}-[57][\da-f]{3}-[\da-f]{4}-[\da-f]{12}|(?<="next":")[\w-]{23,}|whsec_[\w+/]{43}=/g;

/** A response without the texts that were sent, so that the responses to different ones can be compared. */
export function without(sent: string[], { headers, ...response }: ApiResponse): unknown {
  const { 'x-request-id': requestId = '', ...others } = headers;
  const text = JSON.stringify({ ...response, headers: others }).replace(MADE, '<made>');
  return JSON.parse([requestId, ...sent].reduce((left, value) => left.replaceAll(value, '<sent>'), text));
}
