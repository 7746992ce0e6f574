import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Demo } from '../../infra/local/demo.ts';
import { freePort, Unusable } from '../../infra/local/engine.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Variables that would make `npm start` use other tables than its own. */
const LEADS_ELSEWHERE = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SECRETS_MANAGER', 'TABLE_NAME'];

/** A server with a database and ports of its own. */
export interface Server {
  demo: Demo & { base_url: string };
}

/**
 * Starts the same as `npm start`.
 *
 * @param stops Gets a function that ends it and all that it has started, before it is started.
 * @throws Unusable if it does not start.
 */
export async function startServer(stops: (() => Promise<void>)[]): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-server-'));
  const demoFile = join(folder, 'demo.json');
  const port = await freePort();
  const env: NodeJS.ProcessEnv = { ...process.env, PORT: String(port) };
  for (const name of LEADS_ELSEWHERE) delete env[name];
  const child = spawn(process.execPath, ['infra/local/start.ts', '--demo', demoFile], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill());
  let hasEnded = false;
  const ended = once(child, 'close').then(() => {
    hasEnded = true;
  });
  stops.push(async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
  });

  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  while (!output.includes('Press Ctrl-C to stop')) {
    if (hasEnded) throw new Unusable(output.trim());
    await sleep(50);
  }
  return { demo: JSON.parse(readFileSync(demoFile, 'utf8')) };
}
