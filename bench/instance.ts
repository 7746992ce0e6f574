import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventOf, type Operation, type Request } from '../test/support/invoke.ts';
import { unpack, unzip } from '../test/support/packaged.ts';

/** What an instance did. */
export interface Measured {
  /** Different statuses of its answers. */
  statuses: number[];
  /** Milliseconds of computing: from the import to the first answer, and for each answer after that. */
  coldCpu: number;
  warmCpu: number;
  /** The most memory that it held. */
  megabytes: number;
  /** How long all answers took. */
  seconds: number;
}

/** Answers requests, one after another, with a packaged function in a process of its own. */
export function runInstance(
  folder: string,
  operation: Operation,
  requests: Request[],
  environment: Record<string, string> = {},
): Promise<Measured> {
  const files = unzip(join(folder, `${operation}.zip`));
  const unpacked = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
  unpack(files, unpacked);
  const [bundle = ''] = Object.keys(files);
  return new Promise<Measured>((done, fail) => {
    const instance = fileURLToPath(new URL('instanceProcess.ts', import.meta.url));
    const env = { ...process.env, ...environment };
    const child = execFile(process.execPath, [instance, join(unpacked, bundle)], { env }, (error, _, stderr) => {
      rmSync(unpacked, { recursive: true });
      if (error) fail(error);
      else done(JSON.parse(stderr));
    });
    child.stdin?.end(JSON.stringify(requests.map((request) => eventOf(operation, request))));
  });
}
