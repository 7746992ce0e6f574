import { logicalId } from '../../infra/stack/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/stack/template/template.ts';
import * as keys from '../../lib/table/keys.ts';
import { resolved } from './deployed.ts';

/** A statement of a policy whose references are resolved. */
export interface Statement {
  Effect: string;
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** A partition key of each kind of items. Every export of keys.ts whose name ends in `Key` makes a key. */
export const KINDS: Record<string, string> = Object.fromEntries(
  Object.entries(keys)
    .filter(([name]) => name.endsWith('Key'))
    .map(([, make]) => (make as (...texts: string[]) => keys.Key)('1', '2', '3', '4').pk)
    .map((pk) => [keys.kindOf(pk), pk])
    .sort(),
);

/** The statements of a role of a template by its logical id. */
export const statementsOf = (template: Template, id: string): Statement[] =>
  (resolved(template, resourceOf(template, id).Properties.Policies) as { PolicyDocument: { Statement: object[] } }[])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map((each) => {
      const { Action, Resource, ...rest } = each as { Action: string | string[]; Resource: string | string[] };
      return { ...rest, Action: [Action].flat(), Resource: [Resource].flat() } as Statement;
    });

/** The statements of the role of a function. */
export const statementsOfFunction = (template: Template, name: string): Statement[] =>
  statementsOf(template, logicalId(name, 'Role'));

/** Whether a text is like one of these patterns of IAM. */
export const isLike = (patterns: string | string[], text: string): boolean =>
  [patterns].flat().some((pattern) => {
    const escaped = pattern
      .replace(/[.+^$(){}|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${escaped}$`).test(text);
  });

/**
 * The operators that our statements use, given the values of a condition key ("IAM JSON policy elements: Condition").
 */
const OPERATORS: Record<string, (expected: string | string[], values: string[]) => boolean> = {
  'ForAllValues:StringLike': (expected, values) => values.every((each) => isLike(expected, each)),
  'ForAnyValue:StringLike': (expected, values) => values.some((each) => isLike(expected, each)),
  Null: (expected, values) => [expected].flat().includes(String(values.length === 0)),
  StringEquals: (expected, values) => values.some((each) => [expected].flat().includes(each)),
};

/**
 * Whether statements that allow, allow a request.
 *
 * @param context The values of condition keys, such as `dynamodb:LeadingKeys`.
 * @throws Error for an operator that is not in {@link OPERATORS}.
 */
export const allows = (
  statements: Statement[],
  { action, resource, context = {} }: { action: string; resource: string; context?: Record<string, string[]> },
): boolean =>
  statements.some(
    ({ Effect, Action, Resource, Condition = {} }) =>
      Effect === 'Allow' &&
      isLike(Action, action) &&
      isLike(Resource, resource) &&
      Object.entries(Condition).every(([operator, conditions]) =>
        Object.entries(conditions).every(([key, expected]) => {
          const holds = OPERATORS[operator];
          if (!holds) throw new Error(`Add the operator ${operator} to test/packaged/roles.ts.`);
          return holds(expected, context[key] ?? []);
        }),
      ),
  );
