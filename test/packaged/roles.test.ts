import { randomUUID } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { requestOf, subjectOf } from '../../infra/contract/calls.ts';
import { ACCESS, ENDPOINTS, FUNCTIONS, INDEXES, logicalId, SECRETS, STEPS } from '../../infra/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/template/template.ts';
import { issueApiKey, revokeApiKey } from '../../lib/acquirers/keyring.ts';
import { KEY_USE } from '../../lib/acquirers/keyUse.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { limitAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { table, tableName } from '../../lib/table/client.ts';
import { apiKeyKey, unindexedWordsKey, type WordList } from '../../lib/table/keys.ts';
import { asRole, checkAccess, type Need, needsByOperation } from '../support/access.ts';
import { call, OPERATIONS, type Operation, type Request, STATUSES } from '../support/api.ts';
import { captureLog } from '../support/log.ts';
import { withLongLookup } from '../support/longLookup.ts';
import { newRequests } from '../support/requests.ts';
import { archiveBranch, type Caller, newAcquirer, newBranch, newTerminal, unique } from '../support/world.ts';
import { templateOf } from './packaging.ts';
import { type Request as AwsRequest, KINDS, type Role, roleOf } from './simulator.ts';

/*
 * Compares each function's role with its actual requests, using an IAM simulator. The requests are not listed here but
 * recorded while every operation runs along all its paths.
 */

const NAMES = Object.keys(FUNCTIONS);

let template: Template;
const roles: Record<string, Role> = {};
/** What each role allows. */
const granted: Record<string, string[]> = {};
beforeAll(async () => {
  template = await templateOf('prod');
  for (const name of NAMES) {
    const role = await roleOf(template, name);
    roles[name] = role;
    granted[name] = await allowedBy(role);
  }
});

/** Runs `act` while the indexes show nothing yet. */
async function withLaggingIndexes(act: () => Promise<void>): Promise<void> {
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if ((args.input as { IndexName?: string }).IndexName) Object.assign(result.output, { Items: [] });
      return result;
    },
    { step: 'initialize', name: 'lagging' },
  );
  await act();
  table.middlewareStack.remove('lagging');
}

/** Runs `act` while every list and every create ranks a branch, if there is one. */
async function withSealing(act: () => Promise<void>): Promise<void> {
  const before = { ...SEALING };
  Object.assign(SEALING, { horizonMs: 0, least: 1, most: 1, probability: 1 });
  await act();
  Object.assign(SEALING, before);
}

/** Stores a branch or master merchant that an acquirer finds by the word `HARBOUR`, but that has no entries yet. */
const putUnindexed = (list: WordList, { id }: Caller): Promise<unknown> =>
  table.send(
    new PutCommand({
      TableName: tableName(),
      Item: { ...unindexedWordsKey(list, id, randomUUID()), words: 'HARBOUR' },
    }),
  );

/** Calls an operation more often in a window than a process accepts without a lease. */
async function exceedLimit(operation: Operation): Promise<void> {
  const { id, key } = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  await limitAcquirer(id, { rate: 1, burst: 60 });
  jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  const request = { key, path: { mid: 'NOSUCH', id: 'NOSUCH', method: 'none' }, body: {} };
  for (let sent = 1; sent <= 3; sent += 1) await call(operation, request);
  jest.mocked(Date.now).mockRestore();
}

