import { resourceOf, type Template } from '../../infra/stack/template/template.ts';
import { isObject } from './spec.ts';

const REGION = 'eu-central-1';
/** The account of the fictitious deployment. */
export const ACCOUNT = '123456789012';
const PSEUDO_PARAMETERS: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
};
/** ARN of a resource of the fictitious deployment. */
export const arn = (service: string, resource: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** Attributes that resources get on deployment, as far as the template refers to them. */
const DEPLOYED: Record<string, (name: Record<string, string>) => Record<string, string>> = {
  'AWS::ApiGatewayV2::Api': () => ({ ApiEndpoint: `https://a1b2c3d4e5.execute-api.${REGION}.amazonaws.com` }),
  'AWS::Logs::LogGroup': ({ LogGroupName = '' }) => ({
    Ref: LogGroupName,
    Arn: arn('logs', `log-group:${LogGroupName}:*`),
  }),
  'AWS::SQS::Queue': ({ QueueName = '' }) => ({
    Ref: `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${QueueName}`,
    Arn: arn('sqs', QueueName),
  }),
  'AWS::Cognito::UserPoolClient': () => ({ Ref: '1a2b3c4d5e6f7g8h9i0j1k2l3m' }),
};

/**
 * Resolves the references in a value of a template, as in a deployment with a fictitious Region, account and names.
 *
 * @throws Error for an unknown reference.
 */
export function resolved(template: Template, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(template, each));
  if (!isObject(value)) return value;
  const [[name, argument] = []] = Object.entries(value);
  const call = name && FUNCTIONS[name];
  if (call) return call(template, argument as never);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(template, each)]));
}

const FUNCTIONS: Record<string, (template: Template, argument: never) => unknown> = {
  Ref: (template, id: string) => attribute(template, id, 'Ref'),
  'Fn::GetAtt': (template, [id, name]: [string, string]) => attribute(template, id, name),
  'Fn::Sub': (template, text: string) =>
    text.replace(/\$\{([\w:]+)\}/g, (_, id) => PSEUDO_PARAMETERS[id] ?? attribute(template, id, 'Ref')),
};

function attribute(template: Template, id: string, name: string): string {
  const { Type, Properties } = resourceOf(template, id);
  const value = DEPLOYED[Type]?.(Properties)[name];
  if (value === undefined) throw new Error(`The template refers to ${name} of ${id}, which is unknown.`);
  return value;
}
