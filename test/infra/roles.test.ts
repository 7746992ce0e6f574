import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { FUNCTIONS, INDEXES, logicalId, SECRETS } from '../../infra/generated/definitions.ts';
import { templateOf } from '../../infra/packaged/packaging.ts';
import { type Request as AwsRequest, allowedTo, isAllowed, requestsOf } from '../../infra/packaged/simulator.ts';
import { resourceOf, type Template } from '../../infra/packaged/template.ts';
import { issueApiKey, revokeApiKey } from '../../lib/apiKey.ts';
import { SEALING } from '../../lib/branchList.ts';
import { table } from '../../lib/table/client.ts';
import { ask, asked, asRole } from '../support/access.ts';
import { call, type Operation, type Request } from '../support/api.ts';
import { captureLog } from '../support/log.ts';
import { type Caller, newBranch, newTerminal, newWorld, unique, type World } from '../support/world.ts';

/*
 * Each function's role, judged by a simulator of IAM, against what the function does. What it needs is not written down
 * here but observed, while every operation is led along all its paths.
 */

const NAMES = Object.keys(FUNCTIONS);

let template: Template;
beforeAll(async () => {
  template = await templateOf('prod');
}, 60_000);

/** Does something while no index shows anything yet. */
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

/** Does something while every list and every create ranks a branch, if there is one to rank. */
async function withSealing(act: () => Promise<void>): Promise<void> {
  const before = { ...SEALING };
  Object.assign(SEALING, { horizonMs: 0, least: 1, most: 1, share: 1 });
  await act();
  Object.assign(SEALING, before);
}

/** Leads every operation along all paths that differ in what they ask for. */
async function driveAll(world: World): Promise<void> {
  const { distributor, provider, stranger } = world;
  const drive = async (operation: Operation, caller: Caller, request: Request, status = 200) => {
    // A key that nothing has looked at yet, so that the operation has to.
    const { key_id, api_key } = await issueApiKey(caller.id, 'test');
    expect(await call(operation, { key: api_key, ...request })).toMatchObject({ status });
    await revokeApiKey(caller.id, key_id);
  };
  const branch = await newBranch(distributor, { payment_provider: provider.id });
  const { mid } = branch;
  const other = await newBranch(provider);
  const terminal = () => newTerminal(provider, mid, { serial_no: unique('S') });
  const at = async () => ({ path: { id: (await terminal()).tid } });
  const names = { payment_app: 'Checkout Go', acquirer_name: 'Atlantic Acquiring' };
  const unknownNames = { payment_app: 'No such app', acquirer_name: 'No such acquirer' };

  await drive('listBranches', provider, {});
  await drive('listBranches', distributor, {});
  await withLaggingIndexes(() => drive('listBranches', provider, {}));
  await withSealing(async () => {
    const body = () => ({ mid: unique('MID'), master_merchant_id: unique('MM') });
    // Twice: who ranks a branch removes the entry of the one that was ranked before.
    for (const _ of [1, 2]) {
      await drive('createBranch', provider, { body: body() }, 201);
      await drive('listBranches', provider, {});
    }
  });

  const terminals = [{ terminal_id: unique('T') }];
  const named = { mid: unique('MID'), master_merchant_id: unique('MM'), terminals };
  await drive('createBranch', distributor, { body: { ...named, payment_provider: provider.id } }, 201);
  const { existing_master_merchant } = other;
  const shared = { mid: unique('MID'), existing_master_merchant, distributor: distributor.id };
  await drive('createBranch', provider, { body: shared }, 201);
  const foreign = { mid: unique('MID'), master_merchant_id: unique('MM'), payment_provider: stranger.id };
  await drive('createBranch', distributor, { body: foreign }, 422);

  await drive('getBranch', provider, { path: { mid } });
  await drive('archiveBranch', provider, { path: { mid: (await newBranch(provider)).mid } });
  await terminal();
  await drive('listTerminals', provider, { path: { id: mid } });
  await withLaggingIndexes(() => drive('listTerminals', provider, { path: { id: mid } }));

  const serial_no = unique('S');
  const create = (fields: object) => ({
    path: { id: mid },
    body: { terminals: [{ terminal_id: unique('T'), ...fields }] },
  });
  await drive('createTerminals', provider, create({ serial_no, ...names }), 201);
  await drive('createTerminals', provider, create({ serial_no, ...unknownNames }), 422);

  await drive('updateTerminal', provider, { ...(await at()), body: { serial_no: unique('S'), ...names } });
  await drive('updateTerminal', provider, { ...(await at()), body: { serial_no: null, ...unknownNames } }, 422);

  await drive('deleteTerminal', provider, await at());
  await drive('archiveTerminal', provider, { ...(await at()), body: { reason: 'Lost.' } });
  const archived = await at();
  await call('archiveTerminal', { key: provider.key, ...archived, body: { reason: 'Lost.' } });
  await drive('restoreTerminal', provider, archived);
  await drive('reassignTerminal', provider, {
    ...(await at()),
    headers: { 'idempotency-key': 'once' },
    body: { mid: other.mid },
  });

  for (const method of ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'])
    await drive('lookup', method === 'distributors' ? distributor : provider, { path: { method } });

  const card = { card_id: 'card', card_pseudo_token: 'token', terminal_id: 'T', acquirer_id: provider.id };
  await drive('memberCheck', provider, { body: { amount: 1, currency: 'EUR', ...card } });
  await drive('unknownRoute', provider, {}, 404);
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
    ask(names[SecretId] ?? SecretId, command.constructor.name.replace('Command', ''));
    return Reflect.apply(send, this, [command]);
  });
  captureLog();
  // What the self-check calls is not its to be allowed.
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
  await driveAll(await newWorld());
  jest.restoreAllMocks();
});

