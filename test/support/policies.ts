import { readFileSync } from 'node:fs';
import { type CollectionTag, parse, type ScalarTag, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Grants } from '../../infra/stack/template/definitions.ts';

/*
 * The policies of people and the pipeline, as infra/operate/policies.yml has them.
 */

/** The template's file. */
export const POLICIES_FILE = 'infra/operate/policies.yml';

/** A statement as the template has it, before CloudFormation resolves what it refers to. */
export interface TemplateStatement {
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, string | string[]>>;
}

interface Document {
  Statement: TemplateStatement[];
}

interface AccessTemplate {
  Parameters: { Stage: { AllowedValues: string[] } };
  Mappings: { Stages: Record<string, Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: each type of resource has properties of its own
  Resources: Record<string, { Type: string; Properties: any }>;
}

/** The short forms of CloudFormation's functions, such as `!Sub`, as objects with the long ones. */
const FUNCTIONS = ['Ref', 'Condition', ...['Sub', 'If', 'Not', 'And', 'Equals', 'FindInMap', 'GetAtt']].flatMap(
  (name): (ScalarTag | CollectionTag)[] => {
    const call = (value: unknown) => ({ [/Ref|Condition/.test(name) ? name : `Fn::${name}`]: value });
    return [
      { tag: `!${name}`, resolve: call },
      { tag: `!${name}`, collection: 'seq', resolve: (list: YAMLSeq | YAMLMap) => call(list.toJSON()) },
    ] as (ScalarTag | CollectionTag)[];
  },
);

export const TEMPLATE: AccessTemplate = parse(readFileSync(POLICIES_FILE, 'utf8'), { customTags: FUNCTIONS });

/** The policies of people and the pipeline by name, such as `member-operator`. */
export const POLICIES: Record<string, Document> = Object.fromEntries(
  Object.values(TEMPLATE.Resources)
    .filter(({ Type }) => Type === 'AWS::IAM::ManagedPolicy')
    .map(({ Properties }) => [
      Properties.ManagedPolicyName['Fn::Sub'].replace(/^.*\$\{Stage\}-/, ''),
      Properties.PolicyDocument,
    ]),
);

/** What CloudFormation may do. */
export const EXECUTION: Document = TEMPLATE.Resources['ExecutionRole']?.Properties.Policies[0].PolicyDocument;

const LEADING_KEYS = 'dynamodb:LeadingKeys';

/** The statements of a policy on items of the table, by the kinds of their partition keys. */
export const itemStatementsOf = (policy: string): TemplateStatement[] =>
  (POLICIES[policy]?.Statement ?? []).filter(({ Condition }) => Condition?.['ForAllValues:StringLike']);

/**
 * What a policy grants, as infra/stack/functions.yml has it for functions; a scan of the table is `Scan` on `table`.
 */
export function grantsIn(policy: string): Grants {
  const grants: Grants = {};
  const add = (resource: string, actions: string | string[]) => {
    const all = [actions].flat().map((action) => action.replace('dynamodb:', ''));
    grants[resource] = [...(grants[resource] ?? []), ...all].sort();
  };
  for (const { Condition, Action } of itemStatementsOf(policy)) {
    const own = Condition?.['ForAnyValue:StringLike'] ?? Condition?.['ForAllValues:StringLike'];
    for (const key of [own?.[LEADING_KEYS] ?? []].flat()) add(key.replace('#*', ''), Action);
  }
  for (const { Condition, Action, Resource } of POLICIES[policy]?.Statement ?? [])
    if (!Condition && String(Action).startsWith('dynamodb:'))
      for (const each of [Resource].flat() as { 'Fn::Sub': string }[])
        add(/\/index\/(.+)$/.exec(each['Fn::Sub'])?.[1] ?? 'table', Action);
  return grants;
}
