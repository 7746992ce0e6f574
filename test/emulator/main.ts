import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../infra/local/engine.ts';
import { ROOT } from '../../infra/operate/deploy/stacks.ts';
import { fail, shutDown, shutDownOnSignals, stops } from '../../infra/operate/shutdown.ts';
import { baseUrlOf } from '../../infra/operate/verify/aws.ts';
import { ENDPOINTS, SERVICE } from '../../infra/stack/template/definitions.ts';
import { startCloudFormation } from './cloudFormation.ts';
import './localhost.ts';

/*
 * `npx node test/emulator/main.ts` deploys the stage dev to MiniStack, an emulator of AWS
 * (https://github.com/ministackorg/ministack), verifies it, deploys a change of one function, then the console, and
 * removes all of it. It does nothing where MiniStack is not installed, unless MINISTACK names it, such as "python3 -m
 * ministack".
 */

/** What fails in MiniStack only, by the name and the detail of the check of `verify`, and why. */
const KNOWN: [failure: RegExp, reason: string][] = [
  [
    /listRefusedRequests: success/,
    'its context has no functionName (core/lambda_runtime.py:851), the operation’s name',
  ],
  [/precondition_failed/, 'its HTTP server, hypercorn, drops the body of a 412 (hypercorn/utils.py, `suppress_body`)'],
  [/the log of \w+ lacks the request/, 'it waits 50 ms for a line of log (core/lambda_runtime.py:1178)'],
];

const STAGE = `${SERVICE}-dev`;
const ACCOUNT = ['--stage', 'dev', '--param', 'account=000000000000'];
const CONSOLE = ['--param', 'cognitoDomainPrefix=emulated'];

/** The log of MiniStack, which is kept. */
const LOG = join(tmpdir(), 'ministack.log');

const [command = '', ...args] = (process.env['MINISTACK'] ?? 'ministack').split(' ');

/** The environment of all that is started. Its credentials are of no account of AWS. */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'eu-central-1',
  NODE_OPTIONS: `--import ${import.meta.resolve('./localhost.ts')}`,
};

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Sends a request to MiniStack. Returns the body of the response. || @throws Error unless it is successful. */
async function send(path: string, init?: RequestInit): Promise<string> {
  const response = await fetch(`${environment['AWS_ENDPOINT_URL']}${path}`, init);
  const body = await response.text();
  if (!response.ok || response.headers.has('x-amz-function-error')) throw new Error(`${path}: ${body} Read ${LOG}.`);
  return body;
}

/** Sends a request with a body of JSON. `target` names the operation, of any service but Lambda. */
const post = (path: string, body: object, target = ''): Promise<string> =>
  send(path, { method: 'POST', headers: { 'x-amz-target': target }, body: JSON.stringify(body) });

/** Starts MiniStack, on this machine only, with its files in a folder. */
async function startMiniStack(folder: string): Promise<void> {
  const port = String(await freePort());
  environment['AWS_ENDPOINT_URL'] = `http://127.0.0.1:${port}`;
  const log = openSync(LOG, 'w');
  const child = spawn(command, args, {
    stdio: ['ignore', log, log],
    env: {
      ...environment,
      // MiniStack requires every handler, and imports only what Node.js cannot require (core/lambda_runtime.py:824).
      NODE_OPTIONS: `${environment['NODE_OPTIONS']} --no-require-module`,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: port,
      MINISTACK_REGION: environment['AWS_REGION'],
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      TMPDIR: folder,
    },
  });
  const ended = once(child, 'exit');
  stops.push(async () => {
    child.kill();
    await ended;
  });
  const isUp = () => send('/_ministack/health').catch(() => false);
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`MiniStack ended with ${child.exitCode}. Read ${LOG}.`);
    await sleep(200);
  }
}

