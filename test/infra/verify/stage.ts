import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { SourceTextModule } from 'node:vm';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { build } from 'esbuild';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../../infra/local/environment.ts';
import { type LocalIssuer, startIssuer } from '../../../infra/local/issuer.ts';
import { serve } from '../../../infra/local/serve.ts';
import { ENDPOINTS, isKind, logicalId, SECRETS } from '../../../infra/template/definitions.ts';
import { referencesIn, resourceOf, type Template } from '../../../infra/template/template.ts';
import type { LogLine } from '../../../infra/verify/causes.ts';
import type { Logs } from '../../../infra/verify/verify.ts';
import { kindOf } from '../../../lib/table/keys.ts';
import { arn, resolved } from '../../packaged/deployed.ts';
import { BUNDLING } from '../../packaged/packaged.ts';
import { ISSUER } from '../../packaged/packaging.ts';
import { allows as isAllowed, KINDS, type Statement, statementsOfFunction } from '../../packaged/roles.ts';
import { serveRoutes } from '../../support/overHttp.ts';

/*
 * A stage in this process, made of its compiled template: the bundles of its functions with the environment variables of the
 * template, its routes, its roles' statements, its table's indexes and its secrets. Whatever is removed
 * from the template is missing here as it would be on AWS.
 */

const NAMES = Object.keys(ENDPOINTS);

/**
 * How long an index does not show what was written, in milliseconds. Longer for the one whose reader must read by key what it
 * does not show yet, so that it does on a busy machine, too.
 */
const LAG_MS = 60;
const LONG_LAG: Record<string, number> = { 'terminals-by-branch': 2_000 };

/** Lists of master merchants have pages of so many items, as if they had more than 1 MB. */
const SHORT_PAGE = { kind: 'MASTER_MERCHANTS', items: 1 };

const REGION = 'eu-central-1';

type Handler = (event: APIGatewayProxyEventV2, context: object) => Promise<APIGatewayProxyStructuredResultV2>;

/** A permission that a request needs. */
interface Need {
  action: string;
  /** A kind of items, an index or the name of a secret. */
  resource: string;
}

/** A clock that can be set forward. Everything in this process goes by it. */
const RealDate = Date;
let offset = 0;
class ShiftedDate extends RealDate {
  constructor(...parts: ConstructorParameters<typeof RealDate> | []) {
    super(...((parts.length === 0 ? [ShiftedDate.now()] : parts) as [number]));
  }
  static override now = () => RealDate.now() + offset;
}

/** The code of each function, with its own `process`, clock and chance. */
async function bundles(): Promise<Record<string, string>> {
  const { outputFiles } = await build({
    ...BUNDLING,
    minify: false,
    legalComments: 'none',
    write: false,
    outdir: '/functions',
    entryPoints: NAMES.map((name) => ({ in: ENDPOINTS[name]?.handler.replace(/\.\w+$/, '.ts') as string, out: name })),
    banner: { js: 'const { process, Date, Math } = import.meta.runtime;' },
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.replace(/.*\/|\.\w+$/g, ''), text]));
}

interface Input {
  TableName?: string;
  IndexName?: string;
  Key?: StoredKey;
  Item?: StoredKey;
  ExpressionAttributeValues?: Record<string, { S?: string }>;
  KeyConditionExpression?: string;
  Limit?: number;
  RequestItems?: Record<string, { Keys?: StoredKey[] }>;
  TransactItems?: Record<string, Input>[];
}
interface StoredKey {
  pk?: { S: string };
}

/** The permissions that a request of DynamoDB needs, one for each item. */
function needsOf(action: string, input: Input): (Need & { pk?: string | undefined })[] {
  const { IndexName, Key, Item, RequestItems, TransactItems } = input;
  if (TransactItems)
    return TransactItems.flatMap((item) =>
      Object.entries(item).flatMap(([step, part]) =>
        needsOf(step === 'Get' ? 'GetItem' : step === 'ConditionCheck' ? 'ConditionCheckItem' : `${step}Item`, part),
      ),
    );
  if (RequestItems)
    return Object.values(RequestItems).flatMap(({ Keys = [] }) =>
      Keys.flatMap((each) => needsOf(action, { Key: each })),
    );
  const [, name = ''] = /^pk = (:\w+)/.exec(input.KeyConditionExpression ?? '') ?? [];
  const pk = (Key ?? Item)?.pk?.S ?? input.ExpressionAttributeValues?.[name]?.S;
  return [{ action, resource: IndexName ?? kindOf(pk ?? ''), pk }];
}

/** Renames the table in a request or response. */
const renamed = (json: string, from: string, to: string): string => json.replaceAll(`"${from}"`, `"${to}"`);

