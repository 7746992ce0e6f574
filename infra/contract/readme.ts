import { moduleOf } from '../local/invoke.ts';
import { ENDPOINTS } from '../template/definitions.ts';
import { API_OPERATIONS } from './calls.ts';

/** The README's table of operations: its rows, without its head. */
const ROWS = /(^\| \[.+\]\(functions\/.+\) \| `.+` \|\n)+/m;

/** Returns the README with every operation, in the order of infra/functions.yml. */
export async function readmeWithOperations(readme: string): Promise<string> {
  const names = Object.keys(ENDPOINTS).filter((name) => API_OPERATIONS.includes(name as never));
  const rows = names.map(async (name) => {
    const { handler, events } = ENDPOINTS[name as never] as (typeof ENDPOINTS)[string];
    const { summary, path = {} } = (await moduleOf(name as never)).contract;
    // Named for what they are: routes call the MID or TID of a terminal's path `id`.
    const request = events[0].httpApi.replaceAll(/\{(\w+)\}/g, (_, parameter) => {
      const meaning = (path as Record<string, unknown>)[parameter];
      return `{${typeof meaning === 'string' ? meaning : parameter}}`;
    });
    return `| [${summary}](${handler.replace(/\.\w+$/, '.ts')}) | \`${request}\` |\n`;
  });
  const table = (await Promise.all(rows)).join('');
  return readme.replace(ROWS, () => table);
}
