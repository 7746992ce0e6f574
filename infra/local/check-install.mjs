// Plain JavaScript, because it also runs on a Node.js that cannot run TypeScript, before the project's own is installed.
import { existsSync } from 'node:fs';

const [major] = process.versions.node.split('.').map(Number);
if (major < 24 || !existsSync('node_modules/serverless')) {
  process.stderr.write('Dependencies or Node.js 24 are not installed. Run "npm ci" first.\n');
  process.exit(1);
}
