import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpack, unzip } from '../packaged/packaged.ts';
import { eventOf, type Operation, type Request } from '../support/invoke.ts';

/** The measurements of an instance. */
export interface Measured {
  /** The different statuses of its responses. */
  statuses: number[];
  /** Milliseconds until it was imported, and from then on to the first response. */
  imported: number;
  firstCall: number;
  /** CPU milliseconds from the import to the first response, and for each response after that. */
  coldCpu: number;
  warmCpu: number;
  /** Peak memory. */
  megabytes: number;
  /** The time of all responses. */
  seconds: number;
}

/** Runs a bundle in a process of its own, for one event after another. */
export const runBundle = (file: string, events: unknown[], environment: Record<string, string> = {}) =>
  new Promise<Measured>((done, fail) => {
    const instance = fileURLToPath(new URL('instanceProcess.ts', import.meta.url));
    const env = { ...process.env, ...environment };
    const child = execFile(process.execPath, ['--no-warnings', instance, file], { env }, (error, _, stderr) => {
      if (error) fail(error);
      else done(JSON.parse(stderr));
    });
    child.stdin?.end(JSON.stringify(events));
  });

/** Unpacks a packaged function into a new folder, and returns the file of its bundle. */
export function unpackFunction(packages: string, operation: Operation): { folder: string; file: string } {
  const files = unzip(join(packages, `${operation}.zip`));
  const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
  unpack(files, folder);
  const [bundle = ''] = Object.keys(files);
  return { folder, file: join(folder, bundle) };
}

/** Runs a packaged function in a process of its own, for one request after another. */
export async function runInstance(
  packages: string,
  operation: Operation,
  requests: Request[],
  environment: Record<string, string> = {},
): Promise<Measured> {
  const { folder, file } = unpackFunction(packages, operation);
  try {
    const events = requests.map((request) => eventOf(operation, request));
    return await runBundle(file, events, environment);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
