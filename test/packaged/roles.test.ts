import { randomUUID } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { ACCESS, ENDPOINTS, FUNCTIONS, INDEXES, logicalId, SECRETS, STEPS } from '../../infra/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/template/template.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { limitAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { issueApiKey, revokeApiKey } from '../../lib/operator/apiKeys.ts';
import { table, tableName } from '../../lib/table/client.ts';
import { apiKeyKey } from '../../lib/table/keys.ts';
import { asRole, checkAccess, type Need, needsByOperation } from '../support/access.ts';
import { call, type Operation, type Request } from '../support/api.ts';
import { captureLog } from '../support/log.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, newWorld, unique, type World } from '../support/world.ts';
import { templateOf } from './packaging.ts';
import { type Request as AwsRequest, allowedTo, isAllowed, KINDS, requestsOf } from './simulator.ts';

/*
 * Compares each function's role with its actual requests, using an IAM simulator. The requests are not listed here but
 * recorded while every operation runs along all its paths.
 */

const NAMES = Object.keys(FUNCTIONS);

let template: Template;
beforeAll(async () => {
  template = await templateOf('prod');
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
async function driveAll(world: World): Promise<void> {
  const { distributor, provider, stranger } = world;
  const drive = async (operation: Operation, caller: Caller, request: Request, status = 200) => {
    // A new key, which is not cached.
    const { key_id, api_key } = await issueApiKey(caller.id, 'test');
    expect(await call(operation, { key: api_key, ...request })).toMatchObject({ status });
    await revokeApiKey(caller.id, key_id);
  };
  const branch = await newBranch(distributor, { payment_provider: provider.id });
  const { mid } = branch;
  const other = await newBranch(provider);
  const terminal = (under = mid) => newTerminal(provider, under, { serial_no: unique('S') });
  const at = async (under = mid) => ({ path: { id: (await terminal(under)).tid } });
  const toArchive = (await newBranch(provider)).mid;
  const underArchived = await Promise.all([at(toArchive), at(toArchive)]);
  // The second request finds the first response by its Idempotency-Key.
  const driveTwice = async (operation: Operation, caller: Caller, request: Request, status?: number) => {
    const repeated = { ...request, headers: { 'idempotency-key': unique('K') } };
    await drive(operation, caller, repeated, status);
    await drive(operation, caller, repeated, status);
  };
  const names = { payment_app: 'Checkout Go', acquirer_name: 'Atlantic Acquiring' };
  const unknownNames = { payment_app: 'No such app', acquirer_name: 'No such acquirer' };

  await drive('listBranches', provider, {});
  await drive('listBranches', distributor, {});
  await withLaggingIndexes(() => drive('listBranches', provider, {}));
  await withSealing(async () => {
    const body = () => ({ mid: unique('MID'), master_merchant_id: unique('MM') });
    // Twice, because ranking a branch removes the entry of the one ranked before.
    for (const _ of [1, 2]) {
      await drive('createBranch', provider, { body: body() }, 201);
      await drive('listBranches', provider, {});
    }
  });

  const terminals = [{ terminal_id: unique('T'), serial_no: unique('S'), ...names }];
  const named = { mid: unique('MID'), master_merchant_id: unique('MM'), terminals };
  await driveTwice('createBranch', distributor, { body: { ...named, payment_provider: provider.id } }, 201);
  const { existing_master_merchant } = other;
  const shared = { mid: unique('MID'), existing_master_merchant, distributor: distributor.id };
  await drive('createBranch', provider, { body: shared }, 201);
  const foreign = { mid: unique('MID'), master_merchant_id: unique('MM'), payment_provider: stranger.id };
  await drive('createBranch', distributor, { body: foreign }, 422);

  await drive('getBranch', provider, { path: { mid } });
  await drive('archiveBranch', provider, { path: { mid: toArchive } });
  await terminal();
  await drive('listTerminals', provider, { path: { id: mid } });
  await withLaggingIndexes(() => drive('listTerminals', provider, { path: { id: mid } }));

  const serial_no = unique('S');
  const create = (fields: object) => ({
    path: { id: mid },
    body: { terminals: [{ terminal_id: unique('T'), ...fields }] },
  });
  await driveTwice('createTerminals', provider, create({ serial_no, ...names }), 201);
  await drive('createTerminals', provider, create({ serial_no, ...unknownNames }), 422);

  await drive('updateTerminal', provider, { ...(await at()), body: { serial_no: unique('S'), ...names } });
  await drive('updateTerminal', provider, { ...(await at()), body: { serial_no: null, ...unknownNames } }, 422);

  await drive('updateTerminal', provider, { ...underArchived[0], body: {} });

  await drive('deleteTerminal', provider, await at());
  await drive('archiveTerminal', provider, { ...(await at()), body: { reason: 'Lost.' } });
  await drive('archiveTerminal', provider, { ...underArchived[1], body: { reason: 'Lost.' } }, 400);
  const archived = await at();
  await call('archiveTerminal', { key: provider.key, ...archived, body: { reason: 'Lost.' } });
  await drive('restoreTerminal', provider, archived);
  await driveTwice('reassignTerminal', provider, { ...(await at()), body: { mid: other.mid } });

  await drive('listEvents', provider, {});
  await drive('getBranchHistory', provider, { path: { mid } });
  await drive('getTerminalHistory', provider, archived);
  await drive('getTerminalHistory', provider, { path: { id: randomUUID() } }, 404);

  for (const method of ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'])
    await drive('lookup', method === 'paymentProviders' ? distributor : provider, { path: { method } });

  const { serial_no: found } = await terminal();
  await drive('find', provider, { query: { serial_no: found } });
  await drive('find', provider, { query: { master_merchant_id: other.master_merchant_id } });

  const card = { card_id: 'card', card_pseudo_token: 'token', terminal_id: 'T', acquirer_id: provider.id };
  await drive('memberCheck', provider, { body: { amount: 1, currency: 'EUR', ...card } });
  await drive('unknownRoute', provider, {}, 404);
  for (const operation of Object.keys(ENDPOINTS) as Operation[]) await exceedLimit(operation);
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
  // The requests of the self-check's calls are not its own.
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
  await driveAll(await newWorld());
  jest.restoreAllMocks();
});

/** The needs of each different request that a function made. */
const requestsBy = (name: string): Need[][] => [...(needsByOperation[name]?.values() ?? [])];

const words = ({ action, resource }: Need): string => `${action} on ${resource}`;
const wordsOf = ({ action, resource }: AwsRequest): string =>
  words({ resource, action: action.replace(/^(dynamodb|secretsmanager):/, '') });

/** The permissions of a function's role. */
const allowedBy = async (template: Template, name: string): Promise<string[]> =>
  (await allowedTo(template, name)).map(wordsOf).sort();

const cached: Record<string, Promise<string[]>> = {};
/** Its permissions as deployed. */
const granted = (name: string): Promise<string[]> => {
  cached[name] ??= allowedBy(template, name);
  return cached[name];
};

/** The requests of the function, and those that Lambda makes on its behalf. */
const needed = (name: string): string[] =>
  [...new Set(requestsBy(name).flat().map(words)), 'logs:CreateLogStream on log', 'logs:PutLogEvents on log'].sort();

test.each(NAMES)('%s uses every permission in infra/access.yml', (name) => {
  const grants = Object.entries(ACCESS[name] ?? {}).flatMap(([resource, actions]) =>
    actions.map((action) => words({ resource, action })),
  );
  const needless = grants.filter((grant, at) => !needed(name).includes(grant) || grants.indexOf(grant) < at);
  expect(
    needless.map((grant) => `${name} does not use ${grant}, or has it twice: remove it from infra/access.yml`),
  ).toEqual([]);
});

test.each(NAMES)('the role of %s allows only the requests of the function and its own log', async (name) => {
  expect(await granted(name)).toEqual(needed(name));
});

test('the simulator covers every action of DynamoDB, Secrets Manager and CloudWatch Logs, also on other tables and indexes', async () => {
  const requests = (await requestsOf(template, 'lookup')).map(wordsOf);
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

test.each(NAMES)('%s cannot write API keys or access the registered acquirers', async (name) => {
  expect((await granted(name)).filter((each) => / on (API_KEY|ACQUIRERS)$/.test(each))).toEqual(
    ENDPOINTS[name] ? ['GetItem on API_KEY'] : [],
  );
});

// Not listBranches, because it may rank branches.
test.each(['getBranch', 'listTerminals', 'lookup', 'find', 'memberCheck', 'unknownRoute'])(
  '%s, which only reads, can write only its caller’s rate limit',
  async (name) => {
    const writes = (await granted(name)).filter((each) => /^(Put|Update|Delete|BatchWrite|PartiQL)/.test(each));
    expect(writes).toEqual(['UpdateItem on RATE_LIMIT']);
  },
);

test.each([
  [true, ['BRANCH#1', 'BRANCH#', 'BRANCH#API_KEY#1', 'BRANCH#*', 'BRANCH#?']],
  [false, ['branch#1', 'BRANCH', 'XBRANCH#1', ' BRANCH#1', 'TERMINAL#BRANCH#1', '*', 'BRANC?#1', '']],
])('a key belongs to the kind whose name and # it starts with (%s)', async (isBranch, pks) => {
  const request = await itemRequest('archiveBranch', 'UpdateItem');
  for (const pk of pks)
    expect([pk, await isAllowed(template, 'archiveBranch', { ...request, leadingKeys: [pk] })]).toEqual([pk, isBranch]);
});

/** A request for items of the table. */
const itemRequest = async (name: string, action: string): Promise<AwsRequest> =>
  (await requestsOf(template, name)).find((each) => each.action === `dynamodb:${action}`) as AwsRequest;

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
  const allows = async (name: string, items: Need[]): Promise<boolean> => {
    const verdicts = items.map(async (item) => {
      const leadingKeys = withItem(items, item).map(({ resource }) => KINDS[resource] as string);
      return isAllowed(template, name, { ...(await itemRequest(name, item.action)), leadingKeys });
    });
    return (await Promise.all(verdicts)).every((isAllowedToo) => isAllowedToo);
  };
  const requests = () =>
    NAMES.flatMap((name) => requestsBy(name).flatMap((items) => (items.length > 1 ? [{ name, items }] : [])));

  test('each function can send its batches and transactions', async () => {
    expect(requests().length).toBeGreaterThan(20);
    for (const request of requests()) expect([request, await allows(request.name, request.items)]).toContain(true);
  });

  test('no function can add an item of a kind that it does not read or write', async () => {
    expect(requests().length).toBeGreaterThan(20);
    for (const { name, items } of requests()) {
      const [{ action }] = items as [Need];
      const alike = STEPS.includes(action) ? STEPS : [action];
      const foreign = Object.keys(KINDS).filter((kind) => !ACCESS[name]?.[kind]?.some((each) => alike.includes(each)));
      expect(foreign).toContain('API_KEY');
      for (const resource of foreign)
        expect([name, items, resource, await allows(name, [...items, { action, resource }])]).toContain(false);
    }
  });
});

describe('the comparison fails if a role', () => {
  const statementsOf = (broken: Template, name: string) =>
    resourceOf(broken, logicalId(name, 'Role')).Properties.Policies[0].PolicyDocument.Statement;
  const indexArn = (index: string) =>
    `arn:aws:dynamodb:eu-central-1:123456789012:table/acquirer-partner-api-prod/index/${index}`;
  interface Statement {
    Action: string[];
    Resource: unknown;
    Condition?: Record<string, Record<string, unknown>>;
  }
  /** Allows an action on every item of the table. */
  const allow = (action: string) => (statements: Statement[]) => {
    const { Condition: _, ...items } = statements[1] as Statement;
    statements.push({ ...items, Action: [`dynamodb:${action}`] });
  };
  const last = (change: Partial<Statement>) => (statements: Statement[]) =>
    Object.assign(statements.at(-1) as Statement, change);
  const keysOf = ({ Condition }: Statement) =>
    Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string[];
  const broken: [string, string, (statements: Statement[]) => void][] = [
    ['lacks what the function needs', 'createBranch', ([, items]) => items?.Action.shift()],
    ['lacks a kind that the function needs', 'lookup', (statements) => keysOf(statements.at(-1) as Statement).pop()],
    ['may scan', 'lookup', allow('Scan')],
    ['may write though the function only reads', 'getBranch', ([, items]) => items?.Action.push('dynamodb:PutItem')],
    ['may delete the table', 'getBranch', allow('DeleteTable')],
    ['may use every action with a common prefix', 'lookup', allow('Get*')],
    ['may read every kind', 'getBranch', ([, items]) => keysOf(items as Statement).push('*')],
    ['may read without a key', 'getBranch', ([, items]) => delete items?.Condition?.['Null']],
    [
      'may use the actions for one kind on every kind that it writes',
      'createBranch',
      (statements) => {
        for (const { Condition } of statements) delete Condition?.['ForAnyValue:StringLike'];
      },
    ],
    ['may read another index', 'listTerminals', last({ Resource: indexArn('branches-by-provider') })],
    ['may read every index', 'listTerminals', last({ Resource: indexArn('*') })],
    [
      'may use every table',
      'getBranch',
      ([, items]) => Object.assign(items ?? {}, { Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/*' }),
    ],
    [
      'may use the table though the function does not',
      'selfCheck',
      ([, secret]) =>
        Object.assign(secret ?? {}, {
          Action: ['dynamodb:GetItem'],
          Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/acquirer-partner-api-prod',
        }),
    ],
    [
      'may read another secret',
      'selfCheck',
      ([, secret]) => Object.assign(secret ?? {}, { Resource: { Ref: 'CardHmacKey' } }),
    ],
    ['may change the secret', 'selfCheck', ([, secret]) => secret?.Action.push('secretsmanager:PutSecretValue')],
    [
      'may read the secret though the function does not',
      'lookup',
      (statements) =>
        statements.push({
          Action: ['secretsmanager:GetSecretValue'],
          Resource: { Ref: 'CardHmacKey' },
          Effect: 'Allow',
        } as never),
    ],
  ];

  test.each(broken)('%s', async (_, name, spoil) => {
    const spoilt = structuredClone(template);
    spoil(statementsOf(spoilt, name));
    expect(await allowedBy(spoilt, name)).not.toEqual(needed(name));
  });

  test('may write to another function’s log', async () => {
    const spoilt = structuredClone(template);
    statementsOf(spoilt, 'lookup')[0].Resource = { 'Fn::GetAtt': ['FindLogGroup', 'Arn'] };
    expect(await allowedBy(spoilt, 'lookup')).toEqual(
      needed('lookup')
        .map((need) => need.replace(/ log$/, " another function's log"))
        .sort(),
    );
  });
});

test('an operation that exceeds its role fails in any test, even if it handles the error', async () => {
  const greedy = async () => {
    try {
      await table.send(new PutCommand({ TableName: tableName(), Item: apiKeyKey('1') }));
    } catch (error) {
      return (error as Error).name;
    }
    return 'allowed';
  };
  await expect(asRole('lookup', greedy)).rejects.toThrow(
    'The role of lookup denies PutItem on API_KEY. If the operation needs it, add it to infra/access.yml.',
  );
  const scan = () => table.send(new ScanCommand({ TableName: tableName() }));
  await expect(asRole('lookup', scan)).rejects.toThrow('lookup may not Scan on table');
});
