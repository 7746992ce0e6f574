import { STORY } from '../../infra/publish/contract/calls.ts';
import { CONTRACT, DESCRIBED, examplesIn, type Parameter } from '../../infra/publish/contract/conformity.ts';
import { routeKey } from '../../infra/stack/template/definitions.ts';
import type { Operation } from './invoke.ts';

export { CONTRACT, contractViolations, DESCRIBED } from '../../infra/publish/contract/conformity.ts';

/** The recorded calls that the examples of docs/openapi.json are taken from. */
export const EXAMPLES = examplesIn(STORY);

/** Whether an operation changes something. */
export const isChange = (operation: string): boolean =>
  (DESCRIBED.get(operation)?.parameters ?? []).some((each) => 'name' in each && each.name === 'validate_only');

/** Whether an operation has a body. */
export const hasBody = (operation: string): boolean => DESCRIBED.get(operation)?.requestBody !== undefined;

/** The parameters of an operation. A path parameter has the name of its route in infra/stack/functions.yml. */
export const parametersOf = (operation: Operation): Parameter[] =>
  (DESCRIBED.get(operation)?.parameters ?? []).map((each) => {
    const parameter = '$ref' in each ? (CONTRACT.components.parameters[nameOf(each)] as Parameter) : each;
    return parameter.in === 'path' ? { ...parameter, name: routeParameter(operation) } : parameter;
  });

/** The name of the path parameter of a route, which has at most one. */
const routeParameter = (operation: Operation): string => /\{(\w+)\}/.exec(routeKey(operation))?.[1] ?? '';

const nameOf = ({ $ref }: { $ref: string }): string => $ref.split('/').at(-1) ?? '';