/** Calls every operation along all paths that send different requests. */
async function driveAll(): Promise<void> {
  // Before any preparation reads the key of the card hashes, which is then cached.
  const { key, ...acquirer } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  await call('memberCheck', { key, ...requestOf('memberCheck', subjectOf('NONE', acquirer)) });
  const { world, requestOf: newRequestOf } = await newRequests();
  const { distributor, provider, stranger } = world;
  const drive = async (operation: Operation, request: Request, status = 200, { id }: Caller = provider) => {
    // A new key, which is not cached.
    const { key_id, api_key } = await issueApiKey(id, 'test');
    expect(await call(operation, { ...request, key: api_key })).toMatchObject({ status });
    await revokeApiKey(id, key_id);
  };
  for (const operation of OPERATIONS) {
    const headers = { 'idempotency-key': unique('K') };
    const request = { ...(await newRequestOf(operation)), headers };
    await drive(operation, request, STATUSES[operation][0]);
    // The second request finds the first response by its Idempotency-Key.
    if (/^(create|reassign)/.test(operation)) await drive(operation, request, STATUSES[operation][0]);
    await exceedLimit(operation);
  }
  const { mid, existing_master_merchant, master_merchant_id } = await newBranch(provider);
  const at = async (under = mid) => ({ path: { id: (await newTerminal(provider, under)).tid } });
  const toArchive = (await newBranch(provider)).mid;
  const underArchived = await Promise.all([at(toArchive), at(toArchive)]);
  await archiveBranch(provider, toArchive);
  const newBody = (more: object) => ({ body: { mid: unique('MID'), master_merchant_id: unique('MM'), ...more } });
  const unknownNames = { payment_app: 'No such app', acquirer_name: 'No such acquirer' };

  await drive('listBranches', {}, 200, distributor);
  await withLaggingIndexes(() => drive('listBranches', {}));
  await withSealing(async () => {
    // Twice, because ranking a branch removes the entry of the one ranked before.
    for (const _ of [1, 2]) {
      await drive('createBranch', newBody({}), 201);
      await drive('listBranches', {});
    }
  });
  await putUnindexed('BRANCHES', provider);
  await drive('listBranches', { query: { search: 'nothing' } });
  await drive('createBranch', newBody({ payment_provider: provider.id }), 201, distributor);
  // So many that the search entries do not fit the transaction.
  const forty = Array.from({ length: 40 }, () => ({ terminal_id: unique('T'), serial_no: unique('S') }));
  const names = { branch_name: 'one two three four five six seven', city: 'Porto', terminals: forty };
  await drive('createBranch', newBody({ ...names, payment_provider: provider.id }), 201, distributor);
  await drive('createBranch', newBody({ payment_provider: stranger.id }), 422, distributor);
  await drive('createBranch', newBody({ master_merchant_id: undefined, existing_master_merchant }), 201);
  await at();
  await withLaggingIndexes(() => drive('listTerminals', { path: { id: mid } }));
  const terminals = [{ terminal_id: unique('T'), ...unknownNames }];
  await drive('createTerminals', { path: { id: mid }, body: { terminals } }, 422);
  await drive('updateTerminal', { ...(await at()), body: { serial_no: null, ...unknownNames } }, 422);
  await drive('listTerminals', await at(), 404);
  const update = { body: { terminal_model: 'Handheld 2' }, headers: { 'if-match': '*' } };
  await drive('updateTerminal', { ...(await at()), ...update });
  await drive('updateTerminal', { ...underArchived[0], body: {} });
  await drive('archiveTerminal', { ...underArchived[1], body: { reason: 'Lost.' } }, 400);
  // Of a terminal that was created with another, and of one that it may not see.
  const pair = { terminals: [{ terminal_id: unique('T') }, { terminal_id: unique('T') }] };
  const created = await call('createTerminals', { key: provider.key, path: { id: mid }, body: pair });
  await drive('getTerminalHistory', { path: { id: created.body.data[0].tid } });
  const foreign = await newTerminal(stranger, (await newBranch(stranger)).mid);
  await drive('getTerminalHistory', { path: { id: foreign.tid } }, 404);
  for (const method of ['paymentProviders', 'distributors', 'acquirers', 'paymentApp'])
    await drive('lookup', { path: { method } }, 200, method === 'paymentProviders' ? distributor : provider);
  await putUnindexed('MASTER_MERCHANTS', provider);
  await withLongLookup(() => drive('lookup', { path: { method: 'masterMerchants' }, query: { search: 'harbour' } }));
  await drive('find', { query: { master_merchant_id } });
  await drive('unknownRoute', {}, 404);
  await exceedLimit('unknownRoute');
  await asRole('selfCheck', async () =>
    (await import('../../functions/other/selfCheck.ts')).handler({}, {} as Context),
  );
}

beforeAll(async () => {
  const { send } = SecretsManagerClient.prototype;
  const { CARD_HMAC_KEY_SECRET = '', SELF_CHECK_KEY_SECRET = '' } = process.env;
  const names: Record<string, string> = {
    [CARD_HMAC_KEY_SECRET]: 'secret',
    [SELF_CHECK_KEY_SECRET]: 'self-check-secret',
  };
  jest.spyOn(SecretsManagerClient.prototype, 'send').mockImplementation(function (this: SecretsManagerClient, command) {
    const { SecretId = '' } = command.input as { SecretId?: string };
    checkAccess([{ resource: names[SecretId] ?? SecretId, action: command.constructor.name.replace('Command', '') }]);
    return Reflect.apply(send, this, [command]);
  });
  captureLog();
  KEY_USE.intervalMs = 3_600_000;
  // The requests of the self-check's calls are not its own.
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
  await driveAll();
  jest.restoreAllMocks();
});

