import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LOCAL_SECRETS } from '../../infra/local/environment.ts';
import { type SecretStore, startSecretStore } from '../../infra/local/secretStore.ts';
import { serve } from '../../infra/local/serve.ts';
import { ENDPOINTS, FUNCTIONS, logicalId } from '../../infra/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/template/template.ts';
import { newApiKey } from '../../lib/base/apiKeyFormat.ts';
import { addCard } from '../../lib/operator/memberImport.ts';
import { eventOf, type Operation, type Request } from '../support/api.ts';
import { NAME_UUID, TIME } from '../support/constants.ts';
import { contractViolations } from '../support/contract.ts';
import { listBranches } from '../support/listBranches.ts';
import { newAcquirer, newSharedBranch, newTerminal, newWorld, unique, type World } from '../support/world.ts';
import { resolved } from './deployed.ts';
import {
  bundle,
  bundleAgain,
  type Files,
  inputErrors,
  invokeUnpacked,
  type Unpacked,
  unpack,
  unzip,
  zipErrors,
} from './packaged.ts';
import { type Package, withPackage } from './packaging.ts';

/*
 * The deployed zips of stage prod. Each function runs from its own zip in a process of its own, with the environment of
 * the template and of Lambda; only the table and the secret store are local.
 */

const NAMES = Object.keys(FUNCTIONS);
const handlerOf = (name: string): string => FUNCTIONS[name]?.handler as string;

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
const zips: Record<string, Files> = {};
let template: Template;
let secretStore: SecretStore;

beforeAll(async () => {
  const take = (packaged: Package) => {
    template = packaged.template;
    for (const name of NAMES) zips[name] = unzip(join(packaged.folder, `${name}.zip`));
  };
  // Packaged for the table of this test. The secret store has the key with which the test's cards are hashed.
  await withPackage('prod', take, { table: process.env['TABLE_NAME'] as string });
  for (const name of NAMES) unpack(zips[name] ?? {}, join(folder, name));
  const [key = ''] = Object.values(LOCAL_SECRETS);
  const { key: selfCheckKey } = await newAcquirer('PAYMENT_PROVIDER', 'Self-check');
  const nameOf = (id: string) => resolved(template, { Ref: id }) as string;
  secretStore = await startSecretStore({ [nameOf('CardHmacKey')]: key, [nameOf('SelfCheckKey')]: selfCheckKey });
});

afterAll(async () => {
  await secretStore.stop();
  rmSync(folder, { recursive: true });
});

/** A function with exactly the environment that it has on AWS. */
function deployed(name: string): Unpacked {
  const { Handler, Environment, FunctionName, MemorySize } = resourceOf(
    template,
    logicalId(name, 'LambdaFunction'),
  ).Properties;
  const { AWS_ENDPOINT_URL_DYNAMODB = '' } = process.env;
  return {
    folder: join(folder, name),
    handler: Handler,
    environment: {
      ...(resolved(template, Environment.Variables) as Record<string, string>),
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: FunctionName,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SESSION_TOKEN: 'local',
      AWS_ENDPOINT_URL_DYNAMODB,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secretStore.endpoint,
    },
  };
}

