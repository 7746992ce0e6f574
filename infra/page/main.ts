import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pageFiles } from './page.ts';

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('Name the folder that the reference page is written to: npm run page -- <folder>\n');
  process.exit(1);
}
for (const [path, content] of pageFiles()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
