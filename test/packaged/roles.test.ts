import { beforeAll, expect, test } from '@jest/globals';
import { ACCESS, FUNCTIONS, isKind, isOfConsole, OPERATIONS, STEPS } from '../../infra/stack/template/definitions.ts';
import { arn } from './deployed.ts';
import { templateOf, USER_POOL } from './packaging.ts';
import { allows, KINDS, type Statement, statementsOfFunction } from './roles.ts';

/*
 * What the functions' roles allow on the table and on what else they use. test/support/access.ts compares each request
 * of every test with the grants, and test/support/grants.ts the grants with all requests.
 */

const NAMES = Object.keys(FUNCTIONS);
const STAGE = 'acquirer-partner-api-dev';
const TABLE = arn('dynamodb', `table/${STAGE}`);

const roles: Record<string, Statement[]> = {};
beforeAll(async () => {
  const template = await templateOf('dev', USER_POOL);
  for (const name of NAMES) roles[name] = statementsOfFunction(template, name);
});

/** Whether statements allow an action on items of these partition keys in one request. */
const mayOn = (statements: Statement[], action: string, ...keys: string[]): boolean =>
  allows(statements, {
    action: `dynamodb:${action}`,
    resource: TABLE,
    context: { 'dynamodb:LeadingKeys': keys },
  });

/** Actions on items: those of any grant, and those that none may have. */
const ACTIONS = [
  ...new Set(
    Object.values(ACCESS).flatMap((grants) =>
      Object.entries(grants).flatMap(([kind, actions]) => (isKind(kind) ? actions : [])),
    ),
  ),
  ...['BatchWriteItem', 'PartiQLSelect', 'PartiQLUpdate', 'PartiQLInsert', 'PartiQLDelete', 'Scan', 'DeleteTable'],
];

/** What statements allow wrongly, or do not allow, by the grants of a function. */
function faultsOf(name: string, statements: Statement[]): string[] {
  const grants = ACCESS[name] ?? {};
  const faults: string[] = [];
  const expectThat = (isGranted: boolean, action: string, ...kinds: string[]) => {
    if (mayOn(statements, action, ...kinds.map((kind) => KINDS[kind] as string)) !== isGranted)
      faults.push(`${name} ${isGranted ? 'may not' : 'may'} ${action} on ${kinds.join(' and ') || 'the whole table'}`);
  };
  const kinds = Object.keys(KINDS);
  const isGranted = (action: string, kind: string) => grants[kind]?.includes(action) ?? false;
  for (const action of ACTIONS) {
    // The actions of the steps of a transaction may be judged with the keys of all its steps.
    const alike = STEPS.includes(action) ? STEPS : [action];
    const together = kinds.filter((kind) => alike.some((each) => isGranted(each, kind)));
    expectThat(false, action);
    for (const kind of kinds) expectThat(isGranted(action, kind), action, kind);
    for (const kind of kinds.filter((each) => isGranted(action, each))) {
      expectThat(true, action, kind, ...together);
      for (const foreign of kinds.filter((each) => !together.includes(each))) expectThat(false, action, kind, foreign);
    }
  }
  return faults;
}

test.each(NAMES)(
  'the role of %s allows each action on the kinds that are granted, alone and together, and on no other',
  (name) => {
    expect(faultsOf(name, roles[name] as Statement[])).toEqual([]);
  },
);

/** What a grant names that is not on a kind of items. All others are on indexes. */
const RESOURCES: Record<string, string> = {
  stream: `${TABLE}/stream/*`,
  'record-log': arn('logs', `log-group:/${STAGE}/record:log-stream:changes`),
  secret: arn('secretsmanager', `secret:${STAGE}/card-hmac-key-??????`),
  'self-check-secret': arn('secretsmanager', `secret:${STAGE}/self-check-key-??????`),
  'client-secret': arn('secretsmanager', `secret:${STAGE}/client-secret-??????`),
  'sealing-key': arn('secretsmanager', `secret:${STAGE}/sealing-key-??????`),
  'webhook-key': arn('secretsmanager', `secret:${STAGE}/webhook-key-??????`),
  'webhook-queue': arn('sqs', `${STAGE}-webhooks`),
  'slow-webhook-queue': arn('sqs', `${STAGE}-slow-webhooks`),
};

