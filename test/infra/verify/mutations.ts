import { ENDPOINTS, isKind, logicalId, SECRETS } from '../../../infra/template/definitions.ts';
import { type Resource, resourceOf, type Template } from '../../../infra/template/template.ts';

/*
 * What a stage may lack: a copy of its template without one grant, route, index or environment variable.
 */

/** A template that lacks something. */
export interface Mutation {
  kind: 'grant' | 'route' | 'index' | 'variable';
  /** What it lacks, in words. */
  name: string;
  template: Template;
  /** The functions that it affects. */
  functions: string[];
  /** What verify must name, in the detail of one case. */
  named: RegExp;
}

interface Statement {
  Action: string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, string[] | string>>;
}

const LEADING_KEYS = 'dynamodb:LeadingKeys';

/** The condition that lists the kinds on which a statement grants its actions: see infra/template/roles.ts. */
const ownKinds = ({ Condition }: Statement) =>
  (Condition?.['ForAnyValue:StringLike'] ?? Condition?.['ForAllValues:StringLike']) as
    | Record<string, string[]>
    | undefined;

const isOf = (kind: string) => (pattern: string) => pattern.replace(/#\*$/, '') === kind;

const without = (template: Template, change: (resources: Record<string, Resource>) => void): Template => {
  const copy = structuredClone(template);
  change(copy.Resources);
  return copy;
};

/** Removes an action on a kind of items, an index or a secret from the statements of a role. */
function removeGrant(
  statements: Statement[],
  action: string,
  isOn: (statement: Statement) => boolean,
  kind?: string,
): void {
  for (const statement of statements.filter((each) => each.Action.includes(action) && isOn(each))) {
    statement.Action = statement.Action.filter((each) => each !== action);
    const own = kind === undefined ? undefined : ownKinds(statement)?.[LEADING_KEYS];
    const left = own?.filter((each) => !isOf(kind as string)(each)) ?? [];
    if (left.length > 0) {
      const narrower = structuredClone({ ...statement, Action: [action] });
      Object.assign(ownKinds(narrower) as object, { [LEADING_KEYS]: left });
      statements.push(narrower);
    }
  }
  statements.splice(0, statements.length, ...statements.filter(({ Action }) => Action.length > 0));
}

/** One grant less, for each that a role has. */
function grantsOf(template: Template, name: string): Mutation[] {
  const { Policies } = resourceOf(template, logicalId(name, 'Role')).Properties;
  const statements: Statement[] = Policies[0].PolicyDocument.Statement;
  const mutation = (action: string, resource: string, isOn: (statement: Statement) => boolean): Mutation => ({
    kind: 'grant',
    name: `${name} may not ${action} on ${resource}`,
    template: without(template, (resources) => {
      const copy: Statement[] = resources[logicalId(name, 'Role')]?.Properties.Policies[0].PolicyDocument.Statement;
      removeGrant(copy, action, isOn, isKind(resource) ? resource : undefined);
    }),
    functions: [name],
    named: new RegExp(`the role of ${name} denies ${action.replace(/^\w+:/, '')}, .*${resource}`),
  });
  return statements.flatMap((statement) => {
    const kinds = ownKinds(statement)?.[LEADING_KEYS] ?? [];
    if (kinds.length > 0)
      return statement.Action.flatMap((action) =>
        kinds.map((pattern) => {
          const kind = pattern.replace(/#\*$/, '');
          return mutation(action, kind, (each) => ownKinds(each)?.[LEADING_KEYS]?.some(isOf(kind)) ?? false);
        }),
      );
    const text = JSON.stringify(statement.Resource);
    const [, index] = /\/index\/([\w-]+)/.exec(text) ?? [];
    const secret = Object.keys(SECRETS).find((each) => text.includes(`"${SECRETS[each]}"`));
    const resource = index ?? secret;
    if (!resource) return [];
    return statement.Action.map((action) =>
      mutation(action, resource, (each) => JSON.stringify(each.Resource) === text),
    );
  });
}

/** One route less, for each that an operation has. */
const routesOf = (template: Template): Mutation[] =>
  Object.entries(ENDPOINTS).flatMap(([name, { events }]) =>
    events.map(({ httpApi }): Mutation => {
      const routeKey = httpApi === '*' ? '$default' : httpApi;
      return {
        kind: 'route',
        name: `no route ${routeKey}`,
        template: without(template, (resources) => {
          for (const [id, { Properties }] of Object.entries(resources))
            if (Properties?.RouteKey === routeKey) delete resources[id];
        }),
        functions: [name],
        named: name === 'unknownRoute' ? /no route leads to unknownRoute/ : new RegExp(`no route leads to ${name}`),
      };
    }),
  );

/** One index less, for each that the table has. */
const indexesOf = (template: Template): Mutation[] =>
  resourceOf(template, 'Table').Properties.GlobalSecondaryIndexes.map(
    ({ IndexName }: { IndexName: string }): Mutation => ({
      kind: 'index',
      name: `no index ${IndexName}`,
      template: without(template, (resources) => {
        const { Properties } = resources['Table'] as Resource;
        Properties.GlobalSecondaryIndexes = Properties.GlobalSecondaryIndexes.filter(
          (each: { IndexName: string }) => each.IndexName !== IndexName,
        );
      }),
      functions: Object.keys(ENDPOINTS).filter((name) => ENDPOINTS[name]?.access[IndexName]),
      named: new RegExp(`the table lacks the index ${IndexName}`),
    }),
  );

/** One environment variable less, for each that a function has. */
const variablesOf = (template: Template, name: string): Mutation[] =>
  Object.keys(resourceOf(template, logicalId(name, 'LambdaFunction')).Properties.Environment.Variables).map(
    (variable): Mutation => ({
      kind: 'variable',
      name: `${name} without ${variable}`,
      template: without(template, (resources) => {
        delete resources[logicalId(name, 'LambdaFunction')]?.Properties.Environment.Variables[variable];
      }),
      functions: [name],
      // The library that talks to the issuer hides the cause.
      named:
        variable === 'CLIENT_ID' ? /IssuerFailure/ : new RegExp(`${name} lacks the environment variable ${variable}`),
    }),
  );

/** Everything that a stage may lack, one at a time. */
export const mutationsOf = (template: Template): Mutation[] => [
  ...routesOf(template),
  ...indexesOf(template),
  ...Object.keys(ENDPOINTS).flatMap((name) => [...grantsOf(template, name), ...variablesOf(template, name)]),
];
