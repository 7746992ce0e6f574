import { randomUUID } from 'node:crypto';
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type FieldError, validationFailed } from '../base/problem.ts';
import { table, tableName } from './client.ts';
import type { Key } from './keys.ts';
import { Contention, mayBeApplied, wasInConflict, wasObstructed, wasRefused } from './retry.ts';
import { isTombstone } from './tombstone.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** What a write's failed condition means: a refusal, faults of body fields, or that what was read has changed. */
export type Refusal = Error | FieldError[] | 'stale';

/** A refusal, or how the item that is there instead makes one. */
export type RefusalOf = Refusal | ((found: Record<string, unknown> | undefined) => Refusal);

/** A condition of a write: the expression, what it refers to, and what it means when it does not hold. */
export interface Condition {
  expression: string;
  names?: Record<string, string>;
  values?: Record<string, unknown>;
  refusal: RefusalOf;
}

/** One item's part in a transaction. */
export interface Step {
  item: TransactItem;
  refusal: RefusalOf;
}

/** Condition: no item has this key yet. */
export const isFree = (refusal: Refusal): Condition => ({ expression: 'attribute_not_exists(pk)', refusal });

/** Condition: no item has this key yet, and none that had it was deleted at this time or later. */
export const isFreeSince = (time: string, refusal: Refusal): Condition => ({
  expression: 'attribute_not_exists(pk) OR deleted_at < :free_since',
  values: { ':free_since': time },
  refusal: (found) => (isTombstone(found) ? 'stale' : refusal),
});

/** Condition: an item has this key. */
export const exists = (refusal: Refusal): Condition => ({ expression: 'attribute_exists(pk)', refusal });

/**
 * Condition: these attributes of an item are what they were when it was read, absence included, so that everything
 * decided on them still holds. When they are not, the operation is to be decided again from a fresh read.
 */
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

/** DynamoDB refuses an empty map of names or values: it must be absent. */
const unlessEmpty = <K extends string>(key: K, map: object = {}) => (Object.keys(map).length > 0 ? { [key]: map } : {});

const conditionOf = ({ expression, names, values, refusal }: Condition) => ({
  ConditionExpression: expression,
  ...(typeof refusal === 'function' && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
  ...unlessEmpty('ExpressionAttributeNames', names),
  ...unlessEmpty('ExpressionAttributeValues', values),
});

/** Stores a whole item under a condition; without one, whatever is there is replaced. */
export const put = (key: Key, attributes: object, condition?: Condition): Step => ({
  item: { Put: { TableName: tableName(), Item: { ...key, ...attributes }, ...(condition && conditionOf(condition)) } },
  refusal: condition?.refusal ?? 'stale',
});

/** Deletes an item under a condition; without one, whether it is there or not. */
export const remove = (key: Key, condition?: Condition): Step => ({
  item: { Delete: { TableName: tableName(), Key: key, ...(condition && conditionOf(condition)) } },
  refusal: condition?.refusal ?? 'stale',
});

/** Writes nothing, but lets the transaction pass only while the condition holds. */
export const check = (key: Key, condition: Condition): Step => ({
  item: { ConditionCheck: { TableName: tableName(), Key: key, ...conditionOf(condition) } } as TransactItem,
  refusal: condition.refusal,
});

/** An item that may be there only once. Somebody may have stored it already, which is a fault of the request. */
export interface Claim {
  key: Key;
  attributes: object;
  taken: FieldError;
  /** From when on it is there, if it may have been there before. */
  since?: string;
}

/** Stores what is claimed, on condition that nobody has it. */
export const claim = ({ key, attributes, taken, since }: Claim): Step =>
  put(key, attributes, since ? isFreeSince(since, [taken]) : isFree([taken]));

/** The faults of claims of which a read has found the items; they stand in the order of the claims. */
export const takenOf = (claims: Claim[], found: unknown[]): FieldError[] =>
  claims.flatMap(({ taken }, at) => (found[at] ? [taken] : []));

/** Changes of an item's attributes. */
interface Changes {
  /** New values; `undefined` removes the attribute. */
  set?: Record<string, unknown>;
  /** What is added to numbers. */
  add?: Record<string, number>;
  /** New values of keys in attributes that are maps; `undefined` removes the key. */
  setIn?: Record<string, Record<string, unknown>>;
}

/** Changes attributes of an item under a condition. */
export function update(key: Key, { set = {}, add = {}, setIn = {} }: Changes, condition: Condition): Step {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const clauses: Record<'SET' | 'REMOVE' | 'ADD', string[]> = { SET: [], REMOVE: [], ADD: [] };
  const nameOf = (name: string, alias = name) => {
    names[`#${alias}`] = name;
    return `#${alias}`;
  };
  const change = (path: string, alias: string, value: unknown) => {
    if (value === undefined) clauses.REMOVE.push(path);
    else {
      clauses.SET.push(`${path} = :new_${alias}`);
      values[`:new_${alias}`] = value;
    }
  };
  for (const [name, value] of Object.entries(set)) change(nameOf(name), name, value);
  // No attribute has such a name.
  for (const [name, map] of Object.entries(setIn))
    for (const [at, [inner, value]] of Object.entries(map).entries())
      change(`${nameOf(name)}.${nameOf(inner, `${name}__${at}`)}`, `${name}__${at}`, value);
  for (const [name, value] of Object.entries(add)) {
    clauses.ADD.push(`${nameOf(name)} :new_${name}`);
    values[`:new_${name}`] = value;
  }
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
          names: { ...condition.names, ...names },
          values: { ...condition.values, ...values },
        }),
      },
    },
    refusal: condition.refusal,
  };
}

/** What else is to be stored with an operation's result, in the same transaction. It stands first, so that its refusal is told first. */
export type Alongside<T> = (result: T) => Step[];

/**
 * Writes all steps or none, and once: however often it is sent, it is one request to the table, which knows it by its
 * token (for ten minutes, says the API reference of TransactWriteItems). The reasons of a cancelled transaction stand in the order of its steps, so each failed
 * condition becomes the refusal that its step names.
 *
 * @throws Error the first refusal, or one 422 with every fault when there are only faults.
 * @throws Contention when nothing was refused but something was stale or in conflict; and whatever else the table or the
 *   way to it failed with.
 */
export async function transact(steps: Step[]): Promise<void> {
  try {
    const TransactItems = steps.map(({ item }) => item);
    await table.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }));
  } catch (error) {
    // A write that may have been applied is not decided anew: it could find its own effect, and refuse what was done.
    if (!(error instanceof TransactionCanceledException) || (mayBeApplied(error) && wasObstructed(error))) throw error;
    throw meaningOf(error, error.CancellationReasons ?? [], steps);
  }
}

function meaningOf(error: Error, reasons: CancellationReason[], steps: Step[]): Error {
  const refused = steps.flatMap(({ refusal }, at) => {
    const { Item, ...reason } = reasons[at] ?? {};
    if (!wasRefused(reason)) return [];
    return [typeof refusal === 'function' ? refusal(Item && unmarshall(Item)) : refusal];
  });
  const problem = refused.find((refusal) => refusal instanceof Error);
  if (problem) return problem;
  const fieldErrors = refused.flatMap((refusal) => (Array.isArray(refusal) ? refusal : []));
  if (fieldErrors.length > 0) return validationFailed(fieldErrors);
  const wasContended = refused.length > 0 || reasons.some(wasInConflict);
  return wasContended ? new Contention('The transaction met another writer', { cause: error }) : error;
}
