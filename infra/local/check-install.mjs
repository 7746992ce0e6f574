// Plain JavaScript, because it also runs on a Node.js that cannot run TypeScript, before the project's own is installed.
import { existsSync } from 'node:fs';

/** Says what is missing of an installation, and which command helps. */
function missing() {
  const has = (path) => existsSync(`node_modules/${path}`);
  if (!has('valibot')) return 'Dependencies are not installed. Run "npm ci" first.';
  if (!has('serverless'))
    return 'The devDependencies are not installed: NODE_ENV is "production", or npm omits them. Run "npm ci --include=dev".';
  const { node: version } = process.versions;
  if (Number.parseInt(version, 10) >= 24) return undefined;
  if (!has('.bin/node'))
    return 'The install script of Node.js 24 has not run: npm ignores scripts. Run "npm rebuild node --ignore-scripts=false".';
  return `This is Node.js ${version}. Use the project’s Node.js 24: run the command with "npm run", or the file with "npx node".`;
}

const fault = missing();
if (fault) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