/** A running stage. */
export interface Stage {
  baseUrl: string;
  logs: Logs;
  /** The grants that each function has used: `<action> on <resource>`. */
  used: Record<string, Set<string>>;
  /** The environment variables that each function has read: `<function> without <variable>`. */
  read: Set<string>;
  /** Deploys another template. Functions whose role, settings or indexes differ start anew. */
  deploy: (template: Template, changed: string[]) => Promise<void>;
  /** Sets the clock forward, and starts all functions anew, so that nothing is cached. */
  wait: (milliseconds: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** The address of whom the issuer signs in without a question. */
export const PERSON = 'rui@example.com';

/**
 * Starts a stage that is compiled with {@link ISSUER}, on the table and DynamoDB engine of this process.
 */
export async function startStage(deployed: Template): Promise<Stage> {
  let template = deployed;
  const code = await bundles();
  const logs: Record<string, { at: number; line: LogLine }[]> = {};
  const used: Stage['used'] = {};
  const read: Stage['read'] = new Set();
  const roles = new Map<string, Statement[]>();
  const instances = new Map<string, Promise<Handler>>();
  const written = new Map<string, number>();
  let issuer: LocalIssuer | undefined;
  globalThis.Date = ShiftedDate as DateConstructor;
  offset = 0;

  const { TABLE_NAME: tableName } = resourceOf(deployed, logicalId('lookup', 'LambdaFunction')).Properties.Environment
    .Variables as { TABLE_NAME: string };
  const resourceOfFunction = (name: string) => resourceOf(template, logicalId(name, 'LambdaFunction'));

  /** The environment variables of a function: those of the template, and those of Lambda. */
  function variablesOf(name: string): Record<string, string> {
    const { Variables = {} } = resourceOfFunction(name).Properties.Environment ?? {};
    const values = resolved(template, Variables) as Record<string, string>;
    return Object.fromEntries(
      Object.entries(values).map(([variable, value]) => [
        variable,
        String(value)
          .replace(/^https:\/\/a1b2c3d4e5[^/]*/, api.url)
          .replace(ISSUER.issuer, issuer?.issuer ?? ''),
      ]),
    );
  }

  async function start(name: string): Promise<Handler> {
    const env = {
      ...variablesOf(name),
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: name,
      AWS_SECRET_ACCESS_KEY: 'none',
      AWS_ENDPOINT_URL_DYNAMODB: aws.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url,
      AWS_LAMBDA_FUNCTION_NAME: name,
    };
    const write = (line: string) => {
      logs[name] ??= [];
      if (line.startsWith('{')) logs[name]?.push({ at: Date.now(), line: JSON.parse(line) });
      return true;
    };
    const noted = new Proxy<Record<string, string>>(env, {
      get: (values, variable: string) => {
        read.add(`${name} without ${variable}`);
        return values[variable];
      },
    });
    const own = Object.create(process, { env: { value: noted }, stdout: { value: { write } } });
    // Always the least: lists are ranked by the first create that may, and retries do not pause.
    const chance = Object.create(Math, { random: { value: () => 0 } });
    const module = new SourceTextModule(code[name] as string, {
      identifier: `${name}.mjs`,
      initializeImportMeta: (meta) =>
        Object.assign(meta, { runtime: { process: own, Date: ShiftedDate, Math: chance } }),
    });
    await module.link(() => {
      throw new Error(`${name} imports a module that is not in its bundle.`);
    });
    await module.evaluate();
    return (module.namespace as { handler: Handler }).handler;
  }

  async function invoke(name: string, event: APIGatewayProxyEventV2) {
    const awsRequestId = randomUUID();
    const context = { awsRequestId, functionName: name, getRemainingTimeInMillis: () => 20_000 };
    try {
      const instance = instances.get(name) ?? start(name);
      instances.set(name, instance);
      return await (await instance)(event, context as unknown as Context);
    } catch (error) {
      instances.delete(name);
      // Lambda's own line, in its JSON format.
      const { name: errorType, message: errorMessage } = error as Error;
      logs[name] ??= [];
      logs[name]?.push({
        at: Date.now(),
        line: { level: 'ERROR', requestId: awsRequestId, message: { errorType, errorMessage } },
      });
      return undefined;
    }
  }

  /** The routes of the template, with the functions to which they lead. */
  const routes = (): Record<string, string> =>
    Object.fromEntries(
      Object.values(template.Resources)
        .filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
        .map(({ Properties: { RouteKey, Target } }) => {
          const [integration = ''] = referencesIn(Target)[0] ?? [];
          const ids = referencesIn(resourceOf(template, integration).Properties).map(([id]) => id);
          const name = NAMES.find((each) =>
            ids.some((id) => id === logicalId(each, 'LambdaFunction') || id === logicalId(each, 'LiveAlias')),
          );
          return [RouteKey, name as string];
        }),
    );

  /** Whether the role of a function allows a request. Each item is authorized by its own key. */
  function allows(name: string, { action, resource }: Need): boolean {
    const role = roles.get(name) ?? statementsOfFunction(template, name);
    roles.set(name, role);
    const table = arn('dynamodb', `table/${tableName}`);
    const isSecret = resource in SECRETS;
    return isAllowed(role, {
      action: `${isSecret ? 'secretsmanager' : 'dynamodb'}:${action}`,
      resource: isSecret
        ? (resolved(template, { Ref: SECRETS[resource] }) as string)
        : isKind(resource)
          ? table
          : `${table}/index/${resource}`,
      context: isKind(resource) ? { 'dynamodb:LeadingKeys': [KINDS[resource] as string] } : {},
    });
  }

  /** The error of AWS for what a role denies, or for an index that does not exist. */
  async function refusal(
    name: string,
    needs: Need[],
    index: string | undefined,
  ): Promise<[string, string] | undefined> {
    for (const need of needs) {
      used[name] ??= new Set();
      used[name]?.add(`${need.action} on ${need.resource}`);
      if (allows(name, need)) continue;
      const isSecret = need.resource in SECRETS;
      const table = arn('dynamodb', `table/${tableName}`);
      const target = isSecret ? need.resource : isKind(need.resource) ? table : `${table}/index/${need.resource}`;
      return [
        'AccessDeniedException',
        `User: arn:aws:sts::123456789012:assumed-role/${name}/${name} is not authorized to perform: ${isSecret ? 'secretsmanager' : 'dynamodb'}:${need.action} on resource: ${target} because no identity-based policy allows the action`,
      ];
    }
    const { GlobalSecondaryIndexes = [] } = resourceOf(template, 'Table').Properties;
    if (
      index === undefined ||
      GlobalSecondaryIndexes.some(({ IndexName }: { IndexName: string }) => IndexName === index)
    )
      return undefined;
    return ['ValidationException', `The table does not have the specified index: ${index}`];
  }

  const aws = await serve(async (request, response) => {
    const [, name = ''] = /Credential=(\w+)\//.exec(request.headers.authorization ?? '') ?? [];
    const [service, action = ''] = String(request.headers['x-amz-target']).split('.');
    const sent = await text(request);
    const input = JSON.parse(sent) as Input & { SecretId?: string };
    const end = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
    };
    if (service === 'secretsmanager') {
      const secret =
        Object.keys(SECRETS).find((each) => resolved(template, { Ref: SECRETS[each] }) === input.SecretId) ?? '';
      const refused = await refusal(name, [{ action, resource: secret }], undefined);
      if (refused) return end(400, { __type: refused[0], message: refused[1] });
      return end(200, { Name: input.SecretId, SecretString: SECRET_TEXTS[secret] });
    }
    const needs = needsOf(action.replace('TransactGetItems', 'GetItem'), input);
    const refused = await refusal(name, needs, input.IndexName);
    if (refused) return end(400, { __type: `com.amazon.coral.service#${refused[0]}`, message: refused[1] });
    const [{ pk = '' } = {}] = needs;
    const own = process.env['TABLE_NAME'] as string;
    const isShort = action === 'Query' && kindOf(pk) === SHORT_PAGE.kind && !input.Limit;
    const passed = await fetch(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string, {
      method: 'POST',
      headers: Object.fromEntries(
        ['x-amz-target', 'authorization', 'x-amz-date', 'content-type'].map((each) => [
          each,
          String(request.headers[each] ?? ''),
        ]),
      ),
      body: renamed(JSON.stringify({ ...input, ...(isShort && { Limit: SHORT_PAGE.items }) }), tableName, own),
    });
    const result = JSON.parse(renamed(await passed.text(), own, tableName)) as { Items?: StoredKey[] };
    if (passed.ok && /Write|Update/.test(action))
      for (const each of needs) written.set(each.pk ?? '', performance.now());
    if (input.IndexName && result.Items) {
      const newest = performance.now() - (LONG_LAG[input.IndexName] ?? LAG_MS);
      result.Items = result.Items.filter(({ pk: key }) => (written.get(key?.S ?? '') ?? 0) < newest);
    }
    return end(passed.status, result);
  });
  const api = await serveRoutes(routes, invoke);
  const clientSecret = randomUUID();
  const SECRET_TEXTS: Record<string, string | undefined> = {
    secret: LOCAL_SECRETS[LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET],
    'client-secret': clientSecret,
    'sealing-key': randomUUID(),
  };
  issuer = await startIssuer({
    port: 0,
    redirectUri: `${api.url}/console/callback`,
    clientId: ISSUER.clientId,
    clientSecret,
    people: [{ subject: 'rui', name: 'Rui Ramos', email: PERSON, memberships: [] }],
  });

  return {
    baseUrl: api.url,
    used,
    read,
    logs: {
      linesOf: async (name, _, since) => (logs[name] ?? []).filter(({ at }) => at >= since).map(({ line }) => line),
    },
    deploy: async (next, changed) => {
      template = next;
      for (const name of changed) {
        roles.delete(name);
        instances.delete(name);
      }
    },
    wait: async (milliseconds) => {
      offset += milliseconds;
      instances.clear();
    },
    stop: async () => {
      globalThis.Date = RealDate;
      await issuer?.stop();
      await api.stop();
      await aws.stop();
    },
  };
}
