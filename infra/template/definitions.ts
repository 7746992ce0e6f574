import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/*
 * What the yml files of infra/ define, for the parts of the template that are made of it. Texts in `${…}` with a
 * colon, such as `${sls:stage}`, are resolved by serverless afterwards, wherever they stand.
 */

const read = (file: string) => parse(readFileSync(new URL(file, import.meta.url), 'utf8'));

const { service, params, provider } = read('../../serverless.yml');
const { default: _, local: __, ...stages } = params;

/** The service's name, and its stages with the parameters that are all in which they differ. */
export const SERVICE: string = service;
export const STAGES: Record<string, { eventDays?: number; table?: string; rate?: number; throttleRate?: number }> =
  stages;

/** Memory of the functions, in megabytes. */
export const MEMORY: number = provider.memorySize;

/** A function of functions.yml. */
export interface FunctionDefinition {
  role: string;
  handler: string;
  events: [{ httpApi: string } | { schedule: object }];
}

/** A function that API Gateway invokes. */
export type Endpoint = FunctionDefinition & { events: [{ httpApi: string }] };

/** The functions by their names. */
export const FUNCTIONS: Record<string, FunctionDefinition> = read('../functions.yml');

/** The functions that API Gateway invokes: the operations of the interface, and what handles any other route. */
export const ENDPOINTS = Object.fromEntries(
  Object.entries(FUNCTIONS).filter(([, { events }]) => 'httpApi' in events[0]),
) as Record<string, Endpoint>;

/** The secrets that access.yml names, as the template knows them. */
export const SECRETS: Record<string, string> = { secret: 'CardHmacKey', 'self-check-secret': 'SelfCheckKey' };

/** Actions by what they are granted on: a kind of items (in capitals), an index, or one of {@link SECRETS}. */
export type Grants = Record<string, string[]>;

const { endpoints = {}, ...own }: Record<string, Grants> = read('../access.yml');

/** What each function may do, including what all endpoints may. */
export const ACCESS: Record<string, Grants> = Object.fromEntries(
  Object.entries(own).map(([name, grants]) => {
    const common = ENDPOINTS[name] ? endpoints : {};
    const resources = Object.keys({ ...common, ...grants });
    return [
      name,
      Object.fromEntries(
        resources.map((resource) => [resource, [...(common[resource] ?? []), ...(grants[resource] ?? [])]]),
      ),
    ];
  }),
);

/** Whether a name in access.yml is a kind of items (`kindOf` in lib/table/keys.ts), not an index or a secret. */
export const isKind = (resource: string): boolean => /^[A-Z_]+$/.test(resource);

/**
 * The action that each step of a transaction needs
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html).
 */
export const STEPS: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** The table's indexes. */
export const INDEX_DEFINITIONS: { IndexName: string }[] =
  read('../table.yml').Resources.Table.Properties.GlobalSecondaryIndexes;
export const INDEXES = INDEX_DEFINITIONS.map(({ IndexName }) => IndexName);

/** Names of the functions by the folder of their code. */
export const FOLDERS = Object.groupBy(
  Object.keys(FUNCTIONS),
  (name) => FUNCTIONS[name]?.handler.split('/')[1] as string,
) as Record<string, string[]>;

/** The key of a function's route on the HTTP API, such as `GET /ext/api/v1/merchants`, or `$default`. */
export function routeKey(name: string): string {
  const key = ENDPOINTS[name]?.events[0].httpApi as string;
  return key === '*' ? '$default' : key;
}

/** The name by which the template knows a resource of a function: `listBranches` has `ListBranchesLogGroup`. */
export const logicalId = (name: string, kind: 'LambdaFunction' | 'LogGroup' | 'Role'): string =>
  `${name[0]?.toUpperCase()}${name.slice(1)}${kind}`;

/** What the stage's things are named after, and the namespace of its metrics. */
export const STAGE_NAME = `\${self:service}-\${sls:stage}`;
