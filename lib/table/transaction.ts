import { randomUUID } from 'node:crypto';
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactGetCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { requestContext } from '../aws/requestContext.ts';
import { Conflict, untilKnown, wasCancelledTransiently, wasInConflict, wasRefused } from '../aws/retry.ts';
import { type FieldError, validationFailed } from '../base/problem.ts';
import { type Item, once, table, tableName } from './client.ts';
import type { Key } from './keys.ts';
import { isTombstone } from './tombstone.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** What a failed condition means: an error to throw, field errors, or that the item has changed since it was read. */
export type Refusal = Error | FieldError[] | 'stale';

/** A refusal, or a function that makes it from the stored item. */
type RefusalOf = Refusal | ((found: Record<string, unknown> | undefined) => Refusal);

export interface Condition {
  expression: string;
  names?: Record<string, string>;
  values?: Record<string, unknown>;
  refusal: RefusalOf;
}

export interface Step {
  item: TransactItem;
  refusal: RefusalOf;
}

/** Condition: no item has this key. */
export const isFree = (refusal: Refusal): Condition => ({ expression: 'attribute_not_exists(pk)', refusal });

/** Condition: no item has this key, and none that had it was deleted at or after this time. */
const isFreeSince = (time: string, refusal: Refusal): Condition => ({
  expression: 'attribute_not_exists(pk) OR deleted_at < :free_since',
  values: { ':free_since': time },
  refusal: (found) => (isTombstone(found) ? 'stale' : refusal),
});

/** Condition: an item has this key. */
export const exists = (refusal: Refusal): Condition => ({ expression: 'attribute_exists(pk)', refusal });

/** Condition: these attributes, or their absence, are as read. If not, the operation is retried from a fresh read. */
export function isAsRead<T extends object>(item: T | undefined, ...attributes: (keyof T & string)[]): Condition {
  if (!item) return isFree('stale');
  const present = attributes.filter((name) => item[name] !== undefined);
  const absent = attributes.filter((name) => item[name] === undefined);
  return {
    expression: [
      'attribute_exists(pk)',
      ...present.map((name) => `#${name} = :read_${name}`),
      ...absent.map((name) => `attribute_not_exists(#${name})`),
    ].join(' AND '),
    names: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
    values: Object.fromEntries(present.map((name) => [`:read_${name}`, item[name]])),
    refusal: 'stale',
  };
}

/** DynamoDB rejects an empty map of names or values. */
const unlessEmpty = <K extends string>(key: K, map: object = {}) => (Object.keys(map).length > 0 ? { [key]: map } : {});

