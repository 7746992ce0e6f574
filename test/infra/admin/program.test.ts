import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { admin, type Ran } from './admin.ts';

const HINT = '(see "npm run admin -- --help")';

describe('help', () => {
  test('lists every command, with examples', async () => {
    const { exitCode, stdout, stderr } = await admin(['--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: npm run admin -- \[options\] \[command\]\n/);
    expect(stdout).toContain('\nExamples:\n');
    const groups = [...(stdout.split('\nCommands:\n')[1]?.matchAll(/^ {2}([\w-]+)(?: \S+)* {2,}/gm) ?? [])].map(
      ([, name]) => name,
    );
    expect(groups).toEqual([
      'acquirers',
      'partnerships',
      'keys',
      'payment-apps',
      'master-acquirers',
      'members',
      'cards',
      'history',
      'audit',
      'self-check',
      'help',
    ]);
    for (const group of groups.slice(0, -1)) {
      const help = await admin([group as string, '--help']);
      expect(help).toMatchObject({ exitCode: 0, stderr: '' });
      expect(help.stdout).toContain('\nGlobal Options:\n');
    }
    expect((await admin(['members', 'import', '--help'])).stdout).toContain('\nExamples:\n');
  });

  test.each([[[]], [['keys']]])('is shown for incomplete usage: %j', async (args) => {
    const { exitCode, stdout, stderr } = await admin(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: npm run admin -- /);
  });
});

describe('wrong usage is explained in one line', () => {
  test.each([
    [['key', 'list'], `unknown command 'key' (Did you mean keys?) ${HINT}`],
    [['keys', 'forge'], `unknown command 'forge' ${HINT}`],
    [['acquirers', 'list', '--nope'], `unknown option '--nope' ${HINT}`],
    [['acquirers', 'show'], `missing required argument 'acquirer-id' ${HINT}`],
    [
      ['acquirers', 'list', '--stage', 'dev', '--table', 'restored'],
      `option '--stage <stage>' cannot be used with option '--table <name>' ${HINT}`,
    ],
    [
      ['acquirers', 'list', '--stage', 'dev', '--local', 'demo.json'],
      `option '--stage <stage>' cannot be used with option '--local <file>' ${HINT}`,
    ],
    [['members', 'import', 'members.txt'], 'add --format csv or --format jsonl for this file.'],
  ])('%j', async (args, line) => {
    expect(await admin(args)).toEqual({ exitCode: 2, stdout: '', stderr: `Wrong usage: ${line}\n` });
  });
});

describe('the process', () => {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, ...nothingLocal } = process.env;

  async function admin(args: string[], env: NodeJS.ProcessEnv): Promise<Ran> {
    const child = spawn(process.execPath, ['infra/admin/main.ts', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { exitCode, stdout, stderr };
  }

  test('runs on the table that the environment names', async () => {
    expect(await admin(['acquirers', 'list', '--json'], process.env)).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: '',
    });
  });

  test('exits with 1 if stdout is closed', async () => {
    const args = ['infra/admin/main.ts', 'members', 'import', '-', '--format', 'jsonl'];
    const child = spawn(process.execPath, args, { env: process.env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout.destroy();
    child.stdin.write('{}\n'.repeat(100));
    expect(await Promise.all([text(child.stderr), once(child, 'close')])).toEqual(['', [1, null]]);
  });

  test('exits with 2 on wrong usage', async () => {
    expect(await admin(['acquire'], nothingLocal)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `Wrong usage: unknown command 'acquire' (Did you mean acquirers?) ${HINT}\n`,
    });
  });

  test.each([
    [
      'no local API is running',
      ['--local', 'nonesuch.json'],
      nothingLocal,
      'No local API is running. Run "npm start", or add --stage or --table.',
    ],
    [
      'the table is unreachable',
      [],
      { ...process.env, TABLE_NAME: 'mine', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' },
      'Cannot reach table mine at http://127.0.0.1:9 (ECONNREFUSED). Is "npm start" running?',
    ],
    [
      'the table does not exist',
      ['--table', 'acquirer-partner-api-nonesuch'],
      process.env,
      `There is no table acquirer-partner-api-nonesuch at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}.`,
    ],
  ])('explains in one line that %s', async (_, options, env, line) => {
    expect(await admin(['acquirers', 'list', ...options], env)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `${line}\n`,
    });
  });
});