test.each(NAMES)('the role of %s allows nothing else but its indexes, its secrets and its own log', (name) => {
  const others = (roles[name] ?? []).filter(({ Condition }) => !Condition);
  const grants = Object.entries(ACCESS[name] ?? {}).filter(([resource]) => !isKind(resource));
  const [log, ...granted] = others;
  expect(log).toMatchObject({
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Resource: [expect.stringContaining(`/${STAGE}-${name}`)],
  });
  expect(granted.map(({ Action, Resource }) => [Action.map((each) => each.replace(/^\w+:/, '')), Resource])).toEqual(
    grants.map(([resource, actions]) => [actions, [RESOURCES[resource] ?? `${TABLE}/index/${resource}`]]),
  );
});

/** The functions that may do something with a resource. */
const thatMay = (resource: string, actions: RegExp): string[] =>
  NAMES.filter((name) => ACCESS[name]?.[resource]?.some((action) => actions.test(action)));
const WRITES = /^(Put|Update|Delete)Item$/;

test('only changes of keys write API keys, only sign-ins and removals people, and of partners’ operations only those of webhooks the record', () => {
  expect(
    Object.fromEntries(
      ['ACQUIRERS', 'API_KEY', 'IDENTITY', 'PEOPLE', 'PERSON'].map((kind) => [kind, thatMay(kind, WRITES)]),
    ),
  ).toEqual({
    ACQUIRERS: thatMay('ACQUIRERS', WRITES).filter(isOfConsole),
    API_KEY: ['createKey', 'rotateKey', 'revokeKey'],
    IDENTITY: ['callback', 'removePerson', 'leave'],
    PEOPLE: ['callback', 'invitePerson', 'revokeInvitation', 'changePerson', 'removePerson', 'leave'],
    PERSON: ['callback', 'signOut', 'removePerson', 'leave'],
  });
  for (const kind of ['IDENTITY', 'PERSON', 'SESSION'])
    expect([kind, thatMay(kind, /^PutItem$/)]).toEqual([kind, ['callback']]);
  expect(thatMay('SESSION', /^DeleteItem$/)).toEqual(['callback', 'signOut']);
  expect(thatMay('RECORD', /^(?!PutItem$)/)).toEqual(['listAccessChanges']);
  const ofWebhooks = ['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'rewindWebhook'];
  expect(thatMay('RECORD', /./).filter((name) => !isOfConsole(name))).toEqual(ofWebhooks);
});

test('of the console, only search, activity and times last seen read what partners store, and none reads members', () => {
  const ofPartners =
    /^(BRANCH|CARD|EVENTS|LAST_SEEN|MASTER_MERCHANTS?|MEMBER|REASSIGNMENT|RELEASED|SERIAL|TERMINAL|WORDS)$/;
  const onPartners = (name: string) => Object.keys(ACCESS[name] ?? {}).filter((kind) => ofPartners.test(kind));
  const of = NAMES.filter(isOfConsole).filter((name) => onPartners(name).length > 0);
  expect(of.sort()).toEqual(['listActivity', 'listLastSeen', 'search']);
  for (const name of of)
    for (const kind of onPartners(name).filter((each) => each !== 'WORDS'))
      expect([name, kind, ACCESS[name]?.[kind]?.filter((action) => WRITES.test(action))]).toEqual([name, kind, []]);
});

test(
  'a function that only reads writes only the rate limit, the last use of the key or session, what was seen, and what ' +
    'was refused',
  () => {
    // A lookup may store search entries, and listBranches may rank branches.
    for (const name of [...Object.keys(OPERATIONS), 'unknownRoute'].filter((each) =>
      /^(get|listTerm|listEv|listRef|find|memberC|unknown)/.test(each),
    )) {
      const seen = name === 'memberCheck' ? ['LAST_SEEN'] : [];
      expect([
        name,
        Object.entries(ACCESS[name] ?? {})
          .filter(([, actions]) => actions.some((each) => WRITES.test(each)))
          .map(([kind]) => kind)
          .sort(),
      ]).toEqual([name, ['API_KEY_USE', ...seen, 'PEOPLE_USE', 'RATE_LIMIT', 'REFUSED_REQUESTS', 'SESSION_USE']]);
    }
  },
);
