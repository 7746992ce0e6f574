import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FUNCTIONS } from '../../infra/template/definitions.ts';
import type { Template } from '../../infra/template/template.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SERVERLESS = join(ROOT, 'node_modules/serverless/bin/serverless.js');

/** Cache for compiled code and schemas, on which serverless otherwise spends most of its time. */
const CACHE = join(ROOT, 'node_modules/.cache/serverless');

/** A packaged stage: its template, and the folder with each function's zip. */
export interface Package {
  folder: string;
  template: Template;
}

/** Puts files of the project, or replacements, into a folder to package. */
type Provide = (service: string) => void;

const link =
  (...parts: string[]): Provide =>
  (service) => {
    for (const part of parts) symlinkSync(join(ROOT, part), join(service, part));
  };

/** Empty functions, because a template does not depend on code and bundling takes most of the time. */
const emptyFunctions: Provide = (service) => {
  for (const { handler } of Object.values(FUNCTIONS)) {
    const file = join(service, handler.replace(/\.\w+$/, '.ts'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
};

/**
 * Packages a stage with `serverless package` and passes it to `work`. It runs in a folder of its own, so it does not
 * collide with other packages, and without environment variables or credentials.
 *
 * @throws Error with the output of serverless.
 */
async function packaging<T>(
  stage: string,
  params: Record<string, string>,
  provideCode: Provide,
  work: (packaged: Package) => T | Promise<T>,
): Promise<T> {
  const service = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
  try {
    provideCode(service);
    link('infra', 'node_modules', 'package.json')(service);
    // serverless does not accept a link as its configuration.
    copyFileSync(join(ROOT, 'serverless.yml'), join(service, 'serverless.yml'));
    const options = Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
    await promisify(execFile)(process.execPath, [SERVERLESS, 'package', '--stage', stage, ...options], {
      cwd: service,
      env: { PATH: process.env['PATH'], HOME: service, SLS_SCHEMA_CACHE_BASE_DIR: CACHE, NODE_COMPILE_CACHE: CACHE },
    }).catch(({ stderr, stdout }) => {
      throw new Error(stderr + stdout);
    });
    const folder = join(service, '.serverless');
    const template = JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));
    return await work({ folder, template });
  } finally {
    rmSync(service, { recursive: true });
  }
}

/** Packages a stage with parameters such as `table`, passes it to `work` and removes it afterwards. */
export const withPackage = <T>(
  stage: string,
  work: (packaged: Package) => T | Promise<T>,
  params: Record<string, string> = {},
): Promise<T> => packaging(stage, params, link('functions', 'lib'), work);

/** Parameters of a stage with a domain, for {@link templateOf}. */
export const DOMAIN = {
  domain: 'partners.example.com',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/00000000-0000-4000-8000-000000000000',
};

/** The template of a stage, with parameters such as `domain`. */
export const templateOf = (stage: string, params: Record<string, string> = {}): Promise<Template> =>
  packaging(stage, params, emptyFunctions, ({ template }) => template);
