import { expect, test } from '@jest/globals';
import { deep } from '../../support/depth.ts';
import { runScript } from '../../support/scripts.ts';

/** How much changes in so few seconds depends on the machine, so this is no proof for a push. */
const testIfDeep = deep ? test : test.skip;

/** Longer than the load takes, with two engines, a restore and a failover. */
const TIMEOUT_MS = 300_000;

testIfDeep(
  'a restore and a failover under load lose nothing that was acknowledged before the point, and give back no right',
  async () => {
    // Variables that would lead to this file's engine are set anew by the script.
    const { stdout, ...ended } = await runScript(['test/soak/recovery.ts', '--seconds', '60']);
    const found = { ...ended, faults: stdout.match(/^( {2}FAULT|\d+ faults:).*$/gm) };
    expect([stdout, found]).toEqual([expect.any(String), { exitCode: 0, stderr: '', faults: null }]);
    expect(stdout).toMatch(/^ {2}ok +changes lost that were acknowledged before the point: 0$/m);
    expect(stdout).toMatch(/^The audit reports [1-9]\d* violations/m);
    process.stdout.write(stdout);
  },
  TIMEOUT_MS,
);
