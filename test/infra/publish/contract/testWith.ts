import { spawnSync } from 'node:child_process';
import { test } from '@jest/globals';

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

/** Declares a test that needs a program of this machine. Without it, the test is skipped, and its title says why. */
export const testWith = (program: string, title: string, run: () => Promise<void>): void =>
  isInstalled(program) ? test(title, run) : test.skip(`${title} (skipped: there is no ${program})`, run);
