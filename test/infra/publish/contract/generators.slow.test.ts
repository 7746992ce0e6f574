import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { deep } from '../../../support/depth.ts';
import { serveHandlers } from '../../../support/overHttp.ts';
import { ownFolder, runScript } from '../../../support/scripts.ts';
import { newAcquirer, unique } from '../../../support/world.ts';

/*
 * A generator that partners may use. Only this test needs it, so it is installed in a temporary folder, and only with
 * DEEP=1.
 */

const PACKAGES = ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3'];
const INSTALL = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', ...PACKAGES];

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

const cwd = ownFolder();
const run = (script: string, args: string[], more = {}) =>
  runScript([script, ...args], { cwd, env: { ...process.env, ...more } });

(deep ? test : test.skip)(
  '@hey-api/openapi-ts gives a client without a warning, with which a program creates a branch',
  async () => {
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
    execFileSync('npm', INSTALL, { cwd });
    const options = ['-i', resolve('docs/openapi.json'), '-o', 'client', '--no-log-file'];
    const generated = await run('node_modules/.bin/openapi-ts', options);
    expect(generated).toEqual({ exitCode: 0, stdout: expect.not.stringMatching(/warn|error|⚠/i), stderr: '' });
    writeFileSync(join(cwd, 'program.ts'), PROGRAM);
    const compiled = await run('node_modules/.bin/tsc', [...STRICT, 'program.ts']);
    expect(compiled).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    const outfile = join(cwd, 'program.mjs');
    await build({ entryPoints: [join(cwd, 'program.ts')], outfile, bundle: true, format: 'esm' });
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const MID = unique('MID');
    const server = await serveHandlers();
    const printed = await run(outfile, [], { BASE_URL: server.url, API_KEY: key, MID });
    await server.stop();
    expect(printed).toEqual({ exitCode: 0, stdout: `${MID}\n`, stderr: '' });
  },
);
