// Plain JavaScript, because it is what runs when the project's own Node.js, which reads TypeScript, is not there.
import { existsSync } from 'node:fs';

const [major] = process.versions.node.split('.').map(Number);
if (major < 24 || !existsSync('node_modules/serverless')) {
  process.stderr.write('Nothing is installed here yet, or not its Node.js 24. Run "npm ci" first.\n');
  process.exit(1);
}
