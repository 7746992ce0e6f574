import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Report } from '../../infra/admin/audit/audit.ts';
import type { Demo } from '../../infra/local/demo.ts';
import { freePort, Unusable } from '../../infra/local/engine.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_ERRORS = 3;
const MOST_CHARACTERS = 700;

/** What leads `npm start` and the operator's tool to other tables than those of their own. */
const LEADS_ELSEWHERE = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SECRETS_MANAGER', 'TABLE_NAME'];

/** What the server's log tells. */
interface Log {
  requests: number;
  retries: number;
  errors: number;
  /** The first lines of errors, by their beginnings. */
  firstErrors: string[];
}

/** An API of its own, on a database and ports that nobody else uses. */
export interface Server {
  demo: Demo & { base_url: string };
  /** What its processes hold, in megabytes by their names, where the system tells it as Linux does. */
  memory: () => Record<string, number>;
  /** Has the operator's tool audit its table. */
  audit: () => Promise<Report>;
  log: () => Promise<Log>;
}

/** Starts a script of the project, which works on no other table than ours. Whatever ends us ends it. */
function run(script: string, args: string[], more: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env };
  for (const name of LEADS_ELSEWHERE) delete env[name];
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill());
  return child;
}

/**
 * Starts what `npm start` starts.
 *
 * @param stops Gets what ends it and all that it has started, before it is started.
 * @param options.engine Where a database is that it uses instead of its own.
 * @param options.rate Requests a second that each acquirer may send; without it there is no limit.
 * @throws Unusable when it does not come up.
 */
export async function startServer(
  stops: (() => Promise<void>)[],
  { engine, rate }: { engine?: string | undefined; rate?: number } = {},
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-soak-'));
  const demoFile = join(folder, 'demo.json');
  const port = await freePort();
  const child = run('infra/local/start.ts', ['--demo', demoFile, ...(rate ? ['--rate', String(rate)] : [])], {
    PORT: String(port),
    ...(engine && { AWS_ENDPOINT_URL_DYNAMODB: engine }),
  });
  let hasEnded = false;
  const ended = once(child, 'close').then(() => {
    hasEnded = true;
  });
  stops.push(async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
    rmSync(join(ROOT, `.esbuild/local-${port}`), { recursive: true, force: true });
  });

  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  while (!output.includes('Press Ctrl-C to stop')) {
    if (hasEnded) throw new Unusable(output.trim());
    await sleep(50);
  }
  return {
    demo: JSON.parse(readFileSync(demoFile, 'utf8')),
    memory: () => memoryOf(child.pid ?? 0),
    audit: () => audit(demoFile),
    log: () => readLog(join(folder, 'server.log')),
  };
}

/** What the children of a process hold. DynamoDB Local is the child of one of them. */
function memoryOf(parent: number): Record<string, number> {
  const pids = existsSync('/proc/self/status') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const processes = pids.map(statusOf);
  const memory: Record<string, number> = {};
  for (const child of processes.filter((each) => each['PPid'] === String(parent))) {
    const java = processes.find((each) => each['Name'] === 'java' && each['PPid'] === child['Pid']);
    const { VmRSS = '0' } = java ?? child;
    const name = java ? 'database' : 'server';
    memory[name] = (memory[name] ?? 0) + Math.round(Number.parseInt(VmRSS, 10) / 1024);
  }
  return memory;
}

/** What Linux tells of a process; nothing of one that has just ended. */
function statusOf(pid: string): Record<string, string> {
  try {
    return Object.fromEntries(
      readFileSync(`/proc/${pid}/status`, 'utf8')
        .split('\n')
        .map((line) => line.split(/:\s+/)),
    );
  } catch {
    return {};
  }
}

async function audit(demoFile: string): Promise<Report> {
  const child = run('infra/admin/main.ts', ['audit', '--json', '--local', demoFile]);
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(output);
  } catch {
    throw new Unusable(`The audit has not run: ${complaint.trim()}`);
  }
}

async function readLog(file: string): Promise<Log> {
  const log: Log = { requests: 0, retries: 0, errors: 0, firstErrors: [] };
  for await (const line of createInterface(createReadStream(file))) {
    const { level, retries = 0 } = entryOf(line);
    if (level !== undefined) log.requests += 1;
    log.retries += retries;
    if (level !== 'ERROR') continue;
    log.errors += 1;
    if (log.firstErrors.length < MOST_ERRORS) log.firstErrors.push(line.slice(0, MOST_CHARACTERS));
  }
  return log;
}

/** A line of the log; nothing of one that is not a request's. */
function entryOf(line: string): { level?: string; retries?: number } {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
