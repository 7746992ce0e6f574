import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { type Served, serve } from '../../../infra/local/serve.ts';
import { type Resource, referencesIn, type Template } from '../../../infra/template/template.ts';

/*
 * CloudFormation (Query protocol) with one stack, and the bucket that it reads templates from, as far as a recovery uses
 * them. It enforces AWS's rules:
 *
 * - "Import AWS resources into a CloudFormation stack" (CloudFormation User Guide): an import changes nothing else, each
 *   resource to import has a DeletionPolicy, exists, is identified by its primary identifier, and is in no stack.
 * - "Prevent updates to stack resources": what the stack policy denies fails, unless the update brings its own.
 * - "CloudFormation quotas": a template in a request has at most 51,200 bytes.
 */

/** The tables of the account. */
type Tables = Set<string>;

interface ImportedResource {
  ResourceType: string;
  LogicalResourceId: string;
  ResourceIdentifier: Record<string, string>;
}

/** A request that CloudFormation rejects. */
class Rejected extends Error {}

const xml = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((each) => `<member>${xml(each)}</member>`).join('');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => `<${name}>${xml(each)}</${name}>`)
      .join('');
  return String(value).replace(/[<>&]/g, (found) => `&#${found.charCodeAt(0)};`);
};

export interface FakeStack extends Served {
  template: Template;
  status: string;
  tables: Tables;
  /** The requests so far, by their action. */
  actions: string[];
  /** The paths of the objects so far. */
  stored: string[];
  /** Fails the next request of an action, as a lost connection does. */
  failOnce: (action: string) => void;
}

/**
 * Starts a stack.
 *
 * @param template What is deployed.
 * @param tables The tables of the account; the stack's among them.
 */
