import type { Contract } from '../../../lib/http/contract.ts';

type Parameters = NonNullable<Contract['path']>;

/** The interface's name of a route's parameter: API Gateway needs one name for the MIDs and TIDs of a path level. */
const nameOf = (parameter: string, kind: Parameters[string] | undefined): string =>
  typeof kind === 'string' ? kind : parameter;

/** A route with the interface's parameter names, such as `GET /ext/api/v1/terminals/{mid}`. */
const interfaceRoute = (route: string, parameters: Parameters = {}): string =>
  route.replaceAll(/\{(\w+)\}/g, (_, parameter) => `{${nameOf(parameter, parameters[parameter])}}`);

/**
 * A route and its parameters with the contract's names. They are the interface's, except for the `id` of
 * `/ext/api/v1/terminals/{id}`: OpenAPI forbids two paths that differ only in names.
 */
export function contractRoute(route: string, parameters: Parameters = {}): { route: string; parameters: Parameters } {
  if (route.endsWith('{id}')) return { route, parameters };
  const entries = Object.entries(parameters).map(([parameter, kind]) => [nameOf(parameter, kind), kind]);
  return { route: interfaceRoute(route, parameters), parameters: Object.fromEntries(entries) };
}

/** What the contract adds to the description of the parameter `id`, by what it is. */
export const ID_REMARKS = {
  mid: ' PATCH and DELETE of this path take a TID.',
  tid: ' GET and POST of this path take a MID.',
};

/** The parts of an operation of docs/openapi.json that this file reads. */
interface Described<P extends Parameter> {
  parameters?: P[];
}
type Parameter = object & { name?: string; description?: string; schema?: object };

/** What a parameter `id` is. Only a TID is always a UUID. */
const kindOf = ({ schema = {} }: Parameter) => ('format' in schema ? 'tid' : 'mid');

/** The path of an operation of docs/openapi.json with the interface's parameter names. */
function interfacePath(path: string, { parameters = [] }: Described<Parameter>): string {
  const id = parameters.find(({ name }) => name === 'id');
  return id ? path.replace('{id}', `{${kindOf(id)}}`) : path;
}

/** The parameters of an operation of docs/openapi.json with the interface's names. */
const interfaceParameters = <P extends Parameter>({ parameters = [] }: Described<P>): P[] =>
  parameters.map((each) => {
    if (each.name !== 'id') return each;
    const kind = kindOf(each);
    return { ...each, name: kind, description: each.description?.replace(ID_REMARKS[kind], '') };
  });

/** The paths of docs/openapi.json with the interface's parameter names. Some then differ only in names. */
export function interfacePaths<O extends Described<Parameter>>(paths: Record<string, Record<string, O>>) {
  const named: Record<string, Record<string, O>> = {};
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      const name = interfacePath(path, operation);
      named[name] = { ...named[name], [method]: { ...operation, parameters: interfaceParameters(operation) } };
    }
  return named;
}
