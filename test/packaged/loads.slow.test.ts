import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { unzipSync } from 'fflate';
import { ownFolder, runScript } from '../support/scripts.ts';
import { resolved } from './deployed.ts';
import { unpack } from './packaged.ts';
import { ISSUER, packageOf } from './packaging.ts';

/*
 * Each zip of each stage, imported as Lambda does: by the Node.js that it is deployed to, in a process of its own, from a
 * folder with nothing else. Stages have the same zips, so each content is imported once.
 */

const IMPORT = `
  const [file, name] = process.env._HANDLER.split('.');
  const { [name]: handler } = await import(process.env.LAMBDA_TASK_ROOT + '/' + file + '.mjs');
  if (typeof handler !== 'function') throw new Error(file + ' does not export ' + name + '.');
`;

const root = ownFolder();
/** The errors of the import of each content; empty if there are none. */
const errors = new Map<string, string>();

async function errorsOf(zip: Buffer, handler: string, variables: object): Promise<string> {
  const folder = join(root, String(errors.size));
  unpack(unzipSync(zip), folder);
  const env = {
    ...variables,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    // Without credentials, so nothing is requested from AWS.
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_REGION: 'eu-central-1',
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
  };
  const { exitCode, stderr } = await runScript(['--input-type=module', '--eval', IMPORT], { cwd: folder, env });
  // Without the line of minified code.
  return exitCode === 0 ? '' : `exit code ${exitCode}: ${stderr.replace(/^.{500,}\n/gm, '')}`;
}

test.each([
  ['dev', 'without the console', {}],
  ['dev', 'with the console', ISSUER],
  ['prod', 'without the console', {}],
  ['prod', 'with the console', ISSUER],
])('each zip of %s %s exports its handler', async (stage, _, params) => {
  const { folder, template } = await packageOf(stage, params);
  const failed: Record<string, string> = {};
  const functions = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  for (const { Properties } of functions) {
    const { Code, Environment, Handler, Runtime } = Properties;
    expect(process.version).toMatch(new RegExp(`^v${/\d+/.exec(Runtime)}\\.`));
    const zip = readFileSync(join(folder, basename(Code.S3Key)));
    const content = `${Handler} ${zip.toString('base64')}`;
    const variables = resolved(template, Environment.Variables) as object;
    const error = errors.get(content) ?? (await errorsOf(zip, Handler, variables));
    errors.set(content, error);
    if (error) failed[Handler] = error;
  }
  expect(failed).toEqual({});
  expect(functions.length).toBeGreaterThan(20);
});