const conditionOf = ({ expression, names, values, refusal }: Partial<Condition>) => ({
  ...(expression && { ConditionExpression: expression }),
  ...(typeof refusal === 'function' && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
  ...unlessEmpty('ExpressionAttributeNames', names),
  ...unlessEmpty('ExpressionAttributeValues', values),
});

/** The most steps of a transaction (TransactWriteItems). */
export const MOST_STEPS = 100;

/** A step that stores a whole item, replacing any other. */
export const put = (key: Key, attributes: object, condition?: Condition): Step => ({
  item: { Put: { TableName: tableName(), Item: { ...key, ...attributes }, ...(condition && conditionOf(condition)) } },
  refusal: condition?.refusal ?? 'stale',
});

/** A step that deletes an item. Without a condition, it need not exist. */
export const remove = (key: Key, condition?: Condition): Step => ({
  item: { Delete: { TableName: tableName(), Key: key, ...(condition && conditionOf(condition)) } },
  refusal: condition?.refusal ?? 'stale',
});

/** A step that checks a condition on an item that the transaction does not write. */
export const check = (key: Key, condition: Condition): Step => ({
  item: { ConditionCheck: { TableName: tableName(), Key: key, ...conditionOf(condition) } } as TransactItem,
  refusal: condition.refusal,
});

export interface Claim {
  key: Key;
  attributes: object;
  taken: FieldError;
  /** Its creation time, if an item with this key may have been deleted before. */
  since?: string;
}

export const claim = ({ key, attributes, taken, since }: Claim): Step =>
  put(key, attributes, since ? isFreeSince(since, [taken]) : isFree([taken]));

/** The field errors of claims whose items a read found, in the order of the claims. */
export const takenOf = (claims: Claim[], found: unknown[]): FieldError[] =>
  claims.flatMap(({ taken }, at) => (found[at] ? [taken] : []));

interface Changes {
  /** New values; `undefined` removes the attribute. */
  set?: Record<string, unknown>;
  /** Elements of a set, or a number. */
  add?: Record<string, Set<unknown> | number>;
  remove?: Record<string, Set<unknown>>;
}

/** A step that changes attributes of an item. Without a condition, it need not exist. */
export function update(key: Key, { set = {}, add = {}, remove = {} }: Changes, condition?: Condition): Step {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const clauses: Record<'SET' | 'REMOVE' | 'ADD' | 'DELETE', string[]> = { SET: [], REMOVE: [], ADD: [], DELETE: [] };
  const change = (keyword: keyof typeof clauses, name: string, value?: unknown, operator = '') => {
    names[`#${name}`] = name;
    if (value !== undefined) values[`:new_${name}`] = value;
    clauses[keyword].push(value === undefined ? `#${name}` : `#${name} ${operator}:new_${name}`);
  };
  for (const [name, value] of Object.entries(set)) change(value === undefined ? 'REMOVE' : 'SET', name, value, '= ');
  for (const [name, elements] of Object.entries(add)) change('ADD', name, elements);
  for (const [name, elements] of Object.entries(remove)) change('DELETE', name, elements);
  const expression = Object.entries(clauses).flatMap(([keyword, parts]) =>
    parts.length > 0 ? [`${keyword} ${parts.join(', ')}`] : [],
  );
  return {
    item: {
      Update: {
        TableName: tableName(),
        Key: key,
        UpdateExpression: expression.join(' '),
        ...conditionOf({
          ...condition,
          names: { ...condition?.names, ...names },
          values: { ...condition?.values, ...values },
        }),
      },
    },
    refusal: condition?.refusal ?? 'stale',
  };
}

/**
 * Writes all steps, or none. Retries are idempotent for ten minutes by the ClientRequestToken.
 *
 * In a request with `validate_only=true` it writes nothing, whichever operation calls it: the operation has checked, on
 * what it read, everything that the conditions of its steps repeat.
 *
 * @param options.isSentOnce Whether it is sent once: see {@link once}.
 * @throws Error the first refusal that is an error; otherwise one 422 with all field errors.
 * @throws Conflict when no refusal is an error, and a step was stale or in conflict. Any other error of the SDK is
 *   thrown as it is.
 */
export async function transact(steps: Step[], { isSentOnce = false } = {}): Promise<void> {
  if (requestContext().isValidation) return;
  const input = { TransactItems: steps.map(({ item }) => item), ClientRequestToken: randomUUID() };
  const send = () => table.send(new TransactWriteCommand(input));
  try {
    await (isSentOnce ? table.send(once(new TransactWriteCommand(input))) : untilKnown(send));
  } catch (error) {
    throw error instanceof TransactionCanceledException
      ? errorFor(error, error.CancellationReasons ?? [], steps)
      : error;
  }
}

/**
 * Reads one item as no plain read can: a transaction that writes it is either complete or not begun.
 *
 * @throws Conflict while a transaction writes the item.
 */
export async function getSettled<T>(key: Key): Promise<Item<T> | undefined> {
  try {
    const TransactItems = [{ Get: { TableName: tableName(), Key: key } }];
    const get = new TransactGetCommand({ TransactItems });
    const { Responses = [] } = await table.send(get);
    return Responses[0]?.Item as Item<T> | undefined;
  } catch (error) {
    throw wasCancelledTransiently(error) ? new Conflict('The item is being written', { cause: error }) : error;
  }
}

/** The reasons of a cancelled transaction are in the order of its steps. */
function errorFor(error: Error, reasons: CancellationReason[], steps: Step[]): Error {
  const refused = steps.flatMap(({ refusal }, at) => {
    const { Item, ...reason } = reasons[at] ?? {};
    if (!wasRefused(reason)) return [];
    return [typeof refusal === 'function' ? refusal(Item && unmarshall(Item)) : refusal];
  });
  const problem = refused.find((refusal) => refusal instanceof Error);
  if (problem) return problem;
  const fieldErrors = refused.flatMap((refusal) => (Array.isArray(refusal) ? refusal : []));
  // What is stale or in conflict may be wrong too: it is decided anew, so that one response has every field error.
  const isConflict = refused.includes('stale') || reasons.some(wasInConflict);
  if (fieldErrors.length > 0 && !isConflict) return validationFailed(fieldErrors);
  return isConflict ? new Conflict('The transaction conflicted with another write', { cause: error }) : error;
}