export async function startFakeStack(template: Template, tables: Tables, isProtected = true): Promise<FakeStack> {
  const objects = new Map<string, string>();
  const changeSets = new Map<string, { template: Template; imported: ImportedResource[] }>();
  const failing = new Set<string>();

  function templateAt(url: string | null, body: string | null): Template {
    if (body && body.length > 51_200) throw new Rejected('TemplateBody is longer than 51200.');
    const stored = url ? objects.get(new URL(url).pathname) : body;
    if (!stored) throw new Rejected('S3 error: Access Denied');
    return JSON.parse(stored);
  }

  function update(next: Template, duringUpdate: string | null): void {
    const [before, after] = [fake.template.Resources, next.Resources];
    if (isDeepStrictEqual(fake.template, next)) throw new Rejected('No updates are to be performed.');
    for (const [id, resource] of Object.entries(before)) {
      const isRemoved = !after[id];
      const isReplaced =
        resource.Type === 'AWS::DynamoDB::Table' && after[id]?.Properties.TableName !== resource.Properties.TableName;
      if (id !== 'Table' || !(isRemoved || isReplaced)) continue;
      if (isProtected && !duringUpdate) throw new Rejected('Action denied by stack policy: Statement [#2]');
      if (resource.DeletionPolicy !== 'Retain') tables.delete(resource.Properties.TableName);
      const name = after[id]?.Properties.TableName;
      if (name && tables.has(name)) throw new Rejected(`Table already exists: ${name}`);
      if (name) tables.add(name);
    }
    for (const [id] of referencesIn(after))
      if (!id.startsWith('AWS::') && !after[id]) throw new Rejected(`Unresolved resource dependencies [${id}]`);
    fake.template = next;
    fake.status = 'UPDATE_COMPLETE';
  }

  function checkImport(next: Template, imported: ImportedResource[]): void {
    const ids = imported.map(({ LogicalResourceId }) => LogicalResourceId);
    const { Resources, Outputs } = fake.template;
    const kept = Object.fromEntries(Object.entries(next.Resources).filter(([id]) => !ids.includes(id)));
    if (ids.some((id) => Resources[id])) throw new Rejected('Resources already exist in the stack.');
    if (!isDeepStrictEqual(kept, Resources))
      throw new Rejected(
        'You have modified resources in your template that are not being imported. Update, create or delete operations cannot be executed during import operations.',
      );
    if (!isDeepStrictEqual(next.Outputs, Outputs))
      throw new Rejected('As part of the import operation, you cannot modify or add [Outputs]');
    for (const { LogicalResourceId, ResourceType, ResourceIdentifier } of imported) {
      const resource = next.Resources[LogicalResourceId] as Resource;
      if (!resource.DeletionPolicy) throw new Rejected(`${LogicalResourceId} must have a DeletionPolicy.`);
      if (resource.Type !== ResourceType) throw new Rejected('The type differs.');
      // The primary identifier of AWS::DynamoDB::Table.
      if (!isDeepStrictEqual(ResourceIdentifier, { TableName: resource.Properties.TableName }))
        throw new Rejected('The identifier differs from the template.');
      if (!tables.has(ResourceIdentifier['TableName'] as string)) throw new Rejected('The table does not exist.');
    }
  }

  const ACTIONS: Record<string, (input: URLSearchParams) => object> = {
    GetTemplate: () => ({ TemplateBody: JSON.stringify(fake.template) }),
    DescribeStacks: () => ({
      Stacks: [
        {
          StackName: 'stack',
          StackStatus: fake.status,
          CreationTime: new Date(0).toISOString(),
          Outputs: Object.entries(fake.template.Outputs).map(([OutputKey, { Value }]) => ({
            OutputKey,
            OutputValue: typeof Value === 'string' ? Value : JSON.stringify(Value),
          })),
        },
      ],
    }),
    DescribeStackResource(input) {
      const id = input.get('LogicalResourceId') ?? '';
      const resource = fake.template.Resources[id];
      if (!resource) throw new Rejected(`Resource ${id} does not exist for stack stack`);
      const PhysicalResourceId = resource.Properties?.TableName ?? `physical-${id.toLowerCase()}`;
      return {
        StackResourceDetail: {
          LogicalResourceId: id,
          PhysicalResourceId,
          ResourceType: resource.Type,
          ResourceStatus: 'CREATE_COMPLETE',
          LastUpdatedTimestamp: new Date(0).toISOString(),
        },
      };
    },
    UpdateStack(input) {
      update(templateAt(input.get('TemplateURL'), input.get('TemplateBody')), input.get('StackPolicyDuringUpdateBody'));
      return { StackId: 'stack' };
    },
    CreateChangeSet(input) {
      if (input.get('ChangeSetType') !== 'IMPORT') throw new Rejected('Not expected.');
      const imported: ImportedResource[] = [];
      for (let at = 1; input.has(`ResourcesToImport.member.${at}.ResourceType`); at += 1) {
        const of = (name: string) => input.get(`ResourcesToImport.member.${at}.${name}`) ?? '';
        imported.push({
          ResourceType: of('ResourceType'),
          LogicalResourceId: of('LogicalResourceId'),
          ResourceIdentifier: { [of('ResourceIdentifier.entry.1.key')]: of('ResourceIdentifier.entry.1.value') },
        });
      }
      const next = templateAt(input.get('TemplateURL'), input.get('TemplateBody'));
      checkImport(next, imported);
      changeSets.set(input.get('ChangeSetName') ?? '', { template: next, imported });
      return { Id: 'change-set', StackId: 'stack' };
    },
    DescribeChangeSet: () => ({ Status: 'CREATE_COMPLETE' }),
    ExecuteChangeSet(input) {
      const found = changeSets.get(input.get('ChangeSetName') ?? '');
      if (!found) throw new Rejected('ChangeSet does not exist');
      fake.template = found.template;
      fake.status = 'IMPORT_COMPLETE';
      return {};
    },
  };

  const served = await serve(async (request, response) => {
    const body = await text(request);
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (request.method === 'PUT') {
      objects.set(pathname, body);
      fake.stored.push(pathname);
      response.writeHead(200, { etag: '"1"' }).end();
      return;
    }
    const input = new URLSearchParams(body);
    const action = input.get('Action') ?? '';
    fake.actions.push(action);
    response.setHeader('content-type', 'text/xml');
    try {
      if (failing.delete(action)) throw new Rejected('Interrupted');
      const result = xml(ACTIONS[action]?.(input) ?? {});
      response.end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      response.writeHead(400);
      response.end(
        `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${xml(error.message)}</Message></Error></ErrorResponse>`,
      );
    }
  });
  const fake: FakeStack = {
    ...served,
    template,
    status: 'CREATE_COMPLETE',
    tables,
    actions: [],
    stored: [],
    failOnce: (action) => failing.add(action),
  };
  return fake;
}
