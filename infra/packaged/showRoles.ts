import { parseArgs } from 'node:util';
import { FUNCTIONS } from '../generated/definitions.ts';
import { templateOf } from './packaging.ts';
import { allowedTo, type Request, requestsOf } from './simulator.ts';
import type { Template } from './template.ts';

const nameOf = ({ action, resource }: Request): string => `${action} on ${resource}`;

/** The simulator's verdicts, as a table: a line per request that some function may make, and what no function may. */
async function table(template: Template): Promise<string> {
  const names = Object.keys(FUNCTIONS);
  const allowed = await Promise.all(names.map(async (name) => (await allowedTo(template, name)).map(nameOf)));
  const requests = await requestsOf(template, names[0] as string);
  const denied = requests.filter((request) => allowed.every((each) => !each.includes(nameOf(request))));
  const rows = [...new Set(allowed.flat())].sort();
  const width = Math.max(...rows.map((row) => row.length));
  return [
    ...names.map((name, at) => `${String(at + 1).padStart(2)} ${name}`),
    '',
    `${'+ allowed, - denied'.padEnd(width)} ${names.map((_, at) => String(at + 1).padStart(3)).join('')}`,
    ...rows.map(
      (row) => `${row.padEnd(width)} ${allowed.map((each) => (each.includes(row) ? '  +' : '  -')).join('')}`,
    ),
    '',
    'Denied to all functions:',
    ...Object.entries(Object.groupBy(denied, ({ resource }) => resource)).map(
      ([resource, group = []]) =>
        `  on ${resource}: ${group.map(({ action }) => action.replace(/^\w+:/, '')).join(', ')}`,
    ),
    '',
  ].join('\n');
}

const { stage } = parseArgs({ options: { stage: { type: 'string', default: 'prod' } } }).values;
process.stdout.write(await table(await templateOf(stage)));
