import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { serve } from '../../infra/local/serve.ts';
import { fail, stops } from '../../infra/operate/shutdown.ts';
import type { Resource, Template } from '../../infra/stack/template/template.ts';

/*
 * A front of MiniStack's CloudFormation that makes up for what it lacks, and counts it. Lines are of MiniStack 1.4.21.
 */

/** The types of dev's templates of which MiniStack says "Unsupported resource type". */
const UNSUPPORTED = [
  'AWS::Budgets::Budget',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Cognito::ManagedLoginBranding',
  'AWS::Logs::LogStream',
  'AWS::Logs::MetricFilter',
];

/** What MiniStack creates in place of a resource that it does not support: nothing, to which others can refer. */
const NOTHING = 'AWS::CloudFormation::WaitConditionHandle';

/** What of a resource MiniStack does not support. */
function unsupported({ Type, Properties }: Resource): string | undefined {
  if (UNSUPPORTED.includes(Type)) return Type;
  return Type === 'AWS::CloudWatch::Alarm' && Properties.Metrics ? `${Type} with metric math` : undefined;
}

/** Resolves dynamic references to parameters, which MiniStack takes literally. */
async function resolved(template: string): Promise<string> {
  const client = new SSMClient();
  let body = template;
  for (const [reference, Name] of template.matchAll(/{{resolve:ssm:(.+?)}}/g)) {
    const { Parameter } = await client.send(new GetParameterCommand({ Name }));
    body = body.replaceAll(reference, Parameter?.Value as string);
  }
  return body;
}

/** Sorts events newest first, which MiniStack does not do to those of the same millisecond (handlers.py:265). */
function sorted(xml: string): string {
  const event = /<member>.*?<Timestamp>(.*?)<\/Timestamp><\/member>/gs;
  const events = [...xml.matchAll(event)].reverse().sort(([, a = ''], [, b = '']) => Number(a < b) - Number(a > b));
  return xml.replace(event, () => events.shift()?.[0] as string);
}

/**
 * Starts the front, on this machine only. AWS_ENDPOINT_URL names MiniStack.
 *
 * @param leftOut Gets what MiniStack lacks, with the logical ids, or the stacks, that lack it.
 * @returns Its URL.
 */
export async function startCloudFormation(leftOut: Map<string, Set<string>>): Promise<string> {
  const emulator = process.env['AWS_ENDPOINT_URL'] as string;
  const leave = (what: string, where: string) => leftOut.set(what, (leftOut.get(what) ?? new Set()).add(where));

  /** The template at a URL, without what MiniStack does not support. */
  async function supported(url: string): Promise<string> {
    const stored = await fetch(emulator + new URL(url).pathname);
    const template: Template = JSON.parse(await resolved(await stored.text()));
    for (const [id, resource] of Object.entries(template.Resources)) {
      // An update of a function drops its versions and aliases (provisioners.py:892). So they change with every
      // deployment.
      if (/^AWS::Lambda::(Version|Alias)$/.test(resource.Type)) resource.Properties.Description = url;
      const lacking = unsupported(resource);
      if (!lacking) continue;
      leave(lacking, id);
      resource.Type = NOTHING;
    }
    return JSON.stringify(template);
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    const url = body.get('TemplateURL');
    if (url) {
      // MiniStack validates no template at a URL (handlers.py:571).
      body.delete('TemplateURL');
      body.set('TemplateBody', await supported(url));
    }
    const { authorization = '' } = request.headers;
    const forwarded = await fetch(emulator, { method: 'POST', headers: { authorization }, body });
    const xml = await forwarded.text();
    const action = body.get('Action') as string;
    const isUnknown = xml.includes(`Unknown action: ${action}`);
    if (isUnknown) leave(`cloudformation:${action}`, body.get('StackName') as string);
    // To AWS, a change set that does not exist is deleted ("DeleteChangeSet", CloudFormation API Reference, which lists
    // no such error).
    const isDone = isUnknown || (action === 'DeleteChangeSet' && xml.includes('does not exist'));
    response.writeHead(isDone ? 200 : forwarded.status).end(isDone ? `<${action}Response/>` : sorted(xml));
  }

  const { url, stop } = await serve((request, response) => void respond(request, response).catch(fail));
  stops.push(stop);
  return url;
}
