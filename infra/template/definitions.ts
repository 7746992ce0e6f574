import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/*
 * Definitions from serverless.yml and the yml files of infra/, for the generated parts of the template. Serverless
 * resolves variables with a colon, such as `${sls:stage}`, afterwards, wherever they are.
 */

const read = (file: string) => parse(readFileSync(new URL(file, import.meta.url), 'utf8'));

const { service, params, provider } = read('../../serverless.yml');
const { default: defaults, local: _, ...stages } = params;

/** The service's name, and the parameters of its stages. */
export const SERVICE: string = service;
export const STAGES: Record<string, StageParameters> = stages;

/** A parameter of a stage in serverless.yml, or its default. */
export const parameterOf = (stage: string, name: string): unknown => stages[stage]?.[name] ?? defaults[name];

/**
 * The prefix of a stage's objects in the bucket of its artifacts. `serverless remove` deletes them, and cannot delete the
 * bucket if it has others.
 */
export const artifactsOf = (stage: string): string => `serverless/${SERVICE}/${stage}/`;

/** Parameters of a stage that code needs. */
interface StageParameters {
  account?: unknown;
  region?: string;
  eventDays?: number;
  table?: string;
  protection?: boolean;
  cardHmacKeySecret?: string;
  rate?: number;
  burst?: number;
  domain?: string;
  throttleRate?: number;
}

/** Memory of the functions, in megabytes. */
export const MEMORY: number = provider.memorySize;

/** A function of functions.yml. */
export interface FunctionDefinition {
  handler: string;
  access: Grants;
  events: ({ httpApi: string } | { schedule: object })[];
}

/** A function that API Gateway invokes. */
export type Endpoint = Omit<FunctionDefinition, 'events'> & { events: [{ httpApi: string }, ...{ httpApi: string }[]] };

/** The functions by name. */
export const FUNCTIONS: Record<string, FunctionDefinition> = read('../functions.yml');

/** The functions that API Gateway invokes: one per operation, and one for all other routes. */
export const ENDPOINTS = Object.fromEntries(
  Object.entries(FUNCTIONS).filter(
    ([
      ,
      {
        events: [event],
      },
    ]) => event && 'httpApi' in event,
  ),
) as Record<string, Endpoint>;

/** Whether a function is for people. It exists only in stages with an issuer. */
export const isOfConsole = (name: string): boolean => /^functions\/console\//.test(FUNCTIONS[name]?.handler ?? '');

/** The functions of partners' operations. */
export const OPERATIONS = Object.fromEntries(
  Object.entries(ENDPOINTS).filter(([name]) => name !== 'unknownRoute' && !isOfConsole(name)),
) as Record<string, Endpoint>;

/** The names of the functions of a stage. Those for people exist only in stages with an issuer. */
export const functionsOf = (hasIssuer: boolean): string[] =>
  Object.keys(FUNCTIONS).filter((name) => hasIssuer || !isOfConsole(name));

/** The logical ids of the secrets that functions may read. The last two exist only in stages with an issuer. */
export const SECRETS: Record<string, string> = {
  secret: 'CardHmacKey',
  'self-check-secret': 'SelfCheckKey',
  'client-secret': 'ClientSecret',
  'sealing-key': 'SealingKey',
};

/** Granted actions by resource: a kind of items (in capitals), an index, one of {@link SECRETS}, `stream` or `record-log`. */
export type Grants = Record<string, string[]>;

/** What every function needs that API Gateway invokes: it counts requests. */
const COUNTED: Grants = { RATE_LIMIT: ['UpdateItem'] };

/** To read the acquirers of a person, and their roles there. */
const ACQUIRERS_OF_PERSON: Grants = { ACQUIRERS: ['BatchGetItem'], PEOPLE: ['BatchGetItem'] };

/** To resolve a session, and record its use. */
const PERSON: Grants = {
  ...COUNTED,
  PERSON: ['BatchGetItem'],
  SESSION: ['BatchGetItem'],
  SESSION_USE: ['BatchGetItem', 'UpdateItem'],
};

/** To resolve an API key, or a session of a person who acts as an acquirer. */
const CALLER: Grants = { ...PERSON, ...ACQUIRERS_OF_PERSON, API_KEY: ['GetItem'] };

/** What the functions need whose callers have no API key: neither pages nor operations of a person's own session. */
const WITHOUT_KEY: Record<string, Grants> = {
  openConsole: {},
  signIn: COUNTED,
  callback: { ...COUNTED, ...ACQUIRERS_OF_PERSON },
  getSession: { ...PERSON, ...ACQUIRERS_OF_PERSON },
  listActivity: { ...PERSON, ...ACQUIRERS_OF_PERSON },
  search: { ...PERSON, ...ACQUIRERS_OF_PERSON },
  signOut: PERSON,
};

/** What a function needs to find out who calls, beside its own access. */
function callerAccess(name: string): Grants {
  if (!ENDPOINTS[name]) return {};
  // Other functions of the console resolve API keys only to refuse them.
  return WITHOUT_KEY[name] ?? (isOfConsole(name) ? CALLER : { ...CALLER, API_KEY_USE: ['UpdateItem'] });
}

/** The grants of each function, including what it needs to find out who calls. */
export const ACCESS: Record<string, Grants> = Object.fromEntries(
  Object.entries(FUNCTIONS).map(([name, { access }]) => [name, joined(callerAccess(name), access)]),
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

/** The table's indexes. */
export const INDEX_DEFINITIONS: { IndexName: string }[] =
  read('../table.yml').Resources.Table.Properties.GlobalSecondaryIndexes;
export const INDEXES = INDEX_DEFINITIONS.map(({ IndexName }) => IndexName);

/** The route key of a function on the HTTP API, such as `GET /ext/api/v1/merchants`, or `$default`. */
export function routeKey(name: string): string {
  const key = ENDPOINTS[name]?.events[0].httpApi as string;
  return key === '*' ? '$default' : key;
}

/** The kinds of resources of which each function has its own. A version's id also has a digest. */
export type LogicalKind = 'DeploymentGroup' | 'LambdaFunction' | 'LiveAlias' | 'LogGroup' | 'Role' | 'Version';

/** The alias of each function that everything invokes. Its logical id is `logicalId(name, 'LiveAlias')`. */
export const LIVE = 'live';

/** The logical id of a resource of a function, such as `ListBranchesLogGroup` of `listBranches`. */
export const logicalId = (name: string, kind: LogicalKind): string =>
  `${name[0]?.toUpperCase()}${name.slice(1)}${kind}`;

/** The name of the stage: the prefix of its resources' names, and the namespace of its metrics. */
export const STAGE_NAME = `\${self:service}-\${sls:stage}`;
