import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guidePages } from './guides.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OURS = ['index.html', 'page.css', 'page.js', 'favicon.svg'];
const RENDERER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

/** What a page beside a demo's API differs in. */
export interface Demo {
  apiKey: string;
}

/**
 * The reference page and the guides, as static files: what they hold by their paths in a folder of their own. They load nothing
 * from anywhere else.
 *
 * @param demo Has the page call the API at its own origin with a key that everybody who can read the page gets. Without it
 * the page is what may be deployed: it holds no key, sends no requests, and shows the contract's servers.
 */
export function pageFiles(demo?: Demo): Map<string, string | Buffer> {
  const contract = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
  if (demo) contract.servers = [{ url: '/', description: 'This server, with demo data.' }];
  const read = (folder: string, names: string[]) =>
    names.map((name): [string, Buffer] => [name, readFileSync(join(ROOT, folder, name))]);
  return new Map<string, string | Buffer>([
    ...read('infra/page', OURS),
    ...read('node_modules/swagger-ui-dist', RENDERER),
    ...guidePages(),
    ['openapi.json', JSON.stringify(contract)],
    ['settings.json', JSON.stringify(demo ?? {})],
  ]);
}
