import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Keep Chromium from contacting its vendor's hosts. */
const NO_BACKGROUND_REQUESTS = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...NO_BACKGROUND_REQUESTS];

/** The path of an executable, found like in a shell. */
function executable(name: string): string {
  const path = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();
  if (!path) throw new Error(`No ${name} is installed. CHROMIUM may name another browser of that kind.`);
  return resolve(path);
}

/** Starts Chromium, with arguments of its own if they are given. */
export const launch = (args: string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: executable(process.env['CHROMIUM'] ?? 'chromium'), args: [...ARGUMENTS, ...args] });
