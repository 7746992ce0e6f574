import { randomUUID } from 'node:crypto';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { requestOf, subjectOf } from '../../infra/contract/calls.ts';
import { CONSOLE_OPERATIONS, type ConsoleOperation } from '../../infra/local/invoke.ts';
import {
  ACCESS,
  ENDPOINTS,
  FUNCTIONS,
  INDEXES,
  isOfConsole,
  logicalId,
  OPERATIONS as PARTNERS_OPERATIONS,
  SECRETS,
  STEPS,
} from '../../infra/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/template/template.ts';
import { issueApiKey, revokeApiKey, rotateApiKey } from '../../lib/acquirers/keyring.ts';
import { KEY_USE } from '../../lib/acquirers/keyUse.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { limitAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { invitePerson } from '../../lib/people/people.ts';
import { SESSION } from '../../lib/people/session.ts';
import { table, tableName } from '../../lib/table/client.ts';
import { apiKeyKey, unindexedWordsKey, type WordList } from '../../lib/table/keys.ts';
import { asRole, checkAccess, type Need, needsByOperation } from '../support/access.ts';
import { call, OPERATIONS, type Operation, type Request, STATUSES } from '../support/api.ts';
import { CLIENT_ID, CLIENT_SECRET, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { captureLog } from '../support/log.ts';
import { withLongLookup } from '../support/longLookup.ts';
import { newIdentity, personOf, signInAgain } from '../support/people.ts';
import { newRequests } from '../support/requests.ts';
import { archiveBranch, type Caller, newAcquirer, newBranch, newTerminal, unique } from '../support/world.ts';
import { arn, resolved } from './deployed.ts';
import { ISSUER, templateOf } from './packaging.ts';
import { type Request as AwsRequest, KINDS, type Role, requestsOn, roleOf, roleWith } from './simulator.ts';

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
  template = await templateOf('prod', ISSUER);
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

/** Calls an operation by the session of an admin, which resolves whatever the response is. */
async function drivenByPerson(operation: Operation, { id }: { id: string }): Promise<void> {
  const { session } = await personOf(id, 'admin');
  await call(operation, { session, path: { mid: 'NOSUCH', id: 'NOSUCH', method: 'none' }, body: {} });
}

/** Calls an operation of the console more often in a window than a process accepts without a lease. */
async function exceedLimitOfPerson(operation: ConsoleOperation): Promise<void> {
  const { id } = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  const person = await personOf(id, 'admin');
  // Signing out ends a session.
  const again = async () => (operation === 'signOut' ? await signInAgain(person) : person).session;
  const sessions = [await again(), await again(), await again()];
  const actingAs = ofOwnSession(operation) ? 'none' : id;
  await limitAcquirer(id, { rate: 1, burst: 60 });
  jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  for (const session of sessions)
    await call(operation, { session: { ...session, actingAs }, path: { id: randomUUID() }, body: {} });
  jest.mocked(Date.now).mockRestore();
}

const ofOwnSession = (operation: ConsoleOperation): boolean => /^(getSession|signOut)$/.test(operation);

/** Calls every operation of the console along all paths that send different requests. */
async function driveConsole(): Promise<void> {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const other = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  const { id } = provider;
  const drive = async (operation: ConsoleOperation, request: Request = {}, status = 200) => {
    // A new session, which is not cached.
    const { session } = await personOf(id, 'admin');
    const actingAs = ofOwnSession(operation) ? 'none' : id;
    const response = await call(operation, { ...request, session: { ...session, actingAs } });
    expect([operation, response]).toEqual([operation, expect.objectContaining({ status })]);
    return response.body;
  };
  for (const operation of CONSOLE_OPERATIONS) {
    await exceedLimitOfPerson(operation);
    // A key resolves, and is refused.
    const { key_id, api_key } = await issueApiKey(id, 'test');
    if (!ofOwnSession(operation)) await call(operation, { key: api_key, path: { id: randomUUID() } });
    await revokeApiKey(id, key_id);
  }
  await drive('getSession');
  await drive('signOut');
  await drive('signOut', { query: { everywhere: 'true' } });
  await drive('listKeys');
  const newKey = async () => ({ path: { id: (await issueApiKey(id, 'test')).key_id } });
  /** A key whose overlap is over is removed by the next change of keys. */
  const withExpiredKey = async () => {
    const { key_id } = await issueApiKey(id, 'test');
    await rotateApiKey(id, key_id, 1);
    await new Promise((done) => setTimeout(done, 5));
  };
  await withExpiredKey();
  await drive('createKey', { body: { label: 'till', role: 'till' } }, 201);
  await drive('rotateKey', { ...(await newKey()), body: { overlap_hours: 1 } }, 201);
  await drive('rotateKey', { ...(await newKey()), body: { overlap_hours: 0 } }, 201);
  await drive('revokeKey', await newKey());
  await drive('listPeople');
  const invitation = { body: { email: 'anna@example.com', role: 'viewer' } };
  await drive('invitePerson', invitation, 201);
  const { data } = await drive('invitePerson', invitation, 201);
  await drive('revokeInvitation', { path: { id: data.id } });
  const viewer = await personOf(id, 'viewer');
  await drive('changePerson', { path: { id: viewer.id }, body: { role: 'operator' } });
  await drive('removePerson', { path: { id: viewer.id } });
  const ofBoth = await personOf(other.id, 'viewer');
  await personOf(id, 'viewer', { identity: ofBoth.identity });
  await drive('removePerson', { path: { id: ofBoth.id } });
  await driveReads(provider, drive);
}

/** Searches, and lists activity, along all paths that send different requests. */
async function driveReads(
  provider: Caller,
  drive: (operation: ConsoleOperation, request: Request) => Promise<unknown>,
): Promise<void> {
  const { mid } = await newBranch(provider, { branch_name: 'Harbour' });
  const { key } = provider;
  const body = { terminals: [{ terminal_id: unique('T'), serial_no: unique('S') }, { terminal_id: unique('T') }] };
  const { data } = (await call('createTerminals', { key, path: { id: mid }, body })).body;
  const [{ tid, serial_no }] = data;
  for (const q of ['harbour', mid, tid, serial_no]) await drive('search', { query: { q } });
  await putUnindexed('BRANCHES', provider);
  await drive('search', { query: { q: 'nothing' } });
  for (const query of [{}, { mid }, { tid }]) await drive('listActivity', { query });
}

/** Signs people in at an issuer, along all paths that send different requests. */
async function driveSignIn(): Promise<void> {
  const [payfair, quickpay] = [
    await newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    await newAcquirer('PAYMENT_PROVIDER', 'Quickpay'),
  ];
  const { email, name } = newIdentity();
  issuer.accounts['anna'] = { email, email_verified: true, name };
  issuer.signsIn.account = 'anna';
  const handlers = {
    signIn: (await import('../../functions/console/signIn.ts')).handler,
    callback: (await import('../../functions/console/callback.ts')).handler,
  };
  let network = 0;
  /** Opens a page, and returns where it sends the browser and its first cookie. */
  const open = async (
    page: 'signIn' | 'callback',
    { search, cookies = [], sourceIp }: { search: string; cookies?: string[]; sourceIp: string },
  ) => {
    const event = {
      routeKey: ENDPOINTS[page]?.events[0].httpApi,
      rawQueryString: search.replace('?', ''),
      queryStringParameters: Object.fromEntries(new URLSearchParams(search)),
      headers: {},
      cookies,
      requestContext: { http: { method: 'GET', sourceIp } },
    } as unknown as APIGatewayProxyEventV2;
    const { headers, cookies: [cookie = ''] = [] } = await asRole(page, () =>
      handlers[page](event, { awsRequestId: randomUUID() } as Context),
    );
    return { location: String(headers?.['location']), cookie: cookie.replace(/;.*/, '') };
  };
  const signInWith = async (search: string, earlier: string[] = []): Promise<string> => {
    network += 1;
    const sourceIp = `203.0.113.${network}`;
    const begun = await open('signIn', { search, sourceIp });
    const back = await issuer.visit(begun.location);
    const done = await open('callback', { search: back.search, cookies: [begun.cookie, ...earlier], sourceIp });
    expect(done).toEqual({
      location: 'https://api.example.com/console',
      cookie: expect.stringMatching(/^__Host-session=./),
    });
    return done.cookie;
  };
  const invited = async ({ id }: Caller) =>
    (await invitePerson(id, { email, role: 'viewer' })).link.split('?')[1] ?? '';
  const session = await signInWith(await invited(payfair));
  await signInWith('', [session]);
  await signInWith(await invited(quickpay));
  jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  for (const page of ['signIn', 'callback'] as const)
    for (let sent = 1; sent <= 3; sent += 1)
      // Nothing opens this cookie, so the key is fetched anew.
      await open(page, { search: '', cookies: ['__Host-sign-in=sealed'], sourceIp: `198.51.100.${page.length}` });
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
    await drivenByPerson(operation, provider);
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
  await drivenByPerson('unknownRoute', provider);
  await driveConsole();
  await driveSignIn();
  const change = {
    eventID: '1',
    dynamodb: { Keys: { pk: { S: 'RECORD#1' }, sk: { S: '1' } }, ApproximateCreationDateTime: 1 },
  };
  await asRole('keepRecord', async () =>
    (await import('../../functions/other/keepRecord.ts')).handler({ Records: [change] }),
  );
  // The requests of the self-check's calls are not its own.
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
  await asRole('selfCheck', async () =>
    (await import('../../functions/other/selfCheck.ts')).handler({}, {} as Context),
  );
}

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer('https://api.example.com/console/callback');
  Object.assign(process.env, {
    ISSUER: issuer.url,
    CLIENT_ID,
    CLIENT_CREDENTIAL_SECRET: 'client-secret',
    SEALING_KEY_SECRET: 'sealing-key',
    RECORD_LOG_GROUP: 'record',
    RECORD_LOG_STREAM: 'changes',
    // Without a limit of the stage, people have none.
    RATE: '100',
    BURST: '200',
  });
  const ofSignIn: Record<string, string> = { 'client-secret': CLIENT_SECRET, 'sealing-key': 'only-for-tests' };
  const { send } = SecretsManagerClient.prototype;
  const { CARD_HMAC_KEY_SECRET = '', SELF_CHECK_KEY_SECRET = '' } = process.env;
  const names: Record<string, string> = {
    [CARD_HMAC_KEY_SECRET]: 'secret',
    [SELF_CHECK_KEY_SECRET]: 'self-check-secret',
  };
  jest.spyOn(SecretsManagerClient.prototype, 'send').mockImplementation(function (this: SecretsManagerClient, command) {
    const { SecretId = '' } = command.input as { SecretId?: string };
    checkAccess([{ resource: names[SecretId] ?? SecretId, action: command.constructor.name.replace('Command', '') }]);
    const SecretString = ofSignIn[SecretId];
    return SecretString ? Promise.resolve({ SecretString }) : Reflect.apply(send, this, [command]);
  });
  jest.spyOn(CloudWatchLogsClient.prototype, 'send').mockImplementation((command) => {
    checkAccess([{ resource: 'record-log', action: command.constructor.name.replace('Command', '') }]);
    return Promise.resolve({});
  });
  captureLog();
  KEY_USE.intervalMs = 3_600_000;
  SESSION.useIntervalMs = 60_000;
  await driveAll();
  jest.restoreAllMocks();
});
afterAll(() => issuer.stop());

