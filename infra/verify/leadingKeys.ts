import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { DynamoDBDocumentClient, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Key } from '../../lib/table/keys.ts';
import { PROBE_KEYS } from '../template/probe.ts';
import type { Case } from './case.ts';
import { Failure, Skipped } from './failure.ts';

/*
 * Finds out which partition keys AWS puts into `dynamodb:LeadingKeys` when it authorizes a step of a transaction, which it does
 * not document: see docs/decisions/0013-one-role-per-function.md. It sends transactions with sessions of a probe role that are
 * narrowed by a policy ("AssumeRole", AWS STS API Reference: the session has the intersection of both). Whether AWS accepts
 * two of them tells the readings apart; two more show that the role and its conditions work at all.
 */

type Step = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A statement of a session: an action on items with these keys, and no others. */
interface Allowed {
  action: 'PutItem' | 'UpdateItem' | 'DeleteItem';
  keys: Key[];
}

/** Which keys authorize a step, as a sentence ends. */
export const READINGS = {
  own: 'its own key',
  sameAction: 'the keys of all steps with the same action',
  all: 'the keys of all steps',
} as const;
type Reading = keyof typeof READINGS;

const [ONE, TWO, THREE] = PROBE_KEYS as [Key, Key, Key];

/** A transaction, and what its session allows. */
interface Probe {
  allowed: Allowed[];
  steps: (TableName: string) => Step[];
}

/** Items expire after an hour, should they not be deleted. */
const item = (key: Key) => ({ ...key, taken: 1, ttl: Math.ceil(Date.now() / 1000) + 3600 });
const put = (key: Key) => (TableName: string) => ({ Put: { TableName, Item: item(key) } });
const touch = (key: Key) => (TableName: string) => ({
  Update: {
    TableName,
    Key: key,
    UpdateExpression: 'SET taken = :taken, #ttl = :ttl',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':taken': item(key).taken, ':ttl': item(key).ttl },
  },
});
const remove = (key: Key) => (TableName: string) => ({ Delete: { TableName, Key: key } });
const steps =
  (...all: ((TableName: string) => Step)[]) =>
  (TableName: string) =>
    all.map((each) => each(TableName));

const EVERYTHING: Allowed[] = (['PutItem', 'UpdateItem', 'DeleteItem'] as const).map((action) => ({
  action,
  keys: PROBE_KEYS,
}));

const PROBES = {
  /** Allowed under every reading. */
  control: { allowed: EVERYTHING, steps: steps(put(ONE), put(TWO), touch(THREE)) },
  /** Denied under every reading. */
  outside: { allowed: [{ action: 'PutItem', keys: [ONE] }], steps: steps(put(TWO)) },
  /** Each put has a statement of its own: denied, if the keys of both count for each. */
  apart: {
    allowed: [
      { action: 'PutItem', keys: [ONE] },
      { action: 'PutItem', keys: [TWO] },
    ],
    steps: steps(put(ONE), put(TWO)),
  },
  /** The update's key is not among those of the puts: denied, if it counts for them. */
  mixed: {
    allowed: [
      { action: 'PutItem', keys: [ONE, TWO] },
      { action: 'UpdateItem', keys: [THREE] },
    ],
    steps: steps(put(ONE), put(TWO), touch(THREE)),
  },
  /** Deletes the items. */
  cleaning: { allowed: EVERYTHING, steps: steps(...PROBE_KEYS.map(remove)) },
} satisfies Record<string, Probe>;

const policyOf = (table: string, allowed: Allowed[]): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      ...allowed.map(({ action, keys }) => ({
        Effect: 'Allow',
        Action: `dynamodb:${action}`,
        Resource: `arn:*:dynamodb:*:*:table/${table}`,
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': keys.map(({ pk }) => pk) } },
      })),
      // For a table with a key of its own, as far as the role allows it.
      {
        Effect: 'Allow',
        Action: 'kms:*',
        Resource: '*',
        Condition: { StringLike: { 'kms:ViaService': 'dynamodb.*' } },
      },
    ],
  });

/** Sends the transaction of a probe. Returns whether AWS allowed it. */
async function isAllowed(role: string, table: string, { allowed, steps }: Probe): Promise<boolean> {
  const { Credentials } = await new STSClient().send(
    new AssumeRoleCommand({
      RoleArn: role,
      RoleSessionName: 'verification',
      DurationSeconds: 900,
      Policy: policyOf(table, allowed),
    }),
  );
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {};
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ credentials }));
  try {
    await client.send(new TransactWriteCommand({ TransactItems: steps(table), ClientRequestToken: randomUUID() }));
    return true;
  } catch (error) {
    if ((error as Error).name === 'AccessDeniedException') return false;
    throw error;
  } finally {
    client.destroy();
  }
}

/**
 * Finds out which reading holds.
 *
 * @param role ARN of the probe role (infra/template/probe.ts).
 * @param table Name of the table.
 * @throws Failure if it is none of them, or if the role does not work.
 */
export async function readingOf(role: string, table: string): Promise<Reading> {
  const allows = (name: keyof typeof PROBES) => isAllowed(role, table, PROBES[name]);
  if (!(await allows('control'))) throw new Failure('the probe role may not write its own items', {});
  try {
    if (await allows('outside'))
      throw new Failure('a condition on dynamodb:LeadingKeys does not count in transactions', {});
    const [apart, mixed] = [await allows('apart'), await allows('mixed')];
    if (apart && mixed) return 'own';
    if (mixed) return 'sameAction';
    if (!apart) return 'all';
    throw new Failure('no known reading of dynamodb:LeadingKeys: docs/decisions/0013-one-role-per-function.md', {});
  } finally {
    await allows('cleaning');
  }
}

/** What the roles of functions allow beside their grants. They allow every granted transaction under each reading. */
const CONSEQUENCES: Record<Reading, string> = {
  own: 'The roles allow exactly their grants.',
  sameAction: 'Beside a granted step, the roles also allow its action on other kinds that the function writes.',
  all: 'Beside a granted step, the roles also allow its action on other kinds that the function writes.',
};

/**
 * Tells which reading holds.
 *
 * @param role `undefined` in a stage without the role.
 */
export const leadingKeysCase = (role: string | undefined, table: string): Case => ({
  name: 'each step of a transaction is authorized as the roles expect',
  covers: [],
  run: async () => {
    if (!role) throw new Skipped('the stage is protected, so it has no probe role');
    const reading = await readingOf(role, table);
    return `A step is authorized with ${READINGS[reading]}. ${CONSEQUENCES[reading]}`;
  },
});
