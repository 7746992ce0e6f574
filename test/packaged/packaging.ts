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

/** serverless spends most of its time on compiling its schemas and itself, which it and Node.js can keep. */
const CACHE = join(ROOT, 'node_modules/.cache/serverless');

/** A packaged stage: its template, and the folder that holds each function's zip. */
export interface Package {
  folder: string;
  template: Template;
}

/** Puts something of the project, or a stand-in for it, into a folder from which to package. */
type Provide = (service: string) => void;

const link =
  (...parts: string[]): Provide =>
  (service) => {
    for (const part of parts) symlinkSync(join(ROOT, part), join(service, part));
  };

/** Functions that do nothing: a template does not depend on code, and bundling it takes most of the time. */
const emptyFunctions: Provide = (service) => {
  for (const { handler } of Object.values(FUNCTIONS)) {
    const file = join(service, handler.replace(/\.\w+$/, '.ts'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
};

/**
 * Packages a stage with `serverless package` and hands it to some work. It runs in a folder of its own, so that neither
 * other packagings nor what a developer has packaged are in the way, and has nothing of the environment: no credentials.
 *
 * @throws Error with what serverless says.
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
    // serverless takes no link for its configuration.
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

/** Hands a packaged stage, with parameters such as `table`, to some work, after which it is gone. */
export const withPackage = <T>(
  stage: string,
  work: (packaged: Package) => T | Promise<T>,
  params: Record<string, string> = {},
): Promise<T> => packaging(stage, params, link('functions', 'lib'), work);

/** Parameters of a stage with a domain, such as {@link templateOf} takes. */
export const DOMAIN = {
  domain: 'partners.example.com',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/00000000-0000-4000-8000-000000000000',
};

/** The template of a stage, with parameters such as `domain`. */
export const templateOf = (stage: string, params: Record<string, string> = {}): Promise<Template> =>
  packaging(stage, params, emptyFunctions, ({ template }) => template);