describe('the packaged function', () => {
  const BASE_URL = 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com';
  const card = { card_id: 'packaged-card', card_pseudo_token: 'packaged-token' };
  let world: World;
  let branch: { mid: string };
  let terminal: { tid: string; terminal_id: string };
  beforeAll(async () => {
    world = await newWorld();
    branch = await newSharedBranch(world);
    terminal = await newTerminal(world.provider, branch.mid);
    await addCard('packaged-member', card);
  });

  /** One call of each operation on one branch and its terminal, in this order. */
  const CALLS: [Operation, number, () => Request, expected: () => unknown][] = [
    [
      'listBranches',
      200,
      () => ({ query: { per_page: '1' } }),
      () => ({
        data: [expect.objectContaining({ mid: branch.mid, status: 'active', created_at: TIME })],
        links: expect.objectContaining({ first: `${BASE_URL}/ext/api/v1/merchants?per_page=1&page=1` }),
        meta: { current_page: 1, per_page: 1, total: 1 },
      }),
    ],
    [
      'getBranch',
      200,
      () => ({ path: { mid: branch.mid } }),
      () => ({ data: expect.objectContaining({ mid: branch.mid, terminal_count: 1 }) }),
    ],
    [
      'listTerminals',
      200,
      () => ({ path: { id: branch.mid } }),
      () => ({ data: [terminal], links: expect.anything(), meta: { current_page: 1, per_page: 10, total: 1 } }),
    ],
    [
      'createBranch',
      201,
      () => ({
        body: { mid: 'PACKAGED', master_merchant_id: unique('MM'), terminals: [{ terminal_id: unique('T') }] },
      }),
      () => ({
        data: expect.objectContaining({ mid: 'PACKAGED', terminals: [expect.objectContaining({ tid: NAME_UUID })] }),
      }),
    ],
    [
      'createTerminals',
      201,
      () => ({
        path: { id: 'PACKAGED' },
        body: { terminals: [{ terminal_id: 'PACKAGEDT', payment_app: 'Checkout Go' }] },
      }),
      () => ({
        data: [expect.objectContaining({ terminal_id: 'PACKAGEDT', payment_app: 'Checkout Go', mid: 'PACKAGED' })],
      }),
    ],
    [
      'updateTerminal',
      200,
      () => ({ path: { id: terminal.tid }, body: { terminal_model: 'Handheld 2' } }),
      () => ({ data: expect.objectContaining({ tid: terminal.tid, terminal_model: 'Handheld 2' }) }),
    ],
    [
      'memberCheck',
      200,
      () => ({
        body: {
          ...card,
          amount: 1,
          currency: 'EUR',
          terminal_id: terminal.terminal_id,
          acquirer_id: world.provider.id,
        },
      }),
      () => ({ data: { member_identified: true, rewards_available: false, rewards: [] } }),
    ],
    [
      'archiveTerminal',
      200,
      () => ({ path: { id: terminal.tid }, body: { reason: 'Lost.' } }),
      () => ({ data: expect.objectContaining({ tid: terminal.tid, status: 'archived', archive_reason: 'Lost.' }) }),
    ],
    [
      'restoreTerminal',
      200,
      () => ({ path: { id: terminal.tid } }),
      () => ({ data: expect.objectContaining({ tid: terminal.tid, status: 'active' }) }),
    ],
    [
      'reassignTerminal',
      200,
      () => ({ path: { id: terminal.tid }, body: { mid: 'PACKAGED' } }),
      () => ({ data: expect.objectContaining({ tid: terminal.tid, mid: 'PACKAGED' }) }),
    ],
    [
      'deleteTerminal',
      200,
      () => ({ path: { id: terminal.tid } }),
      () => ({ data: { tid: terminal.tid, terminal_id: terminal.terminal_id } }),
    ],
    [
      'archiveBranch',
      200,
      () => ({ path: { mid: branch.mid } }),
      () => ({ data: expect.objectContaining({ mid: branch.mid, status: 'archived', archived_at: TIME }) }),
    ],
    [
      'lookup',
      200,
      () => ({ path: { method: 'distributors' } }),
      () => ({ data: [{ key: world.distributor.id, text: 'Northgate' }] }),
    ],
    [
      'find',
      200,
      () => ({ query: { mid: branch.mid } }),
      () => ({ data: expect.objectContaining({ mid: branch.mid, status: 'archived' }), type: 'branch' }),
    ],
    [
      'getBranchHistory',
      200,
      () => ({ path: { mid: branch.mid } }),
      () => ({
        data: expect.arrayContaining([expect.objectContaining({ type: 'branch.archived', at: TIME })]),
        meta: { next: null },
      }),
    ],
    [
      'getTerminalHistory',
      200,
      () => ({ path: { id: terminal.tid } }),
      () => ({
        data: expect.arrayContaining([expect.objectContaining({ type: 'terminals.created', at: TIME })]),
        meta: { next: null },
      }),
    ],
    [
      'listEvents',
      200,
      () => ({ query: { after: 'now' } }),
      () => ({ data: [], meta: { next: expect.any(String), up_to_date: true, complete_to: TIME } }),
    ],
    [
      'unknownRoute',
      404,
      () => ({}),
      () => expect.objectContaining({ code: 'not_found', type: `${BASE_URL}/docs/errors/not_found` }),
    ],
  ];

  test('has a call for every endpoint', () => {
    expect(CALLS.map(([name]) => name).sort()).toEqual(Object.keys(ENDPOINTS).sort());
  });

  test.each(CALLS)('%s returns %i', async (name, status, request, expected) => {
    const { response, log } = await invokeUnpacked(
      deployed(name),
      eventOf(name, { key: world.provider.key, ...request() }),
    );
    const body = JSON.parse(response.body ?? '');
    expect(body).toEqual(expected());
    const headers = response.headers as Record<string, string>;
    if (name !== 'unknownRoute') expect(contractViolations(name, { status, headers, body })).toEqual([]);
    expect(response.statusCode).toBe(status);
    expect(JSON.parse(log)).toMatchObject({ level: 'INFO', status, cold_start: true, acquirer: world.provider.id });
  });

  test('selfCheck calls the base URL with the key in its secret', async () => {
    const api = await serve(listBranches);
    const { environment, ...others } = deployed('selfCheck');
    expect(environment['BASE_URL']).toBe(BASE_URL);
    const { log } = await invokeUnpacked(
      { ...others, environment: { ...environment, BASE_URL: api.url } },
      {} as never,
    );
    await api.stop();
    expect(JSON.parse(log)).toMatchObject({
      level: 'INFO',
      self_check_successes: 1,
      _aws: { CloudWatchMetrics: [{ Namespace: 'acquirer-partner-api-prod' }] },
    });
  });

  test('responds with a server error and logs the name of a missing setting', async () => {
    const { environment, ...others } = deployed('getBranch');
    const { TABLE_NAME: _, ...incomplete } = environment;
    // A new key, because the table is read only for a well-formed key that is not cached.
    const event = eventOf('getBranch', { key: newApiKey() });
    const { response, log } = await invokeUnpacked({ ...others, environment: incomplete }, event);
    expect(response.statusCode).toBe(400);
    expect(JSON.parse(String(response.body))).toMatchObject({ code: 'server_error' });
    expect(log).toContain('The environment variable TABLE_NAME is not set.');
  });

  test('does not start without one of its packages, because it finds only those in its bundle', async () => {
    const lacking = join(folder, 'lacking');
    const { bytes } = await bundle({ entryPoints: ['functions/branches/getBranch.ts'], external: ['@middy/core'] });
    unpack({ 'functions/branches/getBranch.mjs': bytes }, lacking);
    await expect(
      invokeUnpacked({ ...deployed('getBranch'), folder: lacking }, eventOf('getBranch', {})),
    ).rejects.toThrow("Cannot find package '@middy/core'");
  });
});