/** The needs of each different request that a function made. */
const requestsBy = (name: string): Need[][] => [...(needsByOperation[name]?.values() ?? [])];

const words = ({ action, resource }: Need): string => `${action} on ${resource}`;
const wordsOf = ({ action, resource }: AwsRequest): string =>
  words({ resource, action: action.replace(/^(dynamodb|secretsmanager):/, '') });
const allowedBy = async (role: Role): Promise<string[]> => (await role.allowed()).map(wordsOf).sort();

/** The requests of the function, and those that Lambda makes on its behalf. */
const needed = (name: string): string[] =>
  [...new Set(requestsBy(name).flat().map(words)), 'logs:CreateLogStream on log', 'logs:PutLogEvents on log'].sort();

test.each(NAMES)('the role of %s allows exactly the requests of the function and its own log', (name) => {
  expect(granted[name]).toEqual(needed(name));
});

test('the simulator covers every action of DynamoDB, Secrets Manager and CloudWatch Logs, also on other tables and indexes', () => {
  const requests = roles['lookup']?.requests.map(wordsOf) ?? [];
  expect(requests).toEqual(
    expect.arrayContaining([
      ...['GetItem', 'Scan', 'DeleteTable', 'UpdateTable', 'BatchWriteItem', 'PartiQLSelect'].map(
        (action) => `${action} on table`,
      ),
      ...Object.keys(KINDS).flatMap((kind) => [`PutItem on ${kind}`, `PartiQLInsert on ${kind}`]),
      ...['GetItem', 'PutItem', 'Query'].map((action) => `${action} on BRANCH of another table`),
      ...[...INDEXES, 'another index', "another table's index"].map((index) => `Query on ${index}`),
      ...[...Object.keys(SECRETS), 'another secret'].map((secret) => `GetSecretValue on ${secret}`),
      'ListTables on anything',
      "logs:PutLogEvents on another function's log",
    ]),
  );
  expect(requests.length).toBeGreaterThan(700);
});

test('no function can write API keys or access the registered acquirers', () => {
  for (const name of NAMES)
    expect([name, granted[name]?.filter((each) => / on (API_KEY|ACQUIRERS)$/.test(each))]).toEqual([
      name,
      ENDPOINTS[name] ? ['GetItem on API_KEY'] : [],
    ]);
});

test('a function that only reads can write only its caller’s rate limit and the last use of its key', () => {
  // Not listBranches, because it may rank branches.
  for (const name of ['getBranch', 'listTerminals', 'lookup', 'find', 'memberCheck', 'unknownRoute'])
    expect([name, granted[name]?.filter((each) => /^(Put|Update|Delete|BatchWrite|PartiQL)/.test(each))]).toEqual([
      name,
      // A lookup may store search entries.
      [
        ...(name === 'lookup' ? ['DeleteItem on WORDS', 'PutItem on WORDS'] : []),
        'UpdateItem on API_KEY_USE',
        'UpdateItem on RATE_LIMIT',
      ],
    ]);
});

/** Whether the role of a function allows an action on items of the table with these partition keys. */
const allows = (name: string, action: string, leadingKeys: string[]): Promise<boolean> => {
  const { requests = [], allows } = roles[name] ?? {};
  const request = requests.find((each) => each.action === `dynamodb:${action}`) as AwsRequest;
  return (allows as Role['allows'])({ ...request, leadingKeys });
};

test.each([
  [true, ['BRANCH#1', 'BRANCH#', 'BRANCH#API_KEY#1', 'BRANCH#*', 'BRANCH#?']],
  [false, ['branch#1', 'BRANCH', 'XBRANCH#1', ' BRANCH#1', 'TERMINAL#BRANCH#1', '*', 'BRANC?#1', '']],
])('a key belongs to the kind whose name and # it starts with (%s)', async (isBranch, pks) => {
  for (const pk of pks) expect([pk, await allows('archiveBranch', 'UpdateItem', [pk])]).toEqual([pk, isBranch]);
});

/**
 * The item keys with which IAM might authorize an item of a request. For a batch it uses all keys; for a transaction
 * AWS does not document it.
 */
