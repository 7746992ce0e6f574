import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { API, DATA, DATA_FOLDER, packageStacks, ROOT } from '../../infra/operate/deploy/stacks.ts';
import { FUNCTIONS } from '../../infra/stack/template/definitions.ts';
import type { Template } from '../../infra/stack/template/template.ts';

/** Cache for compiled code and schemas, on which serverless otherwise spends most of its time. */
const COMPILED = join(ROOT, 'node_modules/.cache/serverless');
/** Packages by the hash of their inputs. */
const PACKAGES = join(ROOT, '.esbuild/packages');
const WEEK_MS = 7 * 24 * 3_600_000;

const [, row = ''] = readFileSync(join(ROOT, 'docs/scale.md'), 'utf8').match(/```yaml\n *(standby: [^`]*)```/) ?? [];

/** The row of the standby in docs/scale.md, which can be packaged like the rows of infra/stack/stages.yml. */
export const STANDBY: Record<string, unknown> = parse(row).standby;

/** What a package is made of. */
const INPUTS = [
  'package-lock.json',
  'package.json',
  API,
  DATA,
  '{functions,infra,lib}/**/*.*',
  'test/packaged/packaging.ts',
];

/** A packaged stage: the template of its API, and the folder with each function's zip. */
interface Package {
  folder: string;
  template: Template;
}

/** Puts the code of the functions into a folder to package. */
type ProvideCode = (service: string) => void;

const link = (service: string, ...parts: string[]): void => {
  for (const part of parts) symlinkSync(join(ROOT, part), join(service, part));
};
const wholeFunctions: ProvideCode = (service) => link(service, 'functions', 'lib');

/** Empty functions, because a template does not depend on code and bundling takes time. */
const emptyFunctions: ProvideCode = (service) => {
  for (const { handler } of Object.values(FUNCTIONS)) {
    const file = join(service, handler.replace(/\.\w+$/, '.ts'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
};

const hashOf = (...settings: unknown[]): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.version, ...settings]));
  for (const file of globSync(INPUTS, { cwd: ROOT }).sort()) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
};

/**
 * Packages a stage as `npm run package` does, unless there is a package of the same inputs. It runs in a folder of its
 * own, so it does not collide with other packages, and without environment variables or credentials.
 *
 * @returns The folder with the package, which must not be changed.
 * @throws Error with the output of serverless.
 */
async function packaged(stage: string, params: Record<string, string>, provideCode: ProvideCode): Promise<string> {
  const options = Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
  const folderOfInputs = () => join(PACKAGES, hashOf(stage, options, provideCode.name, stage === 'standby' && row));
  const folder = folderOfInputs();
  if (existsSync(folder)) return folder;
  mkdirSync(PACKAGES, { recursive: true });
  for (const old of globSync(join(PACKAGES, '*')))
    if (statSync(old).mtimeMs < Date.now() - WEEK_MS) rmSync(old, { recursive: true });
  const service = mkdtempSync(join(PACKAGES, 'draft-'));
  try {
    provideCode(service);
    link(service, 'infra', 'node_modules', 'package.json');
    writeFileSync(join(service, 'stages.yml'), `${row}\n${readFileSync(join(ROOT, 'infra/stack/stages.yml'), 'utf8')}`);
    // serverless does not accept a link as its configuration.
    for (const name of [API, DATA])
      writeFileSync(
        join(service, name),
        readFileSync(join(ROOT, name), 'utf8').replace('infra/stack/stages.yml', 'stages.yml'),
      );
    await packageStacks(['--stage', stage, ...options], {
      cwd: service,
      stdio: 'pipe',
      env: {
        PATH: process.env['PATH'],
        HOME: service,
        SLS_SCHEMA_CACHE_BASE_DIR: COMPILED,
        NODE_COMPILE_CACHE: COMPILED,
      },
    });
    // An input has changed meanwhile.
    if (folderOfInputs() !== folder) return await packaged(stage, params, provideCode);
    // Another process may have finished first.
    if (!existsSync(folder)) renameSync(join(service, '.serverless'), folder);
  } finally {
    rmSync(service, { recursive: true });
  }
  return folder;
}

const templateIn = (folder: string): Template =>
  JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));

/** A stage that is packaged with its functions. Its folder must not be changed. */
export async function packageOf(stage: string, params: Record<string, string> = {}): Promise<Package> {
  const folder = await packaged(stage, params, wholeFunctions);
  return { folder, template: templateIn(folder) };
}

/** An issuer at which people sign in. */
export const ISSUER = { issuer: 'https://login.example.com/oauth2', clientId: 'console' };

/** A user pool as the issuer. */
export const USER_POOL = { cognitoDomainPrefix: 'payfair-people' };

/** Parameters that stages do not need, such as a domain, an issuer and what only a large user needs. */
export const OPTIONAL = {
  domain: 'partners.example.com',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/00000000-0000-4000-8000-000000000000',
  siteOrigin: 'https://docs.example.com',
  warmReadUnits: '24000',
  warmWriteUnits: '40000',
  tracing: 'true',
  kmsKey: 'arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-4000-8000-000000000000',
  backupVault: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:locked',
  ...ISSUER,
};

/** The templates of a stage's stacks. */
export interface Templates {
  api: Template;
  data: Template;
}

/** The templates of a stage, with parameters such as `domain`. */
export async function templatesOf(stage: string, params: Record<string, string> = {}): Promise<Templates> {
  const folder = await packaged(stage, params, emptyFunctions);
  return { api: templateIn(folder), data: templateIn(join(folder, DATA_FOLDER)) };
}

/** The template of a stage's API. */
export const templateOf = async (stage: string, params?: Record<string, string>): Promise<Template> =>
  (await templatesOf(stage, params)).api;
