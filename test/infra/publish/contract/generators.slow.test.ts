import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { type Served, serve } from '../../../../infra/local/serve.ts';
import { call } from '../../../support/api.ts';
import { CONTRACT, EXAMPLES } from '../../../support/contract.ts';
import { newAcquirer, unique } from '../../../support/world.ts';
import { testWith } from './testWith.ts';

/*
 * Generators that partners may use, with the versions of the folder `generators`. Only these tests need them, so they are
 * installed in a temporary folder.
 */

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-generators-'));
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(`test/infra/publish/contract/generators/${file}`, join(folder, file));
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']);
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Runs a program in the folder, with a text as its input.
 *
 * @throws Error with what it printed if it fails.
 */
async function run(program: string, args: string[], input = '', env = {}): Promise<{ stdout: string; stderr: string }> {
  const options = { cwd: folder, maxBuffer: 2 ** 26, env: { ...process.env, ...env } };
  const running = promisify(execFile)(program, args, options);
  running.child.stdin?.end(input);
  return running;
}

/** Runs a script of an installed package. */
const runScript = (name: string, ...args: string[]) => run(process.execPath, [`node_modules/.bin/${name}`, ...args]);

describe('@hey-api/openapi-ts', () => {
  /** Creates a branch with the generated client, and prints what it returned. */
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

  let server: Served;
  beforeAll(async () => {
    server = await serve(async (request, response) => {
      const { 'api-key': key, 'idempotency-key': idempotencyKey } = request.headers as Record<string, string>;
      const headers = { 'idempotency-key': idempotencyKey ?? '' };
      const created = await call('createBranch', { key, headers, body: await text(request) });
      response.writeHead(created.status, created.headers).end(JSON.stringify(created.body));
    });
  });
  afterAll(() => server.stop());

  test('generates a client without a warning, with which a program creates a branch', async () => {
    const generated = await runScript(
      'openapi-ts',
      '-i',
      resolve('docs/openapi.json'),
      '-o',
      'client',
      '--no-log-file',
    );
    expect(generated).toEqual({ stdout: expect.not.stringMatching(/warn|error|⚠/i), stderr: '' });

    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    expect(await runScript('tsc', ...STRICT, 'program.ts')).toEqual({ stdout: '', stderr: '' });

    const outfile = join(folder, 'program.mjs');
    await build({ entryPoints: [join(folder, 'program.ts')], outfile, bundle: true, format: 'esm' });
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const MID = unique('MID');
    const { stdout } = await run(process.execPath, [outfile], '', { BASE_URL: server.url, API_KEY: key, MID });
    expect(stdout).toBe(`${MID}\n`);
  });
});

describe('quicktype', () => {
  /** Prints types of the schemas of its input. */
  const SCRIPT = `
    import { text } from 'node:stream/consumers';
    import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

    const input = new JSONSchemaInput(undefined);
    const schema = await text(process.stdin);
    await input.addSource({ name: 'contract.json', uris: ['#/components/schemas/'], schema });
    const inputData = new InputData();
    inputData.addInput(input);
    console.log((await quicktype({ inputData, lang: process.argv[1] })).lines.join('\\n'));
  `;

  /** The name of a type: of a request, or of a response with a status. */
  const typeOf = (operation: string, part: string | number) =>
    `${operation.replace(/^./, (letter) => letter.toUpperCase())}${part}`;

  const OPERATIONS = Object.values(CONTRACT.paths).flatMap((path) => Object.values(path));
  /** The contract's schemas, with those of bodies. */
  const SCHEMAS = Object.fromEntries([
    ...Object.entries(CONTRACT.components.schemas),
    ...OPERATIONS.flatMap(({ operationId, requestBody, responses }) => [
      ...(requestBody ? [[typeOf(operationId, 'Request'), requestBody.content['application/json'].schema]] : []),
      ...Object.entries(responses).flatMap(([status, response]) =>
        'content' in response
          ? Object.values(response.content).map(({ schema }) => [typeOf(operationId, status), schema])
          : [],
      ),
    ]),
  ]);

  async function typesIn(language: string): Promise<string> {
    const input = JSON.stringify({ components: { schemas: SCHEMAS } });
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', SCRIPT, language], input);
    expect(stderr).toBe('');
    return stdout;
  }

  test('generates Go types without a warning, which have every field of a request', async () => {
    const types = await typesIn('go');
    const [, created = ''] = /^type CreateBranchRequest struct \{\n([^}]*)\}/m.exec(types) ?? [];
    const { properties = {} } = SCHEMAS['CreateBranchRequest'] as { properties?: object };
    expect([...created.matchAll(/`json:"(\w+)/g)].map(([, name]) => name).sort()).toEqual(
      Object.keys(properties).sort(),
    );
  });

  testWith('python3', 'generates Python types without a warning, which read every recorded example', async () => {
    const types = await typesIn('python');
    const read = EXAMPLES.filter(({ status }) => status !== 429).flatMap(({ operation, status, request, body }) => [
      [typeOf(operation, status), body],
      ...(status < 300 && request.body ? [[typeOf(operation, 'Request'), request.body]] : []),
    ]);
    const program = `
import json, types_of_contract as types
for name, value in json.load(open(0)):
    getattr(types, name).from_dict(value)
    print(name)
`;
    writeFileSync(join(folder, 'types_of_contract.py'), types);
    const { stdout } = await run('python3', ['-c', program], JSON.stringify(read));
    expect(stdout.trim().split('\n')).toEqual(read.map(([name]) => name));
  });
});
