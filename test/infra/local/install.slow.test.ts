import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { ownFolder } from '../../support/scripts.ts';

/*
 * What an installation may run, and what the commands say if it is not complete.
 */

const root = ownFolder();
const { scripts, allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const packages = Object.entries<{ hasInstallScript?: boolean }>(
  JSON.parse(readFileSync('package-lock.json', 'utf8')).packages,
);

test('each install script of a dependency was reviewed: allowScripts permits or denies it', () => {
  const withScript = packages
    .filter(([, each]) => each.hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1));
  expect(withScript.length).toBeGreaterThan(0);
  expect([...new Set(withScript)].sort()).toEqual(Object.keys(allowScripts).sort());
});

/** Older versions of npm do not know `strict-allow-scripts`: the test above is what they have. */
const [major = 0, minor = 0] = spawnSync('npm', ['--version'], { encoding: 'utf8' }).stdout.split('.').map(Number);
const isStrict = major > 11 || (major === 11 && minor >= 19);

(isStrict ? test : test.skip)('an install script that nobody reviewed does not run, and npm says so', () => {
  const folder = mkdtempSync(join(root, 'install-'));
  mkdirSync(join(folder, 'package'));
  const unreviewed = { name: 'unreviewed', version: '1.0.0', scripts: { postinstall: 'echo > "$INIT_CWD/has-run"' } };
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(unreviewed));
  spawnSync('tar', ['-czf', 'unreviewed.tgz', 'package'], { cwd: folder });
  const dependencies = { unreviewed: 'file:unreviewed.tgz' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies, allowScripts }));
  // The npm that runs this test hands its own settings on.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const install = () =>
    spawnSync('npm', ['install', '--offline', '--no-audit'], { cwd: folder, env, encoding: 'utf8' });
  copyFileSync('.npmrc', join(folder, '.npmrc'));
  const { status, stderr } = install();
  expect([status, stderr]).toEqual([1, expect.stringContaining('unreviewed@1.0.0 (postinstall')]);
  expect(existsSync(join(folder, 'has-run'))).toBe(false);
  // Without the project's settings, it does.
  rmSync(join(folder, '.npmrc'));
  expect([install().status, existsSync(join(folder, 'has-run'))]).toEqual([0, true]);
});

test('each command that runs TypeScript checks the installation first', () => {
  const running = Object.entries<string>(scripts).filter(([, script]) => /\bnode .*\.[jt]s\b/.test(script));
  expect(running.length).toBeGreaterThan(10);
  expect(
    running.filter(([, script]) => !/^\S*( exec )?node (--import \.\/)?infra\/local\/check-install\.mjs /.test(script)),
  ).toEqual([]);
});

/** Another Node.js than the project's, whose version is the environment variable. */
const OLD = 'Object.defineProperty(process.versions, "node", { value: "20.19.0" });';

test.each<[string, installed: string[], message: string]>([
  ['nothing is installed', [], 'Dependencies are not installed. Run "npm ci" first.'],
  [
    'npm has omitted devDependencies, as with NODE_ENV=production',
    ['valibot'],
    'The devDependencies are not installed: NODE_ENV is "production", or npm omits them. Run "npm ci --include=dev".',
  ],
  [
    'npm has run no install scripts',
    ['valibot', 'serverless'],
    'The install script of Node.js 24 has not run: npm ignores scripts. Run "npm rebuild node --ignore-scripts=false".',
  ],
  [
    'another Node.js runs the command',
    ['valibot', 'serverless', '.bin/node'],
    'This is Node.js 20.19.0. Use the project’s Node.js 24: run the command with "npm run", or the file with "npx ' +
      'node".',
  ],
])('where %s, a command names the cause and what to run', (_, installed, message) => {
  const folder = mkdtempSync(join(root, 'install-'));
  for (const each of installed) mkdirSync(join(folder, 'node_modules', each), { recursive: true });
  writeFileSync(join(folder, 'old.mjs'), OLD);
  writeFileSync(join(folder, 'main.ts'), 'console.log("runs");');
  const imports = ['./old.mjs', resolve('infra/local/check-install.mjs')].flatMap((file) => ['--import', file]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...imports, 'main.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: `${message}\n` });
});

test('without install scripts, Node.js 24 of the machine runs the commands', () => {
  const folder = mkdtempSync(join(root, 'install-'));
  for (const each of ['valibot', 'serverless']) mkdirSync(join(folder, 'node_modules', each), { recursive: true });
  const check = spawnSync(process.execPath, [resolve('infra/local/check-install.mjs')], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(check).toMatchObject({ status: 0, stderr: '' });
});
