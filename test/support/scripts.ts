import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll } from '@jest/globals';

/** Creates a folder that is removed after the tests of this file. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a script with Node.js until it ends. */
export async function runScript(args: string[], options: SpawnOptionsWithoutStdio = {}) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { exitCode, stdout, stderr };
}
