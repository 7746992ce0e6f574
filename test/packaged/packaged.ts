import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type BuildOptions, build } from 'esbuild';
import { unzipSync } from 'fflate';
import { parse } from 'yaml';
import plugins from '../../infra/bundling.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a zip holds, by name. */
export type Files = Record<string, Uint8Array>;

/** The files of a zip. */
export const unzip = (file: string): Files => unzipSync(readFileSync(file));

/** The file of a zip that has a handler such as `functions/lookup/lookup.handler`. */
const bundleOf = (handler: string): string => handler.replace(/\.\w+$/, '.mjs');

/** What is wrong with the files of a zip: it holds the bundle of the handler and nothing else. */
export const zipFaults = (files: Files, handler: string): string[] => [
  ...(bundleOf(handler) in files ? [] : [`${bundleOf(handler)} is missing`]),
  ...Object.keys(files)
    .filter((name) => name !== bundleOf(handler))
    .map((name) => `${name} is too much`),
];

/** Options of serverless.yml that are the plugin's own; the rest is esbuild's. */
const {
  outputWorkFolder: _,
  exclude: __,
  outputFileExtension,
  plugins: ___,
  ...options
} = parse(readFileSync(join(ROOT, 'serverless.yml'), 'utf8')).custom.esbuild;

/** How functions are bundled. */
export const BUNDLING: BuildOptions = { ...options, plugins };

/** A bundle that is made again, by the options of serverless.yml, and the files that it is made of. */
export async function bundle(options: BuildOptions): Promise<{ bytes: Uint8Array; inputs: string[] }> {
  const { outputFiles = [], metafile } = await build({
    ...BUNDLING,
    outExtension: { '.js': outputFileExtension },
    absWorkingDir: ROOT,
    outdir: 'out',
    write: false,
    metafile: true,
    ...options,
  });
  return { bytes: outputFiles[0]?.contents as Uint8Array, inputs: Object.keys(metafile?.inputs ?? {}) };
}

/** The bundle of a handler, made again. */
export const bundleAgain = (handler: string) => bundle({ entryPoints: [bundleOf(handler).replace('.mjs', '.ts')] });

const LOCKED: Record<string, { dev?: boolean }> = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
).packages;

/** What is wrong with what a bundle is made of: it is our code for AWS, and packages that are no development dependencies. */
export const inputFaults = (inputs: string[]): string[] =>
  inputs.flatMap((input) => {
    // What begins with `builtin` is a name for what Node.js has.
    if (/^(functions\/|lib\/|builtin(-whole)?:)/.test(input)) return [];
    const [location = input] = /^(.*\/)?node_modules\/(@[^/]+\/)?[^/]+/.exec(input) ?? [];
    const locked = LOCKED[location];
    if (!locked) return [`${input} is no code of a function`];
    return locked.dev ? [`${input} is of a development dependency`] : [];
  });

/** A function as Lambda has it: unpacked files, the handler's name, and environment variables. */
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

/** Does what Lambda's runtime does: it imports the handler first, and then hands it an event. The answer goes to pipe 3. */
const RUNTIME = `
  import { writeSync } from 'node:fs';
  import { text } from 'node:stream/consumers';
  const [file, name] = process.env._HANDLER.split('.');
  const { [name]: handler } = await import(process.env.LAMBDA_TASK_ROOT + '/' + file + '.mjs');
  const { event, context } = JSON.parse(await text(process.stdin));
  writeSync(3, JSON.stringify(await handler(event, context)));
`;

/**
 * Invokes an unpacked function in a process of its own, with nothing of this project within reach.
 *
 * @throws Error with what the process wrote when it gives no answer.
 */
export async function invokeUnpacked(
  { folder, handler, environment }: Unpacked,
  event: APIGatewayProxyEventV2,
): Promise<{ response: APIGatewayProxyStructuredResultV2; log: string }> {
  const lambda = spawn(process.execPath, ['--input-type=module', '--eval', RUNTIME], {
    cwd: folder,
    env: { ...environment, _HANDLER: handler, LAMBDA_TASK_ROOT: folder },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    timeout: 20_000,
  });
  const context = { awsRequestId: crypto.randomUUID() };
  lambda.stdin.on('error', () => {}).end(JSON.stringify({ event, context }));
  const [log, errors, response] = await Promise.all([
    ...[lambda.stdout, lambda.stderr, lambda.stdio[3] as Readable].map((stream) => text(stream)),
    once(lambda, 'close'),
  ]);
  if (!response) throw new Error(`${handler} gave no answer: ${log}${errors}`);
  return { response: JSON.parse(response as string), log: log as string };
}
