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

/** Variables that would make `npm start` and the operator's tool use other tables than their own. */
const LEADS_ELSEWHERE = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SECRETS_MANAGER', 'TABLE_NAME'];

/** The results of the server's log. */
interface Log {
  requests: number;
  retries: number;
  errors: number;
  /** The first lines of errors, by their beginnings. */
  firstErrors: string[];
}

/** A server with a database and ports of its own. */
export interface Server {
  demo: Demo & { base_url: string };
  /** Memory of its processes in megabytes by name, if the system reports it like Linux. */
  memory: () => Record<string, number>;
  /** Audits its table with the operator's tool. */
  audit: () => Promise<Report>;
  log: () => Promise<Log>;
}

/** Starts a script of the project, which uses no other table than ours and ends with this process. */
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
 * Starts the same as `npm start`.
 *
 * @param stops Gets a function that ends it and all that it has started, before it is started.
 *
 * @param options.engine URL of a database to use instead of its own.
 *
 * @param options.rate Requests per second that each acquirer may send; unlimited by default.
 *
 * @throws Unusable if it does not start.
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

/** Memory of the children of a process. DynamoDB Local is the child of one of them. */
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

/** The status of a process by Linux; nothing if it has just ended. */
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

/** A line of the log; nothing if it is not a request's. */
function entryOf(line: string): { level?: string; retries?: number } {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
