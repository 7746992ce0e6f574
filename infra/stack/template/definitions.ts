import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'yaml';
import { namedInPath } from '../../../lib/base/namedInPath.ts';

/*
 * Definitions from serverless.yml and the yml files of infra/, for the generated parts of the template. Serverless
 * resolves variables with a colon, such as `${sls:stage}`, afterwards, wherever they are.
 */

const ROOT = new URL('../../../', import.meta.url);
const read = (file: string) => parse(readFileSync(new URL(file, ROOT), 'utf8'));

const { service, provider } = read('serverless.yml');
const { default: defaults, ...stages } = read('infra/stack/stages.yml');

export const SERVICE: string = service;
export const STAGES: Record<string, StageParameters> = stages;

/** What stages have whose rows do not have it. */
export const DEFAULTS: Record<string, unknown> = defaults;

/** A parameter of a stage in stages.yml, or its default. */
export const parameterOf = (stage: string, name: string): unknown => stages[stage]?.[name] ?? defaults[name];

interface StageParameters {
  account?: unknown;
  region?: string;
  eventDays?: number;
  table?: string;
  protection?: boolean;
  cardHmacKeySecret?: string;
  webhookKeySecret?: string;
  rate?: number;
  burst?: number;
  domain?: string;
  baseUrl?: string;
  throttleRate?: number;
}

/** The beginning of the names of everything that a stage has. */
export const nameOf = (stage: string): string => `${SERVICE}-${stage}`;

/** The same in a template, where serverless replaces the stage: also the namespace of the stage's metrics. */
export const STAGE_NAME = nameOf(`\${sls:stage}`);

/**
 * The beginning of the names of who may access a stage. A name of the stage's own must not begin like it, because whoever
 * deploys may change those.
 */
export const accessOf = (stage: string): string => `${SERVICE}-access-${stage}`;

/** The role with which CloudFormation changes the stage's stacks, and the most that a role of a stack may ever do. */
export const executionRoleOf = (stage: string): string => `${accessOf(stage)}-cloudformation`;
export const boundaryOf = (stage: string): string => `${accessOf(stage)}-boundary`;

/** Memory of the functions, in megabytes. */
export const MEMORY: number = provider.memorySize;

/** When Lambda ends a function, in seconds. */
export const TIMEOUT_S: number = provider.timeout;

export interface FunctionDefinition {
  handler: string;
  access: Grants;
  /** When Lambda ends it, in seconds, if that is not {@link TIMEOUT_S}. */
  timeout?: number;
  /** Whether it has versions and an alias, and changes gradually. */
  gradual?: true;
  events: ({ httpApi: string } | { schedule: object })[];
}

/** A function that API Gateway invokes. */
export type Endpoint = Omit<FunctionDefinition, 'events'> & { events: [{ httpApi: string }, ...{ httpApi: string }[]] };

/** Where the handlers are: a function and its file have the same name. */
const FILES = new Map(globSync('functions/*/*.ts', { cwd: ROOT }).map((file) => [basename(file, '.ts'), file]));

/** The file of a function, such as `functions/find/find.ts`. */
export function sourceOf(name: string): string {
  const file = FILES.get(name);
  if (!file) throw new Error(`infra/stack/functions.yml: there is no file functions/*/${name}.ts.`);
  return file;
}

export const FUNCTIONS: Record<string, FunctionDefinition> = Object.fromEntries(
  Object.entries<FunctionDefinition>(read('infra/stack/functions.yml')).map(([name, each]) => [
    name,
    { ...each, handler: sourceOf(name).replace(/ts$/, 'handler') },
  ]),
);

const functionsThat = <T = FunctionDefinition>(isSo: (name: string, definition: FunctionDefinition) => boolean) =>
  Object.fromEntries(Object.entries(FUNCTIONS).filter((each) => isSo(...each))) as Record<string, T>;

/** The functions that API Gateway invokes: one per operation, and one for all other routes. */
export const ENDPOINTS = functionsThat<Endpoint>((_, { events: [event] }) => event !== undefined && 'httpApi' in event);

/** Whether a function is for people. It exists only in stages with an issuer. */
export const isOfConsole = (name: string): boolean =>
  FUNCTIONS[name]?.handler.startsWith('functions/console/') ?? false;

/** The functions of partners' operations. */
export const OPERATIONS = functionsThat<Endpoint>(
  (name) => name in ENDPOINTS && !['mcp', 'unknownRoute'].includes(name) && !isOfConsole(name),
);

/** The names of the functions of a stage. Those for people exist only in stages with an issuer. */
export const functionsOf = (hasIssuer: boolean): string[] =>
  Object.keys(FUNCTIONS).filter((name) => hasIssuer || !isOfConsole(name));

/** The secrets that functions may read, by the names of their grants: the parameters with their names. */
export const SECRETS: Record<string, string> = {
  secret: 'cardHmacKeySecret',
  'self-check-secret': 'selfCheckKeySecret',
  'client-secret': 'clientCredentialSecret',
  'sealing-key': 'sealingKeySecret',
  'webhook-key': 'webhookKeySecret',
};

/** The queues of a stage, by the names of their grants. */
export const QUEUES: Record<string, string> = {
  'webhook-queue': `${STAGE_NAME}-webhooks`,
  'slow-webhook-queue': `${STAGE_NAME}-slow-webhooks`,
};

/**
 * Granted actions by resource: a kind of items (in capitals), an index, one of {@link SECRETS} or {@link QUEUES}, `stream` or
 * `record-log`.
 */
