import { readFileSync } from 'node:fs';
import { CONTRACT, DESCRIBED, type Parameter } from '../../infra/publish/contract/conformity.ts';
import type { ConsoleOperation } from '../../infra/publish/contract/invoke.ts';
import type { Example } from '../../infra/publish/contract/record.ts';
import { routeKey } from '../../infra/stack/template/definitions.ts';
import type { Operation } from './invoke.ts';

export { CONSOLE_CONTRACT, CONTRACT, contractViolations, DESCRIBED } from '../../infra/publish/contract/conformity.ts';

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../infra/publish/contract/${file}`, import.meta.url), 'utf8'));

/** The recorded calls that the contracts' examples are taken from. */
export const EXAMPLES: Example[] = read('examples.json');
export const CONSOLE_EXAMPLES: Example<ConsoleOperation>[] = read('consoleExamples.json');

/** Whether an operation changes something. */
export const isChange = (operation: string): boolean =>
  (DESCRIBED.get(operation)?.parameters ?? []).some((each) => 'name' in each && each.name === 'validate_only');

/** The parameters of an operation. A path parameter has the name of its route in infra/stack/functions.yml. */
export const parametersOf = (operation: Operation): Parameter[] =>
  (DESCRIBED.get(operation)?.parameters ?? []).map((each) => {
    const parameter = '$ref' in each ? (CONTRACT.components.parameters[nameOf(each)] as Parameter) : each;
    return parameter.in === 'path' ? { ...parameter, name: routeParameter(operation) } : parameter;
  });

/** The name of the path parameter of a route, which has at most one. */
export const routeParameter = (operation: Operation): string => /\{(\w+)\}/.exec(routeKey(operation))?.[1] ?? '';

const nameOf = ({ $ref }: { $ref: string }): string => $ref.split('/').at(-1) ?? '';
