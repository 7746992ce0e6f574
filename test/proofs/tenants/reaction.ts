import { BatchWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { table, tableName } from '../../../lib/table/client.ts';
import { type ApiResponse, call, type Request } from '../../support/api.ts';
import type { AnyOperation } from '../../support/invoke.ts';
import { readable, writable } from '../../support/stored.ts';
import { replaced } from '../hostile/places.ts';
import { original } from './world.ts';

/** Values by their place in a request: `path.mid`, `body.terminals.0.serial_no`. */
export type Values = Record<string, unknown>;

/** Everything observable that the service does for a request. */
export interface Reaction {
  response: ApiResponse;
  /** The requests to the table in order: each command and its number of items. */
  commands: string[];
  /** The steps of the transactions that were applied. */
  written: Step[];
}
type Step = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

// Creates look at the list at random. Turned off, because the comparison would take it for a difference.
SEALING.probability = 0;

let observed: Omit<Reaction, 'response'> = { commands: [], written: [] };
table.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const { Key, RequestItems, TransactItems } = args.input as Input;
      const { commands, written } = observed;
      // Not counted: whether an API key or a session is cached depends on when it was last used.
      const [first] = RequestItems?.[tableName()]?.Keys ?? [Key];
      if (!/^(API_KEY|SESSION)#/.test(String((first as Record<string, unknown>)?.['pk']))) {
        const items = TransactItems?.filter((step) => !isWord(step)) ?? RequestItems?.[tableName()]?.Keys ?? [Key];
        commands.push(`${commandName} ${items.length}`);
      }
      const result = await next(args);
      if (commandName === 'TransactWriteItemsCommand') written.push(...(TransactItems ?? []).map(readableStep));
      return result;
    },
  { step: 'initialize', name: 'observed' },
);
const keyOf = ({ Put, Update, Delete }: Step) => Put?.Item ?? Update?.Key ?? Delete?.Key;
/** The entry of a word: as many as the words of what was sent. */
const isWord = (step: Step): boolean => String(keyOf(step)?.['pk']).startsWith('WORDS#');
const readableStep = ({ Put, ...step }: Step): Step =>
  Put ? { ...step, Put: { ...Put, Item: readable(Put.Item ?? {}) } } : step;
interface Input {
  Key?: Record<string, unknown>;
  RequestItems?: Record<string, { Keys?: unknown[] }>;
  TransactItems?: Step[];
}

/** Sends a request, records what it does, and restores the table. */
export async function reactionTo(operation: AnyOperation, request: Request): Promise<Reaction> {
  const reaction = { commands: [], written: [] };
  observed = reaction;
  const response = await call(operation, request);
  observed = { commands: [], written: [] };
  await undo(reaction.written);
  return { response, ...reaction };
}

/** Limit of BatchWriteItem (its API reference). */
const MOST_WRITES = 25;

/** Restores the items that these transactions changed. */
async function undo(written: Step[]): Promise<void> {
  const keys = written.flatMap((step) => keyOf(step) ?? []);
  const writes = keys.map(({ pk, sk }) => {
    const item = original[`${pk} ${sk}`];
    return item ? { PutRequest: { Item: { pk, sk, ...writable(item) } } } : { DeleteRequest: { Key: { pk, sk } } };
  });
  for (let at = 0; at < writes.length; at += MOST_WRITES)
    await table.send(new BatchWriteCommand({ RequestItems: { [tableName()]: writes.slice(at, at + MOST_WRITES) } }));
}

/** A request with other values in some places; `undefined` removes a value. */
export const placed = (request: Request, values: Values): Request =>
  Object.entries(values).reduce((copy, [place, value]) => replaced(copy, place.split('.'), value) as Request, request);

/** The values that a request has in these places. */
export const valuesAt = (request: Request, places: string[]): unknown[] =>
  places.map((place) =>
    place.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], request),
  );

/** Derived from names and times, such as event ids. They differ from request to request. */
const MADE =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[\da-f]{8}-[\da-f]{4}-[57][\da-f]{3}-[\da-f]{4}-[\da-f]{12}|[\da-f]{64}/g;

/** Times stored as numbers: the end of a retention, and the position of a branch that is not ranked yet. */
const NUMBERS = ['ttl', ':now', 'provider_position', 'distributor_position'];
/** A UUID in base64url, as in the key of a master merchant. */
const SHORT_UUID = /^[\w-]{22}$/;
/** A cursor; often it contains the time of its response. */
const CURSOR = /^[\w-]{23,}$/;

/** A reaction without the values that were sent, so that reactions to different values can be compared. */
export function without(sent: unknown[], { response, ...rest }: Reaction): unknown {
  const { 'x-request-id': requestId = '', ...headers } = response.headers;
  const written = rest.written.filter((step) => !isWord(step));
  const text = JSON.stringify({ ...rest, written, response: { ...response, headers } }, (name, value) =>
    NUMBERS.includes(name) || (name === 'sk' && SHORT_UUID.test(value)) || (name === 'next' && CURSOR.test(value))
      ? '<made>'
      : value,
  );
  return JSON.parse(
    // The longest first, because a value may contain another one.
    [requestId, ...sent.filter((value) => typeof value === 'string').sort((a, b) => b.length - a.length)].reduce(
      (left, value) => left.replaceAll(value, '<sent>'),
      text.replace(MADE, '<made>'),
    ),
  );
}