const READINGS: [string, (items: Need[], item: Need) => Need[]][] = [
  ['by itself', (_, item) => [item]],
  ['together with those of the same action', (items, { action }) => items.filter((each) => each.action === action)],
  ['together with all others', (items) => items],
];

describe.each(READINGS)('if each item of a request is authorized %s', (_, withItem) => {
  /** The batches and transactions that functions have sent. */
  const requests = () =>
    NAMES.flatMap((name) => requestsBy(name).flatMap((items) => (items.length > 1 ? [{ name, items }] : [])));
  const isAllowed = (name: string, items: Need[], item: Need): Promise<boolean> =>
    allows(
      name,
      item.action,
      withItem(items, item).map(({ resource }) => KINDS[resource] as string),
    );

  test('each function can send its batches and transactions', async () => {
    expect(requests().length).toBeGreaterThan(20);
    for (const { name, items } of requests())
      for (const item of items) expect([name, items, item, await isAllowed(name, items, item)]).toContain(true);
  });

  test('no function can add an item of a kind that it does not read or write', async () => {
    for (const { name, items } of requests()) {
      const [{ action }] = items as [Need];
      const alike = STEPS.includes(action) ? STEPS : [action];
      const foreign = Object.keys(KINDS).filter((kind) => !ACCESS[name]?.[kind]?.some((each) => alike.includes(each)));
      expect(foreign).toContain('API_KEY');
      for (const resource of foreign) {
        const added = { action, resource };
        expect([name, items, added, await isAllowed(name, [...items, added], added)]).toContain(false);
      }
    }
  });
});

interface Statement {
  Action: string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

describe('the comparison fails if a role', () => {
  const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table';
  const keysOf = ({ Condition }: Statement) =>
    Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string[];

  /** Allows an action on every item of the table. */
  const allow = (action: string) => (items: Statement) => {
    delete items.Condition;
    items.Action.push(`dynamodb:${action}`);
  };

  /** Changes to the statements after the first one, which is about the log. */
  const broken: [string, string, (first: Statement, ...others: Statement[]) => unknown][] = [
    ['lacks what the function needs', 'createBranch', ({ Action }) => Action.shift()],
    ['may scan', 'lookup', allow('Scan')],
    ['may write though the function only reads', 'getBranch', ({ Action }) => Action.push('dynamodb:PutItem')],
    ['may use every action with a common prefix', 'lookup', allow('Get*')],
    ['may read every kind', 'getBranch', (items) => keysOf(items).push('*')],
    ['may read without a key', 'getBranch', ({ Condition }) => delete Condition?.['Null']],
    [
      'may use the actions for one kind on every kind that it writes',
      'createBranch',
      (...statements) => statements.map(({ Condition }) => delete Condition?.['ForAnyValue:StringLike']),
    ],
    [
      'may read every index',
      'listTerminals',
      (...statements) =>
        Object.assign(statements.at(-1) ?? {}, { Resource: `${TABLE}/acquirer-partner-api-prod/index/*` }),
    ],
    ['may use every table', 'getBranch', (items) => Object.assign(items, { Resource: `${TABLE}/*` })],
    [
      'may read another secret',
      'selfCheck',
      (secret) => Object.assign(secret, { Resource: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:*' }),
    ],
    ['may change the secret', 'selfCheck', ({ Action }) => Action.push('secretsmanager:PutSecretValue')],
  ];

  test.each(broken)('%s', async (_, name, spoil) => {
    const spoilt = structuredClone(template);
    const { Policies } = resourceOf(spoilt, logicalId(name, 'Role')).Properties;
    const [, ...statements] = Policies[0].PolicyDocument.Statement;
    spoil(...(statements as [Statement]));
    expect(await allowedBy(await roleOf(spoilt, name))).not.toEqual(granted[name]);
  });
});

test('an operation that exceeds its role fails in any test, even if it handles the error', async () => {
  const greedy = () =>
    table.send(new PutCommand({ TableName: tableName(), Item: apiKeyKey('1') })).catch(({ name }) => name);
  await expect(asRole('lookup', greedy)).rejects.toThrow(
    'The role of lookup denies PutItem on API_KEY. If the operation needs it, add it to infra/functions.yml.',
  );
  const scan = () => table.send(new ScanCommand({ TableName: tableName() }));
  await expect(asRole('lookup', scan)).rejects.toThrow('lookup may not Scan on table');
});
