import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { runScript } from '../../../support/scripts.ts';
import { rescan } from '../../../support/stored.ts';
import { done, failed, groupsIn, operator } from './operator.ts';

describe('help', () => {
  test('lists every command, with examples', async () => {
    const { exitCode, stdout, stderr } = await operator(['--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: npm run operator -- \[options\] \[command\]\n/);
    expect(stdout).toContain('\nExamples:\n');
    const groups = groupsIn(stdout);
    expect(groups.join(' ')).toBe(
      'find history acquirers partnerships keys people payment-apps master-acquirers webhooks members cards audit ' +
        'self-check help',
    );
    for (const group of groups.slice(0, -1)) {
      const help = await operator([group, '--help']);
      expect(help).toMatchObject({ exitCode: 0, stderr: '' });
      expect(help.stdout).toContain('\nGlobal Options:\n');
    }
    expect((await operator(['members', 'import', '--help'])).stdout).toContain('\nExamples:\n');
  });

  test.each([[[]], [['keys']]])('is shown for incomplete usage: %j', async (args) => {
    const { exitCode, stdout, stderr } = await operator(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: npm run operator -- /);
  });
});

describe('the process', () => {
  const runTool = (args: string[]) => runScript(['infra/operate/cli/main.ts', ...args], { env: process.env });

  test('runs on the table that the environment names', async () => {
    expect(await runTool(['acquirers', 'list', '--json'])).toEqual(done('[]'));
  });

  test('exits with 1 if stdout is closed', async () => {
    const args = ['infra/operate/cli/main.ts', 'members', 'import', '-', '--json'];
    const child = spawn(process.execPath, args, { env: process.env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout.destroy();
    child.stdin.write(`member_id\n${'anna\n'.repeat(100)}`);
    expect(await Promise.all([text(child.stderr), once(child, 'close')])).toEqual(['', [1, null]]);
    // The process has written the import's event.
    await rescan();
  });

  test('explains in one line what it has not found in AWS', async () => {
    const line = `There is no table acquirer-partner-api-nonesuch at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}.`;
    const args = ['acquirers', 'list', '--table', 'acquirer-partner-api-nonesuch'];
    expect(await runTool(args)).toEqual(failed(line));
  });
});