/** The needs of each different request that a function made. */
const requestsBy = (name: string): Need[][] => [...(needsByOperation[name]?.values() ?? [])];

const words = ({ action, resource }: Need): string => `${action} on ${resource}`;
const wordsOf = ({ action, resource }: AwsRequest): string => words({ resource, action: action.replace(/^\w+:/, '') });
const allowedBy = async (role: Role): Promise<string[]> => (await role.allowed()).map(wordsOf).sort();

/** The requests of the function, and those that Lambda makes on its behalf. */
const needed = (name: string): string[] =>
  [
    ...new Set(requestsBy(name).flat().map(words)),
    'CreateLogStream on log',
    'PutLogEvents on log',
    // "Using Lambda with DynamoDB" also names ListStreams, which accepts no resource.
    ...(FUNCTIONS[name]?.access['stream'] ? ['DescribeStream', 'GetRecords', 'GetShardIterator'] : []).map(
      (action) => `${action} on stream`,
    ),
  ].sort();

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
      "PutLogEvents on another function's log",
    ]),
  );
  expect(requests.length).toBeGreaterThan(700);
});

/** The functions that may write a kind of items. */
const writersOf = (kind: string): string[] =>
  NAMES.filter((name) => granted[name]?.some((each) => /^(Put|Update|Delete)Item on (\w+)$/.exec(each)?.[2] === kind));

