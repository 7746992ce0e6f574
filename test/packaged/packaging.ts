import { createHash } from 'node:crypto';
import {
  cpSync,
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
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { DATA, DATA_FOLDER, packageStacks, ROOT } from '../../infra/operate/deploy/stacks.ts';
import { FUNCTIONS } from '../../infra/stack/template/definitions.ts';
import type { Template } from '../../infra/stack/template/template.ts';

/** Cache for compiled code and schemas, on which serverless otherwise spends most of its time. */
const COMPILED = join(ROOT, 'node_modules/.cache/serverless');
/** Packages by the hash of their sources. */
const PACKAGES = join(ROOT, 'node_modules/.cache/packages');
const WEEK_MS = 7 * 24 * 3_600_000;

const [, row = ''] = readFileSync(join(ROOT, 'docs/scale.md'), 'utf8').match(/```yaml\n *(standby: [^`]*)```/) ?? [];

/** The file with the rows of the stages. */
const ROWS = 'infra/stack/stages.yml';

/** What a package is made of in place, all but the configurations. */
const LINKED = ['{functions,lib,node_modules,package.json,test}', 'infra/!(stack)', 'infra/stack/!(data|stages.yml)'];

/** The row of the standby in docs/scale.md, which can be packaged like the rows of infra/stack/stages.yml. */
export const STANDBY: Record<string, unknown> = parse(row).standby;

/** An issuer at which people sign in. */
export const ISSUER = { issuer: 'https://login.example.com/oauth2', clientId: 'console' };

const DOMAIN = {
  domain: 'partners.example.com',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/00000000-0000-4000-8000-000000000000',
};

/** A user pool as the issuer, and its second client. */
export const USER_POOL = { ...DOMAIN, cognitoDomainPrefix: 'payfair-people', cognitoClient: '2' };

/**
 * Parameters that stages do not need, such as an issuer and what only a large user needs, and a restored table in use.
 */
export const EVERY_OPTION = {
  ...DOMAIN,
  ...ISSUER,
  table: 'acquirer-partner-api-prod-2',
  siteUrl: 'https://docs.example.com/api',
  siteOrigin: 'https://docs.example.com',
  runbook: 'https://github.com/example/api/blob/0a1b2c/docs/operations.md',
  warmReadUnits: '24000',
  warmWriteUnits: '40000',
  tracing: 'true',
  kmsKey: 'arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-4000-8000-000000000000',
  backupVault: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:locked',
};

/** What is packaged: a stage with parameters, with its functions or only its templates. */
interface Order {
  stage: string;
  options: string[];
  only: 'templates' | undefined;
  /** Whether it is packaged once more, on a machine with other habits. */
  again?: true;
}

/** What templates are made of (infra/dependencies.config.mjs). They do not depend on the code of the functions. */
const OF_TEMPLATES = [
  'package{,-lock}.json',
  'serverless.yml',
  'infra/stack/{*.yml,data/*.yml,template/*}',
  'infra/operate/deploy/*',
  'lib/{aws,base,table}/*.ts',
  'test/packaged/{packaging,emptyZips}.ts',
];
/** With the contract, of which the tools of assistants are made. */
const OF_CODE = ['{functions,infra/stack,lib}/**/[!.]*.*', 'docs/openapi.json'];

/** The folder of a package. */
function folderOf(order: Order): string {
  const handlers = Object.values(FUNCTIONS).map(({ handler }) => handler);
  const hash = createHash('sha256').update(JSON.stringify([process.version, order, handlers, row]));
  const files = globSync(order.only ? OF_TEMPLATES : [...OF_TEMPLATES, ...OF_CODE], { cwd: ROOT });
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(ROOT, file)));
  return join(PACKAGES, hash.digest('hex'));
}

/** Locks a folder, unless another process that still runs has. */
function isLocked(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    try {
      process.kill(Number(readFileSync(lock, 'utf8')), 0);
    } catch {
      rmSync(lock, { force: true });
    }
    return false;
  }
}

/**
 * Packages a stage as `npm run package` does, unless there is a package of the same sources: each is made once,
 * whatever processes need it. It runs in a folder of its own, and without environment variables or credentials.
 *
 * @returns The folder with the package, which must not be changed.
 * @throws Error with the output of serverless.
 */
async function packaged(stage: string, params: Record<string, string>, more: Partial<Order> = {}): Promise<string> {
  const options = Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
  const order = { stage, options, only: undefined, ...more };
  mkdirSync(PACKAGES, { recursive: true });
  for (;;) {
    const folder = folderOf(order);
    if (existsSync(folder)) return folder;
    if (!isLocked(`${folder}.lock`)) await sleep(200);
    else
      try {
        if (!existsSync(folder)) await make(order, folder);
      } finally {
        rmSync(`${folder}.lock`);
      }
  }
}

async function make(order: Order, folder: string): Promise<void> {
  const { stage, options, only, again } = order;
  for (const old of globSync(join(PACKAGES, '*')))
    if (statSync(old).mtimeMs < Date.now() - WEEK_MS) rmSync(old, { recursive: true });
  const service = mkdtempSync(join(PACKAGES, 'draft-'));
  try {
    // serverless accepts no links as its configurations.
    cpSync(join(ROOT, DATA), join(service, DATA), { recursive: true });
    const rows = readFileSync(join(ROOT, ROWS), 'utf8');
    writeFileSync(join(service, ROWS), `${row}\n${rows}`);
    for (const each of globSync(LINKED, { cwd: ROOT })) symlinkSync(join(ROOT, each), join(service, each));
    const api = readFileSync(join(ROOT, 'serverless.yml'), 'utf8');
    const bundled = only ? api.replace('- serverless-esbuild', '- ./test/packaged/emptyZips.ts') : api;
    writeFileSync(join(service, 'serverless.yml'), bundled);
    await packageStacks(['--stage', stage, ...options], {
      cwd: service,
      stdio: 'pipe',
      env: {
        PATH: process.env['PATH'],
        HOME: service,
        ...(again && { TZ: 'Asia/Tokyo' }),
        SLS_SCHEMA_CACHE_BASE_DIR: COMPILED,
        NODE_COMPILE_CACHE: COMPILED,
      },
    });
    // Unless a source has changed meanwhile.
    if (folderOf(order) === folder) renameSync(join(service, '.serverless'), folder);
  } finally {
    rmSync(service, { recursive: true });
  }
}

const templateIn = (folder: string): Template =>
  JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));

/** A stage that is packaged with its functions: the template of its API, and the folder with each function's zip. */
export async function packageOf(stage: string, params: Record<string, string> = {}) {
  const folder = await packaged(stage, params);
  return { folder, template: templateIn(folder) };
}

/** The folder with the package of a stage that is packaged once more: in another folder, time zone and umask. */
export function packagedAgain(stage: string): Promise<string> {
  process.umask(0o077);
  return packaged(stage, {}, { again: true });
}

/** The templates of a stage's stacks. */
export interface Templates {
  api: Template;
  data: Template;
}

/**
 * The folder with the templates of a stage's stacks, which must not be changed. They can be deployed, but for their
 * functions.
 */
export const templatesIn = (stage: string, params: Record<string, string> = {}): Promise<string> =>
  packaged(stage, params, { only: 'templates' });

/** The templates of a stage, with parameters such as `domain`. */
export async function templatesOf(stage: string, params: Record<string, string> = {}): Promise<Templates> {
  const folder = await templatesIn(stage, params);
  return { api: templateIn(folder), data: templateIn(join(folder, DATA_FOLDER)) };
}

/** The template of a stage's API. */
export const templateOf = async (stage: string, params?: Record<string, string>): Promise<Template> =>
  (await templatesOf(stage, params)).api;
