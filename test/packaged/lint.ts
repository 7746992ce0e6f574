import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STAGES } from '../../infra/stack/template/definitions.ts';
import { POLICIES_FILE } from '../support/policies.ts';
import { EVERY_OPTION, templatesOf, USER_POOL } from './packaging.ts';

/*
 * Runs cfn-lint on the templates of all stages, each with and without the optional parameters, and with a user pool, of
 * the standby of docs/scale.md, and of the policies. Warnings are errors. The Python package cfn-lint must be on the
 * PATH.
 */

const VARIANTS = { '': {}, '-with-options': EVERY_OPTION, '-with-user-pool': USER_POOL };

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
try {
  const files: string[] = [POLICIES_FILE];
  const add = (name: string, template: object) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(template, null, 2));
    files.push(file);
  };
  const addBoth = async (name: string, stage: string, params?: Record<string, string>) => {
    for (const [stack, template] of Object.entries(await templatesOf(stage, params))) add(`${name}-${stack}`, template);
  };
  for (const stage of Object.keys(STAGES))
    for (const [suffix, params] of Object.entries(VARIANTS)) await addBoth(`${stage}${suffix}`, stage, params);
  await addBoth('standby', 'standby');
  // The default region, and one in which some types lack properties. W3005: serverless repeats what references say.
  const options = ['--regions', 'eu-central-1', 'us-east-1', '--include-checks', 'W', '--ignore-checks', 'W3005', '--'];
  const { status, error } = spawnSync('cfn-lint', [...options, ...files], { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
  if (status === 0) process.stdout.write(`cfn-lint: no errors or warnings in ${files.length} templates.\n`);
} finally {
  rmSync(folder, { recursive: true });
}