/** Runs a script of package.json. Returns what it printed. || @throws Error if it fails, unless it may. */
async function run(cwd: string, script: string, options: string[], mayFail = false): Promise<string> {
  const started = performance.now();
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn('npm', ['run', '--silent', script, '--', ...options], {
    cwd,
    env: environment,
    stdio: [...stdio],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const seconds = Math.round((performance.now() - started) / 1000);
  print(`npm run ${script} -- ${options.join(' ')}: exit code ${code} after ${seconds} s`);
  if (code !== 0 && !mayFail) throw new Error(`${printed}\nRead ${LOG}.`);
  return printed;
}

/** Verifies the stage. @throws Error if anything fails that is not known to. */
async function verify(project: string): Promise<void> {
  const printed = await run(project, 'verify', ['--stage', 'dev', '--quick', '--json'], true);
  const lines = printed.trim().split('\n');
  const outcomes: { outcome: string; name: string; detail?: string }[] = lines.map((line) => JSON.parse(line));
  const named = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted);
  print(`  ${['passed', 'failed', 'skipped'].map((each) => `${named(each).length} ${each}`).join(', ')}`);
  const unknown = named('failed').filter(({ name, detail }) => {
    const [, reason] = KNOWN.find(([failure]) => failure.test(`${name}: ${detail}`)) ?? [];
    print(`  failed: ${name}: ${reason ?? detail}`);
    return !reason;
  });
  ok(named('passed').length > 0 && unknown.length === 0, 'What fails must be known to fail in MiniStack only.');
}

/** The hash of the code of each function. */
async function deployedCode(): Promise<Map<string, string>> {
  const { Functions } = JSON.parse(await send('/2015-03-31/functions/'));
  return new Map(Functions.map((each: Record<string, string>) => [each['FunctionName'], each['CodeSha256']]));
}

/** What exists of the stage, by name. */
async function existing(): Promise<string[]> {
  const lists = ['DynamoDB_20120810.ListTables', 'secretsmanager.ListSecrets', 'Logs_20140328.DescribeLogGroups'];
  const listings = await Promise.all([
    ...[...lists, 'AmazonSSM.DescribeParameters'].map((target) => post('/', {}, target)),
    ...['/', '/?Action=DescribeStacks', '/2015-03-31/functions/'].map((path) => send(path)),
  ]);
  return [...new Set(listings.join().match(new RegExp(`[\\w/-]*${STAGE}[\\w/-]*`, 'g')))];
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-'));
  stops.push(async () => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, 'project');
  for (const each of readdirSync(ROOT).filter((name) => !/^(\.|node_modules$|test$)/.test(name)))
    cpSync(join(ROOT, each), join(project, each), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));

  // Its table is slower than AWS's, the more so on a busy machine.
  const rows = join(project, 'infra/stack/stages.yml');
  const PATIENT = 'dev: { keepRefusedMs: 10000, memberCheckMs: 15000, ';
  writeFileSync(rows, readFileSync(rows, 'utf8').replace(/^dev: +\{/m, PATIENT));

  await startMiniStack(folder);
  Object.assign(process.env, environment);
  const leftOut = new Map<string, Set<string>>();
  environment['AWS_ENDPOINT_URL_CLOUDFORMATION'] = await startCloudFormation(leftOut);

  // From a package, as the pipeline does.
  const packaged = ['--package', 'packaged'];
  await run(project, 'package', [...ACCOUNT, ...packaged]);
  await run(project, 'deploy', [...ACCOUNT, ...packaged]);
  const recordLog = { logGroupName: `/${STAGE}/record`, logStreamName: 'changes' };
  await post('/', recordLog, 'Logs_20140328.CreateLogStream');
  await verify(project);

  const before = await deployedCode();
  const source = join(project, 'functions/other/unknownRoute.ts');
  const change =
    `if (event.rawPath === '/changed') return { statusCode: 200, body: 'changed' };\n  if ` + `(isPreflight(event))`;
  writeFileSync(source, readFileSync(source, 'utf8').replace('if (isPreflight(event))', change));
  await run(project, 'deploy', ACCOUNT);
  const after = await deployedCode();
  const changed = [...after.keys()].filter((name) => after.get(name) !== before.get(name));
  deepStrictEqual(changed, [`${STAGE}-unknownRoute`], 'The second deployment must change one function.');
  const response = await fetch(`${await baseUrlOf('dev')}/changed`);
  strictEqual(await response.text(), 'changed', 'The API must respond as the changed function does.');

  await run(project, 'deploy', [...ACCOUNT, ...CONSOLE]);
  const selfCheckLog = { logGroupName: `/aws/lambda/${STAGE}-selfCheck` };
  const checks = JSON.parse(await post('/', selfCheckLog, 'Logs_20140328.FilterLogEvents'));
  ok(checks.events.length > 0, 'EventBridge must have invoked the self-check.');
  const http = { method: 'GET', path: '/', sourceIp: '127.0.0.1' };
  const event = { rawPath: '/', rawQueryString: '', headers: {}, requestContext: { http, requestId: 'emulated' } };
  for (const name of Object.keys(ENDPOINTS)) {
    const { statusCode } = JSON.parse(await post(`/2015-03-31/functions/${STAGE}-${name}/invocations`, event));
    strictEqual(typeof statusCode, 'number', `The function ${name} must respond.`);
  }
  print(`  ${Object.keys(ENDPOINTS).length} functions of the API and of the console respond`);

  print(`  ${(await existing()).length} names of the stage exist`);
  await run(project, 'remove', [...ACCOUNT, ...CONSOLE, '--confirm', 'dev']);
  deepStrictEqual(await existing(), [], 'Nothing of the stage may be left.');
  print('\nLeft out, because MiniStack lacks it. Only AWS can show it:');
  for (const [what, where] of [...leftOut].sort()) print(`  ${where.size} × ${what}`);
}

if (spawnSync(command, [...args, '--help'], { stdio: 'ignore' }).status !== 0) {
  print(
    `"${command}" cannot be run, so nothing was done. Run "pipx install ministack==1.4.21", or name it with MINISTACK.`,
  );
  process.exit(process.env['MINISTACK'] ? 1 : 0);
}
shutDownOnSignals(1, 'Interrupted.\n');
main().then(() => shutDown(0), fail);