test.each(['ACQUIRERS', 'API_KEY', 'IDENTITY', 'PEOPLE', 'PERSON', 'RECORD'])(
  'no function of a partner’s operation, and no other one outside the console, can write %s',
  (kind) => {
    expect(writersOf(kind).filter((name) => !isOfConsole(name))).toEqual([]);
    expect(writersOf(kind)).not.toEqual([]);
  },
);

test('only changes of keys can write API keys, and only sign-ins and removals can write who a person is', () => {
  expect(writersOf('API_KEY')).toEqual(['createKey', 'rotateKey', 'revokeKey']);
  expect(writersOf('IDENTITY')).toEqual(['callback', 'removePerson']);
  expect(writersOf('PERSON')).toEqual(['callback', 'signOut', 'removePerson']);
  expect(writersOf('PEOPLE')).toEqual(['callback', 'invitePerson', 'revokeInvitation', 'changePerson', 'removePerson']);
  const with_ = (grant: string) => NAMES.filter((name) => granted[name]?.includes(grant));
  expect(with_('PutItem on IDENTITY')).toEqual(['callback']);
  expect(with_('PutItem on PERSON')).toEqual(['callback']);
  expect(with_('PutItem on SESSION')).toEqual(['callback']);
  expect(with_('DeleteItem on SESSION')).toEqual(['callback', 'signOut']);
});