describe('the zip of a function', () => {
  test.each(NAMES)('has only the bundle of %s, made of our code and of production dependencies', async (name) => {
    expect(zipErrors(zips[name] ?? {}, handlerOf(name))).toEqual([]);
    const { bytes, inputs } = await bundleAgain(handlerOf(name));
    // So the inputs of this bundle are those of the artifact.
    expect(Buffer.from(Object.values(zips[name] ?? {})[0] ?? []).equals(bytes)).toBe(true);
    expect(inputs).toContain(handlerOf(name).replace('.handler', '.ts'));
    expect(inputErrors(inputs)).toEqual([]);
  });

  test('the check of zips finds an extra and a missing file', () => {
    const handler = 'functions/lookup/lookup.handler';
    const { 'functions/lookup/lookup.mjs': bundled = new Uint8Array() } = zips['lookup'] ?? {};
    expect(zipErrors({ 'functions/lookup/lookup.mjs': bundled, '.env': bundled }, handler)).toEqual(['.env is extra']);
    expect(zipErrors({ 'functions/lookup/lookup.ts': bundled }, handler)).toEqual([
      'functions/lookup/lookup.mjs is missing',
      'functions/lookup/lookup.ts is extra',
    ]);
  });

  test('the check of bundles finds tests, tools and development dependencies', async () => {
    const contents = `
      export * from './functions/lookup/lookup.ts';
      export * from './test/support/constants.ts';
      export * from './infra/template/template.ts';
      export * from 'yaml';
    `;
    const { bytes, inputs } = await bundle({ stdin: { contents, resolveDir: '.', sourcefile: 'functions/spoilt.ts' } });
    const errors = inputErrors(inputs);
    expect(errors).toContain('test/support/constants.ts is not code of a function');
    expect(errors).toContain('infra/template/template.ts is not code of a function');
    expect(errors.some((error) => /^node_modules\/yaml\/.* is of a development dependency$/.test(error))).toBe(true);
    expect(Buffer.from(Object.values(zips['lookup'] ?? {})[0] ?? []).equals(bytes)).toBe(false);
  });
});
