import { parseArgs } from 'node:util';
import { FUNCTIONS } from '../../infra/template/definitions.ts';
import type { Template } from '../../infra/template/template.ts';
import { templateOf } from './packaging.ts';
import { allowedTo, KINDS, type Request, requestsOf } from './simulator.ts';

/** Letters of actions in the table. Any other action is shown by name. */
const LETTERS: Record<string, string> = {
  GetItem: 'G',
  BatchGetItem: 'B',
  Query: 'Q',
  PutItem: 'P',
  UpdateItem: 'U',
  DeleteItem: 'D',
  ConditionCheckItem: 'C',
  GetSecretValue: 'S',
  CreateLogStream: 'L',
  PutLogEvents: 'E',
};

const actionsOn = (requests: Request[], resource: string): string[] =>
  requests.filter((each) => each.resource === resource).map(({ action }) => action.replace(/^\w+:/, ''));

/**
 * The simulator's results: a table of resources with the permissions of each function, then the resources that no
 * function can use.
 */
async function table(template: Template): Promise<string> {
  const names = Object.keys(FUNCTIONS);
  const allowed = await Promise.all(names.map((name) => allowedTo(template, name)));
  const cell = (requests: Request[], resource: string) =>
    actionsOn(requests, resource)
      .map((action) => LETTERS[action] ?? action)
      .join('');
  const shown = [...new Set([...Object.keys(KINDS), ...allowed.flat().map(({ resource }) => resource)])];
  const lines = [
    ['', ...names.map((_, at) => String(at + 1))],
    ...shown.map((resource) => [resource, ...allowed.map((requests) => cell(requests, resource) || '-')]),
  ];
  const widthOf = (at: number) => Math.max(...lines.map((line) => line[at]?.length ?? 0));
  const requests = await requestsOf(template, names[0] as string);
  const denied = requests.map(({ resource }) => resource).filter((resource) => !shown.includes(resource));
  return [
    ...names.map((name, at) => `${String(at + 1).padStart(2)} ${name}`),
    '',
    ...lines.map((line) =>
      line
        .map((text, at) => text.padEnd(widthOf(at)))
        .join(' ')
        .trimEnd(),
    ),
    '',
    Object.entries(LETTERS)
      .map(([action, letter]) => `${letter} ${action}`)
      .join(', '),
    '',
    'Denied to all functions:',
    ...Object.entries(Object.groupBy(new Set(denied), (resource) => actionsOn(requests, resource).join(', '))).map(
      ([actions, group = []]) => `  on ${group.join(', ')}: ${actions}`,
    ),
    '',
  ].join('\n');
}

const { stage } = parseArgs({ options: { stage: { type: 'string', default: 'prod' } } }).values;
process.stdout.write(await table(await templateOf(stage)));