export type Grants = Record<string, string[]>;

/** What every function needs that API Gateway invokes: it counts requests. */
const COUNTED: Grants = { RATE_LIMIT: ['UpdateItem'] };

/** To read the acquirers of a person, and their roles there. */
const ACQUIRERS_OF_PERSON: Grants = { ACQUIRERS: ['BatchGetItem'], PEOPLE: ['BatchGetItem'] };

/** To resolve a session, and record its use. */
const PERSON: Grants = {
  ...COUNTED,
  PERSON: ['BatchGetItem'],
  SESSION: ['GetItem'],
  SESSION_USE: ['BatchGetItem', 'UpdateItem'],
};

/** To resolve a session of a person who acts as an acquirer, and keep what is refused. */
const ACTING: Grants = {
  ...PERSON,
  ...ACQUIRERS_OF_PERSON,
  PEOPLE_USE: ['UpdateItem'],
  REFUSED_REQUESTS: ['UpdateItem'],
};

/** To resolve an API key, or a session of a person who acts as an acquirer. */
const CALLER: Grants = { ...ACTING, API_KEY: ['GetItem'] };

/**
 * What the functions need that resolve no API key: neither pages nor operations of a person's own session do, and `mcp`
 * passes it on.
 */
const WITHOUT_KEY: Record<string, Grants> = {
  mcp: {},
  openConsole: {},
  signIn: COUNTED,
  callback: { ...COUNTED, ...ACQUIRERS_OF_PERSON },
  getSession: { ...PERSON, ...ACQUIRERS_OF_PERSON },
  leave: ACTING,
  listActivity: ACTING,
  listLastSeen: ACTING,
  search: ACTING,
  signOut: PERSON,
};

/** What a function needs to find out who calls, beside its own access. */
function callerAccess(name: string): Grants {
  if (!ENDPOINTS[name]) return {};
  // Other functions of the console resolve API keys only to refuse them.
  return WITHOUT_KEY[name] ?? (isOfConsole(name) ? CALLER : { ...CALLER, API_KEY_USE: ['UpdateItem'] });
}

/** How a refusal finds out whether its caller can access what its path names (lib/refusedRequests/keep.ts). */
const READ_FOR = {
  mid: { BRANCH: ['GetItem'] },
  tid: { BRANCH: ['GetItem'], TERMINAL: ['GetItem'] },
  webhook: { WEBHOOKS: ['Query'] },
} satisfies Record<string, Grants>;

function refusalAccess(name: string): Grants {
  const [{ httpApi = '' } = {}] = ENDPOINTS[name]?.events ?? [];
  const named = namedInPath(httpApi);
  return named ? READ_FOR[named] : {};
}

/** The grants of each function, including what it needs to find out who calls and to keep what is refused. */
export const ACCESS: Record<string, Grants> = Object.fromEntries(
  Object.entries(FUNCTIONS).map(([name, { access }]) => [
    name,
    [callerAccess(name), refusalAccess(name), access].reduce(joined),
  ]),
);

/** All actions of both. */
export function joined(one: Grants, other: Grants): Grants {
  const resources = [...Object.keys(one), ...Object.keys(other)];
  return Object.fromEntries(
    resources.map((each) => [each, [...new Set([...(one[each] ?? []), ...(other[each] ?? [])])]]),
  );
}

/** Whether a resource is a kind of items (`kindOf` in lib/table/keys.ts). */
export const isKind = (resource: string): boolean => /^[A-Z_]+$/.test(resource);

/**
 * The DynamoDB actions that the steps of a transaction need if it writes
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html).
 */
export const STEPS = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

export const INDEX_DEFINITIONS: { IndexName: string }[] =
  read('infra/stack/table.yml').Resources.Table.Properties.GlobalSecondaryIndexes;
export const INDEXES = INDEX_DEFINITIONS.map(({ IndexName }) => IndexName);

/** The route keys of a function on the HTTP API, such as `GET /ext/api/v1/merchants`, or `$default`. */
export const routeKeys = (name: string): string[] =>
  (ENDPOINTS[name]?.events ?? []).map(({ httpApi }) => (httpApi === '*' ? '$default' : httpApi));

/** The function of each route key. */
export const ROUTES: Record<string, string> = Object.fromEntries(
  Object.keys(ENDPOINTS).flatMap((name) => routeKeys(name).map((key) => [key, name])),
);

/** The route key of a function that has one route. @throws Error if it has several, of which one would be overlooked. */
export function routeKey(name: string): string {
  const [key = '', ...others] = routeKeys(name);
  if (others.length > 0) throw new Error(`${name} has several routes: ${[key, ...others].join(', ')}.`);
  return key;
}

export const GRADUAL = Object.keys(FUNCTIONS).filter((name) => FUNCTIONS[name]?.gradual);

/** The kinds of resources of which each function has its own; the last three only gradual ones. A version's id also has a digest. */
export type LogicalKind = 'LambdaFunction' | 'LogGroup' | 'Role' | 'DeploymentGroup' | 'LiveAlias' | 'Version';

/** The alias by which everything invokes a gradual function. Its logical id is `logicalId(name, 'LiveAlias')`. */
export const LIVE = 'live';

/** The logical id of a resource of a function, such as `ListBranchesLogGroup` of `listBranches`. */
export const logicalId = (name: string, kind: LogicalKind): string =>
  `${name[0]?.toUpperCase()}${name.slice(1)}${kind}`;
