import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { deep } from '../../support/depth.ts';

/** Longer than the load takes in a deep run, with two engines, a restore and a failover. */
const TIMEOUT_MS = 300_000;

test(
  'a restore and a failover under load lose nothing that was acknowledged before the point, and give back no right',
  async () => {
    // Variables that would lead to this file's engine are set anew by the script.
    const script = spawn(process.execPath, ['test/soak/recovery.ts', '--seconds', deep ? '60' : '3']);
    const [output, complaint] = await Promise.all([text(script.stdout), text(script.stderr), once(script, 'close')]);
    const found = { exitCode: script.exitCode, complaint, faults: output.match(/^ {2}FAULT.*$/gm) };
    expect([output, found]).toEqual([expect.any(String), { exitCode: 0, complaint: '', faults: null }]);
    expect(output).toMatch(/^ {2}ok +changes lost that were acknowledged before the point: 0$/m);
    expect(output).toMatch(/^The audit reports [1-9]\d* violations/m);
    process.stdout.write(output);
  },
  TIMEOUT_MS,
);
