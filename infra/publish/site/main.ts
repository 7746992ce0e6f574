import { cpSync } from 'node:fs';
import { builtSite } from './site.ts';

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('Usage: npm run page -- <folder>\n');
  process.exit(1);
}
cpSync(await builtSite(), folder, { recursive: true });