test('only the two functions of the sign-in can read its secrets, and only the callback that of the client', () => {
  const readersOf = (secret: string) => NAMES.filter((name) => granted[name]?.includes(`GetSecretValue on ${secret}`));
  expect(Object.fromEntries(Object.keys(SECRETS).map((secret) => [secret, readersOf(secret)]))).toEqual({
    secret: ['memberCheck'],
    'self-check-secret': ['selfCheck'],
    'client-secret': ['callback'],
    'sealing-key': ['signIn', 'callback'],
  });
  const changing = NAMES.filter((name) => granted[name]?.some((each) => /^(?!Get).*Secret/.test(each)));
  expect(changing).toEqual([]);
});

test('of the console, only search and activity can access what partners store, and only to read it; none the members', () => {
  const ofPartners = /on (BRANCH|CARD|EVENTS|MASTER_MERCHANTS?|MEMBER|REASSIGNMENT|SERIAL|TERMINAL|WORDS)$/;
  const READS: Record<string, string[]> = {
    // A search may store search entries.
    search: [
      ...['BatchGetItem on BRANCH', 'DeleteItem on WORDS', 'GetItem on BRANCH', 'GetItem on SERIAL'],
      ...['GetItem on TERMINAL', 'PutItem on WORDS', 'Query on WORDS'],
    ],
    listActivity: [
      ...['BatchGetItem on BRANCH', 'BatchGetItem on EVENTS', 'GetItem on BRANCH', 'GetItem on TERMINAL'],
      'Query on EVENTS',
    ],
  };
  for (const name of NAMES.filter(isOfConsole))
    expect([name, granted[name]?.filter((each) => ofPartners.test(each))]).toEqual([name, READS[name] ?? []]);
});

test('a function of a partner’s operation reads its caller’s key, or person with acquirer and role, by key', () => {
  for (const name of [...Object.keys(PARTNERS_OPERATIONS), 'unknownRoute'])
    expect([
      name,
      granted[name]?.filter((each) => / on (ACQUIRERS|API_KEY|IDENTITY|PEOPLE|PERSON|RECORD|SESSION)$/.test(each)),
    ]).toEqual([
      name,
      [
        'BatchGetItem on ACQUIRERS',
        'BatchGetItem on PEOPLE',
        'BatchGetItem on PERSON',
        'BatchGetItem on SESSION',
        'GetItem on API_KEY',
      ],
    ]);
});

test('a function that only reads can write only its caller’s rate limit and the last use of its key or session', () => {
  // Not listBranches, because it may rank branches.
  for (const name of ['getBranch', 'listTerminals', 'lookup', 'find', 'memberCheck', 'unknownRoute'])
    expect([
      name,
      granted[name]?.filter((each) => /^(Put(?!Log)|Update|Delete|BatchWrite|PartiQL)/.test(each)),
    ]).toEqual([
      name,
      // A lookup may store search entries.
      [
        ...(name === 'lookup' ? ['DeleteItem on WORDS', 'PutItem on WORDS'] : []),
        'UpdateItem on API_KEY_USE',
        'UpdateItem on RATE_LIMIT',
        'UpdateItem on SESSION_USE',
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
      expect(foreign).toContain(isOfConsole(name) ? 'TERMINAL' : 'API_KEY');
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
    'The role of lookup denies PutItem on API_KEY. If the operation needs it, add it to infra/functions.yml',
  );
  const scan = () => table.send(new ScanCommand({ TableName: tableName() }));
  await expect(asRole('lookup', scan)).rejects.toThrow('lookup may not Scan on table');
});

// The simulator cannot tell aliases from versions, so it does not judge GetProvisionedConcurrencyConfig.
test('the role of deployments shifts aliases of its stage, reads alarms, and can do nothing else', async () => {
  const { Policies } = resourceOf(template, 'DeploymentRole').Properties;
  const stages = Object.fromEntries(
    ['prod', 'dev'].map((stage) => [stage, arn('lambda', `function:acquirer-partner-api-${stage}-lookup`)]),
  );
  const requests = await requestsOn({
    'lambda:function': stages,
    'cloudwatch:alarm': { alarm: arn('cloudwatch', 'alarm:acquirer-partner-api-prod-self-check') },
  });
  expect(requests.length).toBeGreaterThan(100);
  const documents = Policies.map(({ PolicyDocument }: { PolicyDocument: object }) =>
    resolved(template, PolicyDocument),
  );
  const allowed = await roleWith(documents, requests).allowed();
  expect(allowed.map(({ action, resource }) => `${action} on ${resource}`).sort()).toEqual([
    'cloudwatch:DescribeAlarms on alarm',
    'lambda:GetAlias on prod',
    'lambda:UpdateAlias on prod',
  ]);
});
