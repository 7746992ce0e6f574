import { moduleOf, type Operation } from '../local/invoke.ts';
import { OPERATIONS } from '../template/definitions.ts';
import { interfaceRoute } from './paths.ts';

/** The README's table of operations: its rows, without its head. */
const ROWS = /(^\| \[.+\]\(functions\/.+\) \| `.+` \|\n)+/m;

/** Returns the README with every operation, in the order of infra/functions.yml. */
export async function readmeWithOperations(readme: string): Promise<string> {
  const rows = Object.entries(OPERATIONS).map(async ([name, { handler, events }]) => {
    const { summary, path } = (await moduleOf(name as Operation)).contract;
    const request = interfaceRoute(events[0].httpApi, path);
    return `| [${summary}](${handler.replace(/\.\w+$/, '.ts')}) | \`${request}\` |\n`;
  });
  const table = (await Promise.all(rows)).join('');
  return readme.replace(ROWS, () => table);
}