/** A request in the words in which the hook tells what was asked. */
const wordsOf = ({ action, resource }: AwsRequest): string =>
  `${resource}: ${action.replace(/^(dynamodb|secretsmanager):/, '')}`;

/** What the role of a function allows. */
const granted = async (name: string, of = template): Promise<string[]> =>
  (await allowedTo(of, name)).map(wordsOf).sort();

/** What the function asks for, and what Lambda does in its name. */
const needed = (name: string): string[] =>
  [...(asked[name] ?? []), 'log: logs:CreateLogStream', 'log: logs:PutLogEvents'].sort();

test.each(NAMES)('the role of %s allows what the function asks for, its own log, and nothing else', async (name) => {
  expect(await granted(name)).toEqual(needed(name));
});

test('nothing else is all that DynamoDB, Secrets Manager and CloudWatch Logs know, also on other tables and indexes', async () => {
  const requests = (await requestsOf(template, 'lookup')).map(wordsOf);
  expect(requests).toEqual(
    expect.arrayContaining([
      ...['Scan', 'DeleteTable', 'UpdateTable', 'BatchWriteItem', 'PartiQLSelect', 'ExportTableToPointInTime'].map(
        (action) => `table: ${action}`,
      ),
      ...['GetItem', 'PutItem', 'Query'].map((action) => `another table: ${action}`),
      ...[...INDEXES, 'another index', "another table's index"].map((index) => `${index}: Query`),
      ...[...Object.keys(SECRETS), 'another secret'].map((secret) => `${secret}: GetSecretValue`),
      'anything: ListTables',
      "another function's log: logs:PutLogEvents",
    ]),
  );
  expect(requests.length).toBeGreaterThan(350);
});

test('functions that only read may not write', async () => {
  // Whoever lists branches may rank them.
  const readers = NAMES.filter((name) => /^(listTerminals|get|lookup|memberCheck|unknownRoute)/.test(name));
  expect(readers).toHaveLength(5);
  const writes = /:(Put|Update|Delete|BatchWrite|PartiQL(Insert|Update|Delete))/;
  for (const name of readers) {
    const requests = (await requestsOf(template, name)).filter(
      ({ action }) => writes.test(action) && !action.startsWith('logs:'),
    );
    expect(requests.length).toBeGreaterThan(20);
    for (const request of requests) expect([name, request, await isAllowed(template, name, request)]).toContain(false);
  }
});

describe('a role is found out when it', () => {
  const statementsOf = (broken: Template, name: string) =>
    resourceOf(broken, logicalId(name, 'Role')).Properties.Policies[0].PolicyDocument.Statement;
  const indexArn = (index: string) =>
    `arn:aws:dynamodb:eu-central-1:123456789012:table/acquirer-partner-api-prod/index/${index}`;
  const broken: [string, string, (statements: { Action: string[]; Resource: unknown }[]) => void][] = [
    ['lacks what the function needs', 'createBranch', ([, table]) => table?.Action.shift()],
    ['may scan', 'lookup', ([, table]) => table?.Action.push('dynamodb:Scan')],
    ['may write though the function only reads', 'getBranch', ([, table]) => table?.Action.push('dynamodb:PutItem')],
    ['may delete the table', 'getBranch', ([, table]) => table?.Action.push('dynamodb:DeleteTable')],
    ['may do all that begins alike', 'lookup', ([, table]) => table?.Action.push('dynamodb:Get*')],
    [
      'may read another index',
      'listTerminals',
      ([, , index]) => Object.assign(index ?? {}, { Resource: indexArn('branches-by-provider') }),
    ],
    ['may read every index', 'listTerminals', ([, , index]) => Object.assign(index ?? {}, { Resource: indexArn('*') })],
    [
      'may use every table',
      'getBranch',
      ([, table]) => Object.assign(table ?? {}, { Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/*' }),
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
    expect(await granted(name, spoilt)).not.toEqual(needed(name));
  });

  test('may write to another function’s log', async () => {
    const spoilt = structuredClone(template);
    statementsOf(spoilt, 'lookup')[0].Resource = { 'Fn::GetAtt': ['MemberCheckLogGroup', 'Arn'] };
    expect(await granted('lookup', spoilt)).toEqual(
      needed('lookup')
        .map((need) => need.replace(/^log:/, "another function's log:"))
        .sort(),
    );
  });
});

test('an operation that asks for more than its role allows fails in any test, even if it makes an answer of it', async () => {
  const greedy = async () => {
    try {
      ask('table', 'Scan');
    } catch (error) {
      return (error as Error).name;
    }
    return 'allowed';
  };
  await expect(asRole('lookup', greedy)).rejects.toThrow('infra/access.yml does not allow lookup: Scan on table');
});
