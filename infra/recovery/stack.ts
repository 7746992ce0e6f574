import { createHash } from 'node:crypto';
import {
  type CloudFormationClient,
  CreateChangeSetCommand,
  DescribeStackResourceCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  GetTemplateCommand,
  UpdateStackCommand,
  waitUntilChangeSetCreateComplete,
  waitUntilStackImportComplete,
  waitUntilStackUpdateComplete,
} from '@aws-sdk/client-cloudformation';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { artifactsOf, SERVICE } from '../template/definitions.ts';
import { isObject, type Resource, referencesIn, type Template } from '../template/template.ts';

/** The logical id of the table. */
const TABLE = 'Table';

/** Where the template keeps the table's definition between the removal of one table and the import of another. */
const KEPT = 'RemovedTable';

type DeployedTemplate = Template & { Metadata?: Record<string, Resource> };

/** The stack policy forbids to remove the table. This lifts it for one update ("Update protected resources"). */
const EVERYTHING = JSON.stringify({
  Statement: [{ Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' }],
});

const CAPABILITIES = ['CAPABILITY_NAMED_IAM' as const];

/**
 * Replaces what refers to the table by its attributes.
 *
 * @throws Error for a reference to an attribute that it does not have.
 */
function resolved(value: unknown, attributes: Record<string, string | undefined>): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, attributes));
  if (!isObject(value)) return value;
  const [[id, name] = []] = Object.keys(value).length === 1 ? referencesIn(value) : [];
  if (id === TABLE && name && !('Fn::Sub' in value)) {
    const attribute = attributes[name];
    if (!attribute) throw new Error(`The template refers to ${name} of the table, which is unknown.`);
    return attribute;
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, attributes)]));
}

/** The stack of a stage, as far as a recovery changes it. */
export interface Stack {
  /** The physical id of a resource; `undefined` if the stack has none with this logical id. */
  resource(id: string): Promise<string | undefined>;
  /** The definition of the table, which is kept while the stack has none. */
  tableDefinition(): Promise<Resource>;
  output(name: string): Promise<string | undefined>;
  adopt(table: string): Promise<void>;
}

/**
 * The stack of a stage in AWS.
 *
 * An import changes nothing else: "Import operations don't allow new resource creations, resource deletions, or changes to
 * property configurations", nor changes of outputs, and each resource to import must have a `DeletionPolicy`
 * ("Import AWS resources into a CloudFormation stack", CloudFormation User Guide). So the table is exchanged with the template
 * that is deployed, in two steps: one update removes the table, which is retained, and one import adds the other. Everything
 * else names the table by its name, and what refers to its stream gets the stream's ARN, which is what it has already. So all
 * of it goes on with the table before until the next deployment.
 *
 * @param attributesOf The attributes of a table to which a template can refer, by their names.
 * @param pollSeconds The least time between two looks at an operation.
 */
export function stackOf(
  stage: string,
  cloudFormation: CloudFormationClient,
  s3: S3Client,
  attributesOf: (table: string) => Promise<Record<string, string | undefined>>,
  pollSeconds = 5,
): Stack {
  const StackName = `${SERVICE}-${stage}`;
  const waiting = { client: cloudFormation, minDelay: pollSeconds, maxDelay: 2 * pollSeconds, maxWaitTime: 3600 };

  async function template(): Promise<DeployedTemplate> {
    const { TemplateBody = '' } = await cloudFormation.send(
      new GetTemplateCommand({ StackName, TemplateStage: 'Original' }),
    );
    return JSON.parse(TemplateBody);
  }

  async function resource(LogicalResourceId: string): Promise<string | undefined> {
    const request = new DescribeStackResourceCommand({ StackName, LogicalResourceId });
    const found = await cloudFormation.send(request).catch((error: Error) => {
      if (error.name === 'ValidationError' && /does not exist/.test(error.message)) return undefined;
      throw error;
    });
    return found?.StackResourceDetail?.PhysicalResourceId;
  }

  /** Stores a template where CloudFormation can read it: it is too large for a request (51,200 bytes). */
  async function upload(body: DeployedTemplate): Promise<string> {
    const Body = JSON.stringify(body);
    const Bucket = await resource('ServerlessDeploymentBucket');
    const Key = `${artifactsOf(stage)}recovery/${createHash('sha256').update(Body).digest('hex')}.json`;
    await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'application/json' }));
    return `https://s3.${await s3.config.region()}.amazonaws.com/${Bucket}/${Key}`;
  }

  /** Removes the table from the stack, unless that has happened. The table itself stays. */
  async function removeTable(): Promise<void> {
    const { Resources, ...others } = await template();
    const { [TABLE]: table, ...rest } = Resources;
    if (!table) return;
    if (table.DeletionPolicy !== 'Retain')
      throw new Error(
        'The stack would delete the table. Set "dataRemoval: Retain" in the stage\'s row, and deploy first.',
      );
    const attributes = await attributesOf(table.Properties.TableName);
    const without = resolved({ ...others, Resources: rest }, attributes) as DeployedTemplate;
    const TemplateURL = await upload({ ...without, Metadata: { ...others.Metadata, [KEPT]: table } });
    await cloudFormation.send(
      new UpdateStackCommand({
        StackName,
        TemplateURL,
        Capabilities: CAPABILITIES,
        StackPolicyDuringUpdateBody: EVERYTHING,
      }),
    );
    await waitUntilStackUpdateComplete(waiting, { StackName });
  }

  async function importTable(TableName: string): Promise<void> {
    const deployed = await template();
    const kept = deployed.Metadata?.[KEPT];
    if (!kept) throw new Error(`The stack has no table, and its template no definition of one (Metadata.${KEPT}).`);
    const table = { ...kept, Properties: { ...kept.Properties, TableName } };
    const ChangeSetName = `import-${createHash('sha256').update(TableName).digest('hex').slice(0, 12)}-${Date.now()}`;
    await cloudFormation.send(
      new CreateChangeSetCommand({
        StackName,
        ChangeSetName,
        ChangeSetType: 'IMPORT',
        TemplateURL: await upload({ ...deployed, Resources: { ...deployed.Resources, [TABLE]: table } }),
        Capabilities: CAPABILITIES,
        ResourcesToImport: [{ ResourceType: table.Type, LogicalResourceId: TABLE, ResourceIdentifier: { TableName } }],
      }),
    );
    await waitUntilChangeSetCreateComplete(waiting, { StackName, ChangeSetName });
    await cloudFormation.send(new ExecuteChangeSetCommand({ StackName, ChangeSetName }));
    await waitUntilStackImportComplete(waiting, { StackName });
  }

  return {
    resource,
    async tableDefinition() {
      const { Resources, Metadata } = await template();
      const definition = Resources[TABLE] ?? Metadata?.[KEPT];
      if (!definition) throw new Error(`The template of ${StackName} has no table.`);
      return definition;
    },
    async output(name) {
      const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
      return Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    },
    async adopt(table) {
      await removeTable();
      await importTable(table);
    },
  };
}
