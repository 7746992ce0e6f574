import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { unzipSync } from 'fflate';

/** The files of a zip by name. */
type Files = Record<string, Uint8Array>;

/** The files of a zip. */
export const unzip = (file: string): Files => unzipSync(readFileSync(file));

/** A function as on Lambda: unpacked files, the handler's name, and environment variables. */
export interface Unpacked {
  folder: string;
  handler: string;
  environment: Record<string, string>;
}

/** Unpacks the files of a function into a folder. */
export function unpack(files: Files, folder: string): void {
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contents);
  }
}

/** Does what Lambda's runtime does: it imports the handler and then passes it an event. The response goes to pipe 3. */
const RUNTIME = `
  import { writeSync } from 'node:fs';
  import { text } from 'node:stream/consumers';
  const [file, name] = process.env._HANDLER.split('.');
  const { [name]: handler } = await import(process.env.LAMBDA_TASK_ROOT + '/' + file + '.mjs');
  const { event, context } = JSON.parse(await text(process.stdin));
  // Lambda responds with null to an undefined result.
  writeSync(3, JSON.stringify((await handler(event, context)) ?? null));
`;

/**
 * Invokes an unpacked function in a process of its own that cannot reach any file of this project.
 *
 * @throws Error with the output of the process if there is no response.
 */
export async function invokeUnpacked(
  { folder, handler, environment }: Unpacked,
  event: object,
): Promise<{ response: APIGatewayProxyStructuredResultV2; log: string }> {
  const lambda = spawn(process.execPath, ['--input-type=module', '--eval', RUNTIME], {
    cwd: folder,
    env: { ...environment, _HANDLER: handler, LAMBDA_TASK_ROOT: folder },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    timeout: 20_000,
  });
  const context = { awsRequestId: crypto.randomUUID(), functionName: environment['AWS_LAMBDA_FUNCTION_NAME'] };
  lambda.stdin.on('error', () => {}).end(JSON.stringify({ event, context }));
  const [log, errors, response] = await Promise.all([
    ...[lambda.stdout, lambda.stderr, lambda.stdio[3] as Readable].map((stream) => text(stream)),
    once(lambda, 'close'),
  ]);
  if (!response) throw new Error(`${handler} returned no response: ${log}${errors}`);
  return { response: JSON.parse(response as string), log: log as string };
}
