import { unzipSync } from 'fflate';
import { wordsIn } from './policies.ts';
import { BY_HAND, ROLE_STATEMENTS, SCOPES, UNUSED, WITHHELD } from './types.ts';

/** The part of a resource provider schema that says what the handlers of its type call. */
interface Schema {
  typeName: string;
  handlers?: Record<string, { permissions: string[] }>;
  tagging?: { permissions?: string[] };
}

/** The schemas of an archive, as CloudFormation publishes it, by type. */
async function schemasOf(url: string): Promise<Map<string, Schema>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} responded ${response.status}. Name the archive of another Region.`);
  const files = Object.values(unzipSync(new Uint8Array(await response.arrayBuffer())));
  const schemas = files.map((file): Schema => JSON.parse(new TextDecoder().decode(file)));
  return new Map(schemas.map((schema) => [schema.typeName, schema]));
}

/** Whether one of these patterns, such as `s3:Get*`, has an action. Neither's case matters. */
export const covers = (patterns: string[], action: string): boolean =>
  patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 'i').test(action));

/**
 * What the handlers of the types of a stage call, by the schemas at a URL, and CloudFormation's role lacks; and what cannot
 * be told. Listing is left out: no deployment lists.
 */
export async function findings(url: string): Promise<string[]> {
  const schemas = await schemasOf(url);
  const ofRoles = ROLE_STATEMENTS.flatMap(({ Action }) => Action);
  const types = [...new Set(SCOPES.flatMap(({ types }) => types)), 'AWS::IAM::Role'].sort();
  return types.flatMap((type) => {
    const { handlers, tagging } = schemas.get(type) ?? {};
    if (!handlers)
      return type === BY_HAND ? [] : [`${type}: no schema names what its handlers call. Is this the right archive?`];
    const { list: _, ...used } = handlers;
    const called = [...Object.values(used).flatMap(({ permissions }) => permissions), ...(tagging?.permissions ?? [])];
    const left = [...Object.values(UNUSED[type] ?? {}), WITHHELD[type] ?? ''].flatMap(wordsIn);
    const allowed = SCOPES.filter(({ types }) => types.includes(type)).flatMap(({ statement }) => statement.Action);
    const patterns = [...allowed, ...ofRoles, ...left];
    const lacking = [...new Set(called)].filter((action) => !covers(patterns, action)).sort();
    return lacking.map((action) => `${type}: its handlers call ${action}. Add it to infra/operate/policies/types.ts.`);
  });
}
