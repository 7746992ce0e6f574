import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { CONTRACT, EXAMPLES } from '../../../support/contract.ts';
import { deep } from '../../../support/depth.ts';
import { serveHandlers } from '../../../support/overHttp.ts';
import { newAcquirer, unique } from '../../../support/world.ts';

/*
 * Generators that partners may use. Only these tests need them, so they are installed in a temporary folder, and only with
 * DEEP=1.
 */

const PACKAGES = ['@hey-api/openapi-ts@0.99.0', 'quicktype-core@26.0.0', 'typescript@5.9.3'];

/** Creates a branch with the client that `@hey-api/openapi-ts` generates, and prints what it returned. */
const PROGRAM = `
  import { client } from './client/client.gen';
  import { createBranch } from './client/sdk.gen';

  declare const process: { env: Record<'BASE_URL' | 'API_KEY' | 'MID', string> };
  const { BASE_URL, API_KEY, MID } = process.env;
  client.setConfig({ baseUrl: BASE_URL, auth: API_KEY });
  const { data, error } = await createBranch({
    body: { mid: MID, city: 'Porto', master_merchant_id: 'HARBOURCAFES', terminals: [{ terminal_id: MID }] },
    headers: { 'Idempotency-Key': MID },
  });
  console.log(data ? data.data.terminals.map(({ terminal_id }) => terminal_id).join() : error.code);
`;
const STRICT = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'esnext', '--moduleResolution', 'bundler'];

/** Prints Python types that quicktype generates of the schemas of its input. */
const TYPES = `
  import { text } from 'node:stream/consumers';
  import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

  const input = new JSONSchemaInput(undefined);
  const schema = await text(process.stdin);
  await input.addSource({ name: 'contract.json', uris: ['#/components/schemas/'], schema });
  const inputData = new InputData();
  inputData.addInput(input);
  console.log((await quicktype({ inputData, lang: 'python' })).lines.join('\\n'));
`;

/** Reads values with generated Python types, and prints the name of the type of each. */
const READ = `
import json, types_of_contract as types
for name, value in json.load(open(0)):
    getattr(types, name).from_dict(value)
    print(name)
`;

/** The name of a type: of a request, or of a response with a status. */
const typeOf = (operation: string, part: string | number) =>
  `${operation.replace(/^./, (letter) => letter.toUpperCase())}${part}`;

/** The contract's schemas, with those of bodies. */
const SCHEMAS: Record<string, object> = {
  ...CONTRACT.components.schemas,
  ...Object.fromEntries(
    Object.values(CONTRACT.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, requestBody, responses }) => [
        ...(requestBody ? [[typeOf(operationId, 'Request'), requestBody.content['application/json'].schema]] : []),
        ...Object.entries(responses).flatMap(([status, response]) =>
          'content' in response
            ? Object.values(response.content).map(({ schema }) => [typeOf(operationId, status), schema])
            : [],
        ),
      ]),
  ),
};

(deep ? describe : describe.skip)('the contract, read by', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-generators-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', ...PACKAGES]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a program in the folder, with a text as its input. It prints no warning. */
  async function run(program: string, args: string[], input = '', env = {}): Promise<string> {
    const running = promisify(execFile)(program, args, {
      cwd: folder,
      maxBuffer: 2 ** 26,
      env: { ...process.env, ...env },
    });
    running.child.stdin?.end(input);
    const { stdout, stderr } = await running;
    expect(stderr).toBe('');
    return stdout;
  }
  const runScript = (name: string, ...args: string[]) => run(process.execPath, [`node_modules/.bin/${name}`, ...args]);
  test('@hey-api/openapi-ts gives a client without a warning, with which a program creates a branch', async () => {
    const generated = await runScript(
      'openapi-ts',
      '-i',
      resolve('docs/openapi.json'),
      '-o',
      'client',
      '--no-log-file',
    );
    expect(generated).not.toMatch(/warn|error|⚠/i);
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    expect(await runScript('tsc', ...STRICT, 'program.ts')).toBe('');
    const outfile = join(folder, 'program.mjs');
    await build({ entryPoints: [join(folder, 'program.ts')], outfile, bundle: true, format: 'esm' });
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const MID = unique('MID');
    const server = await serveHandlers();
    const printed = await run(process.execPath, [outfile], '', { BASE_URL: server.url, API_KEY: key, MID });
    await server.stop();
    expect(printed).toBe(`${MID}\n`);
  });

  test('quicktype gives Python types without a warning, which read every recorded example', async () => {
    const schemas = JSON.stringify({ components: { schemas: SCHEMAS } });
    const types = await run(process.execPath, ['--input-type=module', '-e', TYPES], schemas);
    writeFileSync(join(folder, 'types_of_contract.py'), types);
    // Without Python, they are only generated.
    if (spawnSync('python3', ['--version']).error) return;
    const read = EXAMPLES.filter(({ status }) => status !== 429).flatMap(({ operation, status, request, body }) => [
      [typeOf(operation, status), body],
      ...(status < 300 && request.body ? [[typeOf(operation, 'Request'), request.body]] : []),
    ]);
    const printed = await run('python3', ['-c', READ], JSON.stringify(read));
    expect(printed.trim().split('\n')).toEqual(read.map(([name]) => name));
  });
});
